// support/fclib_fixture.h - what the tests of FCLIB files share: reading into a fixture that keeps the notes, files
// with known matrices, and libhdf5 to change single datasets of them.
#pragma once

#include "harness.h"

#include <hdf5.h>

#include "fclib_sample.h"

// A file of each test program's own, gone after each test; the program defines SCRATCH before this header.
static const char scratch[] = SCRATCH;

typedef struct notes {
  char text[2048];
} notes;

static inline void collect(void *user, ss_level level, const char *text) {
  notes *n = user;
  size_t used = strlen(n->text);
  if (level <= SS_LOG_WARN) snprintf(n->text + used, sizeof n->text - used, "%s\n", text);
}

typedef struct fixture {
  notes notes;
  ss_context ctx;
  ssi_arena arena;
  ss_file file;
} fixture;

static inline int setup(void **state) {
  fixture *f = calloc(1, sizeof *f);
  f->ctx.log = collect;
  f->ctx.user = &f->notes;
  f->arena.ctx = &f->ctx;
  *state = f;
  return 0;
}

static inline int teardown(void **state) {
  fixture *f = *state;
  ssi_arena_release(&f->arena);
  free(f);
  remove(scratch);
  return 0;
}

static inline ss_error read_path(fixture *f, const char *path) {
  ssi_source in = sample_load(path, "name");
  assert_non_null(in.bytes);
  ss_error e = ssi_read_fclib(&f->ctx, &in, &f->arena, &f->file);
  free((void *)(uintptr_t)in.bytes);
  return e;
}

static inline void must(fixture *f, ss_error e) {
  if (e) fail_msg("%s", ss_error_detail(&f->ctx, e));
}

#define LOCAL3  (&(sample_shape){SS_REDUCED, 3, 3, 0, 0, 0, true, true})
#define GLOBAL3 (&(sample_shape){SS_GLOBAL, 3, 2, 7, 0, 0, true, true})

// ---- editing files with libhdf5 ----------------------------------------------------------------

static inline void make_dataset(hid_t file, const char *name, hid_t type, hid_t native,
                                hsize_t count, const void *data) {
  if (H5Lexists(file, name, H5P_DEFAULT) > 0) H5Ldelete(file, name, H5P_DEFAULT);
  hid_t space = H5Screate_simple(1, &count, NULL);
  hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  if (data) H5Dwrite(set, native, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
  H5Dclose(set);
  H5Sclose(space);
}

static inline void set_ints(hid_t file, const char *name, hsize_t count, const int *x) {
  make_dataset(file, name, H5T_STD_I32LE, H5T_NATIVE_INT, count, x);
}

static inline void set_int(hid_t file, const char *name, int x) {
  set_ints(file, name, 1, &x);
}

static inline void set_doubles(hid_t file, const char *name, hsize_t count, const double *x) {
  make_dataset(file, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, count, x);
}

#define INTS(file, name, ...)                                                                      \
  set_ints(file, name, sizeof((int[]){__VA_ARGS__}) / sizeof(int), (int[]){__VA_ARGS__})
#define DOUBLES(file, name, ...)                                                                   \
  set_doubles(file, name, sizeof((double[]){__VA_ARGS__}) / sizeof(double), (double[]){__VA_ARGS__})

// W = [1 0; 2 3] in 2D, H (theirs, 3 x 2) = [4 0; 0 5; 6 7].
static inline void base_files(fixture *f, bool global) {
  static const int64_t w_ptr[] = {0, 1, 3}, m_ptr[] = {0, 1, 2, 3}, h_ptr[] = {0, 2, 4};
  static const int w_col[] = {0, 0, 1}, m_col[] = {0, 1, 2}, h_col[] = {0, 2, 1, 2};
  static const double w_x[] = {1, 2, 3}, m_x[] = {1, 1, 1}, h_x[] = {4, 6, 5, 7}, v[] = {1, 2, 3};
  ss_file made = {.problem = {.form = global ? SS_GLOBAL : SS_REDUCED,
                              .dim = 2,
                              .nc = 1,
                              .ndof = global ? 3 : 0,
                              .mu = v,
                              .W = {2, 2, w_ptr, w_col, w_x},
                              .q = v,
                              .M = {3, 3, m_ptr, m_col, m_x},
                              .H = {2, 3, h_ptr, h_col, h_x},
                              .f = v,
                              .w = v}};
  must(f, ssi_write_fclib_as(&f->ctx, scratch, &made, NULL, SSI_CSR, SSI_CSC));
}

// A hand-made file has our sign of f: theirs is minus that, so f = (1, 2, 3) reads as (-1, -2, -3).
static inline void theirs_f(hid_t file) {
  DOUBLES(file, "/fclib_global/vectors/f", 1, 2, 3);
}

static inline void w_triplets_messy(hid_t file) {
  INTS(file, "/fclib_local/W/p", 1, 0, 1, 0);
  INTS(file, "/fclib_local/W/i", 1, 0, 1, 1);
  DOUBLES(file, "/fclib_local/W/x", 1, 1, 2, 2);
  set_int(file, "/fclib_local/W/nz", 4);
  set_int(file, "/fclib_local/W/nzmax", 4);
}

static inline void h_triplets(hid_t file) {
  theirs_f(file);
  INTS(file, "/fclib_global/H/i", 0, 1, 2, 2);  // rows
  INTS(file, "/fclib_global/H/p", 0, 1, 0, 1);  // columns
  DOUBLES(file, "/fclib_global/H/x", 4, 5, 6, 7);
  set_int(file, "/fclib_global/H/nz", 4);
}
