// mpi/crowd.c - see crowd.h: life cycle, and what is refused.
#include "mpi/crowd.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "la/vec3.h"

static ss_error refused(const ranks *c, const char *what) {
  return ssi_fail(c->ctx, SS_ERR_UNSUPPORTED,
                  "%s: not for several processes; `stickslip simulate` has it", what);
}

static ss_error check(const ranks *c, const ss_scene *s) {
  const ss_stepping *o = &s->stepping;
  const char *method = s->solver.method;
  if (s->joint_count) return refused(c, "joints");
  if (s->spring_count || s->damper_count || s->bushing_count)
    return refused(c, "springs, dampers and bushings");
  if (o->contact_map != SS_MAP_EXPLICIT) return refused(c, "contact_map \"implicit\"");
  if (o->drift == SS_DRIFT_PROJECTION) return refused(c, "drift \"projection\"");
  if (o->least_norm) return refused(c, "least_norm");
  if (strcmp(method, "auto") != 0 && strcmp(method, "nsgs") != 0)
    return ssi_fail(c->ctx, SS_ERR_UNSUPPORTED,
                    "solver \"%s\": several processes sweep over domains (auto or nsgs); "
                    "`stickslip simulate` has it",
                    method);
  return SS_OK;
}

// Cells as large as the smallest body, 2^20 of them to each side of the middle of the start.
static void choose_cells(crowd *m) {
  const ssi_world *w = &m->world;
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  m->edge = INFINITY;
  for (int i = 0; i < w->nb; i++) {
    for (int k = 0; k < 3; k++) {
      low[k] = fmin(low[k], w->body[i].start.x[k]);
      high[k] = fmax(high[k], w->body[i].start.x[k]);
    }
    m->edge = fmin(m->edge, w->body[i].extent);
    m->extent += w->body[i].extent / w->nb;
  }
  for (int k = 0; k < 3 && w->nb; k++) m->origin[k] = low[k] / 2 + high[k] / 2;
}

// Pairs are looked at by the owner of the lower-numbered body, which comes first.
static bool is_not_mine(const void *user, int a, int b) {
  const crowd_local *l = user;
  return !l->own[a] || (l->world.ghosts && ssi_world_apart(&l->world, a, b));
}

static ss_error make_detector(crowd *m) {
  ss_collide_options o = ss_collide_options_default();
  o.margin = m->world.length.near;
  o.skip = is_not_mine;
  o.user = &m->here;
  return ss_detector_create(m->c->ctx, m->world.dim, &o, &m->detector);
}

ss_error crowd_create(ranks *c, const ss_scene *scene, const crowd_options *o, crowd *out) {
  crowd *m = out;
  *m = (crowd){.c = c, .scene = scene, .o = *o, .arena = {.ctx = c->ctx}};
  m->here.arena.ctx = m->here.step.work.ctx = c->ctx;
  m->split = RANKS_TAKE(c, c->size + 1, uint64_t);
  ss_error e = check(c, scene);
  if (!e) e = ssi_world_create(c->ctx, scene, &m->arena, &m->world);
  if (!e) e = make_detector(m);
  SS_TRY(ranks_agree(c, e));
  choose_cells(m);
  return SS_OK;
}

// ssi_balance_begin, with sums over all bodies that every rank has the same.
static void begin_balance(crowd *m) {
  const ssi_world *w = &m->world;
  double g = ssi_norm3(m->scene->gravity), fall = g * m->scene->stepping.step, kinetic = 0;
  for (int i = 0; i < w->nb; i++)
    for (int k = 0; k < w->per_body; k++)
      kinetic += w->mass[i * w->per_body + k] * w->body[i].velocity[k] * w->body[i].velocity[k];
  m->now.kinetic = m->now.start = m->now.largest = kinetic / 2;
  for (int i = 0; i < w->nb; i++)
    m->now.largest += w->body[i].mass * (fall * fall / 2 + g * w->body[i].extent);
}

void crowd_start(crowd *m) {
  const ranks *c = m->c;
  const ssi_world *w = &m->world;
  int64_t first = ranks_first(w->nb, c->size, c->rank);
  m->mine.count = ranks_first(w->nb, c->size, c->rank + 1) - first;
  m->mine.body = RANKS_TAKE(c, m->mine.count, crowd_body);
  m->mine.reaction = RANKS_TAKE(c, 0, crowd_reaction);
  for (int64_t k = 0; k < m->mine.count; k++) {
    crowd_body *b = m->mine.body + k;
    b->number = (int)(first + k);
    b->pose = w->body[b->number].start;
    memcpy(b->v, w->body[b->number].velocity, sizeof b->v);
  }
  begin_balance(m);
}

void crowd_bodies_release(crowd_bodies *b) {
  free(b->body);
  free(b->reaction);
  *b = (crowd_bodies){0};
}

void crowd_destroy(crowd *m) {
  crowd_local_release(&m->here);
  crowd_bodies_release(&m->mine);
  ss_detector_destroy(m->detector);
  if (m->c) ssi_shapes_release(m->c->ctx, &m->world.shapes);
  free(m->split);
  ssi_arena_release(&m->arena);
  *m = (crowd){0};
}
