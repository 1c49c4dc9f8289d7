// io/scene_rows.h - the objects of a scene file as tables: one row per key gives its reading, the check
// for unknown keys and, in tests/test_scene.c, the comparison with schemas/scene.schema.json.
#pragma once

#include "io/json_value.h"

typedef enum ssi_row_kind {
  SSI_NUMBER,   // double
  SSI_DEGREES,  // double, radians
  SSI_VECTOR,   // double[3], of which dim are in the file
  SSI_SPIN,     // double[3]; 3D: a vector; 2D: a number, about z
  SSI_COUNT,    // int >= 0
  SSI_SEED,     // uint64_t
  SSI_FLAG,     // bool
  SSI_TEXT,     // const char *
  SSI_WORD,     // int: which of `words`
  SSI_OTHER,    // read by hand
} ssi_row_kind;

typedef struct ssi_row {
  const char *key;
  ssi_row_kind kind;
  size_t offset;
  unsigned only;             // bits of the object's kinds that have it; 0: all
  bool required;             // where it may be
  const char *const *words;  // NULL-terminated
} ssi_row;

typedef struct ssi_object {
  const char *name;  // in the schema's $defs; "scene" is the whole
  const ssi_row *rows;
  int count;
  const char *const *kinds;  // words of its key "kind", NULL-terminated; NULL: has none
  bool first_kind;           // is the one where that key is left out
} ssi_object;

// Every object there is; NULL past the last.
const ssi_object *ssi_scene_object(int index);

extern const ssi_object ssi_scene_scene, ssi_scene_material, ssi_scene_law, ssi_scene_shape,
    ssi_scene_part, ssi_scene_body, ssi_scene_motion, ssi_scene_external, ssi_scene_generator,
    ssi_scene_joint, ssi_scene_motor, ssi_scene_spring, ssi_scene_damper, ssi_scene_bushing,
    ssi_scene_load, ssi_scene_stepping, ssi_scene_solver, ssi_scene_output;

// What the rows of a shape fill.
typedef struct ssi_shape_rows {
  const char *name;
  double radius, length, size[3], top, bottom, height, thickness;
  int sides;
} ssi_shape_rows;

typedef struct ssi_at {  // a JSON pointer
  char text[256];
} ssi_at;
ssi_at ssi_at_key(const ssi_at *at, const char *key);
ssi_at ssi_at_index(const ssi_at *at, size_t index);

// Fills `out` through the rows whose keys are there; *kind (may be NULL): which of object->kinds.
ss_error ssi_rows_read(const ssi_json *in, const ssi_at *at, const json_t *value, int dim,
                       const ssi_object *object, int *kind, void *out);

ss_error ssi_scene_vector(const ssi_json *in, const ssi_at *at, const json_t *value, int n,
                          double *out);  // exactly n numbers
ss_error ssi_scene_wrong(const ssi_json *in, const ssi_at *at, const char *format, ...)
    SS_PRINTF(3, 4);
