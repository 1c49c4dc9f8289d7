// Reads FCLIB files: friction problems of the FCLIB collection in HDF5 (docs/formats-fclib.md).
//
//   theirs:  M v = H r + G l + f,   u = H^T v + w        ours:  M v + f = H^T r + G l,   u = H v + w
//
// so f changes sign and H is transposed: compressed columns of theirs are compressed rows of ours,
// array for array. W, V, R, G and all other vectors are the same on both sides.
//
// Vectors are read before matrices: their lengths are bounded by the file's own size, and in turn
// bound the sizes that a matrix may claim.
#include "base/error.h"
#include "io/fclib.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/hdf5_node.h"
#include "la/sparse.h"

// A matrix group with the size it must have, as the file sees it.
typedef struct h5_matrix {
  ssi_h5_node group;
  int rows, cols;
  bool transposed;  // ours is the file's transposed
  int nz, nzmax;
  int *p, *i;  // as in the file
  double *x;
  int64_t length;  // of i and x
} h5_matrix;

static ss_error no_memory(ssi_h5 *h) {
  return ssi_fail(h->ctx, SS_ERR_MEMORY, "%s: no memory", h->in->name);
}

// ---- checks --------------------------------------------------------------------------------

static ss_error check_finite(ssi_h5 *h, const ssi_h5_node *parent, const char *name,
                             const double *x, int64_t count) {
  for (int64_t k = 0; k < count; k++)
    if (!isfinite(x[k]))
      return ssi_fail(h->ctx, SS_ERR_FORMAT, "%s: %s/%s: element %lld is %g, expected finite",
                      h->in->name, parent->path, name, (long long)k, x[k]);
  return SS_OK;
}

static void range(const int *index, int64_t count, int *low, int *high) {
  *low = INT_MAX, *high = INT_MIN;
  for (int64_t k = 0; k < count; k++) {
    if (index[k] < *low) *low = index[k];
    if (index[k] > *high) *high = index[k];
  }
}

static ss_error check_indices(ssi_h5 *h, const h5_matrix *a, const char *name, const int *index,
                              int64_t count, int limit, const char *hint) {
  for (int64_t k = 0; k < count; k++) {
    if (index[k] >= 0 && index[k] < limit) continue;
    int low, high;
    range(index, count, &low, &high);
    if (low == 1 && high == limit) hint = " (they seem to count from 1, FCLIB counts from 0)";
    return ssi_fail(h->ctx, SS_ERR_FORMAT, "%s: %s/%s: element %lld is %d, expected 0 .. %d%s",
                    h->in->name, a->group.path, name, (long long)k, index[k], limit - 1, hint);
  }
  return SS_OK;
}

// The header fclib.h describes p and i of triplets the wrong way round; a file made by the book shows
// in a rectangular matrix.
static const char *exchanged_hint(const h5_matrix *a) {
  int i_low, i_high, p_low, p_high;
  range(a->i, a->nz, &i_low, &i_high);
  range(a->p, a->nz, &p_low, &p_high);
  bool swapped_fits = i_low >= 0 && p_low >= 0 && i_high < a->cols && p_high < a->rows;
  return swapped_fits ? " (i and p seem exchanged: i holds rows, p columns)" : "";
}

static ss_error check_pointers(ssi_h5 *h, const h5_matrix *a, int major) {
  if (a->p[0] != 0)
    return ssi_fail(h->ctx, SS_ERR_FORMAT, "%s: %s/p: starts with %d, expected 0%s", h->in->name,
                    a->group.path, a->p[0], a->p[0] == 1 ? " (FCLIB counts from 0)" : "");
  for (int k = 0; k < major; k++)
    if (a->p[k + 1] < a->p[k])
      return ssi_fail(h->ctx, SS_ERR_FORMAT, "%s: %s/p: element %d is %d, less than the %d before",
                      h->in->name, a->group.path, k + 1, a->p[k + 1], a->p[k]);
  if (a->p[major] > a->nzmax)
    return ssi_fail(h->ctx, SS_ERR_FORMAT, "%s: %s/p: ends with %d, expected nzmax = %d at most",
                    h->in->name, a->group.path, a->p[major], a->nzmax);
  return SS_OK;
}

