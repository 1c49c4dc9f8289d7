// io/run_part.h - one run file, part or whole: its head and its tables. Private; needs HDF5.
#pragma once

#include "base/arena.h"
#include "io/hdf5_image.h"
#include "io/run_parts.h"
#include "io/run_table.h"

// ---- writing: what parts and whole runs have in common ----------------------------------------

void ssi_run_put_head(ssi_image *w, const ssi_run_counts *n, const char *scene_text,
                      int64_t last_frame);
void ssi_run_put_table(ssi_image *w,
                       const ssi_run_table *t);  // makes the group where it is missing

// ---- reading ----------------------------------------------------------------------------------

typedef struct ssi_run_part {
  ss_context *ctx;
  char *name;
  size_t size;  // of the file, in bytes
  hid_t file;
  ssi_arena arena;
  ssi_run_counts counts;
  const char *scene_text;
  const char *end;  // NULL: of a part
  int64_t last_frame;
  ssi_run_table tables[SSI_RUN_TABLE_COUNT];  // without rows in memory
  int64_t rows[SSI_RUN_TABLE_COUNT];
  hid_t sets
      [SSI_RUN_TABLE_COUNT];  // 0: not open yet. Open ones remember the chunk that was read last
  H5E_auto2_t printing;
  void *printing_data;
} ssi_run_part;

// Close in every case.
ss_error ssi_run_part_open(ssi_run_part *p, ss_context *ctx, const char *name);
void ssi_run_part_close(ssi_run_part *p);

ss_error ssi_run_part_rows(ssi_run_part *p, ssi_run_table_id id, int64_t from, int64_t count,
                           void *out);
// Forgets the last frame of the run, and its contacts.
ss_error ssi_run_part_drop_frame(ssi_run_part *p);
ss_error ssi_run_part_checkpoint(ssi_run_part *p, ssi_arena *arena, const void **bytes,
                                 size_t *size);

// ---- all parts of a run into one file (run_join.c) ---------------------------------------------

// Writes PATH aside, syncs, renames; the parts are left alone. The simulation is at its end. here: in this process, not
// in a child.
ss_error ssi_run_join(ss_context *ctx, const char *path, ssi_run_parts *parts,
                      const ssi_run_table tables[SSI_RUN_TABLE_COUNT], const ss_scene *scene,
                      const ss_simulation *sim, bool here);

// The other way round, for a run that goes on: PATH, perhaps without its last frame, becomes the first part.
ss_error ssi_run_reopen(ss_context *ctx, const char *path, ssi_run_parts *parts,
                        const ssi_run_table tables[SSI_RUN_TABLE_COUNT], bool drop_frame,
                        bool here);
