// MJCF, the models of MuJoCo: a tree of bodies, each with the joint to its parent. A body without a joint is part of
// its parent.
//
// Reference: MuJoCo's "XML reference" and "Modeling".
#include "io/import/mjcf.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "dynamics/quaternion.h"
#include "la/vec3.h"

static const double DEGREE = 0.017453292519943295;  // pi/180

// ---- settings -------------------------------------------------------------------------------------

static ss_error read_compiler(ssi_mjcf *f, xmlNode *mujoco) {
  ssi_xml *x = &f->m->x;
  f->angle = DEGREE;
  f->euler = "xyz";
  f->mesh_folder = "";
  for (xmlNode *n = ssi_xml_child(mujoco, "compiler"); n; n = ssi_xml_next(n)) {
    const char *angle = ssi_xml_text(x, n, "angle"), *euler = ssi_xml_text(x, n, "eulerseq");
    const char *folder = ssi_xml_text(x, n, "meshdir"),
               *geoms = ssi_xml_text(x, n, "inertiafromgeom");
    const char *frame = ssi_xml_text(x, n, "coordinate");
    if (angle) f->angle = strcmp(angle, "radian") == 0 ? 1 : DEGREE;
    if (euler && strlen(euler) != 3)
      return ssi_xml_wrong(x, n, "eulerseq: found '%.20s', expected three letters", euler);
    if (euler) f->euler = euler;
    if (folder) f->mesh_folder = folder;
    f->from_geoms = geoms && strcmp(geoms, "true") == 0;
    f->never_from_geoms = geoms && strcmp(geoms, "false") == 0;
    if (frame && strcmp(frame, "local") != 0)
      return ssi_xml_wrong(x, n, "coordinate: found '%.20s', expected local", frame);
  }
  return SS_OK;
}

static ss_error read_option(ssi_mjcf *f, xmlNode *mujoco) {
  for (xmlNode *n = ssi_xml_child(mujoco, "option"); n; n = ssi_xml_next(n)) {
    SS_TRY(ssi_xml_vector(&f->m->x, n, "timestep", 1, &f->m->d.step));
    SS_TRY(ssi_xml_vector(&f->m->x, n, "gravity", 3, f->m->d.gravity));
  }
  return SS_OK;
}

// ---- joints ---------------------------------------------------------------------------------------

typedef struct moving_joint {
  xmlNode *node;  // NULL: none, part of its parent
  bool free;
  ssi_made_joint draft;  // anchor and axis in the body's frame
  double moved;          // from where the model has it
} moving_joint;

static ss_error read_stiffness(ssi_mjcf *f, const ssi_mjcf_element *e, bool turns,
                               moving_joint *out) {
  double ref = 0, springref = 0, value, unit = turns ? f->angle : 1, dry = 0, armature = 0;
  SS_TRY(ssi_mjcf_numbers(f, e, "damping", 1, 1, &out->draft.damping, NULL));
  SS_TRY(ssi_mjcf_numbers(f, e, "stiffness", 1, 1, &out->draft.stiffness, NULL));
  SS_TRY(ssi_mjcf_numbers(f, e, "ref", 1, 1, &ref, NULL));
  SS_TRY(ssi_mjcf_numbers(f, e, "springref", 1, 1, &springref, NULL));
  SS_TRY(ssi_mjcf_numbers(f, e, "frictionloss", 1, 1, &dry, NULL));
  SS_TRY(ssi_mjcf_numbers(f, e, "armature", 1, 1, &armature, NULL));
  if (ssi_position_of(f->m, out->draft.name, &value)) out->moved = value - unit * ref;
  out->draft.rest = unit * (springref - ref) - out->moved;
  if (dry > 0)
    ssi_xml_leave(&f->m->x, e->node, "frictionloss %g: joints have no dry friction", dry);
  if (armature > 0)
    ssi_xml_leave(&f->m->x, e->node, "armature %g: joints have no inertia of their own", armature);
  if (!turns && out->draft.stiffness > 0 && out->draft.rest != 0)
    return ssi_xml_wrong(&f->m->x, e->node,
                         "a spring along its axis that is not at rest at the start");
  return SS_OK;
}

