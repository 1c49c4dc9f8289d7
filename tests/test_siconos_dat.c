// io/siconos_dat.c: every storage with hand-made unsymmetric matrices, so that a transposed reading
// shows; local or global by content; every kind of damage refused with its line; the shared files.
#define _POSIX_C_SOURCE 200809L

#include "harness.h"

#include <dirent.h>
#include <locale.h>
#include <sys/stat.h>
#include <unistd.h>

#include "budget.h"
#include "io/reader.h"
#include "la/sparse.h"

#define CSPARSE "CSparse Version 3.1.9, May 4, 2016.  Copyright (c) Timothy A. Davis, 2006-2016\n"

typedef struct reading {
  ss_context ctx;
  ssi_arena arena;
  ss_file file;
  ss_error error;
  char log[1024];
} reading;

static void keep_log(void *user, ss_level level, const char *text) {
  reading *r = user;
  size_t used = strlen(r->log);
  snprintf(r->log + used, sizeof r->log - used, "%d %s\n", (int)level, text);
}

static const ss_problem *read_text(reading *r, const char *text, ss_form_hint form) {
  *r = (reading){.ctx = {.log = keep_log, .user = r}};
  r->arena.ctx = &r->ctx;
  ssi_source in = {"x.dat", text, strlen(text)};
  r->error = ssi_read_siconos(&r->ctx, &in, form, &r->arena, &r->file);
  return &r->file.problem;
}

static void done(reading *r) {
  ssi_arena_release(&r->arena);
}

// The matrix as a whole, `count` of its places being stored.
static void assert_matrix(const ss_sparse *A, int rows, int cols, int64_t count, const double *x) {
  assert_int_equal(A->rows, rows);
  assert_int_equal(A->cols, cols);
  assert_int_equal(ssi_sparse_entries(A), count);
  double *dense = calloc((size_t)(rows * cols) + 1, sizeof *dense);
  for (int i = 0; i < rows; i++)
    for (int64_t k = A->ptr[i]; k < A->ptr[i + 1]; k++) dense[i * cols + A->col[k]] = A->x[k];
  for (int k = 0; k < rows * cols; k++) assert_true(dense[k] == x[k]);
  free(dense);
}

static void assert_vector(const double *found, int count, const double *expected) {
  for (int k = 0; k < count; k++) assert_true(found[k] == expected[k]);
}

static void assert_ok(const reading *r) {
  if (r->error) fail_msg("%s", r->ctx.message);
}

// ---- storages --------------------------------------------------------------------------------

static void dense_is_column_by_column(void **state) {
  (void)state;
  reading r;
  const ss_problem *p =
      read_text(&r, "2 1\n0 2 2\n2 2\n 1 3\n 0 4\n -0.5 0.25\n 0.3\n 0\n", SS_FORM_ANY);
  assert_ok(&r);
  assert_int_equal(r.file.format, SS_FORMAT_SICONOS);
  assert_int_equal(p->form, SS_REDUCED);
  assert_int_equal(p->dim, 2);
  assert_int_equal(p->nc, 1);
  assert_int_equal(p->ndof, 0);
  assert_matrix(&p->W, 2, 2, 3, (double[]){1, 0, 3, 4});  // the zero is left out
  assert_vector(p->q, 2, (double[]){-0.5, 0.25});
  assert_vector(p->mu, 1, (double[]){0.3});
  assert_non_null(strstr(r.log, "2 x.dat:8: what follows"));
  done(&r);
}

