// report/axes.h - marks and names along the axes of a picture.
#pragma once

#include "report/svg.h"

// Marks at multiples of `step` = 1, 2 or 5 times a power of ten; numbers are shown divided by
// 10^power, with `places` decimals.
typedef struct ssi_marks {
  double step;
  int64_t first, last;  // multiples
  int power, places;
} ssi_marks;

ssi_marks ssi_marks_choose(double from, double to, int most);  // from < to; about `most` of them
void ssi_marks_number(ssi_svg *s, const ssi_marks *m, double value);

// Content of a <text>: the name, with Greek letters and subscripts (class `sub`), and the power of ten if not 0.
// tan_alpha: "tan" (class `upright`) and a Greek letter; theta_deg: the letter in degrees; f_n, u0: a subscript.
void ssi_axis_title(ssi_svg *s, const char *name, int power);
