// report/deformation_svg.h - plane bodies where they have moved to, whoever knows it. Private.
#pragma once

#include "report/svg.h"
#include "stickslip/problem.h"

typedef struct ssi_deformed_contact {
  int node;
  double normal[2], r[2];  // r: force in the contact's frame
  double gap;
  ss_state state;
  int obstacle;  // below it; contacts of one are next to each other, all before those of none, -1
} ssi_deformed_contact;

typedef struct ssi_deformation {
  double time;
  int nodes;
  const double *x, *q;  // places and displacements   (2 nodes)
  int elements;
  const int *first, *node;  // corners first: 3 of 3 or 6, 4 of 4 or 9   (elements + 1)
  const double *value;      // that colours each: above 0 blue, below red   (elements)
  const char *said;         // of the colours; NULL: nothing
  const ssi_deformed_contact *contacts;
  int contact_count;
} ssi_deformation;

ss_error ssi_deformation_draw(ss_context *ctx, const ssi_deformation *of, const char *title,
                              char **out);
