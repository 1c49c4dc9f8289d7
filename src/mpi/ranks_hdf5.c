// A file that all ranks write, closed by all or by none. libhdf5 fails in one rank where that one finds no room, while the
// others wait for it inside: so room for the whole of the file is taken first, by rank 0.
#define _GNU_SOURCE  // fallocate
#include "mpi/ranks_hdf5.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
  TABLES = 1 << 17
};  // bytes of libhdf5's own for some fifty datasets, most of which it writes at the end

static bool take_room(const char *path, uint64_t data) {
  struct stat st;
  int fd = open(path, O_WRONLY | O_CLOEXEC);
  bool ok = fd >= 0 && fstat(fd, &st) == 0;
  off_t wanted = ok ? st.st_size + (off_t)data + TABLES : 0;
  if (ok && fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, wanted) != 0) ok = errno == EOPNOTSUPP;
  if (fd >= 0) close(fd);
  return ok;
}

bool ranks_close_file(const ranks *c, hid_t file, const char *path, uint64_t data, bool failed) {
  int bad = failed || file < 0;
  MPI_Allreduce(MPI_IN_PLACE, &bad, 1, MPI_INT, MPI_MAX, c->comm);
  if (!bad && c->rank == 0) bad = !take_room(path, data);
  MPI_Bcast(&bad, 1, MPI_INT, 0, c->comm);
  return !bad && H5Fclose(file) >= 0;
}

hid_t ranks_data_plan(void) {
  hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  if (creation >= 0) H5Pset_fill_time(creation, H5D_FILL_TIME_NEVER);
  return creation;
}
