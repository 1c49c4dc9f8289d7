// Everything the next steps depend on as one block of bytes:
//
//   "SSCHECK6", size, which scene (a hash of masses, elements, motors, limits and stepping), the record, poses,
//   velocities, angles of elements, coordinates of joints, loads, targets and motions set between steps, impulses of motors
//   and limits, the memory of reactions, and a hash of all before it.
//
// Field by field, so that padding does not get in: the same state gives the same bytes.
#include <string.h>

#include "base/error.h"
#include "dynamics/step/simulation.h"

static const char MAGIC[8] = {'S', 'S', 'C', 'H', 'E', 'C', 'K', '6'};

static uint64_t hash(uint64_t h, const void *bytes, size_t size) {  // FNV-1a
  const unsigned char *b = bytes;
  for (size_t k = 0; k < size; k++) h = (h ^ b[k]) * 0x100000001b3u;
  return h;
}

enum { WRITE, READ, MEASURE };

typedef struct block {
  int mode;
  unsigned char *to;
  const unsigned char *from;
  size_t at, size;
  bool ok;
} block;

static void field(block *b, void *data, size_t size) {
  if (b->mode != MEASURE && size > b->size - b->at) b->ok = false;
  if (!b->ok) return;
  if (b->mode == WRITE && size) memcpy(b->to + b->at, data, size);
  if (b->mode == READ && size) memcpy(data, b->from + b->at, size);
  b->at += size;
}

static void record(block *b, ssi_record *r) {
  ss_sim_totals *t = &r->totals;
  field(b, &r->step, sizeof r->step);
  double *numbers[] = {&r->time,    &r->last_h,          &r->kinetic,   &r->potential, &r->start,
                       &r->largest, &t->penetration_max, &t->error_max, &r->elastic};
  for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
    field(b, numbers[k], sizeof(double));
  ssi_sum *sums[] = {&r->contact,    &r->external, &r->correction,
                     &r->integrator, &r->joint,    &r->element};
  for (size_t k = 0; k < sizeof sums / sizeof *sums; k++) {
    field(b, &sums[k]->value, sizeof(double));
    field(b, &sums[k]->rest, sizeof(double));
  }
  int64_t *counts[] = {&t->steps,         &t->unsolved_steps, &t->halved_steps,
                       &t->rounded_steps, &t->contact_sum,    &t->active_sum,
                       &t->solve_sum,     &t->iteration_sum,  &t->accepted_steps};
  for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) field(b, counts[k], sizeof(int64_t));
  field(b, &r->resting, sizeof r->resting);
  field(b, &r->end, sizeof r->end);
  field(b, &t->contacts_max, sizeof t->contacts_max);
  field(b, &t->solves_max, sizeof t->solves_max);
}

size_t ssi_record_pack(ssi_record *r, unsigned char *to, size_t size) {
  block b = {.mode = to ? WRITE : MEASURE, .to = to, .size = size, .ok = true};
  record(&b, r);
  return b.ok ? b.at : 0;
}

bool ssi_record_unpack(const unsigned char *from, size_t size, ssi_record *r) {
  block b = {.mode = READ, .from = from, .size = size, .ok = true};
  record(&b, r);
  return b.ok && b.at == size;
}

static void bodies(block *b, const ssi_world *w, ssi_state *s) {
  for (int i = 0; i < w->nb; i++) {
    field(b, s->pose[i].x, sizeof s->pose[i].x);
    field(b, s->pose[i].q, sizeof s->pose[i].q);
  }
  field(b, s->v, sizeof(double) * (size_t)w->ndof);
  field(b, s->angle, sizeof(double) * (size_t)w->angle_count);
  field(b, s->steer, 6 * sizeof(double) * (size_t)w->nb);
}

static void joints(block *b, const ssi_world *w, ssi_state *s) {
  field(b, s->coordinate, sizeof(double) * (size_t)w->nj);
  field(b, s->drive, sizeof(double) * (size_t)w->drive_count);
  for (int k = 0; k < w->nj; k++) {
    field(b, &s->aim[k].told, sizeof s->aim[k].told);
    field(b, &s->aim[k].target, sizeof s->aim[k].target);
    field(b, &s->aim[k].rate, sizeof s->aim[k].rate);
  }
}

