// io/run_join.h - parts of a run into one file. Private; needs HDF5.
#pragma once

#include "io/run_parts.h"
#include "io/run_table.h"

// Writes PATH aside, syncs, renames; the parts are left alone. `end`: why the run ended.
ss_error ssi_run_join(ss_context *ctx, const char *path, ssi_run_parts *parts,
                      const ssi_run_table tables[SSI_RUN_TABLE_COUNT], const char *end);
