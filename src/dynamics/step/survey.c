// What a simulation starts with, looked at before the first step: sizes, masses, gaps, and bodies that overlap.
//
// Overlap is not what a scene means, mostly: with drift "gap" a step opens it with the velocity
//
//   v = recovery (depth - allowed)/h,   which leaves the energy  (1/2) m v^2,  m = m_a m_b/(m_a + m_b),          (1)
//
// to two bodies that nothing holds (m = m_a against an external object): millimetres become explosions. Velocities
// only fall below that where friction or other bodies take part in it, so (1) is a bound for each pair.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "dynamics/step/simulation.h"
#include "la/vec3.h"

// Overlap that nobody means and everybody has: numbers written with four digits, faces of hulls. Of the extent of
// the smaller body.
static const double MEANT = 2e-3;
// How far a body moves in a step of the length that is suggested, of the extent of the smallest.
static const double MOVED = 0.1;
// A body so much larger or smaller than the one in the middle is taken for a slip of units.
static const double ODD = 1e3;

// ---- names ------------------------------------------------------------------------------------

void ss_simulation_name(const ss_simulation *sim, int which, char *out, size_t size) {
  if (!out || !size) return;
  const ssi_world *w = sim ? &sim->world : NULL;
  int k = SS_EXTERNAL - which;
  const char *name = NULL;
  if (w && which >= 0 && which < w->nb) name = w->body[which].name;
  if (w && k >= 0 && k < w->ne) name = w->scene->externals[k].name;
  if (name)
    snprintf(out, size, "%s", name);
  else if (which == SS_WORLD)
    snprintf(out, size, "the world");
  else
    snprintf(out, size, "%s %d", which >= 0 ? "body" : "external", which >= 0 ? which : k);
}

static int named(const ssi_world *w, int collider) {
  return collider < w->nb ? collider : SS_EXTERNAL - (collider - w->nb);
}

bool ss_simulation_problem_sides(const ss_simulation *sim, int contact, int *a, int *b) {
  if (!sim || !a || !b || contact < 0 || contact >= sim->step.problem.nc) return false;
  if (contact >= sim->step.touch_count) {
    const ssi_simjoint *j = ssi_drive_joint(&sim->world, &sim->step, contact);
    *a = j->a;
    *b = j->b;
    return true;
  }
  const ss_contact *c = &sim->step.touch[contact].c;
  *a = named(&sim->world, c->a);
  *b = named(&sim->world, c->b);
  return true;
}

// ---- overlaps ---------------------------------------------------------------------------------

static double energy_of(const ssi_world *w, const ss_contact *c, double depth) {
  const ss_stepping *o = &w->scene->stepping;
  if (o->drift != SS_DRIFT_GAP) return 0;
  double a = w->body[c->a].mass, v = o->recovery * (depth - w->length.allowed) / o->step;
  double m = c->b < w->nb ? a * w->body[c->b].mass / (a + w->body[c->b].mass) : a;
  return m * v * v / 2;
}

static double tolerance_of(const ssi_world *w, const ss_contact *c) {
  double extent = w->body[c->a].extent;
  if (c->b < w->nb) extent = fmin(extent, w->body[c->b].extent);
  return fmax(MEANT * extent, w->length.allowed);
}

// One per pair: the deepest point of it. Contacts come pair by pair.
static void add_overlap(const ssi_world *w, const ss_contact *c, ss_sim_start *out,
                        ss_start_overlap *list) {
  int a = named(w, c->a), b = named(w, c->b);
  ss_start_overlap *last = out->overlap_count ? list + out->overlap_count - 1 : NULL;
  bool same = last && last->a == a && last->b == b;
  if (same && last->depth >= -c->gap) return;
  if (!same) last = list + out->overlap_count++;
  *last = (ss_start_overlap){a, b, -c->gap, energy_of(w, c, -c->gap)};
}

static ss_error list_overlaps(const ssi_world *w, ssi_step *step, const ss_contacts *found,
                              ss_sim_start *out) {
  int deep = 0;
  for (int k = 0; k < found->count; k++)
    deep += -found->contact[k].gap > tolerance_of(w, &found->contact[k]);
  ss_start_overlap *list = SSI_TAKE(&step->work, deep, ss_start_overlap);
  if (step->work.failed) return ssi_fail(w->ctx, SS_ERR_MEMORY, "no memory for %d overlaps", deep);
  for (int k = 0; k < found->count; k++) {
    const ss_contact *c = &found->contact[k];
    if (-c->gap > tolerance_of(w, c)) add_overlap(w, c, out, list);
    out->gap = fmin(out->gap, c->gap);
    out->contacts += c->gap <= w->length.slop;
  }
  out->pairs = found->pairs;
  out->overlaps = list;
  for (int k = 1; k < out->overlap_count; k++)
    if (list[k].depth > list[out->deepest].depth) out->deepest = k;
  return SS_OK;
}

