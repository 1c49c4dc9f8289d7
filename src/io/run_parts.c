// io/run_parts.c - see run_parts.h.
#define _POSIX_C_SOURCE 200809L
#include "io/run_parts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/error.h"

enum { NAME_ROOM = 32 };

const char *ssi_run_parts_name(ssi_run_parts *p, int part) {
  snprintf(p->file, p->room, "%s/%08d.h5", p->folder, part);
  return p->file;
}

static const char *marker(ssi_run_parts *p) {
  snprintf(p->file, p->room, "%s/joined", p->folder);
  return p->file;
}

static bool is_there(const char *path) {
  struct stat st;
  return stat(path, &st) == 0;
}

ss_error ssi_run_parts_find(ss_context *ctx, const char *path, ssi_run_parts *out) {
  *out = (ssi_run_parts){.room = strlen(path) + NAME_ROOM};
  out->folder = ssi_alloc(ctx, out->room, 1);
  out->file = ssi_alloc(ctx, out->room, 1);
  if (!out->folder || !out->file) return ssi_fail(ctx, SS_ERR_MEMORY, "%s: no memory", path);
  snprintf(out->folder, out->room, "%s.parts", path);
  out->exists = is_there(out->folder);
  out->joined = is_there(marker(out));
  while (out->count < 99999999 && is_there(ssi_run_parts_name(out, out->count))) out->count++;
  return SS_OK;
}

bool ssi_run_parts_unfinished(const char *path) {
  char name[PATH_MAX];
  int length = snprintf(name, sizeof name, "%s.parts", path);
  if (length < 0 || (size_t)length + NAME_ROOM > sizeof name || !is_there(name)) return false;
  snprintf(name + length, sizeof name - (size_t)length, "/joined");
  return !is_there(name);
}

void ssi_run_parts_release(ss_context *ctx, ssi_run_parts *p) {
  ssi_release(ctx, p->folder);
  ssi_release(ctx, p->file);
  *p = (ssi_run_parts){0};
}

static ss_error cannot(ss_context *ctx, const char *path) {
  return ssi_fail(ctx, SS_ERR_WRITE, "%s: cannot be written: %s", path, strerror(errno));
}

ss_error ssi_run_parts_make(ss_context *ctx, ssi_run_parts *p) {
  if (mkdir(p->folder, 0777) != 0 && errno != EEXIST) return cannot(ctx, p->folder);
  p->exists = true;
  return SS_OK;
}

ss_error ssi_run_parts_mark_joined(ss_context *ctx, ssi_run_parts *p) {
  int fd = open(marker(p), O_CREAT | O_WRONLY | O_CLOEXEC, 0666);
  if (fd < 0) return cannot(ctx, p->file);
  close(fd);
  p->joined = true;
  return SS_OK;
}

// Backwards, so that what is left of an interrupted removal is again a run from its start.
// Files aside of a process that was killed between naming one and renaming it (io/output.c).
static void remove_strays(const ssi_run_parts *p) {
  DIR *folder = opendir(p->folder);
  for (struct dirent *at; folder && (at = readdir(folder));) {
    size_t n = strlen(at->d_name);
    bool stray = strncmp(at->d_name, ".stickslip-", 11) == 0 && n > 16 &&
                 strcmp(at->d_name + n - 5, ".part") == 0;
    if (stray) unlinkat(dirfd(folder), at->d_name, 0);
  }
  if (folder) closedir(folder);
}

void ssi_run_parts_remove(ssi_run_parts *p) {
  while (p->count > 0) unlink(ssi_run_parts_name(p, --p->count));
  snprintf(p->file, p->room, "%s/joining.h5", p->folder);
  unlink(p->file);
  unlink(marker(p));
  remove_strays(p);
  rmdir(p->folder);
  p->exists = p->joined = false;
}
