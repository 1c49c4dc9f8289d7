// Figures of the papers that are no model: the unknowns of a contact, its law, its cones, the criterion on the rod.
#include <math.h>

#include "report/sketch.h"

static const double PI = 3.14159265358979323846;

// Axes through (x, y): how far they reach to the left, right, down, up, and their names.
static void put_axes(ssi_sketch *k, double x, double y, const double reach[4], const char *across,
                     const char *up) {
  ssi_sketch_arrow(k, "thin", x - reach[0], y, x + reach[1], y);
  ssi_sketch_arrow(k, "thin", x, y - reach[2], x, y + reach[3]);
  ssi_sketch_label(k, "name", x + reach[1] + 5, y - 5, across);
  ssi_sketch_label(k, "name", x + 9, y + reach[3] - 6, up);
}

// ---- the unknowns of one contact [AC11, Fig. 1], [ACLM11, Fig. 1] -----------------------------------

static void draw_contact(ssi_sketch *k, const ssi_draft *d) {
  enum { N = 60 };
  double p[N][2];
  (void)d;
  for (int side = 1; side >= -1; side -= 2) {
    for (int i = 0; i < N; i++) {
      double a = 2 * PI * i / N;
      p[i][0] = (side > 0 ? 105 : 130) * cos(a) + 14 * side * sin(2 * a);
      p[i][1] = side * (64 + 64 * sin(a));
    }
    ssi_sketch_polygon(k, side > 0 ? "body" : "second", p, N);
  }
  ssi_sketch_line(k, "dash", -160, 0, 160, 0);
  ssi_sketch_label(k, "head", -70, 84, "A");
  ssi_sketch_label(k, "head", -70, -96, "B");
  ssi_sketch_load(k, "motion", 0, 0, 0.85, 0.5, true, "u");
  ssi_sketch_load(k, "reaction", 0, 0, -0.45, 1, true, "r");
  ssi_sketch_contact(k, 0, 0, PI / 2, "e", NULL);
  ssi_sketch_label(k, "key axistext", 160, 92, "e: normal, from B to A");
  ssi_sketch_label(k, "key motiontext", 160, 70, "u: velocity of A relative to B");
  ssi_sketch_label(k, "key reactiontext", 160, 48, "r: impulse of B on A");
}

// ---- criterion (A) on the rod [AC11, Fig. 4], [ACLM11, Fig. 4] -----------------------------------------

static void put_criterion(ssi_sketch *k, double x, double u0, double theta, const char *head,
                          const char *says) {
  const double mu = 0.75, reach[4] = {92, 92, 14, 130}, size = 118;
  double w = size / mu;
  const double cone[3][2] = {
      {x - fmin(w, 88), fmin(w, 88) * mu}, {x, 0}, {x + fmin(w, 88), fmin(w, 88) * mu}};
  const double top = 120;
  const double filled[5][2] = {
      {x, 0}, {cone[2][0], cone[2][1]}, {x + 88, top}, {x - 88, top}, {cone[0][0], cone[0][1]}};
  ssi_sketch_polygon(k, "soft", filled, 5);
  ssi_sketch_path(k, "law", cone, 3);
  put_axes(k, x, 0, reach, "x", "y");
  double a = cos(theta), b = sin(theta), up = fmin(top / b, (88 - u0) / a), down = 26;
  ssi_sketch_line(k, "motion", x + u0 - down * a, -down * b, x + u0 + up * a, up * b);
  ssi_sketch_angle(k, x + u0, 0, 22, 0, theta, "θ");
  ssi_sketch_disk(k, "point", x + u0, 0, 4.5);
  ssi_sketch_label(k, "name motiontext", x + u0 + 6, -20, "u_0");
  ssi_sketch_label(k, "name motiontext halo", x + u0 + up * a + 10, up * b - 6, "Δ");
  ssi_sketch_label(k, "name mid", x - 30, 96, "K");
  ssi_sketch_label(k, "head mid", x, 152, head);
  ssi_sketch_label(k, "note mid", x, -52, says);
}

static void draw_criterion(ssi_sketch *k, const ssi_draft *d) {
  (void)d;
  put_criterion(k, -230, -66, 0.42, "u₀ < 0", "Δ meets K for every μ: (A) holds");
  put_criterion(k, 0, 30, 1.12, "u₀ > 0, tan θ > μ", "Δ meets K: (A) holds");
  put_criterion(k, 230, 30, 0.40, "u₀ > 0, tan θ ≤ μ", "Δ misses K: (A) fails");
}

// ---- a body over an obstacle [Agw20, Fig. 1] --------------------------------------------------------------