// Those that were told between steps where to go; the others are the scene's again.
static void externals(block *b, ssi_world *w) {
  for (int k = 0; k < w->ne; k++) {
    ss_external *e = w->external + k;
    field(b, w->told + k, sizeof w->told[k]);
    if (b->mode == READ) *e = w->scene->externals[k];
    if (!w->told[k]) continue;
    if (b->mode == READ) e->motion = (ss_motion){.kind = SS_MOTION_CONSTANT};
    double *parts[] = {e->motion.velocity, e->motion.spin, e->motion.centre, e->pose.x};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
      field(b, parts[i], 3 * sizeof(double));
    field(b, e->pose.q, sizeof e->pose.q);
    field(b, &e->motion.start, sizeof e->motion.start);
  }
}

static void memory(block *b, ssi_remembered *m, int count) {
  for (int i = 0; i < count; i++) {
    field(b, &m[i].a, sizeof m[i].a);
    field(b, &m[i].b, sizeof m[i].b);
    field(b, &m[i].key, sizeof m[i].key);
    field(b, m[i].impulse, sizeof m[i].impulse);
    field(b, &m[i].held, sizeof m[i].held);
    field(b, &m[i].gap, sizeof m[i].gap);
  }
}

static uint64_t curve_hash(uint64_t h, const ssi_curve *c) {
  h = hash(h, &c->slope, sizeof c->slope);
  return hash(h, c->table, 2 * sizeof(double) * (size_t)c->rows);
}

static uint64_t drive_hash(uint64_t h, const ssi_world *w, const ssi_drive *d) {
  const ss_motor *m = &w->scene->joints[d->joint].motor;
  const int what[] = {(int)d->kind, d->joint, (int)m->kind};
  const double numbers[] = {d->bound, m->target, m->stiffness, m->damping, m->max_force};
  h = hash(h, what, sizeof what);
  h = hash(h, numbers, sizeof numbers);
  return hash(h, m->table, 2 * sizeof(double) * (size_t)m->rows);
}

// What must be the same for a block to fit.
uint64_t ssi_fingerprint(const ssi_world *w) {
  uint64_t h = 0xcbf29ce484222325u;
  const ss_stepping *o = &w->scene->stepping;
  const int sizes[] = {w->dim, w->nb, w->ne, w->nl, (int)o->drift};
  const double numbers[] = {o->step, o->theta, o->recovery, o->margin, w->scene->solver.tol};
  h = hash(h, sizes, sizeof sizes);
  h = hash(h, numbers, sizeof numbers);
  if (o->contact_map != SS_MAP_EXPLICIT) h = hash(h, &o->contact_map, sizeof o->contact_map);
  h = hash(h, w->scene->gravity, sizeof w->scene->gravity);
  h = hash(h, w->mass, sizeof(double) * (size_t)w->ndof);
  for (int i = 0; i < w->nb; i++) h = hash(h, w->body[i].start.x, sizeof w->body[i].start.x);
  for (int k = 0; k < w->element_count; k++) {
    const ssi_element *e = w->element + k;
    const int ends[] = {(int)e->kind, e->a, e->b};
    h = hash(h, ends, sizeof ends);
    h = hash(h, &e->rest, sizeof e->rest);
    h = hash(h, e->at_a, sizeof e->at_a);
    h = hash(h, e->at_b, sizeof e->at_b);
    for (int i = 0; i < SSI_MEASURES; i++)
      h = curve_hash(curve_hash(h, e->force + i), e->damping + i);
  }
  for (int k = 0; k < w->drive_count; k++) h = drive_hash(h, w, w->drive + k);
  return hash(h, w->scene->solver.method, strlen(w->scene->solver.method));
}

static void all(block *b, ssi_world *w, ssi_state *s) {
  char magic[8];
  memcpy(magic, MAGIC, sizeof magic);
  uint64_t size = b->size, which = ssi_fingerprint(w);
  field(b, magic, sizeof magic);
  field(b, &size, sizeof size);
  field(b, &which, sizeof which);
  field(b, &s->memory.count, sizeof s->memory.count);
  record(b, &s->now);
  bodies(b, w, s);
  joints(b, w, s);
  externals(b, w);
  memory(b, s->memory.list, s->memory.count);
}

