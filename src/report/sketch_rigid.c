// Rigid bodies against external objects [AC11], [ACLM11], and two blocks [LSCM03].
#include <math.h>
#include <stdio.h>

#include "report/sketch.h"

static const double UP = 1.5707963267948966;

// Of something at (x, y), drawn away from it where `out`, else towards it.
static void motion(ssi_sketch *k, double x, double y, double right, double up, bool out,
                   const char *label) {
  ssi_sketch_load(k, "motion", x, y, right, up, out, label);
}

// A of the rod is held on a line along the ground; B, with the mass, on the ground: B - A = l (sin, -cos).
static void put_rod(ssi_sketch *k, const ssi_draft *d) {
  double theta = ssi_sketch_tilt(k, d, "theta"), l = 190, u0 = ssi_parameter(d, "u0");
  double bx = 70, ax = bx - l * sin(theta), ay = l * cos(theta);
  ssi_sketch_fixed(k, -190, 0, 200, 0);
  ssi_sketch_line(k, "dash", -190, ay, 200, ay);
  ssi_sketch_line(k, "dash", ax, ay, ax, fmax(ay - 90, 0));
  ssi_sketch_line(k, "rod", ax, ay, bx, 0);
  ssi_sketch_angle(k, ax, ay, 44, -UP, -UP + theta, "θ");
  ssi_sketch_disk(k, "mass", bx, 9, 9);
  ssi_sketch_disk(k, "pivot", ax, ay, 6);
  ssi_sketch_label(k, "head end", ax - 12, ay + 10, "A");
  ssi_sketch_label(k, "head", bx + 16, 30, "B");
  ssi_sketch_label(k, "name", bx + 30, 30, "m");
  ssi_sketch_label(k, "name halo", (ax + bx) / 2 + 10, ay / 2 + 4, "l");
  if (u0 != 0) motion(k, ax, ay, u0, 0, true, "u_0");
  ssi_sketch_contact(k, bx, 0, UP, "N", "T");
  ssi_sketch_gravity(k, 170, 130, ssi_parameter(d, "g"));
  ssi_sketch_label(k, "name", -186, 8, "μ");
}

static void draw_painleve(ssi_sketch *k, const ssi_draft *d) {
  put_rod(k, d);
  ssi_sketch_label(k, "note", -190, -38,
                   "A moves along the ground with u₀, B touches it and carries the mass");
}

static void draw_painleve3d(ssi_sketch *k, const ssi_draft *d) {
  double a = ssi_parameter(d, "a"), theta = ssi_sketch_tilt(k, d, "theta");
  double l = 190, x = 70 - l * sin(theta), y = l * cos(theta);
  put_rod(k, d);
  if (a != 0) {  // out of the picture, or into it
    ssi_sketch_disk(k, "thin", x, y + 28, 9);
    if (a > 0) ssi_sketch_disk(k, "tip motion", x, y + 28, 3);
    if (a < 0) {
      ssi_sketch_line(k, "motion", x - 6, y + 22, x + 6, y + 34);
      ssi_sketch_line(k, "motion", x - 6, y + 34, x + 6, y + 22);
    }
    ssi_sketch_label(k, "name motiontext", x + 14, y + 24, "a");
  }
  ssi_sketch_label(
      k, "note", -190, -38,
      "A also moves across, along the second tangent, which points out of the picture");
}

static void draw_ball(ssi_sketch *k, const ssi_draft *d) {
  double r = 78, V = ssi_parameter(d, "V"), a = ssi_parameter(d, "a");
  bool turns = ssi_parameter(d, "rotation") != 0;
  ssi_sketch_fixed(k, -150, 0, 150, 0);
  if (turns)
    ssi_sketch_disk(k, "body", 0, r, r);
  else
    ssi_sketch_box(k, "body", -r, 0, r, 2 * r);
  ssi_sketch_box(k, "second", -150, 2 * r, 150, 2 * r + 22);
  if (V != 0) motion(k, -110, 2 * r + 24, 0, -V, V < 0, "V");
  if (a != 0) motion(k, a > 0 ? 152 : -152, 2 * r + 11, a, 0, true, "a");
  if (turns) {
    ssi_sketch_line(k, "thin", 0, r, r * 0.8, r * 1.6);
    ssi_sketch_label(k, "name", 22, r + 46, "R");
  }
  ssi_sketch_disk(k, "mass", 0, r, 3);
  ssi_sketch_label(k, "name end", -10, r - 5, turns ? "m, J" : "m");
  ssi_sketch_gravity(k, -140, r, ssi_parameter(d, "g"));
  ssi_sketch_contact(k, 0, 0, UP, "N_1", "T_1");
  ssi_sketch_contact(k, 0, 2 * r, -UP, "N_2", NULL);
  ssi_sketch_label(k, "name", 156, 4, "μ_1");
  ssi_sketch_label(k, "name", 118, 2 * r + 28, "μ_2");
}

