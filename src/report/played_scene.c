#include "report/played_scene.h"

#include <limits.h>

#include "base/error.h"
#include "stickslip/evolve.h"

static ss_error bad(const ssi_played_scene *s, const char *where, const char *what) {
  return ssi_fail(s->h5->ctx, SS_ERR_FORMAT, "%s: %s: %s", s->h5->in->name, where, what);
}

// ---- what the file has -------------------------------------------------------------------------

// A table of rows x count x width; where count is negative it is found there. Without a count it need not be there.
static ss_error read_states(ssi_played_scene *s, const ssi_h5_node *group, const char *name,
                            int *count, uint64_t width, double **out) {
  ssi_h5_shape shape;
  bool there;
  SS_TRY(ssi_h5_has(s->h5, group, name, &there));
  if (!there && *count <= 0) return *count = 0, SS_OK;
  SS_TRY(ssi_h5_table(s->h5, group, name, &s->arena, &shape, out));
  bool fits = shape.rank == 3 && shape.size[0] == (uint64_t)s->size.frames &&
              shape.size[1] <= INT_MAX / 8 && shape.size[2] == width;
  if (fits && *count < 0) *count = (int)shape.size[1];
  if (!fits || shape.size[1] != (uint64_t)*count)
    return bad(s, name, "not of the shape that the states of a scene have");
  return SS_OK;
}

static ss_error read_frames(ssi_played_scene *s, const ssi_h5_node *root) {
  ssi_h5_node group;
  SS_TRY(ssi_h5_required_group(s->h5, root, "frames", &group));
  s->size.bodies = s->size.externals = -1;
  SS_TRY(read_states(s, &group, "pose", &s->size.bodies, 7, &s->pose));
  SS_TRY(read_states(s, &group, "velocity", &s->size.bodies, 6, &s->velocity));
  SS_TRY(read_states(s, &group, "external_pose", &s->size.externals, 7, &s->external));
  SS_TRY(read_states(s, &group, "contact_point", &s->contacts, 3, &s->point));
  SS_TRY(read_states(s, &group, "contact_normal", &s->contacts, 3, &s->normal));
  SS_TRY(read_states(s, &group, "contact_force", &s->contacts, 3, &s->force));
  ssi_h5_leave(&group);
  return SS_OK;
}

static ss_error read_column(ssi_played_scene *s, const ssi_h5_node *group, const char *name,
                            double **out) {
  ssi_h5_shape shape;
  SS_TRY(ssi_h5_table(s->h5, group, name, &s->arena, &shape, out));
  if (shape.rank != 1 || shape.count > INT_MAX) return bad(s, name, "is not a column");
  if (s->size.frames == 0) s->size.frames = (int64_t)shape.count;
  if ((int64_t)shape.count != s->size.frames) return bad(s, name, "has another number of rows");
  return SS_OK;
}

static ss_error read_samples(ssi_played_scene *s, const ssi_h5_node *root) {
  ssi_h5_node group;
  SS_TRY(ssi_h5_required_group(s->h5, root, "samples", &group));
  SS_TRY(read_column(s, &group, "time", &s->time));
  s->mode = SSI_TAKE(&s->arena, s->contacts, double *);
  for (int k = 0; s->mode && k < s->contacts; k++) {
    char name[32] = "mode";
    if (s->contacts > 1) snprintf(name, sizeof name, "mode%d", k);
    SS_TRY(read_column(s, &group, name, s->mode + k));
  }
  ssi_h5_leave(&group);
  return SS_OK;
}

// Every contact is one of a body with a body or an external object: a file may be damaged.
static ss_error read_pairs(ssi_played_scene *s, const ssi_h5_node *root) {
  ssi_h5_shape shape;
  if (s->contacts == 0) return SS_OK;
  SS_TRY(ssi_h5_table(s->h5, root, "pairs", &s->arena, &shape, &s->pairs));
  bool good = shape.rank == 2 && shape.count == 2 * (uint64_t)s->contacts;
  for (int k = 0; good && k < s->contacts; k++) {
    double a = s->pairs[2 * k], b = s->pairs[2 * k + 1];
    good = a >= 0 && a < s->size.bodies && b < s->size.bodies &&
           b > SS_EXTERNAL - s->size.externals && b != SS_WORLD;
  }
  return good ? SS_OK : bad(s, "/pairs", "names bodies that are not there");
}

