// Springs, dampers and bushings within one step: their forces depend on where it ends, and on the velocities there.
//
// With p(v) the impulses of all elements over the step that ends with the velocities v (-h B^T T of scene/elements.h, along
// the motion with v_theta), c the momentum that gravity, loads, gyroscopic terms and joints' kicks leave,
//
//   M v = c(v) + p(v) + H^T r + G l                                                              (1)
//
// is solved by Newton's method, the friction problem of each pass being (1) linear about the last answer v_k:
//
//   A v = c + p(v_k) + (A - M) v_k + H^T r + G l,    A = M + h theta B^T (h dT/ds_1 + dT/ds') B    (2)
//
// A is -d(p)/dv up to what is not symmetric (rows differ between the middle and the end of a step, by O(h)) or not
// semi-definite (turning of rows under pressure, of arms and of frames: geometric stiffness, h^2 T over a length beside
// masses; falling characteristics). So A is positive definite, and passes converge linearly, fast, to the solution of (1)
// itself. They end when the residual of (1), as the velocity A^-1 residual that is still missing, is below a bound.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "dynamics/step/step.h"
#include "la/sparse.h"

static ss_error no_memory(const ssi_world *w) {
  return ssi_fail(w->ctx, SS_ERR_MEMORY, "no memory for %d force elements", w->element_count);
}

// ---- the matrix -------------------------------------------------------------------------------

static int64_t add_body_block(int width, int a, int b, int64_t n, int *row, int *col) {
  for (int i = 0; i < width; i++)
    for (int j = 0; j < width; j++, n++) row[n] = a * width + i, col[n] = b * width + j;
  return n;
}

// The pattern: the diagonal, and whole blocks of the bodies that elements are at.
static bool make_pattern(const ssi_world *w, ssi_arena *arena, ssi_flex *flex) {
  ssi_arena scratch = {.ctx = w->ctx};
  int width = w->per_body;
  size_t most = (size_t)w->nall + 4 * (size_t)w->element_count * (size_t)(width * width);
  int *row = SSI_TAKE(&scratch, most, int), *col = SSI_TAKE(&scratch, most, int);
  double *x = SSI_TAKE(&scratch, most, double);
  bool ok = !scratch.failed;
  int64_t n = 0;
  for (int k = 0; ok && k < w->nall; k++, n++) row[n] = col[n] = k;
  for (int e = 0; ok && e < w->element_count; e++) {
    const int side[2] = {w->element[e].a, w->element[e].b};
    for (int i = 0; i < 2; i++)
      for (int j = 0; side[i] >= 0 && j < 2; j++)
        if (side[j] >= 0) n = add_body_block(width, side[i], side[j], n, row, col);
  }
  ok =
      ok && ssi_sparse_from_triplets(arena, w->nall, w->nall, n, row, col, x, &flex->A, NULL, NULL);
  ssi_arena_release(&scratch);
  return ok;
}

bool ssi_flex_create(const ssi_world *w, ssi_arena *a, ssi_flex *flex) {
  size_t ndof = (size_t)w->ndof, nall = (size_t)w->nall;
  flex->action = SSI_TAKE(a, w->element_count, ssi_action);
  flex->theta = SSI_TAKE(a, w->nb, double);
  flex->bound = SSI_TAKE(a, w->nb, bool);
  flex->to = SSI_TAKE(a, w->nb, ss_pose);
  flex->answer = SSI_TAKE(a, nall, double);
  flex->impulse = SSI_TAKE(a, ndof, double);
  flex->scratch = SSI_TAKE(a, nall, double);
  flex->diagonal = SSI_TAKE(a, nall, double);
  if (a->failed || !make_pattern(w, a, flex)) return false;
  for (int e = 0; e < w->element_count; e++) {
    flex->bound[w->element[e].a] = true;
    if (w->element[e].b >= 0) flex->bound[w->element[e].b] = true;
  }
  return true;
}

// Element `act` in (2), with the square roots of the bodies' theta on either side of it: symmetric, and the same where
// these are equal.
static void add_action(const ssi_world *w, const ssi_action *act, double h, ssi_flex *flex) {
  double *x = (double *)(uintptr_t)flex->A.x, S[6][6], block[36];
  for (int i = 0; i < act->n; i++)
    for (int j = 0; j < act->n; j++) S[i][j] = h * act->stiffness[i][j] + act->damping[i][j];
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) {
      int a = act->body[i], b = act->body[j], width = w->per_body;
      if (a < 0 || b < 0) continue;
      double scale = h * sqrt(flex->theta[a] * flex->theta[b]);
      ssi_action_block(w, act, S, i, j, block);
      for (int k = 0; k < width; k++) {
        int64_t at = ssi_sparse_find(&flex->A, a * width + k, b * width);
        for (int l = 0; l < width; l++) x[at + l] += scale * block[k * width + l];
      }
    }
}

