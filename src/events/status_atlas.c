// Maps of statuses: the judge of an atlas that predicts instead of enumerating.
#include "base/arena.h"
#include "base/error.h"
#include "stickslip/status.h"

static ss_cell_state cell_state(ss_state s) {
  return s == SS_FREE ? SS_CELL_FREE : s == SS_STICK ? SS_CELL_STICK : SS_CELL_SLIP_PLUS;
}

// One solution: the statuses that were named; several: those of the list. They can differ on a border only.
static ss_error list(ss_context *ctx, const ss_prediction *p, ss_atlas_states *out) {
  int count = p->count > 1 ? p->count : p->solved;
  size_t nc = (size_t)p->nc;
  ss_cell_state *states = ssi_alloc(ctx, (size_t)count * nc + 1, sizeof *states);
  if (!states) return ssi_fail(ctx, SS_ERR_MEMORY, "no memory for the statuses of a point");
  for (size_t k = 0; k < (size_t)count * nc; k++)
    states[k] = cell_state(p->count > 1 ? p->statuses[k] : p->contacts[k].next);
  *out = (ss_atlas_states){.nc = p->nc, .count = count, .states = states};
  out->complete = p->count >= 0 || p->existence == SS_NONE;
  out->unsettled = p->count >= 0 && !p->rigorous;
  out->owner = states;
  return SS_OK;
}

typedef struct plane_judging {
  const ss_status_plane *plane;
  ss_context hooks;  // memory is taken and given back by them
} plane_judging;

static ss_error find(void *user, ss_context *ctx, double x, double y, ss_atlas_states *out) {
  const plane_judging *j = user;
  ss_instant at = {0};
  ss_prediction *p = NULL;
  void *owner = NULL;
  SS_TRY(j->plane->at(j->plane->user, ctx, x, y, &at, &owner));
  ss_error e = ss_status_predict(ctx, &at, j->plane->options, &p);
  if (!e) e = list(ctx, p, out);
  ss_prediction_destroy(p);
  if (j->plane->release) j->plane->release(j->plane->user, owner);
  return e;
}

static void give_back(void *user, ss_atlas_states *found) {
  ss_context hooks = ((const plane_judging *)user)->hooks;
  ssi_release(&hooks, found->owner);
}

// The options with the plane's judge, which `j` keeps.
static ss_error begin_judging(ss_context *ctx, const ss_atlas_options *o,
                              const ss_status_plane *plane, plane_judging *j,
                              ss_atlas_options *out) {
  if (!o || !plane || !plane->at)
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "atlas: options or the plane of statuses is NULL");
  *j = (plane_judging){.plane = plane};
  if (ctx) j->hooks = (ss_context){.alloc = ctx->alloc, .release = ctx->release, .user = ctx->user};
  *out = *o;
  out->judge = (ss_atlas_judge){find, give_back, j};
  return SS_OK;
}

ss_error ss_status_atlas(ss_context *ctx, const ss_atlas_options *o, const ss_status_plane *plane,
                         ss_atlas **out) {
  plane_judging j;
  ss_atlas_options judged;
  SS_TRY(begin_judging(ctx, o, plane, &j, &judged));
  return ss_atlas_create(ctx, &judged, NULL, NULL, out);
}

ss_error ss_status_find_blocks(ss_context *ctx, const ss_atlas_options *o,
                               const ss_status_plane *plane, ss_atlas_block_list *list) {
  plane_judging j;
  ss_atlas_options judged;
  SS_TRY(begin_judging(ctx, o, plane, &j, &judged));
  return ss_atlas_find_blocks(ctx, &judged, NULL, NULL, list);
}
