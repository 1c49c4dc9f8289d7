// io/march_rows.h - the objects of files of elastic bodies and structures, as tables (scene_rows.h). Private.
#pragma once

#include "io/scene_rows.h"
#include "stickslip/march_file.h"

extern const ssi_object ssi_rows_elastic, ssi_rows_structure, ssi_rows_material, ssi_rows_body,
    ssi_rows_mesh, ssi_rows_axis, ssi_rows_zone, ssi_rows_support, ssi_rows_load, ssi_rows_gravity,
    ssi_rows_obstacle, ssi_rows_motion, ssi_rows_pair, ssi_rows_sine, ssi_rows_history,
    ssi_rows_stepping, ssi_rows_output, ssi_rows_term, ssi_rows_prescribed, ssi_rows_frame;

// Every object there is; NULL past the last.
const ssi_object *ssi_march_object(int index);

// What the rows of a stepping fill.
typedef struct ssi_stepping_rows {
  ss_march_options o;
  bool redistribute_mass;
  int unsolved;
} ssi_stepping_rows;
