// Writes run files (docs/formats-run.md): rows are collected in memory and saved as parts.
#define _POSIX_C_SOURCE 200809L
#include "base/error.h"
#include "io/reader.h"
#include "stickslip/run.h"

ss_run_options ss_run_options_default(void) {
  return (ss_run_options){.seconds = 1};
}

#include <string.h>
#include <sys/stat.h>

#include "base/timer.h"
#include "io/hdf5_image.h"
#include "io/run_part.h"
#include "io/run_parts.h"
#include "io/run_table.h"

enum { DEFAULT_BYTES = 32 << 20 };

struct ss_run_writer {
  ss_context *ctx;
  char *path, *scene_text;
  ssi_run_parts parts;
  ssi_run_table tables[SSI_RUN_TABLE_COUNT];
  ssi_run_counts counts;
  const ss_scene *scene;  // the simulation's
  ss_output output;
  ss_run_options options;
  double saved_at;     // by the clock
  int64_t last_frame;  // step of the last frame; -1: none
  bool fresh;          // nothing since the last part
  bool complete;       // the run that was resumed has nothing to go on with
};

// ---- rows ----------------------------------------------------------------------------------

static bool put(ss_run_writer *w, ssi_run_table_id id, const void *row) {
  return ssi_run_add(w->ctx, &w->tables[id], row);
}

static bool put_number(ss_run_writer *w, ssi_run_table_id id, double x) {
  return put(w, id, &x);
}

static bool put_int(ss_run_writer *w, ssi_run_table_id id, int x) {
  return put(w, id, &(int32_t){x});
}

static bool put_step(ss_run_writer *w, const ss_simulation *sim, const ss_step_info *i) {
  ss_energy e;
  ss_simulation_energy(sim, &e);
  return ssi_run_add_step(w->ctx, w->tables, &e, i);
}

static bool put_contact(ss_run_writer *w, const ss_sim_contact *c) {
  return put(w, SSI_CONTACT_BODY, (int32_t[]){c->a, c->b}) && put(w, SSI_CONTACT_KEY, &c->key) &&
         put(w, SSI_CONTACT_POINT, c->point) && put(w, SSI_CONTACT_NORMAL, c->normal) &&
         put(w, SSI_CONTACT_GAP, &c->gap) && put(w, SSI_CONTACT_IMPULSE, c->impulse) &&
         put(w, SSI_CONTACT_VELOCITY, c->velocity) && put_int(w, SSI_CONTACT_STATE, (int)c->state);
}

static bool put_poses(ss_run_writer *w, ssi_run_table_id id, const ss_pose *pose, int count) {
  if (count == 0) return true;
  double *row = ssi_run_row(w->ctx, &w->tables[id]);
  for (int k = 0; row && k < count; k++) {
    memcpy(row + 7 * k, pose[k].x, sizeof pose[k].x);
    memcpy(row + 7 * k + 3, pose[k].q, sizeof pose[k].q);
  }
  return row;
}

static bool put_velocities(ss_run_writer *w, const ss_sim_state *s) {
  if (s->body_count == 0) return true;
  double *row = ssi_run_row(w->ctx, &w->tables[SSI_FRAME_VELOCITY]);
  for (int k = 0; row && k < s->body_count; k++) {
    memcpy(row + 6 * k, s->velocity + 3 * k, 3 * sizeof *row);
    memcpy(row + 6 * k + 3, s->spin + 3 * k, 3 * sizeof *row);
  }
  return row;
}

static bool put_frame(ss_run_writer *w, const ss_sim_state *s) {
  int contacts = w->output.contacts ? s->contact_count : 0;
  bool ok = put(w, SSI_FRAME_STEP, &s->step) && put_number(w, SSI_FRAME_TIME, s->time) &&
            put_int(w, SSI_FRAME_CONTACTS, contacts) &&
            put_poses(w, SSI_FRAME_POSE, s->pose, s->body_count) && put_velocities(w, s) &&
            put_poses(w, SSI_FRAME_EXTERNAL, s->external_pose, s->external_count) &&
            put(w, SSI_FRAME_JOINT, s->joint_impulse) &&
            put(w, SSI_FRAME_MOTION, s->joint_motion) &&
            put(w, SSI_FRAME_ELEMENT, s->element_force);
  for (int k = 0; ok && k < contacts; k++) ok = put_contact(w, &s->contacts[k]);
  return ok;
}

// All rows of one step, or none: a table that lacks a row would shift everything after it.
static ss_error collect(ss_run_writer *w, ss_simulation *sim, const ss_step_info *info,
                        bool frame) {
  size_t used[SSI_RUN_TABLE_COUNT];
  for (int k = 0; k < SSI_RUN_TABLE_COUNT; k++) used[k] = w->tables[k].used;
  ss_sim_state s;
  ss_simulation_state(sim, &s);
  if ((!info || put_step(w, sim, info)) && (!frame || put_frame(w, &s))) {
    if (frame) w->last_frame = s.step;
    w->fresh = false;
    return SS_OK;
  }
  for (int k = 0; k < SSI_RUN_TABLE_COUNT; k++) w->tables[k].used = used[k];
  return ssi_fail(w->ctx, SS_ERR_MEMORY, "%s: no memory for the rows of a step", w->path);
}