// `limited` may be left out where a range is given. From where the joint is at t = 0, as a scene counts.
static ss_error read_range(ssi_mjcf *f, const ssi_mjcf_element *e, bool turns, moving_joint *out) {
  double range[2] = {0, 0}, ref = 0, unit = turns ? f->angle : 1;
  int given;
  const char *limited = ssi_mjcf_text(f, e, "limited");
  SS_TRY(ssi_mjcf_numbers(f, e, "range", 2, 2, range, &given));
  SS_TRY(ssi_mjcf_numbers(f, e, "ref", 1, 1, &ref, NULL));
  if (!given || (limited && strcmp(limited, "false") == 0)) return SS_OK;
  out->draft.limited = true;
  out->draft.low = unit * (range[0] - ref) - out->moved;
  out->draft.high = unit * (range[1] - ref) - out->moved;
  if (out->draft.low > 0 || out->draft.high < 0)
    return ssi_xml_wrong(&f->m->x, e->node,
                         "it starts outside its range %g .. %g; say where it is (position)",
                         range[0], range[1]);
  return SS_OK;
}

static ss_error read_joint(ssi_mjcf *f, xmlNode *node, int class, moving_joint *out) {
  ssi_mjcf_element e = {node, class};
  out->node = node;
  out->draft.name = ssi_xml_name(&f->m->x, node);
  SS_TRY(ssi_mjcf_find_class(f, node, "class", class, &e.class));
  const char *type = ssi_mjcf_text(f, &e, "type");
  if (!type) type = "hinge";
  out->free = strcmp(type, "free") == 0;
  if (out->free) return SS_OK;
  static const char *const words[3][2] = {
      {"hinge", "hinge"}, {"slide", "slider"}, {"ball", "ball"}};
  for (int k = 0; k < 3; k++)
    if (strcmp(type, words[k][0]) == 0) out->draft.kind = words[k][1];
  if (!out->draft.kind)
    return ssi_xml_wrong(&f->m->x, node, "type: found '%.40s', expected hinge, slide, ball or free",
                         type);
  ssi_set3(0, 0, 1, out->draft.axis);
  SS_TRY(ssi_mjcf_numbers(f, &e, "axis", 3, 3, out->draft.axis, NULL));
  SS_TRY(ssi_mjcf_numbers(f, &e, "pos", 3, 3, out->draft.anchor, NULL));
  if (!ssi_is_direction(out->draft.axis))
    return ssi_xml_wrong(&f->m->x, node, "axis: all zero, or too large");
  if (strcmp(type, "ball") == 0) return SS_OK;
  SS_TRY(read_stiffness(f, &e, strcmp(type, "hinge") == 0, out));
  return read_range(f, &e, strcmp(type, "hinge") == 0, out);
}

static ss_error find_joint(ssi_mjcf *f, xmlNode *body, int class, moving_joint *out) {
  *out = (moving_joint){.draft = {.name = ""}};
  xmlNode *n = ssi_xml_child(body, "joint"), *free_joint = ssi_xml_child(body, "freejoint");
  if (n) SS_TRY(read_joint(f, n, class, out));
  if (free_joint) {
    ssi_xml_name(&f->m->x, free_joint);
    out->node = free_joint, out->free = true;
  }
  xmlNode *second = n ? ssi_xml_next(n) : NULL;
  if (second || (n && free_joint))
    return ssi_xml_wrong(&f->m->x, second ? second : free_joint,
                         "the second joint of a body, expected one; put a light body between them");
  return SS_OK;
}

