// report/trace_csv.c - the points of a trace as a table: one row per point.
#include <stdio.h>

#include "base/error.h"
#include "report/table.h"
#include "stickslip/report.h"

static void put_head(ssi_svg *s, const ss_trace *t, const char *parameter) {
  ssi_svg_raw(s, "branch,point,");
  ssi_table_name(s, parameter, "");
  ssi_svg_raw(s, "step,error");
  for (int i = 0; i < t->nc; i++) {
    char text[96];
    snprintf(text, sizeof text, ",state%d,u_N%d,u_T%d,r_N%d,r_T%d", i, i, i, i, i);
    ssi_svg_raw(s, text);
  }
  ssi_svg_raw(s, "\n");
}

static void put_values(ssi_svg *s, const double *x, int count) {
  for (int k = 0; k < count; k++) {
    ssi_svg_raw(s, ",");
    ssi_table_number(s, x[k]);
  }
}

static void put_point(ssi_svg *s, const ss_trace *t, int branch, int point) {
  const ss_trace_point *x = &t->branches[branch].points[point];
  ssi_svg_whole(s, branch);
  ssi_svg_raw(s, ",");
  ssi_svg_whole(s, point);
  put_values(s, &x->parameter, 1);
  put_values(s, &x->step, 1);
  put_values(s, &x->error, 1);
  for (int i = 0; i < t->nc; i++) {
    ssi_svg_raw(s, ",");
    ssi_svg_raw(s, ss_cell_state_name(x->states[i]));
    put_values(s, x->u + 2 * i, 2);
    put_values(s, x->r + 2 * i, 2);
  }
  ssi_svg_raw(s, "\n");
}

ss_error ss_trace_csv(ss_context *ctx, const ss_trace *t, const ss_trace_caption *c, char **out) {
  if (!t || !c || !c->parameter || !out)
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "table: trace, name of the parameter or result is NULL");
  *out = NULL;
  ssi_svg s = {.ctx = ctx};
  put_head(&s, t, c->parameter);
  for (int b = 0; b < t->branch_count; b++)
    for (int k = 0; k < t->branches[b].point_count; k++) put_point(&s, t, b, k);
  return ssi_svg_finish(&s, "no memory for the table of a trace", out);
}
