#define _POSIX_C_SOURCE 200809L
#include "mpi/share_same.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- a file that is read -------------------------------------------------------------------

enum { FILE_SIZE, FILE_NODE, FILE_TIME, FILE_MARKS };

// false: not the same on all ranks. low, high: the least and the largest.
static bool agree_on(const ranks *c, const int64_t *mine, int count, int64_t *low, int64_t *high) {
  MPI_Allreduce(mine, low, count, MPI_INT64_T, MPI_MIN, c->comm);
  MPI_Allreduce(mine, high, count, MPI_INT64_T, MPI_MAX, c->comm);
  return memcmp(low, high, sizeof *low * (size_t)count) == 0;
}

// Eight bytes at a time. Their high bits come down, or two signs that change would cancel.
static uint64_t hash_word(uint64_t h, uint64_t word) {
  h = (h ^ word) * 0x100000001b3u;
  return h ^ (h >> 32);
}

// Of its bytes; -1: it cannot be read.
static int64_t hash_of(const ranks *c, const char *path) {
  enum { WORDS = 1 << 17 };
  uint64_t *part = RANKS_TAKE(c, WORDS, uint64_t), h = 0xcbf29ce484222325u;
  FILE *from = fopen(path, "rb");
  for (size_t n; from && (n = fread(part, 1, WORDS * sizeof *part, from)) > 0;) {
    if (n % sizeof *part) memset((char *)part + n, 0, sizeof *part - n % sizeof *part);
    for (size_t k = 0; k * sizeof *part < n; k++) h = hash_word(h, part[k]);
  }
  bool good = from && !ferror(from);
  if (from) fclose(from);
  free(part);
  return good ? (int64_t)(h >> 1) : -1;
}

// One file on a file system that all share is known by its number and its time, without reading it; copies are read.
ss_error share_same_file(const ranks *c, const char *path) {
  struct stat now;
  int64_t mine[FILE_MARKS] = {-1, -1, -1}, low[FILE_MARKS], high[FILE_MARKS];
  if (stat(path, &now) == 0) {
    mine[FILE_SIZE] = (int64_t)now.st_size;
    mine[FILE_NODE] = (int64_t)now.st_ino;
    mine[FILE_TIME] = (int64_t)now.st_mtim.tv_sec * 1000000000 + now.st_mtim.tv_nsec;
  }
  bool one = agree_on(c, mine, FILE_MARKS, low, high);
  if (high[FILE_SIZE] < 0) return ssi_fail(c->ctx, SS_ERR_READ, "%s: cannot be read", path);
  if (low[FILE_SIZE] != high[FILE_SIZE])
    return ssi_fail(c->ctx, SS_ERR_READ,
                    "%s: not the same file on all ranks: the smallest has %lld bytes, the largest "
                    "%lld (-1: none)",
                    path, (long long)low[FILE_SIZE], (long long)high[FILE_SIZE]);
  if (one) return SS_OK;
  int64_t content = hash_of(c, path), least, most;
  if (agree_on(c, &content, 1, &least, &most)) return SS_OK;
  if (least < 0) return ssi_fail(c->ctx, SS_ERR_READ, "%s: cannot be read on some rank", path);
  return ssi_fail(c->ctx, SS_ERR_READ,
                  "%s: not the same file on all ranks: as long everywhere, but with other contents",
                  path);
}

// ---- a folder that is written to -----------------------------------------------------------

enum { FOLDER_MOST = 4000, NAME_MOST = 32 };

static ss_error not_written(const ranks *c, const char *path) {
  return ssi_fail(c->ctx, SS_ERR_WRITE, "%s: cannot be written on rank %d: %s", path, c->rank,
                  strerror(errno));
}

// A name that nobody has used, in the folder of rank 0.
static ss_error leave_sign(ranks *c, const char *path, char *sign) {
  int fd = mkstemp(sign);
  if (fd < 0) return not_written(c, path);
  close(fd);
  c->aside = sign;
  return SS_OK;
}

ss_error share_same_folder(ranks *c, const char *path) {
  char folder[FOLDER_MOST + 1], sign[FOLDER_MOST + NAME_MOST + 2], *slash;
  snprintf(folder, sizeof folder, "%s", path);
  slash = strrchr(folder, '/');
  if (slash) slash[slash == folder] = '\0';
  if (!slash) strcpy(folder, ".");
  SS_TRY(ranks_agree(c, access(folder, W_OK | X_OK) ? not_written(c, path) : SS_OK));
  snprintf(sign, sizeof sign, "%s/.stickslip-XXXXXX", folder);
  SS_TRY(ranks_agree(c, c->rank ? SS_OK : leave_sign(c, path, sign)));
  char name[NAME_MOST] = "";
  snprintf(name, sizeof name, "%s", strrchr(sign, '/') + 1);
  MPI_Bcast(name, sizeof name, MPI_CHAR, 0, c->comm);
  if (c->rank) snprintf(sign, sizeof sign, "%s/%s", folder, name);
  ss_error e = SS_OK;
  if (access(sign, F_OK))
    e = ssi_fail(c->ctx, SS_ERR_WRITE,
                 "%s: not the same folder on all ranks: rank %d does not see what rank 0 writes; "
                 "expected a file system that all share",
                 path, c->rank);
  e = ranks_agree(c, e);
  if (c->rank == 0) unlink(sign);
  c->aside = NULL;
  return e;
}
