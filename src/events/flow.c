#include "events/flow.h"

#include "base/error.h"

#ifdef SS_WITH_SUNDIALS
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cone/friction.h"
#include "events/butcher.h"
#include "events/flow_inside.h"

enum { MAX_STEPS = 1000000 };
enum {
  MAX_FAILS = 50
};  // of one step: a phase begins with the step of the last, which may be far too long
enum {
  STALLED = 50
};  // steps in a row that time does not show: ARKODE itself would go on with them for ever
static const double TURNED = 2;  // of the slip that counts as none: more, across its lead, goes on

// ---- callbacks ------------------------------------------------------------------------------------

ss_error ssi_flow_evaluate(ssi_flow *f, double t, const double *y) {
  SS_TRY(ssi_mechanics_at(&f->motion, t, y, y + f->m->nq));
  return ssi_mechanics_solve(&f->motion, f->modes);
}

static int right_side(sunrealtype t, N_Vector y_vector, N_Vector out_vector, void *user) {
  ssi_flow *f = user;
  const ss_mechanism *m = f->m;
  const double *y = N_VGetArrayPointer(y_vector), *v = y + m->nq;
  double *out = N_VGetArrayPointer(out_vector), applied = 0, contact = 0;
  f->evaluations++;
  f->error = ssi_flow_evaluate(f, t, y);
  if (!f->error && m->rate) f->error = m->rate(m->user, t, y, v, out);
  if (f->error) return f->error == SS_ERR_DATA ? 1 : -1;  // not finite: a shorter step may do
  if (!m->rate) memcpy(out, v, sizeof *v * (size_t)m->nv);
  memcpy(out + m->nq, f->motion.a, sizeof *v * (size_t)m->nv);
  for (int i = 0; i < m->nv; i++) applied += f->motion.F[i] * v[i];
  for (int i = 0; i < f->motion.all; i++)  // of the force on the system: H v, not g'
    contact += f->motion.r[i] * (f->motion.slip[i] - f->motion.w[i]);
  out[m->nq + m->nv] = applied, out[m->nq + m->nv + 1] = contact;
  return 0;
}

static int project(sunrealtype t, N_Vector y_vector, void *user) {
  ssi_flow *f = user;
  double *y = N_VGetArrayPointer(y_vector);
  f->error = ssi_mechanics_project(&f->motion, f->modes, t, y, y + f->m->nq);
  return f->error ? -1 : 0;
}

// ---- life -----------------------------------------------------------------------------------------

ss_error ssi_flow_failed(ssi_flow *f, const char *what, int flag) {
  if (f->error && f->error != SS_ERR_DATA) return f->error;
  if (flag == ARK_MEM_FAIL || flag == ARK_MEM_NULL)
    return ssi_fail(f->ctx, SS_ERR_MEMORY, "no memory for SUNDIALS");
  char *name = ERKStepGetReturnFlagName(flag);
  ss_error e = ssi_fail(f->ctx, SS_ERR_LINEAR, "%s: SUNDIALS cannot %s at t = %.12g (%s)",
                        f->m->name, what, f->at, name ? name : "?");
  free(name);
  return e;
}

#if SUNDIALS_VERSION_MAJOR < 7
#define SUN_COMM_NULL NULL
static void quiet(int code, const char *module, const char *function, char *text, void *user) {
  (void)code, (void)module, (void)function, (void)text, (void)user;  // flags say it again
}
#endif

static int set_pair(void *mem) {
  ssi_butcher p = ssi_butcher_87;  // ARKODE asks for arrays that it may write to
  ARKodeButcherTable table =
      ARKodeButcherTable_Create(SSI_STAGES, 8, 7, p.c, p.a[0], p.b, p.estimate);
  int flag = table ? ERKStepSetTable(mem, table) : ARK_MEM_FAIL;
  ARKodeButcherTable_Free(table);
  return flag;
}