// ---- parts ---------------------------------------------------------------------------------

static ss_error write_part(ss_run_writer *w, const char *name, const void *checkpoint,
                           size_t size) {
  ssi_aside a;
  ssi_image image;
  SS_TRY(ssi_aside_begin(w->ctx, name, &a));
  ssi_image_begin(&image, w->ctx, a.path, name);
  ssi_run_put_head(&image, &w->counts, w->scene_text, w->last_frame);
  for (int k = 0; k < SSI_RUN_TABLE_COUNT; k++) ssi_run_put_table(&image, &w->tables[k]);
  hsize_t length = size;
  ssi_image_put(&image, image.file, "checkpoint", H5T_STD_U8LE, H5T_NATIVE_UCHAR, 1, &length,
                checkpoint);
  ssi_image_save(&image);
  ss_error e = ssi_image_end(&image);
  if (!e) return ssi_aside_commit(w->ctx, &a);
  ssi_aside_abandon(w->ctx, &a);
  return e;
}

ss_error ss_run_save(ss_run_writer *w, ss_simulation *sim) {
  if (!w || !sim) return ssi_missing(NULL, "ss_run_save");
  if (w->fresh) return SS_OK;
  const void *bytes;
  size_t size;
  w->saved_at = ssi_now_s();  // also after a failure: no attempt at every step
  SS_TRY(ss_simulation_save(sim, &bytes, &size));
  SS_TRY(ssi_run_parts_make(w->ctx, &w->parts));
  SS_TRY(write_part(w, ssi_run_parts_name(&w->parts, w->parts.count), bytes, size));
  w->parts.count++;
  for (int k = 0; k < SSI_RUN_TABLE_COUNT; k++) w->tables[k].used = 0;
  w->fresh = true;
  return SS_OK;
}

static bool is_due(const ss_run_writer *w) {
  size_t used = 0, most = w->options.bytes ? w->options.bytes : DEFAULT_BYTES;
  for (int k = 0; k < SSI_RUN_TABLE_COUNT; k++) used += w->tables[k].used;
  return used >= most ||
         (w->options.seconds > 0 && ssi_now_s() - w->saved_at >= w->options.seconds);
}

ss_error ss_run_append(ss_run_writer *w, ss_simulation *sim, const ss_step_info *info) {
  if (!w || !sim) return ssi_missing(NULL, "ss_run_append");
  ss_sim_state s;
  ss_simulation_state(sim, &s);
  int every = w->output.every > 0 ? w->output.every : 1;
  SS_TRY(collect(w, sim, info, s.step % every == 0));
  return is_due(w) ? ss_run_save(w, sim) : SS_OK;
}

ss_error ss_run_finish(ss_run_writer *w, ss_simulation *sim) {
  if (!w || !sim) return ssi_missing(NULL, "ss_run_finish");
  if (w->complete) return SS_OK;
  ss_sim_state s;
  ss_simulation_state(sim, &s);
  if (s.step != w->last_frame) SS_TRY(collect(w, sim, NULL, true));
  SS_TRY(ss_run_save(w, sim));
  SS_TRY(ssi_run_join(w->ctx, w->path, &w->parts, w->tables, w->scene, sim, false));
  SS_TRY(ssi_run_parts_mark_joined(w->ctx, &w->parts));
  ssi_run_parts_remove(&w->parts);
  return SS_OK;
}

// ---- beginning -----------------------------------------------------------------------------

// Back to the checkpoint of a file, and to what the writer knew then.
static ss_error go_back(ss_run_writer *w, ss_simulation *sim, const char *file) {
  ssi_arena scratch = {.ctx = w->ctx};
  ssi_run_part part;
  ss_error e = ssi_run_part_open(&part, w->ctx, file);
  const void *bytes = NULL;
  size_t size = 0;
  if (!e) e = ssi_run_part_checkpoint(&part, &scratch, &bytes, &size);
  if (!e && strcmp(part.scene_text, w->scene_text) != 0)
    e = ssi_fail(w->ctx, SS_ERR_DATA, "%s: is a run of another scene; nothing was changed", file);
  if (!e && part.counts.certified != w->counts.certified)
    e = ssi_fail(w->ctx, SS_ERR_DATA,
                 "%s: is a run %s margins of criterion (A); nothing was changed", file,
                 part.counts.certified ? "with" : "without");
  if (!e && part.counts.clocked != w->counts.clocked)
    e = ssi_fail(w->ctx, SS_ERR_DATA,
                 "%s: is a run %s times of computing (--clock); nothing was changed", file,
                 part.counts.clocked ? "with" : "without");
  if (!e) e = ss_simulation_load(sim, bytes, size);
  if (!e) w->last_frame = part.last_frame;
  w->fresh = true;
  ssi_run_part_close(&part);
  ssi_arena_release(&scratch);
  return e;
}

