#include "solvers/instance.h"

#include "base/error.h"

void ssi_options_default(const ssi_method *method, void *options) {
  ssi_settings_apply(NULL, method, NULL, 0, options);
}

void *ssi_instance_create(ssi_instance *x, const ssi_method *method, ssi_arena *arena) {
  *x = (ssi_instance){method, ssi_arena_take(arena, 1, method->state_size)};
  if (x->state) ssi_options_default(method, x->state);
  return x->state;
}

ss_error ssi_instance_set_up(ssi_instance *x, ssi_system *sys, uint64_t seed, ssi_arena *arena) {
  if (!x->state) return SS_ERR_MEMORY;
  if (x->method->setup) SS_TRY(x->method->setup(x->state, sys, seed, arena));
  if (arena->failed) return SS_ERR_MEMORY;
  return ssi_instance_refresh(x, sys);
}

void ssi_instance_release(ssi_instance *x) {
  if (x->state && x->method->release) x->method->release(x->state);
  *x = (ssi_instance){0};
}

ss_error ssi_instance_renew(ssi_instance *x, ssi_system *sys) {
  return x->method->renew ? x->method->renew(x->state, sys) : SS_OK;
}

ss_error ssi_instance_refresh(ssi_instance *x, ssi_system *sys) {
  return x->method->refresh ? x->method->refresh(x->state, sys) : SS_OK;
}

void ssi_instance_begin(ssi_instance *x, ssi_system *sys, const double *r) {
  if (x->method->begin) x->method->begin(x->state, sys, r);
}

ssi_verdict ssi_instance_step(ssi_instance *x, ssi_system *sys, double *r, double *estimate) {
  return x->method->step(x->state, sys, r, estimate);
}
