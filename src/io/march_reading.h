// io/march_reading.h - a file of elastic bodies or of a structure on its way into an ss_march_file. Private.
#pragma once

#include "io/march_rows.h"
#include "io/scene_reading.h"

typedef struct ssi_march_owner {
  ss_march_file file;  // first, so that ss_march_file_close finds the rest
  ss_context *ctx;
  ssi_arena arena;
  ss_mesh **meshes;  // (mesh_count)
  int mesh_count;
} ssi_march_owner;

typedef struct ssi_march_reading {
  ssi_json in;
  ssi_march_owner *o;
  json_t *root;
  const char *folder;
  int dim;
  json_t *material, *history;  // name -> number
  ss_history *histories;
} ssi_march_reading;

// One element of a list, read into `out`.
typedef ss_error (*ssi_march_element)(ssi_march_reading *g, const ssi_at *at, const json_t *value,
                                      void *out);
ss_error ssi_march_list(ssi_march_reading *g, const ssi_at *at, const json_t *list, size_t size,
                        ssi_march_element element, int *count, void **out);
// The key "history" of `value`; NULL: none.
ss_error ssi_march_factor(ssi_march_reading *g, const ssi_at *at, const json_t *value,
                          const ss_history **out);

ss_error ssi_read_elastic(ssi_march_reading *g);    // march_elastic.c
ss_error ssi_read_structure(ssi_march_reading *g);  // march_structure.c
