// solvers/method.h - what a method provides. The driver owns the loop, the clock, the stopping
// test, the log and the best iterate; a method owns only its state and one step.
#pragma once

#include "problem/system.h"
#include "stickslip/solver.h"

typedef enum ssi_verdict { SSI_CONTINUE, SSI_STALLED, SSI_ACCEPTED } ssi_verdict;

typedef struct ssi_option {  // one row: default, range, help, --method.key and JSON key at once
  const char *key;
  size_t offset;  // of a double in the method's state
  double initial, low, high;
  const char *help;
  const char *const *names;  // for a choice: its words, NULL-terminated; the value is their index
} ssi_option;

typedef struct ssi_method {
  const char *name, *summary;
  size_t state_size;  // of the state, which begins with the struct that `options` describe
  const ssi_option *options;
  int option_count;
  int max_iter;  // when the caller does not say

  // Allocates and computes what depends on the matrices. The options are already in state, and a
  // uint64_t seed is passed on. May be NULL.
  ss_error (*setup)(void *state, ssi_system *sys, uint64_t seed, ssi_arena *arena);

  // New numbers in the matrices, same patterns: sys has the same arrays with new contents. refresh
  // follows. Takes no memory from the arena. NULL: release and setup instead, on a state with nothing
  // but its options.
  ss_error (*renew)(void *state, ssi_system *sys);

  // What depends on q and mu: called after setup and after every update. May be NULL.
  ss_error (*refresh)(void *state, ssi_system *sys);

  // Called at the beginning of each solve with the guess. May be NULL.
  void (*begin)(void *state, ssi_system *sys, const double *r);

  // Hears what the driver measured after the last step. May be NULL.
  void (*notice)(void *state, double measure);

  // Improves r (m) in place. *estimate may be set to something that shrinks with the error and costs
  // nothing; the driver measures the true residual when the two together say it is worth it.
  ssi_verdict (*step)(void *state, ssi_system *sys, double *r, double *estimate);

  void (*end)(void *state);  // after each solve: gives back what only that one needed; may be NULL

  void (*release)(void *state);  // what does not live in the arena; may be NULL

  int (*inner_solves)(const void *state);  // for ss_info, since begin; may be NULL
  double (*own_test)(const void *state);   // for ss_info, of the last step; may be NULL

  // Methods that it ran since begin, as bits of ssi_method_bit. NULL: itself only.
  uint32_t (*tried)(const void *state);
} ssi_method;

const ssi_method *ssi_method_find(const char *name);  // NULL if unknown
uint32_t ssi_method_bit(const ssi_method *method);    // one bit for each of the table; 0: not in it

// Writes the defaults and then the settings into state, or into the struct of options alone. SS_ERR_ARGUMENT names the nearest key.
ss_error ssi_settings_apply(ss_context *ctx, const ssi_method *method, const ss_setting *settings,
                            int count, void *state);
