// mpi/share_same.h - names that must mean the same thing on every node: ranks that read other numbers, or write to
// other disks, would each do their part of nothing. Collective.
#pragma once

#include "mpi/ranks.h"

// SS_ERR_READ where a rank has another file under that name, or none.
ss_error share_same_file(const ranks *c, const char *path);

// Whether every rank can write where `path` would be, and sees there what others write. SS_ERR_WRITE.
ss_error share_same_folder(ranks *c, const char *path);
