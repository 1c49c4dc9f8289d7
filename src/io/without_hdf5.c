// What a build without HDF5 answers: FCLIB files, run files and trajectories in .h5 need it.
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "base/error.h"
#include "io/fclib.h"
#include "io/trajectory.h"
#include "stickslip/run.h"

static ss_error no_fclib(ss_context *ctx, const char *name) {
  return ssi_fail(ctx, SS_ERR_UNSUPPORTED, "%s: FCLIB files need HDF5, which this build is without",
                  name);
}

ss_error ssi_read_fclib(ss_context *ctx, const ssi_source *in, ssi_arena *arena, ss_file *out) {
  return no_fclib(ctx, in->name);
}

ss_error ssi_read_fclib_solution(ss_context *ctx, const ssi_source *in, const ss_file *problem,
                                 ssi_arena *arena, ss_solution *out) {
  return no_fclib(ctx, in->name);
}

ss_error ssi_write_fclib_as(ss_context *ctx, const char *path, const ss_file *what,
                            const ss_solution *solution, ssi_storage as, ssi_storage as_H) {
  return no_fclib(ctx, path);
}

ss_error ssi_write_fclib(ss_context *ctx, const char *path, const ss_file *what,
                         const ss_solution *solution) {
  return no_fclib(ctx, path);
}

ss_error ssi_trajectory_hdf5(ss_context *ctx, const char *path, const ss_trajectory *t,
                             const ss_evolution *e, const ss_trajectory_note *notes) {
  return ssi_fail(ctx, SS_ERR_UNSUPPORTED, "%s: HDF5 is not in this build; write .csv", path);
}

// ---- runs: none can be begun or opened, so that the rest is never called -------------------------

static ss_error no_runs(ss_context *ctx, const char *path) {
  return ssi_fail(ctx, SS_ERR_UNSUPPORTED, "%s: run files need HDF5, which this build is without",
                  path);
}

ss_run_options ss_run_options_default(void) {
  return (ss_run_options){.seconds = 1};
}

ss_error ss_run_begin(ss_context *ctx, const char *path, const ss_scene *scene,
                      const char *scene_text, ss_simulation *sim, const ss_run_options *o,
                      ss_run_writer **out) {
  return *out = NULL, no_runs(ctx, path);
}

ss_error ss_run_append(ss_run_writer *w, ss_simulation *sim, const ss_step_info *info) {
  return SS_ERR_UNSUPPORTED;
}

ss_error ss_run_save(ss_run_writer *w, ss_simulation *sim) {
  return SS_ERR_UNSUPPORTED;
}

ss_error ss_run_finish(ss_run_writer *w, ss_simulation *sim) {
  return SS_ERR_UNSUPPORTED;
}

void ss_run_end(ss_run_writer *w) {}

ss_error ss_run_open(ss_context *ctx, const char *path, ss_run **out) {
  return *out = NULL, no_runs(ctx, path);
}

ss_error ss_run_check(ss_context *ctx, const char *path) {
  return no_runs(ctx, path);
}

void ss_run_close(ss_run *run) {}

ss_run_size ss_run_get_size(const ss_run *run) {
  return (ss_run_size){0};
}

ss_error ss_run_read_frame(ss_run *run, int64_t frame, ss_run_frame *out) {
  return SS_ERR_UNSUPPORTED;
}

ss_error ss_run_read_steps(ss_run *run, const char *column, double *x) {
  return SS_ERR_UNSUPPORTED;
}

bool ss_run_is_run(const char *path) {
  return false;
}
