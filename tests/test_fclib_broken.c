// FCLIB files: what is said about files that are broken in one place, cut off or damaged.
#define SCRATCH "test_fclib_broken.hdf5"
#include "fclib_fixture.h"

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
  ss_file made = sample_file(&f->arena, 1, LOCAL3);
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
  ss_file made = sample_file(&f->arena, 1, LOCAL3);
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_broken, setup, teardown),
      cmocka_unit_test_setup_teardown(test_not_hdf5, setup, teardown),
      cmocka_unit_test_setup_teardown(test_truncated, setup, teardown),
      cmocka_unit_test_setup_teardown(test_damaged_names, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