// ---- sizes ------------------------------------------------------------------------------------

static void measure(const ssi_world *w, ss_sim_start *out) {
  double speed = 0;
  for (int i = 0; i < w->nb; i++) {
    const ssi_simbody *b = w->body + i;
    out->mass_sum += b->mass;
    if (b->mass < w->body[out->lightest].mass) out->lightest = i;
    if (b->mass > w->body[out->heaviest].mass) out->heaviest = i;
    if (b->extent < w->body[out->smallest].extent) out->smallest = i;
    if (b->extent > w->body[out->largest].extent) out->largest = i;
    speed = fmax(speed, ssi_norm3(b->velocity));
  }
  if (!w->nb) return;
  double way = MOVED * w->body[out->smallest].extent, g = ssi_norm3(w->scene->gravity);
  out->extent[0] = w->body[out->smallest].extent, out->extent[1] = w->body[out->largest].extent;
  out->mass[0] = w->body[out->lightest].mass, out->mass[1] = w->body[out->heaviest].mass;
  out->step = g > 0 ? sqrt(2 * way / g) : INFINITY;
  if (speed > 0) out->step = fmin(out->step, way / speed);
}

// Sorting is not needed: the one in the middle is among few, and a count decides.
static double middle_extent(const ssi_world *w) {
  for (int i = 0; i < w->nb; i++) {
    int below = 0, equal = 0;
    for (int k = 0; k < w->nb; k++) {
      below += w->body[k].extent < w->body[i].extent;
      equal += w->body[k].extent == w->body[i].extent;
    }
    if (below <= w->nb / 2 && below + equal > w->nb / 2) return w->body[i].extent;
  }
  return 0;
}

static void find_odd(const ssi_world *w, ss_sim_start *out) {
  enum { MANY = 2000 };  // beyond it the middle costs more than it tells
  out->odd = -1;
  if (w->nb < 2 || w->nb > MANY || out->extent[1] < ODD * out->extent[0]) return;
  double middle = middle_extent(w);
  if (out->extent[1] >= ODD * middle) out->odd = out->largest;
  if (out->extent[0] * ODD <= middle) out->odd = out->smallest;
}

// ---- all of it --------------------------------------------------------------------------------

static ss_error look(ss_simulation *sim, ss_sim_start *out) {
  const ssi_world *w = &sim->world;
  ssi_arena_reset(&sim->step.work);
  *out = (ss_sim_start){.gap = INFINITY, .step = INFINITY};
  measure(w, out);
  find_odd(w, out);
  ss_contacts found;
  for (int i = 0; i < w->nb; i++) {
    sim->step.collider[i].pose = w->body[i].start;
    sim->step.collider[i].reach = 0;
  }
  for (int k = 0; k < w->ne; k++) {
    ssi_imposed_pose(w->scene->externals + k, 0, &sim->step.collider[w->nb + k].pose);
    sim->step.collider[w->nb + k].reach = 0;
  }
  SS_TRY(ss_collide(sim->step.detector, sim->step.collider, w->nb + w->ne, &found));
  return list_overlaps(w, &sim->step, &found, out);
}

ss_error ss_simulation_start(ss_simulation *sim, ss_sim_start *out) {
  if (!sim || !out)
    return ssi_fail(NULL, SS_ERR_ARGUMENT, "ss_simulation_start: sim or out is NULL");
  return ssi_pool_answer(sim->pool, look(sim, out));
}

ss_error ssi_refuse_overlap(ss_simulation *sim) {
  ss_sim_start start;
  if (sim->world.scene->overlap == SS_OVERLAP_PUSH) return SS_OK;
  SS_TRY(look(sim, &start));
  if (!start.overlap_count) return SS_OK;
  const ss_start_overlap *o = start.overlaps + start.deepest;
  char a[80], b[80], more[60] = "";
  ss_simulation_name(sim, o->a, a, sizeof a);
  ss_simulation_name(sim, o->b, b, sizeof b);
  if (start.overlap_count > 1)
    snprintf(more, sizeof more, "; %d pairs overlap, this is the deepest", start.overlap_count);
  return ssi_fail(
      sim->world.ctx, SS_ERR_DATA,
      "%s and %s overlap by %.3g at the start, which would give them an energy up to "
      "%.3g%s; move them apart, or say \"overlap\": \"push\" in the scene if it is meant",
      a, b, o->depth, o->energy, more);
}
