// solvers/instance.h - a method set up for a system, as a part of another method. Its options are the struct of
// its header (nsgs.h, ipm.h, ...) that its state begins with:
//
//   ssi_nsgs_options *o = ssi_instance_create(&x, &ssi_method_nsgs, arena);
//   if (o) o->momentum = 0.98;
//   ssi_instance_set_up -> begin -> step ... -> release
#pragma once

#include "solvers/method.h"

typedef struct ssi_instance {
  const ssi_method *method;  // NULL: not made
  void *state;
} ssi_instance;

// The defaults, into the struct of options that a state of the method begins with.
void ssi_options_default(const ssi_method *method, void *options);

// Its options, at their defaults, to be changed before set_up; NULL: no memory.
void *ssi_instance_create(ssi_instance *x, const ssi_method *method, ssi_arena *arena);

// Sets up and refreshes; SS_ERR_MEMORY too where create had none. Release even when this fails.
ss_error ssi_instance_set_up(ssi_instance *x, ssi_system *sys, uint64_t seed, ssi_arena *arena);
void ssi_instance_release(ssi_instance *x);

// As those of ssi_method, whether the method has them or not.
ss_error ssi_instance_renew(ssi_instance *x, ssi_system *sys);
ss_error ssi_instance_refresh(ssi_instance *x, ssi_system *sys);
void ssi_instance_begin(ssi_instance *x, ssi_system *sys, const double *r);
ssi_verdict ssi_instance_step(ssi_instance *x, ssi_system *sys, double *r, double *estimate);
