// report/panels.c - see panels.h.
#include "report/panels.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

static const double MARGIN = 0.04;  // of the span, on either side

// ---- one axis -----------------------------------------------------------------------------------

// Numbers of its column over all rows; false: none is finite.
static bool span_of(const ss_trajectory *t, int column, double *low, double *high) {
  *low = INFINITY, *high = -INFINITY;
  for (int64_t i = 0; i < t->rows; i++) {
    double x = t->values[i * t->columns + column];
    if (!isfinite(x)) continue;
    *low = fmin(*low, x), *high = fmax(*high, x);
  }
  return *low <= *high;
}

static void set_range(const ss_trajectory *t, ssi_axis *a) {
  double low, high;
  if (!span_of(t, a->column, &low, &high)) low = high = 0;
  double from = a->sign > 0 ? low : -high, to = a->sign > 0 ? high : -low;
  double size = fmax(fabs(from), fabs(to)), span = to - from;
  bool flat = !(span > 1e-9 * size);
  bool time = a->column == 0;
  double margin = flat ? fmax(0.1 * size, size > 0 ? 0 : 1) : time ? 0 : MARGIN * span;
  a->from = from - margin, a->to = to + margin;
}

static bool moves(const ss_trajectory *t, int column) {
  double low, high;
  return span_of(t, column, &low, &high) && high - low > 1e-12 * fmax(fabs(low), fabs(high));
}

static ss_error unknown(ss_context *ctx, const ss_trajectory *t, const char *name) {
  char known[400] = "";
  size_t used = 0;
  for (int k = 0; k < t->columns && used < sizeof known; k++)
    used +=
        (size_t)snprintf(known + used, sizeof known - used, k ? ", %s" : "%s", t->column[k].name);
  return ssi_fail(ctx, SS_ERR_ARGUMENT, "plot: there is no column '%.60s'; there are: %s", name,
                  known);
}

static ss_error read_axis(ss_context *ctx, const ss_trajectory *t, const char *text, size_t length,
                          ssi_axis *out) {
  char name[64];
  bool minus = length > 0 && *text == '-';
  if (length - minus >= sizeof name)
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "plot: the name of a column is too long");
  snprintf(name, sizeof name, "%.*s", (int)(length - minus), text + minus);
  bool nu = strcmp(name, "lambda_nu") == 0, tau = strcmp(name, "lambda_tau") == 0;
  *out = (ssi_axis){.column = ss_trajectory_find(t, nu    ? "r_N"
                                                    : tau ? "r_T"
                                                          : name),
                    .sign = minus == nu ? 1 : -1};
  if (out->column < 0 || t->column[out->column].kind != SS_COLUMN_NUMBER)
    return unknown(ctx, t, name);
  snprintf(out->name, sizeof out->name, "%s%.40s", minus ? "-" : "", name);
  set_range(t, out);
  return SS_OK;
}

// ---- panels -------------------------------------------------------------------------------------

static ss_error add(ss_context *ctx, const ss_trajectory *t, const char *y, const char *x,
                    ssi_panels *out) {
  if (out->count == SSI_PANELS_MOST)
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "plot: more than %d panels", SSI_PANELS_MOST);
  ssi_panel *p = &out->items[out->count++];
  SS_TRY(read_axis(ctx, t, y, strlen(y), &p->y));
  return read_axis(ctx, t, x, strlen(x), &p->x);
}

// Columns of the state: coordinate k of the mechanism, or velocity k - nq.
static const char *state_name(const ss_trajectory *t, int which, int *column) {
  for (int k = 0; k < t->states; k++)
    if (t->order[k] == which) return *column = 1 + k, t->column[1 + k].name;
  return *column = 0, t->column[0].name;
}

// Of what stands still nothing is shown, unless all does.
static ss_error add_states(ss_context *ctx, const ss_trajectory *t, bool phase, ssi_panels *out) {
  for (int all = 0; all < 2 && out->count == 0; all++)
    for (int i = 0; i < t->m->nv && out->count < SSI_PANELS_MOST; i++) {
      int velocity, place;
      const char *y = state_name(t, t->m->nq + i, &velocity), *x = state_name(t, i, &place);
      if (!all && !moves(t, velocity)) continue;
      SS_TRY(add(ctx, t, y, phase ? x : "time", out));
    }
  return SS_OK;
}

static ss_error add_contacts(ss_context *ctx, const ss_trajectory *t, const char *beginning,
                             ssi_panels *out) {
  for (int k = 0; k < t->columns && out->count < SSI_PANELS_MOST; k++)
    if (strncmp(t->column[k].name, beginning, strlen(beginning)) == 0)
      SS_TRY(add(ctx, t, t->column[k].name, "time", out));
  return SS_OK;
}

static ss_error read_word(ss_context *ctx, const ss_trajectory *t, const char *word, size_t length,
                          ssi_panels *out) {
  char y[64], x[64];
  size_t first = 0;
  while (first < length && word[first] != ':') first++;
  size_t second = first < length ? length - first - 1 : 0;
  if (length == 0 || first >= sizeof y || second >= sizeof x)
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "plot: found '%.60s', expected Y or Y:X", word);
  snprintf(y, sizeof y, "%.*s", (int)first, word);
  snprintf(x, sizeof x, "%.*s", (int)second, word + first + 1);
  if (first == length) {
    if (strcmp(y, "phase") == 0) return add_states(ctx, t, true, out);
    if (strcmp(y, "velocity") == 0) return add_states(ctx, t, false, out);
    if (strcmp(y, "forces") == 0) return add_contacts(ctx, t, "r_", out);
    if (strcmp(y, "share") == 0) return add_contacts(ctx, t, "share", out);
  }
  return add(ctx, t, y, first < length ? x : "time", out);
}

ss_error ssi_panels_read(ss_context *ctx, const ss_trajectory *t, const char *text,
                         ssi_panels *out) {
  out->count = 0;
  for (const char *at = text ? text : "phase";;) {
    size_t length = strcspn(at, ",");
    SS_TRY(read_word(ctx, t, at, length, out));
    if (!at[length]) break;
    at += length + 1;
  }
  if (out->count == 0) return ssi_fail(ctx, SS_ERR_ARGUMENT, "plot: there is nothing to show");
  return SS_OK;
}
