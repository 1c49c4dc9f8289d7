#include "problem/system.h"

#include <string.h>

#include "base/error.h"
#include "la/sparse.h"
#include "problem/reduce.h"

// lambda_max where positive; elsewhere the mean of the positive ones (1 if there are none), so that
// the residual of such a contact is weighed like the others'.
static void fill_lambda(ssi_system *s) {
  ssi_block_lambda_max(s->dim, s->nc, s->metric, s->lambda_max);
  double sum = 0;
  int positive = 0;
  for (int i = 0; i < s->nc; i++)
    if (s->lambda_max[i] > 0) sum += s->lambda_max[i], positive++;
  for (int i = 0; i < s->nc; i++)
    if (!(s->lambda_max[i] > 0)) s->lambda_max[i] = positive ? sum / positive : 1;
}

// Solves return a code only.
static ss_error said(ssi_system *s, ss_error e, const char *matrix) {
  return e ? ssi_fail(s->ctx, e, "a solve with %s failed: %s", matrix, ss_error_text(e)) : SS_OK;
}

// The free motion as fill_vectors leaves it: u and the joints' gaps before these are eliminated.
static ss_error find_scales(ssi_system *s) {
  const ss_problem *p = &s->p, *r = s->reduced ? s->reduced : p;
  ssi_load load = {s->q, NULL, NULL, NULL};
  if (p->form == SS_GLOBAL) load.v = s->v_free ? s->v_free : s->v;
  if (p->nl) load.u = r->q, load.gap = r->s;
  return said(s, ssi_load_scales(p, &s->components, &load, s->mass, s->terms, &s->load), "M");
}

static ss_error fill_vectors(ssi_system *s) {
  const ss_problem *p = &s->p;
  if (p->form == SS_GLOBAL && s->v_free) {
    for (int k = 0; k < p->ndof; k++) s->v_free[k] = -p->f[k];
    SS_TRY(said(s, ssi_factor_solve(s->mass, s->v_free, s->v_free), "M"));
    for (int k = 0; k < s->m; k++) s->q[k] = p->w[k];
    ssi_sparse_multiply_add(&p->H, s->v_free, s->q);
  } else if (p->form == SS_GLOBAL) {
    double *q = (double *)(uintptr_t)s->reduced->q, *rhs = (double *)(uintptr_t)s->reduced->s;
    SS_TRY(said(s, ssi_reduce_vectors(p, s->mass, s->v, q, rhs), "M"));
    if (!p->nl) memcpy(s->q, q, sizeof(double) * (size_t)s->m);
  } else if (!p->nl) {
    if (s->m) memcpy(s->q, p->q, sizeof(double) * (size_t)s->m);
  }
  if (p->nl) {
    const ss_problem *r = s->reduced ? s->reduced : p;
    SS_TRY(said(s, ssi_bilateral_update(&s->bilateral, &r->V, r->q, r->s, s->q), "R"));
  }
  s->norm_q = ssi_system_norm(s, s->q);
  return find_scales(s);
}

// The diagonal blocks of a sparse W.
static const double *raw_diagonal(ssi_arena *arena, int dim, const ss_sparse *W) {
  double *diag = SSI_TAKE(arena, (int64_t)W->rows * dim, double);
  for (int i = 0; diag && i < W->rows; i++)
    for (int64_t k = W->ptr[i]; k < W->ptr[i + 1]; k++)
      if (W->col[k] / dim == i / dim) diag[(int64_t)dim * i + W->col[k] % dim] = W->x[k];
  return diag;
}

// The matrices: factor of M, unless it is there, then bodies or an explicit W.
static ss_error fill_matrices(ssi_system *s) {
  const ss_problem *p = &s->p;
  ss_sparse eliminated, W = p->W;
  if (p->form == SS_GLOBAL) {
    if (!s->mass) SS_TRY(ssi_factor_create(s->ctx, &p->M, &s->mass));
    s->v = SSI_TAKE(&s->arena, p->ndof, double);
    if (!p->nl && (ssi_factor_block_count(s->mass) > 0 || p->ndof == 0)) {
      ss_sparse H = p->H;
      s->v_free = SSI_TAKE(&s->arena, p->ndof, double);
      if (!ssi_sparse_complete(&s->arena, s->m, p->ndof, &H) ||
          !ssi_bodies_create_for(&s->arena, s->dim, &H, s->mass, s->threads, &s->bodies))
        return SS_ERR_MEMORY;
      s->diag = s->metric = s->bodies.diag;
      return SS_OK;
    }
    SS_TRY(ssi_reduce(s->ctx, p, s->mass, &s->reduced));
    W = s->reduced->W;
  }
  if (p->nl) {
    const ss_problem *r = s->reduced ? s->reduced : p;
    bool own_left = s->reduced && ss_sparse_asymmetry(&p->M) != 0;
    ss_sparse U;
    if (own_left) SS_TRY(said(s, ssi_reduce_left(s->ctx, p, s->mass, &s->arena, &U), "M"));
    SS_TRY(ssi_bilateral_eliminate(s->ctx, r, own_left ? &U : NULL, &s->arena, &s->bilateral,
                                   &eliminated));
  }
  if (!ssi_delassus_from_sparse(&s->arena, s->dim, p->nl ? &eliminated : &W, &s->W))
    return SS_ERR_MEMORY;
  s->diag = s->W.diag;
  s->metric = p->nl ? raw_diagonal(&s->arena, s->dim, &W) : s->diag;
  return SS_OK;
}

