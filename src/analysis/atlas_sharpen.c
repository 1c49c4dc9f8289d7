// Points of borders: each moves along the line between the points at which the problems of two neighbouring cells of
// the finest grid were taken, to where the kind changes. HALVINGS bisections of all of them at once.
#include "analysis/atlas.h"
#include "base/error.h"

enum { HALVINGS = 7 };  // to 1/256 of a cell

ssi_needle ssi_needle_between(int i, int j, int to_i, int to_j, int kind) {
  return (ssi_needle){.low = {i + SSI_ATLAS_X, j + SSI_ATLAS_Y},
                      .high = {to_i + SSI_ATLAS_X, to_j + SSI_ATLAS_Y},
                      .kind = kind};
}

static int kind_of(const ssi_raster *g, int id) {
  if (!g->kind_place) return id;
  return id < g->kind_known ? g->kind_place[id] : -1;
}

static ss_error halve(ssi_atlas_run *run, const ssi_raster *g, ssi_needle *needles, int count,
                      ssi_atlas_point *points) {
  for (int k = 0; k < count; k++) {
    const ssi_needle *n = &needles[k];
    double x = (n->low[0] + n->high[0]) / 2, y = (n->low[1] + n->high[1]) / 2;
    points[k] = (ssi_atlas_point){.x = ssi_atlas_place(&run->o->x, g->width, x),
                                  .y = ssi_atlas_place(&run->o->y, g->height, y)};
  }
  SS_TRY(ssi_atlas_evaluate(run, points, count));
  for (int k = 0; k < count && !run->cancelled; k++) {
    ssi_needle *n = &needles[k];
    double *end = kind_of(g, points[k].kind) == n->kind ? n->low : n->high;
    for (int c = 0; c < 2; c++) end[c] = (n->low[c] + n->high[c]) / 2;
  }
  return SS_OK;
}

ss_error ssi_needles_sharpen(ssi_atlas_run *run, const ssi_raster *g, ssi_needle *needles,
                             int count) {
  ssi_atlas_point *points = ssi_alloc(run->ctx, (size_t)count, sizeof *points);
  ss_error e = points ? SS_OK : ssi_atlas_no_memory(run->ctx);
  for (int k = 0; k < HALVINGS && !e && !run->cancelled; k++, run->round++)
    e = halve(run, g, needles, count, points);
  ssi_release(run->ctx, points);
  return e;
}
