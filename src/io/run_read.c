// Reads run files: a finished one, or the parts of one that is not, as if they were one.
#define _POSIX_C_SOURCE 200809L
#include "base/error.h"
#include "io/reader.h"
#include "stickslip/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "io/run_part.h"
#include "io/run_parts.h"

struct ss_run {
  ss_context *ctx;
  ssi_arena arena;
  ssi_run_parts folder;
  char *path;
  int part_count;  // 1 for a finished run
  bool finished;
  int64_t (*first)[SSI_RUN_TABLE_COUNT];  // rows before each part         (part_count + 1)
  int64_t *contacts_before;               // of each frame                 (frames + 1)
  int current;                            // part that is open; -1: none
  ssi_run_part part;
  ssi_run_counts counts;
  char *scene_text, *end;                   // end: NULL while it is not finished
  ssi_run_table rows[SSI_RUN_TABLE_COUNT];  // the rows of the frame read last
  ss_pose *pose, *external_pose;            // of that frame
  ss_sim_contact *contacts;
  size_t contact_room;
};

static bool is_file(const char *path) {
  struct stat st;
  return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static const char *part_name(ss_run *run, int k) {
  return run->finished ? run->path : ssi_run_parts_name(&run->folder, k);
}

static ss_error go_to(ss_run *run, int part) {
  if (run->current == part) return SS_OK;
  if (run->current >= 0) ssi_run_part_close(&run->part);
  run->current = -1;
  ss_error e = ssi_run_part_open(&run->part, run->ctx, part_name(run, part));
  if (e)
    ssi_run_part_close(&run->part);
  else
    run->current = part;
  return e;
}

static ss_error no_memory(ss_run *run) {
  return ssi_fail(run->ctx, SS_ERR_MEMORY, "%s: no memory", run->path ? run->path : "run");
}

// Rows [from, from + count) of the whole run.
static ss_error read_rows(ss_run *run, ssi_run_table_id id, int64_t from, int64_t count,
                          void *out) {
  char *at = out;
  for (int k = 0; count > 0 && k < run->part_count; k++) {
    int64_t begin = run->first[k][id], end = run->first[k + 1][id];
    if (from >= end) continue;
    int64_t here = end - from < count ? end - from : count;
    SS_TRY(go_to(run, k));
    SS_TRY(ssi_run_part_rows(&run->part, id, from - begin, here, at));
    at += (size_t)here * run->rows[id].row_bytes;
    from += here, count -= here;
  }
  if (count == 0) return SS_OK;
  return ssi_fail(run->ctx, SS_ERR_ARGUMENT, "%s: has no row %lld of %s/%s", run->path,
                  (long long)from, run->rows[id].group, run->rows[id].name);
}

// ---- opening -------------------------------------------------------------------------------

static char *keep(ss_run *run, const char *text) {
  char *copy = ssi_arena_take(&run->arena, strlen(text) + 1, 1);
  return copy ? memcpy(copy, text, strlen(text)) : NULL;
}

static ss_error agree(ss_run *run, int part) {
  const ssi_run_part *p = &run->part;
  if (part == 0) {
    run->counts = p->counts;
    run->scene_text = keep(run, p->scene_text);
    run->end = run->finished && p->end ? keep(run, p->end) : NULL;
    if (run->arena.failed) return no_memory(run);
    ssi_run_tables(&run->counts, run->rows);
  }
  if (memcmp(&run->counts, &p->counts, sizeof run->counts) != 0 ||
      strcmp(run->scene_text, p->scene_text) != 0)
    return ssi_fail(run->ctx, SS_ERR_FORMAT, "%s: is of another run than the part before it",
                    p->name);
  return SS_OK;
}

static ss_error survey(ss_run *run) {
  run->first = ssi_arena_take(&run->arena, (size_t)run->part_count + 1, sizeof run->first[0]);
  if (!run->first) return no_memory(run);
  for (int k = 0; k < run->part_count; k++) {
    SS_TRY(go_to(run, k));
    SS_TRY(agree(run, k));
    for (int id = 0; id < SSI_RUN_TABLE_COUNT; id++)
      run->first[k + 1][id] = run->first[k][id] + run->part.rows[id];
  }
  return SS_OK;
}

static int64_t total(const ss_run *run, ssi_run_table_id id) {
  return run->first[run->part_count][id];
}

static ss_error count_contacts(ss_run *run) {
  int64_t frames = total(run, SSI_FRAME_CONTACTS);
  int32_t *count = SSI_TAKE(&run->arena, frames, int32_t);
  run->contacts_before = SSI_TAKE(&run->arena, frames + 1, int64_t);
  if (run->arena.failed) return no_memory(run);
  SS_TRY(read_rows(run, SSI_FRAME_CONTACTS, 0, frames, count));
  for (int64_t k = 0; k < frames; k++) {
    if (count[k] < 0)
      return ssi_fail(run->ctx, SS_ERR_FORMAT, "%s: /frames/contacts: %d in frame %lld", run->path,
                      (int)count[k], (long long)k);
    run->contacts_before[k + 1] = run->contacts_before[k] + count[k];
  }
  if (run->contacts_before[frames] == total(run, SSI_CONTACT_GAP)) return SS_OK;
  return ssi_fail(run->ctx, SS_ERR_FORMAT, "%s: /contacts: %lld rows, expected %lld", run->path,
                  (long long)total(run, SSI_CONTACT_GAP), (long long)run->contacts_before[frames]);
}

static ss_error open_run(ss_run *run, const char *path) {
  run->path = ssi_arena_take(&run->arena, strlen(path) + 1, 1);
  if (!run->path) return no_memory(run);
  memcpy(run->path, path, strlen(path));
  SS_TRY(ssi_run_parts_find(run->ctx, path, &run->folder));
  run->finished = run->folder.joined || run->folder.count == 0;
  run->part_count = run->finished ? 1 : run->folder.count;
  if (run->finished && !is_file(path))
    return ssi_fail(run->ctx, SS_ERR_READ, "%s: no such run%s", path,
                    run->folder.exists ? "; it has begun, but nothing is saved yet" : "");
  SS_TRY(survey(run));
  SS_TRY(count_contacts(run));
  run->pose = SSI_TAKE(&run->arena, run->counts.bodies, ss_pose);
  run->external_pose = SSI_TAKE(&run->arena, run->counts.externals, ss_pose);
  return run->arena.failed ? no_memory(run) : SS_OK;
}

ss_error ss_run_open(ss_context *ctx, const char *path, ss_run **out) {
  if (!path || !out) return ssi_missing(ctx, "ss_run_open");
  *out = NULL;
  ss_run *run = ssi_alloc(ctx, 1, sizeof *run);
  if (!run) return ssi_fail(ctx, SS_ERR_MEMORY, "%s: no memory", path);
  *run = (ss_run){.ctx = ctx, .arena = {.ctx = ctx}, .current = -1};
  ss_error e = open_run(run, path);
  if (e)
    ss_run_close(run);
  else
    *out = run;
  return e;
}

void ss_run_close(ss_run *run) {
  if (!run) return;
  if (run->current >= 0) ssi_run_part_close(&run->part);
  ssi_run_tables_release(run->ctx, run->rows);
  ssi_release(run->ctx, run->contacts);
  ssi_run_parts_release(run->ctx, &run->folder);
  ssi_arena_release(&run->arena);
  ssi_release(run->ctx, run);
}

ss_run_size ss_run_get_size(const ss_run *run) {
  if (!run) return (ss_run_size){0};
  return (ss_run_size){.dim = run->counts.dim,
                       .bodies = run->counts.bodies,
                       .externals = run->counts.externals,
                       .joints = run->counts.joints,
                       .elements = run->counts.elements,
                       .steps = total(run, SSI_STEP_TIME),
                       .frames = total(run, SSI_FRAME_TIME),
                       .contacts = total(run, SSI_CONTACT_GAP),
                       .finished = run->finished,
                       .scene_text = run->scene_text,
                       .end = run->end};
}

// ---- frames --------------------------------------------------------------------------------

// `count` rows into the run's own memory of that table, or NULL with the error.
static const void *fetch(ss_run *run, ssi_run_table_id id, int64_t from, int64_t count,
                         ss_error *e) {
  ssi_run_table *t = &run->rows[id];
  size_t bytes = (size_t)count * t->row_bytes;
  if (!*e && !ssi_grow(run->ctx, &t->rows, &t->room, bytes, 0, 1)) *e = no_memory(run);
  if (!*e) *e = read_rows(run, id, from, t->row_bytes ? count : 0, t->rows);
  return *e ? NULL : t->rows;
}

static ss_error fetch_poses(ss_run *run, ssi_run_table_id id, int64_t frame, int count,
                            ss_pose *out) {
  ss_error e = SS_OK;
  const double *rows = fetch(run, id, frame, 1, &e);
  for (int k = 0; !e && k < count; k++) {
    memcpy(out[k].x, rows + 7 * k, sizeof out[k].x);
    memcpy(out[k].q, rows + 7 * k + 3, sizeof out[k].q);
  }
  return e;
}

// Of a body with a body or an external object: a file may be damaged.
static ss_error check_pairs(const ss_run *run, const int32_t *body, int count) {
  const ssi_run_counts *n = &run->counts;
  for (int k = 0; k < count; k++) {
    int a = body[2 * k], b = body[2 * k + 1];
    if (a < 0 || a >= n->bodies || b >= n->bodies || b == SS_WORLD ||
        b <= SS_EXTERNAL - n->externals)
      return ssi_fail(run->ctx, SS_ERR_FORMAT, "%s: /contacts/body: %d and %d, which are not there",
                      run->path, a, b);
  }
  return SS_OK;
}

static ss_error fetch_contacts(ss_run *run, int64_t from, int count) {
  if (!ssi_grow(run->ctx, &run->contacts, &run->contact_room, (size_t)count, 0,
                sizeof *run->contacts))
    return no_memory(run);
  ss_error e = SS_OK;
  const int32_t *body = fetch(run, SSI_CONTACT_BODY, from, count, &e);
  const uint64_t *key = fetch(run, SSI_CONTACT_KEY, from, count, &e);
  const double *point = fetch(run, SSI_CONTACT_POINT, from, count, &e);
  const double *normal = fetch(run, SSI_CONTACT_NORMAL, from, count, &e);
  const double *gap = fetch(run, SSI_CONTACT_GAP, from, count, &e);
  const double *impulse = fetch(run, SSI_CONTACT_IMPULSE, from, count, &e);
  const double *velocity = fetch(run, SSI_CONTACT_VELOCITY, from, count, &e);
  const int32_t *state = fetch(run, SSI_CONTACT_STATE, from, count, &e);
  if (!e) e = check_pairs(run, body, count);
  for (int k = 0; !e && k < count; k++) {
    ss_sim_contact *c = &run->contacts[k];
    *c = (ss_sim_contact){.a = body[2 * k], .b = body[2 * k + 1], .key = key[k], .gap = gap[k]};
    memcpy(c->point, point + 3 * k, sizeof c->point);
    memcpy(c->normal, normal + 3 * k, sizeof c->normal);
    memcpy(c->impulse, impulse + 3 * k, sizeof c->impulse);
    memcpy(c->velocity, velocity + 3 * k, sizeof c->velocity);
    c->state = state[k] == SS_STICK ? SS_STICK : state[k] == SS_SLIP ? SS_SLIP : SS_FREE;
  }
  return e;
}

ss_error ss_run_read_frame(ss_run *run, int64_t frame, ss_run_frame *out) {
  if (!run || !out) return ssi_missing(NULL, "ss_run_read_frame");
  if (frame < 0 || frame >= total(run, SSI_FRAME_TIME))
    return ssi_fail(run->ctx, SS_ERR_ARGUMENT, "%s: frame %lld, expected 0 to %lld", run->path,
                    (long long)frame, (long long)total(run, SSI_FRAME_TIME) - 1);
  int64_t begin = run->contacts_before[frame];
  int count = (int)(run->contacts_before[frame + 1] - begin);
  *out = (ss_run_frame){.contact_count = count};
  SS_TRY(read_rows(run, SSI_FRAME_STEP, frame, 1, &out->step));
  SS_TRY(read_rows(run, SSI_FRAME_TIME, frame, 1, &out->time));
  if (out->step > 0) SS_TRY(read_rows(run, SSI_STEP_H, out->step - 1, 1, &out->h));
  SS_TRY(fetch_poses(run, SSI_FRAME_POSE, frame, run->counts.bodies, run->pose));
  SS_TRY(fetch_poses(run, SSI_FRAME_EXTERNAL, frame, run->counts.externals, run->external_pose));
  SS_TRY(fetch_contacts(run, begin, count));
  ss_error e = SS_OK;
  out->velocity = fetch(run, SSI_FRAME_VELOCITY, frame, 1, &e);
  out->joint_impulse = fetch(run, SSI_FRAME_JOINT, frame, 1, &e);
  out->joint_motion = run->counts.moving ? fetch(run, SSI_FRAME_MOTION, frame, 1, &e) : NULL;
  out->element_force = fetch(run, SSI_FRAME_ELEMENT, frame, 1, &e);
  out->pose = run->pose, out->external_pose = run->external_pose, out->contacts = run->contacts;
  return e;
}

ss_error ss_run_read_steps(ss_run *run, const char *column, double *x) {
  if (!run || !column || !x) return ssi_missing(NULL, "ss_run_read_steps");
  int64_t steps = total(run, SSI_STEP_TIME);
  for (int id = 0; id < SSI_RUN_TABLE_COUNT; id++) {
    const ssi_run_table *t = &run->rows[id];
    if (strcmp(t->group, "steps") != 0 || strcmp(t->name, column) != 0) continue;
    ss_error e = SS_OK;
    const void *rows = fetch(run, id, 0, steps, &e);
    if (t->row_bytes == 0) rows = NULL;  // a table that this run does not need: all zero
    for (int64_t k = 0; !e && k < steps; k++)
      x[k] = !rows                    ? 0
             : t->type == SSI_RUN_INT ? ((const int32_t *)rows)[k]
                                      : ((const double *)rows)[k];
    return e;
  }
  return ssi_fail(run->ctx, SS_ERR_ARGUMENT, "%s: /steps/%s: no such column", run->path, column);
}

// By its bytes, not by libhdf5, which damaged files may crash: the head of a run file comes first in it. No memory is
// asked for, so that a run is not taken for something else where there is none; pieces overlap by a word.
static bool has_signature(const char *path) {
  static const char word[] = "stickslip run";
  enum { HEAD = 1 << 16, WORD = sizeof word };
  FILE *f = fopen(path, "rb");
  char piece[4096 + WORD] = "";
  size_t kept = 0, seen = 0, size;
  bool found = false, hdf5 = true;
  while (f && !found && hdf5 && seen < HEAD && (size = fread(piece + kept, 1, 4096, f)) > 0) {
    if (seen == 0) hdf5 = ssi_is_hdf5(&(ssi_source){path, piece, size});
    for (size_t k = 0; hdf5 && !found && k + WORD <= kept + size; k++)
      found = memcmp(piece + k, word, WORD) == 0;
    seen += size, size += kept;
    kept = size < WORD ? size : WORD;
    memmove(piece, piece + size - kept, kept);
  }
  if (f) fclose(f);
  return found;
}

bool ss_run_is_run(const char *path) {
  if (!path) return false;
  return ssi_run_parts_unfinished(path) || (is_file(path) && has_signature(path));
}
