// report/frame.h - the frame of one plot: marks, grid lines and names along its two axes.
#pragma once

#include "report/svg.h"

typedef struct ssi_frame {
  double left, top, right, bottom;    // in the picture
  double x_from, x_to, y_from, y_to;  // what they stand for
  const char *x_name, *y_name;        // as ssi_axis_title takes them
} ssi_frame;

double ssi_frame_x(const ssi_frame *f, double x);
double ssi_frame_y(const ssi_frame *f, double y);
// Both axes, with the classes tick, name, mid, end, grid, zero, frame of the picture's style.
void ssi_frame_draw(ssi_svg *s, const ssi_frame *f);

// <svg ...> with the classes that every plot needs and those of `style`, on white.
void ssi_frame_begin(ssi_svg *s, double width, double height, const char *name, const char *style);
// Both may be NULL; they end at `right`. Returns where the next line of text begins.
double ssi_frame_titles(ssi_svg *s, double left, double right, const char *title,
                        const char *subtitle);