// The arms are in the rows through the mean of both rotations, half of which is that at the end.
static void add_turning(const ssi_world *w, const ssi_action *act, double h, ssi_flex *flex) {
  double *x = (double *)(uintptr_t)flex->A.x;
  int first = w->dim == 2 ? 2 : 0;
  for (int side = 0; side < 2; side++) {
    int body = act->body[side], spin = body * w->per_body + w->per_body - (3 - first);
    for (int i = first; body >= 0 && i < 3; i++) {
      int64_t at = ssi_sparse_find(&flex->A, spin + i - first, spin);
      for (int j = first; j < 3; j++)
        x[at + j - first] += h * h * flex->theta[body] / 2 * act->turning[side][i][j];
    }
  }
}

// To the last bit, so that Cholesky's factors serve for it (la/factor.h).
static void make_symmetric(const ss_sparse *A) {
  double *x = (double *)(uintptr_t)A->x;
  for (int i = 0; i < A->rows; i++)
    for (int64_t k = A->ptr[i]; A->col[k] < i; k++) x[ssi_sparse_find(A, A->col[k], i)] = x[k];
}

static void set_matrix(const ssi_world *w, double h, ssi_flex *flex) {
  double *x = (double *)(uintptr_t)flex->A.x;
  memset(x, 0, sizeof(double) * (size_t)ssi_sparse_entries(&flex->A));
  for (int e = 0; e < w->element_count; e++) {
    add_action(w, flex->action + e, h, flex);
    add_turning(w, flex->action + e, h, flex);
  }
  make_symmetric(&flex->A);
  for (int k = 0; k < w->nall; k++) {
    int64_t at = ssi_sparse_find(&flex->A, k, k);
    x[at] += w->mass[k];
    flex->diagonal[k] = x[at];
  }
}

// SS_ERR_DATA: not positive definite, or not numbers at all.
static ss_error factor(const ssi_world *w, ssi_flex *flex) {
  ss_error e = flex->factor ? ssi_factor_renew(w->ctx, flex->factor, &flex->A)
                            : ssi_factor_create(w->ctx, &flex->A, &flex->factor);
  if (!e || e == SS_ERR_DATA) return e;
  ssi_factor_destroy(flex->factor);  // it cannot be renewed
  flex->factor = NULL;
  return e == SS_ERR_LINEAR ? SS_ERR_DATA : no_memory(w);
}

static ss_error solve(const ssi_world *w, ssi_flex *flex, double *x) {
  ss_error e = ssi_factor_solve(flex->factor, x, x);
  if (e == SS_ERR_LINEAR) flex->lost = true;
  return e == SS_ERR_MEMORY ? no_memory(w) : SS_OK;
}

// Passes that run away end with numbers that no factorisation takes: A is then M, and the step is not solved.
static ss_error factor_or_lose(const ssi_world *w, ssi_flex *flex) {
  ss_error e = factor(w, flex);
  if (e != SS_ERR_DATA) return e;
  flex->lost = true;
  memset(flex->action, 0, sizeof *flex->action * (size_t)w->element_count);
  for (int k = 0; k < w->element_count; k++) flex->action[k].body[0] = flex->action[k].body[1] = -1;
  memset(flex->impulse, 0, sizeof(double) * (size_t)w->ndof);
  set_matrix(w, 0, flex);
  return factor(w, flex);
}

// ---- passes -----------------------------------------------------------------------------------

// More than these, and the steepest slopes of the characteristics are taken in place of those at the last answer, for
// which passes descend on a convex potential, if slowly, where Newton's method goes to and fro over the corners of a table.
enum { TO_AND_FRO = 12 };

static void evaluate(const ssi_world *w, const ssi_state *s, ssi_step *step) {
  ssi_flex *flex = &step->flex;
  memcpy(flex->to, s->pose, sizeof(ss_pose) * (size_t)w->nb);
  ssi_displace(w, step->h, step->v_move, flex->to);
  ssi_span across = {s->pose, flex->to, s->now.time, step->h, NULL, 0};
  memset(flex->impulse, 0, sizeof(double) * (size_t)w->ndof);
  for (int e = 0; e < w->element_count; e++) {
    const ssi_element *each = w->element + e;
    double theta = flex->theta[each->a];
    if (each->b >= 0) theta = fmax(theta, flex->theta[each->b]);
    ssi_element_act(w, each, &across, step->v_move, theta, s->angle, flex->passes > TO_AND_FRO,
                    flex->action + e);
    ssi_action_force(w, flex->action + e, step->h, flex->impulse);
    flex->lost = flex->lost || flex->action[e].undefined;
  }
}

// (2) about `answer`, where v_move leads; v_free is c/M before and A^-1 of the right-hand side after.
ss_error ssi_flex_aim(const ssi_world *w, const ssi_state *s, const double *answer,
                      ssi_step *step) {
  ssi_flex *flex = &step->flex;
  double *right = flex->scratch;
  flex->passes++;
  flex->lost = false;
  evaluate(w, s, step);
  set_matrix(w, step->h, flex);
  SS_TRY(factor_or_lose(w, flex));
  memset(right, 0, sizeof(double) * (size_t)w->nall);
  ssi_sparse_multiply_add(&flex->A, answer, right);
  for (int k = 0; k < w->ndof; k++) {
    if (!flex->bound[k / w->per_body] || !isfinite(answer[k]))
      right[k] = w->mass[k] * step->v_free[k];
    else
      right[k] += w->mass[k] * (step->v_free[k] - answer[k]) + flex->impulse[k];
    step->f[k] = 0.0 - right[k];
  }
  SS_TRY(solve(w, flex, right));
  for (int k = 0; k < w->ndof; k++)
    if (flex->bound[k / w->per_body]) step->v_free[k] = right[k];
  return SS_OK;
}

