// URDF: a tree of links and joints. The frame of a link is that of the joint above it; what is fixed to a link is part
// of the same body.
//
// Reference: the specification of the ROS package urdf ("XML/link", "XML/joint").
#include <string.h>

#include "base/error.h"
#include "dynamics/quaternion.h"
#include "io/import/model_import.h"
#include "la/vec3.h"

typedef struct urdf_link {
  xmlNode *node;
  const char *name;
  int above;     // the joint to its parent; -1: a root
  ss_pose pose;  // world
  int owner;     // the link whose body it is part of; itself, unless fixed to another
  bool still;    // its body does not move
  bool visited;
} urdf_link;

typedef struct urdf_joint {
  xmlNode *node;
  const char *name, *type;
  int parent, child;
} urdf_joint;

typedef struct urdf {
  ssi_foreign *m;
  urdf_link *link;
  urdf_joint *joint;
  int link_count, joint_count;
  int *order;  // of links: parents first                                        (link_count)
} urdf;

// ---- what is read ---------------------------------------------------------------------------------

// xyz, and rpy: turns about the fixed axes x, y, z in this order.
static ss_error read_origin(ssi_xml *x, xmlNode *of, ss_pose *out) {
  xmlNode *origin = ssi_xml_child(of, "origin");
  double rpy[3] = {0, 0, 0};
  *out = ss_pose_identity();
  SS_TRY(ssi_xml_vector(x, origin ? origin : of, "xyz", 3, out->x));
  SS_TRY(ssi_xml_vector(x, origin ? origin : of, "rpy", 3, rpy));
  for (int k = 0; k < 3; k++) {
    double axis[3] = {k == 0, k == 1, k == 2}, q[4];
    ssi_turn_about(axis, rpy[k], q);
    ssi_quat_times(q, out->q, out->q);
  }
  return SS_OK;
}

static int find_link(const urdf *u, const char *name) {
  for (int k = 0; k < u->link_count; k++)
    if (strcmp(u->link[k].name, name) == 0) return k;
  return -1;
}

static ss_error read_links(urdf *u, xmlNode *robot) {
  ssi_xml *x = &u->m->x;
  for (xmlNode *n = ssi_xml_child(robot, "link"); n; n = ssi_xml_next(n)) {
    urdf_link *l = u->link + u->link_count;
    *l = (urdf_link){.node = n, .above = -1, .owner = u->link_count};
    SS_TRY(ssi_xml_needed(x, n, "name", &l->name));
    if (find_link(u, l->name) >= 0) return ssi_xml_wrong(x, n, "another link has this name");
    u->link_count++;
  }
  return SS_OK;
}

static ss_error read_end(urdf *u, xmlNode *joint, const char *which, int *out) {
  ssi_xml *x = &u->m->x;
  xmlNode *n = ssi_xml_child(joint, which);
  const char *name;
  if (!n) return ssi_xml_wrong(x, joint, "%s: missing", which);
  SS_TRY(ssi_xml_needed(x, n, "link", &name));
  *out = find_link(u, name);
  return *out < 0 ? ssi_xml_wrong(x, n, "there is no link '%.80s'", name) : SS_OK;
}

static ss_error read_joints(urdf *u, xmlNode *robot) {
  ssi_xml *x = &u->m->x;
  for (xmlNode *n = ssi_xml_child(robot, "joint"); n; n = ssi_xml_next(n)) {
    urdf_joint *j = u->joint + u->joint_count;
    *j = (urdf_joint){.node = n, .name = ssi_xml_name(x, n)};
    SS_TRY(ssi_xml_needed(x, n, "type", &j->type));
    SS_TRY(read_end(u, n, "parent", &j->parent));
    SS_TRY(read_end(u, n, "child", &j->child));
    if (u->link[j->child].above >= 0)
      return ssi_xml_wrong(x, n, "link '%.80s' has a parent already", u->link[j->child].name);
    u->link[j->child].above = u->joint_count++;
  }
  return SS_OK;
}

// ---- places ---------------------------------------------------------------------------------------

static ss_error read_axis(ssi_xml *x, xmlNode *joint, double axis[3]) {
  ssi_set3(1, 0, 0, axis);
  xmlNode *n = ssi_xml_child(joint, "axis");
  if (!n) return SS_OK;
  SS_TRY(ssi_xml_vector(x, n, "xyz", 3, axis));
  return ssi_is_direction(axis)
             ? SS_OK
             : ssi_xml_wrong(x, n, "xyz: all zero or too large, expected a direction");
}