static ss_error missing(ss_simulation *sim, const char *call) {
  ss_error e = ssi_fail(sim ? sim->world.ctx : NULL, SS_ERR_ARGUMENT, "%s: null argument", call);
  return sim ? ssi_pool_answer(sim->pool, e) : e;
}

static ss_error save(ss_simulation *sim, const void **bytes, size_t *size) {
  ss_context *ctx = sim->world.ctx;
  block measure = {.mode = MEASURE, .ok = true};
  all(&measure, &sim->world, &sim->state);
  size_t total = measure.at + sizeof(uint64_t);
  if (total > sim->checkpoint_capacity) {
    unsigned char *more = ssi_alloc(ctx, total, 2);
    if (!more) return ssi_fail(ctx, SS_ERR_MEMORY, "no memory for a checkpoint");
    ssi_release(ctx, sim->checkpoint);
    sim->checkpoint = more;
    sim->checkpoint_capacity = 2 * total;
  }
  block b = {.mode = WRITE, .to = sim->checkpoint, .size = total, .ok = true};
  all(&b, &sim->world, &sim->state);
  uint64_t check = hash(0xcbf29ce484222325u, sim->checkpoint, b.at);
  field(&b, &check, sizeof check);
  *bytes = sim->checkpoint;
  *size = total;
  return SS_OK;
}

ss_error ss_simulation_save(ss_simulation *sim, const void **bytes, size_t *size) {
  if (!sim || !bytes || !size) return missing(sim, "ss_simulation_save");
  return ssi_pool_answer(sim->pool, save(sim, bytes, size));
}

static ss_error damaged(const ssi_world *w, const char *what) {
  return ssi_fail(w->ctx, SS_ERR_DATA, "checkpoint: %s", what);
}

// Looks at everything before anything changes.
static ss_error check_block(const ssi_world *w, const unsigned char *from, size_t size,
                            int *memories) {
  block b = {.mode = READ, .from = from, .size = size, .ok = true};
  char magic[8];
  uint64_t total, which, found, expected;
  if (size < 64) return damaged(w, "too short");
  field(&b, magic, sizeof magic);
  field(&b, &total, sizeof total);
  field(&b, &which, sizeof which);
  field(&b, memories, sizeof *memories);
  if (memcmp(magic, MAGIC, sizeof magic) != 0) return damaged(w, "not one of this program");
  if (total != size) return damaged(w, "its size is not what it says");
  memcpy(&found, from + size - sizeof found, sizeof found);
  expected = hash(0xcbf29ce484222325u, from, size - sizeof expected);
  if (found != expected) return damaged(w, "its contents are not what was written");
  if (which != ssi_fingerprint(w)) return damaged(w, "of another scene, or of other settings");
  return SS_OK;
}

static ss_error load(ss_simulation *sim, const void *bytes, size_t size) {
  ssi_world *w = &sim->world;
  int memories = 0;
  SS_TRY(check_block(w, bytes, size, &memories));
  if (!ssi_memory_reserve(w->ctx, &sim->state.memory, memories))
    return ssi_fail(w->ctx, SS_ERR_MEMORY, "no memory for a checkpoint");
  sim->state.memory.count = memories;
  block b = {.mode = READ, .from = bytes, .size = size, .ok = true};
  all(&b, w, &sim->state);
  // the duration is that of now: a run may be extended
  int *end = &sim->state.now.end;
  if (*end == 0 || *end == SSI_END_DURATION)
    *end = ssi_duration_over(&w->scene->stepping, sim->state.now.time) ? SSI_END_DURATION : 0;
  sim->view.contact_count = 0;
  if (w->nj) memset(sim->view.joint_impulse, 0, 6 * sizeof(double) * (size_t)w->nj);
  ssi_view_motion(w, &sim->state, &sim->step, &sim->view);
  return b.ok ? SS_OK : damaged(w, "its size does not fit its contents");
}

ss_error ss_simulation_load(ss_simulation *sim, const void *bytes, size_t size) {
  if (!sim || !bytes) return missing(sim, "ss_simulation_load");
  return ssi_pool_answer(sim->pool, load(sim, bytes, size));
}
