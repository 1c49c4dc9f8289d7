// tests/fuzz/replay.c - feeds every file of the folders (or files) given to a fuzz target and says
// how many there were; none at all is a failure. A find of the fuzzer is replayed the same way.
#define _POSIX_C_SOURCE 200809L

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Copied into a block of exactly its size, so that AddressSanitizer sees a read past the end.
static int replay_file(const char *path) {
  FILE *in = fopen(path, "rb");
  if (!in || fseek(in, 0, SEEK_END) != 0) {
    perror(path);
    exit(1);
  }
  long size = ftell(in);
  rewind(in);
  uint8_t *data = malloc(size > 0 ? (size_t)size : 1);
  if (size < 0 || !data || fread(data, 1, (size_t)size, in) != (size_t)size) {
    perror(path);
    exit(1);
  }
  fclose(in);
  LLVMFuzzerTestOneInput(data, (size_t)size);
  free(data);
  return 1;
}

static int is_visible(const struct dirent *entry) {
  return entry->d_name[0] != '.';
}

static int replay(const char *path) {
  struct stat st;
  if (stat(path, &st) == 0 && !S_ISDIR(st.st_mode)) return replay_file(path);
  struct dirent **entries;
  int found = scandir(path, &entries, is_visible, alphasort), count = 0;
  if (found < 0) {
    perror(path);
    exit(1);
  }
  for (int k = 0; k < found; k++) {
    char name[4096];
    snprintf(name, sizeof name, "%s/%s", path, entries[k]->d_name);
    count += replay(name);
    free(entries[k]);
  }
  free(entries);
  return count;
}

int main(int argc, char **argv) {
  int count = 0;
  for (int k = 1; k < argc; k++) count += replay(argv[k]);
  printf("%d inputs replayed\n", count);
  return count == 0;
}