static ss_error make_integrator(ssi_flow *f, void **out) {
  void *mem = *out = ERKStepCreate(right_side, 0, f->y, f->sun);
  if (!mem) return ssi_fail(f->ctx, SS_ERR_MEMORY, "no memory for the integrator");
  int flag = ERKStepSetUserData(mem, f);
  if (!flag) flag = set_pair(mem);
  if (!flag) flag = ERKStepSStolerances(mem, f->o->rel_tol, f->o->abs_tol);
  if (!flag) flag = ERKStepSetInterpolantDegree(mem, 3);  // events are located by integration
  if (!flag) flag = ERKStepSetMaxNumSteps(mem, MAX_STEPS);
  if (!flag) flag = ERKStepSetMaxErrTestFails(mem, MAX_FAILS);
#if SUNDIALS_VERSION_MAJOR < 7
  if (!flag) flag = ERKStepSetErrHandlerFn(mem, quiet, NULL);
#endif
  bool projects = f->m->nc || f->m->nl || f->m->normalise;
  if (!flag && projects) flag = ERKStepSetPostprocessStepFn(mem, project);
  if (!flag && f->o->step > 0) flag = ERKStepSetMaxStep(mem, f->o->step);
  return flag ? ssi_flow_failed(f, "be set up", flag) : SS_OK;
}

static ss_error set_up(ssi_flow *f) {
  int size = ssi_flow_size(f);
  if (SUNContext_Create(SUN_COMM_NULL, &f->sun))
    return ssi_fail(f->ctx, SS_ERR_MEMORY, "no memory for SUNDIALS");
#if SUNDIALS_VERSION_MAJOR >= 7
  SUNContext_ClearErrHandlers(f->sun);  // flags say it again
#endif
  f->y = N_VNew_Serial(size, f->sun);
  f->between = f->y ? N_VClone(f->y) : NULL;
  if (!f->between) return ssi_fail(f->ctx, SS_ERR_MEMORY, "no memory for SUNDIALS");
  N_VConst(0, f->y);
  SS_TRY(make_integrator(f, &f->main));
  return make_integrator(f, &f->probe);
}

ss_error ssi_flow_create(ss_context *ctx, const ss_mechanism *m, const ss_evolve_options *o,
                         ssi_flow **out) {
  ssi_arena arena = {.ctx = ctx};
  ssi_flow *f = SSI_TAKE(&arena, 1, ssi_flow);
  *out = NULL;
  if (!f) return ssi_fail(ctx, SS_ERR_MEMORY, "no memory for a flow");
  *f = (ssi_flow){.arena = arena, .ctx = ctx, .m = m, .o = o};
  int size = ssi_flow_size(f);
  f->from = SSI_TAKE(&f->arena, size, double), f->there = SSI_TAKE(&f->arena, size, double);
  f->near = SSI_TAKE(&f->arena, size, double);
  f->guard = SSI_TAKE(&f->arena, 2 * m->nc, double);
  f->largest = SSI_TAKE(&f->arena, 2 * m->nc, double);
  f->sampled = SSI_TAKE(&f->arena, 2 * (SSI_FLOW_LOOKS + 1) * m->nc, double);
  bool taken = ssi_mechanics_take(&f->arena, ctx, m, &f->motion);
  ss_error e =
      taken && !f->arena.failed ? set_up(f) : ssi_fail(ctx, SS_ERR_MEMORY, "no memory for a flow");
  if (e) return ssi_flow_destroy(f), e;
  *out = f;
  return SS_OK;
}

void ssi_flow_destroy(ssi_flow *f) {
  if (!f) return;
  if (f->main) ERKStepFree(&f->main);
  if (f->probe) ERKStepFree(&f->probe);
  if (f->between) N_VDestroy(f->between);
  if (f->y) N_VDestroy(f->y);
  if (f->sun) SUNContext_Free(&f->sun);
  ssi_arena_release_home(f->arena);
}

int ssi_flow_size(const ssi_flow *f) {
  return f->m->nq + f->m->nv + 2;
}

ssi_mechanics *ssi_flow_motion(ssi_flow *f) {
  return &f->motion;
}

void ssi_flow_counts(const ssi_flow *f, int64_t *steps, int64_t *evaluations) {
  *steps = f->steps, *evaluations = f->evaluations;
}

