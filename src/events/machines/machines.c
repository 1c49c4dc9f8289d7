// The table of built-in mechanisms: finding one, checking settings against its rows, building.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "events/machines/machine.h"

#define MACHINES(X)                                                                                \
  X(jack_plane)                                                                                    \
  X(jack_plane_42) X(jack_plane_53) X(two_blocks) X(belt) X(bouncing_ball) X(rod) X(slider)
#define DECLARE(name) extern const ssi_machine_kind ssi_machine_##name;
MACHINES(DECLARE)
#define ADDRESS(name) &ssi_machine_##name,
static const ssi_machine_kind *const kinds[] = {MACHINES(ADDRESS) NULL};

static const ssi_machine_kind *find(const char *name) {
  for (int i = 0; name && kinds[i]; i++)
    if (strcmp(kinds[i]->name, name) == 0) return kinds[i];
  return NULL;
}

const char *ss_machine_name(int index) {
  int count = (int)(sizeof kinds / sizeof *kinds) - 1;
  return index >= 0 && index < count ? kinds[index]->name : NULL;
}

const char *ss_machine_summary(const char *name) {
  const ssi_machine_kind *k = find(name);
  return k ? k->summary : NULL;
}

const char *ss_machine_equation(const char *name) {
  const ssi_machine_kind *k = find(name);
  return k ? k->equation : NULL;
}

const ss_model_parameter *ss_machine_parameter_at(const char *name, int index) {
  const ssi_machine_kind *k = find(name);
  return k && index >= 0 && index < k->parameter_count ? &k->parameters[index] : NULL;
}

double ss_machine_value(const ss_machine *m, int parameter) {
  if (!m) return 0;
  return ((const ssi_machine *)m)->value[parameter];
}

static ssi_parameter_table table_of(const ssi_machine_kind *k) {
  return (ssi_parameter_table){k->name, k->parameters, k->parameter_count};
}

static ss_error set(ss_context *ctx, const ssi_machine_kind *k, const ss_model_setting *s,
                    double *value) {
  ssi_parameter_table table = table_of(k);
  ssi_number x;
  int i;
  SS_TRY(ssi_parameter_named(ctx, &table, s, &i));
  SS_TRY(ssi_parameter_number(ctx, &table, i, s, &x));
  value[i] = x.x;
  return SS_OK;
}

// Of a parameter that every kind has.
static double value_of(const ssi_machine *m, const char *name) {
  ssi_parameter_table table = table_of(m->kind);
  return m->value[ssi_parameter_find(&table, name)];
}

static ss_error fill(ss_context *ctx, ssi_machine *m, const ss_model_setting *settings, int count) {
  static const int plain[SSI_MACHINE_STATES] = {0, 1, 2,  3,  4,  5,  6,  7,
                                                8, 9, 10, 11, 12, 13, 14, 15};
  const ssi_machine_kind *k = m->kind;
  for (int i = 0; i < k->parameter_count; i++) {
    ss_model_setting initial = {k->parameters[i].name, k->parameters[i].initial, 0};
    SS_TRY(set(ctx, k, &initial, m->value));
  }
  for (int i = 0; i < count; i++) SS_TRY(set(ctx, k, &settings[i], m->value));
  m->head.out.kind = k->name, m->head.out.title = k->summary;
  m->head.out.mechanism = *k->mechanism;
  m->head.out.mechanism.name = k->name;
  m->head.out.mechanism.user = m;
  m->head.out.mechanism.mu = m->mu, m->head.out.mechanism.restitution = m->restitution;
  m->head.out.options = ss_evolve_options_default();
  m->head.out.q = m->q, m->head.out.v = m->v;
  m->head.out.order = k->order ? k->order : plain;
  m->head.out.state_name = k->state_name ? k->state_name : k->mechanism->coordinate;
  m->head.out.duration = value_of(m, "duration"), m->head.out.options.step = value_of(m, "step");
  SS_TRY(k->build(ctx, m));
  for (int i = 0; i < k->mechanism->nc; i++)
    if (m->mu_static[i] > m->mu[i]) m->head.out.mechanism.mu_static = m->mu_static;
  for (int i = 0; i < k->mechanism->nc; i++) m->mu_static[i] = fmax(m->mu_static[i], m->mu[i]);
  return SS_OK;
}

ss_error ss_machine_build(ss_context *ctx, const char *name, const ss_model_setting *settings,
                          int count, ss_machine **out) {
  if (!name || !out || count < 0 || (count && !settings))
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "a name, settings and a place for the result");
  *out = NULL;
  const ssi_machine_kind *k = find(name);
  if (!k) return ssi_fail(ctx, SS_ERR_ARGUMENT, "unknown mechanism '%.60s'", name);
  ssi_arena arena = {.ctx = ctx};
  ssi_machine *m = SSI_TAKE(&arena, 1, ssi_machine);
  if (!m) return ssi_fail(ctx, SS_ERR_MEMORY, "no memory for %s", name);
  m->head.arena = arena, m->kind = k;
  ss_error e = fill(ctx, m, settings, count);
  if (e) return ss_machine_destroy(&m->head.out), e;
  *out = &m->head.out;
  return SS_OK;
}

void ss_machine_destroy(ss_machine *m) {
  if (!m) return;
  ssi_machine_owner *owner = (ssi_machine_owner *)m;
  if (owner->release) owner->release(owner);
  ssi_arena_release_home(owner->arena);
}
