// Scenes: defaults, names of kinds, and the memory that a scene will take.
#include "dynamics/scene/world.h"

// Bytes of a body with its contacts, near ones that stay open included: 70e3 in a wall of blocks, 160e3 among beads that
// fall into a hopper; in the plane a third of that.
static const double PER_BODY[] = {[2] = 35e3, [3] = 100e3};

double ss_scene_memory(const ss_scene *scene) {
  if (!scene || (scene->dim != 2 && scene->dim != 3)) return 0;
  double bodies = scene->body_count;
  for (int k = 0; k < scene->generator_count; k++)
    bodies += ssi_generator_count(scene->generators + k);
  return bodies > 0 ? PER_BODY[scene->dim] * bodies : 0;
}

const char *ss_joint_kind_name(ss_joint_kind kind) {
  static const char *const names[] = {"ball", "hinge", "slider", "fixed"};
  return kind >= SS_JOINT_BALL && kind <= SS_JOINT_FIXED ? names[kind] : NULL;
}

const char *ss_motor_kind_name(ss_motor_kind kind) {
  static const char *const names[] = {"none", "velocity", "position"};
  return kind >= SS_MOTOR_NONE && kind <= SS_MOTOR_POSITION ? names[kind] : NULL;
}

const char *ss_spring_kind_name(ss_spring_kind kind) {
  static const char *const names[] = {"linear", "torsional"};
  return kind >= SS_SPRING_LINEAR && kind <= SS_SPRING_TORSIONAL ? names[kind] : NULL;
}

const char *ss_drift_name(ss_drift d) {
  static const char *const names[] = {"gap", "projection", "none"};
  return d >= SS_DRIFT_GAP && d <= SS_DRIFT_NONE ? names[d] : NULL;
}

const char *ss_contact_map_name(ss_contact_map m) {
  static const char *const names[] = {"explicit", "implicit"};
  return m >= SS_MAP_EXPLICIT && m <= SS_MAP_IMPLICIT ? names[m] : NULL;
}

const char *ss_unsolved_name(ss_unsolved u) {
  static const char *const names[] = {"stop", "halve", "go"};
  return u >= SS_UNSOLVED_STOP && u <= SS_UNSOLVED_GO ? names[u] : NULL;
}

ss_scene ss_scene_default(int dim) {
  ss_scene s = {.dim = dim, .solver = ss_options_default()};
  if (dim == 2 || dim == 3) s.gravity[dim - 1] = -9.81;
  s.stepping = (ss_stepping){.step = 0.01,
                             .duration = 1,
                             .rest_steps = 10,
                             .theta = 1,
                             .drift = SS_DRIFT_GAP,
                             .recovery = 0.2,
                             .unsolved = SS_UNSOLVED_STOP,
                             .halvings = 6};
  s.output = (ss_output){.every = 1, .contacts = true};
  return s;
}
