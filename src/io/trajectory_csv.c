// A trajectory as text: FILE.csv has one line per row, FILE-events.csv one per event, each below one line of names.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "io/reader.h"
#include "io/trajectory.h"

// Nothing where there is no number: readers take an empty field for a missing one.
static void put(ssi_output *o, double x) {
  if (!isnan(x)) ssi_output_number(o, x);
}

static void put_rows(ssi_output *o, const ss_trajectory *t) {
  for (int k = 0; k < t->columns; k++) ssi_output_text(o, k ? ",%s" : "%s", t->column[k].name);
  ssi_output_text(o, "\n");
  for (int64_t i = 0; i < t->rows; i++) {
    const double *row = ss_trajectory_row(t, i);
    for (int k = 0; k < t->columns; k++) {
      if (k) ssi_output_text(o, ",");
      if (t->column[k].kind == SS_COLUMN_MODE)
        ssi_output_text(o, "%s", ss_mode_name(t->m->dim, (ss_mode)row[k]));
      else
        put(o, row[k]);
    }
    ssi_output_text(o, "\n");
  }
}

static ss_error put_events(ss_context *ctx, ssi_output *o, const ss_trajectory *t,
                           const ss_evolution *e) {
  ssi_arena arena = {.ctx = ctx};
  double *state = SSI_TAKE(&arena, t->states, double);
  if (!state) return ssi_fail(ctx, SS_ERR_MEMORY, "no memory for events");
  ssi_output_text(o, "time,kind,contact,from,to");
  for (int k = 0; k < t->states; k++) ssi_output_text(o, ",%s", t->column[1 + k].name);
  ssi_output_text(o, "\n");
  ss_event x;
  for (int i = 0; i < ss_evolution_event_count(e); i++) {
    if (ss_evolution_event(e, i, &x) || x.kind == SS_EVENT_START) continue;
    ssi_output_number(o, x.time);
    ssi_output_text(o, ",%s,%d,%s,%s", ss_event_kind_name(x.kind), x.contact,
                    ss_mode_name(t->m->dim, x.from), ss_mode_name(t->m->dim, x.to));
    ss_trajectory_order(t, x.q, x.v, state);
    for (int k = 0; k < t->states; k++) {
      ssi_output_text(o, ",");
      put(o, state[k]);
    }
    ssi_output_text(o, "\n");
  }
  ssi_arena_release(&arena);
  return SS_OK;
}

// FILE-events.csv
static char *beside(ssi_arena *arena, const char *path) {
  const char *ending = ".csv";
  size_t stem = strlen(path) - strlen(ending), room = strlen(path) + 16;
  char *name = SSI_TAKE(arena, room, char);
  if (name) snprintf(name, room, "%.*s-events%s", (int)stem, path, ending);
  return name;
}

// Both files are complete before either takes its name.
ss_error ssi_trajectory_csv(ss_context *ctx, const char *path, const ss_trajectory *t,
                            const ss_evolution *e) {
  ssi_arena arena = {.ctx = ctx};
  ssi_output *rows = NULL, *events = NULL;
  ssi_aside first = {0}, second = {0};
  char *name = beside(&arena, path);
  ss_error error = name ? SS_OK : ssi_fail(ctx, SS_ERR_MEMORY, "%s: no memory", path);
  if (!error) error = ssi_output_begin(ctx, path, &rows);
  if (!error) error = ssi_output_begin(ctx, name, &events);
  if (!error) put_rows(rows, t);
  if (!error) error = put_events(ctx, events, t, e);
  if (error) {
    ssi_output_abandon(rows), ssi_output_abandon(events);
  } else {
    error = ssi_output_close(ctx, rows, &first);
    ss_error other = ssi_output_close(ctx, events, &second);
    if (!error) error = other;
    if (!error)
      error = ssi_aside_commit(ctx, &second);
    else
      ssi_aside_abandon(ctx, &second);
    if (!error)
      error = ssi_aside_commit(ctx, &first);
    else
      ssi_aside_abandon(ctx, &first);
  }
  ssi_arena_release(&arena);
  return error;
}
