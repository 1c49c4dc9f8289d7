// io/matrix_market.c and io/matrix_market_set.c: every layout and symmetry, damage refused with its
// line, and sets that come back bit by bit as they were written.
#define _XOPEN_SOURCE 700

#include "harness.h"

#include <dirent.h>
#include <float.h>
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include "budget.h"
#include "io/reader.h"
#include "la/sparse.h"

#define MM "%%MatrixMarket matrix "

typedef struct reading {
  ss_context ctx;
  ssi_arena arena;
  ss_sparse A;
  ss_file file;
  ss_error error;
  char log[2048];
} reading;

static void keep_log(void *user, ss_level level, const char *text) {
  reading *r = user;
  size_t used = strlen(r->log);
  snprintf(r->log + used, sizeof r->log - used, "%d %s\n", (int)level, text);
}

static void begin(reading *r) {
  *r = (reading){.ctx = {.log = keep_log, .user = r}};
  r->arena.ctx = &r->ctx;
}

static void read_text(reading *r, const char *text) {
  begin(r);
  ssi_source in = {"x.mtx", text, strlen(text)};
  r->error = ssi_read_mtx(&r->ctx, &in, &r->arena, &r->A);
}

static void read_set(reading *r, const char *prefix) {
  begin(r);
  r->error = ssi_read_mtx_set(&r->ctx, prefix, &r->arena, &r->file);
}

static void done(reading *r) {
  ssi_arena_release(&r->arena);
}

static void assert_ok(const reading *r) {
  if (r->error) fail_msg("%s", r->ctx.message);
}

// ---- one file --------------------------------------------------------------------------------

static void layouts_and_symmetries(void **state) {
  (void)state;
  const struct {
    const char *text;
    int rows, cols;
    int64_t entries;
    double x[9];
  } cases[] = {
      {MM "coordinate real general\n% note\n%\n\n3 2 3\n1 1 1.5\n3 1 -2\n2 2 1e-3\n",
       3,
       2,
       3,
       {1.5, 0, 0, 1e-3, -2, 0}},
      {MM "coordinate real symmetric\n3 3 4\n1 1 1\n2 1 -2\n3 2 5\n3 3 7\n",
       3,
       3,
       6,
       {1, -2, 0, -2, 0, 5, 0, 5, 7}},
      {MM "coordinate real symmetric\n2 2 1\n1 2 -2\n", 2, 2, 2, {0, -2, -2, 0}},
      {MM "coordinate real skew-symmetric\n3 3 2\n2 1 -2\n3 2 5\n",
       3,
       3,
       4,
       {0, 2, 0, -2, 0, -5, 0, 5, 0}},
      {MM "coordinate integer general\n2 2 2\n1 1 3\n2 1 -4\n", 2, 2, 2, {3, 0, -4, 0}},
      {MM "coordinate real general\n2 2 2\n1 1 0\n2 2 1\n", 2, 2, 2, {0, 0, 0, 1}},
      {MM "coordinate real general\n0 7 0\n", 0, 7, 0, {0}},
      {MM "array real general\n2 3\n1 2\n3 0\n5 6\n", 2, 3, 5, {1, 3, 5, 2, 0, 6}},
      {MM "array real symmetric\n3 3\n1 2 3\n4 5\n6", 3, 3, 9, {1, 2, 3, 2, 4, 5, 3, 5, 6}},
      {MM "array integer skew-symmetric\n3 3\n2 3\n5\n", 3, 3, 6, {0, -2, -3, 2, 0, -5, 3, 5, 0}},
      {MM "array real general\n3 1\n1\n0\n-3\n", 3, 1, 3, {1, 0, -3}},
      {"%%MATRIXMARKET Matrix Coordinate REAL General\r\n% x\r\n 2 2  1 \r\n\r\n 1\t2  7.\r\n",
       2,
       2,
       1,
       {0, 7, 0, 0}},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    reading r;
    read_text(&r, cases[k].text);
    assert_ok(&r);
    assert_int_equal(r.A.rows, cases[k].rows);
    assert_int_equal(r.A.cols, cases[k].cols);
    assert_int_equal(ssi_sparse_entries(&r.A), cases[k].entries);
    double dense[9] = {0};
    for (int i = 0; i < r.A.rows; i++)
      for (int64_t e = r.A.ptr[i]; e < r.A.ptr[i + 1]; e++)
        dense[i * r.A.cols + r.A.col[e]] = r.A.x[e];
    for (int e = 0; e < 9; e++)
      if (dense[e] != cases[k].x[e])
        fail_msg("case %zu: [%d] = %g, expected %g", k, e, dense[e], cases[k].x[e]);
    assert_string_equal(r.log, "");
    done(&r);
  }
}

