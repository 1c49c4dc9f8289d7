// Single pictures of a run: columns of its steps over time, the forces of one moment; scene_svg.c draws the bodies.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "report/scene_svg.h"
#include "stickslip/report.h"

const char *ss_run_picture_name(ss_run_picture kind) {
  static const char *const names[] = {"scene",   "forces", "energy",     "work",  "contacts",
                                      "overlap", "error",  "iterations", "phase", "time"};
  return (size_t)kind < sizeof names / sizeof *names ? names[kind] : NULL;
}

// ---- columns ---------------------------------------------------------------------------------

enum { CURVES = 6 };
static const struct {
  const char *y_name;
  struct {
    const char *column, *label;
  } curves[CURVES];
  bool log;
} tables[] = {
    [SS_PICTURE_ENERGY] = {"energy",
                           {{"kinetic", "kinetic"},
                            {"potential", "potential"},
                            {"elastic", "elastic"}},
                           false},
    [SS_PICTURE_WORK] = {"work",
                         {{"work_contact", "contacts"},
                          {"work_external", "loads and motions"},
                          {"work_integrator", "the scheme"},
                          {"work_correction", "correction"},
                          {"work_joint", "joints"},
                          {"work_element", "dampers"}},
                         false},
    [SS_PICTURE_CONTACTS] = {"contacts",
                             {{"contacts", "found"}, {"active", "with a force"}},
                             false},
    [SS_PICTURE_OVERLAP] = {"overlap", {{"penetration", "largest overlap"}}, false},
    [SS_PICTURE_ERROR] = {"log10 error", {{"error", "error"}}, true},
    [SS_PICTURE_ITERATIONS] = {"iterations", {{"iterations", "iterations"}}, false},
    [SS_PICTURE_TIME] = {"seconds of computing",
                         {{"clock_step", "whole step"},
                          {"clock_solve", "solver"},
                          {"clock_detect", "looking for contacts"}},
                         false},
};

static bool is_zero(const double *y, int64_t n) {
  for (int64_t k = 0; k < n; k++)
    if (y[k] != 0) return false;
  return true;
}

static ss_error columns_svg(ss_context *ctx, ss_run *run, ss_run_picture kind, const char *title,
                            ssi_arena *arena, char **out) {
  int64_t n = ss_run_get_size(run).steps;
  if (n < 2 || n > INT32_MAX)
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "run: %lld steps, expected at least 2", (long long)n);
  double *time = SSI_TAKE(arena, n, double);
  ss_curve curves[CURVES];
  int count = 0;
  for (int k = 0; k < CURVES && tables[kind].curves[k].column; k++) {
    double *y = SSI_TAKE(arena, n, double);
    if (arena->failed) return ssi_fail(ctx, SS_ERR_MEMORY, "run: no memory");
    SS_TRY(ss_run_read_steps(run, tables[kind].curves[k].column, y));
    bool more = k + 1 < CURVES && tables[kind].curves[k + 1].column;
    if (is_zero(y, n) && (count || more || kind == SS_PICTURE_TIME)) continue;
    for (int64_t i = 0; tables[kind].log && i < n; i++) y[i] = y[i] > 0 ? log10(y[i]) : NAN;
    curves[count++] = (ss_curve){tables[kind].curves[k].label, y};
  }
  SS_TRY(ss_run_read_steps(run, "time", time));
  ss_curves c = {.title = title,
                 .x_name = "time",
                 .y_name = tables[kind].y_name,
                 .count = (int)n,
                 .x = time,
                 .curves = curves,
                 .curve_count = count,
                 .whole = true};
  if (count == 0 && kind == SS_PICTURE_TIME)
    return ssi_fail(ctx, SS_ERR_ARGUMENT,
                    "run: has no times of computing: simulate --clock keeps them");
  if (count == 0) return ssi_fail(ctx, SS_ERR_ARGUMENT, "run: nothing to draw, all of it is 0");
  return ss_curves_svg(ctx, &c, out);
}

