// io/import/model_import.h - one model on its way into a draft, and the readers of each kind.
#pragma once

#include "io/import/scene_draft.h"
#include "io/import/xml_tree.h"

typedef struct ssi_foreign {
  ssi_xml x;
  ssi_scene_draft d;
  const char *path;  // of the file, for others that it names
} ssi_foreign;

ss_error ssi_import_urdf(ssi_foreign *m, xmlNode *robot);
ss_error ssi_import_mjcf(ssi_foreign *m, xmlNode *mujoco);

// Where the joint is at t = 0, if that was asked for.
bool ssi_position_of(const ssi_foreign *m, const char *joint, double *out);

// A file named in the model: seen from the folder of the model, or package://NAME/..., seen from a folder NAME in the
// packages' folder, or of the model's own folder and those above it.
ss_error ssi_foreign_file(ssi_foreign *m, xmlNode *node, const char *named, const char **out);
