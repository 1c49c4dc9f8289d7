// io/input.c - a whole file, or standard input, into memory.
#define _POSIX_C_SOURCE 200809L

#include "base/error.h"
#include "io/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static ss_error no_memory(ss_context *ctx, const char *name, size_t bytes) {
  return ssi_fail(ctx, SS_ERR_MEMORY, "%s: no memory for %zu bytes of it", name, bytes);
}

// Reads until the end or until `capacity` bytes are there. Returns the errno of a failure.
static int fill(int fd, char *bytes, size_t capacity, size_t *size, bool *end) {
  while (*size < capacity) {
    ssize_t got = read(fd, bytes + *size, capacity - *size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno;
    if (got == 0) {
      *end = true;
      break;
    }
    *size += (size_t)got;
  }
  return 0;
}

// A pipe does not tell its length: the room doubles. The smaller pieces stay in the arena, together
// never more than the last one.
static ss_error read_all(ss_context *ctx, int fd, size_t expected, ssi_arena *arena,
                         ssi_source *out) {
  size_t capacity = expected ? expected : 1 << 16, size = 0;
  char *bytes = NULL;
  for (bool end = false; !end;) {
    char *larger = capacity < SIZE_MAX / 2 ? SSI_TAKE(arena, capacity + 1, char) : NULL;
    if (!larger) return no_memory(ctx, out->name, capacity);
    if (size) memcpy(larger, bytes, size);
    bytes = larger;
    int failure = fill(fd, bytes, capacity, &size, &end);
    if (failure)
      return ssi_fail(ctx, SS_ERR_READ, "%s: cannot be read: %s", out->name, strerror(failure));
    if (!end && expected) break;  // as long as it was when opened
    if (!end) capacity *= 2;
  }
  bytes[size] = 0;
  out->bytes = bytes;
  out->size = size;
  return SS_OK;
}

ss_error ssi_input_read(ss_context *ctx, const char *path, ssi_arena *arena, ssi_source *out) {
  bool standard = strcmp(path, "-") == 0;
  *out = (ssi_source){.name = standard ? "standard input" : path};
  int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return ssi_fail(ctx, SS_ERR_READ, "%s: cannot be opened: %s", out->name, strerror(errno));
  struct stat st;
  ss_error e = SS_OK;
  if (fstat(fd, &st) != 0)
    e = ssi_fail(ctx, SS_ERR_READ, "%s: cannot be read: %s", out->name, strerror(errno));
  else if (S_ISDIR(st.st_mode))
    e = ssi_fail(ctx, SS_ERR_READ, "%s: is a folder, expected a file", out->name);
  else {
    // standard input may be a regular file already read in part, so its length says nothing
    bool sized = S_ISREG(st.st_mode) && !standard && st.st_size > 0;
    if (sized && (uintmax_t)st.st_size >= SIZE_MAX / 2)
      e = no_memory(ctx, out->name, SIZE_MAX / 2);
    else
      e = read_all(ctx, fd, sized ? (size_t)st.st_size : 0, arena, out);
  }
  if (!standard) close(fd);
  return e;
}
