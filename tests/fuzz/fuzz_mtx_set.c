// tests/fuzz/fuzz_mtx_set.c - any bytes as a whole Matrix Market set. A line "@W" begins the file
// NAME.W.mtx, and so on; what stands before the first such line is left out. The files are written to
// a folder of their own under $TMPDIR or /tmp and read from there, as the command does.
#define _XOPEN_SOURCE 700
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/reader.h"
#include "walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char folder[4096];

static void in_folder(char *path, size_t size, const char *name) {
  if (snprintf(path, size, "%s/%s", folder, name) >= (int)size) abort();
}

static void empty_folder(void) {
  DIR *list = opendir(folder);
  if (!list) return;
  for (struct dirent *d; (d = readdir(list));) {
    char path[5000];
    in_folder(path, sizeof path, d->d_name);
    if (d->d_name[0] != '.') unlink(path);
  }
  closedir(list);
}

static void remove_folder(void) {
  empty_folder();
  rmdir(folder);
}

static void make_folder(void) {
  if (folder[0]) return;
  const char *parent = getenv("TMPDIR");
  snprintf(folder, sizeof folder, "%s/fuzz_mtx_set_XXXXXX", parent ? parent : "/tmp");
  if (!mkdtemp(folder)) {
    perror(folder);
    exit(1);
  }
  atexit(remove_folder);
}

// The name after '@' at the start of a line: one or two letters, alone on it.
static size_t part_name(const char *line, size_t size, char name[3]) {
  size_t length = 0;
  memset(name, 0, 3);
  if (size == 0 || line[0] != '@') return 0;
  while (length < 2 && length + 1 < size && isalpha((unsigned char)line[length + 1]))
    name[length] = line[length + 1], length++;
  return length && length + 1 < size && line[length + 1] == '\n' ? length + 2 : 0;
}

static FILE *begin_part(const char *part) {
  char path[5000], name[32];
  snprintf(name, sizeof name, "set.%s.mtx", part);
  in_folder(path, sizeof path, name);
  FILE *out = fopen(path, "wb");
  if (out) return out;
  perror(path);
  exit(1);
}

static void end_part(FILE *out) {
  if (out && fclose(out) != 0) {
    perror(folder);
    exit(1);
  }
}

static void write_parts(const char *text, size_t size) {
  FILE *out = NULL;
  for (size_t at = 0; at < size;) {
    char name[3];
    const char *line = text + at, *end = memchr(line, '\n', size - at);
    size_t length = end ? (size_t)(end - line) + 1 : size - at;
    if (part_name(line, length, name)) {
      end_part(out);
      out = begin_part(name);
    } else if (out) {
      fwrite(line, 1, length, out);
    }
    at += length;
  }
  end_part(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  make_folder();
  write_parts((const char *)data, size);
  char prefix[5000];
  in_folder(prefix, sizeof prefix, "set");
  ss_context ctx = {0};
  ss_file *file;
  ss_error error = ss_file_open(&ctx, prefix, &(ss_read_options){.format = SS_FORMAT_MTX}, &file);
  if (error && !ctx.message[0]) abort();  // every failure says why
  if (!error) walk_problem(&file->problem);
  ss_file_close(file);
  empty_folder();
  return 0;
}
