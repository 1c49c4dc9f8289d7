// io/run_derived.h - what a finished run file has for its readers beside the tables of its parts: names, masses, materials; kinetic
// energies and forces, which follow from the tables. Nothing of it is read by this library. Private; needs HDF5.
#pragma once

#include "io/hdf5_image.h"
#include "io/run_table.h"

// The groups /body, /external, /joint, /material.
void ssi_run_put_names(ssi_image *w, const ss_scene *scene, const ss_simulation *sim);

// /frames/kinetic and /contacts/force, from the tables that are in `file`, some megabytes at a time.
ss_error ssi_run_put_derived(ss_context *ctx, hid_t file, const ss_simulation *sim,
                             const ssi_run_table tables[SSI_RUN_TABLE_COUNT],
                             const int64_t rows[SSI_RUN_TABLE_COUNT]);