static void duplicates_are_summed_and_said(void **state) {
  (void)state;
  reading r;
  read_text(&r, MM "coordinate real general\n2 2 3\n2 2 1\n1 1 2\n2 2 3\n");
  assert_ok(&r);
  assert_int_equal(ssi_sparse_entries(&r.A), 2);
  assert_true(r.A.x[1] == 4);
  assert_non_null(strstr(r.log, "1 x.mtx: 1 duplicate entries summed"));
  assert_non_null(strstr(r.log, "neither by rows nor by columns"));
  done(&r);
}

static void damage_is_refused_with_its_place(void **state) {
  (void)state;
  const char *const cases[][2] = {
      {"", "x.mtx:1: the file ends here, expected %%MatrixMarket"},
      {"3 3 1\n1 1 1\n", "x.mtx:1: found '3', expected %%MatrixMarket"},
      {MM "coordinate real\n1 1 1\n1 1 1\n", "x.mtx:1: the line ends here, expected 'general'"},
      {MM "coordinate pattern general\n2 2 1\n1 1\n", "a pattern without numbers"},
      {MM "coordinate complex general\n2 2 1\n1 1 1 0\n", "x.mtx:1: the matrix is complex"},
      {MM "coordinate real general\n% only\n",
       "x.mtx:3: the file ends here, expected number of rows"},
      {MM "coordinate real general\n-2 2 1\n", "x.mtx:2: found '-2', expected number of rows"},
      {MM "coordinate real general\n99999999999 2 1\n",
       "found '99999999999', expected number of rows"},
      {MM "coordinate real general\n2000000000 2 1\n1 1 1\n", "nearly all of it empty"},
      {MM "array real general\n2000000000 2000000000\n1\n", "needs 4000000000000000000 more items"},
      {MM "coordinate real general\n2 2 2000000000\n1 1 1\n", "needs 2000000000 more items"},
      {MM "coordinate real general\n2 2 2\n1 1 1\n0 1 1\n",
       "x.mtx:4: index 0 in entry 1 of the rows, expected 1 to 2; does the file count from 0?"},
      {MM "coordinate real general\n2 2 1\n1 3 1\n",
       "x.mtx:3: index 3 in entry 0 of the columns, expected 1 to 2"},
      {MM "coordinate real general\n2 2 1\n1 1 nan\n", "x.mtx:3: found 'nan'"},
      {MM "array real general\n2 1\n1\n-1e309\n", "x.mtx:4: found '-1e309'"},
      {MM "coordinate real general\n2 2 2\n1 1 1.7e308\n1 1 1.7e308\n",
       "a sum of duplicate entries overflows"},
      {MM "coordinate real general\n2 2 2\n1 1 1\n2 2\n",
       "x.mtx:5: the file ends here, expected entry 1"},
      {MM "coordinate real general\n2 2 1\n1 1 1\n2 2 1\n",
       "x.mtx:4: found '2', expected the end of the file"},
      {MM "coordinate real symmetric\n2 2 2\n1 2 1\n2 1 1\n", "both sides of the diagonal"},
      {MM "coordinate real symmetric\n2 3 1\n1 1 1\n",
       "x.mtx:2: the matrix is 2 x 3, expected it square"},
      {MM "coordinate real skew-symmetric\n2 2 1\n1 1 1\n", "x.mtx:3: 1 on the diagonal"},
      {MM "coordinate integer general\n2 2 1\n1 1 1.5\n",
       "x.mtx:3: found '1.5', expected entry 0 of the matrix (an integer)"},
      {MM "coordinate integer general\n2 2 1\n1 1 9007199254740993\n", "found '9007199254740993'"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    reading r;
    read_text(&r, cases[k][0]);
    if (r.error != SS_ERR_FORMAT || !strstr(r.ctx.message, cases[k][1]))
      fail_msg("case %zu: %d '%s', expected '%s'", k, r.error, r.ctx.message, cases[k][1]);
    done(&r);
  }
}

// The seeds of the fuzzer say by their names what must become of them.
static void corpus_is_judged_as_named(void **state) {
  (void)state;
  const char *folder = STICKSLIP_TESTS "/fuzz/corpus/mtx";
  DIR *list = opendir(folder);
  assert_non_null(list);
  int good = 0, bad = 0;
  for (struct dirent *d; (d = readdir(list));) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, d->d_name);
    bool ok = strncmp(d->d_name, "ok_", 3) == 0;
    if (!ok && strncmp(d->d_name, "bad_", 4) != 0) continue;
    reading r;
    ssi_source in;
    begin(&r);
    assert_int_equal(ssi_input_read(&r.ctx, path, &r.arena, &in), SS_OK);
    r.error = ssi_read_mtx(&r.ctx, &in, &r.arena, &r.A);
    if (r.error != (ok ? SS_OK : SS_ERR_FORMAT))
      fail_msg("%s: %d %s", d->d_name, r.error, r.ctx.message);
    *(ok ? &good : &bad) += 1;
    done(&r);
  }
  closedir(list);
  assert_true(good >= 15 && bad >= 35);
}