// Their H is 3 x 2, ours 2 x 3; our f is minus their q.
static void global_is_turned_into_our_conventions(void **state) {
  (void)state;
  reading r;
  const ss_problem *p = read_text(&r,
                                  "2 1\n0 3 3\n3 3\n 2 1 0\n 0 2 0\n 0 0 4\n"
                                  "0 3 2\n3 2\n 1 0 5\n 0 1 -6\n"
                                  " 1.5 0 -2.5\n 0.125 -0.25\n 0.7\n",
                                  SS_FORM_ANY);
  assert_ok(&r);
  assert_int_equal(p->form, SS_GLOBAL);
  assert_int_equal(p->ndof, 3);
  assert_matrix(&p->M, 3, 3, 4, (double[]){2, 0, 0, 1, 2, 0, 0, 0, 4});
  assert_matrix(&p->H, 2, 3, 4, (double[]){1, 0, 5, 0, 1, -6});
  assert_vector(p->f, 3, (double[]){-1.5, 0, 2.5});
  assert_vector(p->w, 2, (double[]){0.125, -0.25});
  assert_vector(p->mu, 1, (double[]){0.7});
  assert_string_equal(r.log, "");
  done(&r);
}

// Blocks 1 x 2 and 2 x 1 of a global problem; the last block row of H is empty and not pointed to.
static void blocks_may_be_rectangular(void **state) {
  (void)state;
  reading r;
  const ss_problem *p = read_text(&r,
                                  "2 1\n"
                                  "1 3 3\n3\n2 2\n1 3\n1 3\n3 3\n0 2 3\n0 1 1\n"
                                  "0\n9\n"         // (0, 0)
                                  "1\n1 2\n"       // (0, 1) and (0, 2)
                                  "2\n4 5\n6 7\n"  // rows 1, 2
                                  "1 3 2\n1\n2 1\n1 3\n2\n2 1\n0 1\n0\n0\n7 8\n"
                                  "1 2 3\n4 5\n0.9\n",
                                  SS_FORM_ANY);
  assert_ok(&r);
  assert_int_equal(p->form, SS_GLOBAL);
  assert_matrix(&p->M, 3, 3, 7, (double[]){9, 1, 2, 0, 4, 6, 0, 5, 7});
  assert_matrix(&p->H, 2, 3, 2, (double[]){7, 0, 0, 8, 0, 0});
  assert_string_equal(r.log, "");
  done(&r);
}

static void blocks_in_disorder_are_summed_and_said(void **state) {
  (void)state;
  reading r;
  const ss_problem *p = read_text(&r,
                                  "2 2 1 4 4 4 2 2 2 4 2 4 3 4 0 3 4 1 0 0 1 "
                                  "0 1 2 3 4  1 1 1 1 1  2 2 2 2 2  3 3 3 3 3  1 2 3 4 0.1 0.2",
                                  SS_FORM_ANY);
  assert_ok(&r);
  assert_matrix(&p->W, 4, 4, 12, (double[]){3, 3, 1, 3, 3, 3, 2, 4, 0, 0, 3, 3, 0, 0, 3, 3});
  assert_non_null(strstr(r.log, "1 x.dat: matrix M: 4 duplicate entries summed"));
  assert_non_null(strstr(r.log, "neither by rows nor by columns"));
  done(&r);
}

static void no_blocks_is_a_zero_matrix(void **state) {
  (void)state;
  reading r;
  const ss_problem *p = read_text(&r, "2 1 1 2 2 0 1 2 0.5", SS_FORM_ANY);
  assert_ok(&r);
  assert_matrix(&p->W, 2, 2, 0, (double[]){0, 0, 0, 0});
  assert_vector(p->q, 2, (double[]){1, 2});
  done(&r);
}

static void sparse_storages_agree(void **state) {
  (void)state;
  const char *const storages[] = {
      "1\n" CSPARSE "triplet: 2-by-2, nzmax: 9 nnz: 3\n    0 0 : 1\n    1 0 : 3\n    1 1 : 4e0\n",
      "2\n" CSPARSE
      "2-by-2, nzmax: 3 nnz: 3, 1-norm: 4\n    col 0 : locations 0 to 1\n      0 : 1\n"
      "      1 : 3\n    col 1 : locations 2 to 2\n      1 : 4\n",
      "3\n" CSPARSE "csr: 2-by-2, nzmax: 3 nnz: 3, 1-norm: 4\n    row 0 : locations 0 to 0\n"
      "      0 : 1\n    row 1 : locations 1 to 2\n      0 : 3\n      1 : 4\n",
      "3\n" CSPARSE "2-by-2, nzmax: 3 nnz: 3, 1-norm: 4\n    col 0 : locations 0 to 0\n"
      "      0 : 1\n    col 1 : locations 1 to 2\n      0 : 3\n      1 : 4\n",
  };
  for (int k = 0; k < 4; k++) {
    char text[1024];
    reading r;
    snprintf(text, sizeof text, "2\n1\n2\n2\n2\n%s  1 -2\n0.5\n", storages[k]);
    const ss_problem *p = read_text(&r, text, SS_FORM_ANY);
    assert_ok(&r);
    assert_int_equal(p->form, SS_REDUCED);
    assert_matrix(&p->W, 2, 2, 3, (double[]){1, 0, 3, 4});
    assert_vector(p->q, 2, (double[]){1, -2});
    assert_string_equal(r.log, "");
    done(&r);
  }
}