// ---- one moment ------------------------------------------------------------------------------

ss_error ssi_beyond_the_end(ss_context *ctx, const char *name, double time, double last) {
  if (!isfinite(time) || time <= last + 1e-9 * fabs(last)) return SS_OK;
  return ssi_fail(ctx, SS_ERR_ARGUMENT,
                  "%s: time %g lies beyond the end; the last saved state is at %g", name, time,
                  last);
}

// Saved states are in the order of time.
static ss_error frame_at(ss_context *ctx, ss_run *run, double time, ss_run_frame *out) {
  int64_t low = 0, high = ss_run_get_size(run).frames - 1;
  SS_TRY(ss_run_read_frame(run, high, out));
  SS_TRY(ssi_beyond_the_end(ctx, "run", time, out->time));
  while (isfinite(time) && low < high) {
    int64_t middle = (low + high) / 2;
    ss_run_frame a, b;
    SS_TRY(ss_run_read_frame(run, middle, &a));
    SS_TRY(ss_run_read_frame(run, middle + 1, &b));
    if (fabs(b.time - time) < fabs(a.time - time))
      low = middle + 1;
    else
      high = middle;
  }
  return ss_run_read_frame(run, high, out);
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static ss_error forces_svg(ss_context *ctx, const ss_run_frame *f, const char *title,
                           ssi_arena *arena, char **out) {
  double *size = SSI_TAKE(arena, f->contact_count, double);
  double *share = SSI_TAKE(arena, f->contact_count, double);
  if (arena->failed) return ssi_fail(ctx, SS_ERR_MEMORY, "run: no memory");
  int count = 0, points = 0;
  for (int k = 0; k < f->contact_count; k++) {
    const double *r = f->contacts[k].impulse;
    double x = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
    if (x > 0) size[count++] = x;
  }
  qsort(size, (size_t)count, sizeof *size, by_size);
  for (int k = 0; k < count; k++) {  // x increases: of equal ones the last
    if (k + 1 < count && size[k] == size[k + 1]) continue;
    size[points] = size[k], share[points++] = 1 - (double)(k + 1) / count;
  }
  if (points < 2)
    return ssi_fail(ctx, SS_ERR_ARGUMENT,
                    "run: contacts that bear a force at %g: %d, expected 2 or more", f->time,
                    count);
  ss_curve curve = {"share of the contacts above", share};
  ss_curves c = {.title = title,
                 .x_name = "impulse",
                 .y_name = "share",
                 .count = points,
                 .x = size,
                 .curves = &curve,
                 .curve_count = 1,
                 .whole = true};
  return ss_curves_svg(ctx, &c, out);
}

ss_error ss_run_svg(ss_context *ctx, ss_run *run, ss_run_picture kind, double time,
                    const char *title, char **out) {
  if (out) *out = NULL;
  if (!run || !out) return ssi_missing(ctx, "ss_run_svg");
  if (!ss_run_picture_name(kind))
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "run: no picture number %d", (int)kind);
  if (kind == SS_PICTURE_PHASE)
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "run: phase portraits are of mechanisms, not of bodies");
  ss_run_size size = ss_run_get_size(run);
  if (size.frames == 0) return ssi_fail(ctx, SS_ERR_FORMAT, "run: holds no saved state");
  ssi_arena arena = {.ctx = ctx};
  ss_run_frame f;
  ss_error e = SS_OK;
  if (kind == SS_PICTURE_SCENE || kind == SS_PICTURE_FORCES) e = frame_at(ctx, run, time, &f);
  if (!e)
    e = kind == SS_PICTURE_SCENE    ? ssi_scene_svg(ctx, &size, &f, title, out)
        : kind == SS_PICTURE_FORCES ? forces_svg(ctx, &f, title, &arena, out)
                                    : columns_svg(ctx, run, kind, title, &arena, out);
  ssi_arena_release(&arena);
  return e;
}
