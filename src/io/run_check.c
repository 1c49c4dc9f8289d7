// A run file, or each part of one, read in a child process. It is mapped, not read: it may be larger than the memory.
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "io/hdf5_node.h"
#include "io/run_parts.h"
#include "stickslip/run.h"

static ss_error check_file(ss_context *ctx, const char *name) {
  struct stat st;
  int fd = open(name, O_RDONLY | O_CLOEXEC);
  bool some = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0;
  void *bytes = some ? mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
  int reason = errno;
  if (fd >= 0) close(fd);
  if (fd < 0 && reason == ENOENT) return SS_OK;  // ss_run_open says so
  if (fd >= 0 && !some) return ssi_fail(ctx, SS_ERR_FORMAT, "%s: is no run file", name);
  if (bytes == MAP_FAILED)
    return ssi_fail(ctx, SS_ERR_READ, "%s: cannot be read: %s", name, strerror(reason));
  ss_error e = ssi_h5_try(ctx, &(ssi_source){name, bytes, (size_t)st.st_size});
  munmap(bytes, (size_t)st.st_size);
  return e;
}

ss_error ss_run_check(ss_context *ctx, const char *path) {
  if (!path) return ssi_missing(ctx, "ss_run_check");
  ssi_run_parts parts;
  ss_error e = ssi_run_parts_find(ctx, path, &parts);
  bool whole = !e && (parts.joined || parts.count == 0);
  if (whole) e = check_file(ctx, path);
  for (int k = 0; !e && !whole && k < parts.count; k++)
    e = check_file(ctx, ssi_run_parts_name(&parts, k));
  ssi_run_parts_release(ctx, &parts);
  return e;
}