// ---- matrices ------------------------------------------------------------------------------

static void say(ssi_h5 *h, const h5_matrix *a, int64_t duplicates, bool unsorted) {
  if (duplicates)
    ssi_log(h->ctx, SS_LOG_WARN, "%s: %s: %lld duplicate entries summed", h->in->name,
            a->group.path, (long long)duplicates);
  if (unsorted)
    ssi_log(h->ctx, SS_LOG_WARN, "%s: %s: entries were not in order, sorted", h->in->name,
            a->group.path);
}

static ss_error from_triplets(ssi_h5 *h, const h5_matrix *a, const int *i, const int *j,
                              int64_t count, ssi_arena *arena, ss_sparse *out) {
  int64_t duplicates = 0;
  bool unsorted = false;
  bool ok = a->transposed ? ssi_sparse_from_triplets(arena, a->cols, a->rows, count, j, i, a->x,
                                                     out, &duplicates, &unsorted)
                          : ssi_sparse_from_triplets(arena, a->rows, a->cols, count, i, j, a->x,
                                                     out, &duplicates, &unsorted);
  if (!ok) return no_memory(h);
  say(h, a, duplicates, unsorted);
  if (duplicates)  // two finite halves of an overflow
    return check_finite(h, &a->group, "x (summed)", out->x, ssi_sparse_entries(out));
  return SS_OK;
}

static ss_error read_triplets(ssi_h5 *h, h5_matrix *a, ssi_arena *scratch, ssi_arena *arena,
                              ss_sparse *out) {
  if (a->nzmax < a->nz)
    return ssi_fail(h->ctx, SS_ERR_FORMAT, "%s: %s/nzmax: is %d, expected nz = %d or more",
                    h->in->name, a->group.path, a->nzmax, a->nz);
  int64_t count = a->nz;
  SS_TRY(ssi_h5_ints(h, &a->group, "i", " = nz", scratch, &count, &a->i));
  SS_TRY(ssi_h5_ints(h, &a->group, "p", " = nz", scratch, &count, &a->p));
  SS_TRY(ssi_h5_doubles(h, &a->group, "x", " = nz", scratch, &count, &a->x));
  const char *hint = exchanged_hint(a);
  SS_TRY(check_indices(h, a, "i", a->i, count, a->rows, hint));
  SS_TRY(check_indices(h, a, "p", a->p, count, a->cols, hint));
  SS_TRY(check_finite(h, &a->group, "x", a->x, count));
  return from_triplets(h, a, a->i, a->p, count, arena, out);
}

// i and x have nzmax elements as FCLIB writes them, or as many as are used.
static ss_error read_entries(ssi_h5 *h, h5_matrix *a, int64_t used, ssi_arena *arena) {
  a->length = -1;
  SS_TRY(ssi_h5_ints(h, &a->group, "i", NULL, arena, &a->length, &a->i));
  if (a->length != a->nzmax && a->length != used)
    return ssi_fail(h->ctx, SS_ERR_FORMAT, "%s: %s/i: %lld elements, expected nzmax = %d",
                    h->in->name, a->group.path, (long long)a->length, a->nzmax);
  return ssi_h5_doubles(h, &a->group, "x", ", the length of i", arena, &a->length, &a->x);
}

static bool is_canonical(const h5_matrix *a, int major) {
  for (int k = 0; k < major; k++)
    for (int e = a->p[k] + 1; e < a->p[k + 1]; e++)
      if (a->i[e] <= a->i[e - 1]) return false;
  return true;
}

static ss_error expand(ssi_h5 *h, const h5_matrix *a, int major, ssi_arena *scratch,
                       ssi_arena *arena, ss_sparse *out) {
  int64_t used = a->p[major];
  int *index = SSI_TAKE(scratch, used, int);
  if (!index) return no_memory(h);
  for (int k = 0; k < major; k++)
    for (int e = a->p[k]; e < a->p[k + 1]; e++) index[e] = k;
  return a->nz == SSI_CSR ? from_triplets(h, a, index, a->i, used, arena, out)
                          : from_triplets(h, a, a->i, index, used, arena, out);
}

