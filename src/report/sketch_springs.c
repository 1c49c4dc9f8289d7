// Particles on springs above an obstacle [Agw20], and one node of an elastic body [Jack].
#include <math.h>

#include "report/sketch.h"

static const double R = 11;      // of a particle
static const double APART = 16;  // a gap, made visible

typedef struct held {
  double s, c;  // of theta, as it is drawn
} held;

static held angle_of(ssi_sketch *k, const ssi_draft *d, const char *name) {
  double angle = ssi_sketch_tilt(k, d, name);
  return (held){sin(angle), cos(angle)};
}

// A spring from the particle at (x, y) that ends, after `length`, in the direction (right, up).
static void put_spring(ssi_sketch *k, double x, double y, double right, double up, double length) {
  double ex = x + length * right, ey = y + length * up;
  ssi_sketch_spring(k, x + R * right, y + R * up, ex, ey);
  ssi_sketch_anchor(k, ex, ey, atan2(-up, -right));
}

static void put_particle(ssi_sketch *k, double x, double y, const char *name) {
  ssi_sketch_disk(k, "body", x, y, R);
  ssi_sketch_disk(k, "point", x, y - R, 4.5);
  if (name) ssi_sketch_label(k, "key mid", x, y - 4, name);
}

// f_n presses down, f_t to the right.
static void put_load(ssi_sketch *k, double x, double y, double f_n, double f_t, const char *label) {
  double size = hypot(f_n, f_t), edge = size > 0 ? R / size : 0;
  ssi_sketch_load(k, "load", x + edge * f_t, y - edge * f_n, f_t, -f_n, true, label);
}

static void get_load(ssi_sketch *k, const ssi_draft *d, double *f_n, double *f_t) {
  ssi_number n = ssi_whole(0), t = ssi_whole(0);
  ss_error e = ssi_get_load(d, &n, &t);
  if (!k->e) k->e = e;
  *f_n = n.x, *f_t = t.x;
}

static double or_given(const ssi_draft *d, const char *name, double x) {
  return ssi_given(d, name) ? ssi_parameter(d, name) : x;
}

static void draw_klarbring(ssi_sketch *k, const ssi_draft *d) {
  held a = angle_of(k, d, "theta");
  double y = R + (ssi_parameter(d, "gap") > 0 ? APART : 0), f_n, f_t, length = 135;
  get_load(k, d, &f_n, &f_t);
  ssi_sketch_fixed(k, -165, 0, 175, 0);
  put_spring(k, 0, y, 0, 1, length);
  put_spring(k, 0, y, -a.s, a.c, length);
  ssi_sketch_angle(k, 0, y, 62, atan2(1, 0), atan2(a.c, -a.s), "θ");
  ssi_sketch_label(k, "name", 14, y + 72, "k_n");
  ssi_sketch_label(k, "name end", -0.62 * length * a.s - 14, y + 0.62 * length * a.c - 8, "k");
  if (y > R) ssi_sketch_dimension(k, 40, 0, 40, y - R, -12, "gap");
  put_particle(k, 0, y, NULL);
  put_load(k, 0, y, f_n, f_t, "f");
  ssi_sketch_contact(k, 110, 24, 1.5707963267948966, "N", "T");
  ssi_sketch_label(k, "name", -160, 8, "μ");
}

static void put_pair(ssi_sketch *k, double x, double y, held a, double side, double length) {
  put_spring(k, x, y, 0, 1, 120);
  put_spring(k, x, y, side * a.s, a.c, length);
}

// Length of an inclined spring that reaches no further than `reach` sideways.
static double within(held a, double reach, double length) {
  return fmin(length, reach / fmax(a.s, 1e-3));
}

static void draw_alart(ssi_sketch *k, const ssi_draft *d) {
  held a = angle_of(k, d, "theta");
  double f_n, f_t, x = 115, length = within(a, 88, 135);
  get_load(k, d, &f_n, &f_t);
  ssi_sketch_fixed(k, -210, 0, 235, 0);
  put_pair(k, -x, R, a, 1, length);
  put_pair(k, x, R, a, -1, length);
  ssi_sketch_spring(k, -x + R, R, x - R, R);
  ssi_sketch_angle(k, -x, R, 60, atan2(a.c, a.s), atan2(1, 0), "θ");
  put_particle(k, -x, R, "A");
  put_particle(k, x, R, "B");
  put_load(k, -x, R, f_n, f_t, "f_A");
  put_load(k, x, R, or_given(d, "f_nB", f_n), or_given(d, "f_tB", -f_t), "f_B");
  ssi_sketch_contact(k, 182, 22, 1.5707963267948966, "N", "T");
  ssi_sketch_label(k, "name", -206, 8, "μ");
}

