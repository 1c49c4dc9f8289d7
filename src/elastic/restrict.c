// Degrees of freedom that are free, and what of the matrices belongs to them.
#include <math.h>

#include "base/error.h"
#include "elastic/march.h"
#include "la/direct.h"
#include "la/sparse.h"

bool ssi_free_dofs(ssi_arena *arena, const ss_structure *s, const int **place, const int **dof,
                   const bool **given, int *count) {
  size_t n = (size_t)s->ndof + 1;
  int *to = SSI_TAKE(arena, n, int), *from = SSI_TAKE(arena, n, int);
  bool *held = SSI_TAKE(arena, n, bool);
  if (arena->failed) return false;
  for (int k = 0; k < s->prescribed_count; k++) held[s->prescribed[k].dof] = true;
  int used = 0;
  for (int k = 0; k < s->ndof; k++) {
    to[k] = held[k] ? -1 : used;
    if (!held[k]) from[used++] = k;
  }
  *place = to, *dof = from, *given = held, *count = used;
  return true;
}

typedef struct gather {
  int *i, *j;
  double *x;
  int64_t count;
} gather;

static bool gather_begin(ssi_arena *scratch, int64_t room, gather *g) {
  *g = (gather){SSI_TAKE(scratch, room + 1, int), SSI_TAKE(scratch, room + 1, int),
                SSI_TAKE(scratch, room + 1, double), 0};
  return !scratch->failed;
}

// rows: place of each row, NULL: as they are.
static void gather_add(gather *g, const ss_sparse *A, double factor, const int *rows,
                       const int *cols) {
  if (!A->ptr || factor == 0) return;
  for (int i = 0; i < A->rows; i++)
    for (int64_t k = A->ptr[i]; k < A->ptr[i + 1]; k++) {
      int row = rows ? rows[i] : i, col = cols ? cols[A->col[k]] : A->col[k];
      if (row < 0 || col < 0) continue;
      g->i[g->count] = row, g->j[g->count] = col;
      g->x[g->count++] = factor * A->x[k];
    }
}

static bool gather_end(ssi_arena *arena, ssi_arena *scratch, const gather *g, int rows, int cols,
                       ss_sparse *out) {
  bool ok = !scratch->failed && ssi_sparse_from_triplets(arena, rows, cols, g->count, g->i, g->j,
                                                         g->x, out, NULL, NULL);
  ssi_arena_release(scratch);
  return ok;
}

bool ssi_restrict_sum(ssi_arena *arena, const ss_structure *s, ssi_weights w, const int *place,
                      int count, ss_sparse *out) {
  ssi_arena scratch = {.ctx = arena->ctx};
  gather g;
  if (gather_begin(
          &scratch,
          ssi_sparse_entries(&s->K) + ssi_sparse_entries(&s->C) + ssi_sparse_entries(&s->M), &g)) {
    gather_add(&g, &s->M, w.a, place, place);
    gather_add(&g, &s->C, w.b, place, place);
    gather_add(&g, &s->K, w.c, place, place);
  }
  return gather_end(arena, &scratch, &g, count, count, out);
}

bool ssi_restrict_columns(ssi_arena *arena, const ss_sparse *H, const int *place, int count,
                          ss_sparse *out) {
  ssi_arena scratch = {.ctx = arena->ctx};
  gather g;
  if (gather_begin(&scratch, ssi_sparse_entries(H), &g)) gather_add(&g, H, 1, NULL, place);
  return gather_end(arena, &scratch, &g, H->rows, count, out);
}

bool ssi_H_at(ssi_arena *arena, const ss_structure *s, double t, ss_sparse *out) {
  int high = 0;
  while (high < s->H_count && s->H_time && s->H_time[high] <= t) high++;
  int low = high > 0 ? high - 1 : 0;
  if (high >= s->H_count) high = s->H_count - 1;
  if (s->H_count == 0) {
    *out = (ss_sparse){0};
    return ssi_sparse_complete(arena, s->dim * s->nc, s->ndof, out);
  }
  double part = high > low ? (t - s->H_time[low]) / (s->H_time[high] - s->H_time[low]) : 0;
  ssi_arena scratch = {.ctx = arena->ctx};
  gather g;
  if (gather_begin(&scratch, ssi_sparse_entries(&s->H[low]) + ssi_sparse_entries(&s->H[high]),
                   &g)) {
    gather_add(&g, &s->H[low], 1 - part, NULL, NULL);
    gather_add(&g, &s->H[high], part, NULL, NULL);
  }
  return gather_end(arena, &scratch, &g, s->dim * s->nc, s->ndof, out);
}

// ---- held or not -----------------------------------------------------------------------------------

static ss_error loose(ss_context *ctx, const ss_structure *s, int dof, const char *what) {
  if (s->part && s->part_name)
    return ssi_fail(ctx, SS_ERR_DATA,
                    "%s is singular: \"%s\" is held by nothing against some motion; prescribe "
                    "displacements, or give it drag",
                    what, s->part_name[s->part[dof]]);
  return ssi_fail(
      ctx, SS_ERR_DATA,
      "%s is singular or indefinite: degree of freedom %d, and what hangs on it, is held "
      "by nothing against some motion",
      what, dof);
}

// A row whose pivot is less than this of its diagonal is what rounding leaves of nothing.
static const double NOTHING = 1e-13;

// A relative pivot near zero: the motion without resistance is where an inverse iteration goes to.
static int loosest(ss_context *ctx, ssi_factor *f, int n) {
  ssi_arena scratch = {.ctx = ctx};
  double *x = SSI_TAKE(&scratch, n + 1, double);
  int worst = 0;
  for (int i = 0; x && i < n; i++) x[i] = i % 2 ? 1 : 0.5;
  for (int turn = 0; x && turn < 3; turn++) {
    if (ssi_factor_solve(f, x, x)) break;
    for (int i = 0; i < n; i++)
      if (fabs(x[i]) > fabs(x[worst])) worst = i;
    double scale = 1 / fabs(x[worst]);
    for (int i = 0; i < n; i++) x[i] *= scale;
  }
  ssi_arena_release(&scratch);
  return worst;
}

// The row whose pivot is not positive, found once more: the factor only says that there is one.
static int bad_row(ss_context *ctx, const ss_sparse *A) {
  ssi_arena scratch = {.ctx = ctx};
  ssi_direct *d =
      ssi_direct_begin(&scratch, &ssi_sparse_cholesky, (ssi_direct_wishes){.lower = true});
  int row = 0;
  if (d && !ssi_direct_analyse(d, A, &scratch) && ssi_direct_factor(d, A) && d->bad_row >= 0)
    row = d->bad_row;
  ssi_direct_release(d);
  ssi_arena_release(&scratch);
  return row;
}

ss_error ssi_factor_held(ss_context *ctx, const ss_structure *s, const ss_sparse *A, const int *dof,
                         const char *what, ssi_factor **out) {
  ss_error e = ssi_factor_create(ctx, A, out);
  if (e == SS_ERR_DATA) return loose(ctx, s, dof[bad_row(ctx, A)], what);
  if (e) return e;
  if (A->rows == 0 || ssi_factor_weakest_pivot(*out) >= NOTHING) return SS_OK;
  int at = loosest(ctx, *out, A->rows);
  ssi_factor_destroy(*out);
  *out = NULL;
  return loose(ctx, s, dof[at], what);
}
