// io/run_table.h - the tables of a run file: what rows they have, and rows being collected. Private;
// needs HDF5.
#pragma once

#include <hdf5.h>

#include "stickslip/run.h"

typedef enum ssi_run_type {
  SSI_RUN_DOUBLE,
  SSI_RUN_INT,
  SSI_RUN_INT64,
  SSI_RUN_UINT64
} ssi_run_type;
hid_t ssi_run_stored(ssi_run_type t);  // in the file, little-endian
hid_t ssi_run_native(ssi_run_type t);
size_t ssi_run_size(ssi_run_type t);

// clang-format off
#define SSI_RUN_TABLES(TABLE)                                                                      \
  /*    id                 group       name            type    shape of a row: count x width   */  \
  TABLE(STEP_TIME,         "steps",    "time",         DOUBLE, ONE,       1)                       \
  TABLE(STEP_H,            "steps",    "h",            DOUBLE, ONE,       1)                       \
  TABLE(STEP_CONTACTS,     "steps",    "contacts",     INT,    ONE,       1)                       \
  TABLE(STEP_ACTIVE,       "steps",    "active",       INT,    ONE,       1)                       \
  TABLE(STEP_SOLVES,       "steps",    "solves",       INT,    ONE,       1)                       \
  TABLE(STEP_ITERATIONS,   "steps",    "iterations",   INT,    ONE,       1)                       \
  TABLE(STEP_PARTS,        "steps",    "parts",        INT,    ONE,       1)                       \
  TABLE(STEP_UNSOLVED,     "steps",    "unsolved",     INT,    ONE,       1)                       \
  TABLE(STEP_ERROR,        "steps",    "error",        DOUBLE, ONE,       1)                       \
  TABLE(STEP_PENETRATION,  "steps",    "penetration",  DOUBLE, ONE,       1)                       \
  TABLE(STEP_SPEED,        "steps",    "speed",        DOUBLE, ONE,       1)                       \
  TABLE(STEP_KINETIC,      "steps",    "kinetic",      DOUBLE, ONE,       1)                       \
  TABLE(STEP_POTENTIAL,    "steps",    "potential",    DOUBLE, ONE,       1)                       \
  TABLE(STEP_WORK_CONTACT, "steps",    "work_contact", DOUBLE, ONE,       1)                       \
  TABLE(STEP_WORK_EXTERNAL,"steps",    "work_external",DOUBLE, ONE,       1)                       \
  TABLE(STEP_WORK_CORRECTION,"steps",  "work_correction",DOUBLE,ONE,      1)                       \
  TABLE(STEP_WORK_INTEGRATOR,"steps",  "work_integrator",DOUBLE,ONE,      1)                       \
  TABLE(STEP_WORK_JOINT,   "steps",    "work_joint",   DOUBLE, ONE,       1)                       \
  TABLE(STEP_ELASTIC,      "steps",    "elastic",      DOUBLE, SPRUNG,    1)                       \
  TABLE(STEP_MARGIN,       "steps",    "margin",       DOUBLE, CERTIFIED, 1)                       \
  TABLE(STEP_CRITERION,    "steps",    "criterion",    INT,    CERTIFIED, 1)                       \
  TABLE(STEP_WORK_ELEMENT, "steps",    "work_element", DOUBLE, SPRUNG,    1)                       \
  TABLE(STEP_CLOCK_SOLVE,  "steps",    "clock_solve",  DOUBLE, CLOCKED,   1)                       \
  TABLE(STEP_CLOCK_DETECT, "steps",    "clock_detect", DOUBLE, CLOCKED,   1)                       \
  TABLE(STEP_CLOCK_STEP,   "steps",    "clock_step",   DOUBLE, CLOCKED,   1)                       \
  TABLE(FRAME_STEP,        "frames",   "step",         INT64,  ONE,       1)                       \
  TABLE(FRAME_TIME,        "frames",   "time",         DOUBLE, ONE,       1)                       \
  TABLE(FRAME_CONTACTS,    "frames",   "contacts",     INT,    ONE,       1)                       \
  TABLE(FRAME_POSE,        "frames",   "pose",         DOUBLE, BODIES,    7)                       \
  TABLE(FRAME_VELOCITY,    "frames",   "velocity",     DOUBLE, BODIES,    6)                       \
  TABLE(FRAME_EXTERNAL,    "frames",   "external_pose",DOUBLE, EXTERNALS, 7)                       \
  TABLE(FRAME_JOINT,       "frames",   "joint_impulse",DOUBLE, JOINTS,    6)                       \
  TABLE(FRAME_MOTION,      "frames",   "joint_motion", DOUBLE, MOVING,    4)                       \
  TABLE(FRAME_ELEMENT,     "frames",   "element_force",DOUBLE, ELEMENTS,  6)                       \
  TABLE(CONTACT_BODY,      "contacts", "body",         INT,    ONE,       2)                       \
  TABLE(CONTACT_KEY,       "contacts", "key",          UINT64, ONE,       1)                       \
  TABLE(CONTACT_POINT,     "contacts", "point",        DOUBLE, ONE,       3)                       \
  TABLE(CONTACT_NORMAL,    "contacts", "normal",       DOUBLE, ONE,       3)                       \
  TABLE(CONTACT_GAP,       "contacts", "gap",          DOUBLE, ONE,       1)                       \
  TABLE(CONTACT_IMPULSE,   "contacts", "impulse",      DOUBLE, ONE,       3)                       \
  TABLE(CONTACT_VELOCITY,  "contacts", "velocity",     DOUBLE, ONE,       3)                       \
  TABLE(CONTACT_STATE,     "contacts", "state",        INT,    ONE,       1)
// clang-format on

typedef enum ssi_run_table_id {
#define TABLE(id, group, name, type, count, width) SSI_##id,
  SSI_RUN_TABLES(TABLE)
#undef TABLE
      SSI_RUN_TABLE_COUNT
} ssi_run_table_id;

enum { SSI_RUN_VERSION = 1 };

typedef struct ssi_run_counts {
  int dim, bodies, externals, joints, elements;
  int certified, clocked;  // 0 or 1
  int moving;              // joints, in files that have their coordinates; else 0
} ssi_run_counts;

// One table: its place in the file, the shape of a row, and the rows collected so far.
typedef struct ssi_run_table {
  const char *group, *name;
  ssi_run_type type;
  hsize_t count, width;  // of a row; count 0: the file has no such table
  bool per_object;       // rows are count x width, otherwise width
  size_t row_bytes;
  char *rows;
  size_t used, room;  // bytes
} ssi_run_table;

void ssi_run_tables(const ssi_run_counts *n, ssi_run_table tables[SSI_RUN_TABLE_COUNT]);

// Shape of a dataset with this many rows; the rank.
int ssi_run_dims(const ssi_run_table *t, hsize_t rows, hsize_t dims[3]);

// Room for one more row, or NULL without memory; the caller fills it.
void *ssi_run_row(ss_context *ctx, ssi_run_table *t);
bool ssi_run_add(ss_context *ctx, ssi_run_table *t, const void *row);  // false: no memory
bool ssi_run_add_step(ss_context *ctx, ssi_run_table tables[SSI_RUN_TABLE_COUNT],
                      const ss_energy *e, const ss_step_info *i);  // all that steps have
void ssi_run_tables_release(ss_context *ctx, ssi_run_table tables[SSI_RUN_TABLE_COUNT]);
