// Joints as bilateral rows  G^T v + b = 0.
//
// With P_a, P_b the anchor as each side carries it, e a direction, t the error's recovery:
//
//   translation   e . (v_a(P_a) - v_b(P)) + (recovery/h) e . (P_a - P_b) = 0                  (1)
//   rotation      e . (w_a - w_b) + (recovery/h) e . (rotation vector from b to a) = 0        (2)
//
// (1) along the world's axes, P = P_b; for a slider along two directions normal to the axis that b
// carries, P = P_a, since what b turns with is the line. (2) about all axes (slider, fixed) or about
// two normal to the axis (hinge). In 2D (2) is about z; hinge and ball are the same.
#include <string.h>

#include "base/error.h"
#include "dynamics/quaternion.h"
#include "dynamics/sim.h"
#include "dynamics/vec3.h"
#include "problem/rigid.h"

typedef struct side {
  ss_pose pose;
  double anchor[3];        // world
  int body;                // -1: not a body
  const ssi_twist *twist;  // NULL: a body, or the world
} side;

typedef struct line {  // one row
  double e[3];
  bool rotation;
  double a[3], b[3];  // where e acts on each side
  double error;
} line;

enum { LINES_MAX = 6 };

int ssi_joint_rows(int dim, ss_joint_kind kind) {
  static const int rows[2][4] = {{2, 2, 2, 3}, {3, 5, 5, 6}};
  return rows[dim - 2][kind];
}

static side side_of(const ss_simulation *s, int which, const double at[3]) {
  side out = {.pose = ss_pose_identity(), .body = -1};
  if (which >= 0) {
    out.pose = s->pose[which];
    out.body = which;
  } else if (which <= SS_EXTERNAL) {
    out.pose = s->collider[s->nb + SS_EXTERNAL - which].pose;
    out.twist = s->twist + (SS_EXTERNAL - which);
  }
  ss_pose_apply(&out.pose, at, out.anchor);
  return out;
}

static void turn_vector(const ss_pose *pose, const double local[3], double world[3]) {
  ss_pose turn = *pose;
  ssi_set3(0, 0, 0, turn.x);
  ss_pose_apply(&turn, local, world);
}

static void add_translation(const side *a, const side *b, const double e[3], bool slides,
                            line *out) {
  double d[3];
  ssi_sub3(a->anchor, b->anchor, d);
  *out = (line){.error = ssi_dot3(e, d)};
  ssi_copy3(e, out->e);
  ssi_copy3(a->anchor, out->a);
  ssi_copy3(slides ? a->anchor : b->anchor, out->b);
}

static void add_rotation(const double e[3], const double error[3], line *out) {
  *out = (line){.rotation = true, .error = ssi_dot3(e, error)};
  ssi_copy3(e, out->e);
}

// Rotation of a from where b would have it, as a vector in world axes.
static void turned(const ssi_simjoint *j, const side *a, const side *b, double out[3]) {
  double q[4];
  ssi_quat_times(b->pose.q, j->relative, q);
  ssi_quat_conjugate(q, q);
  ssi_quat_times(a->pose.q, q, q);
  ssi_quat_log(q, out);
}

static int lines_of(const ss_simulation *s, const ssi_simjoint *j, const side *a, const side *b,
                    line out[LINES_MAX]) {
  static const double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  int n = 0;
  double frame[3][3], error[3];
  bool slides = j->kind == SS_JOINT_SLIDER;
  if (slides || j->kind == SS_JOINT_HINGE) {
    double axis[3];
    turn_vector(&b->pose, j->axis_b, axis);
    ssi_contact_frame(s->dim, axis, frame);
  }
  for (int k = slides ? 1 : 0; k < s->dim; k++)
    add_translation(a, b, slides ? frame[k] : axes[k], slides, out + n++);
  if (j->kind == SS_JOINT_BALL || (s->dim == 2 && j->kind == SS_JOINT_HINGE)) return n;
  if (j->kind == SS_JOINT_HINGE) {
    double axis_a[3];
    turn_vector(&a->pose, j->axis_a, axis_a);
    ssi_cross3(frame[0], axis_a, error);
    for (int k = 1; k < 3; k++) add_rotation(frame[k], error, out + n++);
    return n;
  }
  turned(j, a, b, error);
  for (int k = s->dim == 2 ? 2 : 0; k < 3; k++) add_rotation(axes[k], error, out + n++);
  return n;
}

