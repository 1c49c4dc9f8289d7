// Everything the next steps depend on as one block of bytes:
//
//   "SSCHECK2", size, which scene (a hash of masses, laws and stepping), the record, poses, velocities, the
//   memory of reactions, and a hash of all before it.
//
// Field by field, so that padding does not get in: the same state gives the same bytes.
#include <string.h>

#include "base/error.h"
#include "dynamics/step/sim.h"

static const char MAGIC[8] = {'S', 'S', 'C', 'H', 'E', 'C', 'K', '2'};

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
  double *numbers[] = {&r->time,  &r->last_h,  &r->kinetic,         &r->potential,
                       &r->start, &r->largest, &t->penetration_max, &t->error_max};
  for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
    field(b, numbers[k], sizeof(double));
  ssi_sum *sums[] = {&r->contact, &r->external, &r->correction, &r->integrator, &r->joint};
  for (size_t k = 0; k < sizeof sums / sizeof *sums; k++) {
    field(b, &sums[k]->value, sizeof(double));
    field(b, &sums[k]->rest, sizeof(double));
  }
  int64_t *counts[] = {&t->steps,       &t->unsolved_steps, &t->halved_steps, &t->rounded_steps,
                       &t->contact_sum, &t->active_sum,     &t->solve_sum,    &t->iteration_sum};
  for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) field(b, counts[k], sizeof(int64_t));
  field(b, &r->resting, sizeof r->resting);
  field(b, &r->end, sizeof r->end);
  field(b, &t->contacts_max, sizeof t->contacts_max);
}

static void bodies(block *b, const ss_simulation *s, ss_pose *pose, double *v) {
  for (int i = 0; i < s->nb; i++) {
    field(b, pose[i].x, sizeof pose[i].x);
    field(b, pose[i].q, sizeof pose[i].q);
  }
  field(b, v, sizeof(double) * (size_t)s->ndof);
}

static void memory(block *b, ssi_memory *m, int count) {
  for (int i = 0; i < count; i++) {
    field(b, &m[i].a, sizeof m[i].a);
    field(b, &m[i].b, sizeof m[i].b);
    field(b, &m[i].key, sizeof m[i].key);
    field(b, m[i].impulse, sizeof m[i].impulse);
    field(b, &m[i].held, sizeof m[i].held);
    field(b, &m[i].gap, sizeof m[i].gap);
  }
}

// What must be the same for a block to fit.
static uint64_t fingerprint(const ss_simulation *s) {
  uint64_t h = 0xcbf29ce484222325u;
  const ss_stepping *o = &s->scene->stepping;
  const int sizes[] = {s->dim, s->nb, s->ne, s->nl, (int)o->drift};
  const double numbers[] = {o->step, o->theta, o->recovery, o->margin, s->scene->solver.tol};
  h = hash(h, sizes, sizeof sizes);
  h = hash(h, numbers, sizeof numbers);
  h = hash(h, s->scene->gravity, sizeof s->scene->gravity);
  h = hash(h, s->mass, sizeof(double) * (size_t)s->ndof);
  for (int i = 0; i < s->nb; i++) h = hash(h, s->body[i].start, sizeof s->body[i].start);
  return hash(h, s->scene->solver.method, strlen(s->scene->solver.method));
}

static void all(block *b, ss_simulation *s) {
  char magic[8];
  memcpy(magic, MAGIC, sizeof magic);
  uint64_t size = b->size, which = fingerprint(s);
  field(b, magic, sizeof magic);
  field(b, &size, sizeof size);
  field(b, &which, sizeof which);
  field(b, &s->memory_count, sizeof s->memory_count);
  record(b, &s->now);
  bodies(b, s, s->pose, s->v);
  memory(b, s->memory, s->memory_count);
}

ss_error ss_simulation_save(ss_simulation *s, const void **bytes, size_t *size) {
  if (!s || !bytes || !size)
    return ssi_fail(s ? s->ctx : NULL, SS_ERR_ARGUMENT, "ss_simulation_save: null argument");
  block measure = {.mode = MEASURE, .ok = true};
  all(&measure, s);
  size_t total = measure.at + sizeof(uint64_t);
  if (total > s->checkpoint_capacity) {
    unsigned char *more = ssi_alloc(s->ctx, total, 2);
    if (!more) return ssi_fail(s->ctx, SS_ERR_MEMORY, "no memory for a checkpoint");
    ssi_release(s->ctx, s->checkpoint);
    s->checkpoint = more;
    s->checkpoint_capacity = 2 * total;
  }
  block b = {.mode = WRITE, .to = s->checkpoint, .size = total, .ok = true};
  all(&b, s);
  uint64_t check = hash(0xcbf29ce484222325u, s->checkpoint, b.at);
  field(&b, &check, sizeof check);
  *bytes = s->checkpoint;
  *size = total;
  return SS_OK;
}

static ss_error damaged(const ss_simulation *s, const char *what) {
  return ssi_fail(s->ctx, SS_ERR_DATA, "checkpoint: %s", what);
}

// Looks at everything before anything changes.
static ss_error check_block(const ss_simulation *s, const unsigned char *from, size_t size,
                            int *memories) {
  block b = {.mode = READ, .from = from, .size = size, .ok = true};
  char magic[8];
  uint64_t total, which, found, expected;
  if (size < 64) return damaged(s, "too short");
  field(&b, magic, sizeof magic);
  field(&b, &total, sizeof total);
  field(&b, &which, sizeof which);
  field(&b, memories, sizeof *memories);
  if (memcmp(magic, MAGIC, sizeof magic) != 0) return damaged(s, "not one of this program");
  if (total != size) return damaged(s, "its size is not what it says");
  memcpy(&found, from + size - sizeof found, sizeof found);
  expected = hash(0xcbf29ce484222325u, from, size - sizeof expected);
  if (found != expected) return damaged(s, "its contents are not what was written");
  if (which != fingerprint(s)) return damaged(s, "of another scene, or of other settings");
  return SS_OK;
}

ss_error ss_simulation_load(ss_simulation *s, const void *bytes, size_t size) {
  if (!s || !bytes)
    return ssi_fail(s ? s->ctx : NULL, SS_ERR_ARGUMENT, "ss_simulation_load: null argument");
  int memories = 0;
  SS_TRY(check_block(s, bytes, size, &memories));
  if (memories > s->memory_capacity) {
    ssi_memory *more = ssi_alloc(s->ctx, (size_t)memories, sizeof(ssi_memory));
    if (!more) return ssi_fail(s->ctx, SS_ERR_MEMORY, "no memory for a checkpoint");
    ssi_release(s->ctx, s->memory);
    s->memory = more;
    s->memory_capacity = memories;
  }
  s->memory_count = memories;
  block b = {.mode = READ, .from = bytes, .size = size, .ok = true};
  all(&b, s);
  s->contact_count = 0;
  ssi_sim_view_motion(s);
  return b.ok ? SS_OK : damaged(s, "its size does not fit its contents");
}
