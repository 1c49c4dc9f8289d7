// Parameters by name, and the two kinds that can be given in several ways: angles and loads.
#include "models/model.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

#include "base/error.h"

static int index_of(const ssi_draft *d, const char *name) {
  const ssi_model *m = d->model;
  int i =
      ssi_parameter_find(&(ssi_parameter_table){m->name, m->parameters, m->parameter_count}, name);
  assert(i >= 0);  // a model asks for what is in its table
  return i;
}

ssi_number ssi_get(const ssi_draft *d, const char *name) {
  return d->value[index_of(d, name)];
}

bool ssi_given(const ssi_draft *d, const char *name) {
  return d->given[index_of(d, name)];
}

static ss_error both_given(const ssi_draft *d, const char *a, const char *b) {
  return ssi_fail(d->ctx, SS_ERR_ARGUMENT, "%s: %s and %s are both given, expected one of them",
                  d->model->name, a, b);
}

// SS_OK if at most one of the names is given; *which: its place, or -1.
static ss_error at_most_one(const ssi_draft *d, const char *const *names, int count, int *which) {
  *which = -1;
  for (int i = 0; i < count; i++) {
    if (!ssi_given(d, names[i])) continue;
    if (*which >= 0) return both_given(d, names[*which], names[i]);
    *which = i;
  }
  return SS_OK;
}

static const double DEGREE = 0.017453292519943295;  // pi / 180

ss_error ssi_get_angle(const ssi_draft *d, const char *name, ssi_number *sine, ssi_number *cosine) {
  char tangent[32], degrees[32];
  snprintf(tangent, sizeof tangent, "tan_%s", name);
  snprintf(degrees, sizeof degrees, "%s_deg", name);
  const char *const names[] = {tangent, name, degrees};
  int which;
  SS_TRY(at_most_one(d, names, 3, &which));
  if (which <= 0) {
    // sin = t / sqrt(1 + t^2), with t = p/q: p / sqrt(p^2 + q^2), exact where the root is whole
    ssi_number t = ssi_get(d, tangent);
    ssi_number root = ssi_sqrt(ssi_add(ssi_whole(1), ssi_mul(t, t)));
    *cosine = ssi_div(ssi_whole(1), root);
    *sine = ssi_mul(t, *cosine);
    if (root.exact.q == 0)
      *sine = ssi_real(t.x / hypot(1, t.x)), *cosine = ssi_real(1 / hypot(1, t.x));
    return SS_OK;
  }
  double angle = ssi_get(d, names[which]).x * (which == 2 ? DEGREE : 1);
  *sine = ssi_real(sin(angle));
  *cosine = ssi_real(cos(angle));
  return SS_OK;
}

ss_error ssi_get_load(const ssi_draft *d, ssi_number *normal, ssi_number *tangent) {
  static const char *const ways[] = {"f_t", "tan_alpha", "alpha", "alpha_deg"};
  int which;
  SS_TRY(at_most_one(d, ways, 4, &which));
  *normal = ssi_get(d, "f_n");
  *tangent = ssi_get(d, "f_t");
  if (which == 1) *tangent = ssi_mul(*normal, ssi_get(d, "tan_alpha"));
  if (which >= 2) {
    if (ssi_given(d, "f_n")) return both_given(d, "f_n", ways[which]);
    double angle = ssi_get(d, ways[which]).x * (which == 3 ? DEGREE : 1);
    double length = ssi_given(d, "f") ? ssi_get(d, "f").x : 1;
    *normal = ssi_real(length * cos(angle));
    *tangent = ssi_real(length * sin(angle));
  } else if (ssi_given(d, "f"))
    return ssi_fail(d->ctx, SS_ERR_ARGUMENT, "%s: f is given without alpha, expected both or f_n",
                    d->model->name);
  return SS_OK;
}
