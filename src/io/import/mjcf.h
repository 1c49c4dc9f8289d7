// io/import/mjcf.h - a MuJoCo model being read: its settings, classes of defaults, places and geoms.
#pragma once

#include "io/import/model_import.h"

typedef struct ssi_mjcf_class {
  const char *name;  // "main": the outermost one
  int parent;        // -1: none
  xmlNode *node;
} ssi_mjcf_class;

typedef struct ssi_mjcf {
  ssi_foreign *m;
  double angle;                       // rad per unit of the file
  const char *euler;                  // "xyz": order of turns; upper case: about fixed axes
  const char *mesh_folder;            // "": the model's
  bool from_geoms, never_from_geoms;  // masses, whatever <inertial> says
  xmlNode *assets;
  ssi_mjcf_class *classes;
  int class_count;
} ssi_mjcf;

// An element, and the class of defaults that holds for it unless it names one: of the bodies around it.
typedef struct ssi_mjcf_element {
  xmlNode *node;
  int class;
} ssi_mjcf_element;

ss_error ssi_mjcf_read_classes(ssi_mjcf *f, xmlNode *mujoco);
ss_error ssi_mjcf_find_class(ssi_mjcf *f, xmlNode *node, const char *key, int otherwise, int *out);

// An attribute of the element, or of its class, or of the classes around that; NULL: none.
const char *ssi_mjcf_text(ssi_mjcf *f, const ssi_mjcf_element *e, const char *name);
ss_error ssi_mjcf_numbers(ssi_mjcf *f, const ssi_mjcf_element *e, const char *name, int least,
                          int most, double *out, int *count);

// pos, and one of quat, axisangle, euler, xyaxes, zaxis.
ss_error ssi_mjcf_pose(ssi_mjcf *f, const ssi_mjcf_element *e, ss_pose *out);
void ssi_mjcf_turn_z(const double z[3], double q[4]);  // the shortest turn that takes z there

// The geoms of a body, as parts of a link at `within` of its frame; of the world, each as an external object.
ss_error ssi_mjcf_geoms(ssi_mjcf *f, xmlNode *body, int class, const ss_pose *within, bool weighs,
                        ssi_link *link);
ss_error ssi_mjcf_still_geoms(ssi_mjcf *f, xmlNode *body, int class, const ss_pose *pose);
