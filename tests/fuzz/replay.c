// tests/fuzz/replay.c - feeds every file of the folders (or files) given to a fuzz target and says
// how many there were; none at all is a failure. A find of the fuzzer is replayed the same way.
//
// --random SEED COUNT [FOLDER]: bytes from a seed instead, input k from SEED + k alone; each in a process of its own, so
// that all of them are tried. Those that fail are written to FOLDER.
#define _POSIX_C_SOURCE 200809L

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

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

// ---- bytes from a seed ---------------------------------------------------------------------------

enum { LONGEST = 600 };

static uint64_t next(uint64_t *state) {  // splitmix64
  uint64_t z = *state += 0x9E3779B97F4A7C15u;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
  z = (z ^ z >> 27) * 0x94D049BB133111EBu;
  return z ^ z >> 31;
}

static size_t draw(uint64_t seed, uint8_t *data) {
  uint64_t state = seed * 0xD1342543DE82EF95u + 1;
  size_t size = 20 + next(&state) % (LONGEST - 20);
  for (size_t k = 0; k < size; k++) data[k] = (uint8_t)(next(&state) >> 32);
  return size;
}

static void keep(const char *folder, uint64_t seed, const uint8_t *data, size_t size) {
  char name[4096];
  snprintf(name, sizeof name, "%s/seed-%llu", folder, (unsigned long long)seed);
  FILE *f = fopen(name, "wb");
  if (!f || fwrite(data, 1, size, f) != size) perror(name);
  if (f) fclose(f);
}

static int random_inputs(uint64_t seed, long count, const char *folder) {
  long bad = 0;
  for (long k = 0; k < count; k++) {
    uint8_t data[LONGEST];
    size_t size = draw(seed + (uint64_t)k, data);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
      alarm(120);
      LLVMFuzzerTestOneInput(data, size);
      _exit(0);
    }
    int status = 1;
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
      bad++;
      fprintf(stderr, "seed %llu: fails\n", (unsigned long long)(seed + (uint64_t)k));
      if (folder) keep(folder, seed + (uint64_t)k, data, size);
    }
  }
  printf("%ld random inputs, %ld fail\n", count, bad);
  return bad > 0 || count <= 0;
}

int main(int argc, char **argv) {
  if (argc >= 4 && strcmp(argv[1], "--random") == 0)
    return random_inputs(strtoull(argv[2], NULL, 10), atol(argv[3]), argv[4]);
  int count = 0;
  for (int k = 1; k < argc; k++) count += replay(argv[k]);
  printf("%d inputs replayed\n", count);
  return count == 0;
}
