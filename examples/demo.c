// A tour in one table: problems of several kinds, each built with the public interface, solved, and
// judged afresh by ss_verify from its raw data. `make demo` runs it.
//
// Small problems, one time step h of length 0.01 under gravity g = 9.81, unit mass, contact frames:
//
//   block on a slope of angle a:  v = r + h g (-cos a, sin a, 0);  sticks while tan a <= mu
//   rod leaning on a moving floor (Painleve): v = r_N + r_T - k, u = (v, v + w), mu = 2. A floor
//     moving one way (w < 0) drags the rod along, r = (k/3, 2k/3); moving the other way (w > 0) the
//     rod digs in: open needs k < 0, slip needs r_N = -k < 0, stick needs w = 0. No answer exists.
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stickslip/stickslip.h"

static const double tolerance = 1e-5, time_limit_s = 10, step_weight = 0.0981;  // h g
static const double degree = 3.14159265358979323846 / 180;

// ---- small problems -------------------------------------------------------------------------

// Storage of a small problem in global form; matrices are full, zeros included.
typedef struct small {
  ss_problem p;
  int64_t ptr[3][8];
  int col[3][36];
  double M[36], H[36], G[6], f[6], w[6], b[1], mu[2];
} small;

static ss_sparse full(small *s, int which, int rows, int cols, const double *x) {
  for (int i = 0; i <= rows; i++) s->ptr[which][i] = (int64_t)i * cols;
  for (int k = 0; k < rows * cols; k++) s->col[which][k] = k % cols;
  return (ss_sparse){rows, cols, s->ptr[which], s->col[which], x};
}

// M = identity; H, f and w are filled in by the caller before.
static void build(small *s, int dim, int nc, int ndof, int nl) {
  for (int i = 0; i < ndof; i++) s->M[i * ndof + i] = 1;
  s->p = (ss_problem){.form = SS_GLOBAL, .dim = dim, .nc = nc, .ndof = ndof, .nl = nl};
  s->p.mu = s->mu;
  s->p.M = full(s, 0, ndof, ndof, s->M);
  s->p.H = full(s, 1, dim * nc, ndof, s->H);
  s->p.f = s->f;
  s->p.w = s->w;
  if (nl) s->p.G = full(s, 2, ndof, nl, s->G);
  s->p.b = nl ? s->b : NULL;
}

static void slope(small *s, double angle) {
  s->H[0] = s->H[4] = s->H[8] = 1;
  s->f[0] = step_weight * cos(angle);
  s->f[1] = -step_weight * sin(angle);
  s->mu[0] = 0.5;
  build(s, 3, 1, 3, 0);
}

static void thrown(small *s) {
  slope(s, 0);
  s->f[0] -= 1;  // leaves the ground with unit velocity
}

// A ball lying in a groove whose sides rise at 45 degrees, without friction.
static void groove(small *s) {
  const double c = sqrt(0.5), H[] = {c, c, -c, c, -c, c, c, c};
  memcpy(s->H, H, sizeof H);
  s->f[1] = step_weight;
  build(s, 2, 2, 2, 0);
}

static void rod(small *s, double floor_velocity) {
  s->H[0] = s->H[1] = 1;
  s->f[0] = step_weight;
  s->w[1] = floor_velocity;
  s->mu[0] = 2;
  build(s, 2, 1, 1, 0);
}

// A block pushed along the ground, tied by a rail to a second mass: v_2 + v_3 = 0.
static void rail(small *s) {
  s->H[0] = s->H[4] = 1;
  s->f[0] = step_weight;
  s->f[1] = -2 * step_weight;
  s->G[1] = s->G[2] = 1;
  s->mu[0] = 0.5;
  build(s, 2, 1, 3, 1);
}

// ---- the tour -------------------------------------------------------------------------------

enum { SLOPE15, SLOPE35, THROWN, GROOVE, DRAGGED, JAMMED, RAIL, SMALL_COUNT };
enum { PILE2D = SMALL_COUNT, PILE3D, ICY_PILE, WALL, TOWER, STOP_COUNT };

static const char *const names[STOP_COUNT] = {[SLOPE15] = "block on a slope of 15 degrees",
                                              [SLOPE35] = "the same block at 35 degrees",
                                              [THROWN] = "ball thrown up from the ground",
                                              [GROOVE] = "ball in a groove, no friction",
                                              [DRAGGED] = "leaning rod, floor drags it",
                                              [JAMMED] = "leaning rod, floor pushes it",
                                              [RAIL] = "block pushed along, tied by a rail",
                                              [PILE2D] = "heap of disks (2D)",
                                              [PILE3D] = "heap of spheres",
                                              [ICY_PILE] = "heap of spheres, no friction",
                                              [WALL] = "brick wall pushed at the top",
                                              [TOWER] = "tower, each block twice the one below"};

static void make_small(int which, small *s) {
  *s = (small){0};
  switch (which) {
  case SLOPE15:
    slope(s, 15 * degree);
    break;
  case SLOPE35:
    slope(s, 35 * degree);
    break;
  case THROWN:
    thrown(s);
    break;
  case GROOVE:
    groove(s);
    break;
  case DRAGGED:
    rod(s, -1);
    break;
  case JAMMED:
    rod(s, 1);
    break;
  default:
    rail(s);
  }
}

