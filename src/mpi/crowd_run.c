// mpi/crowd_run.c - see crowd_run.h; io/run_write.c for one process.
#define _POSIX_C_SOURCE 200809L
#include "mpi/crowd_run.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/timer.h"

enum { PART_BYTES = 32 << 20 };  // of one rank

static ss_error agree_as_first(const crowd_run *r, ss_error e) {  // of what only rank 0 did
  return ranks_agree(r->m->c, r->m->c->rank ? SS_OK : e);
}

// ---- saving --------------------------------------------------------------------------------

static void forget_rows(crowd_run *r) {
  for (int k = 0; k < SSI_RUN_TABLE_COUNT; k++) r->tables[k].used = 0;
  r->frames = r->contacts = 0;
  r->fresh = true;
}

ss_error crowd_run_save(crowd_run *r) {
  const ranks *c = r->m->c;
  double since = crowd_cpu_s(r->m, -1, 0);
  if (r->fresh) return SS_OK;
  r->saved_at = ssi_now_s();
  SS_TRY(agree_as_first(r, c->rank ? SS_OK : ssi_run_parts_make(c->ctx, &r->parts)));
  SS_TRY(crowd_part_write(r, ssi_run_parts_name(&r->parts, r->parts.count)));
  r->parts.count++;
  forget_rows(r);
  crowd_cpu_s(r->m, CROWD_WRITE, since);
  return SS_OK;
}

// The clock of rank 0, and the memory of any.
static bool is_due(const crowd_run *r) {
  size_t used = sizeof *r->contact * (size_t)r->contacts + 104 * (size_t)(r->frames * r->own);
  int due = used >= PART_BYTES || (r->m->c->rank == 0 && ssi_now_s() - r->saved_at >= r->seconds);
  MPI_Allreduce(MPI_IN_PLACE, &due, 1, MPI_INT, MPI_MAX, r->m->c->comm);
  return due;
}

static int frame_period(const crowd_run *r) {
  return r->output.every > 0 ? r->output.every : 1;
}

ss_error crowd_run_append(crowd_run *r, const ss_step_info *info) {
  double since = crowd_cpu_s(r->m, -1, 0);
  SS_TRY(crowd_run_collect(r, info, r->m->now.step % frame_period(r) == 0));
  crowd_cpu_s(r->m, CROWD_WRITE, since);
  return is_due(r) ? crowd_run_save(r) : SS_OK;
}

// Names and masses for those who read the run without this program come from a simulation of the scene.
static ss_error join(crowd_run *r) {
  crowd *m = r->m;
  ss_context *ctx = m->c->ctx;
  ss_simulation *sim = NULL;
  ss_scene scene = *m->scene;
  scene.overlap = SS_OVERLAP_PUSH;  // was looked at in the beginning
  ss_error e = ss_simulation_create(ctx, &scene, &sim);
  if (!e) {
    sim->state.now = m->now;
    e = ssi_run_join(ctx, r->path, &r->parts, r->tables, m->scene, sim, true);
  }
  if (!e) e = ssi_run_parts_mark_joined(ctx, &r->parts);
  if (!e) ssi_run_parts_remove(&r->parts);
  ss_simulation_destroy(sim);
  return e;
}

ss_error crowd_run_finish(crowd_run *r) {
  if (r->complete) return SS_OK;
  if (r->m->now.step != r->last_frame) SS_TRY(crowd_run_collect(r, NULL, true));
  SS_TRY(crowd_run_save(r));
  double since = crowd_cpu_s(r->m, -1, 0);
  ss_error e = agree_as_first(r, r->m->c->rank ? SS_OK : join(r));
  crowd_cpu_s(r->m, CROWD_WRITE, since);
  return e;
}

// ---- beginning -----------------------------------------------------------------------------

// What rank 0 finds: where to go back to, or nowhere.
typedef struct finding {
  int parts;  // that are there
  int from;   // 0: nowhere, 1: the last part, 2: the finished run
  int64_t last_frame;
} finding;

static ss_error fits(const crowd_run *r, const char *file, int64_t *last_frame) {
  ss_context *ctx = r->m->c->ctx;
  ssi_run_part part;
  ss_error e = ssi_run_part_open(&part, ctx, file);
  if (!e && strcmp(part.scene_text, r->scene_text) != 0)
    e = ssi_fail(ctx, SS_ERR_DATA, "%s: is a run of another scene; nothing was changed", file);
  if (!e && (part.counts.certified || part.counts.clocked != r->counts.clocked))
    e = ssi_fail(ctx, SS_ERR_DATA, "%s: is a run %s; nothing was changed", file,
                 part.counts.certified ? "with margins of criterion (A)"
                 : r->counts.clocked   ? "without times of computing (--clock)"
                                       : "with times of computing (--clock)");
  if (!e) *last_frame = part.last_frame;
  ssi_run_part_close(&part);
  return e;
}

