// See served.h.
#define _GNU_SOURCE  // O_PATH
#include "serve/served.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int hex_digit(char c) {
  return c >= '0' && c <= '9'   ? c - '0'
         : c >= 'a' && c <= 'f' ? c - 'a' + 10
         : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                : -1;
}

// The byte at *at, which moves on; 0: there is none, or it is not allowed.
static char decoded(const char **at) {
  const char *c = *at;
  if (*c != '%') return *at = c + 1, *c;
  int high = hex_digit(c[1]), low = high < 0 ? -1 : hex_digit(c[2]);
  *at = c + 3;
  return low < 0 ? 0 : (char)(16 * high + low);
}

static bool names_are_good(const char *path) {
  for (const char *name = path; *name;) {
    size_t length = strcspn(name, "/");
    if (length == 0 || length > 255 || *name == '.') return false;
    name += length;
    if (*name == '/' && !*++name) return false;
  }
  return true;
}

bool ssi_served_decode(const char *url, char path[SSI_SERVED_PATH]) {
  size_t length = 0;
  if (*url++ != '/') return false;
  while (*url) {
    char c = decoded(&url);
    if (!c || length + 1 >= SSI_SERVED_PATH) return false;
    path[length++] = c;
  }
  if (length && path[length - 1] == '/') length--;
  path[length] = 0;
  return names_are_good(path);
}

// ---- files -----------------------------------------------------------------------------------

// Only what has a content of its own is opened at all: to open a device may do something.
static int open_name(int folder, const char *name, bool must_be_folder, struct stat *st) {
  int fd = openat(folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return -1;
  bool good =
      fstat(fd, st) == 0 && (S_ISDIR(st->st_mode) || (S_ISREG(st->st_mode) && !must_be_folder));
  ino_t seen = st->st_ino;
  close(fd);
  if (!good) return errno = ENOENT, -1;
  fd = openat(folder, name,
              O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC |
                  (S_ISDIR(st->st_mode) ? O_DIRECTORY : 0));
  if (fd >= 0 && (fstat(fd, st) != 0 || st->st_ino != seen)) return close(fd), errno = ENOENT, -1;
  return fd;
}

// The folder that holds the last name of the path, which *last becomes. -1: there is none.
static int open_holder(int root, const char *path, const char **last) {
  int at = fcntl(root, F_DUPFD_CLOEXEC, 0);
  char name[256];
  for (const char *slash; at >= 0 && (slash = strchr(path, '/')); path = slash + 1) {
    struct stat st;
    snprintf(name, sizeof name, "%.*s", (int)(slash - path), path);
    int next = open_name(at, name, true, &st);
    int reason = errno;
    close(at), errno = reason;
    at = next;
  }
  *last = path;
  return at;
}

static int open_last(ssi_served *s) {
  char parts[300];
  struct stat beside = {0};
  snprintf(parts, sizeof parts, "%s.parts", s->name);
  int fd = open_name(s->folder, parts, true, &beside);
  s->parts = fd >= 0;
  if (fd >= 0) close(fd);
  s->fd = open_name(s->folder, s->name, false, &s->st);
  if (s->fd < 0 && (errno != ENOENT || !s->parts))
    return errno == ELOOP || errno == ENOTDIR ? ENOENT : errno;
  // a part that is added is a change of NAME.parts
  snprintf(s->version, sizeof s->version, "\"%llx-%llx-%llx-%llx\"",
           s->fd < 0 ? 0ULL : (unsigned long long)s->st.st_ino,
           s->fd < 0 ? 0ULL : (unsigned long long)s->st.st_size,
           s->fd < 0 ? 0ULL
                     : 1000000000ULL * (unsigned long long)s->st.st_mtim.tv_sec +
                           (unsigned long long)s->st.st_mtim.tv_nsec,
           s->parts ? 1000000000ULL * (unsigned long long)beside.st_mtim.tv_sec +
                          (unsigned long long)beside.st_mtim.tv_nsec
                    : 0ULL);
  if (s->fd < 0) s->st = beside;
  s->is_folder = s->fd >= 0 && S_ISDIR(s->st.st_mode);
  return 0;
}

int ssi_served_open(int root, const char *path, ssi_served *out) {
  *out = (ssi_served){.folder = -1, .fd = -1};
  if (!*path) {
    out->fd = openat(root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (out->fd < 0 || fstat(out->fd, &out->st) != 0) return errno;
    return out->is_folder = true, 0;
  }
  const char *last;
  out->folder = open_holder(root, path, &last);
  if (out->folder < 0) return errno == ELOOP || errno == ENOTDIR ? ENOENT : errno;
  snprintf(out->name, sizeof out->name, "%s", last);
  return open_last(out);
}

void ssi_served_close(ssi_served *s) {
  if (s->fd >= 0) close(s->fd);
  if (s->folder >= 0) close(s->folder);
  s->fd = s->folder = -1;
}