static void half_triplets_are_mirrored(void **state) {
  (void)state;
  reading r;
  const ss_problem *p = read_text(&r,
                                  "2\n1\n2\n2\n2\n4\n" CSPARSE
                                  "triplet: 2-by-2, nzmax: 3 nnz: 3\n 0 0 : 1\n 1 0 : 3\n"
                                  " 1 1 : 4\n1 2\n0.5\n",
                                  SS_FORM_ANY);
  assert_ok(&r);
  assert_matrix(&p->W, 2, 2, 4, (double[]){1, 3, 3, 4});
  assert_string_equal(r.log, "");
  done(&r);
}

static void explicit_zeros_and_duplicates_of_triplets(void **state) {
  (void)state;
  reading r;
  const ss_problem *p = read_text(&r,
                                  "2\n1\n2\n2\n2\n1\n" CSPARSE
                                  "triplet: 2-by-2, nzmax: 4 nnz: 4\n 1 1 : 1\n 0 0 : 0\n"
                                  " 1 0 : 3\n 1 1 : 4\n1 2\n0.5\n",
                                  SS_FORM_ANY);
  assert_ok(&r);
  assert_matrix(&p->W, 2, 2, 3, (double[]){0, 0, 3, 5});
  assert_non_null(strstr(r.log, "1 duplicate entries summed"));
  assert_non_null(strstr(r.log, "neither by rows nor by columns"));
  done(&r);
}

static void numbers_of_every_shape(void **state) {
  (void)state;
  reading r;
  const ss_problem *p =
      read_text(&r, "2 1 0 2 2 2 2 +1.e0 .5 5E-1 1e-400\r\n-0.0 -1E+2\r\n0000.25", SS_FORM_ANY);
  assert_ok(&r);
  assert_matrix(&p->W, 2, 2, 3, (double[]){1, 0.5, 0.5, 0});
  assert_vector(p->q, 2, (double[]){0, -100});
  assert_true(signbit(p->q[0]));
  assert_vector(p->mu, 1, (double[]){0.25});
  done(&r);
}

// ---- local or global -------------------------------------------------------------------------

#define UNIT3 "0 3 3 3 3 1 0 0 0 1 0 0 0 1 "

static void form_is_decided_by_content(void **state) {
  (void)state;
  const struct {
    const char *text;
    ss_form_hint hint;
    ss_form form;
    int ndof;
  } cases[] = {
      {"3 1 " UNIT3 "-1 -1 -1 0.1 0", SS_FORM_ANY, SS_REDUCED, 0},
      {"3 1 " UNIT3 UNIT3 "-1 -1 -1 0 0 0 0.1 0", SS_FORM_ANY, SS_GLOBAL, 3},
      // both readings are possible: the one that leaves nothing over wins, the hint over that
      {"3 1 " UNIT3 UNIT3 "-1 -1 -1 0 0 0 0.1 0", SS_FORM_LOCAL, SS_REDUCED, 0},
      // q = (0, 3, 3) is no second matrix
      {"3 1 " UNIT3 "0 3 3 0.5 1", SS_FORM_ANY, SS_REDUCED, 0},
      {"2 0 0 0 0 0 0", SS_FORM_ANY, SS_REDUCED, 0},
      {"2 0 0 1 1 1 1 2.5 0 1 0 1 0 9.81", SS_FORM_ANY, SS_GLOBAL, 1},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    reading r;
    const ss_problem *p = read_text(&r, cases[k].text, cases[k].hint);
    assert_ok(&r);
    assert_int_equal(p->form, cases[k].form);
    assert_int_equal(p->ndof, cases[k].ndof);
    done(&r);
  }
}