static ss_error read_compressed(ssi_h5 *h, h5_matrix *a, ssi_arena *scratch, ssi_arena *arena,
                                ss_sparse *out) {
  bool by_rows = a->nz == SSI_CSR, as_is = by_rows != a->transposed;
  int major = by_rows ? a->rows : a->cols, minor = by_rows ? a->cols : a->rows;
  int64_t count = (int64_t)major + 1;
  SS_TRY(ssi_h5_ints(h, &a->group, "p", by_rows ? " = m + 1" : " = n + 1", scratch, &count, &a->p));
  SS_TRY(check_pointers(h, a, major));
  int64_t used = a->p[major];
  SS_TRY(read_entries(h, a, used, as_is ? arena : scratch));
  SS_TRY(check_indices(h, a, "i", a->i, used, minor, ""));
  SS_TRY(check_finite(h, &a->group, "x", a->x, used));
  if (!is_canonical(a, major)) return expand(h, a, major, scratch, arena, out);
  int64_t *ptr = SSI_TAKE(as_is ? arena : scratch, count, int64_t);
  if (!ptr) return no_memory(h);
  for (int k = 0; k <= major; k++) ptr[k] = a->p[k];
  *out = (ss_sparse){major, minor, ptr, a->i, a->x};
  if (as_is) return SS_OK;
  ss_sparse other = *out;
  return ssi_sparse_transpose(arena, &other, out) ? SS_OK : no_memory(h);
}

static ss_error check_size(ssi_h5 *h, const h5_matrix *a, const char *name, int expected) {
  int found = 0;
  SS_TRY(ssi_h5_int(h, &a->group, name, &found));
  if (found == expected) return SS_OK;
  return ssi_fail(h->ctx, SS_ERR_FORMAT, "%s: %s/%s: is %d, expected %d as the vectors say",
                  h->in->name, a->group.path, name, found, expected);
}

static ss_error read_matrix(ssi_h5 *h, const ssi_h5_node *parent, const char *name, int rows,
                            int cols, bool transposed, ssi_arena *arena, ss_sparse *out) {
  h5_matrix a = {.rows = rows, .cols = cols, .transposed = transposed};
  SS_TRY(ssi_h5_required_group(h, parent, name, &a.group));
  SS_TRY(check_size(h, &a, "m", rows));
  SS_TRY(check_size(h, &a, "n", cols));
  SS_TRY(ssi_h5_int(h, &a.group, "nz", &a.nz));
  SS_TRY(ssi_h5_int(h, &a.group, "nzmax", &a.nzmax));
  if (a.nz < SSI_CSR)
    return ssi_fail(h->ctx, SS_ERR_FORMAT,
                    "%s: %s/nz: is %d, expected -2 (CSR), -1 (CSC) or the number of triplets",
                    h->in->name, a.group.path, a.nz);
  if (a.nzmax < 0)
    return ssi_fail(h->ctx, SS_ERR_FORMAT, "%s: %s/nzmax: is %d, expected 0 or more", h->in->name,
                    a.group.path, a.nzmax);
  ssi_arena scratch = {.ctx = h->ctx};
  ss_error e = a.nz >= 0 ? read_triplets(h, &a, &scratch, arena, out)
                         : read_compressed(h, &a, &scratch, arena, out);
  ssi_arena_release(&scratch);
  ssi_h5_leave(&a.group);
  return e;
}

// ---- vectors, solutions, texts -------------------------------------------------------------

static ss_error read_vector(ssi_h5 *h, const ssi_h5_node *vectors, const char *name,
                            int64_t expected, const char *why, ssi_arena *arena, int *length,
                            double **out) {
  SS_TRY(ssi_h5_doubles(h, vectors, name, why, arena, &expected, out));
  if (length) *length = (int)expected;  // ssi_h5_doubles keeps lengths within int
  return check_finite(h, vectors, name, *out, expected);
}

