#include "io/entries.h"

#include <math.h>

#include "base/error.h"
#include "la/sparse.h"

bool ssi_entries_begin(ssi_entries *e, ssi_arena *scratch, int rows, int cols, int64_t room) {
  *e = (ssi_entries){.rows = rows, .cols = cols, .by_rows = true, .by_columns = true};
  e->i = SSI_TAKE(scratch, room, int);
  e->j = SSI_TAKE(scratch, room, int);
  e->x = SSI_TAKE(scratch, room, double);
  return !scratch->failed;
}

void ssi_entries_add(ssi_entries *e, int i, int j, double x) {
  int64_t k = e->count++;
  if (k > 0) {
    int i0 = e->i[k - 1], j0 = e->j[k - 1];
    if (i < i0 || (i == i0 && j < j0)) e->by_rows = false;
    if (j < j0 || (j == j0 && i < i0)) e->by_columns = false;
  }
  if (i > j) e->lower = true;
  if (i < j) e->upper = true;
  e->i[k] = i;
  e->j[k] = j;
  e->x[k] = x;
}

void ssi_entries_mirror(ssi_entries *e, double sign) {
  int64_t given = e->count;
  for (int64_t k = 0; k < given; k++) {
    if (e->i[k] == e->j[k]) continue;
    int64_t at = e->count++;  // not by ssi_entries_add: the order in the file is what counts
    e->i[at] = e->j[k];
    e->j[at] = e->i[k];
    e->x[at] = sign * e->x[k];
  }
}

ss_error ssi_entries_finish(const ssi_entries *e, bool transposed, ssi_arena *arena, ss_sparse *out,
                            ssi_entry_notes *notes) {
  int rows = transposed ? e->cols : e->rows, cols = transposed ? e->rows : e->cols;
  const int *i = transposed ? e->j : e->i, *j = transposed ? e->i : e->j;
  *notes = (ssi_entry_notes){.unsorted = !e->by_rows && !e->by_columns};
  if (!ssi_sparse_from_triplets(arena, rows, cols, e->count, i, j, e->x, out, &notes->duplicates,
                                NULL))
    return SS_ERR_MEMORY;
  if (notes->duplicates)
    for (int64_t k = 0; k < ssi_sparse_entries(out); k++)
      if (!isfinite(out->x[k])) return SS_ERR_DATA;
  return SS_OK;
}

void ssi_entry_notes_say(ss_context *ctx, const char *place, const ssi_entry_notes *notes) {
  if (notes->duplicates)
    ssi_log(ctx, SS_LOG_WARN, "%s: %lld duplicate entries summed", place,
            (long long)notes->duplicates);
  if (notes->unsorted)
    ssi_log(ctx, SS_LOG_WARN, "%s: entries neither by rows nor by columns, sorted", place);
}
