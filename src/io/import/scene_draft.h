// io/import/scene_draft.h - a scene on its way from another program's model to JSON: solids, links that carry them with
// their masses, joints.
#pragma once

#include <jansson.h>

#include "base/arena.h"
#include "io/reader.h"
#include "stickslip/import.h"
#include "stickslip/scene.h"

// A shape, and how a scene says it.
typedef struct ssi_made_solid {
  ss_shape *shape;
  json_t *json;
} ssi_made_solid;

// Masses add up about the origin of the link's frame: m, m c, and the tensor
//   I_0 = I_c + m (|c|^2 1 - c c^T).                                              (1)
typedef struct ssi_link_mass {
  double mass, first[3], tensor[9];
} ssi_link_mass;

// What moves as one.
typedef struct ssi_link {
  const char *name;  // "": none
  ss_pose pose;      // world, at t = 0
  json_t *parts;     // what it touches others with: shape, position, rotation in its frame
  double mu;         // of all of it; negative: not said yet
  ssi_link_mass mass;
  double density;  // of the parts, where mass comes from them alone; 0: it does not
} ssi_link;

typedef struct ssi_scene_draft {
  ss_context *ctx;
  const char *name;  // of the file
  const ss_import_options *o;
  json_t *root, *materials, *bodies, *externals, *joints, *springs, *dampers, *bushings;
  json_t *files;  // names of those that were read beside the model
  double step;    // 0: not said
  double gravity[3];
  bool failed;      // sticky: no memory for JSON, or
  bool not_finite;  // a number that JSON has no word for
} ssi_scene_draft;

ss_error ssi_scene_draft_begin(ssi_scene_draft *d);
void ssi_scene_draft_end(ssi_scene_draft *d);
ss_error ssi_scene_draft_no_memory(const ssi_scene_draft *d);

// ---- solids: lengths as the model has them -----------------------------------------------------

ss_error ssi_made_solid_sphere(ssi_scene_draft *d, double radius, ssi_made_solid *out);
ss_error ssi_made_solid_box(ssi_scene_draft *d, const double half[3], ssi_made_solid *out);
ss_error ssi_made_solid_rod(ssi_scene_draft *d, bool capsule, double radius, double half,
                            ssi_made_solid *out);
ss_error ssi_made_solid_plane(ssi_scene_draft *d, ssi_made_solid *out);
ss_error ssi_made_solid_surface(ssi_scene_draft *d, const ssi_source *in, const double scale[3],
                                ssi_made_solid *out);
ss_error ssi_made_solid_mesh(ssi_scene_draft *d, const char *path, const double scale[3],
                             ssi_made_solid *out);
void ssi_made_solid_release(ssi_made_solid *s);

// ---- links --------------------------------------------------------------------------------------

ss_error ssi_link_begin(const ssi_scene_draft *d, const char *name, const ss_pose *pose,
                        ssi_link *out);
void ssi_link_end(ssi_link *l);

// Somewhere in the link's frame. The part is what touches; mass is counted by the next two.
ss_error ssi_link_add_part(ssi_scene_draft *d, ssi_link *l, const ssi_made_solid *s,
                           const ss_pose *at);
// tensor: about the centre, along the axes of `at`.
void ssi_link_add_mass(ssi_link *l, double mass, const ss_pose *at, const double centre[3],
                       const double tensor[9]);
ss_error ssi_link_add_solid(ssi_scene_draft *d, ssi_link *l, const ssi_made_solid *s,
                            const ss_pose *at, double mass, double density);

// A body, or what stands still.
void ssi_scene_draft_body(ssi_scene_draft *d, const ssi_link *l);
void ssi_scene_draft_external(ssi_scene_draft *d, const ssi_link *l);

// ---- between links ------------------------------------------------------------------------------

typedef struct ssi_made_joint {
  const char *name;  // "": none
  const char *kind;
  const char *a, *b;  // names of bodies; b: NULL for the world
  double anchor[3], axis[3];
  double damping, stiffness, rest;  // about or along the axis; rest: from where it is at t = 0
  bool limited;
  double low, high;  // from there, too
} ssi_made_joint;
void ssi_scene_draft_add_joint(ssi_scene_draft *d, const ssi_made_joint *j);

// The whole, as text that json_dumps made: the caller frees it.
ss_error ssi_scene_draft_text(ssi_scene_draft *d, char **out);

// Its length is neither zero nor past all numbers.
bool ssi_is_direction(const double v[3]);

// out = rotation about the axis (any length but 0) by an angle.
void ssi_turn_about(const double axis[3], double angle, double out[4]);
