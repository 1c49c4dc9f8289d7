// stickslip/trajectory.h - what a mechanism did, as a table: one row per moment, and its events.
//
//   ss_trajectory *t;
//   if (ss_trajectory_create(ctx, &machine->mechanism, machine->order, machine->state_name, &t)) ...
//   do { ss_trajectory_append(t, evolution); } while (... ss_evolution_advance(evolution, ...));
//   ss_trajectory_write(ctx, "run.csv", t, evolution, NULL);
//
// docs/formats-run.md has the columns and the layout of the files.
#pragma once

#include "stickslip/mechanisms.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ss_trajectory ss_trajectory;

typedef enum ss_column_kind {
  SS_COLUMN_NUMBER,
  SS_COLUMN_MODE,  // an ss_mode; in text its name
} ss_column_kind;

typedef struct ss_column {
  const char *name;
  ss_column_kind kind;
  int contact;  // -1: of none
} ss_column;

// The state in the model's own order: number k is coordinate order[k], or velocity order[k] - nq, with these names.
// NULL: coordinates, then velocities; by the names of the mechanism. All of it must outlive the trajectory.
SS_API ss_error ss_trajectory_create(ss_context *ctx, const ss_mechanism *m, const int *order,
                                     const char *const *names, ss_trajectory **out);
SS_API void ss_trajectory_destroy(ss_trajectory *t);  // NULL allowed

// The machine is that of a scene (ss_machine_of_scene), and this the scene's text: HDF5 files will have it and where its
// bodies are at each row, so that they can be played. Both must outlive the trajectory.
SS_API ss_error ss_trajectory_set_scene(ss_trajectory *t, const ss_machine *machine,
                                        const char *scene_text);

// A row: the evolution as it is now. NAN where a number has no meaning (a share of a contact that slips).
SS_API ss_error ss_trajectory_append(ss_trajectory *t, ss_evolution *e);

SS_API int64_t ss_trajectory_rows(const ss_trajectory *t);
SS_API int ss_trajectory_columns(const ss_trajectory *t);
SS_API ss_column ss_trajectory_column(const ss_trajectory *t, int index);
SS_API int ss_trajectory_find(const ss_trajectory *t, const char *name);        // -1: there is none
SS_API const double *ss_trajectory_row(const ss_trajectory *t, int64_t index);  // (columns)

// Coordinates and velocities of an event in the order of the columns.   (nq + nv)
SS_API void ss_trajectory_order(const ss_trajectory *t, const double *q, const double *v,
                                double *state);

typedef struct ss_trajectory_note {  // kept in HDF5 files
  const char *key, *text;
} ss_trajectory_note;

// By the ending: FILE.csv with FILE-events.csv beside it, or FILE.h5 with both. Written aside, then renamed.
// notes: texts to keep, key NULL after the last; may be NULL.
SS_API ss_error ss_trajectory_write(ss_context *ctx, const char *path, const ss_trajectory *t,
                                    const ss_evolution *e, const ss_trajectory_note *notes);

#ifdef __cplusplus
}
#endif