// The body about the joint's anchor, or along its axis, from where the model has it.
static void move_body(const moving_joint *j, ss_pose *pose) {
  if (!j->node || j->free || j->moved == 0) return;
  ss_pose by = ss_pose_identity();
  if (strcmp(j->draft.kind, "slider") == 0) {
    ssi_scale3(j->moved / ssi_norm3(j->draft.axis), j->draft.axis, by.x);
  } else {
    ssi_turn_about(j->draft.axis, j->moved, by.q);
    double turned[3];
    ss_pose_apply(&by, j->draft.anchor, turned);
    ssi_sub3(j->draft.anchor, turned, by.x);
  }
  *pose = ss_pose_times(pose, &by);
}

static void add_joint(ssi_mjcf *f, const moving_joint *j, const ssi_link *child,
                      const char *parent) {
  ssi_made_joint d = j->draft;
  double R[9];
  ss_rotation(child->pose.q, R);
  ssi_rotate3(R, j->draft.axis, d.axis);
  ss_pose_apply(&child->pose, j->draft.anchor, d.anchor);
  d.a = child->name;
  d.b = parent;
  ssi_scene_draft_add_joint(&f->m->d, &d);
}

// ---- bodies ---------------------------------------------------------------------------------------

typedef struct frame {
  ss_pose pose;      // world
  int class;         // of defaults
  ssi_link *link;    // whose parts these are; NULL: the world
  ss_pose within;    // of the link's frame
  const char *name;  // of the link; NULL: the world
} frame;

static ss_error add_inertial(ssi_mjcf *f, xmlNode *inertial, const frame *at) {
  ssi_mjcf_element e = {inertial, -1};
  double mass = 0, diagonal[3] = {0}, full[6], none[3] = {0, 0, 0};
  int has_full;
  ss_pose pose;
  SS_TRY(ssi_mjcf_pose(f, &e, &pose));
  SS_TRY(ssi_xml_vector(&f->m->x, inertial, "mass", 1, &mass));
  SS_TRY(ssi_xml_vector(&f->m->x, inertial, "diaginertia", 3, diagonal));
  SS_TRY(ssi_mjcf_numbers(f, &e, "fullinertia", 6, 6, full, &has_full));
  if (!(mass > 0))
    return ssi_xml_wrong(&f->m->x, inertial, "mass: found %g, expected a number > 0", mass);
  if (!has_full) ssi_copy3(diagonal, full), ssi_set3(0, 0, 0, full + 3);
  const double tensor[9] = {full[0], full[3], full[4], full[3], full[1],
                            full[5], full[4], full[5], full[2]};
  pose = ss_pose_times(&at->within, &pose);
  ssi_link_add_mass(at->link, mass, &pose, none, tensor);
  return SS_OK;
}

static ss_error add_contents(ssi_mjcf *f, xmlNode *body, const frame *at) {
  xmlNode *inertial = ssi_xml_child(body, "inertial");
  if (!at->link) return ssi_mjcf_still_geoms(f, body, at->class, &at->pose);
  bool by_geoms = f->from_geoms || (!inertial && !f->never_from_geoms);
  if (inertial && !f->from_geoms) SS_TRY(add_inertial(f, inertial, at));
  return ssi_mjcf_geoms(f, body, at->class, &at->within, by_geoms, at->link);
}

// The frame of a body inside another one.
static ss_error enter(ssi_mjcf *f, xmlNode *body, const moving_joint *j, const frame *around,
                      frame *at) {
  ss_pose pose;
  *at = *around;
  SS_TRY(ssi_mjcf_find_class(f, body, "childclass", around->class, &at->class));
  SS_TRY(ssi_mjcf_pose(f, &(ssi_mjcf_element){body, -1}, &pose));
  if (j) move_body(j, &pose);
  at->pose = ss_pose_times(&around->pose, &pose);
  at->within = ss_pose_times(&around->within, &pose);
  return SS_OK;
}

static bool is_part(xmlNode *body) {
  return !ssi_xml_child(body, "joint") && !ssi_xml_child(body, "freejoint");
}