// ---- running ----------------------------------------------------------------------------------------

double *ssi_flow_state(ssi_flow *f) {
  return N_VGetArrayPointer(f->y);
}

void ssi_flow_set(ssi_flow *f, const double *y) {
  memcpy(ssi_flow_state(f), y, sizeof *y * (size_t)ssi_flow_size(f));
}

// With the probe, whose y is in f->y afterwards.
ss_error ssi_flow_probe(ssi_flow *f, double t, const double *y, double until) {
  double reached;
  ssi_flow_set(f, y);
  if (!(until > t)) return SS_OK;
  int flag = ERKStepReInit(f->probe, right_side, t, f->y);
  if (!flag) flag = ERKStepSetInitStep(f->probe, until - t);
  if (!flag) flag = ERKStepSetStopTime(f->probe, until);
  if (!flag) flag = ERKStepEvolve(f->probe, until, f->y, &reached, ARK_NORMAL);
  return flag < 0 ? ssi_flow_failed(f, "carry the motion on", flag) : SS_OK;
}

ss_error ssi_flow_carry(ssi_flow *f, const ssi_modes *modes, double t, double until, double *y) {
  f->modes = modes;
  SS_TRY(ssi_flow_probe(f, t, y, until));
  memcpy(y, ssi_flow_state(f), sizeof *y * (size_t)ssi_flow_size(f));
  return SS_OK;
}

// Half the time after which a contact that just opened closes again, as far as its accelerations tell: a first step
// that is longer would not see it open. Events are not told apart by less than SSI_FLOW_LOCATED, so no step need be
// shorter: a speed of 1e-53 is open for no time at all.
static ss_error first_step(ssi_flow *f, double t, const double *y, double *h) {
  const ssi_mechanics *x = &f->motion;
  double open = INFINITY;
  SS_TRY(ssi_flow_evaluate(f, t, y));
  for (int i = 0; i < f->m->nc; i++) {
    if (f->modes->mode[i] != SS_MODE_FREE) continue;
    int row = f->m->dim * i, n = f->m->nv;
    double bend = x->b[row], speed = x->slip[row], gap = fmax(x->gap[i], 0);
    for (int j = 0; j < n; j++) bend += x->H[row * n + j] * x->a[j];
    double root = speed * speed - 2 * gap * bend;
    if (bend < 0 && speed > 0) open = fmin(open, -(speed + sqrt(root)) / bend / 2);
  }
  *h = fmin(*h, fmax(open, 2 * SSI_FLOW_LOCATED * fabs(t)));
  return SS_OK;
}

static ss_error begin(ssi_flow *f, double t, double until, const double *y) {
  double h = fmin(f->h > 0 ? f->h : 1e-3 * (until - t), until - t);
  SS_TRY(first_step(f, t, y, &h));
  ssi_flow_set(f, y);
  int flag = ERKStepReInit(f->main, right_side, t, f->y);
  if (!flag) flag = ERKStepSetStopTime(f->main, until);
  if (!flag) flag = ERKStepSetInitStep(f->main, h);
  return flag ? ssi_flow_failed(f, "begin", flag) : SS_OK;
}

// What the next phase begins with: ARKODE's own choice, unless it was cut short by the end of the way.
static void note_step(ssi_flow *f, double h, double reached, double until) {
  double next;
  ERKStepGetCurrentStep(f->main, &next);
  bool cut = reached >= until || reached + next >= until - 1e-9 * next;
  f->h = cut ? fmax(f->h, 1.5 * h) : next;
}