static ss_error read_optional(ssi_h5 *h, const ssi_h5_node *group, const char *name,
                              int64_t expected, ssi_arena *arena, const double **out) {
  double *x = NULL;
  bool there;
  SS_TRY(ssi_h5_has(h, group, name, &there));
  if (there) SS_TRY(ssi_h5_doubles(h, group, name, NULL, arena, &expected, &x));
  *out = x;
  return SS_OK;
}

// Parts of the wrong form (v of a local problem, l without bilateral constraints) have no meaning
// and are passed over. Answers may hold anything: judging them is not the reader's business.
static ss_error read_solution(ssi_h5 *h, const ssi_h5_node *group, const ss_problem *p,
                              ssi_arena *arena, ss_solution *out) {
  int64_t m = (int64_t)p->dim * p->nc;
  *out = (ss_solution){0};
  SS_TRY(read_optional(h, group, "r", m, arena, &out->r));
  SS_TRY(read_optional(h, group, "u", m, arena, &out->u));
  if (p->form == SS_GLOBAL) SS_TRY(read_optional(h, group, "v", p->ndof, arena, &out->v));
  if (p->nl > 0) SS_TRY(read_optional(h, group, "l", p->nl, arena, &out->l));
  return SS_OK;
}

static ss_error read_guesses(ssi_h5 *h, const ssi_h5_node *root, ssi_arena *arena, ss_file *out) {
  ssi_h5_node group, guess;
  SS_TRY(ssi_h5_group(h, root, "guesses", &group));
  if (group.id < 0) return SS_OK;
  int count;
  H5G_info_t info;
  SS_TRY(ssi_h5_int(h, &group, "number_of_guesses", &count));
  bool known = H5Gget_info(group.id, &info) >= 0;
  if (count < 0 || !known || (hsize_t)count >= info.nlinks || (size_t)count > h->in->size)
    return ssi_fail(
        h->ctx, SS_ERR_FORMAT,
        "%s: /guesses/number_of_guesses: is %d, expected the number of groups beside it",
        h->in->name, count);
  ss_solution *guesses = SSI_TAKE(arena, count, ss_solution);
  if (!guesses) return no_memory(h);
  for (int k = 0; k < count; k++) {
    char name[16];
    snprintf(name, sizeof name, "%d", k + 1);
    SS_TRY(ssi_h5_required_group(h, &group, name, &guess));
    SS_TRY(read_solution(h, &guess, &out->problem, arena, &guesses[k]));
    ssi_h5_leave(&guess);
  }
  out->guesses = count ? guesses : NULL;
  out->guess_count = count;
  ssi_h5_leave(&group);
  return SS_OK;
}

static ss_error read_info(ssi_h5 *h, const ssi_h5_node *problem, ssi_arena *arena, ss_file *out) {
  ssi_h5_node info;
  SS_TRY(ssi_h5_group(h, problem, "info", &info));
  if (info.id < 0) return SS_OK;
  SS_TRY(ssi_h5_text(h, &info, "title", arena, &out->title));
  SS_TRY(ssi_h5_text(h, &info, "description", arena, &out->description));
  SS_TRY(ssi_h5_text(h, &info, "math_info", arena, &out->math_info));
  ssi_h5_leave(&info);
  return SS_OK;
}

// ---- problems ------------------------------------------------------------------------------

static ss_error read_contacts(ssi_h5 *h, const ssi_h5_node *group, const ssi_h5_node *vectors,
                              ssi_arena *arena, ss_problem *p) {
  double *mu = NULL;
  SS_TRY(ssi_h5_int(h, group, "spacedim", &p->dim));
  if (p->dim != 2 && p->dim != 3)
    return ssi_fail(h->ctx, SS_ERR_FORMAT, "%s: %s/spacedim: is %d, expected 2 or 3", h->in->name,
                    group->path, p->dim);
  SS_TRY(read_vector(h, vectors, "mu", -1, NULL, arena, &p->nc, &mu));
  if (p->nc > INT_MAX / p->dim)
    return ssi_fail(h->ctx, SS_ERR_FORMAT, "%s: %s/mu: %d contacts, expected at most %d",
                    h->in->name, vectors->path, p->nc, INT_MAX / p->dim);
  p->mu = mu;
  return SS_OK;
}