// ---- sets ------------------------------------------------------------------------------------

static char folder[64];

static const char *in_folder(const char *name) {
  static char path[2][256];
  static int turn;
  char *p = path[turn = !turn];
  snprintf(p, sizeof path[0], "%s/%s", folder, name);
  return p;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at) {
  (void)st, (void)kind, (void)at;
  return remove(path);
}

static int make_folder(void **state) {
  (void)state;
  strcpy(folder, "/tmp/stickslip-mtx-XXXXXX");
  return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
  (void)state;
  return nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static int count_files(void) {
  DIR *list = opendir(folder);
  int count = 0;
  for (struct dirent *d; (d = readdir(list));)
    count += strcmp(d->d_name, ".") && strcmp(d->d_name, "..");
  closedir(list);
  return count;
}

static void put(const char *name, const char *text) {
  FILE *f = fopen(in_folder(name), "w");
  assert_non_null(f);
  fputs(text, f);
  fclose(f);
}

static void assert_same_bits(const double *found, const double *expected, int64_t count) {
  if (count > 0) assert_memory_equal(found, expected, (size_t)count * sizeof *found);
}

static void assert_same_matrix(const ss_sparse *found, const ss_sparse *expected) {
  int64_t count = ssi_sparse_entries(expected);
  assert_int_equal(found->rows, expected->rows);
  assert_int_equal(found->cols, expected->cols);
  assert_int_equal(ssi_sparse_entries(found), count);
  if (expected->ptr)
    assert_memory_equal(found->ptr, expected->ptr, ((size_t)found->rows + 1) * sizeof *found->ptr);
  if (count) assert_memory_equal(found->col, expected->col, (size_t)count * sizeof *found->col);
  assert_same_bits(found->x, expected->x, count);
}

static void assert_same_file(const ss_file *found, const ss_file *expected) {
  const ss_problem *p = &found->problem, *e = &expected->problem;
  int m = e->dim * e->nc;
  assert_int_equal(found->format, SS_FORMAT_MTX);
  assert_int_equal(p->form, e->form);
  assert_int_equal(p->dim, e->dim);
  assert_int_equal(p->nc, e->nc);
  assert_int_equal(p->ndof, e->ndof);
  assert_int_equal(p->nl, e->nl);
  assert_same_bits(p->mu, e->mu, e->nc);
  if (e->form == SS_REDUCED) {
    assert_same_matrix(&p->W, &e->W);
    assert_same_matrix(&p->V, &e->V);
    assert_same_matrix(&p->R, &e->R);
    assert_same_bits(p->q, e->q, m);
    assert_same_bits(p->s, e->s, e->nl);
  } else {
    assert_same_matrix(&p->M, &e->M);
    assert_same_matrix(&p->H, &e->H);
    assert_same_matrix(&p->G, &e->G);
    assert_same_bits(p->f, e->f, e->ndof);
    assert_same_bits(p->w, e->w, m);
    assert_same_bits(p->b, e->b, e->nl);
  }
  const double *const *a = (const double *const[]){found->solution.r, found->solution.u,
                                                   found->solution.v, found->solution.l};
  const double *const *b = (const double *const[]){expected->solution.r, expected->solution.u,
                                                   expected->solution.v, expected->solution.l};
  const int sizes[] = {m, m, e->ndof, e->nl};
  for (int k = 0; k < 4; k++) {
    assert_int_equal(a[k] != NULL, b[k] != NULL);
    if (b[k]) assert_same_bits(a[k], b[k], sizes[k]);
  }
}

static void write_and_compare(const ss_file *what, const char *name, int files) {
  ss_context ctx = {0};
  reading r;
  int before = count_files();
  if (ssi_write_mtx_set(&ctx, in_folder(name), what)) fail_msg("%s", ctx.message);
  assert_int_equal(count_files() - before, files);
  read_set(&r, in_folder(name));
  assert_ok(&r);
  assert_string_equal(r.log, "");
  assert_same_file(&r.file, what);
  done(&r);
}

// Numbers that lose bits in any shortened or careless notation.
static const double hard[] = {
    1.0 / 3, -0.0, 0.1, DBL_MAX, DBL_MIN / 3, -1e-300 / 7, 0x1.fffffffffffffp-3, 0, 1e22};
static const double mu2[] = {0.1, 1.0 / 3};

static void reduced_set_comes_back(void **state) {
  (void)state;
  const int64_t W_ptr[] = {0, 3, 3, 5, 6}, V_ptr[] = {0, 1, 1, 1, 2}, R_ptr[] = {0, 1};
  const int W_col[] = {0, 1, 3, 2, 3, 0}, V_col[] = {0, 0}, R_col[] = {0};
  ss_file f = {.problem = {.form = SS_REDUCED, .dim = 2, .nc = 2, .mu = mu2, .q = hard + 1}};
  f.problem.W = (ss_sparse){4, 4, W_ptr, W_col, hard};
  write_and_compare(&f, "plain", 3);
  f.problem.nl = 1;
  f.problem.s = hard + 5;
  f.problem.V = (ss_sparse){4, 1, V_ptr, V_col, hard + 1};
  f.problem.R = (ss_sparse){1, 1, R_ptr, R_col, hard + 4};
  f.solution = (ss_solution){.r = hard, .u = hard + 2, .l = hard + 3};
  write_and_compare(&f, "full.W.mtx", 9);
  write_and_compare(&f, "full", 0);  // over itself
}

static void global_set_comes_back(void **state) {
  (void)state;
  const int64_t M_ptr[] = {0, 1, 2, 4}, H_ptr[] = {0, 2, 2, 3}, G_ptr[] = {0, 0, 1, 2};
  const int M_col[] = {0, 1, 0, 2}, H_col[] = {0, 2, 1}, G_col[] = {1, 0};
  ss_file f = {.problem = {.form = SS_GLOBAL, .dim = 3, .nc = 1, .ndof = 3, .mu = mu2 + 1}};
  ss_problem *p = &f.problem;
  p->f = hard;
  p->w = hard + 4;
  p->M = (ss_sparse){3, 3, M_ptr, M_col, hard + 3};
  p->H = (ss_sparse){3, 3, H_ptr, H_col, hard + 6};
  write_and_compare(&f, "plain.mtx", 5);
  p->nl = 2;
  p->b = hard + 7;
  p->G = (ss_sparse){3, 2, G_ptr, G_col, hard};
  f.solution = (ss_solution){.r = hard, .u = hard + 1, .v = hard + 2, .l = hard + 3};
  write_and_compare(&f, "full.M.mtx", 11);
}

static void sets_without_contacts_come_back(void **state) {
  (void)state;
  const int64_t ptr[] = {0, 1, 2}, none[] = {0};
  const int col[] = {0, 1};
  ss_file f = {.problem = {.form = SS_GLOBAL, .dim = 2, .ndof = 2, .f = hard}};
  f.problem.M = (ss_sparse){2, 2, ptr, col, hard + 3};
  f.problem.H = (ss_sparse){0, 2, none, NULL, NULL};
  write_and_compare(&f, "free", 5);
  ss_file empty = {.problem = {.form = SS_REDUCED, .dim = 3}};
  write_and_compare(&empty, "empty", 3);
  // many degrees of freedom and an H without rows: nothing there is suspicious
  enum { MANY = 1500000 };
  int64_t *M_ptr = malloc((MANY + 1) * sizeof *M_ptr);
  int *M_col = malloc(MANY * sizeof *M_col);
  double *ones = malloc(MANY * sizeof *ones);
  for (int k = 0; k <= MANY; k++) M_ptr[k] = k;
  for (int k = 0; k < MANY; k++) M_col[k] = k, ones[k] = 1;
  f.problem.ndof = MANY;
  f.problem.f = ones;
  f.problem.M = (ss_sparse){MANY, MANY, M_ptr, M_col, ones};
  f.problem.H.cols = MANY;
  write_and_compare(&f, "many", 5);
  free(M_ptr);
  free(M_col);
  free(ones);
}

static void put_small_set(void) {
  put("a.W.mtx", MM "array real general\n2 2\n1 3\n0 4\n");
  put("a.q.mtx", MM "coordinate real general\n2 1 1\n2 1 -5\n");
  put("a.mu.mtx", MM "array real general\n1 1\n0.5\n");
}

static void sets_are_found_by_any_of_their_names(void **state) {
  (void)state;
  put_small_set();
  const char *const names[] = {"a", "a.W.mtx", "a.q.mtx", "a.mtx", "", "."};
  for (int k = 0; k < 6; k++) {
    reading r;
    read_set(&r, in_folder(names[k]));
    assert_ok(&r);
    const ss_problem *p = &r.file.problem;
    assert_int_equal(p->dim, 2);  // 2 rows for 1 contact
    assert_int_equal(ssi_sparse_entries(&p->W), 3);
    assert_true(p->W.x[1] == 3 && p->q[0] == 0 && p->q[1] == -5 && p->mu[0] == 0.5);
    done(&r);
  }
}

static void assert_refused(const char *name, ss_error error, const char *message) {
  reading r;
  read_set(&r, in_folder(name));
  if (r.error != error || !strstr(r.ctx.message, message))
    fail_msg("%d '%s', expected %d '%s'", r.error, r.ctx.message, error, message);
  done(&r);
}

static void sets_that_do_not_fit_are_refused(void **state) {
  (void)state;
  assert_refused("a", SS_ERR_READ, "there is neither");
  assert_refused("", SS_ERR_READ, "is a folder without a file that ends in .W.mtx or .M.mtx");
  put_small_set();
  put("a.q.mtx", MM "array real general\n3 1\n1 2 3\n");
  assert_refused("a", SS_ERR_FORMAT, "a.W.mtx:2: the matrix is 2 x 2, expected 3 x 3");
  put("a.q.mtx", MM "array real general\n1 2\n1 2\n");
  assert_refused("a", SS_ERR_FORMAT, "a.q.mtx:2: the matrix is 1 x 2, expected any x 1");
  put("a.q.mtx", MM "array real general\n5 1\n1 2 3 4 5\n");
  assert_refused("a", SS_ERR_FORMAT, "1 friction coefficients for 5 contact components");
  put_small_set();
  put("a.mu.mtx", MM "array real general\n%stickslip dim 3\n1 1\n0.5\n");
  assert_refused("a", SS_ERR_FORMAT,
                 "1 friction coefficients for 2 contact components, expected 3");
  put("a.mu.mtx", MM "array real general\n%stickslip dim 7\n1 1\n0.5\n");
  assert_refused("a", SS_ERR_FORMAT, "a.mu.mtx:2: found '7', expected dimension of contacts");
  put("a.mu.mtx", MM "array real general\n1 1\n-0.5\n");
  assert_refused("a", SS_ERR_FORMAT, "a.mu.mtx: friction coefficient of contact 0 is -0.5");
  put("a.mu.mtx", MM "array real general\n0 1\n");
  assert_refused("a", SS_ERR_FORMAT, "the dimension is not known");
  put_small_set();
  put("a.V.mtx", MM "array real general\n2 1\n1 1\n");
  assert_refused("a", SS_ERR_READ, "a.s.mtx: cannot be opened");
  remove(in_folder("a.V.mtx"));
  remove(in_folder("a.mu.mtx"));
  assert_refused("a", SS_ERR_READ, "a.mu.mtx: cannot be opened");
  put_small_set();
  put("a.M.mtx", "");
  assert_refused("a", SS_ERR_READ, "name one");
  assert_refused("", SS_ERR_READ, "expected one of them; name it");
  reading r;
  read_set(&r, in_folder("a.W.mtx"));
  assert_ok(&r);
  done(&r);
  read_set(&r, "-");
  assert_int_equal(r.error, SS_ERR_READ);
  done(&r);
}

static void writing_spoils_nothing(void **state) {
  (void)state;
  ss_context ctx = {0};
  const double nan_r[] = {1, NAN};
  ss_file f = {.problem = {.form = SS_REDUCED, .dim = 2, .nc = 1, .mu = mu2, .q = hard}};
  const int64_t ptr[] = {0, 0, 0};
  f.problem.W = (ss_sparse){2, 2, ptr, NULL, NULL};
  write_and_compare(&f, "a", 3);
  // a part of another set stays in the way
  put("a.l.mtx", "");
  assert_int_equal(ssi_write_mtx_set(&ctx, in_folder("a"), &f), SS_ERR_WRITE);
  assert_non_null(strstr(ctx.message, "a.l.mtx: is there from another set"));
  remove(in_folder("a.l.mtx"));
  // what is not finite, and what cannot be replaced: the old set stays, nothing lies around
  f.problem.q = hard + 5;
  f.solution.r = nan_r;
  assert_int_equal(ssi_write_mtx_set(&ctx, in_folder("a"), &f), SS_ERR_DATA);
  assert_non_null(strstr(ctx.message, "a.r.mtx: entry 1 is nan"));
  f.solution.r = NULL;
  remove(in_folder("a.W.mtx"));
  assert_int_equal(mkdir(in_folder("a.W.mtx"), 0777), 0);
  assert_int_equal(ssi_write_mtx_set(&ctx, in_folder("a"), &f), SS_ERR_WRITE);
  assert_int_equal(count_files(), 3);
  rmdir(in_folder("a.W.mtx"));
  put("a.W.mtx", MM "coordinate real general\n2 2 0\n");
  reading r;
  read_set(&r, in_folder("a"));
  assert_ok(&r);
  assert_same_bits(r.file.problem.q, hard, 2);
  done(&r);
  // into a folder, and to nowhere
  assert_int_equal(mkdir(in_folder("sub"), 0777), 0);
  assert_int_equal(ssi_write_mtx_set(&ctx, in_folder("sub"), &f), SS_OK);
  read_set(&r, in_folder("sub"));
  assert_ok(&r);
  assert_same_file(&r.file, &f);
  done(&r);
  assert_int_equal(ssi_write_mtx_set(&ctx, in_folder("no/where"), &f), SS_ERR_WRITE);
  assert_int_equal(ssi_write_mtx_set(&ctx, "-", &f), SS_ERR_WRITE);
}

static void every_allocation_may_fail(void **state) {
  (void)state;
  put_small_set();
  for (int write = 0; write < 2; write++) {
    ss_error error = SS_ERR_MEMORY;
    int allowed = 0;
    for (; error; allowed++) {
      assert_true(allowed < 500);
      budget b = {.left = 1000};
      ss_context ctx = on_budget(&b);
      ssi_arena arena = {.ctx = &ctx};
      ss_file file = {0};
      if (write) assert_int_equal(ssi_read_mtx_set(&ctx, in_folder("a"), &arena, &file), SS_OK);
      b.left = allowed;
      error = write ? ssi_write_mtx_set(&ctx, in_folder("b"), &file)
                    : ssi_read_mtx_set(&ctx, in_folder("a"), &arena, &file);
      if (error) assert_int_equal(error, SS_ERR_MEMORY);
      ssi_arena_release(&arena);
      assert_int_equal(b.held, 0);
      assert_int_equal(count_files(), error || !write ? 3 : 6);
    }
    assert_true(allowed > 10);
  }
}

#define in_a_folder(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(layouts_and_symmetries),
      cmocka_unit_test(duplicates_are_summed_and_said),
      cmocka_unit_test(damage_is_refused_with_its_place),
      cmocka_unit_test(corpus_is_judged_as_named),
      in_a_folder(reduced_set_comes_back),
      in_a_folder(global_set_comes_back),
      in_a_folder(sets_without_contacts_come_back),
      in_a_folder(sets_are_found_by_any_of_their_names),
      in_a_folder(sets_that_do_not_fit_are_refused),
      in_a_folder(writing_spoils_nothing),
      in_a_folder(every_allocation_may_fail),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