static void draw_square(ssi_sketch *k, const ssi_draft *d) {
  double side = 140, h = side / 2, push = ssi_parameter(d, "push");
  ssi_sketch_fixed(k, -170, 0, 180, 0);
  ssi_sketch_box(k, "body", -h, 0, h, side);
  ssi_sketch_disk(k, "mass", 0, h, 3.5);
  ssi_sketch_label(k, "name end", -8, h + 6, "m");
  if (push != 0) ssi_sketch_load(k, "load", push > 0 ? -h - 2 : h + 2, h, push, 0, false, "push");
  ssi_sketch_gravity(k, -150, 130, ssi_parameter(d, "g"));
  ssi_sketch_dimension(k, -h, side, h, side, 16, "side");
  ssi_sketch_contact(k, -h, 0, UP, "N_1", "T_1");
  ssi_sketch_contact(k, h, 0, UP, "N_2", "T_2");
  ssi_sketch_label(k, "name", -166, 8, "μ");
}

// A support with a round top that ends at (x, y).
static void put_round(ssi_sketch *k, double x, double y, double r, bool fixed) {
  ssi_sketch_disk(k, "second", x, y - r, r);
  ssi_sketch_disk(k, fixed ? "mass" : "pivot", x, y - r, 4);
  if (fixed) ssi_sketch_fixed(k, x - 1.3 * r, y - 2 * r, x + 1.3 * r, y - 2 * r);
}

static void draw_rectangle(ssi_sketch *k, const ssi_draft *d) {
  double width = ssi_parameter(d, "width"), height = ssi_parameter(d, "height"),
         span = ssi_parameter(d, "span");
  double scale = fmin(300 / fmax(width, span), 100 / height), h = fmax(height * scale, 24);
  double x = fmax(span * scale / 2, 44), w = fmax(width * scale / 2, fmin(1, width / span) * x);
  double r = fmin(34, 0.9 * x);
  put_round(k, -x, 0, r, true);
  put_round(k, x, 0, r, false);
  ssi_sketch_box(k, "body", -w, 0, w, h);
  ssi_sketch_disk(k, "mass", 0, h / 2, 3.5);
  ssi_sketch_label(k, "name", 8, h / 2 - 4, "m");
  motion(k, x, -r, ssi_parameter(d, "Vx"), ssi_parameter(d, "Vy"), true, "V");
  ssi_sketch_gravity(k, -w - 64, 40, ssi_parameter(d, "g"));
  ssi_sketch_dimension(k, -w, h, w, h, 44, "width");
  ssi_sketch_dimension(k, w, 0, w, h, -14, "height");
  ssi_sketch_dimension(k, -x, -2 * r - 4, x, -2 * r - 4, -24, "span");
  ssi_sketch_contact(k, -x, 0, UP, "N_1", "T_1");
  ssi_sketch_contact(k, x, 0, UP, "N_2", "T_2");
}

