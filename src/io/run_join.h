// io/run_join.h - tables of a run file that libhdf5 writes itself, some megabytes at a time. Private; needs HDF5.
#pragma once

#include "io/run_table.h"

enum { SSI_RUN_BLOCK = 4 << 20 };  // bytes read or written at a time

// An empty dataset for `rows` rows; close it with ssi_run_file_leave.
ss_error ssi_run_file_create(ss_context *ctx, hid_t file, const ssi_run_table *t, int64_t rows,
                             hid_t *set);
ss_error ssi_run_file_write(ss_context *ctx, hid_t set, const ssi_run_table *t, int64_t from,
                            int64_t count, const void *rows);
ss_error ssi_run_file_leave(ss_context *ctx, hid_t set, const char *name, ss_error e);  // e first

ss_error ssi_run_file_rows(ss_context *ctx, hid_t file, const ssi_run_table *t, int64_t from,
                           int64_t count, void *out);
