// FCLIB files: round trips to the last bit, the three storages, the shared collection, and what is
// said about files that are broken in one place.
#define _DEFAULT_SOURCE
#include "harness.h"

#include <dirent.h>
#include <hdf5.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "budget.h"
#include "fclib_sample.h"

static const char scratch[] = "test_fclib_scratch.hdf5";

typedef struct notes {
  char text[2048];
} notes;

static void collect(void *user, ss_level level, const char *text) {
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

static int setup(void **state) {
  fixture *f = calloc(1, sizeof *f);
  f->ctx.log = collect;
  f->ctx.user = &f->notes;
  f->arena.ctx = &f->ctx;
  *state = f;
  return 0;
}

static int teardown(void **state) {
  fixture *f = *state;
  ssi_arena_release(&f->arena);
  free(f);
  remove(scratch);
  return 0;
}

static ss_error read_path(fixture *f, const char *path) {
  ssi_source in = sample_load(path, "name");
  assert_non_null(in.bytes);
  ss_error e = ssi_read_fclib(&f->ctx, &in, &f->arena, &f->file);
  free((void *)(uintptr_t)in.bytes);
  return e;
}

static void must(fixture *f, ss_error e) {
  if (e) fail_msg("%s", ss_error_detail(&f->ctx, e));
}

static const sample_shape local3 = {SS_REDUCED, 3, 3, 0, 0, 0, true, true};
static const sample_shape global3 = {SS_GLOBAL, 3, 2, 7, 0, 0, true, true};

// ---- round trips -----------------------------------------------------------------------------

static void test_round_trip(void **state) {
  fixture *f = *state;
  static const ssi_storage storages[] = {SSI_TRIPLET, SSI_CSC, SSI_CSR};
  int count = 0;
  for (int form = 0; form < 2; form++)
    for (int dim = 2; dim <= 3; dim++)
      for (int nl = 0; nl <= 4; nl += 2)
        for (int nc = 0; nc <= 6; nc += 3)
          for (int k = 0; k < 9; k++) {
            sample_shape s = {(ss_form)form, dim, nc, form ? 8 : 0, nl, k % 3, k % 2 == 0, k > 3};
            ss_file made = sample_file(&f->arena, (uint64_t)++count, &s);
            must(f, ssi_write_fclib_as(&f->ctx, scratch, &made, NULL, storages[k % 3],
                                       storages[k / 3]));
            must(f, read_path(f, scratch));
            assert_true(same_file(&made, &f->file));
          }
  assert_string_equal(f->notes.text, "");
}

// What Siconos can load: nz is the number of entries, i and p are as long (docs/formats-fclib.md).
static void require_triplets(const char *matrix, const ss_sparse *A) {
  static const char *const arrays[] = {"i", "p", "x"};
  char name[80];
  int nz = -9;
  hid_t file = H5Fopen(scratch, H5F_ACC_RDONLY, H5P_DEFAULT);
  snprintf(name, sizeof name, "%s/nz", matrix);
  hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
  assert_true(H5Dread(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &nz) >= 0);
  H5Dclose(set);
  assert_int_equal(nz, A->ptr[A->rows]);
  for (int k = 0; k < 3; k++) {
    snprintf(name, sizeof name, "%s/%s", matrix, arrays[k]);
    set = H5Dopen2(file, name, H5P_DEFAULT);
    hid_t space = H5Dget_space(set);
    assert_int_equal(H5Sget_simple_extent_npoints(space), nz);
    H5Sclose(space);
    H5Dclose(set);
  }
  H5Fclose(file);
}

static void test_default_storage_is_triplets(void **state) {
  fixture *f = *state;
  ss_file made = sample_file(&f->arena, 1, &(sample_shape){SS_REDUCED, 3, 3, 0, 2, 0, 0, 0});
  must(f, ssi_write_fclib(&f->ctx, scratch, &made, NULL));
  require_triplets("/fclib_local/W", &made.problem.W);
  require_triplets("/fclib_local/V", &made.problem.V);
  require_triplets("/fclib_local/R", &made.problem.R);
  made = sample_file(&f->arena, 1, &(sample_shape){SS_GLOBAL, 3, 2, 7, 2, 0, 0, 0});
  must(f, ssi_write_fclib(&f->ctx, scratch, &made, NULL));
  require_triplets("/fclib_global/M", &made.problem.M);
  require_triplets("/fclib_global/H", &made.problem.H);
  require_triplets("/fclib_global/G", &made.problem.G);
}

static void test_default_storage_and_bytes(void **state) {
  fixture *f = *state;
  ss_file made = sample_file(&f->arena, 1, &global3);
  must(f, ssi_write_fclib(&f->ctx, scratch, &made, NULL));
  ssi_source first = sample_load(scratch, "name");
  must(f, read_path(f, scratch));
  assert_true(same_file(&made, &f->file));
  sleep(1);  // a time stamp would differ now
  must(f, ssi_write_fclib(&f->ctx, scratch, &made, NULL));
  ssi_source second = sample_load(scratch, "name");
  assert_int_equal(first.size, second.size);
  assert_memory_equal(first.bytes, second.bytes, first.size);
  free((void *)(uintptr_t)first.bytes);
  free((void *)(uintptr_t)second.bytes);
}

static void test_solution_overrides(void **state) {
  fixture *f = *state;
  ssi_rng g = {5};
  ss_file made = sample_file(&f->arena, 1, &global3);
  ss_solution other = sample_solution(&f->arena, &g, &made.problem), back;
  must(f, ssi_write_fclib(&f->ctx, scratch, &made, &other));
  ssi_source in = sample_load(scratch, "name");
  must(f, ssi_read_fclib_solution(&f->ctx, &in, &made, &f->arena, &back));
  assert_true(same_solution(&other, &back, &made.problem));
  ss_file larger = sample_file(&f->arena, 1, &(sample_shape){SS_GLOBAL, 3, 4, 7, 0, 0, 0, 0});
  assert_int_equal(ssi_read_fclib_solution(&f->ctx, &in, &larger, &f->arena, &back), SS_ERR_FORMAT);
  assert_string_equal(f->ctx.message, "name: /solution/r: 6 elements, expected 12");
  free((void *)(uintptr_t)in.bytes);
  made.solution = (ss_solution){0};
  must(f, ssi_write_fclib(&f->ctx, scratch, &made, NULL));
  in = sample_load(scratch, "name");
  assert_int_equal(ssi_read_fclib_solution(&f->ctx, &in, &made, &f->arena, &back), SS_ERR_FORMAT);
  assert_string_equal(f->ctx.message, "name: /solution: not found, expected a group");
  free((void *)(uintptr_t)in.bytes);
}

static void test_large_sizes_refused(void **state) {
  fixture *f = *state;
  ss_file made = sample_file(&f->arena, 1, &(sample_shape){SS_REDUCED, 2, 1, 0, 0, 0, 0, 0});
  int64_t ptr[3] = {0, 1, (int64_t)3000000000};
  made.problem.W.ptr = ptr;
  assert_int_equal(ssi_write_fclib(&f->ctx, scratch, &made, NULL), SS_ERR_WRITE);
  assert_string_equal(f->ctx.message,
                      "test_fclib_scratch.hdf5: W has 3000000000 entries, but FCLIB "
                      "counts in 32 bits: at most 2147483647");
  made.problem.W.rows = 1;
  assert_int_equal(ssi_write_fclib(&f->ctx, scratch, &made, NULL), SS_ERR_ARGUMENT);
}

static void test_disk_full(void **state) {
  fixture *f = *state;
  ss_file made = sample_file(&f->arena, 1, &(sample_shape){SS_REDUCED, 3, 20, 0, 0, 0, 0, 0});
  assert_int_equal(ssi_write_fclib(&f->ctx, "no/such/folder.hdf5", &made, NULL), SS_ERR_WRITE);
  assert_non_null(strstr(f->ctx.message, "No such file"));
  if (access("/dev/full", W_OK) == 0) {  // not removed: it is no file of ours
    struct rlimit old, small = {4096, 4096};
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small.rlim_max = old.rlim_max;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    ss_error e = ssi_write_fclib(&f->ctx, scratch, &made, NULL);
    setrlimit(RLIMIT_FSIZE, &old);
    signal(SIGXFSZ, SIG_DFL);
    assert_int_equal(e, SS_ERR_WRITE);
    assert_non_null(strstr(f->ctx.message, "File too large"));
    assert_int_not_equal(access(scratch, F_OK), 0);  // nothing half-written left
  }
  must(f, ssi_write_fclib(&f->ctx, scratch, &made, NULL));  // and libhdf5 is still in order
}

// Every allocation fails once: an error, no leak (ASan), no crash.
static budget memory;

static void test_no_memory(void **state) {
  fixture *f = *state;
  sample_shape s = {SS_GLOBAL, 2, 2, 5, 2, 2, true, true};
  ss_file made = sample_file(&f->arena, 3, &s);
  for (int as = 0; as >= -2; as--) {
    must(f, ssi_write_fclib_as(&f->ctx, scratch, &made, NULL, (ssi_storage)as, (ssi_storage)as));
    ssi_source in = sample_load(scratch, "name");
    ss_error e = SS_ERR_MEMORY;
    int tries = 0;
    for (; e == SS_ERR_MEMORY && tries < 1000; tries++) {
      ss_context poor = on_budget(&memory);
      ssi_arena arena = {.ctx = &poor};
      memory.left = tries;
      e = ssi_read_fclib(&poor, &in, &arena, &f->file);
      ssi_arena_release(&arena);
    }
    assert_int_equal(e, SS_OK);
    assert_true(tries > 20);
    e = SS_ERR_MEMORY;
    for (tries = 0; e == SS_ERR_MEMORY && tries < 1000; tries++) {
      ss_context poor = on_budget(&memory);
      memory.left = tries;
      e = ssi_write_fclib_as(&poor, scratch, &made, NULL, (ssi_storage)as, (ssi_storage)as);
    }
    assert_int_equal(e, SS_OK);
    free((void *)(uintptr_t)in.bytes);
  }
}

// ---- editing files with libhdf5 ----------------------------------------------------------------

static void make_dataset(hid_t file, const char *name, hid_t type, hid_t native, hsize_t count,
                         const void *data) {
  if (H5Lexists(file, name, H5P_DEFAULT) > 0) H5Ldelete(file, name, H5P_DEFAULT);
  hid_t space = H5Screate_simple(1, &count, NULL);
  hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  if (data) H5Dwrite(set, native, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
  H5Dclose(set);
  H5Sclose(space);
}

static void set_ints(hid_t file, const char *name, hsize_t count, const int *x) {
  make_dataset(file, name, H5T_STD_I32LE, H5T_NATIVE_INT, count, x);
}

static void set_int(hid_t file, const char *name, int x) {
  set_ints(file, name, 1, &x);
}

static void set_doubles(hid_t file, const char *name, hsize_t count, const double *x) {
  make_dataset(file, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, count, x);
}

#define INTS(file, name, ...)                                                                      \
  set_ints(file, name, sizeof((int[]){__VA_ARGS__}) / sizeof(int), (int[]){__VA_ARGS__})
#define DOUBLES(file, name, ...)                                                                   \
  set_doubles(file, name, sizeof((double[]){__VA_ARGS__}) / sizeof(double), (double[]){__VA_ARGS__})

// ---- storages by hand --------------------------------------------------------------------------

// W = [1 0; 2 3] in 2D, H (theirs, 3 x 2) = [4 0; 0 5; 6 7].
static void base_files(fixture *f, bool global) {
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

static void check_base(fixture *f, bool global) {
  const ss_problem *p = &f->file.problem;
  const ss_sparse *A = global ? &p->H : &p->W;
  double dense[2][3] = {{0}}, W[2][3] = {{1, 0, 0}, {2, 3, 0}}, H[2][3] = {{4, 0, 6}, {0, 5, 7}};
  assert_int_equal(A->rows, 2);
  assert_int_equal(A->cols, global ? 3 : 2);
  for (int i = 0; i < 2; i++)
    for (int64_t k = A->ptr[i]; k < A->ptr[i + 1]; k++) {
      if (k > A->ptr[i]) assert_true(A->col[k] > A->col[k - 1]);
      dense[i][A->col[k]] += A->x[k];
    }
  assert_memory_equal(dense, global ? H : W, sizeof dense);
  if (global) assert_true(p->f[0] == -1 && p->f[1] == -2 && p->f[2] == -3);
}

static void edit_and_read(fixture *f, bool global, void (*edit)(hid_t file), const char *note) {
  base_files(f, global);
  hid_t file = H5Fopen(scratch, H5F_ACC_RDWR, H5P_DEFAULT);
  edit(file);
  H5Fclose(file);
  f->notes.text[0] = 0;
  must(f, read_path(f, scratch));
  check_base(f, global);
  if (!strstr(f->notes.text, note) || (!*note && *f->notes.text))
    fail_msg("notes are \"%s\", expected \"%s\"", f->notes.text, note);
}

// A hand-made file has our sign of f: theirs is minus that, so f = (1, 2, 3) reads as (-1, -2, -3).
static void theirs_f(hid_t file) {
  DOUBLES(file, "/fclib_global/vectors/f", 1, 2, 3);
}

static void w_csr(hid_t file) {
  INTS(file, "/fclib_local/W/p", 0, 1, 3);
  INTS(file, "/fclib_local/W/i", 0, 0, 1);
  DOUBLES(file, "/fclib_local/W/x", 1, 2, 3);
  set_int(file, "/fclib_local/W/nz", -2);
}

static void w_csr_unsorted(hid_t file) {
  w_csr(file);
  INTS(file, "/fclib_local/W/i", 0, 1, 0);
  DOUBLES(file, "/fclib_local/W/x", 1, 3, 2);
}

static void w_csr_duplicates(hid_t file) {
  w_csr(file);
  INTS(file, "/fclib_local/W/p", 0, 2, 4);
  INTS(file, "/fclib_local/W/i", 0, 0, 0, 1);
  DOUBLES(file, "/fclib_local/W/x", 0.25, 0.75, 2, 3);
  set_int(file, "/fclib_local/W/nzmax", 4);
}

static void w_csr_spare(hid_t file) {  // nzmax = 5, two places not used
  w_csr(file);
  INTS(file, "/fclib_local/W/i", 0, 0, 1, -7, 99);
  DOUBLES(file, "/fclib_local/W/x", 1, 2, 3, NAN, INFINITY);
  set_int(file, "/fclib_local/W/nzmax", 5);
}

static void w_csc(hid_t file) {
  INTS(file, "/fclib_local/W/p", 0, 2, 3);
  INTS(file, "/fclib_local/W/i", 0, 1, 1);
  DOUBLES(file, "/fclib_local/W/x", 1, 2, 3);
  set_int(file, "/fclib_local/W/nz", -1);
}

static void w_csc_unsorted(hid_t file) {
  w_csc(file);
  INTS(file, "/fclib_local/W/i", 1, 0, 1);
  DOUBLES(file, "/fclib_local/W/x", 2, 1, 3);
}

static void w_triplets(hid_t file) {
  INTS(file, "/fclib_local/W/p", 0, 0, 1);
  INTS(file, "/fclib_local/W/i", 0, 1, 1);
  DOUBLES(file, "/fclib_local/W/x", 1, 2, 3);
  set_int(file, "/fclib_local/W/nz", 3);
  set_int(file, "/fclib_local/W/nzmax", 12);
}

static void w_triplets_messy(hid_t file) {
  INTS(file, "/fclib_local/W/p", 1, 0, 1, 0);
  INTS(file, "/fclib_local/W/i", 1, 0, 1, 1);
  DOUBLES(file, "/fclib_local/W/x", 1, 1, 2, 2);
  set_int(file, "/fclib_local/W/nz", 4);
  set_int(file, "/fclib_local/W/nzmax", 4);
}

static void w_wide(hid_t file) {  // 64-bit integers, deflated doubles
  int64_t i[] = {0, 0, 1};
  double x[] = {1, 2, 3};
  make_dataset(file, "/fclib_local/W/i", H5T_STD_I64LE, H5T_NATIVE_INT64, 3, i);
  H5Ldelete(file, "/fclib_local/W/x", H5P_DEFAULT);
  hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  hsize_t three = 3, two = 2;
  hid_t space = H5Screate_simple(1, &three, NULL);
  H5Pset_chunk(creation, 1, &two);
  H5Pset_shuffle(creation);
  H5Pset_deflate(creation, 6);
  H5Pset_fletcher32(creation);
  hid_t set = H5Dcreate2(file, "/fclib_local/W/x", H5T_IEEE_F64LE, space, H5P_DEFAULT, creation,
                         H5P_DEFAULT);
  H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x);
  H5Dclose(set);
  H5Sclose(space);
  H5Pclose(creation);
}

static void h_csc(hid_t file) {
  theirs_f(file);
  INTS(file, "/fclib_global/H/p", 0, 2, 4);
  INTS(file, "/fclib_global/H/i", 0, 2, 1, 2);
  DOUBLES(file, "/fclib_global/H/x", 4, 6, 5, 7);
  set_int(file, "/fclib_global/H/nz", -1);
}

static void h_csr(hid_t file) {
  theirs_f(file);
  INTS(file, "/fclib_global/H/p", 0, 1, 2, 4);
  INTS(file, "/fclib_global/H/i", 0, 1, 0, 1);
  DOUBLES(file, "/fclib_global/H/x", 4, 5, 6, 7);
  set_int(file, "/fclib_global/H/nz", -2);
}

static void h_triplets(hid_t file) {
  theirs_f(file);
  INTS(file, "/fclib_global/H/i", 0, 1, 2, 2);  // rows
  INTS(file, "/fclib_global/H/p", 0, 1, 0, 1);  // columns
  DOUBLES(file, "/fclib_global/H/x", 4, 5, 6, 7);
  set_int(file, "/fclib_global/H/nz", 4);
}

static void test_storages(void **state) {
  fixture *f = *state;
  edit_and_read(f, false, w_csr, "");
  edit_and_read(f, false, w_csr_unsorted, "name: /fclib_local/W: entries were not in order");
  edit_and_read(f, false, w_csr_duplicates, "name: /fclib_local/W: 1 duplicate entries summed");
  edit_and_read(f, false, w_csr_spare, "");
  edit_and_read(f, false, w_csc, "");
  edit_and_read(f, false, w_csc_unsorted, "name: /fclib_local/W: entries were not in order");
  edit_and_read(f, false, w_triplets, "");
  edit_and_read(f, false, w_triplets_messy, "name: /fclib_local/W: 1 duplicate entries summed");
  edit_and_read(f, false, w_triplets_messy, "name: /fclib_local/W: entries were not in order");
  edit_and_read(f, false, w_wide, "");
  edit_and_read(f, true, h_csc, "");
  edit_and_read(f, true, h_csr, "");
  edit_and_read(f, true, h_triplets, "");
}

// ---- broken files ------------------------------------------------------------------------------

#define W "/fclib_local/W"

static void remove_it(hid_t file, const char *name) {
  H5Ldelete(file, name, H5P_DEFAULT);
}

static void no_q(hid_t file) {
  remove_it(file, "/fclib_local/vectors/q");
}
static void no_vectors(hid_t file) {
  remove_it(file, "/fclib_local/vectors");
}
static void no_w(hid_t file) {
  remove_it(file, W);
}
static void no_p(hid_t file) {
  remove_it(file, W "/p");
}
static void no_problem(hid_t file) {
  remove_it(file, "/fclib_local");
}
static void renamed(hid_t file) {
  H5Lmove(file, "/fclib_local", file, "/fclib_global_rolling", H5P_DEFAULT, H5P_DEFAULT);
}
static void other_names(hid_t file) {
  H5Lmove(file, "/fclib_local", file, "/geometry", H5P_DEFAULT, H5P_DEFAULT);
  H5Lcreate_soft("/geometry", file, "/alias\n", H5P_DEFAULT, H5P_DEFAULT);
}
static void two_problems(hid_t file) {
  H5Lcreate_hard(file, "/fclib_local", file, "/fclib_global", H5P_DEFAULT, H5P_DEFAULT);
}
static void dim_4(hid_t file) {
  set_int(file, "/fclib_local/spacedim", 4);
}
static void dim_3(hid_t file) {
  set_int(file, "/fclib_local/spacedim", 3);
}
static void m_7(hid_t file) {
  set_int(file, W "/m", 7);
}
static void n_negative(hid_t file) {
  set_int(file, W "/n", -2);
}
static void nz_negative(hid_t file) {
  set_int(file, W "/nz", -3);
}
static void nz_huge(hid_t file) {
  set_int(file, W "/nz", 2147483647);
}
static void nzmax_negative(hid_t file) {
  set_int(file, W "/nzmax", -1);
}
static void nzmax_small(hid_t file) {
  set_int(file, W "/nzmax", 2);
}
static void short_i(hid_t file) {
  INTS(file, W "/i", 0, 0);
}
static void short_x(hid_t file) {
  DOUBLES(file, W "/x", 0, 0);
}
static void short_p(hid_t file) {
  INTS(file, W "/p", 0, 3);
}
static void p_falls(hid_t file) {
  INTS(file, W "/p", 0, 4, 3);
}
static void p_long(hid_t file) {
  INTS(file, W "/p", 0, 1, 5);
}
static void p_based_1(hid_t file) {
  INTS(file, W "/p", 1, 2, 4);
}
static void i_based_1(hid_t file) {
  INTS(file, W "/i", 1, 1, 2);
}
static void i_negative(hid_t file) {
  INTS(file, W "/i", 0, -1, 1);
}
static void x_nan(hid_t file) {
  DOUBLES(file, W "/x", 1, NAN, 3);
}
static void q_inf(hid_t file) {
  DOUBLES(file, "/fclib_local/vectors/q", 1, INFINITY);
}
static void q_long(hid_t file) {
  DOUBLES(file, "/fclib_local/vectors/q", 1, 2, 3);
}
static void q_ints(hid_t file) {
  INTS(file, "/fclib_local/vectors/q", 1, 2);
}
static void i_doubles(hid_t file) {
  DOUBLES(file, W "/i", 0, 0, 1);
}
static void overflow_sum(hid_t file) {
  w_triplets_messy(file);
  DOUBLES(file, W "/x", 1.7e308, 1, 1.7e308, 2);
}
static void q_big_endian(hid_t file) {
  make_dataset(file, "/fclib_local/vectors/q", H5T_IEEE_F64BE, H5T_NATIVE_DOUBLE, 2,
               (double[]){1, 2});
}
static void q_float(hid_t file) {
  make_dataset(file, "/fclib_local/vectors/q", H5T_IEEE_F32LE, H5T_NATIVE_DOUBLE, 2,
               (double[]){1, 2});
}
static void i_unsigned(hid_t file) {
  make_dataset(file, W "/i", H5T_STD_U32LE, H5T_NATIVE_INT, 3, (int[]){0, 0, 1});
}
static void i_too_wide(hid_t file) {
  make_dataset(file, W "/i", H5T_STD_I64LE, H5T_NATIVE_INT64, 3, (int64_t[]){0, 1LL << 40, 1});
}
static void i_compound(hid_t file) {
  hid_t type = H5Tcreate(H5T_COMPOUND, 4);
  H5Tinsert(type, "a", 0, H5T_STD_I32LE);
  make_dataset(file, W "/i", type, type, 3, (int[]){0, 0, 1});
  H5Tclose(type);
}
static void rank_2(hid_t file) {
  remove_it(file, W "/i");
  hid_t space = H5Screate_simple(2, (hsize_t[]){3, 1}, NULL);
  H5Dclose(H5Dcreate2(file, W "/i", H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  H5Sclose(space);
}
static void rank_0(hid_t file) {
  remove_it(file, W "/m");
  hid_t space = H5Screate(H5S_SCALAR);
  H5Dclose(H5Dcreate2(file, W "/m", H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  H5Sclose(space);
}
static void with_space(hid_t file, const char *name, hid_t type, hsize_t count, hid_t creation) {
  remove_it(file, name);
  hid_t space = H5Screate_simple(1, &count, NULL);
  H5Dclose(H5Dcreate2(file, name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT));
  H5Sclose(space);
  if (creation != H5P_DEFAULT) H5Pclose(creation);
}
static void mu_huge(hid_t file) {  // never written: costs nothing in the file
  with_space(file, "/fclib_local/vectors/mu", H5T_IEEE_F64LE, 1000000000, H5P_DEFAULT);
}
static void mu_too_long(hid_t file) {
  with_space(file, "/fclib_local/vectors/mu", H5T_IEEE_F64LE, (hsize_t)1 << 50, H5P_DEFAULT);
}
static void huge_chunks(hid_t file) {
  hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(creation, 1, (hsize_t[]){200000000});
  H5Pset_deflate(creation, 1);
  remove_it(file, W "/x");
  hsize_t three = 3, most = H5S_UNLIMITED;
  hid_t space = H5Screate_simple(1, &three, &most);
  H5Dclose(H5Dcreate2(file, W "/x", H5T_IEEE_F64LE, space, H5P_DEFAULT, creation, H5P_DEFAULT));
  H5Sclose(space);
  H5Pclose(creation);
}
static void odd_filter(hid_t file) {
  hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(creation, 1, (hsize_t[]){3});
  H5Pset_scaleoffset(creation, H5Z_SO_INT, 0);
  with_space(file, W "/i", H5T_STD_I32LE, 3, creation);
}
static void external_data(hid_t file) {
  hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_external(creation, "/etc/passwd", 0, 24);
  with_space(file, W "/x", H5T_IEEE_F64LE, 3, creation);
}
static void virtual_data(hid_t file) {
  hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  hid_t space = H5Screate_simple(1, (hsize_t[]){3}, NULL);
  H5Pset_virtual(creation, space, "other.hdf5", "/x", space);
  H5Sclose(space);
  with_space(file, W "/x", H5T_IEEE_F64LE, 3, creation);
}
static void soft_link(hid_t file) {
  remove_it(file, W "/x");
  H5Lcreate_soft(W "/x", file, W "/x", H5P_DEFAULT, H5P_DEFAULT);  // to itself
}
static void external_link(hid_t file) {
  remove_it(file, W);
  H5Lcreate_external("other.hdf5", "/W", file, W, H5P_DEFAULT, H5P_DEFAULT);
}
static void group_for_dataset(hid_t file) {
  remove_it(file, W "/x");
  H5Gclose(H5Gcreate2(file, W "/x", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
}
static void dataset_for_group(hid_t file) {
  remove_it(file, W);
  set_int(file, W, 1);
}
static void type_for_dataset(hid_t file) {
  remove_it(file, W "/x");
  hid_t type = H5Tcopy(H5T_IEEE_F64LE);
  H5Tcommit2(file, W "/x", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  H5Tclose(type);
}
static void s_alone(hid_t file) {
  DOUBLES(file, "/fclib_local/vectors/s", 1);
}
static void guesses_missing(hid_t file) {
  H5Gclose(H5Gcreate2(file, "/guesses", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  set_int(file, "/guesses/number_of_guesses", 1);
  H5Gclose(H5Gcreate2(file, "/guesses/0", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
}
static void guesses_many(hid_t file) {
  guesses_missing(file);
  set_int(file, "/guesses/number_of_guesses", 2147483647);
}
static void solution_short(hid_t file) {
  H5Gclose(H5Gcreate2(file, "/solution", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  DOUBLES(file, "/solution/r", 1);
}
static void h_exchanged(hid_t file) {
  h_triplets(file);
  INTS(file, "/fclib_global/H/p", 0, 1, 2, 2);
  INTS(file, "/fclib_global/H/i", 0, 1, 0, 1);
}
static void no_b(hid_t file) {
  H5Gclose(H5Gcreate2(file, "/fclib_global/G", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
}

static const struct broken {
  bool global;
  void (*edit)(hid_t file);
  const char *message;
} broken[] = {
    {0, no_problem, "name: no FCLIB problem: found nothing at the top, expected fclib_local or"},
    {0, renamed, "name: /fclib_global_rolling: a problem with rolling friction, expected"},
    {0, other_names, "name: no FCLIB problem: found alias?, geometry at the top, expected"},
    {0, two_problems, "name: /: found both /fclib_local and /fclib_global"},
    {0, no_vectors, "name: /fclib_local/vectors: not found, expected a group"},
    {0, no_q, "name: /fclib_local/vectors/q: not found, expected a dataset"},
    {0, no_w, "name: /fclib_local/W: not found, expected a group"},
    {0, no_p, "name: /fclib_local/W/p: not found, expected a dataset"},
    {0, dim_4, "name: /fclib_local/spacedim: is 4, expected 2 or 3"},
    {0, dim_3, "name: /fclib_local/vectors/q: 2 elements, expected 3 = spacedim times"},
    {0, m_7, "name: /fclib_local/W/m: is 7, expected 2 as the vectors say"},
    {0, n_negative, "name: /fclib_local/W/n: is -2, expected 2"},
    {0, nz_negative, "name: /fclib_local/W/nz: is -3, expected -2 (CSR), -1 (CSC) or"},
    {0, nz_huge, "name: /fclib_local/W/nzmax: is 3, expected nz = 2147483647 or more"},
    {0, nzmax_negative, "name: /fclib_local/W/nzmax: is -1, expected 0 or more"},
    {0, nzmax_small, "name: /fclib_local/W/p: ends with 3, expected nzmax = 2 at most"},
    {0, short_i, "name: /fclib_local/W/i: 2 elements, expected nzmax = 3"},
    {0, short_x, "name: /fclib_local/W/x: 2 elements, expected 3, the length of i"},
    {0, short_p, "name: /fclib_local/W/p: 2 elements, expected 3 = m + 1"},
    {0, p_falls, "name: /fclib_local/W/p: element 2 is 3, less than the 4 before"},
    {0, p_long, "name: /fclib_local/W/p: ends with 5, expected nzmax = 3 at most"},
    {0, p_based_1, "name: /fclib_local/W/p: starts with 1, expected 0 (FCLIB counts from 0)"},
    {0, i_based_1,
     "name: /fclib_local/W/i: element 2 is 2, expected 0 .. 1 (they seem to count from 1"},
    {0, i_negative, "name: /fclib_local/W/i: element 1 is -1, expected 0 .. 1"},
    {0, x_nan, "name: /fclib_local/W/x: element 1 is nan, expected finite"},
    {0, overflow_sum, "name: /fclib_local/W/x (summed): element 2 is inf, expected finite"},
    {0, q_inf, "name: /fclib_local/vectors/q: element 1 is inf, expected finite"},
    {0, q_long, "name: /fclib_local/vectors/q: 3 elements, expected 2 = spacedim times"},
    {0, q_ints, "name: /fclib_local/vectors/q: found integers of 4 bytes, expected little-endian"},
    {0, q_float, "name: /fclib_local/vectors/q: found reals of 4 bytes, expected little-endian"},
    {0, q_big_endian, "name: /fclib_local/vectors/q: found reals of 8 bytes, big-endian, expected"},
    {0, i_doubles, "name: /fclib_local/W/i: found reals of 8 bytes, expected little-endian int"},
    {0, i_unsigned, "name: /fclib_local/W/i: found integers of 4 bytes, unsigned, expected"},
    {0, i_too_wide, "name: /fclib_local/W/i: element 1 is 1099511627776, expected 32 bits"},
    {0, i_compound, "name: /fclib_local/W/i: found compounds of 4 bytes, expected"},
    {0, rank_2, "name: /fclib_local/W/i: a dataspace of rank 2, expected rank 1"},
    {0, rank_0, "name: /fclib_local/W/m: a dataspace of rank 0, expected rank 1"},
    {0, mu_huge, "name: /fclib_local/vectors/mu: 1000000000 elements of 8 bytes, more than a file"},
    {0, mu_too_long, "name: /fclib_local/vectors/mu: 1125899906842624 elements, expected 21474836"},
    {0, huge_chunks, "name: /fclib_local/W/x: chunks of 200000000 elements, at most 8388608"},
    {0, odd_filter, "name: /fclib_local/W/i: stored through filter 6, expected none, deflate"},
    {0, external_data, "name: /fclib_local/W/x: data kept in other files or datasets"},
    {0, virtual_data, "name: /fclib_local/W/x: data kept in other files or datasets"},
    {0, soft_link, "name: /fclib_local/W/x: found a soft link, only hard links are followed"},
    {0, external_link, "name: /fclib_local/W: found a link to another file, only hard links"},
    {0, group_for_dataset, "name: /fclib_local/W/x: found a group, expected a dataset"},
    {0, dataset_for_group, "name: /fclib_local/W: found a dataset, expected a group"},
    {0, type_for_dataset, "name: /fclib_local/W/x: found a named type, expected a dataset"},
    {0, s_alone, "name: /fclib_local: V missing, expected V, R and vectors/s together or none"},
    {0, guesses_missing, "name: /guesses/1: not found, expected a group"},
    {0, guesses_many, "name: /guesses/number_of_guesses: is 2147483647, expected the number"},
    {0, solution_short, "name: /solution/r: 1 elements, expected 2"},
    {1, h_exchanged, "name: /fclib_global/H/p: element 2 is 2, expected 0 .. 1 (i and p seem exch"},
    {1, no_b, "name: /fclib_global: vectors/b missing, expected G and vectors/b together or none"},
};

static void test_broken(void **state) {
  fixture *f = *state;
  for (size_t k = 0; k < sizeof broken / sizeof *broken; k++) {
    base_files(f, broken[k].global);
    hid_t file = H5Fopen(scratch, H5F_ACC_RDWR, H5P_DEFAULT);
    broken[k].edit(file);
    H5Fclose(file);
    ss_error e = read_path(f, scratch);
    if (e != SS_ERR_FORMAT || strncmp(f->ctx.message, broken[k].message, strlen(broken[k].message)))
      fail_msg("case %zu: error %d\n  found    %s\n  expected %s", k, (int)e, f->ctx.message,
               broken[k].message);
  }
  assert_int_equal(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL), 0);  // nothing left open
}

static void test_not_hdf5(void **state) {
  fixture *f = *state;
  ssi_source text = {"name", "3 1 0 3 3", 9}, empty = {"name", "", 0},
             magic = {"name", "\211HDF\r\n\032\n", 8};
  assert_int_equal(ssi_read_fclib(&f->ctx, &text, &f->arena, &f->file), SS_ERR_FORMAT);
  assert_string_equal(f->ctx.message, "name: no HDF5 signature found in 9 bytes");
  assert_int_equal(ssi_read_fclib(&f->ctx, &empty, &f->arena, &f->file), SS_ERR_FORMAT);
  assert_int_equal(ssi_read_fclib(&f->ctx, &magic, &f->arena, &f->file), SS_ERR_FORMAT);
  assert_non_null(strstr(f->ctx.message, "name: /: libhdf5 cannot open this file: "));
}

// A file cut anywhere is an error, never a wrong problem.
static void test_truncated(void **state) {
  fixture *f = *state;
  ss_file made = sample_file(&f->arena, 1, &local3);
  must(f, ssi_write_fclib(&f->ctx, scratch, &made, NULL));
  ssi_source in = sample_load(scratch, "name");
  for (size_t size = 0; size < in.size; size += 61) {
    char *cut = malloc(size ? size : 1);  // exactly this long, so that ASan sees one byte more
    memcpy(cut, in.bytes, size);
    ssi_source part = {"name", cut, size};
    assert_int_equal(ssi_read_fclib(&f->ctx, &part, &f->arena, &f->file), SS_ERR_FORMAT);
    free(cut);
  }
  free((void *)(uintptr_t)in.bytes);
}

// The list of names of each group in turn is damaged. libhdf5 can then not tell whether an optional
// part (a solution's r, say) is there; taking that for a no would read another problem than was written.
static void test_damaged_names(void **state) {
  fixture *f = *state;
  ss_file made = sample_file(&f->arena, 1, &local3);
  must(f, ssi_write_fclib(&f->ctx, scratch, &made, NULL));
  ssi_source in = sample_load(scratch, "name");
  char *bytes = (char *)(uintptr_t)in.bytes;
  int groups = 0;
  for (size_t at = 0; at + 4 <= in.size; at++) {
    if (memcmp(bytes + at, "SNOD", 4) != 0) continue;
    bytes[at] = 'X';
    assert_int_equal(ssi_read_fclib(&f->ctx, &in, &f->arena, &f->file), SS_ERR_FORMAT);
    bytes[at] = 'S';
    groups++;
  }
  assert_true(groups >= 5);  // root, fclib_local, its info, vectors, W, solution, guesses ...
  must(f, ssi_read_fclib(&f->ctx, &in, &f->arena, &f->file));
  free(bytes);
}

static void set_text(hid_t file, const char *name, hid_t type, const void *text) {
  if (H5Lexists(file, name, H5P_DEFAULT) > 0) H5Ldelete(file, name, H5P_DEFAULT);
  hid_t space = H5Screate(H5S_SCALAR);
  hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text);
  H5Dclose(set);
  H5Sclose(space);
}

static void test_texts(void **state) {
  fixture *f = *state;
  ss_file made = sample_file(&f->arena, 1, &local3);
  must(f, ssi_write_fclib(&f->ctx, scratch, &made, NULL));
  hid_t file = H5Fopen(scratch, H5F_ACC_RDWR, H5P_DEFAULT), type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, 6);  // no room for the zero
  set_text(file, "/fclib_local/info/title", type, "Fr\xe9jus");
  H5Tset_strpad(type, H5T_STR_SPACEPAD);
  set_text(file, "/fclib_local/info/description", type, "pad   ");
  H5Tset_size(type, H5T_VARIABLE);
  const char *variable = "elsewhere";
  set_text(file, "/fclib_local/info/math_info", type, &variable);
  H5Tclose(type);
  H5Fclose(file);
  must(f, read_path(f, scratch));
  assert_string_equal(f->file.title, "Fr\xc3\xa9jus");
  assert_string_equal(f->file.description, "pad");
  assert_null(f->file.math_info);
  assert_string_equal(f->notes.text,
                      "name: /fclib_local/info/title: not UTF-8, taken as Latin-1\n"
                      "name: /fclib_local/info/math_info: no string of fixed length, ignored\n");
}

// libhdf5's error printer is the caller's; what the caller set is there afterwards.
static herr_t callers_printer(hid_t stack, void *data) {
  (void)stack;
  ++*(int *)data;
  return 0;
}

static void test_printer_restored(void **state) {
  fixture *f = *state;
  int printed = 0;
  H5E_auto2_t before, after;
  void *before_data, *after_data;
  H5Eget_auto2(H5E_DEFAULT, &before, &before_data);
  H5Eset_auto2(H5E_DEFAULT, callers_printer, &printed);
  ssi_source magic = {"name", "\211HDF\r\n\032\n", 8};
  assert_int_equal(ssi_read_fclib(&f->ctx, &magic, &f->arena, &f->file), SS_ERR_FORMAT);
  ss_file made = sample_file(&f->arena, 1, &local3);
  must(f, ssi_write_fclib(&f->ctx, scratch, &made, NULL));
  H5Eget_auto2(H5E_DEFAULT, &after, &after_data);
  H5Eset_auto2(H5E_DEFAULT, before, before_data);
  assert_ptr_equal(after, callers_printer);
  assert_ptr_equal(after_data, &printed);
  assert_int_equal(printed, 0);
}

// ---- the shared collection -----------------------------------------------------------------

typedef struct known {
  const char *path;
  ss_form form;
  int nc, ndof, guesses;
} known;

static const known collection[] = {
    {"local3d/Capsules-i125-1213.hdf5", SS_REDUCED, 286, 0, 1},
    {"local3d/LMGC_100_PR_PerioBox-i00361-60-03000.hdf5", SS_REDUCED, 60, 0, 0},
    {"global3d/CubeH8.hdf5", SS_GLOBAL, 1, 162, 0},
    {"global3d/LMGC_GlobalFrictionContactProblem00046.hdf5", SS_GLOBAL, -1, -1, -1},
    {"boxstacks/Box_Stacks-i0035-31-0.hdf5", SS_GLOBAL, 31, 450, -1},
    {"boxstacks/Box_Stacks-i0122-73-2.hdf5", SS_GLOBAL, 73, -1, -1},
    {"boxstacks/Box_Stacks-i0570-549-98.hdf5", SS_GLOBAL, 549, -1, -1},
    {"boxstacks/Box_Stacks-i1000-137-4.hdf5", SS_GLOBAL, 137, -1, -1},
    {"boxstacks/Box_Stacks-i1000-352-6.hdf5", SS_GLOBAL, 352, -1, -1},
    {"boxstacks/Box_Stacks-i1000-444-8.hdf5", SS_GLOBAL, 444, -1, -1},
    {"boxstacks/Box_Stacks-i1000-547-21.hdf5", SS_GLOBAL, 547, -1, -1},
    {"boxstacks/Box_Stacks-i1000-548-40.hdf5", SS_GLOBAL, 548, -1, -1},
    {"boxstacks/Box_Stacks-i1000-548-62.hdf5", SS_GLOBAL, 548, -1, -1},
    {"boxstacks/Box_Stacks-i1000-549-38.hdf5", SS_GLOBAL, 549, -1, -1},
    {"boxstacks/Box_Stacks-i1000-556-16.hdf5", SS_GLOBAL, 556, -1, -1},
};

static void shared_collection(void **state) {
  fixture *f = *state;
  const char *folder = need_shared("problems");
  for (size_t k = 0; k < sizeof collection / sizeof *collection; k++) {
    const known *c = &collection[k];
    char path[1100];
    snprintf(path, sizeof path, "%s/%s", folder, c->path);
    must(f, read_path(f, path));
    ss_file first = f->file;
    const ss_problem *p = &first.problem;
    print_message("%s: nc %d, ndof %d, guesses %d\n", c->path, p->nc, p->ndof, first.guess_count);
    assert_int_equal(p->form, c->form);
    assert_int_equal(p->dim, 3);
    if (c->nc >= 0) assert_int_equal(p->nc, c->nc);
    if (c->ndof >= 0) assert_int_equal(p->ndof, c->ndof);
    if (c->guesses >= 0) assert_int_equal(first.guess_count, c->guesses);
    must(f, ssi_write_fclib(&f->ctx, scratch, &first, NULL));
    must(f, read_path(f, scratch));
    assert_true(same_file(&first, &f->file));
  }
}

// Guess 1 of Capsules-i125-1213 has reactions, its stored solution has none (formats.md, section 2).
static void shared_collection_guess(void **state) {
  fixture *f = *state;
  must(f, read_path(f, need_shared("problems/local3d/Capsules-i125-1213.hdf5")));
  double guess = 0, answer = 0;
  for (int k = 0; k < 858; k++) {
    guess = fmax(guess, fabs(f->file.guesses[0].r[k]));
    answer = fmax(answer, fabs(f->file.solution.r[k]));
  }
  assert_true(guess > 0);
  assert_true(answer == 0);
  assert_string_equal(f->file.math_info, "");
  assert_int_equal(strlen(f->file.title), 8);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_round_trip, setup, teardown),
      cmocka_unit_test_setup_teardown(test_default_storage_is_triplets, setup, teardown),
      cmocka_unit_test_setup_teardown(test_default_storage_and_bytes, setup, teardown),
      cmocka_unit_test_setup_teardown(test_solution_overrides, setup, teardown),
      cmocka_unit_test_setup_teardown(test_large_sizes_refused, setup, teardown),
      cmocka_unit_test_setup_teardown(test_disk_full, setup, teardown),
      cmocka_unit_test_setup_teardown(test_no_memory, setup, teardown),
      cmocka_unit_test_setup_teardown(test_storages, setup, teardown),
      cmocka_unit_test_setup_teardown(test_broken, setup, teardown),
      cmocka_unit_test_setup_teardown(test_not_hdf5, setup, teardown),
      cmocka_unit_test_setup_teardown(test_truncated, setup, teardown),
      cmocka_unit_test_setup_teardown(test_damaged_names, setup, teardown),
      cmocka_unit_test_setup_teardown(test_texts, setup, teardown),
      cmocka_unit_test_setup_teardown(test_printer_restored, setup, teardown),
      cmocka_unit_test_setup_teardown(shared_collection, setup, teardown),
      cmocka_unit_test_setup_teardown(shared_collection_guess, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