static void draw_piston(ssi_sketch *k, const ssi_draft *d) {
  int n = (int)ssi_parameter(d, "n");
  double r = fmin(42, 400.0 / (2 * n)), right = -200 + 2 * r * n, V = ssi_parameter(d, "V"),
         Vy = ssi_parameter(d, "Vy");
  double top = fmax(2 * r + 34, 80);
  ssi_sketch_fixed(k, -200, top, -200, 0);
  ssi_sketch_fixed(k, -200, 0, right + 110, 0);
  ssi_sketch_box(k, "second", right, 6, right + 20, top);
  ssi_sketch_box(k, "second", right + 20, top / 2 - 7, right + 46, top / 2 + 7);
  for (int i = 0; i < n; i++) {
    double x = -200 + r * (2 * i + 1);
    ssi_sketch_disk(k, "body", x, r, r);
    if (r > 8) ssi_sketch_disk(k, "mass", x, r, 2.5);
  }
  double dot = r > 12 ? 4.5 : 2;
  for (int i = 0; i < n; i++) {
    ssi_sketch_disk(k, "point", -200 + 2 * r * i, r, dot);
    ssi_sketch_disk(k, "point", -200 + r * (2 * i + 1), 0, dot);
  }
  ssi_sketch_disk(k, "point", right, r, dot);
  if (r > 24) {
    ssi_sketch_contact(k, -200, r, 0, "N", NULL);
    ssi_sketch_contact(k, -200 + r, 0, UP, NULL, "T");
  }
  if (V != 0) motion(k, right + 49, top / 2, -V, 0, V < 0, "V");
  if (Vy != 0) motion(k, right + 10, Vy > 0 ? top + 2 : 4, 0, Vy, true, "V_y");
  ssi_sketch_gravity(k, -170, 2 * r + 56, ssi_parameter(d, "g"));
  if (r > 24) {
    ssi_sketch_line(k, "thin", -200 + 3 * r, r, -200 + 3 * r + 0.7 * r, r + 0.71 * r);
    ssi_sketch_label(k, "name", -200 + 3 * r + 2, r + 0.5 * r, "R");
  }
  ssi_sketch_label(k, "name", right + 60, 8, "μ");
}

static void draw_wedge(ssi_sketch *k, const ssi_draft *d) {
  double beta = ssi_sketch_tilt(k, d, "beta"), x = 105, s = sin(beta), c = cos(beta);
  bool space = ssi_parameter(d, "dim") == 3;
  double up = ssi_parameter(d, space ? "Vz" : "Vy"), Vx = ssi_parameter(d, "Vx"), half = 62;
  // the surface at each contact is along (s, -c) mirrored: faces of the body there
  double tx = s * half, ty = c * half;
  const double body[4][2] = {{-x - tx, ty}, {-x + tx, -ty}, {x - tx, -ty}, {x + tx, ty}};
  ssi_sketch_polygon(k, "body", body, 4);
  ssi_sketch_fixed(k, -x - 1.3 * tx, 1.3 * ty, -x + 1.3 * tx, -1.3 * ty);
  const double shoe[4][2] = {{x - 1.2 * tx, -1.2 * ty},
                             {x + 1.2 * tx, 1.2 * ty},
                             {x + 1.2 * tx + 22 * c, 1.2 * ty - 22 * s},
                             {x - 1.2 * tx + 22 * c, -1.2 * ty - 22 * s}};
  ssi_sketch_polygon(k, "second", shoe, 4);
  ssi_sketch_disk(k, "mass", 0, 0, 3.5);
  ssi_sketch_label(k, "name mid", 0, -22, "m, J");
  ssi_sketch_line(k, "dash", -x, 0, x, 0);
  ssi_sketch_angle(k, -x, 0, 66, 0, beta, "β");
  ssi_sketch_contact(k, -x, 0, beta, "N_1", NULL);
  ssi_sketch_contact(k, x, 0, UP * 2 - beta, "N_2", NULL);
  motion(k, x + 32, -8, Vx, up, Vx > 0, "V");
  ssi_sketch_gravity(k, 0, 96, ssi_parameter(d, "g"));
  ssi_sketch_dimension(k, 0, -ty, x, -ty, -30, "d");
  if (space)
    ssi_sketch_label(k, "note mid", 0, -132, "the third direction, y, points into the picture");
}

// ---- two blocks, in oblique projection ----------------------------------------------------------

static void oblique(double x, double y, double z, double out[2]) {
  out[0] = x + 0.42 * y, out[1] = z + 0.30 * y;
}

static void put_cube(ssi_sketch *k, const char *look, double a, double z) {
  double faces[3][4][3] = {{{-a, -a, 0}, {a, -a, 0}, {a, -a, 2 * a}, {-a, -a, 2 * a}},
                           {{a, -a, 0}, {a, a, 0}, {a, a, 2 * a}, {a, -a, 2 * a}},
                           {{-a, -a, 2 * a}, {a, -a, 2 * a}, {a, a, 2 * a}, {-a, a, 2 * a}}};
  for (int f = 0; f < 3; f++) {
    double p[4][2];
    for (int i = 0; i < 4; i++) oblique(faces[f][i][0], faces[f][i][1], faces[f][i][2] + z, p[i]);
    ssi_sketch_polygon(k, look, p, 4);
  }
}

