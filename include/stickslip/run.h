// stickslip/run.h - what a simulation leaves behind: run files (HDF5). docs/formats-run.md has the layout.
//
// While a run goes on, its rows are collected in memory and saved as parts, PATH.parts/00000000.h5 and
// so on: each is written aside, synced and renamed, so that it is complete or not there, is a run file
// of its own for anyone who wants to look, and ends with a checkpoint. Whatever ends the process, the
// run can go on from the last part, exactly as if nothing had happened. ss_run_finish joins the parts
// into PATH and removes them.
#pragma once

#include "stickslip/simulate.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- writing -------------------------------------------------------------------------------

typedef enum ss_run_mode {
  SS_RUN_NEW,        // SS_ERR_WRITE where a run, finished or not, or any other file is in the way
  SS_RUN_OVERWRITE,  // replaces it
  SS_RUN_RESUME,     // loads the last checkpoint into the simulation; new where there is nothing
} ss_run_mode;

typedef struct ss_run_options {
  ss_run_mode mode;
  double seconds;  // longest time between two parts, by the clock; 0: only by size
  size_t bytes;    // rows kept in memory before a part is written; 0: 32 MiB
  bool certified;  // every step has its margin and criterion
  bool clocked;    // and what it took: then no two runs give equal files
} ss_run_options;
SS_API ss_run_options ss_run_options_default(void);

typedef struct ss_run_writer ss_run_writer;

// `scene_text` is kept in the file, and a resumed run must have the same. The simulation is at its
// start, or is brought to the last checkpoint (SS_RUN_RESUME). Then ss_simulation_done says whether there is anything
// to go on with: a finished run goes on where its duration is longer now, to the same bytes as one long run; else its
// file is left alone. A file that is no run is an error (SS_ERR_DATA), nothing is touched.
SS_API ss_error ss_run_begin(ss_context *ctx, const char *path, const ss_scene *scene,
                             const char *scene_text, ss_simulation *sim, const ss_run_options *o,
                             ss_run_writer **out);

// After each step. Saves a part when one is due; on failure (disk full) the rows are kept, the parts
// written before are not touched, and a later call tries again.
SS_API ss_error ss_run_append(ss_run_writer *w, ss_simulation *sim, const ss_step_info *info);
SS_API ss_error ss_run_save(ss_run_writer *w, ss_simulation *sim);    // a part now
SS_API ss_error ss_run_finish(ss_run_writer *w, ss_simulation *sim);  // the last part; then joins
SS_API void ss_run_end(ss_run_writer *w);  // releases; unsaved rows are lost; NULL allowed

// ---- reading -------------------------------------------------------------------------------

typedef struct ss_run ss_run;

typedef struct ss_run_size {
  int dim, bodies, externals, joints, elements;
  int64_t steps, frames, contacts;  // steps: rows of the table, the attempt that ended the run too
  bool finished;                    // false: parts of a run that is going on or was cut short
  const char *scene_text;           // JSON
  const char *end;  // why it ended, as ss_simulation_end; NULL: it has not, or was cut short
} ss_run_size;

// One saved state; arrays live until the next call.
typedef struct ss_run_frame {
  int64_t step;
  double time;
  double h;  // smallest step taken in the last one; impulses over it are mean forces. 0 in frame 0
  int contact_count;
  const ss_pose *pose;             // (bodies)
  const double *velocity;          // linear, angular, world axes   (6 per body)
  const ss_pose *external_pose;    // (externals)
  const ss_sim_contact *contacts;  // (contact_count)
  const double *joint_impulse;     // on a: force part, moment part, world axes   (6 per joint)
  const double *
      joint_motion;  // coordinate, rate, motor, limit (ss_sim_joint); NULL: not in it  (4 per joint)
  const double *element_force;  // (6 per element)
} ss_run_frame;

// PATH, or its parts where the run is not finished.
SS_API ss_error ss_run_open(ss_context *ctx, const char *path, ss_run **out);
SS_API void ss_run_close(ss_run *run);  // NULL allowed
SS_API ss_run_size ss_run_get_size(const ss_run *run);
SS_API ss_error ss_run_read_frame(ss_run *run, int64_t frame, ss_run_frame *out);

// A column of the table of steps, by its name in the file ("time", "error", ...); x has room for `steps`.
SS_API ss_error ss_run_read_steps(ss_run *run, const char *column, double *x);

// Reads all of a run file, or of its parts, in a child process without rights (no files, no network, limits of memory
// and time), for files that nobody vouches for: libhdf5, which ss_run_open uses in the caller's process, can be crashed
// by damage inside them. SS_ERR_FORMAT where it is, or where they cannot be read; what is not there is left to ss_run_open.
SS_API ss_error ss_run_check(ss_context *ctx, const char *path);

// True where the file is a run file (finished or in parts) and not a problem.
SS_API bool ss_run_is_run(const char *path);

// For ParaView: path.pvd lists, per frame, path/bodies_NNNNNN.vtu (surfaces with body, velocity) and
// path/contacts_NNNNNN.vtu (points with impulse, gap, state).
SS_API ss_error ss_run_write_vtk(ss_context *ctx, ss_run *run, const char *path,
                                 int (*progress)(void *user, int64_t done, int64_t of), void *user);

// Into an existing folder: bodies.csv, contacts.csv, joints.csv, energy.csv (docs/formats-run.md, "CSV").
SS_API ss_error ss_run_write_csv(ss_context *ctx, ss_run *run, const char *folder,
                                 int (*progress)(void *user, int64_t done, int64_t of), void *user);

#ifdef __cplusplus
}
#endif