// A run that has ended goes on where its end allows it now, as a longer duration does. The frame that only its end
// had saved is not one of the longer run.
static ss_error extend(ss_run_writer *w, ss_simulation *sim) {
  if (!ss_run_is_run(w->path))
    return ssi_fail(w->ctx, SS_ERR_DATA, "%s: is no run; nothing was changed", w->path);
  SS_TRY(go_back(w, sim, w->path));
  w->complete = ss_simulation_done(sim);
  if (w->complete) return SS_OK;
  int every = w->output.every > 0 ? w->output.every : 1;
  int64_t beyond = w->last_frame % every;
  w->last_frame -= beyond;
  SS_TRY(ssi_run_parts_make(w->ctx, &w->parts));
  return ssi_run_reopen(w->ctx, w->path, &w->parts, w->tables, beyond > 0, false);
}

// As precious as an unfinished one. An empty file is what mktemp makes.
static bool holds_something(const char *path) {
  struct stat st;
  return stat(path, &st) == 0 && st.st_size > 0;
}

static ss_error in_the_way(const ss_run_writer *w) {
  bool run = ss_run_is_run(w->path);
  return ssi_fail(w->ctx, SS_ERR_WRITE, "%s: %s; %soverwrite it, or choose another name", w->path,
                  run ? "holds a finished run" : "is there already, and is no run",
                  run ? "extend it by resuming, " : "");
}

static ss_error start(ss_run_writer *w, ss_simulation *sim) {
  if (w->parts.joined) ssi_run_parts_remove(&w->parts);  // a removal that was cut short
  if (w->parts.count > 0 && w->options.mode == SS_RUN_NEW)
    return ssi_fail(w->ctx, SS_ERR_WRITE,
                    "%s: holds %d parts of an unfinished run; resume it, or overwrite it",
                    w->parts.folder, w->parts.count);
  if (w->parts.count > 0 && w->options.mode == SS_RUN_RESUME)
    return go_back(w, sim, ssi_run_parts_name(&w->parts, w->parts.count - 1));
  bool there = holds_something(w->path);
  if (there && w->options.mode == SS_RUN_RESUME) return extend(w, sim);
  if (there && w->options.mode == SS_RUN_NEW) return in_the_way(w);
  ssi_run_parts_remove(&w->parts);
  SS_TRY(ssi_run_parts_make(w->ctx, &w->parts));  // finds out early that it cannot be written
  return collect(w, sim, NULL, true);
}

static char *copy_text(ss_context *ctx, const char *text) {
  size_t size = strlen(text) + 1;
  char *copy = ssi_alloc(ctx, size, 1);
  return copy ? memcpy(copy, text, size) : NULL;
}

ss_error ss_run_begin(ss_context *ctx, const char *path, const ss_scene *scene,
                      const char *scene_text, ss_simulation *sim, const ss_run_options *o,
                      ss_run_writer **out) {
  if (!path || !scene || !scene_text || !sim || !out) return ssi_missing(ctx, "ss_run_begin");
  *out = NULL;
  ss_run_writer *w = ssi_alloc(ctx, 1, sizeof *w);
  if (!w) return ssi_fail(ctx, SS_ERR_MEMORY, "%s: no memory", path);
  ss_sim_state s;
  ss_simulation_state(sim, &s);
  *w = (ss_run_writer){.ctx = ctx, .scene = scene, .output = scene->output, .last_frame = -1};
  w->options = o ? *o : ss_run_options_default();
  w->saved_at = ssi_now_s();
  w->counts = (ssi_run_counts){.dim = s.dim,
                               .bodies = s.body_count,
                               .externals = s.external_count,
                               .joints = s.joint_count,
                               .elements = s.element_count,
                               .certified = w->options.certified,
                               .clocked = w->options.clocked,
                               .moving = s.joint_count};
  ssi_run_tables(&w->counts, w->tables);
  w->path = copy_text(ctx, path);
  w->scene_text = copy_text(ctx, scene_text);
  ss_error e =
      w->path && w->scene_text ? SS_OK : ssi_fail(ctx, SS_ERR_MEMORY, "%s: no memory", path);
  if (!e) e = ssi_run_parts_find(ctx, path, &w->parts);
  if (!e) e = start(w, sim);
  if (e)
    ss_run_end(w);
  else
    *out = w;
  return e;
}

void ss_run_end(ss_run_writer *w) {
  if (!w) return;
  ssi_run_tables_release(w->ctx, w->tables);
  ssi_run_parts_release(w->ctx, &w->parts);
  ssi_release(w->ctx, w->path);
  ssi_release(w->ctx, w->scene_text);
  ssi_release(w->ctx, w);
}
