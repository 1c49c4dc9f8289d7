#include "dynamics/scene/joint_terms.h"

#include "la/vec3.h"
#include "problem/rigid.h"

static void add_angle(ssi_joint_term *x, const double t[3], const double s[3], double weight) {
  int k = x->angles++;
  x->angle[k].weight = weight;
  ssi_copy3(t, x->angle[k].t);
  ssi_copy3(s, x->angle[k].s);
}

// Two rows that keep the axis of a normal to t_1, t_2 of b: turned by d, t_1 . n_a = d . t_2, t_2 . n_a = -d . t_1.
static int hinge_axis(const ssi_simjoint *j, ssi_joint_term *out) {
  double frame[3][3];
  ssi_contact_frame(3, j->axis_b, frame);
  for (int k = 0; k < 2; k++) {
    out[k] = (ssi_joint_term){.rotation = true};
    add_angle(out + k, frame[1 + k], j->axis_a, 1);
    ssi_scale3(k ? -1 : 1, frame[2 - k], out[k].e);
  }
  return 2;
}

// No turning about axis k of b: with (i, j, k) cyclic and a_i what a has in place of b_i,
// (b_j . a_i - b_i . a_j)/2 = sin(angle) about k.
static int no_turning(int dim, const ssi_simjoint *joint, ssi_joint_term *out) {
  double relative[9], as_b[3][3], as_a[3][3];
  ss_rotation(joint->relative, relative);
  for (int k = 0; k < 3; k++) {
    ssi_set3(k == 0, k == 1, k == 2, as_b[k]);
    ssi_unrotate3(relative, as_b[k], as_a[k]);
  }
  int n = 0;
  for (int k = dim == 2 ? 2 : 0; k < 3; k++) {
    int i = (k + 1) % 3, j = (k + 2) % 3;
    ssi_joint_term *x = out + n++;
    *x = (ssi_joint_term){.rotation = true};
    add_angle(x, as_b[j], as_a[i], 0.5);
    add_angle(x, as_b[i], as_a[j], -0.5);
    ssi_copy3(as_b[k], x->e);
  }
  return n;
}

int ssi_joint_terms(int dim, const ssi_simjoint *j, ssi_joint_term out[SSI_JOINT_ROWS]) {
  int n = 0;
  double frame[3][3];
  bool slides = j->kind == SS_JOINT_SLIDER;
  if (slides) ssi_contact_frame(dim, j->axis_b, frame);
  for (int k = slides ? 1 : 0; k < dim; k++) {
    ssi_joint_term *x = out + n++;
    *x = (ssi_joint_term){.turns = slides};
    if (slides)
      ssi_copy3(frame[k], x->e);
    else
      x->e[k] = 1;
  }
  if (j->kind == SS_JOINT_BALL || (dim == 2 && j->kind == SS_JOINT_HINGE)) return n;
  if (j->kind == SS_JOINT_HINGE) return n + hinge_axis(j, out + n);
  return n + no_turning(dim, j, out + n);
}