static void put_axis(ssi_sketch *k, double z, double x, double y, double up, const char *label) {
  double from[2], to[2], beyond[2];
  oblique(0, 0, z, from);
  oblique(74 * x, 74 * y, z + 36 * up, to);
  oblique(92 * x, 92 * y, z + 49 * up, beyond);
  ssi_sketch_arrow(k, "axis", from[0], from[1], to[0], to[1]);
  ssi_sketch_label(k, "name mid axistext halo", beyond[0], beyond[1] - 5, label);
}

static void put_frame(ssi_sketch *k, double z, double turn, const char *const names[4]) {
  double at[2];
  oblique(0, 0, z, at);
  put_axis(k, z, cos(turn), sin(turn), 0, names[0]);
  put_axis(k, z, -sin(turn), cos(turn), 0, names[1]);
  put_axis(k, z, 0, 0, 1, names[2]);
  ssi_sketch_disk(k, "point", at[0], at[1], 4.5);
  ssi_sketch_label(k, "head end halo", at[0] - 9, at[1] - 12, names[3]);
}

static void put_force(ssi_sketch *k, double z, double size, bool level, double turn,
                      const char *label) {
  if (!level && size < 0) z += 58;  // downwards, within its block
  double at[2], to[2] = {0, size};
  oblique(level ? 62 : -34, 0, z, at);
  if (level) oblique(size * cos(turn), size * sin(turn), 0, to);
  ssi_sketch_load(k, "load", at[0], at[1], to[0], to[1], true, label);
}

static void draw_two_blocks(ssi_sketch *k, const ssi_draft *d) {
  const double a = 58, turn = ssi_parameter(d, "turn_deg") * UP / 90;
  static const char *const first[] = {"X_1", "Y_1", "N_1", "C₁"}, *const second[] = {"X_2", "Y_2",
                                                                                     "N_2", "C₂"};
  bool level = ssi_parameter(d, "kind") != 0;
  double F1 = ssi_parameter(d, "F1"), F2 = ssi_parameter(d, "F2");
  double corner[4][2];
  for (int i = 0; i < 4; i++) oblique(i % 3 ? 170 : -150, i < 2 ? -110 : 120, 0, corner[i]);
  ssi_sketch_polygon(k, "soil", corner, 4);
  put_cube(k, "body see", a, 0);
  put_frame(k, 0, 0, first);
  put_cube(k, "second see", a, 2 * a);
  put_frame(k, 2 * a, turn, second);
  put_force(k, level ? a : 0.35 * a, F1 != 0 ? F1 : 1, level, turn, F1 != 0 ? "F_1" : "F_1 = 0");
  put_force(k, level ? 3 * a : 2.35 * a, F2 != 0 ? F2 : 1, level, turn,
            F2 != 0 ? "F_2" : "F_2 = 0");
  ssi_sketch_label(k, "head", -a - 18, 1.3 * a, "S₁");
  ssi_sketch_label(k, "head", -a - 18, 3.3 * a, "S₂");
  ssi_sketch_label(k, "name loadtext", 140, 130, "weight");
  ssi_sketch_arrow(k, "load", 128, 152, 128, 112);
}

const ssi_sketch_entry ssi_sketches_rigid[] = {
    {"painleve", "painleve: a rod pushed along the ground", 500, 340, 240, 80, draw_painleve},
    {"painleve3d", "painleve3d: the rod in space", 540, 360, 240, 80, draw_painleve3d},
    {"ball", "ball: between two plates that close", 500, 375, 240, 50, draw_ball},
    {"square", "square: on two of its corners", 500, 300, 240, 50, draw_square},
    {"rectangle", "rectangle: on a fixed and a moving support", 560, 380, 290, 150, draw_rectangle},
    {"piston", "piston: disks between a wall and a piston", 620, 280, 250, 60, draw_piston},
    {"wedge", "wedge: a body between inclined supports", 560, 360, 260, 170, draw_wedge},
    {"two-blocks", "two-blocks: on each other, at rest", 560, 430, 250, 90, draw_two_blocks},
    {NULL, NULL, 0, 0, 0, 0, NULL}};
