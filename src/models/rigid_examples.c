// One rigid body against external objects [AC11], [ACLM11]. Over a time step h of gravity g (upwards),
//
//     M v = h F + H^T r,   u = H v + w,   f = -h F,   w = -(velocity of the external object)
//
// with v the velocity of the centre of mass and the angular velocity. Contact frames: normal towards the
// body, 2D tangent (n_y, -n_x), 3D tangents as in docs/formats-json.md.
#include <math.h>

#include "base/error.h"
#include "models/model.h"

#define BODY                                                                                       \
  {"m", "1", SSI_POSITIVE, "mass"}, {"g", "-1", SSI_ANY, "gravity, upwards: negative pulls down"}, \
  {                                                                                                \
    "h", "1", SSI_POSITIVE, "time step"                                                            \
  }

static const ssi_number zero = {0, {0, 1}}, one = {1, {1, 1}}, minus_one = {-1, {-1, 1}};

static ssi_number half(ssi_number x) {
  return ssi_div(x, ssi_whole(2));
}

// ---- ball between plates --------------------------------------------------------------------

static const ss_model_parameter ball_rows[] = {
    BODY,
    {"R", "1/2", SSI_POSITIVE, "radius"},
    {"V", "1", SSI_ANY, "closing speed of the plates: the upper one moves down"},
    {"a", "7/10", SSI_ANY, "velocity of the upper plate along x"},
    {"mu1", "2/5", SSI_NOT_LESS, "friction with the lower plate"},
    {"mu2", "9/10", SSI_NOT_LESS, "friction with the upper plate"},
    {"rotation", "1", 0, 1, true, "1: a ball; 0: a block that cannot turn"},
};

// Lower plate: n = z, tangents x, y. Upper plate: n = -z, tangents x, -y, moving with (a, 0, -V).
static ss_error build_ball(ssi_draft *d) {
  ssi_number m = ssi_get(d, "m"), R = ssi_get(d, "R");
  bool turns = ssi_get(d, "rotation").x != 0;
  ssi_number frame[2][3][3] = {
      {{zero, zero, one}, {one, zero, zero}, {zero, one, zero}},
      {{zero, zero, minus_one}, {one, zero, zero}, {zero, minus_one, zero}}};
  SS_TRY(ssi_draft_begin(d, 3, 2, turns ? 6 : 3));
  for (int k = 0; k < 3; k++) {
    *ssi_M(d, k, k) = m;
    if (turns) *ssi_M(d, 3 + k, 3 + k) = ssi_mul(ssi_mul(m, ssi_ratio(2, 5)), ssi_mul(R, R));
  }
  d->f[2] = ssi_neg(ssi_mul3(m, ssi_get(d, "g"), ssi_get(d, "h")));
  for (int i = 0; i < 2; i++) {
    ssi_number point[3] = {zero, zero, i ? R : ssi_neg(R)};
    for (int k = 0; k < 3; k++)
      if (turns)
        ssi_put_point3(d, 3 * i + k, 0, frame[i][k], point);
      else
        for (int j = 0; j < 3; j++) *ssi_H(d, 3 * i + k, j) = frame[i][k][j];
    d->mu[i] = ssi_get(d, i ? "mu2" : "mu1");
  }
  d->w[3] = ssi_neg(ssi_get(d, "V"));
  d->w[4] = ssi_neg(ssi_get(d, "a"));
  return SS_OK;
}

const ssi_model ssi_model_ball = {
    .name = "ball",
    .summary = "ball (or block) between two plates that close: nothing can prevent penetration",
    .equation = "M = diag(m, m, m, J, J, J), J = 2/5 m R^2, f = (0, 0, -m g h, 0, 0, 0),\n"
                "contacts at -R z and R z, w = (0, 0, 0; -V, -a, 0)",
    SSI_PARAMETERS(ball_rows),
    .build = build_ball,
};

// ---- bodies on level supports ---------------------------------------------------------------

