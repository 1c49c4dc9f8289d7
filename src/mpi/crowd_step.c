// One step of a crowd, whole or in parts: the phases of dynamics/step/step.c on the bodies of each rank and their
// ghosts.
//
// Differences to one process, all of them documented in docs/scale-simulate.md: velocities of scenes that begin in motion and in
// contact are taken as they are (step/start.c), far contacts are scouted in one round, and energies are exact sums.
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/timer.h"
#include "la/vec3.h"
#include "mpi/crowd.h"
#include "mpi/crowd_sum.h"

double crowd_cpu_s(crowd *m, int phase, double since) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  double s = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
  if (phase >= 0) m->counts.cpu_s[phase] += s - since;
  return s;
}

static double most_of(const crowd *m, double x) {
  MPI_Allreduce(MPI_IN_PLACE, &x, 1, MPI_DOUBLE, MPI_MAX, m->c->comm);
  return x;
}

// ---- detection -----------------------------------------------------------------------------

// How far bodies may come in the step: the fastest of all, since whoever it hits may become as fast.
static double expected_reach(const crowd *m, double h) {
  const ssi_world *w = &m->world;
  double fastest = 0;
  for (int64_t k = 0; k < m->mine.count; k++) {
    const crowd_body *b = m->mine.body + k;
    fastest = fmax(fastest, ssi_speed(w, 0, b->v, w->body[b->number].extent));
  }
  fastest = most_of(m, fastest);
  return 1.1 * h * (fastest + h * ssi_norm3(m->scene->gravity)) + w->length.near;
}

// How far bodies of any rank were looked for.
static double searched(const crowd *m) {
  double reach = 0;
  for (int i = 0; i < m->here.count; i++) reach = fmax(reach, m->here.step.collider[i].reach);
  return most_of(m, reach);
}

static ss_error detect(crowd *m, ss_step_info *info) {
  crowd_local *l = &m->here;
  double start = ssi_now_s(), since = crowd_cpu_s(m, -1, 0);
  ssi_place(&l->world, &l->state, l->step.h, &l->step);
  ss_error e = ssi_predict(&l->world, &l->state, &l->step);
  for (int k = 0; k < m->world.ne; k++)
    l->step.external_reach[k] = ssi_external_reach(&l->world, &l->state, &l->step, k);
  MPI_Allreduce(MPI_IN_PLACE, l->step.external_reach, m->world.ne, MPI_DOUBLE, MPI_MAX, m->c->comm);
  l->step.touch_count = 0;
  if (!e) e = ssi_detect(&l->world, &l->state, &l->step);
  e = ranks_agree(m->c, e);
  info->time_detect_s += ssi_now_s() - start;
  crowd_cpu_s(m, CROWD_DETECT, since);
  return e;
}

// Contacts that the answer closes and that are not in the problem; where any rank has one that must be, all add theirs.
static ss_error extend(crowd *m, ss_step_info *info, int64_t *added) {
  crowd_local *l = &m->here;
  double start = ssi_now_s(), since = crowd_cpu_s(m, -1, 0);
  ssi_touch *all = NULL;
  int count = l->step.touch_count;
  bool missed = false;
  *added = 0;
  if (m->scene->stepping.drift != SS_DRIFT_GAP) return SS_OK;
  ss_error e = ssi_extend_find(&l->world, &l->state, &l->step, &all, &count, &missed);
  SS_TRY(ranks_agree(m->c, e));
  MPI_Allreduce(MPI_IN_PLACE, &missed, 1, MPI_C_BOOL, MPI_LOR, m->c->comm);
  *added = missed ? count - l->step.touch_count : 0;
  MPI_Allreduce(MPI_IN_PLACE, added, 1, MPI_INT64_T, MPI_SUM, m->c->comm);
  if (*added) ssi_extend_take(&l->step, all, count);
  info->time_detect_s += ssi_now_s() - start;
  crowd_cpu_s(m, CROWD_DETECT, since);
  return SS_OK;
}

// ---- the answer ----------------------------------------------------------------------------

// *outran: some body comes farther than ghosts were looked for.
static ss_error solve_in_rounds(crowd *m, ss_step_info *info, ssi_outcome *out, double *outran) {
  SS_TRY(detect(m, info));
  if ((*outran = searched(m)) > m->here.reach) return SS_OK;
  SS_TRY(crowd_scout(m, info));
  for (int64_t added = 1; added;) {
    SS_TRY(crowd_solve(m, info, out));
    if (!out->solved) return SS_OK;
    SS_TRY(extend(m, info, &added));
    if ((*outran = searched(m)) > m->here.reach) return SS_OK;
  }
  return SS_OK;
}

// ---- moving --------------------------------------------------------------------------------

enum { CONTACT, EXTERNAL, CORRECTION, INTEGRATOR, KINETIC, POTENTIAL, SUMS };

