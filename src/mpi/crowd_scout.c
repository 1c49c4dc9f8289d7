// Which contacts only reactions close: step/scout.c on several processes.
//
// Far contacts are those that velocities without reactions leave open. Reactions of a near contact change velocities by
// as much as it closes, twice at most where it bounces: far contacts of its bodies that this cannot close leave at
// once, unless they pushed in the last step (those may not close what gap they have, step/detect.c). What is left is in
// a rough answer, by sweeps over domains; those of it that push are taken in, and may bounce, until there are no more.
// What this misses costs another round after the solve, and is not missed then (crowd_step.c).
#include <math.h>
#include <stdlib.h>

#include "base/timer.h"
#include "la/vec3.h"
#include "mpi/crowd.h"
#include "mpi/share_sweep.h"

static const double ROUGH = 2e-2;  // as in step/scout.c
enum { SWEEPS = 200, FIRST = 10 };

static int64_t count_all(const crowd *m, int64_t mine) {
  MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_INT64_T, MPI_SUM, m->c->comm);
  return mine;
}

static int64_t count_far(const crowd *m) {
  int64_t far = 0;
  for (int i = 0; i < m->here.step.touch_count; i++) far += m->here.step.touch[i].far;
  return count_all(m, far);
}

// speed[body]: how fast a near contact of it closes, of all ranks.
static void closing_speeds(crowd *m, double *speed) {
  const crowd_local *l = &m->here;
  double fall = l->step.h * ssi_norm3(m->scene->gravity);
  for (int i = 0; i < l->step.touch_count; i++) {
    const ssi_touch *t = l->step.touch + i;
    if (t->far) continue;
    double closes = fmax(0, -(t->u0[0] + ssi_touch_term(t))) + fall;
    speed[t->c.a] = fmax(speed[t->c.a], closes);
    if (t->c.b < l->count) speed[t->c.b] = fmax(speed[t->c.b], closes);
  }
  crowd_bodies_most(m, speed);
}

static void drop_unreachable(crowd *m) {
  crowd_local *l = &m->here;
  double *speed = RANKS_TAKE(m->c, l->count, double);
  int count = 0;
  closing_speeds(m, speed);
  for (int i = 0; i < l->step.touch_count; i++) {
    const ssi_touch *t = l->step.touch + i;
    double most = fmax(speed[t->c.a], t->c.b < l->count ? speed[t->c.b] : 0);
    bool reached = t->held || t->u0[0] + t->open <= 2 * most;
    if (!t->far || reached) l->step.touch[count++] = *t;
  }
  l->step.touch_count = count;
  free(speed);
}

// Far contacts that push are far no longer; how many of all ranks. w of the problem follows.
static int64_t take_in(crowd *m, double *w) {
  crowd_local *l = &m->here;
  int64_t count = 0;
  for (int i = 0; i < l->step.touch_count; i++) {
    ssi_touch *t = l->step.touch + i;
    if (!t->far || !(l->step.r[(size_t)i * l->world.dim] > 0)) continue;
    ssi_touch_bound(&l->world, l->step.h, true, t);
    w[(size_t)i * l->world.dim] = t->w[0] + ssi_touch_term(t);
    t->far = false;
    count++;
  }
  return count_all(m, count);
}

// What does not nearly close either leaves.
static void keep_near(crowd *m) {
  crowd_local *l = &m->here;
  int count = 0;
  for (int i = 0; i < l->step.touch_count; i++) {
    ssi_touch *t = l->step.touch + i;
    double opens = l->step.h * l->step.u[(size_t)i * l->world.dim];
    if (t->far && opens > l->world.length.spare) continue;
    t->far = false;
    l->step.touch[count++] = *t;
  }
  l->step.touch_count = count;
}

static ss_error rough_answer(crowd *m, crowd_system *y, int *sweeps) {
  crowd_local *l = &m->here;
  double *w = (double *)l->step.problem.w;  // of this step, and of nobody else
  share_sweeps s;
  SS_TRY(share_sweeps_begin(&y->s, m->o.momentum, &s));
  for (double error, fclib; *sweeps < SWEEPS;) {
    for (int k = 0; k < FIRST; k++, ++*sweeps) share_sweeps_step(&s);
    share_sweeps_measure(&s, &error, &fclib);
    if (error > ROUGH && *sweeps < SWEEPS) continue;
    crowd_system_answer(m, y);
    if (!take_in(m, w)) break;
    crowd_system_impose(m, y, w);
  }
  return ssi_remember(&l->world, &l->step, false, &l->state);
}

ss_error crowd_scout(crowd *m, ss_step_info *info) {
  crowd_system y = {0};
  double start = ssi_now_s();
  const char *dump = m->dump;
  int sweeps = 0;
  if (!count_far(m)) return SS_OK;
  drop_unreachable(m);
  if (!count_far(m)) return SS_OK;
  m->dump = NULL;
  ss_error e = crowd_prepare(m, &y);
  double since = crowd_cpu_s(m, -1, 0);
  if (!e) e = rough_answer(m, &y, &sweeps);
  if (!e) keep_near(m);
  crowd_count_sweeps(m, &y.s, sweeps);
  crowd_cpu_s(m, CROWD_SWEEP, since);
  m->dump = dump;
  crowd_system_release(&y);
  info->sweeps += sweeps;
  info->time_solve_s += ssi_now_s() - start;
  return ranks_agree(m->c, e);
}
