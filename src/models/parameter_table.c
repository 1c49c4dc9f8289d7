#include "models/parameter_table.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

int ssi_parameter_find(const ssi_parameter_table *t, const char *name) {
  for (int i = 0; i < t->count; i++)
    if (strcmp(t->rows[i].name, name) == 0) return i;
  return -1;
}

static const char *name_at(const void *table, int i) {
  const ssi_parameter_table *t = table;
  return i < t->count ? t->rows[i].name : NULL;
}

ss_error ssi_parameter_named(ss_context *ctx, const ssi_parameter_table *t,
                             const ss_model_setting *s, int *row) {
  const char *name = s->name ? s->name : "";
  *row = ssi_parameter_find(t, name);
  if (*row >= 0) return SS_OK;
  return ssi_fail(ctx, SS_ERR_ARGUMENT, "%s: unknown parameter '%.60s'; the nearest is %s",
                  t->owner, name, ss_nearest_name(name, name_at, t));
}

static ss_error check_range(ss_context *ctx, const char *owner, const ss_model_parameter *p,
                            double x) {
  if (p->whole && x != rint(x))
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "%s: %s is %g, expected a whole number", owner, p->name,
                    x);
  if (x >= p->low && x <= p->high) return SS_OK;  // not true of a NaN
  if (isinf(p->high) && p->low > 0 && p->low < 1e-300)
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "%s: %s is %g, expected > 0", owner, p->name, x);
  if (isinf(p->high))
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "%s: %s is %g, expected >= %g", owner, p->name, x,
                    p->low);
  return ssi_fail(ctx, SS_ERR_ARGUMENT, "%s: %s is %g, expected %.6g .. %.6g", owner, p->name, x,
                  p->low, p->high);
}

ss_error ssi_parameter_number(ss_context *ctx, const ssi_parameter_table *t, int row,
                              const ss_model_setting *s, ssi_number *out) {
  *out = ssi_real(s->value);
  const char *wrong =
      s->text ? ssi_number_parse(s->text, out) : (isfinite(s->value) ? NULL : "is not finite");
  if (wrong)
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "%s: %s: '%.60s' %s, expected a number as 0.25 or 3/5",
                    t->owner, t->rows[row].name, s->text ? s->text : "the value", wrong);
  return check_range(ctx, t->owner, &t->rows[row], out->x);
}