static ss_error make_large(ss_context *ctx, int which, ss_problem **out) {
  ss_pile_options pile = ss_pile_options_default();
  ss_wall_options wall = ss_wall_options_default();
  pile.dim = which == PILE2D ? 2 : 3;
  pile.contacts = which == PILE3D ? 3000 : 500;
  pile.mu = which == ICY_PILE ? 0 : 0.4;
  wall.dim = 3;
  wall.rows = 6;
  wall.cols = 6;
  if (which == WALL) return ss_generate_wall(ctx, &wall, out);
  if (which == TOWER) return ss_generate_tower(ctx, 3, 6, 2, 0.5, out);
  return ss_generate_pile(ctx, &pile, out);
}

typedef struct outcome {
  ss_info info;
  ss_verdict verdict;
} outcome;

static ss_error solve(ss_context *ctx, const ss_problem *p, outcome *out) {
  ss_options o = ss_options_default();
  o.tol = tolerance;
  o.time_limit_s = time_limit_s;
  ss_solver *solver = NULL;
  double *r = calloc((size_t)p->dim * (size_t)p->nc + 1, sizeof *r);
  double *l = calloc((size_t)p->nl + 1, sizeof *l);
  ss_error e = r && l ? ss_solver_create(ctx, p, &o, &solver) : SS_ERR_MEMORY;
  if (!e) e = ss_solve(solver, r, NULL, NULL, l, &out->info);
  ss_solution answer = {.r = r, .l = p->nl ? l : NULL};
  if (!e) e = ss_verify(ctx, p, &answer, NULL, NULL, NULL, NULL, &out->verdict);
  ss_solver_destroy(solver);
  free(r);
  free(l);
  return e;
}

// "3 stick, 1 slip, 2 open"; for a single contact "sticks".
static void in_words(const ss_problem *p, const ss_verdict *v, char *out, size_t size) {
  static const char *const many[] = {"open", "stick", "slip"};
  static const char *const one[] = {"opens", "sticks", "slips"};
  static const ss_state order[] = {SS_STICK, SS_SLIP, SS_FREE};
  *out = '\0';
  for (int k = 0; k < 3; k++) {
    ss_state s = order[k];
    size_t used = strlen(out);
    if (v->states[s] == 0) continue;
    if (p->nc == 1)
      snprintf(out, size, "%s", one[s]);
    else
      snprintf(out + used, size - used, "%s%d %s", used ? ", " : "", v->states[s], many[s]);
  }
}

static void print_row(int which, const ss_problem *p, const outcome *o, bool solved, bool colour) {
  char words[80];
  const char *paint = !colour  ? ""
                      : solved ? "\033[32m"
                               : "\033[33m",
             *plain = colour ? "\033[0m" : "";
  in_words(p, &o->verdict, words, sizeof words);
  if (!solved && which == JAMMED)
    snprintf(words, sizeof words, "not solved: it jams, no answer exists");
  else if (!solved)
    snprintf(words, sizeof words, "not solved: %s", ss_status_name(o->info.status));
  printf("%-38s %8d   %s%-40s%s %8.0e %8.2f ms\n", names[which], p->nc, paint, words, plain,
         o->verdict.error, 1e3 * (o->info.time_setup_s + o->info.time_solve_s));
  fflush(stdout);
}

// 0; 1: not solved within the limits; 2: what must not happen, a failed call or a wrong answer.
static int visit(int which, bool colour) {
  small tiny;
  ss_problem *p = &tiny.p, *owned = NULL;
  ss_context ctx = {0};
  ss_error e = SS_OK;
  if (which < SMALL_COUNT)
    make_small(which, &tiny);
  else if ((e = make_large(&ctx, which, &owned)) == SS_OK)
    p = owned;
  outcome o = {0};
  if (!e) e = solve(&ctx, p, &o);
  bool solved = !e && o.verdict.error <= tolerance, solvable = which != JAMMED;
  if (e)
    printf("%-38s failed: %s\n", names[which], ss_error_detail(&ctx, e));
  else
    print_row(which, p, &o, solved, colour);
  ss_problem_destroy(owned);
  return solved == solvable ? 0 : e || which < SMALL_COUNT ? 2 : 1;
}

int main(void) {
  bool colour = isatty(STDOUT_FILENO) == 1;
  int count[3] = {0};
  printf("stickslip %s: every answer below was verified from its problem's raw data\n\n"
         "%-38s %8s   %-40s %8s %11s\n",
         ss_version(), "problem", "contacts", "what the contacts do", "error", "time");
  for (int which = 0; which < STOP_COUNT; which++) count[visit(which, colour)]++;
  if (count[1]) printf("\n%d not solved to %g within %g s\n", count[1], tolerance, time_limit_s);
  printf("\nerror: how far the answer is from Coulomb's law, as a part of the velocities; solved "
         "means\n"
         "       at most %g. The rod that jams is in the table because it has no answer: a solver\n"
         "       must not claim one.\n"
         "\nnext:  build/stickslip solve examples/box.json       solve a problem of your own\n"
         "       build/stickslip info examples/box.json        what a file holds\n"
         "       build/stickslip simulate --list               scenes of rigid bodies in time\n"
         "       build/stickslip help                          everything else\n",
         tolerance);
  return count[2] ? 1 : 0;
}
