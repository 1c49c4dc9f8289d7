// Every call for memory of what the commands do fails in turn, each piece by itself (SSI_PIECES): no leak, no other
// error. Solvers, simulations, events, traces, statuses and refutations have the same in tests of their own.
#include "harness.h"

#include "stickslip/stickslip.h"
#include "without_memory.h"

// ---- two contacts and a joint ----------------------------------------------------------------

// Without room to move apart from the joint, so that every solution is bounded.
typedef struct tied {
  int64_t mptr[4], hptr[5], gptr[4];
  int mcol[3], hcol[12], gcol[3];
  double m[3], h[12], g[3], f[3], w[4], mu[2], b[1];
  ss_problem p;
} tied;

static void make_tied(tied *t, bool joint) {
  static const double H[12] = {0, 1, -1, 1, 0, 0.5, 0, 1, 1, 1, 0, 0.5};
  *t = (tied){.m = {1, 1, 0.5}, .f = {0.3, -1, 0.1}, .mu = {0.5, 0.25}};
  for (int k = 0; k < 3; k++) {
    t->mcol[k] = k, t->mptr[k + 1] = k + 1;
    t->gcol[k] = 0, t->gptr[k + 1] = k + 1;
    t->g[k] = k == 2;
  }
  for (int k = 0; k < 12; k++) t->hcol[k] = k % 3, t->h[k] = H[k];
  for (int k = 0; k < 4; k++) t->hptr[k + 1] = 3 * (k + 1);
  t->p = (ss_problem){.form = SS_GLOBAL,
                      .dim = 2,
                      .nc = 2,
                      .ndof = 3,
                      .nl = joint,
                      .mu = t->mu,
                      .M = {3, 3, t->mptr, t->mcol, t->m},
                      .H = {4, 3, t->hptr, t->hcol, t->h},
                      .f = t->f,
                      .w = t->w};
  if (joint) t->p.G = (ss_sparse){3, 1, t->gptr, t->gcol, t->g}, t->p.b = t->b;
}

static ss_error enumerate_doubles(ss_context *ctx, void *user) {
  ss_solution_set *set = NULL;
  ss_error e = ss_enumerate(ctx, user, NULL, &set);
  ss_solution_set_destroy(set);
  return e;
}

static ss_error enumerate_rationals(ss_context *ctx, void *user) {
  ss_enumerate_options o = ss_enumerate_options_default();
  ss_solution_set *set = NULL;
  o.rational = true;
  ss_error e = ss_enumerate(ctx, user, &o, &set);
  ss_solution_set_destroy(set);
  return e;
}

static ss_error reduce(ss_context *ctx, void *user) {
  ss_problem *reduced = NULL;
  ss_error e = ss_problem_reduce(ctx, user, &reduced);
  if (!e) e = enumerate_doubles(ctx, reduced);
  ss_problem_destroy(reduced);
  return e;
}

static ss_error copy(ss_context *ctx, void *user) {
  ss_problem *copied = NULL;
  ss_error e = ss_problem_copy(ctx, user, &copied);
  ss_problem_destroy(copied);
  return e;
}

static ss_error critical(ss_context *ctx, void *user) {
  ss_critical_options o = ss_critical_options_default();
  ss_critical *c = NULL;
  ss_error e = ss_critical_compute(ctx, user, &o, &c);
  ss_critical_destroy(c);
  return e;
}

static ss_error certify(ss_context *ctx, void *user) {
  ss_certify_options o = ss_certify_options_default();
  ss_certificate *c = NULL;
  ss_error e = ss_certify(ctx, user, &o, &c);
  ss_certificate_destroy(c);
  return e;
}

static ss_error change_load(ss_context *ctx, void *user) {
  static const double r[4] = {0}, df[3] = {0, -1, 0};
  ss_rate_options o = ss_rate_options_default();
  ss_rate_set *set = NULL;
  ss_error e = ss_rate_enumerate(ctx, user, r, &(ss_rate_load){.f = df}, &o, &set);
  ss_rate_set_destroy(set);
  return e;
}

static void problems(void **state) {
  (void)state;
  for (int joint = 0; joint < 2; joint++) {
    tied t;
    make_tied(&t, joint);
    let_each_call_fail("enumerate", enumerate_doubles, &t.p, 300, true);
    bool gmp = false;
    for (int k = 0; ss_capability(k, &gmp) && strcmp(ss_capability(k, NULL), "gmp"); k++) continue;
    if (gmp) let_each_call_fail("enumerate rational", enumerate_rationals, &t.p, 300, true);
    let_each_call_fail("copy", copy, &t.p, 300, true);
    let_each_call_fail("reduce and enumerate", reduce, &t.p, 300, true);
    let_each_call_fail("certify", certify, &t.p, 300, false);
    if (!joint) let_each_call_fail("critical", critical, &t.p, 300, true);
    memset(t.f, 0, sizeof t.f);
    let_each_call_fail("rate", change_load, &t.p, 300, true);
  }
}

// ---- files: Jansson has its own memory -------------------------------------------------------

typedef struct builtin {
  const char *name, *text;
} builtin;

static ss_error step_structure(ss_context *ctx, void *user) {
  const builtin *b = user;
  ss_march_file *f = NULL;
  ss_elastic *body = NULL;
  ss_march *m = NULL;
  ss_error e = ss_march_file_parse(ctx, b->name, NULL, b->text, strlen(b->text), &f);
  if (!e && f->elastic) e = ss_elastic_build(ctx, &f->scene, &body);
  if (!e) e = ss_march_create(ctx, body ? &body->structure : &f->structure, &f->stepping, &m);
  for (int k = 0; !e && k < 2; k++) e = ss_march_step(m, NULL);
  ss_march_destroy(m);
  ss_elastic_destroy(body);
  ss_march_file_close(f);
  return e;
}

static ss_error read_scene(ss_context *ctx, void *user) {
  const builtin *b = user;
  ss_scene *scene = NULL;
  ss_error e = ss_scene_parse(ctx, b->name, b->text, strlen(b->text), &scene);
  ss_scene_close(scene);
  return e;
}

static void structures(void **state) {
  (void)state;
  builtin b;
  for (int k = 0; (b.name = ss_march_builtin(k, NULL, &b.text)); k++) {
    bool small = !strcmp(b.name, "matrix-slider") || !strcmp(b.name, "elastic-square") ||
                 !strcmp(b.name, "dropped-block");
    if (small) let_each_call_fail(b.name, step_structure, &b, 60, true);
  }
}

static void scenes(void **state) {
  (void)state;
  builtin b;
  for (int k = 0; (b.name = ss_scene_builtin(k, NULL, &b.text)); k++)
    let_each_call_fail(b.name, read_scene, &b, 40, true);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(problems),
      cmocka_unit_test(structures),
      cmocka_unit_test(scenes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
