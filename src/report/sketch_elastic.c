// Elastic bodies: the mesh, what holds them, what loads them, the nodes that may touch.
#include <math.h>

#include "report/sketch.h"

static const double UP = 1.5707963267948966;

typedef struct slab {
  double x, y, width, height;  // lower left corner and size, pixels
  double lean;                 // dx/dy
  int nx, ny;
} slab;

static double side(const slab *b, double along, double up) {
  return b->x + along * b->width + b->lean * up * b->height;
}

static void put_slab(ssi_sketch *k, const char *look, const slab *b) {
  double top = b->y + b->height;
  const double p[4][2] = {
      {side(b, 0, 0), b->y}, {side(b, 1, 0), b->y}, {side(b, 1, 1), top}, {side(b, 0, 1), top}};
  ssi_sketch_polygon(k, look, p, 4);
  for (int i = 1; i < b->nx; i++) {
    double at = (double)i / b->nx;
    ssi_sketch_line(k, "mesh", side(b, at, 0), b->y, side(b, at, 1), top);
  }
  for (int j = 1; j < b->ny; j++) {
    double up = (double)j / b->ny, y = b->y + up * b->height;
    ssi_sketch_line(k, "mesh", side(b, 0, up), y, side(b, 1, up), y);
  }
}

// Nodes first .. nx of the lower side.
static void put_nodes(ssi_sketch *k, const slab *b, int first) {
  double r = fmax(2, fmin(4.5, 0.3 * b->width / b->nx));
  for (int i = first; i <= b->nx; i++)
    ssi_sketch_disk(k, "point", side(b, (double)i / b->nx, 0), b->y, r);
}

// A traction on the upper side: (right, down).
static void put_on_top(ssi_sketch *k, const slab *b, double right, double down, const char *label) {
  enum { ARROWS = 6 };
  double size = hypot(right, down), y = b->y + b->height, length = 34;
  if (!(size > 0)) return;
  double a = right / size * length, c = -down / size * length;
  bool below = c > 0;  // it pulls: arrows begin on the side
  for (int i = 0; i < ARROWS; i++) {
    double x = side(b, (i + 0.5) / ARROWS, 1), lift = fabs(c) < 4 ? 8 : 3;
    if (below)
      ssi_sketch_arrow(k, "load", x, y + lift, x + a, y + lift + c);
    else
      ssi_sketch_arrow(k, "load", x - a, y + lift - c, x, y + lift);
  }
  ssi_sketch_label(k, "name mid loadtext", side(b, 0.5, 1) - (below ? -a : a) / 2, y + fabs(c) + 18,
                   label);
}

static void put_size(ssi_sketch *k, const slab *b, const char *across, const char *up) {
  ssi_sketch_dimension(k, b->x, b->y - 22, b->x + b->width, b->y - 22, -16, across);
  if (up)
    ssi_sketch_dimension(k, b->x + b->width, b->y, b->x + b->width, b->y + b->height, -18, up);
}

// Pixels of a body width x height within 260 x 160; the picture has a floor of what can be seen.
static slab fit(double width, double height, int nx, int ny) {
  double scale = fmin(260 / width, 160 / height);
  double w = fmax(width * scale, 30), h = fmax(height * scale, 30);
  return (slab){-w / 2, 0, w, h, 0, nx, ny};
}

static double gap_of(ssi_sketch *k, const ssi_draft *d, slab *b) {
  double gap = ssi_parameter(d, "gap") > 0 ? 20 : 0;
  b->y = gap;
  if (gap > 0) ssi_sketch_dimension(k, b->x - 16, 0, b->x - 16, gap, 8, "gap");
  return gap;
}

static void draw_block(ssi_sketch *k, const ssi_draft *d) {
  slab b = fit(ssi_parameter(d, "width"), ssi_parameter(d, "height"), (int)ssi_parameter(d, "nx"),
               (int)ssi_parameter(d, "ny"));
  b.lean = fmax(-1.2, fmin(1.2, ssi_parameter(d, "lean")));
  ssi_sketch_fixed(k, b.x - 50, 0, b.x + b.width + 90, 0);
  gap_of(k, d, &b);
  put_slab(k, "body", &b);
  ssi_sketch_fixed(k, side(&b, 0, 1), b.y + b.height, side(&b, 0, 0), b.y);
  put_nodes(k, &b, 1);
  put_on_top(k, &b, ssi_parameter(d, "shear"), ssi_parameter(d, "pressure"), "pressure, shear");
  put_size(k, &b, "width", b.lean == 0 ? "height" : NULL);
  ssi_sketch_contact(k, b.x + b.width + 62, 22, UP, "N", "T");
}

// A body whose upper side is displaced by a rigid plate.
static void put_pressed(ssi_sketch *k, const ssi_draft *d, slab *b, const char *across,
                        const char *up) {
  double press = ssi_parameter(d, "press"), shift = ssi_parameter(d, "shift");
  ssi_sketch_fixed(k, b->x - 60, 0, b->x + b->width + 90, 0);
  gap_of(k, d, b);
  double top = b->y + b->height, right = b->x + b->width;
  put_slab(k, "body", b);
  ssi_sketch_box(k, "second", b->x - 10, top, right + 10, top + 16);
  put_nodes(k, b, 0);
  if (press != 0)
    ssi_sketch_load(k, "motion", b->x + b->width / 2, top + 18, 0, -press, press < 0, "press");
  if (shift != 0)
    ssi_sketch_load(k, "motion", shift > 0 ? right + 12 : b->x - 12, top + 8, shift, 0, true,
                    "shift");
  put_size(k, b, across, up);
  ssi_sketch_contact(k, right + 58, 22, UP, "N", "T");
}

