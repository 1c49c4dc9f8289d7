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

void ssi_run_tables_release(ss_context *ctx, ssi_run_table tables[SSI_RUN_TABLE_COUNT]) {
  for (int k = 0; k < SSI_RUN_TABLE_COUNT; k++) ssi_release(ctx, tables[k].rows);
}
