// io/output.c - files that appear complete or not at all. What is written goes to a new file in the
// same folder, is synced to disk, and only then takes the name asked for by rename, which POSIX
// makes atomic. Until then the new file has no name where the system can do that (O_TMPFILE), so
// that nothing stays of it whatever ends the process. A target that is no regular file (a pipe) or
// that is a name in /dev (/dev/stdout, whatever it stands for) is written to directly.
#define _GNU_SOURCE  // O_TMPFILE

#include "base/decimal.h"
#include "base/error.h"
#include "io/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static ss_error cannot_write(ss_context *ctx, const char *path, int reason) {
  if (reason == ENOMEM) return ssi_fail(ctx, SS_ERR_MEMORY, "%s: no memory to write it", path);
  return ssi_fail(ctx, SS_ERR_WRITE, "%s: cannot be written: %s", path, strerror(reason));
}

// ---- names to be removed --------------------------------------------------------------------

// Of files that are not finished and have a name of their own. A signal handler reads this: nothing but atomic
// pointers, and a name is in it before its file is there. Where it is full, a name is not remembered.
enum { UNFINISHED = 64 };
static _Atomic(const char *) unfinished[UNFINISHED];

static void remember(const char *name) {
  for (int k = 0; k < UNFINISHED; k++) {
    const char *none = NULL;
    if (atomic_compare_exchange_strong(&unfinished[k], &none, name)) return;
  }
}

static void drop(const char *name) {
  for (int k = 0; name && k < UNFINISHED; k++) {
    const char *found = name;
    atomic_compare_exchange_strong(&unfinished[k], &found, NULL);
  }
}

void ss_unfinished_remove(void) {
  for (int k = 0; k < UNFINISHED; k++) {
    const char *name = atomic_load(&unfinished[k]);
    if (name) unlink(name);
  }
}

// ---- a path aside -------------------------------------------------------------------------

static char *copy_text(ss_context *ctx, const char *text, size_t length) {
  char *copy = ssi_alloc(ctx, length + 1, 1);
  if (!copy) return NULL;
  memcpy(copy, text, length);
  copy[length] = 0;
  return copy;
}

// The file behind symbolic links, so that a link stays a link; a file to be made is its own name.
static char *resolve(ss_context *ctx, const char *path) {
  char *real = realpath(path, NULL);
  const char *used = real ? real : path;
  char *copy = copy_text(ctx, used, strlen(used));
  free(real);
  return copy;
}

static void forget(ss_context *ctx, ssi_aside *a) {
  if (a->nameless) close(a->fd);
  drop(a->path), drop(a->name);
  ssi_release(ctx, a->target);
  ssi_release(ctx, a->path);
  ssi_release(ctx, a->name);
  *a = (ssi_aside){0};
}

enum { NAME_ROOM = 64 };  // what a name beside the target may need more than that

static int folder_length(const char *target) {
  const char *slash = strrchr(target, '/');
  return slash ? (int)(slash - target) + 1 : 0;
}

// Calls make(name, a) with names beside the target until one is free. 0 or the errno.
static int name_beside(ssi_aside *a, char *name, size_t room,
                       int (*make)(const char *name, ssi_aside *a)) {
  for (int n = 0; n < 1000; n++) {
    snprintf(name, room, "%.*s.stickslip-%ld-%d.part", folder_length(a->target), a->target,
             (long)getpid(), n);
    remember(name);
    if (make(name, a) == 0) return 0;
    drop(name);
    if (errno != EEXIST) return errno;
  }
  return EEXIST;
}