static bool holds_something(const char *path) {
  struct stat st;
  return stat(path, &st) == 0 && st.st_size > 0;
}

static ss_error look(crowd_run *r, ss_run_mode mode, finding *f) {
  ss_context *ctx = r->m->c->ctx;
  bool there = holds_something(r->path);
  if (r->parts.joined) ssi_run_parts_remove(&r->parts);  // a removal that was cut short
  if (r->parts.count > 0 && mode == SS_RUN_NEW)
    return ssi_fail(ctx, SS_ERR_WRITE,
                    "%s: holds %d parts of an unfinished run; resume it, or overwrite it",
                    r->parts.folder, r->parts.count);
  if (r->parts.count > 0 && mode == SS_RUN_RESUME) {
    f->from = 1;
    return fits(r, ssi_run_parts_name(&r->parts, r->parts.count - 1), &f->last_frame);
  }
  if (there && mode == SS_RUN_RESUME) {
    f->from = 2;
    if (!ss_run_is_run(r->path))
      return ssi_fail(ctx, SS_ERR_DATA, "%s: is no run; nothing was changed", r->path);
    return fits(r, r->path, &f->last_frame);
  }
  if (there && mode == SS_RUN_NEW)
    return ssi_fail(ctx, SS_ERR_WRITE, "%s: %s; overwrite it, or choose another name", r->path,
                    ss_run_is_run(r->path) ? "holds a finished run"
                                           : "is there already, and is no run");
  ssi_run_parts_remove(&r->parts);
  return ssi_run_parts_make(ctx, &r->parts);  // finds out early that it cannot be written
}

// A finished run whose duration is longer now; without the frame that only its end had saved.
static ss_error extend(crowd_run *r) {
  r->complete = r->m->now.end != 0;
  if (r->complete) return SS_OK;
  int64_t beyond = r->last_frame % frame_period(r);
  r->last_frame -= beyond;
  ss_error e = SS_OK;
  if (r->m->c->rank == 0) {
    e = ssi_run_parts_make(r->m->c->ctx, &r->parts);
    if (!e) e = ssi_run_reopen(r->m->c->ctx, r->path, &r->parts, r->tables, beyond > 0, true);
  }
  r->parts.count = 1;
  return agree_as_first(r, e);
}

static ss_error start(crowd_run *r, ss_run_mode mode) {
  const ranks *c = r->m->c;
  finding f = {.last_frame = -1};
  ss_error e = c->rank ? SS_OK : look(r, mode, &f);
  f.parts = r->parts.count;
  SS_TRY(agree_as_first(r, e));
  MPI_Bcast(&f, sizeof f, MPI_BYTE, 0, c->comm);
  r->parts.count = f.parts;
  r->last_frame = f.last_frame;
  if (!f.from) return crowd_run_collect(r, NULL, true);
  r->fresh = true;
  SS_TRY(crowd_checkpoint_load(r->m, f.from == 1 ? ssi_run_parts_name(&r->parts, r->parts.count - 1)
                                                 : r->path));
  return f.from == 2 ? extend(r) : SS_OK;
}

ss_error crowd_run_begin(crowd_run *r, crowd *m, const char *path, const char *scene_text,
                         ss_run_mode mode, double seconds, bool clocked) {
  const ranks *c = m->c;
  *r = (crowd_run){.m = m, .path = path, .scene_text = scene_text, .last_frame = -1};
  r->output = m->scene->output;
  r->seconds = seconds;
  r->saved_at = ssi_now_s();
  r->first = ranks_first(m->world.nb, c->size, c->rank);
  r->own = ranks_first(m->world.nb, c->size, c->rank + 1) - r->first;
  r->counts = (ssi_run_counts){
      .dim = m->world.dim, .bodies = m->world.nb, .externals = m->world.ne, .clocked = clocked};
  ssi_run_tables(&r->counts, r->tables);
  SS_TRY(ranks_agree(c, ssi_run_parts_find(c->ctx, path, &r->parts)));
  return start(r, mode);
}

void crowd_run_end(crowd_run *r) {
  if (!r->m) return;
  ss_context *ctx = r->m->c->ctx;
  ssi_run_tables_release(ctx, r->tables);
  ssi_run_parts_release(ctx, &r->parts);
  ssi_release(ctx, r->pose);
  ssi_release(ctx, r->velocity);
  ssi_release(ctx, r->contact);
  ssi_release(ctx, r->frame_contacts);
  *r = (crowd_run){0};
}
