// io/entries.h - the entries of a matrix as they come out of a text file, before they are rows.
#pragma once

#include "base/arena.h"
#include "stickslip/problem.h"

typedef struct ssi_entries {
  int rows, cols;
  int64_t count;
  int *i, *j;
  double *x;
  bool by_rows, by_columns;  // whether they came in this order so far
  bool lower, upper;         // whether any came from strictly below, above the diagonal
} ssi_entries;

// What deserves a word to the user, once it is clear that the matrix is used.
typedef struct ssi_entry_notes {
  int64_t duplicates;
  bool unsorted;
} ssi_entry_notes;

// Takes memory for `room` entries; false: no memory.
bool ssi_entries_begin(ssi_entries *e, ssi_arena *scratch, int rows, int cols, int64_t room);
void ssi_entries_add(ssi_entries *e, int i, int j, double x);

// Adds sign * x at (j, i) for every entry x at (i, j), i != j; needs room for twice the entries.
void ssi_entries_mirror(ssi_entries *e, double sign);

// Sorted rows, duplicates summed, of the matrix or of its transpose. SS_ERR_DATA: a sum overflowed.
ss_error ssi_entries_finish(const ssi_entries *e, bool transposed, ssi_arena *arena, ss_sparse *out,
                            ssi_entry_notes *notes);

// Says the notes through the log: "PLACE: 3 duplicate entries summed".
void ssi_entry_notes_say(ss_context *ctx, const char *place, const ssi_entry_notes *notes);