static const char contacts_why[] = " = spacedim times the length of mu";

static ss_error read_local(ssi_h5 *h, const ssi_h5_node *group, ssi_arena *arena, ss_problem *p) {
  ssi_h5_node vectors;
  double *q = NULL, *s = NULL;
  p->form = SS_REDUCED;
  SS_TRY(ssi_h5_required_group(h, group, "vectors", &vectors));
  SS_TRY(read_contacts(h, group, &vectors, arena, p));
  int m = p->dim * p->nc;
  SS_TRY(read_vector(h, &vectors, "q", m, contacts_why, arena, NULL, &q));
  SS_TRY(read_matrix(h, group, "W", m, m, false, arena, &p->W));
  p->q = q;
  bool has_V, has_R, has_s;
  SS_TRY(ssi_h5_has(h, group, "V", &has_V));
  SS_TRY(ssi_h5_has(h, group, "R", &has_R));
  SS_TRY(ssi_h5_has(h, &vectors, "s", &has_s));
  if (!has_V && !has_R && !has_s) return SS_OK;
  if (!has_V || !has_R || !has_s)
    return ssi_fail(h->ctx, SS_ERR_FORMAT,
                    "%s: %s: %s missing, expected V, R and vectors/s together or none", h->in->name,
                    group->path,
                    !has_V   ? "V"
                    : !has_R ? "R"
                             : "vectors/s");
  SS_TRY(read_vector(h, &vectors, "s", -1, NULL, arena, &p->nl, &s));
  SS_TRY(read_matrix(h, group, "V", m, p->nl, false, arena, &p->V));
  SS_TRY(read_matrix(h, group, "R", p->nl, p->nl, false, arena, &p->R));
  p->s = s;
  if (p->nl == 0) p->V = p->R = (ss_sparse){0}, p->s = NULL;
  return SS_OK;
}

static ss_error read_global(ssi_h5 *h, const ssi_h5_node *group, ssi_arena *arena, ss_problem *p) {
  ssi_h5_node vectors;
  double *f = NULL, *w = NULL, *b = NULL;
  p->form = SS_GLOBAL;
  SS_TRY(ssi_h5_required_group(h, group, "vectors", &vectors));
  SS_TRY(read_contacts(h, group, &vectors, arena, p));
  int m = p->dim * p->nc;
  SS_TRY(read_vector(h, &vectors, "w", m, contacts_why, arena, NULL, &w));
  SS_TRY(read_vector(h, &vectors, "f", -1, NULL, arena, &p->ndof, &f));
  for (int k = 0; k < p->ndof; k++) f[k] = -f[k];
  SS_TRY(read_matrix(h, group, "M", p->ndof, p->ndof, false, arena, &p->M));
  SS_TRY(read_matrix(h, group, "H", p->ndof, m, true, arena, &p->H));
  p->w = w, p->f = f;
  bool has_G, has_b;
  SS_TRY(ssi_h5_has(h, group, "G", &has_G));
  SS_TRY(ssi_h5_has(h, &vectors, "b", &has_b));
  if (!has_G && !has_b) return SS_OK;
  if (!has_G || !has_b)
    return ssi_fail(h->ctx, SS_ERR_FORMAT,
                    "%s: %s: %s missing, expected G and vectors/b together or none", h->in->name,
                    group->path, !has_G ? "G" : "vectors/b");
  SS_TRY(read_vector(h, &vectors, "b", -1, NULL, arena, &p->nl, &b));
  SS_TRY(read_matrix(h, group, "G", p->ndof, p->nl, false, arena, &p->G));
  p->b = b;
  if (p->nl == 0) p->G = (ss_sparse){0}, p->b = NULL;
  return SS_OK;
}