// ---- damage ----------------------------------------------------------------------------------

static void damage_is_refused_with_its_place(void **state) {
  (void)state;
  const struct {
    const char *text;
    ss_form_hint hint;
    const char *message;
  } cases[] = {
      {"", SS_FORM_ANY, "x.dat:1: the file ends here, expected dimension of contacts"},
      {"4 1", SS_FORM_ANY, "found '4', expected dimension of contacts (2 to 3)"},
      {"3 -1", SS_FORM_ANY, "x.dat:1: found '-1', expected number of contacts"},
      {"3 2000000000 0 3 3", SS_FORM_ANY, "found '2000000000', expected number of contacts"},
      {"3 700000000 0 3 3", SS_FORM_ANY, "mu needs 700000000 more items"},
      {"3\n1\n5", SS_FORM_ANY, "x.dat:3: found '5', expected storage type of matrix M (0 to 2)"},
      {"2 1 0 2000000000 2000000000 2000000000 2000000000 1", SS_FORM_ANY,
       "needs 2000000000 more items, but only"},
      {"2 1 0 2 3 2 3 1 2 3 4 5 6 0 0 1", SS_FORM_ANY, "matrix M is 2 x 3, expected as many rows"},
      {"2 1 0 2 2 2 2 1\nnan 3 4 0 0 1", SS_FORM_ANY,
       "x.dat:2: found 'nan', expected entry 1 of M (a finite number)"},
      {"2 1 0 2 2 2 2 1 2 3 4\n0 -Inf 1", SS_FORM_ANY,
       "x.dat:2: found '-Inf', expected entry 1 of q"},
      {"2 1 0 2 2 2 2 1 2 3 4\n0\n1e999 1", SS_FORM_ANY, "x.dat:3: found '1e999'"},
      {"2 1 0 2 2 2 2 1 2x 3 4 0 0 1", SS_FORM_ANY, "found '2x', expected entry 1 of M (a number)"},
      {"2 1 0 2 2 2 2 1 2 3 4 0 0\n-0.1", SS_FORM_ANY,
       "x.dat:2: friction coefficient of contact 0 is -0.1"},
      {"2 1 0 2 2 2 2 1 2 3 4 0 0   \n   ", SS_FORM_ANY,
       "x.dat:2: the file ends here, expected entry 0 of mu"},
      // not a local problem, and no second matrix
      {"2 2 0 2 2 2 2 1 2 3 4 0.5 0 1 1", SS_FORM_ANY,
       "found '0.5', expected a second matrix (M is 2 x 2: a local problem with 2 contacts of "
       "dimension 2 would have 4 x 4)"},
      {"2 2 0 2 2 2 2 1 2 3 4 0.5 0 1 1", SS_FORM_LOCAL, "matrix M is 2 x 2, expected 4 x 4"},
      {"2 1 0 2 2 2 2 1 2 3 4 0.5 0 1 1", SS_FORM_GLOBAL,
       "found '0.5', expected storage type of matrix H"},
      {"2 1 0 3 3 3 3 1 0 0 0 1 0 0 0 1 0 3 3 3 3 1 2 3 4 5 6 7 8 9", SS_FORM_ANY,
       "matrix H is 3 x 3, expected 3 x 2"},
      // could be a local problem followed by rubbish, but is a global one cut off
      {"3 1 " UNIT3 UNIT3 "-1 -1 -1 0 0", SS_FORM_ANY, "b needs 3 more items"},
      {"3 1 " UNIT3 UNIT3 "-1 -1 -1 0 0 nan 0.1", SS_FORM_ANY,
       "found 'nan', expected entry 2 of b"},
      // sparse blocks
      {"2 1 1 2 2 -1", SS_FORM_ANY, "found '-1', expected number of blocks"},
      {"2 1 1 2 2 2147483647 1 1 2 2", SS_FORM_ANY, "needs 2147483647 more items"},
      {"2 1 1 2 2 1 9 1 2 2", SS_FORM_ANY, "found '9', expected number of block rows (1 to 2)"},
      {"2 1 1 2 2 1 1 1 3 2 2 1 0 1 0", SS_FORM_ANY,
       "found '3', expected entry 0 of block row ends (2)"},
      {"2 2 1 4 4 1 3 2 2 1 4 2 4 2 1 0 1", SS_FORM_ANY,
       "found '1', expected entry 1 of block row ends (2 to 4)"},
      {"2 2 1 4 4 3 2 2 2 4 2 4 3 3 0 4 3 0 1 1", SS_FORM_ANY,
       "found '4', expected entry 1 of block row pointers (0 to 3)"},
      {"2 4 1 8 8 3 4 4 2 4 6 8 2 4 6 8 4 3 0 2 1 3 0 1 1", SS_FORM_ANY,
       "found '1', expected entry 2 of block row pointers (2 to 3)"},
      {"2 1 1 2 2 1 1 1 2 2 2 1 1 1 0 0 1 2 3 4", SS_FORM_ANY, "begins with block 1, expected 0"},
      {"2 2 1 4 4 2 2 2 2 4 2 4 3 2 0 1 2\n1 2 0 1 2 3 4", SS_FORM_ANY,
       "x.dat:2: index 2 in entry 1 of block column indices, expected 0 to 1; does the file count "
       "from 1?"},
      {"2 1 1 2 2 1 1 1 2 2 2 1 0 1 0 7 1 2 3 4 0 0 1", SS_FORM_ANY,
       "found '7', expected number of the next block (0)"},
      // sparse
      {"2\n1\n2\n2\n2\n9\n", SS_FORM_ANY,
       "x.dat:6: found '9', expected origin of the sparse matrix"},
      {"2\n1\n2\n2\n2\n1\n" CSPARSE "triplet: 3-by-2, nzmax: 4 nnz: 3\n", SS_FORM_ANY,
       "x.dat:8: found '3-by-2,', expected number of rows, repeated (2)"},
      {"2\n1\n2\n2\n2\n1\n" CSPARSE "triplet: 2-by-2, nzmax: 2 nnz: 2\n 1 1 : 1\n 2 2 : 1\n",
       SS_FORM_ANY,
       "x.dat:10: index 2 in entry 1 of matrix rows, expected 0 to 1; does the file count from 1?"},
      {"2\n1\n2\n2\n2\n1\n" CSPARSE "triplet: 2-by-2, nzmax: 2 nnz: 1000000000000\n 1 1 : 1\n",
       SS_FORM_ANY, "a sparse matrix needs 1000000000000 more items"},
      {"2\n1\n2\n2\n2\n1\n" CSPARSE "triplet: 2-by-2, nzmax: 2 nnz: 1\n 1 -1 : 1\n", SS_FORM_ANY,
       "x.dat:9: index -1 in entry 0 of matrix columns"},
      {"2\n1\n2\n2\n2\n1\n" CSPARSE "triplet: 2-by-2, nzmax: 2 nnz: 1\n 1 1 : -nan\n", SS_FORM_ANY,
       "x.dat:9: found '-nan', expected entry 0 of M (a finite number)"},
      {"2\n1\n2\n2\n2\n1\n" CSPARSE
       "triplet: 2-by-2, nzmax: 2 nnz: 2\n 1 1 : 1e308\n 1 1 : 1e308\n 0 0\n1\n",
       SS_FORM_ANY, "a sum of duplicate entries overflows"},
      {"2\n1\n2\n2\n2\n2\n" CSPARSE
       "2-by-2, nzmax: 3 nnz: 3, 1-norm: 7\n col 0 : locations 0 to 0\n"
       " 1 : 4\n col 1 : locations 1 to 0\n 1 2\n0.5 0 0 0 0\n",
       SS_FORM_ANY, "ends after 1 entries, expected 3"},
      {"2\n1\n2\n2\n2\n4\n" CSPARSE
       "triplet: 2-by-2, nzmax: 3 nnz: 2\n 1 0 : 3\n 0 1 : 3\n1 2\n0.5\n",
       SS_FORM_ANY, "entries on both sides of the diagonal"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    reading r;
    read_text(&r, cases[k].text, cases[k].hint);
    if (r.error != SS_ERR_FORMAT || !strstr(r.ctx.message, cases[k].message))
      fail_msg("case %zu: %d '%s', expected '%s'", k, r.error, r.ctx.message, cases[k].message);
    assert_string_equal(r.log, "");
    done(&r);
  }
}

// Cut off anywhere, this file of 133 numbers is no longer a problem, and never more than an error.
static void every_cut_is_refused(void **state) {
  (void)state;
  char text[4096] =
      "2 1\n1 3 3\n2\n2 2\n1 3\n1 3\n3\n2\n0 1 2\n0 1\n0\n2\n1\n4 1\n1 5\n2\n3\n2\n2\n" CSPARSE
      "3-by-2, nzmax: 2 nnz: 2, 1-norm: 1\n col 0 : locations 0 to 0\n 1 : 1\n"
      " col 1 : locations 1 to 1\n 2 : -1\n 1 2 3\n 4 5\n 0.5";
  reading r;
  read_text(&r, text, SS_FORM_ANY);
  assert_ok(&r);
  done(&r);
  for (size_t length = strlen(text) - 3; length-- > 0;) {  // "0" for "0.5" is still a problem
    text[length] = 0;
    read_text(&r, text, SS_FORM_ANY);
    if (r.error != SS_ERR_FORMAT) fail_msg("the first %zu bytes: %d", length, r.error);
    assert_non_null(strstr(r.ctx.message, "x.dat:"));
    done(&r);
  }
}

// ---- memory, locale --------------------------------------------------------------------------

static void every_allocation_may_fail(void **state) {
  (void)state;
  const char *text = "2 1\n1 3 3\n2\n2 2\n1 3\n1 3\n3\n2\n0 1 2\n0 1\n0\n2\n1\n4 1\n1 5\n"
                     "0 3 2\n3 2\n 1 0 5\n 0 1 -6\n 1 2 3\n 4 5\n 0.5";
  ss_error error = SS_ERR_MEMORY;
  int allowed = 0;
  for (; error; allowed++) {
    assert_true(allowed < 100);
    budget b = {.left = allowed};
    ss_context ctx = on_budget(&b);
    ssi_arena arena = {.ctx = &ctx};
    ssi_source in = {"x.dat", text, strlen(text)};
    ss_file file = {0};
    error = ssi_read_siconos(&ctx, &in, SS_FORM_ANY, &arena, &file);
    if (error) assert_int_equal(error, SS_ERR_MEMORY);
    ssi_arena_release(&arena);
    assert_int_equal(b.held, 0);
  }
  assert_true(allowed > 10);
}

// Few machines have a locale with a decimal comma: one is made of glibc's C.utf8, whose point is the character '.'
// followed by a zero, narrow and wide.
static bool make_decimal_comma(void) {
  char folder[] = "/tmp/stickslip-comma-XXXXXX", sub[64], path[80], bytes[200];
  FILE *from = fopen("/usr/lib/locale/C.utf8/LC_NUMERIC", "rb");
  if (!from) return false;
  size_t n = fread(bytes, 1, sizeof bytes, from);
  fclose(from);
  for (size_t k = 0; k + 1 < n; k++)
    if (bytes[k] == '.' && bytes[k + 1] == 0) bytes[k] = ',';
  assert_non_null(mkdtemp(folder));
  snprintf(sub, sizeof sub, "%s/comma", folder);
  snprintf(path, sizeof path, "%s/LC_NUMERIC", sub);
  FILE *to = mkdir(sub, 0700) ? NULL : fopen(path, "wb");
  assert_non_null(to);
  assert_int_equal(fwrite(bytes, 1, n, to), n);
  fclose(to);
  setenv("LOCPATH", folder, 1);
  bool set = setlocale(LC_NUMERIC, "comma") != NULL;
  unlink(path), rmdir(sub), rmdir(folder);
  return set;
}

static void a_decimal_comma_changes_nothing(void **state) {
  (void)state;
  if (!setlocale(LC_ALL, "de_DE.UTF-8") && !make_decimal_comma())
    skip_because("there is no locale with a decimal comma, and none could be made");
  assert_true(strtod("1,5", NULL) == 1.5);
  reading r;
  const ss_problem *p = read_text(&r, "2 1 0 2 2 2 2 1.5 0 -2.5e-1 1 .5 5. 0.25", SS_FORM_ANY);
  setlocale(LC_ALL, "C");
  assert_ok(&r);
  assert_matrix(&p->W, 2, 2, 3, (double[]){1.5, -0.25, 0, 1});
  assert_vector(p->q, 2, (double[]){0.5, 5});
  done(&r);
}

// ---- files -----------------------------------------------------------------------------------

// The seeds of the fuzzer say by their names what must become of them.
static void corpus_is_judged_as_named(void **state) {
  (void)state;
  const char *folder = STICKSLIP_TESTS "/fuzz/corpus/siconos_dat";
  DIR *list = opendir(folder);
  assert_non_null(list);
  int good = 0, bad = 0;
  for (struct dirent *d; (d = readdir(list));) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, d->d_name);
    bool ok = strncmp(d->d_name, "ok_", 3) == 0;
    if (!ok && strncmp(d->d_name, "bad_", 4) != 0) continue;
    reading r = {.ctx = {.user = &r}};
    ssi_source in;
    r.arena.ctx = &r.ctx;
    assert_int_equal(ssi_input_read(&r.ctx, path, &r.arena, &in), SS_OK);
    r.error = ssi_read_siconos(&r.ctx, &in, SS_FORM_ANY, &r.arena, &r.file);
    if (r.error != (ok ? SS_OK : SS_ERR_FORMAT))
      fail_msg("%s: %d %s", d->d_name, r.error, r.ctx.message);
    *(ok ? &good : &bad) += 1;
    done(&r);
  }
  closedir(list);
  assert_true(good >= 20 && bad >= 50);
}

