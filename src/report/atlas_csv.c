// report/atlas_csv.c - an atlas as a table: one row per cell.
#include "base/error.h"
#include "report/table.h"
#include "stickslip/report.h"

static void put_cell(ssi_svg *s, const ss_atlas *a, const ss_atlas_cell *cell) {
  double bounds[4];
  ss_atlas_bounds(a, cell, bounds);
  for (int k = 0; k < 4; k++) {
    ssi_table_number(s, bounds[k]);
    ssi_svg_raw(s, ",");
  }
  const ss_atlas_kind *kind = &a->kinds[cell->kind];
  ssi_svg_put(s, "%d,%s,%d\n", kind->count, kind->label, cell->region);
}

ss_error ss_atlas_csv(ss_context *ctx, const ss_atlas *a, const ss_atlas_caption *c, char **out) {
  if (!a || !c || !c->x_name || !c->y_name || !out)
    return ssi_fail(ctx, SS_ERR_ARGUMENT,
                    "atlas table: atlas, names of the axes or result is NULL");
  *out = NULL;
  ssi_svg s = {.ctx = ctx};
  ssi_table_name(&s, c->x_name, "_low");
  ssi_table_name(&s, c->x_name, "_high");
  ssi_table_name(&s, c->y_name, "_low");
  ssi_table_name(&s, c->y_name, "_high");
  ssi_svg_raw(&s, "solutions,kind,region\n");
  for (int k = 0; k < a->cell_count; k++) put_cell(&s, a, &a->cells[k]);
  return ssi_svg_finish(&s, "no memory for the table of an atlas", out);
}