// What simulate writes of mechanisms and elastic bodies is no problem, and no run of rigid bodies either.
static ss_error refuse_tables(ssi_h5 *h, const ssi_h5_node *root, ssi_arena *arena) {
  const char *format;
  SS_TRY(ssi_h5_text(h, root, "format", arena, &format));
  bool trajectory = format && strcmp(format, "stickslip trajectory") == 0;
  if (!trajectory && !(format && strcmp(format, "stickslip march") == 0)) return SS_OK;
  return ssi_fail(h->ctx, SS_ERR_FORMAT,
                  "%s: holds what simulate wrote of %s, no problem; stickslip report shows it%s",
                  h->in->name, trajectory ? "a mechanism" : "elastic bodies",
                  trajectory ? ", simulate -o FILE.csv writes its tables" : "");
}

static ss_error refuse_kind(ssi_h5 *h, const ssi_h5_node *root, ssi_arena *arena) {
  char names[256];
  bool local, rolling;
  SS_TRY(refuse_tables(h, root, arena));
  SS_TRY(ssi_h5_has(h, root, "fclib_local", &local));
  SS_TRY(ssi_h5_has(h, root, "fclib_global_rolling", &rolling));
  if (local)
    return ssi_fail(h->ctx, SS_ERR_FORMAT,
                    "%s: /: found both /fclib_local and /fclib_global, expected one problem",
                    h->in->name);
  if (rolling)
    return ssi_fail(h->ctx, SS_ERR_FORMAT,
                    "%s: /fclib_global_rolling: a problem with rolling friction, expected "
                    "/fclib_local or /fclib_global (sliding friction)",
                    h->in->name);
  ssi_h5_names(root, 8, names, sizeof names);
  return ssi_fail(h->ctx, SS_ERR_FORMAT,
                  "%s: no FCLIB problem: found %s at the top, expected fclib_local or fclib_global",
                  h->in->name, names);
}

static ss_error read_file(ssi_h5 *h, const ssi_h5_node *root, ssi_arena *arena, ss_file *out) {
  ssi_h5_node group, solution;
  bool local, global;
  SS_TRY(ssi_h5_has(h, root, "fclib_local", &local));
  SS_TRY(ssi_h5_has(h, root, "fclib_global", &global));
  if (local == global) return refuse_kind(h, root, arena);
  SS_TRY(ssi_h5_required_group(h, root, local ? "fclib_local" : "fclib_global", &group));
  SS_TRY(local ? read_local(h, &group, arena, &out->problem)
               : read_global(h, &group, arena, &out->problem));
  SS_TRY(read_info(h, &group, arena, out));
  SS_TRY(ssi_h5_group(h, root, "solution", &solution));
  if (solution.id >= 0) SS_TRY(read_solution(h, &solution, &out->problem, arena, &out->solution));
  return read_guesses(h, root, arena, out);
}

ss_error ssi_read_fclib(ss_context *ctx, const ssi_source *in, ssi_arena *arena, ss_file *out) {
  ssi_h5 h;
  ssi_h5_node root;
  *out = (ss_file){.format = SS_FORMAT_FCLIB};
  ss_error e = ssi_h5_open(&h, ctx, in, &root);
  if (!e) e = read_file(&h, &root, arena, out);
  ssi_h5_close(&h);
  return e;
}

static ss_error read_answer(ssi_h5 *h, const ssi_h5_node *root, const ss_problem *p,
                            ssi_arena *arena, ss_solution *out) {
  ssi_h5_node group;
  SS_TRY(ssi_h5_required_group(h, root, "solution", &group));
  SS_TRY(read_solution(h, &group, p, arena, out));
  if (out->r) return SS_OK;
  return ssi_fail(h->ctx, SS_ERR_FORMAT, "%s: /solution/r: not found, expected a dataset",
                  h->in->name);
}

ss_error ssi_read_fclib_solution(ss_context *ctx, const ssi_source *in, const ss_file *problem,
                                 ssi_arena *arena, ss_solution *out) {
  ssi_h5 h;
  ssi_h5_node root;
  ss_error e = ssi_h5_open(&h, ctx, in, &root);
  if (!e) e = read_answer(&h, &root, &problem->problem, arena, out);
  ssi_h5_close(&h);
  return e;
}
