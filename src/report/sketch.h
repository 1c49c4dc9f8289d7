// report/sketch.h - drawing mechanical systems: bodies, ground, springs, loads, contact frames, angles, dimensions.
//
// Points are pixels from an origin, y upwards. Labels may have subscripts: "f_n" until a space, a comma or the end.
#pragma once

#include "models/model.h"
#include "report/svg.h"

typedef struct ssi_sketch {
  ssi_svg svg;
  double x0, y0;  // the origin in the picture
  ss_error e;     // of the first parameter that was wrong
} ssi_sketch;

// Colours say what a thing is: `load` and `reaction` red, `motion` blue, `axis` green, `note` grey.
void ssi_sketch_line(ssi_sketch *k, const char *look, double x1, double y1, double x2, double y2);
void ssi_sketch_polygon(ssi_sketch *k, const char *look, const double (*p)[2], int count);
void ssi_sketch_path(ssi_sketch *k, const char *look, const double (*p)[2], int count);  // open
void ssi_sketch_box(ssi_sketch *k, const char *look, double x1, double y1, double x2, double y2);
void ssi_sketch_disk(ssi_sketch *k, const char *look, double x, double y, double radius);
// From angle `from` to `to` (radians, counter-clockwise).
void ssi_sketch_arc(ssi_sketch *k, const char *look, double x, double y, double radius, double from,
                    double to);
void ssi_sketch_arrow(ssi_sketch *k, const char *look, double x1, double y1, double x2, double y2);

// anchor: "", "mid" or "end".
void ssi_sketch_label(ssi_sketch *k, const char *look, double x, double y, const char *text);
// Beside the middle of an angle.
void ssi_sketch_angle(ssi_sketch *k, double x, double y, double radius, double from, double to,
                      const char *label);
// A length between two points, drawn `away` pixels to the left of the way from 1 to 2.
void ssi_sketch_dimension(ssi_sketch *k, double x1, double y1, double x2, double y2, double away,
                          const char *label);

// Something fixed, to the right of the way from 1 to 2, hatched.
void ssi_sketch_fixed(ssi_sketch *k, double x1, double y1, double x2, double y2);
// A short piece of it at (x, y), facing the direction `angle` (radians).
void ssi_sketch_anchor(ssi_sketch *k, double x, double y, double angle);
void ssi_sketch_spring(ssi_sketch *k, double x1, double y1, double x2, double y2);

// A contact: its point, normal towards `angle` and tangent, named. The 2D tangent is the normal turned clockwise.
void ssi_sketch_contact(ssi_sketch *k, double x, double y, double angle, const char *normal,
                        const char *tangent);
// A load of direction (right, up) that ends at (x, y) unless `from`, then it begins there. Nothing where it is zero.
void ssi_sketch_load(ssi_sketch *k, const char *look, double x, double y, double right, double up,
                     bool from, const char *label);
void ssi_sketch_gravity(ssi_sketch *k, double x, double y, double g);  // upwards positive

// What is drawn: of a model, with its parameters; d is NULL for a figure.
typedef void ssi_sketch_draw(ssi_sketch *k, const ssi_draft *d);
typedef struct ssi_sketch_entry {
  const char *name;  // of a model, or of a figure
  const char *title;
  double width, height, x0, y0;  // of the picture; of the origin in it, y from the bottom
  ssi_sketch_draw *draw;
} ssi_sketch_entry;
extern const ssi_sketch_entry ssi_sketches_rigid[], ssi_sketches_springs[], ssi_sketches_elastic[],
    ssi_sketches_figures[];  // each ends with a NULL name

// The angle of a model as it is drawn, radians: between 16 and 64 degrees, so that what it lies between is to be seen.
double ssi_sketch_tilt(ssi_sketch *k, const ssi_draft *d, const char *name);

static inline double ssi_parameter(const ssi_draft *d, const char *name) {
  return ssi_get(d, name).x;
}
