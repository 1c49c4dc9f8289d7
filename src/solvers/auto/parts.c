#include "solvers/auto/parts.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "problem/cut.h"
#include "problem/graph.h"
#include "solvers/auto/numbers.h"

// ---- dividing ------------------------------------------------------------------------------

typedef struct division {
  ssi_partition parts;  // bundles of components
  int largest;          // contacts of the largest component
} division;

static bool divide(ssi_arena *scratch, const ss_problem *p, division *d) {
  ssi_partition *x = &d->parts;
  if (!ssi_partition_take(scratch, p, p->nc, x)) return false;
  int nodes = x->begin[SSI_KINDS], *leader = SSI_TAKE(scratch, nodes, int);
  int *size = SSI_TAKE(scratch, p->nc, int);
  if (scratch->failed) return false;
  ssi_contact_components(p, leader);
  for (int i = 0; i < p->nc; i++)
    if (++size[leader[i]] > d->largest) d->largest = size[leader[i]];
  int open = -1, load = 0;  // the bundle that still takes components, and its contacts
  for (int i = 0; i < p->nc; i++) {
    int first = leader[i];
    if (first == i && size[i] >= SSI_BUNDLE) {
      x->part[i] = x->count++;
    } else if (first == i) {
      if (open < 0 || load >= SSI_BUNDLE) open = x->count++, load = 0;
      x->part[i] = open;
      load += size[i];
    }
    x->part[i] = x->part[first];  // a leader comes before its followers
  }
  for (int k = p->nc; k < nodes; k++)  // a dof that no contact touches is in no part
    x->part[k] = leader[k] < p->nc ? x->part[leader[k]] : -1;
  ssi_partition_sort(x);
  return true;
}

static ss_error cut_part(ssi_parts *s, const ssi_system *sys, const division *d, int k) {
  ssi_part *part = &s->part[k];
  SS_TRY(ssi_cut(&s->arena, &sys->p, &d->parts, k, &part->p));
  int nc = part->p.nc, *contact = SSI_TAKE(&s->arena, nc, int);
  part->r = SSI_TAKE(&s->arena, (size_t)nc * (size_t)sys->dim, double);
  part->u = SSI_TAKE(&s->arena, (size_t)nc * (size_t)sys->dim, double);
  if (s->arena.failed) return SS_ERR_MEMORY;
  memcpy(contact, ssi_part_members(&d->parts, SSI_CONTACTS, k), sizeof *contact * (size_t)nc);
  part->contact = contact;
  SS_TRY(ssi_system_create(sys->ctx, &part->p, &part->sys));
  part->sys->measure = sys->measure;
  ssi_system_listen(part->sys, sys);
  return SS_OK;
}

static ss_error equip(ssi_parts *s, ssi_part *part, const ssi_method *method, const void *options,
                      size_t size, uint64_t seed) {
  void *own = ssi_instance_create(&part->method, method, &s->arena);
  if (own) memcpy(own, options, size);
  return ssi_instance_set_up(&part->method, part->sys, seed, &s->arena);
}

static bool may_divide(const ssi_system *sys) {
  return !sys->p.nl && (sys->p.form == SS_REDUCED || ssi_system_has_bodies(sys));
}

ss_error ssi_parts_create(ssi_parts *s, ssi_system *sys, const ssi_method *method,
                          const void *options, size_t size, uint64_t seed) {
  *s = (ssi_parts){.arena = {.ctx = sys->ctx}};
  if (!may_divide(sys)) return SS_OK;
  ssi_arena scratch = {.ctx = sys->ctx};
  division d = {0};
  ss_error e = divide(&scratch, &sys->p, &d) ? SS_OK : SS_ERR_MEMORY;
  if (!e && d.parts.count > 1 && d.largest <= sys->nc / 2) {
    s->part = SSI_TAKE(&s->arena, d.parts.count, ssi_part);
    if (s->part) s->count = d.parts.count;
    e = s->part ? SS_OK : SS_ERR_MEMORY;
    for (int k = 0; !e && k < s->count; k++) {
      e = cut_part(s, sys, &d, k);
      if (!e) e = equip(s, &s->part[k], method, options, size, seed);
    }
  }
  ssi_arena_release(&scratch);
  if (e) ssi_parts_release(s);
  return e;
}

void ssi_parts_release(ssi_parts *s) {
  for (int k = 0; k < s->count; k++) {
    ssi_instance_release(&s->part[k].method);
    ssi_system_destroy(s->part[k].sys);
  }
  ssi_arena_release(&s->arena);
  s->count = 0;
}

// ---- solving -------------------------------------------------------------------------------

static void gather(const ssi_part *p, int dim, const double *r) {
  for (int64_t i = 0; i < p->sys->nc; i++)
    for (int k = 0; k < dim; k++) p->r[dim * i + k] = r[(int64_t)dim * p->contact[i] + k];
}

static void scatter(const ssi_part *p, int dim, double *r) {
  for (int64_t i = 0; i < p->sys->nc; i++)
    for (int k = 0; k < dim; k++) r[(int64_t)dim * p->contact[i] + k] = p->r[dim * i + k];
}