static void draw_elastic_square(ssi_sketch *k, const ssi_draft *d) {
  int n = (int)ssi_parameter(d, "n") - 1;
  slab b = fit(1, 1, n, n);
  put_pressed(k, d, &b, "1", NULL);
}

static void draw_pulled_block(ssi_sketch *k, const ssi_draft *d) {
  slab b = fit(ssi_parameter(d, "width"), ssi_parameter(d, "height"), (int)ssi_parameter(d, "nx"),
               (int)ssi_parameter(d, "ny"));
  put_pressed(k, d, &b, "width", NULL);
  ssi_sketch_dimension(k, b.x, b.y + b.height, b.x, b.y, -24, "height");
}

static void draw_elastic_blocks(ssi_sketch *k, const ssi_draft *d) {
  slab low = fit(ssi_parameter(d, "width"), 2 * ssi_parameter(d, "height"),
                 (int)ssi_parameter(d, "nx"), (int)ssi_parameter(d, "ny"));
  low.height /= 2;
  slab high = low;
  high.y = low.y + low.height;
  double right = low.x + low.width, pull = ssi_parameter(d, "pull"),
         lift = ssi_parameter(d, "lift");
  ssi_sketch_fixed(k, low.x - 20, low.y, right + 20, low.y);
  put_slab(k, "second", &low);
  put_slab(k, "body", &high);
  ssi_sketch_fixed(k, low.x, high.y + high.height, low.x, high.y);
  put_nodes(k, &high, 0);
  put_on_top(k, &high, ssi_parameter(d, "shear"), ssi_parameter(d, "pressure"), "pressure, shear");
  for (int i = 0; i < 3 && (pull != 0 || lift != 0); i++)
    ssi_sketch_load(k, "load", right + 4, high.y + high.height * (i + 0.5) / 3, pull, lift,
                    pull >= 0, i == 1 ? "pull, lift" : "");
  ssi_sketch_label(k, "head", low.x + 10, low.y + low.height / 2 - 5, "lower");
  ssi_sketch_label(k, "head", low.x + 10, high.y + high.height / 2 - 5, "upper");
  ssi_sketch_dimension(k, low.x, low.y - 22, right, low.y - 22, -16, "width");
  ssi_sketch_dimension(k, right, low.y, right, high.y, -18, "height");
  ssi_sketch_contact(k, right + 84, low.y + 30, UP, "N", "T");
}

static void draw_half_plane(ssi_sketch *k, const ssi_draft *d) {
  enum { POINTS = 41 };
  const double half = 90, bend = ssi_parameter(d, "curvature") > 0 ? 46 : 0;
  double depth = ssi_parameter(d, "depth"), shift = ssi_parameter(d, "shift"), p[POINTS + 2][2];
  int cells = (int)ssi_parameter(d, "cells");
  ssi_sketch_box(k, "body", -210, -150, 210, 0);
  ssi_sketch_fixed(k, -210, -150, 210, -150);
  for (int i = 0; i < POINTS; i++) {
    double s = 2.0 * i / (POINTS - 1) - 1;
    p[i][0] = 150 * s, p[i][1] = 4 + bend * s * s;
  }
  p[POINTS][0] = 150, p[POINTS][1] = 82, p[POINTS + 1][0] = -150, p[POINTS + 1][1] = 82;
  ssi_sketch_polygon(k, "second", p, POINTS + 2);
  double r = fmax(2, fmin(4.5, 0.3 * half / cells));
  for (int i = -cells; i <= cells; i++) ssi_sketch_disk(k, "point", half * i / cells, 0, r);
  if (depth != 0) ssi_sketch_load(k, "motion", 0, 84, 0, -depth, depth < 0, "depth");
  if (shift != 0) ssi_sketch_load(k, "motion", shift > 0 ? 152 : -152, 64, shift, 0, true, "shift");
  ssi_sketch_dimension(k, 0, -10, half, -10, -14, "width");
  ssi_sketch_label(k, "note", -200, -140,
                   "elastic, 80 × 40 widths; elements grow away from the contact");
  ssi_sketch_contact(k, -half, 0, -UP, "N", "T");
}

const ssi_sketch_entry ssi_sketches_elastic[] = {
    {"block", "block: held on its left, over an obstacle", 560, 395, 260, 80, draw_block},
    {"elastic-square", "elastic-square: its upper side fixed and moved", 560, 400, 260, 80,
     draw_elastic_square},
    {"elastic-blocks", "elastic-blocks: two bodies, node on node", 620, 400, 250, 80,
     draw_elastic_blocks},
    {"half-plane", "half-plane: indented by a rigid parabola", 560, 410, 270, 180, draw_half_plane},
    {"pulled-block", "pulled-block: pressed and pulled", 600, 420, 270, 80, draw_pulled_block},
    {NULL, NULL, 0, 0, 0, 0, NULL}};
