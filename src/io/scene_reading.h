// io/scene_reading.h - one scene on its way from its file into an ss_scene: names, rotations, tables, shapes.
#pragma once

#include "dynamics/scene/world.h"
#include "io/scene_rows.h"

typedef struct ssi_scene_owner {
  ss_scene scene;  // first, so that ss_scene_close finds the rest
  ss_context *ctx;
  ssi_arena arena;
  ssi_shapes shapes;
} ssi_scene_owner;

typedef struct ssi_reading {
  ssi_json in;
  ssi_scene_owner *o;
  json_t *root;
  int dim;
  json_t *material, *shape, *body, *external, *generator;  // name -> number
  ss_shape **named;                                        // of /shapes
  int depth;                                               // of compounds in compounds
} ssi_reading;

// The number that a name stands for; the nearest name where there is none such.
ss_error ssi_find_name(const ssi_json *in, const ssi_at *at, json_t *names, const char *what,
                       const json_t *value, int *out);
ss_error ssi_unknown_name(const ssi_json *in, const ssi_at *at, json_t *names, const char *what,
                          const char *name);

// The key "rotation" of `from`: {"axis": [..], "degrees": ..}, {"up": [..]}, a quaternion, or in 2D a
// number of degrees; the identity where it is left out.
ss_error ssi_read_rotation(const ssi_reading *g, const ssi_at *at, const json_t *from, double q[4]);

// Rows of `width` numbers each. *rows: how many.
ss_error ssi_read_table(const ssi_json *in, const ssi_at *at, const json_t *value, int width,
                        int *rows, double **out);

// /solver; NULL: nothing to read.
ss_error ssi_read_solver(const ssi_json *in, const json_t *solver, ss_options *out);

// A shape, owned by the scene; *name (may be NULL): its name or NULL.
ss_error ssi_make_shape(ssi_reading *g, const ssi_at *at, const json_t *value, const char **name,
                        ss_shape **out);
// The name of one of /shapes, or a shape.
ss_error ssi_read_shape(ssi_reading *g, const ssi_at *at, const json_t *value,
                        const ss_shape **out);
// With the place in front of what the library says about a shape.
ss_error ssi_placed(const ssi_reading *g, const ssi_at *at, ss_error e);

// One of a list of objects.
typedef ss_error ssi_scene_reader(ssi_reading *g, const ssi_at *at, const json_t *value, void *out,
                                  size_t index);

// scene_acting.c: what acts between bodies and on them. Bodies, generators and externals are read.
ssi_scene_reader ssi_read_joint, ssi_read_spring, ssi_read_damper, ssi_read_bushing, ssi_read_load;
