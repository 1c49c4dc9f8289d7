// Displacements and loads of a scene, by the names of boundaries.
#include <math.h>

#include "base/error.h"
#include "elastic/body.h"

// ---- supports --------------------------------------------------------------------------------------

static bool same_motion(const ss_support *a, const ss_support *b, int axis) {
  return a->value[axis] == b->value[axis] && (a->value[axis] == 0 || a->factor == b->factor);
}

static ss_error hold(ssi_building *b, int k, int node) {
  const ss_support *s = &b->scene->supports[k];
  for (int a = 0; a < b->mesh->dim; a++) {
    int dof = node * b->mesh->dim + a, other = b->holder[dof];
    if (!s->held[a]) continue;
    if (other < 0) {
      b->holder[dof] = k;
      b->prescribed[b->prescribed_count++] = (ss_prescribed){dof, s->value[a], s->factor};
    } else if (!same_motion(s, &b->scene->supports[other], a)) {
      return ssi_fail(b->ctx, SS_ERR_DATA,
                      "support %d (%s): node %d is moved otherwise by support %d (%s)", k,
                      s->boundary, node, other, b->scene->supports[other].boundary);
    }
  }
  return SS_OK;
}

ss_error ssi_body_supports(ssi_building *b) {
  const ss_mesh *m = b->mesh;
  size_t n = (size_t)m->nodes * (size_t)m->dim;
  b->prescribed = SSI_TAKE(b->arena, n, ss_prescribed);
  b->holder = SSI_TAKE(b->arena, n, int);
  if (b->arena->failed) return ssi_body_no_memory(b->ctx);
  for (size_t k = 0; k < n; k++) b->holder[k] = -1;
  for (int k = 0; k < b->scene->support_count; k++) {
    int boundary;
    SS_TRY(ssi_find_boundary(b, "support", k, b->scene->supports[k].boundary, &boundary));
    const bool *held = b->scene->supports[k].held;
    if (!held[0] && !held[1] && !(m->dim == 3 && held[2]))
      return ssi_fail(b->ctx, SS_ERR_DATA, "support %d (%s): no component is held", k,
                      b->scene->supports[k].boundary);
    for (int a = 0; a < m->dim; a++)
      if (!isfinite(b->scene->supports[k].value[a]))
        return ssi_fail(b->ctx, SS_ERR_DATA, "support %d (%s): component %d is not finite", k,
                        b->scene->supports[k].boundary, a);
    for (int side = 0; side < m->sides.count; side++)
      if (m->sides.group[side] == boundary)
        for (int p = m->sides.first[side]; p < m->sides.first[side + 1]; p++)
          SS_TRY(hold(b, k, m->sides.node[p]));
  }
  return SS_OK;
}

// ---- loads -----------------------------------------------------------------------------------------

static void constant_field(void *user, const double x[3], double out[3]) {
  const double *a = user;
  (void)x;
  for (int k = 0; k < 3; k++) out[k] = a[k];
}

// What a weighs: M a where there is a mass matrix, so that a free body falls without strain however its mass is shared
// out; the integral of N rho a otherwise.
static void add_weight(const ssi_building *b, const ss_sparse *M, const double a[3], double *f) {
  double field[3] = {a[0], a[1], a[2]};
  if (M->rows == 0) ssi_add_body_force(&b->solid, false, constant_field, field, f);
  for (int i = 0; i < M->rows; i++)
    for (int64_t k = M->ptr[i]; k < M->ptr[i + 1]; k++)
      f[i] += M->x[k] * a[M->col[k] % b->mesh->dim];
}

static ss_error check_density(const ssi_building *b) {
  const ss_elastic_scene *s = b->scene;
  for (int k = 0; k < b->mesh->elements.group_count; k++)
    if (s->materials[b->solid.of[k]].rho > 0) return SS_OK;
  return ssi_fail(b->ctx, SS_ERR_DATA, "gravity acts on nothing: no body has a density (rho)");
}

ss_error ssi_body_loads(ssi_building *b, const ss_sparse *M, ss_history_term **out, int *count) {
  const ss_elastic_scene *s = b->scene;
  size_t n = (size_t)b->mesh->nodes * (size_t)b->mesh->dim;
  if (s->gravity_count) SS_TRY(check_density(b));
  *count = s->load_count + s->gravity_count;
  *out = SSI_TAKE(b->arena, *count + 1, ss_history_term);
  if (!*out) return ssi_body_no_memory(b->ctx);
  for (int k = 0; k < *count; k++) {
    double *f = SSI_TAKE(b->arena, n, double);
    if (!f) return ssi_body_no_memory(b->ctx);
    (*out)[k].x = f;
    if (k < s->load_count) {
      const ss_surface_load *l = &s->loads[k];
      int boundary;
      SS_TRY(ssi_find_boundary(b, "load", k, l->boundary, &boundary));
      SS_TRY(ssi_add_traction(b->ctx, &b->solid, boundary, l->traction, l->pressure, f));
      (*out)[k].factor = l->factor;
    } else {
      const ss_gravity *g = &s->gravity[k - s->load_count];
      add_weight(b, M, g->acceleration, f);
      (*out)[k].factor = g->factor;
    }
  }
  return SS_OK;
}
