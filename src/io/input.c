// io/input.c - a whole file, or standard input, into memory.
#define _POSIX_C_SOURCE 200809L

#include "base/error.h"
#include "io/reader.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool ssi_ends_with(const char *text, const char *ending) {
  size_t n = strlen(text), k = strlen(ending);
  return n >= k && strcmp(text + n - k, ending) == 0;
}

bool ssi_is_folder(const char *path) {
  struct stat st;
  return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

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

static ss_error too_much(ss_context *ctx, const char *name, bool device, size_t most) {
  if (device)
    return ssi_fail(ctx, SS_ERR_READ,
                    "%s: is a device, and no end of it after %zu bytes; expected a file or a pipe",
                    name, most);
  return ssi_fail(ctx, SS_ERR_MEMORY,
                  "%s: more than %zu bytes came, expected no more through a pipe; read it from a "
                  "file",
                  name, most);
}

// How much to read: `expected` is the length where it is known, else 0 and the end decides.
typedef struct amount {
  size_t expected, most;
  bool device;
  bool (*worth)(const ssi_source *head);  // NULL: whatever it is
} amount;

enum { HEAD = 1 << 16 };

// HDF5's signature may stand behind a user block of any power of two.
static bool is_hdf5_further_on(int fd, size_t size) {
  char bytes[8];
  for (size_t at = HEAD; at < size; at *= 2)
    if (pread(fd, bytes, sizeof bytes, (off_t)at) == sizeof bytes &&
        ssi_is_hdf5(&(ssi_source){.bytes = bytes, .size = sizeof bytes}))
      return true;
  return false;
}

// A long file, of which only the head is looked at first.
static bool has_head(const amount *n) {
  return n->worth && n->expected > HEAD;
}

size_t ssi_after_blanks(const ssi_source *in) {
  size_t k = in->size >= 3 && memcmp(in->bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;  // byte order mark
  while (k < in->size && isspace((unsigned char)in->bytes[k])) k++;
  return k;
}

bool ssi_may_be_text(const ssi_source *head) {
  return !memchr(head->bytes, 0, head->size);
}

bool ssi_may_be_json(const ssi_source *head) {
  size_t k = ssi_after_blanks(head);
  return ssi_may_be_text(head) && (k == head->size || strchr("{[", head->bytes[k]));
}

// A pipe does not tell its length: the room doubles. The smaller pieces stay in the arena, together
// never more than the last one.
static ss_error read_all(ss_context *ctx, int fd, const amount *n, ssi_arena *arena,
                         ssi_source *out) {
  size_t capacity = n->expected && !has_head(n) ? n->expected : HEAD, size = 0;
  char *bytes = NULL;
  for (bool end = false; !end;) {
    char *larger = capacity < SIZE_MAX / 2 ? SSI_TAKE(arena, capacity + 1, char) : NULL;
    if (!larger) return no_memory(ctx, out->name, capacity);
    if (size) memcpy(larger, bytes, size);
    bytes = larger;
    int failure = fill(fd, bytes, capacity, &size, &end);
    if (failure)
      return ssi_fail(ctx, SS_ERR_READ, "%s: cannot be read: %s", out->name, strerror(failure));
    if (!end && has_head(n) && size == HEAD) {
      bytes[size] = 0;
      capacity = n->expected;
      if (n->worth(&(ssi_source){.bytes = bytes, .size = size}) ||
          is_hdf5_further_on(fd, n->expected))
        continue;
    }
    if (!end && n->expected) break;  // as long as it was when opened, or not worth more
    if (size > n->most) return too_much(ctx, out->name, n->device, n->most);
    if (!end) capacity = capacity < n->most / 2 ? 2 * capacity : n->most + 1;
  }
  bytes[size] = 0;
  out->bytes = bytes;
  out->size = size;
  return SS_OK;
}

static size_t memory_of_machine(void) {
  long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page <= 0 || (size_t)pages > SIZE_MAX / (size_t)page) return SIZE_MAX;
  return (size_t)pages * (size_t)page;
}

// A terminal ends when its user says so; other devices (/dev/zero) may have no end at all.
static ss_error measure(ss_context *ctx, const char *name, int fd, const struct stat *st,
                        bool standard, size_t most_by_pipe, amount *n) {
  enum { MOST_BY_DEVICE = 1 << 20 };
  if (S_ISDIR(st->st_mode))
    return ssi_fail(ctx, SS_ERR_READ, "%s: is a folder, expected a file", name);
  bool device = (S_ISCHR(st->st_mode) && !isatty(fd)) || S_ISBLK(st->st_mode);
  *n = (amount){.most = device ? MOST_BY_DEVICE : most_by_pipe, .device = device};
  if (!S_ISREG(st->st_mode) || st->st_size <= 0) return SS_OK;
  if ((uintmax_t)st->st_size > memory_of_machine())
    return ssi_fail(ctx, SS_ERR_MEMORY, "%s: no memory for %jd bytes of it", name,
                    (intmax_t)st->st_size);
  n->most = SIZE_MAX;
  // standard input may have been read in part already, so its length says nothing
  if (!standard) n->expected = (size_t)st->st_size;
  return SS_OK;
}

static ss_error read_path(ss_context *ctx, const char *path, size_t most_by_pipe,
                          bool (*worth)(const ssi_source *head), ssi_arena *arena,
                          ssi_source *out) {
  bool standard = strcmp(path, "-") == 0;
  *out = (ssi_source){.name = standard ? "standard input" : path};
  int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return ssi_fail(ctx, SS_ERR_READ, "%s: cannot be opened: %s", out->name, strerror(errno));
  struct stat st;
  amount n = {0};
  ss_error e = SS_OK;
  if (fstat(fd, &st) != 0)
    e = ssi_fail(ctx, SS_ERR_READ, "%s: cannot be read: %s", out->name, strerror(errno));
  if (!e) e = measure(ctx, out->name, fd, &st, standard, most_by_pipe, &n);
  n.worth = worth;
  if (!e) e = read_all(ctx, fd, &n, arena, out);
  if (!standard) close(fd);
  return e;
}

ss_error ssi_input_read_within(ss_context *ctx, const char *path, size_t most_by_pipe,
                               ssi_arena *arena, ssi_source *out) {
  return read_path(ctx, path, most_by_pipe, NULL, arena, out);
}

ss_error ssi_input_read_judged(ss_context *ctx, const char *path,
                               bool (*worth)(const ssi_source *head), ssi_arena *arena,
                               ssi_source *out) {
  return read_path(ctx, path, memory_of_machine() / 4, worth, arena, out);
}

ss_error ssi_input_read(ss_context *ctx, const char *path, ssi_arena *arena, ssi_source *out) {
  return ssi_input_read_judged(ctx, path, NULL, arena, out);
}
