// report/panels.h - which columns of a trajectory a picture shows.
#pragma once

#include "io/trajectory.h"

enum { SSI_PANELS_MOST = 12 };

typedef struct ssi_axis {
  int column;
  double sign;  // 1 or -1
  char name[SSI_COLUMN_NAME + 4];
  double from, to;  // a little more than its numbers
} ssi_axis;

typedef struct ssi_panel {
  ssi_axis x, y;
} ssi_panel;

typedef struct ssi_panels {
  ssi_panel items[SSI_PANELS_MOST];
  int count;
} ssi_panels;

// "phase", "velocity", "forces", "share", or "Y:X,Y,...": names of columns, a '-' before one for its negative; X is
// the time where it is left out. lambda_nu and lambda_tau [Jack] are -r_N and r_T. NULL: phase.
ss_error ssi_panels_read(ss_context *ctx, const ss_trajectory *t, const char *text,
                         ssi_panels *out);