static bool is_one_of(const char *word, const char *a, const char *b) {
  return strcmp(word, a) == 0 || strcmp(word, b) == 0;
}

// Where the child is: at the joint's frame, moved along the axis as was asked for.
static ss_error place(urdf *u, urdf_link *l) {
  const urdf_joint *j = u->joint + l->above;
  const urdf_link *parent = u->link + j->parent;
  ss_pose origin, moved = ss_pose_identity();
  double axis[3], value;
  SS_TRY(read_origin(&u->m->x, j->node, &origin));
  SS_TRY(read_axis(&u->m->x, j->node, axis));
  if (ssi_position_of(u->m, j->name, &value)) {
    if (is_one_of(j->type, "revolute", "continuous"))
      ssi_turn_about(axis, value, moved.q);
    else if (strcmp(j->type, "prismatic") == 0)
      ssi_scale3(value / ssi_norm3(axis), axis, moved.x);
    else
      return ssi_xml_wrong(&u->m->x, j->node, "it is %s and has no position", j->type);
  }
  l->pose = ss_pose_times(&parent->pose, &origin);
  l->pose = ss_pose_times(&l->pose, &moved);
  bool fixed = strcmp(j->type, "fixed") == 0;
  if (fixed) l->owner = parent->owner, l->still = parent->still;
  return SS_OK;
}

static bool root_is_still(const urdf *u, const urdf_link *l) {
  if (u->m->d.o->base != SS_BASE_AUTO) return u->m->d.o->base == SS_BASE_FIXED;
  return strcmp(l->name, "world") == 0 || !ssi_xml_child(l->node, "inertial");
}

// Parents before children. Links that no root leads to hang in a circle.
static ss_error place_links(urdf *u) {
  int count = 0;
  for (int k = 0; k < u->link_count; k++) {
    urdf_link *l = u->link + k;
    if (l->above >= 0) continue;
    l->pose = ss_pose_identity();
    l->still = root_is_still(u, l);
    u->order[count++] = k;
  }
  for (int done = 0; done < count; done++)
    for (int k = 0; k < u->joint_count; k++) {
      if (u->joint[k].parent != u->order[done]) continue;
      SS_TRY(place(u, u->link + u->joint[k].child));
      u->order[count++] = u->joint[k].child;
    }
  for (int k = 0; k < count; k++) u->link[u->order[k]].visited = true;
  for (int k = 0; k < u->link_count; k++)
    if (!u->link[k].visited)
      return ssi_xml_wrong(&u->m->x, u->link[k].node,
                           "its joints lead in a circle, expected a tree");
  return SS_OK;
}

// ---- bodies ---------------------------------------------------------------------------------------

static ss_error read_mesh(ssi_foreign *m, xmlNode *mesh, ssi_made_solid *out) {
  const char *named, *path;
  double scale[3] = {1, 1, 1};
  SS_TRY(ssi_xml_needed(&m->x, mesh, "filename", &named));
  SS_TRY(ssi_xml_vector(&m->x, mesh, "scale", 3, scale));
  SS_TRY(ssi_foreign_file(m, mesh, named, &path));
  return ssi_made_solid_mesh(&m->d, path, scale, out);
}

static ss_error read_rod(ssi_foreign *m, xmlNode *n, bool capsule, ssi_made_solid *out) {
  double radius = 0, length = 0;
  SS_TRY(ssi_xml_vector(&m->x, n, "radius", 1, &radius));
  SS_TRY(ssi_xml_vector(&m->x, n, "length", 1, &length));
  return ssi_made_solid_rod(&m->d, capsule, radius, length / 2, out);
}

static ss_error read_geometry(ssi_foreign *m, xmlNode *geometry, ssi_made_solid *out) {
  xmlNode *n;
  double size[3] = {0, 0, 0};
  if ((n = ssi_xml_child(geometry, "box"))) {
    SS_TRY(ssi_xml_vector(&m->x, n, "size", 3, size));
    ssi_scale3(0.5, size, size);
    return ssi_made_solid_box(&m->d, size, out);
  }
  if ((n = ssi_xml_child(geometry, "sphere"))) {
    SS_TRY(ssi_xml_vector(&m->x, n, "radius", 1, size));
    return ssi_made_solid_sphere(&m->d, size[0], out);
  }
  if ((n = ssi_xml_child(geometry, "cylinder"))) return read_rod(m, n, false, out);
  if ((n = ssi_xml_child(geometry, "capsule"))) return read_rod(m, n, true, out);
  if ((n = ssi_xml_child(geometry, "mesh"))) return read_mesh(m, n, out);
  return ssi_xml_wrong(
      &m->x, geometry,
      "found no shape in it that is known, expected box, sphere, cylinder, capsule or mesh");
}