// One block for all that every system has: tiny problems feel each.
static bool take_vectors(ssi_system *s) {
  size_t nc = (size_t)s->nc, m = (size_t)s->m, parts = 2 * (size_t)ssi_system_parts(s);
  bool global = s->p.form == SS_GLOBAL;
  size_t terms = global ? (size_t)s->p.ndof + (size_t)s->p.nl : 0;
  double *all =
      SSI_TAKE(&s->arena, m + 3 * nc + parts + terms + ssi_load_scale_size(s->nc), double);
  if (!all) return false;
  s->q = all;
  s->lambda_max = s->q + m;
  s->squares = s->lambda_max + nc;
  s->parts = s->squares + 2 * nc;
  s->terms = global ? s->parts + parts : NULL;
  ssi_load_scale_place(s->parts + parts + terms, s->nc, &s->load);
  return true;
}

static ss_error fill(ssi_system *s) {
  bool ready = take_vectors(s) && ssi_components_create(&s->arena, &s->p, &s->components);
  ss_error e = ready ? fill_matrices(s) : SS_ERR_MEMORY;
  if (!e && s->arena.failed) e = SS_ERR_MEMORY;
  if (!e) fill_lambda(s);
  return e ? e : fill_vectors(s);
}

static ss_error blame(ssi_system *s, ss_error e) {
  if (e != SS_ERR_MEMORY) return e;
  return ssi_fail(s->ctx, e, "out of memory while setting up %d contacts", s->nc);
}

ss_error ssi_system_create(ss_context *ctx, const ss_problem *p, ssi_system **out) {
  return ssi_system_create_for(ctx, p, 1, out);
}

ss_error ssi_system_create_for(ss_context *ctx, const ss_problem *p, int threads,
                               ssi_system **out) {
  *out = NULL;
  ssi_arena home = {.ctx = ctx};
  ssi_system *s = SSI_TAKE(&home, 1, ssi_system);
  if (!s) return ssi_fail(ctx, SS_ERR_MEMORY, "out of memory");
  *s = (ssi_system){.ctx = ctx, .p = *p, .dim = p->dim, .nc = p->nc, .m = p->dim * p->nc};
  s->home = home;
  s->threads = threads;
  s->arena.ctx = s->for_blocks.ctx = ctx;
  ss_error e = blame(s, fill(s));
  if (e) {
    ssi_system_destroy(s);
    return e;
  }
  *out = s;
  return SS_OK;
}

// All but the factor of M.
static void empty(ssi_system *s) {
  ssi_bilateral_release(&s->bilateral);
  ss_problem_destroy(s->reduced);
  s->reduced = NULL;
  s->W = (ssi_delassus){0};
  s->bodies = (ssi_bodies){0};
  ssi_arena_reset(&s->for_blocks);
  ssi_arena_reset(&s->arena);
}

void ssi_system_destroy(ssi_system *s) {
  if (!s) return;
  empty(s);
  ssi_factor_destroy(s->mass);
  ssi_arena_release(&s->for_blocks);
  ssi_arena_release(&s->arena);
  ssi_arena_release_home(s->home);
}

ss_error ssi_system_update(ssi_system *s, const ss_problem *p) {
  s->p = *p;
  return fill_vectors(s);
}

// In place where the patterns decide about every array: bodies, and W as given.
static ss_error refill_bodies(ssi_system *s) {
  if (s->p.H.ptr) ssi_bodies_refill(&s->bodies, &s->p.H, s->mass);
  if (s->W.ptr && !s->keep_blocks) {
    s->W = (ssi_delassus){0};
    ssi_arena_reset(&s->for_blocks);
  }
  if (s->W.ptr && !ssi_bodies_delassus_refill(s->ctx, &s->bodies, &s->W)) return SS_ERR_MEMORY;
  return SS_OK;
}

ss_error ssi_system_renew(ssi_system *s, const ss_problem *p, bool *moved) {
  bool bodies = ssi_system_has_bodies(s), given = p->form == SS_REDUCED && !p->nl && s->W.ptr;
  s->p = *p;
  *moved = !bodies && !given;
  ss_error e = s->mass ? ssi_factor_renew(s->ctx, s->mass, &p->M) : SS_OK;
  if (!e && *moved) {
    empty(s);
    return blame(s, fill(s));
  }
  if (!e && bodies) e = refill_bodies(s);
  if (!e && given && !ssi_delassus_refill(s->ctx, &p->W, &s->W)) e = SS_ERR_MEMORY;
  if (!e) fill_lambda(s);
  if (!e) ssi_components_find(p, &s->components);
  return blame(s, e ? e : fill_vectors(s));
}

bool ssi_system_has_bodies(const ssi_system *s) {
  return s->bodies.at != NULL;
}

ss_error ssi_system_need_blocks(ssi_system *s) {
  if (s->W.ptr) return SS_OK;
  if (ssi_bodies_delassus(&s->for_blocks, &s->bodies, &s->W)) return SS_OK;
  s->W = (ssi_delassus){0};
  ssi_arena_reset(&s->for_blocks);
  return ssi_fail(s->ctx, SS_ERR_MEMORY, "out of memory while forming W (%d contacts)", s->nc);
}