static void add_work(crowd_sum *sum, ssi_work w) {
  crowd_sum_add(&sum[CONTACT], w.contact);
  crowd_sum_add(&sum[EXTERNAL], w.external);
  crowd_sum_add(&sum[CORRECTION], w.correction);
  crowd_sum_add(&sum[INTEGRATOR], w.integrator);
}

// ssi_balance, before the bodies move.
static void balance(const crowd_local *l, crowd_sum *sum) {
  for (int i = 0; i < l->count; i++)
    if (l->own[i]) add_work(sum, ssi_body_work(&l->world, &l->step, &l->state, i));
  for (int i = 0; i < l->step.touch_count; i++)
    add_work(sum, ssi_contact_work(&l->world, &l->step, i));
}

// ssi_balance_end, of the new state.
static void balance_end(crowd *m, crowd_sum *sum) {
  const crowd_local *l = &m->here;
  ssi_record *n = &m->now;
  for (int i = 0; i < l->count; i++)
    if (l->own[i]) {
      crowd_sum_add(&sum[KINETIC], ssi_body_kinetic(&l->world, l->state.v, i));
      crowd_sum_add(&sum[POTENTIAL], ssi_body_potential(&l->world, l->state.pose + i, i));
    }
  crowd_sum_collect(m->c, sum, SUMS);
  ssi_sum_add(&n->contact, crowd_sum_value(&sum[CONTACT]));
  ssi_sum_add(&n->external, crowd_sum_value(&sum[EXTERNAL]));
  ssi_sum_add(&n->correction, crowd_sum_value(&sum[CORRECTION]));
  ssi_sum_add(&n->integrator, crowd_sum_value(&sum[INTEGRATOR]));
  n->kinetic = crowd_sum_value(&sum[KINETIC]) / 2;
  n->potential = crowd_sum_value(&sum[POTENTIAL]);
  ssi_balance_scale(n);
}

static ss_error all_finite(const crowd *m) {
  const crowd_local *l = &m->here;
  for (int k = 0; k < l->world.ndof; k++)
    if (!isfinite(l->step.v_new[k]))
      return ssi_fail(m->c->ctx, SS_ERR_DATA, "a velocity is not finite after step %lld, t = %g",
                      (long long)m->now.step + 1, m->now.time + l->step.h);
  return SS_OK;
}

// The owned bodies and the reactions of the local world, in the numbers of the scene.
static void take_back(crowd *m) {
  crowd_local *l = &m->here;
  crowd_bodies *b = &m->mine;
  size_t n = (size_t)l->world.per_body;
  int64_t at = 0;
  for (int i = 0; i < l->count; i++) {
    if (!l->own[i]) continue;
    crowd_body *to = b->body + at++;
    *to = (crowd_body){.number = l->number[i], .pose = l->state.pose[i]};
    memcpy(to->v, l->state.v + n * (size_t)i, n * sizeof(double));
    l->owner[i] = (int)at - 1;  // from here on: where it is
  }
  for (int i = 0; i < l->step.touch_count; i++) b->body[l->owner[l->step.touch[i].c.a]].work++;
  const ssi_memory *s = &l->state.memory;
  free(b->reaction);
  b->reaction = RANKS_TAKE(m->c, s->count, crowd_reaction);
  b->reactions = s->count;
  for (int k = 0; k < s->count; k++) {
    const ssi_remembered *r = s->list + k;
    int other = r->b < l->count ? l->number[r->b] : r->b - l->count + m->world.nb;
    b->reaction[k] = (crowd_reaction){l->number[r->a], other, r->held, r->key, {0}, r->gap};
    memcpy(b->reaction[k].impulse, r->impulse, sizeof r->impulse);
  }
}

static ss_error advance(crowd *m, bool solved) {
  crowd_local *l = &m->here;
  crowd_sum *sum = RANKS_TAKE(m->c, SUMS, crowd_sum);
  double since = crowd_cpu_s(m, -1, 0), theta = m->scene->stepping.theta;
  ss_error e = all_finite(m);
  for (int k = 0; k < l->world.ndof; k++)
    l->step.v_move[k] = theta * l->step.v_new[k] + (1 - theta) * l->state.v[k];
  if (!e) e = ssi_view_contacts(&l->world, &l->step, &l->view);
  if (!e) balance(l, sum);
  if (!e) e = ssi_remember(&l->world, &l->step, true, &l->state);
  if (!e && !solved) ssi_forget_impulses(&l->state.memory);
  e = ranks_agree(m->c, e);
  if (!e) {
    ssi_displace(&l->world, l->step.h, l->step.v_move, l->state.pose);
    memcpy(l->state.v, l->step.v_new, sizeof(double) * (size_t)l->world.ndof);
    m->now.time += l->step.h;
    m->now.last_h = l->step.h;
    balance_end(m, sum);
    take_back(m);
  }
  free(sum);
  crowd_cpu_s(m, CROWD_MOVE, since);
  return e;
}