static void fill_block(const ss_simulation *s, const line *l, int body, double sign,
                       const double point[3], double *x) {
  if (!l->rotation) {
    ssi_sim_row(s, body, sign, l->e, point, x);
    return;
  }
  memset(x, 0, sizeof(double) * (size_t)s->per_body);
  if (s->dim == 2) {
    x[2] = sign;
    return;
  }
  ssi_unrotate3(s->rotation + 9 * (size_t)body, l->e, x + 3);
  ssi_scale3(sign, x + 3, x + 3);
}

static double imposed(const line *l, const ssi_twist *twist) {
  if (!twist) return 0;
  if (l->rotation) return ssi_dot3(l->e, twist->a);
  double v[3];
  ssi_twist_at(twist, l->b, v);
  return ssi_dot3(l->e, v);
}

typedef struct rows {  // G^T, two blocks per row
  int (*body)[2];      // -1: none
  double *x;           // (2 per_body per row)
} rows;

static void fill_joint(ss_simulation *s, const ssi_simjoint *j, double rate, rows *g, double *b,
                       double *drift) {
  side sa = side_of(s, j->a, j->at_a), sb = side_of(s, j->b, j->at_b);
  line lines[LINES_MAX];
  int n = lines_of(s, j, &sa, &sb, lines);
  for (int k = 0; k < n; k++) {
    int row = j->row + k;
    double *x = g->x + (size_t)row * 2 * s->per_body;
    g->body[row][0] = sa.body;
    g->body[row][1] = sb.body;
    fill_block(s, lines + k, sa.body, 1, lines[k].a, x);
    if (sb.body >= 0) fill_block(s, lines + k, sb.body, -1, lines[k].b, x + s->per_body);
    drift[row] = rate * lines[k].error;
    b[row] = drift[row] - imposed(lines + k, sb.twist);
  }
}

// G = (G^T)^T: rows of G are degrees of freedom.
static ss_error transpose(ss_simulation *s, const rows *g, ss_sparse *G) {
  int64_t *ptr = SSI_TAKE(&s->work, (size_t)s->ndof + 2, int64_t);
  size_t most = (size_t)s->nl * 2 * s->per_body;
  int *col = SSI_TAKE(&s->work, most, int);
  double *x = SSI_TAKE(&s->work, most, double);
  if (s->work.failed) return ssi_fail(s->ctx, SS_ERR_MEMORY, "no memory for the joints");
  int64_t *next = ptr + 1;  // filled one place ahead, so that it ends where it should begin
  for (int fill = 0; fill < 2; fill++) {
    for (int row = 0; row < s->nl; row++)
      for (int k = 0; k < 2; k++)
        for (int d = 0; g->body[row][k] >= 0 && d < s->per_body; d++) {
          int dof = g->body[row][k] * s->per_body + d;
          double value = g->x[(size_t)row * 2 * s->per_body + (size_t)k * s->per_body + d];
          if (value == 0) continue;
          if (fill) {
            col[next[dof]] = row;
            x[next[dof]] = value;
            next[dof]++;
          } else {
            ptr[dof + 2]++;
          }
        }
    for (int i = 0; !fill && i <= s->ndof; i++) ptr[i + 1] += ptr[i];
  }
  *G = (ss_sparse){s->ndof, s->nl, ptr, col, x};
  return SS_OK;
}

ss_error ssi_sim_joint_block(ss_simulation *s, double rate, ss_sparse *G, double *b,
                             double *drift) {
  rows g;
  g.body = ssi_arena_take(&s->work, (size_t)s->nl, sizeof *g.body);
  g.x = SSI_TAKE(&s->work, (size_t)s->nl * 2 * s->per_body, double);
  if (s->work.failed) return ssi_fail(s->ctx, SS_ERR_MEMORY, "no memory for the joints");
  for (int k = 0; k < s->nj; k++) fill_joint(s, s->joint + k, rate, &g, b, drift);
  return transpose(s, &g, G);
}

// What the multipliers are, as a force and a moment about the anchor on a.
void ssi_sim_joint_impulses(ss_simulation *s, const double *l) {
  for (int k = 0; k < s->nj; k++) {
    const ssi_simjoint *j = s->joint + k;
    double *out = s->joint_impulse + 6 * (size_t)k;
    memset(out, 0, sizeof(double) * 6);
    side sa = side_of(s, j->a, j->at_a), sb = side_of(s, j->b, j->at_b);
    line lines[LINES_MAX];
    int n = lines_of(s, j, &sa, &sb, lines);
    for (int i = 0; i < n; i++) {
      double *to = out + (lines[i].rotation ? 3 : 0);
      ssi_add3(to, l[j->row + i], lines[i].e, to);
    }
  }
}