static ss_error add_collision(urdf *u, const ss_pose *within, xmlNode *collision, bool weighs,
                              ssi_link *body) {
  ssi_foreign *m = u->m;
  ssi_made_solid s = {0};
  ss_pose at;
  xmlNode *geometry = ssi_xml_child(collision, "geometry");
  if (!geometry) return ssi_xml_wrong(&m->x, collision, "geometry: missing");
  ssi_xml_name(&m->x, collision);
  SS_TRY(read_origin(&m->x, collision, &at));
  at = ss_pose_times(within, &at);
  ss_error e = ssi_xml_placed(&m->x, geometry, read_geometry(m, geometry, &s));
  if (!e) e = ssi_link_add_part(&m->d, body, &s, &at);
  if (!e && weighs) e = ssi_link_add_solid(&m->d, body, &s, &at, 0, m->d.o->density);
  ssi_made_solid_release(&s);
  return e;
}

static ss_error add_inertial(urdf *u, const ss_pose *within, xmlNode *inertial, ssi_link *body) {
  ssi_xml *x = &u->m->x;
  static const char *const keys[6] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
  double mass = 0, I[6] = {0}, none[3] = {0, 0, 0};
  ss_pose at;
  xmlNode *n = ssi_xml_child(inertial, "mass"), *inertia = ssi_xml_child(inertial, "inertia");
  if (!n || !inertia) return ssi_xml_wrong(x, inertial, "%s: missing", n ? "inertia" : "mass");
  SS_TRY(read_origin(x, inertial, &at));
  SS_TRY(ssi_xml_vector(x, n, "value", 1, &mass));
  if (!(mass > 0)) return ssi_xml_wrong(x, n, "value: found %g, expected a number > 0", mass);
  for (int k = 0; k < 6; k++) SS_TRY(ssi_xml_vector(x, inertia, keys[k], 1, I + k));
  const double tensor[9] = {I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2]};
  at = ss_pose_times(within, &at);
  ssi_link_add_mass(body, mass, &at, none, tensor);
  return SS_OK;
}

static ss_error add_link(urdf *u, const urdf_link *l, bool weighs, ssi_link *body) {
  ss_pose back = ss_pose_inverse(&body->pose), within = ss_pose_times(&back, &l->pose);
  xmlNode *inertial = ssi_xml_child(l->node, "inertial"), *c = ssi_xml_child(l->node, "collision");
  for (; c; c = ssi_xml_next(c)) SS_TRY(add_collision(u, &within, c, weighs, body));
  return inertial && !l->still ? add_inertial(u, &within, inertial, body) : SS_OK;
}

static bool has_inertial(const urdf *u, int owner) {
  for (int k = 0; k < u->link_count; k++)
    if (u->link[k].owner == owner && ssi_xml_child(u->link[k].node, "inertial")) return true;
  return false;
}

// The body of link order[k] and of all that is fixed to it.
static ss_error gather(urdf *u, int k, ssi_link *body) {
  const urdf_link *first = u->link + u->order[k];
  bool weighs = !first->still && !has_inertial(u, u->order[k]);
  for (int i = k; i < u->link_count; i++)
    if (u->link[u->order[i]].owner == u->order[k])
      SS_TRY(add_link(u, u->link + u->order[i], weighs, body));
  if (first->still) return ssi_scene_draft_external(&u->m->d, body), SS_OK;
  if (!(body->mass.mass > 0))
    return ssi_xml_wrong(&u->m->x, first->node,
                         "it moves and has neither inertial nor collision, expected a mass");
  if (weighs)
    ssi_xml_leave(&u->m->x, first->node,
                  "no inertial: its mass is that of its collision shapes, of density %g",
                  u->m->d.o->density);
  return ssi_scene_draft_body(&u->m->d, body), SS_OK;
}

static ss_error add_bodies(urdf *u) {
  for (int k = 0; k < u->link_count; k++) {
    const urdf_link *first = u->link + u->order[k];
    if (first->owner != u->order[k]) continue;
    ssi_link body;
    SS_TRY(ssi_link_begin(&u->m->d, first->name, &first->pose, &body));
    ss_error e = gather(u, k, &body);
    ssi_link_end(&body);
    if (e) return e;
  }
  return SS_OK;
}