// Two contacts (-d, -e) and (d, -e) below the centre, n = y, tangent x.
static void put_feet(ssi_draft *d, ssi_number across, ssi_number down) {
  const ssi_number axis[2][2] = {{zero, one}, {one, zero}};
  for (int i = 0; i < 2; i++) {
    const ssi_number point[2] = {i ? across : ssi_neg(across), ssi_neg(down)};
    for (int k = 0; k < 2; k++) ssi_put_point2(d, 2 * i + k, 0, axis[k], point);
    d->mu[i] = ssi_get(d, "mu");
  }
}

// A plate width x height of mass m: J = m (width^2 + height^2) / 12.
static void put_plate(ssi_draft *d, ssi_number width, ssi_number height) {
  ssi_number m = ssi_get(d, "m");
  ssi_number squares = ssi_add(ssi_mul(width, width), ssi_mul(height, height));
  *ssi_M(d, 0, 0) = *ssi_M(d, 1, 1) = m;
  *ssi_M(d, 2, 2) = ssi_div(ssi_mul(m, squares), ssi_whole(12));
  d->f[1] = ssi_neg(ssi_mul3(m, ssi_get(d, "g"), ssi_get(d, "h")));
}

static const ss_model_parameter square_rows[] = {
    BODY,
    {"side", "1", SSI_POSITIVE, "length of a side"},
    {"push", "0", SSI_ANY, "force along the ground, at the centre"},
    SSI_MU("1/2"),
};

static ss_error build_square(ssi_draft *d) {
  ssi_number side = ssi_get(d, "side");
  SS_TRY(ssi_draft_begin(d, 2, 2, 3));
  put_plate(d, side, side);
  d->f[0] = ssi_neg(ssi_mul(ssi_get(d, "push"), ssi_get(d, "h")));
  put_feet(d, half(side), half(side));
  return SS_OK;
}

const ssi_model ssi_model_square = {
    .name = "square",
    .summary = "square on the ground, held at two corners: one velocity, many forces",
    .equation =
        "M = diag(m, m, m side^2/6), f = -h (push, m g, 0), contacts (-+side/2, -side/2), w = 0",
    SSI_PARAMETERS(square_rows),
    .build = build_square,
};

static const ss_model_parameter rectangle_rows[] = {
    BODY,
    {"width", "3", SSI_POSITIVE, "of the rectangle"},
    {"height", "4/5", SSI_POSITIVE, "of the rectangle"},
    {"span", "2", SSI_POSITIVE, "distance of the two supports"},
    {"Vx", "1", SSI_ANY, "velocity of the right support, along x"},
    {"Vy", "0", SSI_ANY, "velocity of the right support, upwards"},
    SSI_MU("1/2"),
};

static ss_error build_rectangle(ssi_draft *d) {
  SS_TRY(ssi_draft_begin(d, 2, 2, 3));
  put_plate(d, ssi_get(d, "width"), ssi_get(d, "height"));
  put_feet(d, half(ssi_get(d, "span")), half(ssi_get(d, "height")));
  d->w[2] = ssi_neg(ssi_get(d, "Vy"));
  d->w[3] = ssi_neg(ssi_get(d, "Vx"));
  return SS_OK;
}

const ssi_model ssi_model_rectangle = {
    .name = "rectangle",
    .summary = "rectangle on two circles, the left one fixed, the right one moving",
    .equation = "M = diag(m, m, m (width^2 + height^2)/12), f = (0, -m g h, 0),\n"
                "contacts (-+span/2, -height/2), w = (0, 0; -Vy, -Vx)",
    SSI_PARAMETERS(rectangle_rows),
    .build = build_rectangle,
};

// ---- wedge ----------------------------------------------------------------------------------

