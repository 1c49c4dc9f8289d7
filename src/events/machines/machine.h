// events/machines/machine.h - what a built-in mechanism is made of: one table row, one constant struct per file.
#pragma once

#include "base/arena.h"
#include "models/parameter_table.h"
#include "stickslip/mechanisms.h"

enum { SSI_MACHINE_PARAMETERS = 24, SSI_MACHINE_STATES = 16 };

// What ss_machine_destroy needs to know; first in whatever makes a machine.
typedef struct ssi_machine_owner {
  ss_machine out;  // first: what the user holds
  ssi_arena arena;
  void (*release)(struct ssi_machine_owner *m);  // what is not in the arena; NULL: nothing
} ssi_machine_owner;

typedef struct ssi_machine {
  ssi_machine_owner head;
  const struct ssi_machine_kind *kind;
  double value[SSI_MACHINE_PARAMETERS];  // of the parameters
  double mu[4], mu_static[4], restitution[4], q[SSI_MACHINE_STATES], v[SSI_MACHINE_STATES];
} ssi_machine;

typedef struct ssi_machine_kind {
  const char *name, *summary, *equation;
  const ss_model_parameter *parameters;
  int parameter_count;
  const ss_mechanism *mechanism;  // without name, mu, restitution and user
  const int *order;               // NULL: q, then v
  const char *const *state_name;  // in that order; NULL: the mechanism's coordinates
  // Fills mu, q, v from value; duration and step are already those of the parameters. The functions get the
  // ssi_machine as user.
  ss_error (*build)(ss_context *ctx, ssi_machine *m);
} ssi_machine_kind;

// Of a body in the plane with coordinates (x, y, angle), in either order of the first two.
static inline void ssi_planar_mass(double mass, double inertia, double *M) {
  for (int i = 0; i < 9; i++) M[i] = 0;
  M[0] = M[4] = mass;
  M[8] = inertia;
}