// What |F_k| may be by fclib's measure, which is relative to the whole.
static double goal(const ssi_parts *s, const ssi_system *sys, const ssi_part *p) {
  return s->sharpness * sys->tol * sys->norm_q * sqrt((double)p->sys->nc / sys->nc);
}

// Returns the part's own measure. By (7) every component counts for itself, so that is what it has to bring
// below the tolerance; by fclib's the tolerance follows the scale that the measure divides by.
static double measure(const ssi_parts *s, const ssi_system *sys, ssi_part *p) {
  double error, error_fclib, square = 0;
  ssi_system_velocity(p->sys, p->r, p->u);
  ssi_system_measure(p->sys, p->r, p->u, &error, &error_fclib);
  for (int k = 0; k < p->sys->m; k++) square += p->u[k] * p->u[k];
  double scale = fmax(p->sys->norm_q, sqrt(square));
  bool whole = sys->measure == SS_MEASURE_FCLIB;
  p->error = whole ? error * scale : error;
  p->sys->tol = s->sharpness * sys->tol;
  if (whole) p->sys->tol = scale > 0 ? goal(s, sys, p) / scale : sys->tol;
  p->done = p->error <= (whole ? goal(s, sys, p) : p->sys->tol);
  return isfinite(error) ? error : INFINITY;
}

static void notice(ssi_part *p, double error) {
  if (p->method.method->notice) p->method.method->notice(p->method.state, error);
}

static void start(ssi_parts *s, ssi_system *sys, ssi_part *p) {
  p->stuck = false;
  double error = measure(s, sys, p);
  if (p->done) return;
  ssi_instance_begin(&p->method, p->sys, p->r);
  notice(p, error);
}

void ssi_parts_begin(ssi_parts *s, ssi_system *sys, const double *r) {
  s->at = s->turn = 0;
  s->longest = SSI_JUDGED;
  s->sharpness = 0.5;
  for (int k = 0; k < s->count; k++) {
    gather(&s->part[k], sys->dim, r);
    start(s, sys, &s->part[k]);
  }
}

// The next part that is not done, this one at the latest; false: none.
static bool next_turn(ssi_parts *s) {
  s->turn = 0;
  for (int k = 0; k < s->count; k++) {
    if (++s->at == s->count)
      s->at = 0, s->longest = s->longest < 1 << 28 ? 2 * s->longest : s->longest;
    if (!s->part[s->at].done && !s->part[s->at].stuck) return true;
  }
  return false;
}

// All parts are done, and the driver still calls: its measure wants more.
static bool sharpen(ssi_parts *s, ssi_system *sys) {
  for (int k = 0; k < s->count; k++)
    if (s->part[k].stuck) return false;
  s->sharpness *= SSI_GAIN;
  if (s->sharpness * sys->tol < DBL_EPSILON) return false;
  for (int k = 0; k < s->count; k++) start(s, sys, &s->part[k]);
  return true;
}

// What the parts leave together is below the tolerance, though some may be above their share.
static bool enough(const ssi_parts *s, const ssi_system *sys) {
  double square = 0, most = 0;
  for (int k = 0; k < s->count; k++) {
    square += s->part[k].error * s->part[k].error;
    if (!(s->part[k].error <= most)) most = s->part[k].error;
  }
  return sys->measure == SS_MEASURE_FCLIB ? sqrt(square) <= sys->tol * sys->norm_q
                                          : most <= sys->tol;
}

ssi_verdict ssi_parts_step(ssi_parts *s, ssi_system *sys, double *r, double *estimate) {
  ssi_part *p = &s->part[s->at];
  if ((p->done || p->stuck || s->turn >= s->longest) && !next_turn(s) && !sharpen(s, sys))
    return SSI_STALLED;
  p = &s->part[s->at];
  *estimate = INFINITY;
  s->measured = false;
  if (p->done || p->stuck) return SSI_CONTINUE;  // sharper, and this one is good enough already
  double own = NAN;
  p->stuck = ssi_instance_step(&p->method, p->sys, p->r, &own) == SSI_STALLED;
  s->measured = isnan(own) || own <= p->sys->tol || ++s->turn % SSI_WINDOW == 0;
  if (s->measured) notice(p, measure(s, sys, p));
  scatter(p, sys->dim, r);
  if (s->measured && enough(s, sys)) *estimate = NAN;
  return SSI_CONTINUE;
}

uint32_t ssi_parts_tried(const ssi_parts *s) {
  uint32_t all = 0;
  for (int k = 0; k < s->count; k++) {
    const ssi_instance *x = &s->part[k].method;
    if (x->method->tried) all |= x->method->tried(x->state);
  }
  return all;
}

void ssi_parts_end(ssi_parts *s) {
  for (int k = 0; k < s->count; k++) {
    const ssi_instance *x = &s->part[k].method;
    if (x->method->end) x->method->end(x->state);
  }
}
