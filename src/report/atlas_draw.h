// report/atlas_draw.h - what the map and the legend of an atlas share.
#pragma once

#include "report/svg.h"
#include "stickslip/report.h"

typedef struct ssi_atlas_drawing {
  ssi_svg svg;
  const ss_atlas *a;
  const ss_atlas_caption *c;
  double left, top, plot_w, plot_h;  // the map
  double legend_x, legend_w;
  double width, height;  // the picture
} ssi_atlas_drawing;

// Definitions (patterns, pictures of the states) that the others refer to.
void ssi_atlas_define(ssi_svg *s, bool judged);

// The colour of kind k, and a pattern to lay over it; NULL: none.
const char *ssi_atlas_colour(const ss_atlas *a, int kind);
const char *ssi_atlas_pattern(const ss_atlas_kind *k);

// One solution as a row of pictures, one per contact, in a frame.
enum { SSI_GLYPH = 15, SSI_BOX_HEIGHT = 20, SSI_BOX_GAP = 5 };
double ssi_atlas_box_width(const ss_atlas_kind *k, const ss_atlas_solution *s);
void ssi_atlas_box(ssi_svg *svg, const ss_atlas_kind *k, const ss_atlas_solution *s, double x,
                   double y);

// All solutions of a kind in lines of at most `width`, from the top left (x, y) on, each line centred
// in `width` if `centred`. Returns the height; draws nothing where svg is NULL.
double ssi_atlas_boxes(ssi_svg *svg, const ss_atlas_kind *k, double x, double y, double width,
                       bool centred);

double ssi_atlas_legend_height(const ssi_atlas_drawing *d);
void ssi_atlas_legend(ssi_atlas_drawing *d);
