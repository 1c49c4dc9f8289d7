// tests/mechanism_run.h - a mechanism being run, and its laws checked from its own functions.
#pragma once

#include "harness.h"
#include "stickslip/stickslip.h"

typedef struct mechanism_run {
  ss_context ctx;
  ss_machine *machine;
  ss_evolution *e;
} mechanism_run;

typedef struct parameter {
  const char *name;
  double value;
} parameter;

static inline bool has_sundials(void) {
  bool in = false;
  const char *name;
  for (int i = 0; (name = ss_capability(i, &in)); i++)
    if (strcmp(name, "sundials") == 0) return in;
  return false;
}

static inline void need_sundials(void) {
  if (has_sundials()) return;
  print_message("not in this build: SUNDIALS\n");
  skip();
}

static inline void build_mechanism(mechanism_run *r, const char *name, const parameter *given,
                                   int count) {
  ss_model_setting settings[16] = {0};
  memset(r, 0, sizeof *r);
  for (int k = 0; k < count; k++)
    settings[k] = (ss_model_setting){given[k].name, NULL, given[k].value};
  if (ss_machine_build(&r->ctx, name, settings, count, &r->machine)) fail_msg("%s", r->ctx.message);
  r->machine->options.step = 0;
}

static inline void begin_mechanism(mechanism_run *r) {
  ss_machine *m = r->machine;
  if (ss_evolution_create(&r->ctx, &m->mechanism, &m->options, m->t, m->q, m->v, &r->e))
    fail_msg("%s", r->ctx.message);
}

static inline void advance_mechanism(mechanism_run *r, double t) {
  if (ss_evolution_advance(r->e, t)) fail_msg("%s", r->ctx.message);
}

static inline ss_evolution_state state_of(mechanism_run *r) {
  ss_evolution_state s;
  if (ss_evolution_state_now(r->e, &s)) fail_msg("%s", r->ctx.message);
  return s;
}

static inline double closure_of(mechanism_run *r) {
  ss_evolution_energy w;
  if (ss_evolution_energy_now(r->e, &w)) fail_msg("%s", r->ctx.message);
  return w.closure;
}

static inline ss_event event_at(const mechanism_run *r, int k) {
  ss_event x;
  assert_int_equal(ss_evolution_event(r->e, k, &x), SS_OK);
  return x;
}

static inline void end_mechanism(mechanism_run *r) {
  ss_evolution_destroy(r->e);
  ss_machine_destroy(r->machine);
}

// ---- the laws, from the mechanism's own functions -------------------------------------------------

static inline double largest_of(int n, const double *x) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

// How far an output is from M a = F + H^T r, from what its modes hold and from their inequalities: each over the
// largest of its kind (forces, lengths, velocities, accelerations).
static inline double law_violation(const ss_mechanism *m, const ss_evolution_state *s,
                                   double speed) {
  enum { MOST = 32 };
  double M[MOST * MOST], F[MOST], H[MOST * MOST] = {0}, w[MOST] = {0}, b[MOST] = {0}, gap[MOST];
  int n = m->nv, d = m->dim, rows = d * m->nc;
  assert_true(n <= MOST && rows <= MOST);
  m->mass(m->user, s->time, s->q, M);
  m->force(m->user, s->time, s->q, s->v, F);
  m->gap(m->user, s->time, s->q, gap);
  m->frames(m->user, s->time, s->q, H, w);
  if (m->drift) m->drift(m->user, s->time, s->q, s->v, b);
  double force = fmax(largest_of(n, F), largest_of(rows, s->force)), worst = 0;
  double acceleration = fmax(largest_of(n, s->acceleration), force / M[0]);
  for (int i = 0; i < n; i++) {
    double sum = -F[i];
    for (int j = 0; j < n; j++) sum += M[i * n + j] * s->acceleration[j];
    for (int k = 0; k < rows; k++) sum -= H[k * n + i] * s->force[k];
    worst = fmax(worst, fabs(sum) / force);
  }
  for (int i = 0; i < m->nc; i++) {
    const double *r = s->force + d * i;
    double slip[3] = {0}, bend[3] = {0}, length = fmax(largest_of(m->nq, s->q), 1e-3);
    for (int k = 0; k < d; k++) {
      slip[k] = w[d * i + k], bend[k] = b[d * i + k];
      for (int j = 0; j < n; j++) {
        slip[k] += H[(d * i + k) * n + j] * s->v[j];
        bend[k] += H[(d * i + k) * n + j] * s->acceleration[j];
      }
    }
    double limit = (m->mu_static ? m->mu_static[i] : m->mu[i]) * r[0];
    double drag = d == 2 ? fabs(r[1]) : hypot(r[1], r[2]);
    worst = fmax(worst, -gap[i] / length);
    if (s->modes[i] == SS_MODE_FREE) {
      worst = fmax(worst, largest_of(d, r) / force);
      continue;
    }
    worst = fmax(worst, fabs(gap[i]) / length);
    worst = fmax(worst, fabs(slip[0]) / speed);
    worst = fmax(worst, fabs(bend[0]) / acceleration);
    worst = fmax(worst, -r[0] / force);
    if (s->modes[i] == SS_MODE_STICK) {
      worst = fmax(worst, fmax(fabs(slip[1]), d == 3 ? fabs(slip[2]) : 0) / speed);
      worst = fmax(worst, fmax(fabs(bend[1]), d == 3 ? fabs(bend[2]) : 0) / acceleration);
      worst = fmax(worst, (drag - limit) / force);
      continue;
    }
    double power = r[1] * slip[1] + (d == 3 ? r[2] * slip[2] : 0);
    worst = fmax(worst, fabs(drag - m->mu[i] * r[0]) / force);
    worst = fmax(worst, power / (force * speed));  // friction opposes slip
  }
  return worst;
}