static double rounded(double x) {  // of a cosine or sine: a shape between ellipse and rectangle
  return copysign(pow(fabs(x), 0.55), x);
}

static void draw_body(ssi_sketch *k, const ssi_draft *d) {
  enum { N = 90 };
  double p[N][2];
  (void)d;
  ssi_sketch_fixed(k, -210, 0, 215, 0);
  for (int i = 0; i < N; i++) {
    double a = 2 * PI * i / N;
    p[i][0] = 150 * rounded(cos(a)) - 10 * sin(a);
    p[i][1] = fmax(0, 80 + 86 * rounded(sin(a)));
  }
  ssi_sketch_polygon(k, "body", p, N);
  ssi_sketch_fixed(k, 10, 166, -84, 166);
  for (int i = 0; i < 4; i++) ssi_sketch_arrow(k, "load", 192, 60 + 20 * i, 152, 56 + 20 * i);
  for (int i = 0; i < 6; i++) ssi_sketch_disk(k, "point", -100 + 40 * i, 0, 4.5);
  ssi_sketch_contact(k, -20, 0, -PI / 2, "n", NULL);
  ssi_sketch_arrow(k, "axis", -20, 0, 14, 0);
  ssi_sketch_label(k, "name mid axistext halo", 6, 8, "t");
  ssi_sketch_disk(k, "point", -20, 0, 4.5);
  ssi_sketch_label(k, "name mid", 0, 84, "Ω");
  ssi_sketch_label(k, "name", 18, 174, "Γ_D : displacements given");
  ssi_sketch_label(k, "name", 200, 84, "Γ_F : tractions given");
  ssi_sketch_label(k, "name", 44, 14, "Γ_C : may touch");
}

// ---- the two laws [Agw20, Fig. 2] --------------------------------------------------------------------------

static void draw_laws(ssi_sketch *k, const ssi_draft *d) {
  const double left[4] = {120, 50, 110, 60}, right[4] = {120, 120, 100, 100};
  const double normal[3][2] = {{-265, 0}, {-160, 0}, {-160, -100}};
  const double friction[4][2] = {{52, 56}, {160, 56}, {160, -56}, {268, -56}};
  (void)d;
  put_axes(k, -160, 0, left, "u_n − d_n", "r_n");
  ssi_sketch_path(k, "law", normal, 3);
  ssi_sketch_label(k, "head", -280, 104, "(a) unilateral contact");
  ssi_sketch_label(k, "note", -268, 12, "free");
  ssi_sketch_label(k, "note", -150, -92, "in contact");
  put_axes(k, 160, 0, right, "v_t", "r_t");
  ssi_sketch_path(k, "law", friction, 4);
  ssi_sketch_label(k, "head", 40, 104, "(b) friction");
  ssi_sketch_label(k, "name", 168, 51, "−μ r_n");
  ssi_sketch_label(k, "name end", 152, -61, "μ r_n");
  ssi_sketch_label(k, "note", 200, -50, "forward slip");
  ssi_sketch_label(k, "note", 50, 40, "backward slip");
  ssi_sketch_label(k, "note", 168, 20, "stick");
}

// ---- admissible rates [Agw20, Fig. 3] ------------------------------------------------------------------------

static void draw_rates(ssi_sketch *k, const ssi_draft *d) {
  const double mu = 0.7, depth = 150, left[4] = {110, 30, 20, 60}, right[4] = {130, 130, 165, 50};
  const double cone[3][2] = {{150 - mu * depth, -depth}, {150, 0}, {150 + mu * depth, -depth}};
  const double side = hypot(mu, 1);
  (void)d;
  put_axes(k, -170, 0, left, "u_n − d_n", "r_n");
  ssi_sketch_arrow(k, "motion", -170, 0, -226, 0);
  ssi_sketch_label(k, "name mid motiontext", -218, 12, "zf");
  ssi_sketch_disk(k, "point", -170, 0, 4.5);
  ssi_sketch_polygon(k, "cone", cone, 3);
  put_axes(k, 150, 0, right, "r_t", "r_n");
  for (int s = -1; s <= 1; s += 2) {  // zs+ has r_t = mu r_n < 0
    ssi_sketch_arrow(k, "motion", 150, 0, 150 + s * 62 * mu / side, -62 / side);
    ssi_sketch_label(k, "name motiontext halo", 150 + s * 66 * mu / side + (s > 0 ? 8 : -34), -44,
                     s > 0 ? "zs−" : "zs+");
  }
  ssi_sketch_arrow(k, "motion", 150, 0, 160, -66);
  ssi_sketch_label(k, "name motiontext halo", 164, -80, "zd");
  ssi_sketch_disk(k, "point", 150, 0, 4.5);
  double bx = 150 - mu * 100, by = -100;
  ssi_sketch_arrow(k, "load", bx, by, bx - 44 * mu / side, by - 44 / side);
  ssi_sketch_label(k, "name end loadtext", bx - 30, by - 42, "ss");
  ssi_sketch_arrow(k, "load", bx, by, bx + 48, by - 12);
  ssi_sketch_label(k, "name loadtext halo", bx + 52, by - 22, "sd");
  ssi_sketch_disk(k, "point", bx, by, 4.5);
  ssi_sketch_label(k, "note", -285, -60, "z: grazing, u = d, r = 0: four ways on");
  ssi_sketch_label(k, "note", -285, -78, "(free, stick, forward and backward slip)");
  ssi_sketch_label(k, "note", -285, -104, "s: on the edge of the cone: two ways on");
  ssi_sketch_label(k, "note", -285, -122, "(stick, slip)");
}