// ---- joints ---------------------------------------------------------------------------------------

// Whether a link's body that stands still is there to be named: it has something to touch.
static const char *name_of(const urdf *u, int link) {
  const urdf_link *owner = u->link + u->link[link].owner;
  if (!owner->still) return owner->name;
  for (int k = 0; k < u->link_count; k++)
    if (u->link[k].owner == u->link[link].owner && ssi_xml_child(u->link[k].node, "collision"))
      return owner->name;
  return NULL;
}

static ss_error read_dynamics(urdf *u, xmlNode *joint, ssi_made_joint *out) {
  xmlNode *n = ssi_xml_child(joint, "dynamics");
  if (!n) return SS_OK;
  double friction = 0;
  SS_TRY(ssi_xml_vector(&u->m->x, n, "damping", 1, &out->damping));
  SS_TRY(ssi_xml_vector(&u->m->x, n, "friction", 1, &friction));
  if (friction > 0)
    ssi_xml_leave(&u->m->x, n, "friction %g: joints have no dry friction", friction);
  return SS_OK;
}

// A scene counts coordinates from where a joint is at t = 0, which has to be within the limits.
static ss_error read_limit(urdf *u, const urdf_joint *j, ssi_made_joint *out) {
  xmlNode *n = ssi_xml_child(j->node, "limit");
  double start = 0, most = 0;
  if (!n || strcmp(j->type, "continuous") == 0) return SS_OK;
  SS_TRY(ssi_xml_vector(&u->m->x, n, "lower", 1, &out->low));
  SS_TRY(ssi_xml_vector(&u->m->x, n, "upper", 1, &out->high));
  SS_TRY(ssi_xml_vector(&u->m->x, n, "effort", 1, &most));
  SS_TRY(ssi_xml_vector(&u->m->x, n, "velocity", 1, &most));
  ssi_xml_leave(&u->m->x, n, "effort and velocity bound a motor, of which there is none");
  ssi_position_of(u->m, j->name, &start);
  out->limited = true;
  if (start < out->low || start > out->high)
    return ssi_xml_wrong(&u->m->x, j->node,
                         "it starts at %g, outside its limits %g .. %g; say where it is (position)",
                         start, out->low, out->high);
  out->low -= start, out->high -= start;
  return SS_OK;
}

static ss_error add_joint(urdf *u, const urdf_joint *j) {
  ssi_xml *x = &u->m->x;
  const urdf_link *child = u->link + j->child;
  ssi_made_joint out = {.name = j->name, .a = child->name, .b = name_of(u, j->parent)};
  if (strcmp(j->type, "floating") == 0 || strcmp(j->type, "fixed") == 0) return SS_OK;
  if (is_one_of(j->type, "revolute", "continuous"))
    out.kind = "hinge";
  else if (strcmp(j->type, "prismatic") == 0)
    out.kind = "slider";
  else
    return ssi_xml_wrong(
        x, j->node,
        "type: found '%.60s', expected revolute, continuous, prismatic, fixed or floating",
        j->type);
  double axis[3], R[9];
  SS_TRY(read_axis(x, j->node, axis));
  ss_rotation(child->pose.q, R);
  ssi_rotate3(R, axis, out.axis);
  ssi_copy3(child->pose.x, out.anchor);
  SS_TRY(read_dynamics(u, j->node, &out));
  SS_TRY(read_limit(u, j, &out));
  ssi_scene_draft_add_joint(&u->m->d, &out);
  return SS_OK;
}

ss_error ssi_import_urdf(ssi_foreign *m, xmlNode *robot) {
  urdf u = {.m = m};
  size_t links = 0, joints = 0;
  for (xmlNode *n = robot->children; n; n = n->next) {
    links += ssi_xml_is(n, "link");
    joints += ssi_xml_is(n, "joint");
  }
  u.link = SSI_TAKE(m->x.arena, links, urdf_link);
  u.joint = SSI_TAKE(m->x.arena, joints, urdf_joint);
  u.order = SSI_TAKE(m->x.arena, links, int);
  if (m->x.arena->failed) return ssi_scene_draft_no_memory(&m->d);
  ssi_xml_name(&m->x, robot);
  SS_TRY(read_links(&u, robot));
  SS_TRY(read_joints(&u, robot));
  SS_TRY(place_links(&u));
  SS_TRY(add_bodies(&u));
  for (int k = 0; k < u.joint_count; k++) SS_TRY(add_joint(&u, u.joint + k));
  return SS_OK;
}