// The free motion of what elements are at, and no joints: c of (1) at the last answer.
static void free_motion(const ssi_world *w, const ssi_state *s, ssi_step *step) {
  const double *answer = step->flex.answer;
  double theta = w->scene->stepping.theta;
  for (int k = 0; k < w->ndof; k++) step->v_move[k] = theta * answer[k] + (1 - theta) * s->v[k];
  for (int i = 0; i < w->nb; i++) {
    if (!step->flex.bound[i]) continue;
    ssi_accelerate(w, s, step, i);
    if (w->body[i].isotropic) continue;
    double spins[3];
    size_t spin = (size_t)i * w->per_body + 3;
    for (size_t k = 0; k < 3; k++) spins[k] = s->v[spin + k] + answer[spin + k];
    ssi_gyroscopic(w, step, i, spins);
  }
}

static ss_error aim_at(const ssi_world *w, const ssi_state *s, const double *v, ssi_step *step) {
  ssi_flex *flex = &step->flex;
  memcpy(flex->answer, v, sizeof(double) * (size_t)w->ndof);
  free_motion(w, s, step);
  return ssi_flex_aim(w, s, flex->answer, step);
}

static double size_of(const ssi_world *w, const double *v) {
  double sum = 0;
  for (int k = 0; k < w->ndof; k++) sum += w->mass[k] * v[k] * v[k];
  return sum;
}

double ssi_relative(const ssi_world *w, const ssi_state *s, const ssi_step *step, const double *v,
                    const double *x) {
  double all = size_of(w, s->v) + size_of(w, v) + size_of(w, step->v_free);
  return all > 0 ? sqrt(size_of(w, x) / all) : 0;
}

// (1) without reactions. Passes that do not come to an end here may do so with them: the prediction is then that of
// the first one.
ss_error ssi_flex_predict(const ssi_world *w, const ssi_state *s, ssi_step *step) {
  ssi_flex *flex = &step->flex;
  double *difference = SSI_TAKE(&step->work, w->ndof, double), missing = INFINITY;
  if (step->work.failed) return no_memory(w);
  for (int i = 0; i < w->nb; i++) flex->theta[i] = w->scene->stepping.theta;
  flex->passes = 0;
  SS_TRY(aim_at(w, s, s->v, step));
  for (;;) {
    for (int k = 0; k < w->ndof; k++) difference[k] = step->v_free[k] - flex->answer[k];
    missing = ssi_relative(w, s, step, flex->answer, difference);
    if (missing <= SSI_PASS_ENOUGH || flex->passes >= SSI_PASSES || flex->lost) break;
    SS_TRY(aim_at(w, s, step->v_free, step));
  }
  flex->passes = 0;
  if (missing <= SSI_PASS_POOR) return SS_OK;
  return aim_at(w, s, s->v, step);
}

// The residual of (1) at v_new, with the reactions that led there:  (A v + f) before - (A v + f) after it is aimed at.
ss_error ssi_flex_follow(const ssi_world *w, const ssi_state *s, ssi_step *step, double *missing) {
  ssi_flex *flex = &step->flex;
  double *residual = SSI_TAKE(&step->work, w->ndof, double);
  if (step->work.failed) return no_memory(w);
  memcpy(residual, step->f, sizeof(double) * (size_t)w->ndof);
  ssi_sparse_multiply_add(&flex->A, step->v_new, residual);
  SS_TRY(aim_at(w, s, step->v_new, step));
  for (int k = 0; k < w->ndof; k++) {
    residual[k] = flex->bound[k / w->per_body] ? residual[k] - step->f[k] : 0;
    flex->scratch[k] = 0;
  }
  ssi_sparse_multiply_add(&flex->A, step->v_new, flex->scratch);
  for (int k = 0; k < w->ndof; k++)
    if (flex->bound[k / w->per_body]) residual[k] -= flex->scratch[k];
  SS_TRY(solve(w, flex, residual));
  *missing = flex->lost ? INFINITY : ssi_relative(w, s, step, step->v_new, residual);
  return SS_OK;
}

void ssi_flex_settle(const ssi_world *w, const ssi_state *s, ssi_step *step) {
  evaluate(w, s, step);
}

void ssi_flex_wind(const ssi_world *w, const ssi_flex *flex, double *angle) {
  for (int e = 0; e < w->element_count; e++) {
    int first = w->element[e].angle, last = first;
    if (first < 0) continue;
    last += w->element[e].kind == SSI_BUSHING && w->dim == 3 ? 3 : 1;
    for (int k = first; k < last; k++) angle[k] = flex->action[e].angle[k - first];
  }
}