static const ss_model_parameter wedge_rows[] = {
    {"dim", "3", 2, 3, true, "2 or 3"},
    BODY,
    {"J", "2/5", SSI_POSITIVE, "moment of inertia, the same about every axis"},
    {"d", "1", SSI_POSITIVE, "distance of each contact from the centre"},
    SSI_ANGLE("beta", "1/3", "the supports' normals above the horizontal"),
    {"Vx", "-1", SSI_ANY, "velocity of the right support: negative closes the wedge"},
    {"Vy", "0", SSI_ANY, "the same, along y (3D: across, 2D: upwards)"},
    {"Vz", "0", SSI_ANY, "the same, upwards (3D only)"},
    SSI_MU("1/2"),
};

static ss_error build_wedge2(ssi_draft *d, ssi_number s, ssi_number c) {
  SS_TRY(ssi_draft_begin(d, 2, 2, 3));
  const ssi_number V[2] = {ssi_get(d, "Vx"), ssi_get(d, "Vy")};
  for (int i = 0; i < 2; i++) {
    ssi_number n_x = i ? ssi_neg(c) : c, arm = i ? ssi_get(d, "d") : ssi_neg(ssi_get(d, "d"));
    const ssi_number axis[2][2] = {{n_x, s}, {s, ssi_neg(n_x)}}, point[2] = {arm, zero};
    for (int k = 0; k < 2; k++) {
      ssi_put_point2(d, 2 * i + k, 0, axis[k], point);
      if (i) d->w[2 + k] = ssi_neg(ssi_add(ssi_mul(axis[k][0], V[0]), ssi_mul(axis[k][1], V[1])));
    }
  }
  return SS_OK;
}

// n = (+-c, 0, s); the axis least along n is y, so t1 = y and t2 = n x y = (-s, 0, +-c).
static ss_error build_wedge3(ssi_draft *d, ssi_number s, ssi_number c) {
  SS_TRY(ssi_draft_begin(d, 3, 2, 6));
  const ssi_number V[3] = {ssi_get(d, "Vx"), ssi_get(d, "Vy"), ssi_get(d, "Vz")};
  for (int i = 0; i < 2; i++) {
    ssi_number n_x = i ? ssi_neg(c) : c, arm = i ? ssi_get(d, "d") : ssi_neg(ssi_get(d, "d"));
    const ssi_number axis[3][3] = {{n_x, zero, s}, {zero, one, zero}, {ssi_neg(s), zero, n_x}};
    const ssi_number point[3] = {arm, zero, zero};
    for (int k = 0; k < 3; k++) {
      ssi_put_point3(d, 3 * i + k, 0, axis[k], point);
      for (int j = 0; i && j < 3; j++)
        d->w[3 + k] = ssi_sub(d->w[3 + k], ssi_mul(axis[k][j], V[j]));
    }
  }
  return SS_OK;
}

static ss_error build_wedge(ssi_draft *d) {
  ssi_number s, c, m = ssi_get(d, "m");
  int dim = (int)ssi_get(d, "dim").x;
  SS_TRY(ssi_get_angle(d, "beta", &s, &c));
  SS_TRY(dim == 2 ? build_wedge2(d, s, c) : build_wedge3(d, s, c));
  for (int k = 0; k < d->ndof; k++) *ssi_M(d, k, k) = k < dim ? m : ssi_get(d, "J");
  d->f[dim - 1] = ssi_neg(ssi_mul3(m, ssi_get(d, "g"), ssi_get(d, "h")));
  d->mu[0] = d->mu[1] = ssi_get(d, "mu");
  return SS_OK;
}

const ssi_model ssi_model_wedge = {
    .name = "wedge",
    .summary =
        "body between two inclined supports, the right one moving: jams where tan(beta) <= mu",
    .equation = "M = diag(m.., J..), f = (.., -m g h, 0..), contacts (-+d, 0, 0) with normals\n"
                "(+-cos(beta), 0, sin(beta)), w = (0; -V in the second contact's frame)",
    SSI_PARAMETERS(wedge_rows),
    .build = build_wedge,
};
