#include "dynamics/scene/loads.h"

#include "dynamics/scene/imposed.h"
#include "la/vec3.h"

static double load_factor(const ss_load *l, double t) {
  if (t < l->start || (l->stop > 0 && t >= l->stop)) return 0;
  double factor = 1;
  if (l->rows) ssi_table_at(l->table, l->rows, 2, t, &factor);
  return l->frequency > 0 ? factor * ssi_wave(l->frequency, l->phase, t - l->start) : factor;
}

void ssi_loads_add(const ssi_world *w, const double *rotation, double t, double weight,
                   double *load) {
  for (int i = 0; weight != 0 && i < w->scene->load_count; i++) {
    const ss_load *l = w->scene->loads + i;
    double factor = weight * load_factor(l, t), *out = load + 6 * (size_t)l->body;
    ssi_add3(out, factor, l->force, out);
    ssi_add3(out + 3, factor, l->moment, out + 3);
    if (!l->at_point) continue;
    double local[3], arm[3], moment[3];
    ss_pose inverse = ss_pose_inverse(&w->body[l->body].frame);
    ss_pose_apply(&inverse, l->point, local);
    ssi_rotate3(rotation + 9 * (size_t)l->body, local, arm);
    ssi_cross3(arm, l->force, moment);
    ssi_add3(out + 3, factor, moment, out + 3);
  }
}