static void draw_alart3(ssi_sketch *k, const ssi_draft *d) {
  held a = angle_of(k, d, "theta");
  double f_n, f_t, x = 190, length = within(a, 70, 125);
  get_load(k, d, &f_n, &f_t);
  ssi_sketch_fixed(k, -270, 0, 300, 0);
  put_pair(k, -x, R, a, 1, length);
  put_pair(k, x, R, a, -1, length);
  put_pair(k, 0, R, a, 1, length);
  put_spring(k, 0, R, -a.s, a.c, length);
  for (int side = -1; side <= 1; side += 2) ssi_sketch_spring(k, side * R, R, side * (x - R), R);
  ssi_sketch_angle(k, -x, R, 58, atan2(a.c, a.s), atan2(1, 0), "θ");
  ssi_sketch_label(k, "name", 10, R + 96, "k_v");
  put_particle(k, -x, R, "A");
  put_particle(k, 0, R, "B");
  put_particle(k, x, R, "C");
  put_load(k, -x, R, f_n, f_t, "f_A");
  put_load(k, 0, R, or_given(d, "f_nB", f_n), or_given(d, "f_tB", 0), "f_B");
  put_load(k, x, R, or_given(d, "f_nC", f_n), or_given(d, "f_tC", -f_t), "f_C");
  ssi_sketch_contact(k, 252, 22, 1.5707963267948966, "N", "T");
  ssi_sketch_label(k, "name", -266, 8, "μ");
}

static void draw_periodic(ssi_sketch *k, const ssi_draft *d) {
  held a = angle_of(k, d, "theta");
  static const char *const names[] = {"1", "2", "1"}, *const loads[] = {"f_1", "f_2", "f_1"};
  double f_n, f_t, x = 175, reach = fmax(a.s, a.c), length = fmin(105, 78 / reach);
  get_load(k, d, &f_n, &f_t);
  ssi_sketch_fixed(k, -270, 0, 335, 0);
  for (int i = -1; i <= 1; i++) {
    put_spring(k, i * x, R, -a.c, a.s, length);
    put_spring(k, i * x, R, a.s, a.c, length);
  }
  for (int side = -1; side <= 1; side += 2) {
    ssi_sketch_spring(k, side * R, R, side * (x - R), R);
    ssi_sketch_line(k, "dash", side * (x + R), R, side * (x + 62), R);
  }
  ssi_sketch_label(k, "name mid", x / 2, R + 15, "k_3");
  ssi_sketch_label(k, "name mid halo", -0.6 * length * a.c - 17 * a.s,
                   R + 0.6 * length * a.s - 17 * a.c - 4, "k_1");
  ssi_sketch_label(k, "name mid halo", 0.6 * length * a.s + 17 * a.c,
                   R + 0.6 * length * a.c - 17 * a.s - 4, "k_2");
  ssi_sketch_line(k, "dash", -x, R, -x - 60, R);
  ssi_sketch_angle(k, -x, R, 40, atan2(a.s, -a.c), 3.14159265358979, "θ");
  ssi_sketch_dimension(k, -x, -36, x, -36, -60, "one period");
  for (int i = -1; i <= 1; i++) {
    bool second = i == 0;
    put_particle(k, i * x, R, names[i + 1]);
    put_load(k, i * x, R, second ? or_given(d, "f_nB", f_n) : f_n,
             second ? or_given(d, "f_tB", f_t) : f_t, loads[i + 1]);
  }
  ssi_sketch_contact(k, 284, 24, 1.5707963267948966, "N", "T");
  ssi_sketch_label(k, "name", -266, 8, "μ");
}

static void draw_static(ssi_sketch *k, const ssi_draft *d) {
  double f_n, f_t;
  const double element[3][2] = {{0, 0}, {95, 150}, {-95, 150}};
  get_load(k, d, &f_n, &f_t);
  ssi_sketch_fixed(k, -165, 0, 175, 0);
  ssi_sketch_polygon(k, "body", element, 3);
  ssi_sketch_fixed(k, 120, 150, -120, 150);
  ssi_sketch_label(k, "note mid", 0, 100, "one element");
  ssi_sketch_label(k, "note", 126, 154, "zero displacement");
  ssi_sketch_label(k, "note end", 174, -32, "rigid foundation");
  put_load(k, 0, 0, f_n, f_t, "f");
  ssi_sketch_contact(k, 0, 0, 1.5707963267948966, "N", "T");
  ssi_sketch_label(k, "name", -160, 8, "μ");
}

const ssi_sketch_entry ssi_sketches_springs[] = {
    {"klarbring", "klarbring: one particle, two springs", 460, 350, 225, 115, draw_klarbring},
    {"alart", "alart: two particles, mirrored", 520, 340, 250, 115, draw_alart},
    {"alart3", "alart3: three particles", 640, 340, 300, 115, draw_alart3},
    {"periodic", "periodic: an endless row of particles, two per period", 680, 360, 310, 130,
     draw_periodic},
    {"static", "static: one contact node of an elastic body", 500, 350, 215, 110, draw_static},
    {NULL, NULL, 0, 0, 0, 0, NULL}};
