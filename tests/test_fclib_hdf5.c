// FCLIB files: round trips to the last bit, texts, and the shared collection.
#define _DEFAULT_SOURCE
#define SCRATCH "test_fclib_scratch.hdf5"
#include "fclib_fixture.h"

#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "budget.h"

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
  ss_file made = sample_file(&f->arena, 1, GLOBAL3);
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
  ss_file made = sample_file(&f->arena, 1, GLOBAL3);
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
  ss_file made = sample_file(&f->arena, 1, LOCAL3);
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
  ss_file made = sample_file(&f->arena, 1, LOCAL3);
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
      cmocka_unit_test_setup_teardown(test_texts, setup, teardown),
      cmocka_unit_test_setup_teardown(test_printer_restored, setup, teardown),
      cmocka_unit_test_setup_teardown(shared_collection, setup, teardown),
      cmocka_unit_test_setup_teardown(shared_collection_guess, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
