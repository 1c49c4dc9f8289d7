// FCLIB files: the three storages of a matrix, made by hand.
#define SCRATCH "test_fclib_storages.hdf5"
#include "fclib_fixture.h"

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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_storages, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