// ---- the cones [Agw20, Fig. 4] ---------------------------------------------------------------------------------

static void put_cone(ssi_sketch *k, double x, double half_angle, const char *head,
                     const char *across, const char *down, const char *says) {
  const double reach[4] = {84, 84, 118, 26}, r = 104;
  enum { PIECES = 24 };
  double p[PIECES + 2][2] = {{x, 0}};
  for (int i = 0; i <= PIECES; i++) {
    double a = -PI / 2 - half_angle + 2 * half_angle * i / PIECES;
    p[i + 1][0] = x + r * 0.78 * cos(a), p[i + 1][1] = r * sin(a);
  }
  ssi_sketch_polygon(k, "cone", p, PIECES + 2);
  put_axes(k, x, 0, reach, across, down);
  ssi_sketch_label(k, "head mid", x, 54, head);
  ssi_sketch_label(k, "note mid", x, -142, says);
}

static void draw_cones(ssi_sketch *k, const ssi_draft *d) {
  const double phi = atan(0.6);
  (void)d;
  put_cone(k, -220, PI / 2, "U, displacements", "u_t", "u_n − d_n", "u_n − d_n ≤ 0");
  put_cone(k, 0, PI / 2 - phi, "g(U), the dual of R", "g_t", "g_n", "g_n + μ |g_t| ≤ 0");
  put_cone(k, 220, phi, "R, reactions", "r_t", "r_n", "|r_t| + μ r_n ≤ 0");
}

// ---- the projectors [Jack, Fig. 1] ------------------------------------------------------------------------------

static void draw_projectors(ssi_sketch *k, const ssi_draft *d) {
  const double reach[4] = {110, 110, 90, 80};
  const double half_line[3][2] = {{-240, -80}, {-160, 0}, {-62, 0}};
  const double interval[4][2] = {{62, -46}, {114, -46}, {206, 46}, {258, 46}};
  (void)d;
  put_axes(k, -160, 0, reach, "x", "P");
  ssi_sketch_path(k, "law", half_line, 3);
  ssi_sketch_label(k, "head mid", -160, 104, "projector onto (−∞, 0]");
  put_axes(k, 160, 0, reach, "x", "P");
  ssi_sketch_path(k, "law", interval, 4);
  ssi_sketch_label(k, "head mid", 160, 104, "projector onto [−η, η]");
  ssi_sketch_line(k, "dash", 160, 46, 206, 46);
  ssi_sketch_line(k, "dash", 160, -46, 114, -46);
  ssi_sketch_line(k, "dash", 206, 46, 206, 0);
  ssi_sketch_line(k, "dash", 114, -46, 114, 0);
  ssi_sketch_label(k, "name end", 154, 42, "η");
  ssi_sketch_label(k, "name", 166, -50, "−η");
  ssi_sketch_label(k, "name mid", 206, -16, "η");
  ssi_sketch_label(k, "name mid", 110, 8, "−η");
}

const ssi_sketch_entry ssi_sketches_figures[] = {
    {"contact", "The unknowns of a contact", 560, 340, 190, 145, draw_contact},
    {"criterion", "Criterion (A) on the rod", 740, 300, 370, 90, draw_criterion},
    {"body", "A body over an obstacle", 620, 290, 240, 60, draw_body},
    {"laws", "Unilateral contact and friction", 640, 310, 320, 130, draw_laws},
    {"rates", "Admissible rates of displacements and reactions", 640, 330, 320, 200, draw_rates},
    {"cones", "The cones of displacements and reactions", 700, 310, 350, 180, draw_cones},
    {"projectors", "Projectors of the static problem", 640, 300, 320, 120, draw_projectors},
    {NULL, NULL, 0, 0, 0, 0, NULL}};
