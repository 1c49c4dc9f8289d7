// io/run_table.c - see run_table.h.
#include "io/run_table.h"

#include <string.h>

#include "base/arena.h"

hid_t ssi_run_stored(ssi_run_type t) {
  const hid_t types[] = {[SSI_RUN_DOUBLE] = H5T_IEEE_F64LE,
                         [SSI_RUN_INT] = H5T_STD_I32LE,
                         [SSI_RUN_INT64] = H5T_STD_I64LE,
                         [SSI_RUN_UINT64] = H5T_STD_U64LE};
  return types[t];
}

hid_t ssi_run_native(ssi_run_type t) {
  const hid_t types[] = {[SSI_RUN_DOUBLE] = H5T_NATIVE_DOUBLE,
                         [SSI_RUN_INT] = H5T_NATIVE_INT32,
                         [SSI_RUN_INT64] = H5T_NATIVE_INT64,
                         [SSI_RUN_UINT64] = H5T_NATIVE_UINT64};
  return types[t];
}

size_t ssi_run_size(ssi_run_type t) {
  return t == SSI_RUN_INT ? sizeof(int32_t) : sizeof(int64_t);
}

void ssi_run_tables(const ssi_run_counts *n, ssi_run_table tables[SSI_RUN_TABLE_COUNT]) {
  // SPRUNG: one, where there are elements; CLOCKED, CERTIFIED: where times, or criterion (A), were asked of every step
  enum { ONE, SPRUNG, CLOCKED, CERTIFIED, BODIES, EXTERNALS, JOINTS, ELEMENTS, MOVING };
  const int counts[] = {[ONE] = 1,
                        [SPRUNG] = n->elements > 0,
                        [CLOCKED] = n->clocked > 0,
                        [CERTIFIED] = n->certified > 0,
                        [BODIES] = n->bodies,
                        [EXTERNALS] = n->externals,
                        [JOINTS] = n->joints,
                        [ELEMENTS] = n->elements,
                        [MOVING] = n->moving};
#define TABLE(id, g, m, t, c, w)                                                                   \
  tables[SSI_##id] = (ssi_run_table){.group = (g),                                                 \
                                     .name = (m),                                                  \
                                     .type = SSI_RUN_##t,                                          \
                                     .count = (hsize_t)counts[c],                                  \
                                     .width = (w),                                                 \
                                     .per_object = (c) > CERTIFIED};
  SSI_RUN_TABLES(TABLE)
#undef TABLE
  for (int k = 0; k < SSI_RUN_TABLE_COUNT; k++)
    tables[k].row_bytes = tables[k].count * tables[k].width * ssi_run_size(tables[k].type);
}

int ssi_run_dims(const ssi_run_table *t, hsize_t rows, hsize_t dims[3]) {
  int rank = 0;
  dims[rank++] = rows;
  if (t->per_object) dims[rank++] = t->count;
  if (t->width > 1) dims[rank++] = t->width;
  return rank;
}

void *ssi_run_row(ss_context *ctx, ssi_run_table *t) {
  if (!ssi_grow(ctx, &t->rows, &t->room, t->used + t->row_bytes, t->used, 1)) return NULL;
  void *row = t->rows + t->used;
  t->used += t->row_bytes;
  return row;
}

bool ssi_run_add(ss_context *ctx, ssi_run_table *t, const void *row) {
  if (t->row_bytes == 0) return true;
  void *room = ssi_run_row(ctx, t);
  if (room) memcpy(room, row, t->row_bytes);
  return room;
}

bool ssi_run_add_step(ss_context *ctx, ssi_run_table tables[SSI_RUN_TABLE_COUNT],
                      const ss_energy *e, const ss_step_info *i) {
  const struct {
    ssi_run_table_id id;
    double value;
  } numbers[] = {
      {SSI_STEP_TIME, i->time},
      {SSI_STEP_H, i->h},
      {SSI_STEP_ERROR, i->error},
      {SSI_STEP_PENETRATION, i->penetration},
      {SSI_STEP_SPEED, i->speed},
      {SSI_STEP_KINETIC, e->kinetic},
      {SSI_STEP_POTENTIAL, e->potential},
      {SSI_STEP_WORK_CONTACT, e->contact},
      {SSI_STEP_WORK_EXTERNAL, e->external},
      {SSI_STEP_WORK_CORRECTION, e->correction},
      {SSI_STEP_WORK_INTEGRATOR, e->integrator},
      {SSI_STEP_WORK_JOINT, e->joint},
      {SSI_STEP_ELASTIC, e->elastic},
      {SSI_STEP_MARGIN, i->margin},
      {SSI_STEP_WORK_ELEMENT, e->element},
      {SSI_STEP_CLOCK_SOLVE, i->time_solve_s},
      {SSI_STEP_CLOCK_DETECT, i->time_detect_s},
      {SSI_STEP_CLOCK_STEP, i->time_s},
  };
  const struct {
    ssi_run_table_id id;
    int32_t value;
  } counts[] = {
      {SSI_STEP_CONTACTS, i->contacts},   {SSI_STEP_ACTIVE, i->active},
      {SSI_STEP_SOLVES, i->solves},       {SSI_STEP_ITERATIONS, i->iterations},
      {SSI_STEP_PARTS, i->parts},         {SSI_STEP_UNSOLVED, i->unsolved},
      {SSI_STEP_CRITERION, i->criterion},
  };
  for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
    if (!ssi_run_add(ctx, &tables[numbers[k].id], &numbers[k].value)) return false;
  for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
    if (!ssi_run_add(ctx, &tables[counts[k].id], &counts[k].value)) return false;
  return true;
}

void ssi_run_tables_release(ss_context *ctx, ssi_run_table tables[SSI_RUN_TABLE_COUNT]) {
  for (int k = 0; k < SSI_RUN_TABLE_COUNT; k++) ssi_release(ctx, tables[k].rows);
}
