// stickslip/mechanisms.h - the mechanisms that come with the library, with their parameters.
//
//   ss_model_setting s[] = {{"friction", "0.3", 0}};
//   ss_machine *a;
//   if (ss_machine_build(ctx, "jack-plane", s, 1, &a)) ...
//   ss_evolution_create(ctx, &a->mechanism, &a->options, a->t, a->q, a->v, &e);
//   ss_machine_destroy(a);
//
// Or of a scene: ss_machine_of_scene.
//
// docs/events.md has the equations of each.
#pragma once

#include "stickslip/evolve.h"
#include "stickslip/models.h"
#include "stickslip/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

// A mechanism ready to run: where it starts, how long, and how.
typedef struct ss_machine {
  const char *kind;   // its name in the list below; NULL: it was made of a scene
  const char *title;  // what it is, in a sentence; NULL: not said
  ss_mechanism mechanism;
  ss_evolve_options options;
  double t, duration;
  const double *q, *v;  // at the start
  // The model's own order of its state, as its paper writes it: number k is coordinate order[k], or velocity
  // order[k] - nq.    (nq + nv)
  const int *order;
  const char *const *state_name;  // in that order
} ss_machine;

SS_API const char *ss_machine_name(int index);            // NULL past the last one
SS_API const char *ss_machine_summary(const char *name);  // NULL: there is none
SS_API const char *ss_machine_equation(const char *name);
SS_API const ss_model_parameter *ss_machine_parameter_at(const char *name, int index);  // or NULL
SS_API ss_error ss_machine_build(ss_context *ctx, const char *name,
                                 const ss_model_setting *settings, int count, ss_machine **out);
// A scene of rigid bodies (scene.h), which must outlive it: q is position and quaternion of each body, its centre of mass
// and principal axes (in the plane x, y, angle), v its velocity and, in body axes, spin. Contacts are every corner or ball
// against every plane or drum, and every two balls; SS_ERR_DATA names shapes that may meet and have no smooth gap.
SS_API ss_error ss_machine_of_scene(ss_context *ctx, const ss_scene *scene, ss_machine **out);
// The state of such a machine whose bodies have these poses, and velocities, linear and angular in world axes (6 per body),
// as run files have them: q, v. Turns of torsional springs and bushings are counted from where the last call left them.
SS_API ss_error ss_machine_state_of(const ss_machine *m, const ss_pose *pose,
                                    const double *velocity, double *q, double *v);

SS_API double ss_machine_value(const ss_machine *m, int parameter);  // as it was built
SS_API void ss_machine_destroy(ss_machine *m);                       // NULL allowed

#ifdef __cplusplus
}
#endif