static ss_error load(ssi_played_scene *s, const ssi_h5_node *root) {
  SS_TRY(ssi_h5_int(s->h5, root, "dim", &s->size.dim));
  if (s->size.dim != 2 && s->size.dim != 3) return bad(s, "/dim", "is neither 2 nor 3");
  SS_TRY(ssi_h5_int(s->h5, root, "contacts", &s->contacts));
  if (s->contacts < 0 || s->contacts > INT_MAX / 8) return bad(s, "/contacts", "is out of bounds");
  SS_TRY(read_samples(s, root));
  SS_TRY(read_frames(s, root));
  SS_TRY(read_pairs(s, root));
  s->size.joints = s->size.elements = -1;
  s->size.contacts = s->contacts * s->size.frames;
  s->pose_now = SSI_TAKE(&s->arena, s->size.bodies, ss_pose);
  s->external_now = SSI_TAKE(&s->arena, s->size.externals, ss_pose);
  s->contact_now = SSI_TAKE(&s->arena, s->contacts, ss_sim_contact);
  if (!s->arena.failed) return SS_OK;
  return ssi_fail(s->h5->ctx, SS_ERR_MEMORY, "%s: no memory", s->h5->in->name);
}

// ---- one state ---------------------------------------------------------------------------------

static void put_poses(const double *from, int count, ss_pose *to) {
  for (int k = 0; k < count; k++) {
    for (int d = 0; d < 3; d++) to[k].x[d] = from[7 * k + d];
    for (int d = 0; d < 4; d++) to[k].q[d] = from[7 * k + 3 + d];
  }
}

// Forces go where runs have impulses, of a step of length 1.
static void put_contact(ssi_played_scene *s, int64_t row, int k) {
  size_t at = 3 * ((size_t)row * (size_t)s->contacts + (size_t)k);
  double mode = s->mode[k][row];
  ss_sim_contact *c = &s->contact_now[k];
  *c = (ss_sim_contact){.a = (int)s->pairs[2 * k],
                        .b = (int)s->pairs[2 * k + 1],
                        .state = mode == SS_MODE_STICK                               ? SS_STICK
                                 : mode == SS_MODE_SLIP || mode == SS_MODE_SLIP_BACK ? SS_SLIP
                                                                                     : SS_FREE};
  for (int d = 0; d < 3; d++) {
    c->point[d] = s->point[at + (size_t)d], c->normal[d] = s->normal[at + (size_t)d];
    c->impulse[d] = s->force[at + (size_t)d];
  }
}

ss_error ssi_played_scene_state(void *source, int64_t row, ss_run_frame *out) {
  ssi_played_scene *s = source;
  put_poses(s->pose + row * 7 * s->size.bodies, s->size.bodies, s->pose_now);
  put_poses(s->external + row * 7 * s->size.externals, s->size.externals, s->external_now);
  for (int k = 0; k < s->contacts; k++) put_contact(s, row, k);
  *out = (ss_run_frame){.step = row,
                        .time = s->time[row],
                        .h = 1,
                        .contact_count = s->contacts,
                        .pose = s->pose_now,
                        .velocity = s->velocity + row * 6 * s->size.bodies,
                        .external_pose = s->external_now,
                        .contacts = s->contact_now};
  return SS_OK;
}

ss_error ssi_played_scene_load(ssi_played_scene *s, ssi_h5 *h5, const ssi_h5_node *root) {
  *s = (ssi_played_scene){.h5 = h5, .arena = {.ctx = h5->ctx}};
  SS_TRY(ssi_h5_text(h5, root, "scene", &s->arena, &s->size.scene_text));
  return s->size.scene_text ? load(s, root) : SS_OK;
}

void ssi_played_scene_release(ssi_played_scene *s) {
  ssi_arena_release(&s->arena);
}
