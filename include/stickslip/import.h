// stickslip/import.h - models of other programs as scenes: URDF, MJCF (MuJoCo), STL and OBJ (docs/import.md).
//
// The scene is a text, JSON as docs/scenes.md has it, that stands alone: shapes of mesh files are in it as hulls.
// Everything in the model that has no counterpart here is listed, with its line; nothing is dropped in silence.
#pragma once

#include "stickslip/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// What the model's root hangs on.
typedef enum ss_import_base {
  SS_BASE_AUTO,  // URDF: fixed where the root is called "world" or has no mass, else free
  SS_BASE_FIXED,
  SS_BASE_FREE,
} ss_import_base;
SS_API const char *ss_import_base_name(ss_import_base b);  // "auto", ...; NULL past the last

typedef struct ss_import_position {  // where a joint is at t = 0
  const char *joint;
  double value;  // rad, or a length
} ss_import_position;

typedef struct ss_import_options {
  double scale;         // of the coordinates in mesh files given as input, > 0
  double density;       // of what has no mass of its own
  double mu;            // of what says nothing about friction
  bool hull;            // a piece that is not convex is taken for its convex hull
  ss_import_base base;  // URDF
  const char *
      packages;  // folder that package:// names are looked for in; NULL: the model's and those above it
  bool ground;  // a plane z = ground_height below everything
  double ground_height;
  double step, duration;  // of the scene; step 0: the model's own, or 2 ms
  const ss_import_position *positions;
  int position_count;
} ss_import_options;
SS_API ss_import_options ss_import_options_default(void);

typedef struct ss_imported {
  const char *kind;  // "urdf", "mjcf", "stl", "obj"
  const char *text;  // the scene, zero-terminated
  int bodies, externals, joints, elements;
  int left_count;  // what was left out, or taken otherwise than it says: "robot.urdf:12: link/visual (7 times)"
  const char *const *left;
  int file_count;  // other files that were read: meshes
  const char *const *files;
} ss_imported;

// The kind is told from the content, of STL and OBJ from the ending too. SS_ERR_FORMAT: no such model, or one that
// cannot be a scene, with the line. The scene has been read by ss_scene_parse.
SS_API ss_error ss_import(ss_context *ctx, const char *path, const ss_import_options *o,
                          ss_imported **out);
// The same of a file in memory; name: for messages, endings and where other files are looked for. NULL options: defaults.
SS_API ss_error ss_import_parse(ss_context *ctx, const char *name, const char *bytes, size_t size,
                                const ss_import_options *o, ss_imported **out);
SS_API void ss_imported_destroy(ss_imported *i);  // NULL allowed

// The text into a file ("-": standard output), whole or not at all.
SS_API ss_error ss_imported_write(ss_context *ctx, const ss_imported *i, const char *path);

#ifdef __cplusplus
}
#endif
