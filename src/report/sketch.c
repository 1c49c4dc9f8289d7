// report/sketch.c - see sketch.h.
#include "report/sketch.h"

#include <math.h>
#include <string.h>

static double px(const ssi_sketch *k, double x) {
  return k->x0 + x;
}
static double py(const ssi_sketch *k, double y) {
  return k->y0 - y;
}

void ssi_sketch_line(ssi_sketch *k, const char *look, double x1, double y1, double x2, double y2) {
  ssi_svg_line(&k->svg, look, px(k, x1), py(k, y1), px(k, x2), py(k, y2));
}

static void points(ssi_sketch *k, const char *look, const double (*p)[2], int count, bool closed) {
  ssi_svg_put(&k->svg, "<path class=\"%s\" d=\"", look);
  for (int i = 0; i < count; i++)
    ssi_svg_point(&k->svg, i ? 'L' : 'M', px(k, p[i][0]), py(k, p[i][1]));
  ssi_svg_raw(&k->svg, closed ? "Z\"/>\n" : "\"/>\n");
}

void ssi_sketch_polygon(ssi_sketch *k, const char *look, const double (*p)[2], int count) {
  points(k, look, p, count, true);
}

void ssi_sketch_path(ssi_sketch *k, const char *look, const double (*p)[2], int count) {
  points(k, look, p, count, false);
}

void ssi_sketch_box(ssi_sketch *k, const char *look, double x1, double y1, double x2, double y2) {
  ssi_svg_put(&k->svg,
              "<rect class=\"%s\" x=\"%f\" y=\"%f\" width=\"%f\" height=\"%f\" rx=\"3\"/>\n", look,
              px(k, x1), py(k, y2), x2 - x1, y2 - y1);
}

void ssi_sketch_disk(ssi_sketch *k, const char *look, double x, double y, double radius) {
  ssi_svg_put(&k->svg, "<circle class=\"%s\" cx=\"%f\" cy=\"%f\" r=\"%f\"/>\n", look, px(k, x),
              py(k, y), radius);
}

void ssi_sketch_arc(ssi_sketch *k, const char *look, double x, double y, double radius, double from,
                    double to) {
  enum { PIECES = 48 };
  double p[PIECES + 1][2];
  for (int i = 0; i <= PIECES; i++) {
    double a = from + (to - from) * i / PIECES;
    p[i][0] = x + radius * cos(a), p[i][1] = y + radius * sin(a);
  }
  points(k, look, p, PIECES + 1, false);
}

void ssi_sketch_arrow(ssi_sketch *k, const char *look, double x1, double y1, double x2, double y2) {
  double length = hypot(x2 - x1, y2 - y1), head = fmin(11, 0.45 * length), half = 0.36 * head;
  if (!(length > 0)) return;
  double a = (x2 - x1) / length, b = (y2 - y1) / length;
  const double tip[4][2] = {{x2, y2},
                            {x2 - head * a - half * b, y2 - head * b + half * a},
                            {x2 - 0.75 * head * a, y2 - 0.75 * head * b},
                            {x2 - head * a + half * b, y2 - head * b - half * a}};
  char filled[40] = "tip ";
  strncat(filled, look, sizeof filled - 5);
  ssi_sketch_line(k, look, x1, y1, x2 - 0.75 * head * a, y2 - 0.75 * head * b);
  points(k, filled, tip, 4, true);
}

double ssi_sketch_tilt(ssi_sketch *k, const ssi_draft *d, const char *name) {
  const double degree = 0.017453292519943295;
  ssi_number s = ssi_whole(0), c = ssi_whole(1);
  ss_error e = ssi_get_angle(d, name, &s, &c);
  if (!k->e) k->e = e;
  return fmax(16 * degree, fmin(64 * degree, atan2(s.x, c.x)));
}

// ---- text -----------------------------------------------------------------------------------

static bool ends_subscript(char c) {
  return c == '\0' || strchr(" ,=()/|", c) != NULL;
}

void ssi_sketch_label(ssi_sketch *k, const char *look, double x, double y, const char *text) {
  ssi_svg_text_begin(&k->svg, look, px(k, x), py(k, y));
  while (*text) {
    char piece[200];
    size_t plain = strcspn(text, "_");
    if (plain >= sizeof piece) plain = sizeof piece - 1;
    memcpy(piece, text, plain);
    piece[plain] = '\0';
    ssi_svg_escaped(&k->svg, piece);
    text += plain;
    if (*text != '_') continue;
    size_t sub = 0;
    for (text++; !ends_subscript(text[sub]) && sub + 1 < sizeof piece; sub++)
      piece[sub] = text[sub];
    piece[sub] = '\0';
    text += sub;
    ssi_svg_put(&k->svg, "<tspan class=\"sub\" dy=\"4\">%s</tspan>", piece);
    if (*text) ssi_svg_raw(&k->svg, "<tspan dy=\"-4\">&#8203;</tspan>");
  }
  ssi_svg_raw(&k->svg, "</text>\n");
}

void ssi_sketch_angle(ssi_sketch *k, double x, double y, double radius, double from, double to,
                      const char *label) {
  double middle = (from + to) / 2;
  ssi_sketch_arc(k, "thin", x, y, radius, from, to);
  ssi_sketch_label(k, "name mid", x + (radius + 14) * cos(middle),
                   y + (radius + 14) * sin(middle) - 5, label);
}