// ---- a part --------------------------------------------------------------------------------

static void account(crowd *m, const ssi_outcome *out, ss_step_info *info) {
  const crowd_local *l = &m->here;
  int64_t counts[2] = {l->step.touch_count, 0};
  for (int i = 0; i < l->step.touch_count; i++)
    counts[1] += l->step.r[(size_t)i * l->world.dim] > 0;
  MPI_Allreduce(MPI_IN_PLACE, counts, 2, MPI_INT64_T, MPI_SUM, m->c->comm);
  info->h = fmin(info->h, l->step.h);
  info->contacts = (int)counts[0];
  info->active = (int)counts[1];
  info->status = out->solved ? SS_SOLVED : out->info.status;
  info->error = fmax(info->error, out->error);
  info->rounded += out->rounded;
  info->penetration = fmax(info->penetration, most_of(m, l->step.penetration));
}

// Where a body comes farther than ghosts were looked for, all of it once more with more of them: the answer is then
// what it would have been with these.
static ss_error part(crowd *m, double h, ss_step_info *info, bool *done) {
  ss_step_info tried;
  ssi_outcome out = {0};
  double reach = expected_reach(m, h), outran;
  for (;; reach = 1.5 * outran) {
    double since = crowd_cpu_s(m, -1, 0);
    tried = *info;
    SS_TRY(crowd_gather(m, h, reach));
    crowd_cpu_s(m, CROWD_ORDER, since);
    SS_TRY(solve_in_rounds(m, &tried, &out, &outran));
    if (outran <= reach) break;
  }
  *info = tried;
  account(m, &out, info);
  *done = out.solved ||
          (m->scene->stepping.unsolved == SS_UNSOLVED_GO && out.info.status != SS_CANCELLED);
  if (!*done) return SS_OK;
  info->parts++;
  info->unsolved += !out.solved;
  return advance(m, out.solved);
}

// h, or h/2 twice, and so on as deep as the scene allows.
static ss_error parts(crowd *m, double h, int depth, ss_step_info *info, bool *done) {
  const ss_stepping *o = &m->scene->stepping;
  SS_TRY(part(m, h, info, done));
  if (*done || info->status == SS_CANCELLED || o->unsolved != SS_UNSOLVED_HALVE ||
      depth >= o->halvings)
    return SS_OK;
  for (int half = 0; half < 2; half++) {
    SS_TRY(parts(m, h / 2, depth + 1, info, done));
    if (!*done) return SS_OK;
  }
  return SS_OK;
}

// ---- a step --------------------------------------------------------------------------------

static crowd_bodies copy_of(const ranks *c, const crowd_bodies *b) {
  crowd_bodies out = {RANKS_TAKE(c, b->count, crowd_body),
                      RANKS_TAKE(c, b->reactions, crowd_reaction), b->count, b->reactions};
  if (b->count) memcpy(out.body, b->body, sizeof *b->body * (size_t)b->count);
  if (b->reactions) memcpy(out.reaction, b->reaction, sizeof *b->reaction * (size_t)b->reactions);
  return out;
}

static double fastest_shape(const crowd *m) {
  double most = 0;
  for (int i = 0; i < m->here.count; i++)
    most = fmax(most, ssi_fastest_shape(&m->here.world, i, m->here.state.v));
  return most_of(m, most);
}

static void count_taken(crowd *m, ss_step_info *info) {
  m->now.step++;
  m->now.time = (double)m->now.step * m->scene->stepping.step;  // no drift of the sum
  ssi_count_step(&m->now.totals, info);
  info->speed = fastest_shape(m);
  ssi_look_for_the_end(&m->world, info->speed, &m->now);
}

ss_error crowd_step(crowd *m, ss_step_info *info) {
  double begin = ssi_now_s(), since = crowd_cpu_s(m, -1, 0);
  bool done = false;
  *info = (ss_step_info){.h = m->scene->stepping.step, .margin = NAN, .criterion = -1};
  if (m->now.step % m->o.split_every == 0 || !m->split[m->c->size]) crowd_partition(m);
  crowd_cpu_s(m, CROWD_ORDER, since);
  crowd_bodies before = copy_of(m->c, &m->mine);
  ssi_record then = m->now;
  m->now.end = 0;
  ss_error e = parts(m, m->scene->stepping.step, 0, info, &done);
  if (e || !done) {
    crowd_bodies swap = m->mine;
    m->mine = before;
    before = swap;
    m->now = then;
    m->here.view.contact_count = 0;
  }
  crowd_bodies_release(&before);
  SS_TRY(e);
  if (done)
    count_taken(m, info);
  else if (info->status != SS_CANCELLED)
    ssi_count_unsolved(&m->now, info);
  info->time = m->now.time;
  info->time_s = ssi_now_s() - begin;
  m->times[0] += info->time_detect_s;
  m->times[1] += info->time_solve_s;
  m->times[2] += info->time_s;
  return SS_OK;
}