// Created by open with 0666, so that the user's umask decides, not mkstemp's 0600.
static int create(const char *name, ssi_aside *a) {
  a->fd = open(name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
  return a->fd < 0 ? -1 : 0;
}

static int give_name(const char *name, ssi_aside *a) {
  return linkat(AT_FDCWD, a->path, AT_FDCWD, name, AT_SYMLINK_FOLLOW);
}

// False where the system or the file system cannot do it.
static bool create_nameless(ssi_aside *a, size_t room) {
#ifdef O_TMPFILE
  snprintf(a->path, room, "%.*s.", folder_length(a->target), a->target);
  a->fd = open(a->path, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
  if (a->fd < 0) return false;
  snprintf(a->path, room, "/proc/self/fd/%d", a->fd);
  a->nameless = access(a->path, W_OK) == 0;
  if (!a->nameless) close(a->fd);
#else
  (void)room;
#endif
  return a->nameless;
}

// A new empty file in the target's folder. 0 or the errno.
static int create_aside(ssi_aside *a, size_t room, const struct stat *old) {
  if (!create_nameless(a, room)) {
    int failure = name_beside(a, a->path, room, create);
    if (failure) return failure;
  }
  // keeping the permissions is a courtesy: a failure here is no failure to write
  if (old && fchmod(a->fd, old->st_mode & 0777) != 0) errno = 0;
  if (!a->nameless) close(a->fd);
  return 0;
}

// /dev/NAME, /dev/fd/NUMBER; not files in a folder there, such as /dev/shm.
static bool in_dev(const char *path) {
  if (strncmp(path, "/dev/fd/", 8) == 0) return true;
  return strncmp(path, "/dev/", 5) == 0 && !strchr(path + 5, '/');
}

ss_error ssi_aside_begin(ss_context *ctx, const char *path, ssi_aside *a) {
  *a = (ssi_aside){0};
  struct stat st;
  bool exists = stat(path, &st) == 0;
  if (!exists && errno != ENOENT) return cannot_write(ctx, path, errno);
  if (exists && S_ISDIR(st.st_mode))
    return ssi_fail(ctx, SS_ERR_WRITE, "%s: is a folder, expected the name of a file", path);
  if ((exists && !S_ISREG(st.st_mode)) || in_dev(path))
    return ssi_fail(ctx, SS_ERR_WRITE, "%s: is not a regular file", path);
  if (exists && access(path, W_OK) != 0) return cannot_write(ctx, path, errno);
  a->target = resolve(ctx, path);
  size_t room = (a->target ? strlen(a->target) : 0) + NAME_ROOM;
  a->path = ssi_alloc(ctx, room, 1);
  a->name = ssi_alloc(ctx, room, 1);  // now, so that commit needs no memory
  int failure =
      a->target && a->path && a->name ? create_aside(a, room, exists ? &st : NULL) : ENOMEM;
  if (!failure) return SS_OK;
  forget(ctx, a);
  return cannot_write(ctx, path, failure);
}

// 0 or the errno. Some file systems cannot sync and say so; then there is nothing to wait for.
static int sync_file(int fd) {
  return fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP ? 0 : errno;
}

static int sync_path(const char *path, int flags) {
  int fd = open(path, O_RDONLY | O_CLOEXEC | flags);
  if (fd < 0) return errno;
  int failure = sync_file(fd);
  if (close(fd) != 0 && !failure) failure = errno;
  return failure;
}

// Makes the new name itself last through a power cut. The file is complete whatever comes of this.
static void sync_folder(char *target) {
  char *slash = strrchr(target, '/');
  if (slash) slash[slash == target] = 0;
  sync_path(slash ? target : ".", O_DIRECTORY);
}

// A name may only be given to it where there is none, so it takes the target's in two steps.
static int rename_nameless(ssi_aside *a) {
  int failure = name_beside(a, a->name, strlen(a->target) + NAME_ROOM, give_name);
  if (failure) return failure;
  if (rename(a->name, a->target) == 0) return 0;
  failure = errno;
  unlink(a->name);
  return failure;
}

static int replace_target(ssi_aside *a) {
  if (a->nameless) return rename_nameless(a);
  return rename(a->path, a->target) == 0 ? 0 : errno;
}

ss_error ssi_aside_commit(ss_context *ctx, ssi_aside *a) {
  if (!a->path) return SS_OK;
  int failure = a->nameless ? sync_file(a->fd) : sync_path(a->path, 0);
  if (!failure) failure = replace_target(a);
  if (failure) {
    ss_error e = cannot_write(ctx, a->target, failure);
    ssi_aside_abandon(ctx, a);
    return e;
  }
  sync_folder(a->target);
  forget(ctx, a);
  return SS_OK;
}

void ssi_aside_abandon(ss_context *ctx, ssi_aside *a) {
  if (a->path && !a->nameless) unlink(a->path);
  forget(ctx, a);
}

// ---- a text stream --------------------------------------------------------------------------

struct ssi_output {
  ss_context *ctx;
  FILE *stream;
  ssi_aside aside;  // nothing in it: the stream goes straight to `name`
  char *name;
  locale_t plain;  // "C": a decimal point in numbers, whatever the caller's locale
  int failure;     // errno of the first failed write
};

static bool is_special(const char *path) {
  struct stat st;
  if (stat(path, &st) != 0 || S_ISDIR(st.st_mode)) return false;
  return in_dev(path) || !S_ISREG(st.st_mode);
}

static ss_error open_stream(ss_context *ctx, const char *path, ssi_output *o) {
  if (strcmp(path, "-") == 0) {
    o->stream = stdout;
    return SS_OK;
  }
  if (!is_special(path)) SS_TRY(ssi_aside_begin(ctx, path, &o->aside));
  o->stream = fopen(o->aside.path ? o->aside.path : path, "we");
  return o->stream ? SS_OK : cannot_write(ctx, path, errno);
}

static void release_output(ssi_output *o) {
  if (o->stream && o->stream != stdout) fclose(o->stream);
  if (o->plain) freelocale(o->plain);
  ssi_aside_abandon(o->ctx, &o->aside);
  ssi_release(o->ctx, o->name);
  ssi_release(o->ctx, o);
}

ss_error ssi_output_begin(ss_context *ctx, const char *path, ssi_output **out) {
  *out = NULL;
  const char *name = strcmp(path, "-") == 0 ? "standard output" : path;
  ssi_output *o = ssi_alloc(ctx, 1, sizeof *o);
  if (!o) return cannot_write(ctx, name, ENOMEM);
  *o = (ssi_output){.ctx = ctx, .name = copy_text(ctx, name, strlen(name))};
  o->plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  ss_error e = o->name && o->plain ? open_stream(ctx, path, o) : cannot_write(ctx, name, ENOMEM);
  if (e) {
    release_output(o);
    return e;
  }
  *out = o;
  return SS_OK;
}

void ssi_output_text(ssi_output *o, const char *format, ...) {
  if (o->failure) return;
  va_list args;
  va_start(args, format);
  locale_t before = uselocale(o->plain);
  errno = 0;
  if (vfprintf(o->stream, format, args) < 0) o->failure = errno ? errno : EIO;
  uselocale(before);
  va_end(args);
}

// -0.0 keeps its point: a bare -0 is the integer 0 to many readers.
void ssi_output_number(ssi_output *o, double x) {
  if (x == 0) {
    ssi_output_text(o, signbit(x) ? "-0.0" : "0");
    return;
  }
  char text[32];
  ssi_output_text(o, "%s", ssi_shortest(x, text));
}

ss_error ssi_output_close(ss_context *ctx, ssi_output *o, ssi_aside *a) {
  *a = (ssi_aside){0};
  errno = 0;
  if (fflush(o->stream) != 0 && !o->failure) o->failure = errno ? errno : EIO;
  if (o->stream != stdout) {
    if (fclose(o->stream) != 0 && !o->failure) o->failure = errno ? errno : EIO;
    o->stream = NULL;
  }
  ss_error e = SS_OK;
  if (o->failure) {
    e = cannot_write(ctx, o->name, o->failure);
  } else {
    *a = o->aside;
    o->aside = (ssi_aside){0};
  }
  release_output(o);
  return e;
}

ss_error ssi_output_commit(ss_context *ctx, ssi_output *o) {
  ssi_aside a;
  SS_TRY(ssi_output_close(ctx, o, &a));
  return ssi_aside_commit(ctx, &a);
}

void ssi_output_abandon(ssi_output *o) {
  if (o) release_output(o);
}