void ssi_sketch_dimension(ssi_sketch *k, double x1, double y1, double x2, double y2, double away,
                          const char *label) {
  double length = hypot(x2 - x1, y2 - y1);
  if (!(length > 0)) return;
  double a = (x2 - x1) / length, b = (y2 - y1) / length, over = away + copysign(5, away);
  double ax = x1 - away * b, ay = y1 + away * a, bx = x2 - away * b, by = y2 + away * a;
  ssi_sketch_line(k, "thin", x1, y1, x1 - over * b, y1 + over * a);
  ssi_sketch_line(k, "thin", x2, y2, x2 - over * b, y2 + over * a);
  ssi_sketch_arrow(k, "thin", (ax + bx) / 2, (ay + by) / 2, ax, ay);
  ssi_sketch_arrow(k, "thin", (ax + bx) / 2, (ay + by) / 2, bx, by);
  double out = copysign(fabs(b) > 0.5 ? 16 : 10, away);
  ssi_sketch_label(k, "name mid halo", (ax + bx) / 2 - out * b, (ay + by) / 2 + out * a - 5, label);
}

// ---- parts ----------------------------------------------------------------------------------

void ssi_sketch_fixed(ssi_sketch *k, double x1, double y1, double x2, double y2) {
  const double depth = 15, step = 9;
  double length = hypot(x2 - x1, y2 - y1);
  if (!(length > 0)) return;
  double a = (x2 - x1) / length, b = (y2 - y1) / length;  // the right is (b, -a)
  const double strip[4][2] = {
      {x1, y1}, {x2, y2}, {x2 + depth * b, y2 - depth * a}, {x1 + depth * b, y1 - depth * a}};
  points(k, "soil", strip, 4, true);
  for (double at = step; at < length + depth;
       at += step) {  // strokes at 45 degrees, cut to the strip
    double top = fmin(at, length), bottom = fmax(0, at - depth);
    double high = at - top, low = at - bottom;
    ssi_sketch_line(k, "hatch", x1 + top * a + high * b, y1 + top * b - high * a,
                    x1 + bottom * a + low * b, y1 + bottom * b - low * a);
  }
  ssi_sketch_line(k, "edge", x1, y1, x2, y2);
}

void ssi_sketch_anchor(ssi_sketch *k, double x, double y, double angle) {
  double a = 17 * sin(angle), b = -17 * cos(angle);
  ssi_sketch_fixed(k, x - a, y - b, x + a, y + b);
}

void ssi_sketch_spring(ssi_sketch *k, double x1, double y1, double x2, double y2) {
  enum { TURNS = 6, COUNT = 2 * TURNS + 4 };
  double length = hypot(x2 - x1, y2 - y1), straight = fmax(10, 0.16 * length), wide = 7;
  if (!(length > 0)) return;
  double a = (x2 - x1) / length, b = (y2 - y1) / length, coil = length - 2 * straight;
  double p[COUNT][2];
  for (int i = 0; i < COUNT; i++) {
    bool inner = i > 1 && i < COUNT - 2;
    double along = i == 0           ? 0
                   : i == 1         ? straight
                   : i == COUNT - 1 ? length
                   : i == COUNT - 2 ? length - straight
                                    : straight + coil * (i - 1.5) / (COUNT - 4);
    double side = inner ? (i % 2 ? -wide : wide) : 0;
    p[i][0] = x1 + along * a - side * b, p[i][1] = y1 + along * b + side * a;
  }
  points(k, "spring", p, COUNT, false);
}

void ssi_sketch_contact(ssi_sketch *k, double x, double y, double angle, const char *normal,
                        const char *tangent) {
  const double length = 34, beyond = 12,
               lift = 13;  // the name of the tangent stands off the surface
  double nx = cos(angle), ny = sin(angle), tx = ny, ty = -nx;
  if (tangent) {
    ssi_sketch_arrow(k, "axis", x, y, x + length * tx, y + length * ty);
    ssi_sketch_label(k, "name mid axistext halo", x + length * tx + lift * nx,
                     y + length * ty + lift * ny - 5, tangent);
  }
  if (normal) {
    ssi_sketch_arrow(k, "axis", x, y, x + length * nx, y + length * ny);
    ssi_sketch_label(k, "name mid axistext halo", x + (length + beyond) * nx,
                     y + (length + beyond) * ny - 5, normal);
  }
  ssi_sketch_disk(k, "point", x, y, 4.5);
}

void ssi_sketch_load(ssi_sketch *k, const char *look, double x, double y, double right, double up,
                     bool from, const char *label) {
  const double length = 58;
  double size = hypot(right, up);
  if (!(size > 0)) return;
  double a = right / size, b = up / size;
  double tail[2] = {from ? x : x - length * a, from ? y : y - length * b};
  ssi_sketch_arrow(k, look, tail[0], tail[1], tail[0] + length * a, tail[1] + length * b);
  char text[40] = "name mid halo ";
  strncat(text, look, sizeof text - 20);
  strncat(text, "text", sizeof text - strlen(text) - 1);
  // beyond the head, or before the tail, by more where the text lies along the arrow
  double beyond = 13 + fmax(0, ssi_svg_text_width(label, 14) / 2 - 6) * fabs(a);
  double far = (length + beyond) * (from ? 1 : -1);
  ssi_sketch_label(k, text, x + far * a, y + far * b - 5, label);
}

void ssi_sketch_gravity(ssi_sketch *k, double x, double y, double g) {
  if (g == 0) return;
  double s = g > 0 ? 1 : -1;
  ssi_sketch_arrow(k, "load", x, y - 18 * s, x, y + 18 * s);
  ssi_sketch_label(k, "name loadtext", x + 8, y - 5, g > 0 ? "g > 0" : "g < 0");
}