// What is in this body and in the parts of it.
static ss_error add_parts(ssi_mjcf *f, xmlNode *body, const frame *at) {
  const char *mocap = ssi_xml_text(&f->m->x, body, "mocap");
  if (mocap && strcmp(mocap, "true") == 0)
    ssi_xml_leave(&f->m->x, body, "mocap: it stands where it is");
  SS_TRY(add_contents(f, body, at));
  for (xmlNode *n = ssi_xml_child(body, "body"); n; n = ssi_xml_next(n)) {
    frame inner;
    if (!is_part(n)) continue;
    ssi_xml_name(&f->m->x, n);
    SS_TRY(enter(f, n, NULL, at, &inner));
    SS_TRY(add_parts(f, n, &inner));
  }
  return SS_OK;
}

static const char *name_link(ssi_mjcf *f, xmlNode *body) {
  const char *name = ssi_xml_name(&f->m->x, body);
  if (*name) return name;
  enum { ROOM = 32 };
  char *made = SSI_TAKE(f->m->x.arena, ROOM, char);
  if (made) snprintf(made, ROOM, "body.%zu", json_array_size(f->m->d.bodies));
  return made ? made : "";
}

static ss_error add_jointed(ssi_mjcf *f, xmlNode *body, const frame *at);

static ss_error add_body(ssi_mjcf *f, xmlNode *body, const frame *around) {
  frame at;
  moving_joint j;
  ssi_link link;
  int class;
  SS_TRY(ssi_mjcf_find_class(f, body, "childclass", around->class, &class));
  SS_TRY(find_joint(f, body, class, &j));
  SS_TRY(enter(f, body, &j, around, &at));
  at.within = ss_pose_identity();
  at.name = name_link(f, body);
  SS_TRY(ssi_link_begin(&f->m->d, at.name, &at.pose, &link));
  at.link = &link;
  ss_error e = add_parts(f, body, &at);
  if (!e && !(link.mass.mass > 0)) e = ssi_xml_wrong(&f->m->x, body, "it moves and has no mass");
  if (!e) {
    ssi_scene_draft_body(&f->m->d, &link);
    if (!j.free) add_joint(f, &j, &link, around->name);
  }
  ssi_link_end(&link);
  at.link = NULL;
  return e ? e : add_jointed(f, body, &at);
}

// Bodies that joints hold to this one and to the parts of it.
static ss_error add_jointed(ssi_mjcf *f, xmlNode *body, const frame *at) {
  for (xmlNode *n = ssi_xml_child(body, "body"); n; n = ssi_xml_next(n)) {
    frame inner;
    if (!is_part(n)) {
      SS_TRY(add_body(f, n, at));
      continue;
    }
    SS_TRY(enter(f, n, NULL, at, &inner));
    SS_TRY(add_jointed(f, n, &inner));
  }
  return SS_OK;
}

ss_error ssi_import_mjcf(ssi_foreign *m, xmlNode *mujoco) {
  ssi_mjcf f = {.m = m, .assets = ssi_xml_child(mujoco, "asset")};
  ssi_xml_text(&m->x, mujoco, "model");
  xmlNode *include = ssi_xml_child(mujoco, "include"), *world = ssi_xml_child(mujoco, "worldbody");
  if (include)
    return ssi_xml_wrong(
        &m->x, include,
        "files are not put together here, expected one whole (MuJoCo's compile does that)");
  if (!world) return ssi_xml_wrong(&m->x, mujoco, "worldbody: missing");
  SS_TRY(read_compiler(&f, mujoco));
  SS_TRY(read_option(&f, mujoco));
  SS_TRY(ssi_mjcf_read_classes(&f, mujoco));
  frame at = {
      .pose = ss_pose_identity(), .within = ss_pose_identity(), .class = f.class_count ? 0 : -1};
  SS_TRY(add_parts(&f, world, &at));
  return add_jointed(&f, world, &at);
}