// One step of ARKODE, to the first event in it.
static ss_error take_step(ssi_flow *f, double until, ssi_flow_end *end) {
  size_t bytes = sizeof(double) * (size_t)ssi_flow_size(f);
  double from = f->at = end->t, reached;
  memcpy(f->from, ssi_flow_state(f), bytes);
  int flag = ERKStepEvolve(f->main, until, f->y, &reached, ARK_ONE_STEP);
  if (flag < 0) return ssi_flow_set(f, f->from), ssi_flow_failed(f, "integrate on", flag);
  f->steps++;
  f->stalled = reached - from > SSI_FLOW_LOCATED * fabs(from) ? 0 : f->stalled + 1;
  if (f->stalled > STALLED) return ssi_flow_failed(f, "integrate on", ARK_ERR_FAILURE);
  ERKStepGetLastStep(f->main, &end->last_step);
  note_step(f, end->last_step, reached, until);
  double when = reached;
  memcpy(f->there, ssi_flow_state(f), bytes);
  if (f->m->nc) SS_TRY(ssi_flow_look(f, from, reached, &end->guard, &when));
  end->event = end->guard >= 0;
  if (end->event) return ssi_flow_locate(f, from, when, reached, end);
  ssi_flow_set(f, f->there), end->t = reached;
  return SS_OK;
}

// Space. Slip that is done with its lead, but goes on, has only turned: that is no event.
static ss_error follow_slip(ssi_flow *f, ssi_modes *modes, double until, ssi_flow_end *end) {
  const ssi_mechanics *x = &f->motion;
  SS_TRY(ssi_flow_evaluate(f, end->t, ssi_flow_state(f)));
  if (end->event) {
    int contact = end->guard / 2;
    bool slips = modes->mode[contact] == SS_MODE_SLIP && end->guard % 2 == 1;
    double most = TURNED * ssi_mechanics_led_below(x, modes, contact);
    if (!slips || ssi_tangent_norm(3, x->slip + 3 * contact) <= most) return SS_OK;
  }
  ssi_mechanics_lead(x, modes);
  if (!end->event) return SS_OK;
  *end = (ssi_flow_end){.t = end->t, .guard = -1, .last_step = end->last_step};
  memcpy(f->there, ssi_flow_state(f), sizeof(double) * (size_t)ssi_flow_size(f));
  return end->t < until ? begin(f, end->t, until, f->there) : SS_OK;
}

ss_error ssi_flow_run(ssi_flow *f, ssi_modes *modes, double t, double until, double *y,
                      ssi_flow_end *end) {
  ss_error e = SS_OK;
  f->modes = modes, f->stalled = 0;
  *end = (ssi_flow_end){.t = t, .guard = -1, .last_step = f->h};
  if (until - t <= 8 * DBL_EPSILON * fabs(until)) return end->t = until, SS_OK;  // ARKODE refuses
  SS_TRY(begin(f, t, until, y));
  while (!e && end->t < until && !end->event) {
    e = take_step(f, until, end);
    if (!e && f->m->dim == 3) e = follow_slip(f, modes, until, end);
  }
  memcpy(y, ssi_flow_state(f), sizeof *y * (size_t)ssi_flow_size(f));
  return e;
}
#else

static ss_error unsupported(ss_context *ctx) {
  return ssi_fail(ctx, SS_ERR_UNSUPPORTED,
                  "event-driven integration is not in this build: it needs SUNDIALS; the schemes "
                  "midpoint, midpoint-stabilized and moreau do not");
}

ss_error ssi_flow_create(ss_context *ctx, const ss_mechanism *m, const ss_evolve_options *o,
                         ssi_flow **out) {
  (void)m, (void)o;
  *out = NULL;
  return unsupported(ctx);
}

void ssi_flow_destroy(ssi_flow *f) {
  (void)f;
}

int ssi_flow_size(const ssi_flow *f) {
  (void)f;
  return 0;
}

ssi_mechanics *ssi_flow_motion(ssi_flow *f) {
  (void)f;
  return NULL;
}

void ssi_flow_counts(const ssi_flow *f, int64_t *steps, int64_t *evaluations) {
  (void)f;
  *steps = *evaluations = 0;
}

ss_error ssi_flow_run(ssi_flow *f, ssi_modes *modes, double t, double until, double *y,
                      ssi_flow_end *end) {
  (void)f, (void)modes, (void)t, (void)until, (void)y, (void)end;
  return unsupported(NULL);
}

ss_error ssi_flow_carry(ssi_flow *f, const ssi_modes *modes, double t, double until, double *y) {
  (void)f, (void)modes, (void)t, (void)until, (void)y;
  return unsupported(NULL);
}
#endif
