// A record as text: FILE.csv has one line per saved step, FILE-contacts.csv one per contact and step.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "io/march_record.h"
#include "io/reader.h"

static void put_steps(ssi_output *o, const ss_march_record *r) {
  for (int k = 0; ssi_march_columns[k]; k++)
    ssi_output_text(o, k ? ",%s" : "%s", ssi_march_columns[k]);
  ssi_output_text(o, "\n");
  for (int f = 0; f < r->frames; f++)
    for (int k = 0; k < SSI_MARCH_COLUMNS; k++) {
      ssi_output_number(o, r->step[f * SSI_MARCH_COLUMNS + k]);
      ssi_output_text(o, k == SSI_MARCH_COLUMNS - 1 ? "\n" : ",");
    }
}

static void put_vector(ssi_output *o, const double *x, int count) {
  for (int k = 0; k < count; k++) {
    ssi_output_text(o, ",");
    ssi_output_number(o, x[k]);
  }
}

static void put_contacts(ssi_output *o, const ss_march_record *r) {
  static const char *const heads[][3] = {
      {"r_n", "r_t1", "r_t2"}, {"u_n", "u_t1", "u_t2"}, {"gap_n", "gap_t1", "gap_t2"}};
  static const char *const axes[] = {"x", "y", "z"};
  int dim = r->s->dim, nc = r->s->nc;
  ssi_output_text(o, "time,contact,state");
  for (int h = 0; h < 3; h++)
    for (int k = 0; k < dim; k++) ssi_output_text(o, ",%s", heads[h][k]);
  if (r->bodies) {
    ssi_output_text(o, ",node,share");
    for (int k = 0; k < dim; k++) ssi_output_text(o, ",%s", axes[k]);
  }
  ssi_output_text(o, "\n");
  for (int row = 0; row < r->frames * nc; row++) {
    int f = row / nc, i = row % nc;
    const double *c = r->contact + (size_t)f * 3 * (size_t)r->m;
    ssi_output_number(o, r->step[f * SSI_MARCH_COLUMNS + 1]);
    ssi_output_text(o, ",%d,%s", i, ss_state_name((ss_state)r->state[row]));
    for (int h = 0; h < 3; h++) put_vector(o, c + h * r->m + dim * i, dim);
    if (r->bodies) {
      ssi_output_text(o, ",%d", r->bodies->contacts[i].node);
      put_vector(o, &r->bodies->contacts[i].share, 1);
      put_vector(o, r->bodies->contacts[i].point, dim);
    }
    ssi_output_text(o, "\n");
  }
}

ss_error ssi_march_csv(ss_context *ctx, const char *path, const ss_march_record *r) {
  size_t stem = strlen(path) - 4, room = strlen(path) + 16;
  char *beside = ssi_alloc(ctx, room, 1);
  ssi_output *steps = NULL, *contacts = NULL;
  if (!beside) return ssi_fail(ctx, SS_ERR_MEMORY, "%s: no memory", path);
  snprintf(beside, room, "%.*s-contacts.csv", (int)stem, path);
  ss_error e = ssi_output_begin(ctx, path, &steps);
  if (!e) e = ssi_output_begin(ctx, beside, &contacts);
  if (!e) {
    put_steps(steps, r);
    put_contacts(contacts, r);
    e = ssi_output_commit(ctx, contacts);
    contacts = NULL;
  }
  if (!e) {
    e = ssi_output_commit(ctx, steps);
    steps = NULL;
  }
  ssi_output_abandon(contacts);
  ssi_output_abandon(steps);
  ssi_release(ctx, beside);
  return e;
}