// Sizes and entries as an independent reader found them.
static void shared_files(void **state) {
  (void)state;
  const struct {
    const char *path;
    ss_form form;
    int dim, nc, ndof;
    int64_t entries, H_entries;  // of W or M, of H
  } files[] = {
      {"global2d/gfc2d_granularflowonwall_00000_00117.dat", SS_GLOBAL, 2, 0, 900, 900, 0},
      {"global3d/GFC3D_Example0.dat", SS_GLOBAL, 3, 1, 9, 9, 6},
      {"global3d/GFC3D_Example00.dat", SS_GLOBAL, 3, 1, 3, 3, 3},
      {"global3d/GFC3D_Example00_badly_scaled.dat", SS_GLOBAL, 3, 1, 3, 3, 3},
      {"global3d/GFC3D_Example0_SBM.dat", SS_GLOBAL, 3, 1, 9, 9, 6},
      {"global3d/GFC3D_OneContact.dat", SS_GLOBAL, 3, 1, 39, 333, 16},
      {"global3d/GFC3D_TwoRods1.dat", SS_GLOBAL, 3, 3, 54, 450, 96},
      {"local2d/FC2D_SliderCrankLagrangian00000.dat", SS_REDUCED, 2, 2, 0, 16, 0},
      {"local2d/FrictionContactProblem00031.dat", SS_REDUCED, 2, 11, 0, 60, 0},
      {"local2d/FrictionContactProblem00071.dat", SS_REDUCED, 2, 89, 0, 1140, 0},
      {"local2d/FrictionContactProblem00374.dat", SS_REDUCED, 2, 28, 0, 76, 0},
      {"local2d/fc2d_granularflowonwall_00667_00000.dat", SS_REDUCED, 2, 667, 0, 3822, 0},
      {"local3d/BoxesStack1-i100000-32.hdf5.dat", SS_REDUCED, 3, 52, 0, 5328, 0},
      {"local3d/Capsules-i100-1090.dat", SS_REDUCED, 3, 276, 0, 11214, 0},
      {"local3d/Capsules-i101-404.dat", SS_REDUCED, 3, 225, 0, 9099, 0},
      {"local3d/Confeti-ex03-Fc3D-SBM.dat", SS_REDUCED, 3, 54, 0, 1281, 0},
      {"local3d/Confeti-ex13-4contact-Fc3D-SBM.dat", SS_REDUCED, 3, 4, 0, 144, 0},
      {"local3d/FC3D_Example1.dat", SS_REDUCED, 3, 3, 0, 9, 0},
      {"local3d/FC3D_Example1_SBM.dat", SS_REDUCED, 3, 3, 0, 9, 0},
      {"local3d/FrictionContact3D_1c.dat", SS_REDUCED, 3, 1, 0, 9, 0},
      {"local3d/KaplasTower-i1061-4.hdf5.dat", SS_REDUCED, 3, 570, 0, 116784, 0},
      {"local3d/NESpheres_10_1.dat", SS_REDUCED, 3, 9, 0, 121, 0},
      {"local3d/OneObject-i100000-499.hdf5.dat", SS_REDUCED, 3, 24, 0, 1476, 0},
      {"local3d/Rover1039.dat", SS_REDUCED, 3, 4, 0, 144, 0},
      {"local3d/Rover11035.dat", SS_REDUCED, 3, 1, 0, 9, 0},
      {"local3d/Rover4396.dat", SS_REDUCED, 3, 2, 0, 36, 0},
      {"local3d/Rover9770.dat", SS_REDUCED, 3, 5, 0, 225, 0},
  };
  const char *folder = need_shared("problems");
  for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
    char path[1100];
    snprintf(path, sizeof path, "%s/%s", folder, files[k].path);
    reading r = {.ctx = {.user = &r}};
    ssi_source in;
    r.arena.ctx = &r.ctx;
    assert_int_equal(ssi_input_read(&r.ctx, path, &r.arena, &in), SS_OK);
    r.error = ssi_read_siconos(&r.ctx, &in, SS_FORM_ANY, &r.arena, &r.file);
    assert_ok(&r);
    const ss_problem *p = &r.file.problem;
    assert_int_equal(p->form, files[k].form);
    assert_int_equal(p->dim, files[k].dim);
    assert_int_equal(p->nc, files[k].nc);
    assert_int_equal(p->ndof, files[k].ndof);
    assert_int_equal(ssi_sparse_entries(p->form == SS_GLOBAL ? &p->M : &p->W), files[k].entries);
    assert_int_equal(ssi_sparse_entries(&p->H), files[k].H_entries);
    done(&r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(dense_is_column_by_column),
      cmocka_unit_test(global_is_turned_into_our_conventions),
      cmocka_unit_test(blocks_may_be_rectangular),
      cmocka_unit_test(blocks_in_disorder_are_summed_and_said),
      cmocka_unit_test(no_blocks_is_a_zero_matrix),
      cmocka_unit_test(sparse_storages_agree),
      cmocka_unit_test(half_triplets_are_mirrored),
      cmocka_unit_test(explicit_zeros_and_duplicates_of_triplets),
      cmocka_unit_test(numbers_of_every_shape),
      cmocka_unit_test(form_is_decided_by_content),
      cmocka_unit_test(damage_is_refused_with_its_place),
      cmocka_unit_test(every_cut_is_refused),
      cmocka_unit_test(every_allocation_may_fail),
      cmocka_unit_test(a_decimal_comma_changes_nothing),
      cmocka_unit_test(corpus_is_judged_as_named),
      cmocka_unit_test(shared_files),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
