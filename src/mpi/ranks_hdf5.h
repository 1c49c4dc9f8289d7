// mpi/ranks_hdf5.h - files of HDF5 that all ranks write together.
#pragma once

#include <hdf5.h>

#include "mpi/ranks.h"

// Where no rank has failed: closes it; false where one has, or there is no room for so many bytes of data. Then libhdf5 still holds the file, and
// MPI_Finalize would let it try again: the program leaves without it (main_mpi.c). Collective.
bool ranks_close_file(const ranks *c, hid_t file, const char *path, uint64_t data, bool failed);

// For H5Dcreate: without writing zeros first, which every rank would wait for; all of it is written anyway.
hid_t ranks_data_plan(void);
