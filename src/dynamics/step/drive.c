// Motors and limits of joints within one step, as contacts of its friction problem: the same solver, the same verdict.
//
// With q the coordinate of a joint and B its row over the step (scene/drives.h), q_1 - q_0 = h (B v_m + given):
//
// *Limits*, q >= low: a contact without friction, u_N = B v~_1 + given + (q_0 - low)/h >= 0, normal to its impulse p >= 0
// (for q <= high with the other sign). What is at a limit moves with theta = 1, v_m = v~_1, so that q_1 >= low.
//
// *Motors*: an impulse |p| <= P = h max_force along B. With S = theta h stiffness + damping a servo has
//
//   p = -h (stiffness (q_theta - target) + damping ((q_1 - q_0)/h - rate))   clipped at +-P                (1)
//     <=>   B v_1 + shift + p/(h theta S) = 0 where |p| < P,   its sign is that of -p where |p| = P          (2)
//
// with the rest of v_m in `shift`; a motor without damping has S = infinity and binds v~_1 itself, B v~_1 + given = target.
// (2) is dry friction against a moving ground whose normal impulse is known: Coulomb's law with r_N = P, mu = 1. In the
// problem both come from degrees of freedom that only it has, of mass m each ("ghosts", after those of the bodies),
//
//   m z = a r_N - a P,   u_N = a z                  ->  u_N >= 0, r_N >= 0, u_N r_N = 0  gives  r_N = P      (3)
//   m y = e r_T,         u_T = B v_1 + shift + e y  ->  u_T = B v_1 + shift + (e^2/m) r_T                    (4)
//
// a > 0 is free: a^2 P/m, the size of u_N before reactions, is made that of the other rows, which errors are relative to.
// Rows are multiplied with a length that gives them the mass m, so that u is a velocity. Where P is far above what the
// step needs, as r_N of (3) it would drown r_T: then a smaller P is taken, and where the answer comes near it, a larger
// one in the next pass. What is below a smaller bound is below the motor's own, too: (2) is the same.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "dynamics/step/step.h"
#include "la/vec3.h"

static const double AMPLE = 100;  // P above this many times what the step seems to need is not used
static const double NEAR = 0.9;   // of a P that is not the motor's own
static const double CLOSE = 1e-9;  // rad: angles to a limit that are none, as `slop` is of lengths

static const ss_motor *motor_of(const ssi_world *w, const ssi_drive *d) {
  return &w->scene->joints[d->joint].motor;
}

static ss_error no_memory(const ssi_world *w) {
  return ssi_fail(w->ctx, SS_ERR_MEMORY, "no memory for %d motors and limits", w->drive_count);
}

static double side_of(const ssi_drive *d) {
  return d->kind == SSI_HIGH ? -1 : 1;
}

static double room(const ssi_drive *d, double q) {
  return side_of(d) * (q - d->bound);
}

bool ssi_drives_ready(const ssi_world *w, ssi_arena *a, ssi_drives *drives) {
  drives->pull = SSI_TAKE(a, w->drive_count, ssi_pull);
  return !a->failed;
}

// ---- which are in the problem -----------------------------------------------------------------

// Limits that the velocities of the beginning reach within this step or the half of the next.
static bool near_limit(const ssi_world *w, const ssi_state *s, const ssi_step *step,
                       const ssi_drive *d) {
  ssi_action act;
  ssi_span here = {s->pose, s->pose, s->now.time, 0, step->twist, s->now.time};
  ssi_coordinate_act(w, d->joint, &here, s->v, s->coordinate, &act);
  double rate = side_of(d) * (ssi_coordinate_speed(w, &act, s->v) + act.given[0]);
  double slop = w->joint[d->joint].kind == SS_JOINT_HINGE ? CLOSE : w->length.slop;
  return room(d, s->coordinate[d->joint]) + 1.5 * step->h * fmin(rate, 0) <= slop;
}

void ssi_drive_begin(const ssi_world *w, const ssi_state *s, ssi_step *step) {
  ssi_drives *drives = &step->drives;
  double scale = s->now.last_h > 0 ? step->h / s->now.last_h : 0;
  drives->count = 0;
  for (int k = 0; k < w->drive_count; k++) {
    ssi_pull *x = drives->pull + k;
    *x = (ssi_pull){.impulse = scale * s->drive[k]};
    x->in = w->drive[k].kind == SSI_MOTOR || near_limit(w, s, step, w->drive + k);
    drives->count += x->in;
  }
}

void ssi_drive_extend(const ssi_world *w, const ssi_state *s, ssi_step *step, int *added) {
  ssi_span across = {s->pose, step->hold.to, s->now.time, step->h, NULL, 0};
  *added = 0;
  for (int k = 0; k < w->drive_count; k++) {
    const ssi_drive *d = w->drive + k;
    ssi_pull *x = step->drives.pull + k;
    if (x->in) continue;
    ssi_coordinate_act(w, d->joint, &across, step->v_move, s->coordinate, &x->act);
    x->in = room(d, s->coordinate[d->joint] + x->act.change[0]) < 0;
    *added += x->in;
  }
  step->drives.count += *added;
}

// ---- numbers of one drive ---------------------------------------------------------------------

// At t, and its rate over the step.
static void target_of(const ssi_world *w, const ssi_state *s, int joint, double h, double theta,
                      double *target, double *rate) {
  const ssi_aim *told = s->aim + joint;
  const ss_motor *m = &w->scene->joints[joint].motor;
  *target = told->told ? told->target : m->target;
  *rate = told->told ? told->rate : 0;
  if (told->told || !m->rows) return;
  ssi_curve path = {0, m->rows, m->table};
  double slope, begin = ssi_curve_at(&path, s->now.time, &slope);
  double end = ssi_curve_at(&path, s->now.time + h, &slope);
  bool rigid = m->kind == SS_MOTOR_VELOCITY && m->damping == 0;
  *target = rigid ? end : begin + theta * (end - begin);
  *rate = (end - begin) / h;
}

// shift and the entry e of (2) and (4), without the length.
static void set_motor(const ssi_world *w, const ssi_state *s, const ssi_step *step,
                      const ssi_drive *d, ssi_pull *x) {
  const ssi_hold *hold = &step->hold;
  const ss_motor *m = motor_of(w, d);
  double theta = hold->theta[w->joint[d->joint].a], target, rate, h = step->h;
  target_of(w, s, d->joint, h, theta, &target, &rate);
  bool servo = m->kind == SS_MOTOR_POSITION;
  double kicked = ssi_coordinate_speed(w, &x->act, hold->second), given = x->act.given[0];
  double S = (servo ? theta * h * m->stiffness : 0) + m->damping;
  if (S == 0) {
    x->shift = kicked + given - target;
    return;
  }
  double before =
      ssi_coordinate_speed(w, &x->act, s->v) + ssi_coordinate_speed(w, &x->act, hold->first);
  double wanted = servo ? m->stiffness * (s->coordinate[d->joint] - target) - m->damping * rate
                        : -m->damping * target;
  x->shift = kicked + ((1 - theta) * before + given + wanted / S) / theta;
  x->slack = sqrt(1 / (h * theta * S));
}

static void set_limit(const ssi_world *w, const ssi_state *s, const ssi_step *step,
                      const ssi_drive *d, ssi_pull *x) {
  double gap = room(d, s->coordinate[d->joint]);
  double kicked = ssi_coordinate_speed(w, &x->act, step->hold.second);
  x->term = (gap < 0 ? w->scene->stepping.recovery * gap : gap) / step->h + side_of(d) * kicked;
  x->shift = side_of(d) * x->act.given[0] + x->term;
}

// The length that gives the row the mass m: length^2 B M^-1 B^T = 1/m.
static void set_length(const ssi_world *w, double m, ssi_pull *x) {
  double sum = 0;
  for (int side = 0; side < 2; side++)
    for (int d = 0; x->act.body[side] >= 0 && d < w->per_body; d++) {
      double b = x->act.row[0][side][d];
      sum += b * b / w->mass[(size_t)x->act.body[side] * w->per_body + (size_t)d];
    }
  x->length = 1 / sqrt(m * sum);
}

// ---- rows -------------------------------------------------------------------------------------

typedef struct drive_rows {
  int64_t *ptr;
  int *col;
  double *x;
  int rows;
  int64_t at;
} drive_rows;

static void put(drive_rows *o, int col, double x) {
  o->col[o->at] = col;
  o->x[o->at++] = x;
}

static void end_row(drive_rows *o) {
  o->ptr[++o->rows] = o->at;
}

// scale B, columns increasing
static void put_coordinate(const ssi_world *w, const ssi_action *act, double scale, drive_rows *o) {
  int first = act->body[1] >= 0 && act->body[1] < act->body[0];
  for (int k = 0; k < 2; k++) {
    int side = k ? 1 - first : first, body = act->body[side];
    for (int d = 0; body >= 0 && d < w->per_body; d++)
      put(o, body * w->per_body + d, scale * act->row[0][side][d]);
  }
}

// The largest impulse that (3) is made with, in the unit of the row, and a.
static double set_ground(const ssi_world *w, const ssi_step *step, const ss_motor *m, double speed,
                         double mass, ssi_pull *x) {
  double own = step->h * m->max_force / x->length;
  double free_speed = fabs(x->length * (ssi_coordinate_speed(w, &x->act, step->v_free) + x->shift));
  speed = fmax(fmax(speed, free_speed), w->length.slop / step->h);
  x->bound = fmin(own, AMPLE * (fabs(x->impulse) / x->length + mass * speed));
  x->own = x->bound >= own;
  return sqrt(mass * speed / x->bound);
}

static void put_motor(const ssi_world *w, ssi_step *step, int k, double speed, ssi_pull *x,
                      drive_rows *o) {
  int ghost = w->ndof + k * w->per_body;
  double mass = w->mass[ghost], a = set_ground(w, step, motor_of(w, w->drive + k), speed, mass, x);
  put(o, ghost, a);
  end_row(o);
  put_coordinate(w, &x->act, x->length, o);
  if (x->slack > 0) put(o, ghost + 1, x->length * x->slack * sqrt(mass));
  end_row(o);
  if (w->dim == 3) put(o, ghost + 2, 1);
  if (w->dim == 3) end_row(o);
  step->f[ghost] = a * x->bound;
  step->v_free[ghost] = -step->f[ghost] / mass;
}

static void put_limit(const ssi_world *w, int k, ssi_pull *x, drive_rows *o) {
  int ghost = w->ndof + k * w->per_body;
  put_coordinate(w, &x->act, side_of(w->drive + k) * x->length, o);
  end_row(o);
  for (int d = 1; d < w->dim; d++) {
    put(o, ghost + d, 1);
    end_row(o);
  }
}

static bool copy_rows(const ssi_world *w, ssi_step *step, const ss_sparse *H, drive_rows *o) {
  size_t rows = (size_t)H->rows + (size_t)(w->dim * w->drive_count);
  size_t old = (size_t)H->ptr[H->rows];
  size_t most = old + (size_t)w->drive_count * (2 * (size_t)w->per_body + 3);
  o->ptr = SSI_TAKE(&step->work, rows + 1, int64_t);
  o->col = SSI_TAKE(&step->work, most, int);
  o->x = SSI_TAKE(&step->work, most, double);
  if (step->work.failed) return false;
  memcpy(o->ptr, H->ptr, sizeof *o->ptr * ((size_t)H->rows + 1));
  if (old) memcpy(o->col, H->col, sizeof *o->col * old);
  if (old) memcpy(o->x, H->x, sizeof *o->x * old);
  o->rows = H->rows;
  o->at = (int64_t)old;
  return true;
}

static void aim(const ssi_world *w, const ssi_state *s, ssi_step *step, int k) {
  const ssi_drive *d = w->drive + k;
  ssi_pull *x = step->drives.pull + k;
  ssi_span across = {s->pose, step->hold.to, s->now.time, step->h, NULL, 0};
  ssi_coordinate_act(w, d->joint, &across, step->v_move, s->coordinate, &x->act);
  if (d->kind == SSI_MOTOR)
    set_motor(w, s, step, d, x);
  else
    set_limit(w, s, step, d, x);
  set_length(w, w->mass[w->ndof + k * w->per_body], x);
}

ss_error ssi_drive_aim(const ssi_world *w, const ssi_state *s, ssi_step *step, double *mu,
                       double *imposed) {
  ss_problem *p = &step->problem;
  drive_rows o = {0};
  double rate2, terms2;
  if (!copy_rows(w, step, &p->H, &o)) return no_memory(w);
  ssi_joint_size(w, step, &step->hold.mean.G, p->b, step->v_free, &rate2, &terms2);
  int c = step->touch_count;
  for (int k = 0; k < w->drive_count; k++) {
    ssi_pull *x = step->drives.pull + k;
    if (!x->in) continue;
    aim(w, s, step, k);
    bool motor = w->drive[k].kind == SSI_MOTOR;
    if (motor)
      put_motor(w, step, k, sqrt(rate2 / w->nl), x, &o);
    else
      put_limit(w, k, x, &o);
    mu[c] = motor;
    imposed[(size_t)c++ * w->dim + motor] = x->length * x->shift;
  }
  p->H = (ss_sparse){o.rows, w->nall, o.ptr, o.col, o.x};
  return SS_OK;
}

ss_error ssi_drive_keep(const ssi_world *w, const ssi_state *s, ssi_step *step, ss_sparse *H,
                        double *left) {
  ssi_span here = {s->pose, s->pose, s->now.time, 0, NULL, 0};
  drive_rows o = {0};
  if (!copy_rows(w, step, H, &o)) return no_memory(w);
  for (int k = 0; k < w->drive_count; k++) {
    const ssi_drive *d = w->drive + k;
    ssi_pull x = {0};
    if (d->kind == SSI_MOTOR) continue;
    ssi_coordinate_act(w, d->joint, &here, s->v, s->coordinate, &x.act);
    set_length(w, w->mass[w->ndof + k * w->per_body], &x);
    double gap = x.length * room(d, x.act.angle[0]);
    left[o.rows] = gap < 0 ? w->scene->stepping.recovery * gap : gap;
    put_limit(w, k, &x, &o);
  }
  *H = (ss_sparse){o.rows, w->nall, o.ptr, o.col, o.x};
  return SS_OK;
}

// ---- the answer -------------------------------------------------------------------------------

void ssi_drive_recall(const ssi_world *w, const ssi_step *step, double *guess) {
  int c = step->touch_count;
  for (int k = 0; k < w->drive_count; k++) {
    const ssi_pull *x = step->drives.pull + k;
    if (!x->in) continue;
    double *r = guess + (size_t)c++ * w->dim, impulse = x->impulse / x->length;
    memset(r, 0, sizeof(double) * (size_t)w->dim);
    r[0] = w->drive[k].kind == SSI_MOTOR ? x->bound : fmax(side_of(w->drive + k) * impulse, 0);
    if (w->drive[k].kind == SSI_MOTOR) r[1] = fmax(fmin(impulse, x->bound), -x->bound);
  }
}

bool ssi_drive_take(const ssi_world *w, ssi_step *step) {
  bool wide = true;
  int c = step->touch_count;
  for (int k = 0; k < w->drive_count; k++) {
    ssi_pull *x = step->drives.pull + k;
    if (!x->in) continue;
    const double *r = step->r + (size_t)c++ * w->dim;
    bool motor = w->drive[k].kind == SSI_MOTOR;
    x->impulse = x->length * (motor ? r[1] : side_of(w->drive + k) * r[0]);
    wide = wide && (!motor || x->own || fabs(r[1]) <= NEAR * x->bound);
  }
  return wide;
}

const ssi_simjoint *ssi_drive_joint(const ssi_world *w, const ssi_step *step, int contact) {
  int c = step->touch_count, k = 0;
  while (!step->drives.pull[k].in || c++ < contact) k++;
  return w->joint + w->drive[k].joint;
}

void ssi_drive_move(const ssi_world *w, const ssi_step *step, ssi_state *s) {
  for (int k = 0; k < w->drive_count; k++)
    s->drive[k] = step->drives.pull[k].in ? step->drives.pull[k].impulse : 0;
}

// A motor gives h (force) . (rate of the coordinate), with what an external object that it is at gives or takes. A
// limit is a contact: what its impulse takes from the approach is dissipated, its gap term is a correction.
void ssi_drive_balance(const ssi_world *w, const ssi_step *step, ssi_state *s) {
  for (int k = 0; k < w->drive_count; k++) {
    const ssi_pull *x = step->drives.pull + k;
    if (!x->in) continue;
    double p = x->impulse, given = x->act.given[0];
    double before = ssi_coordinate_speed(w, &x->act, s->v);
    double mean = (before + ssi_coordinate_speed(w, &x->act, step->v_new)) / 2;
    double moved = ssi_coordinate_speed(w, &x->act, step->v_move);
    if (w->drive[k].kind == SSI_MOTOR) {
      ssi_sum_add(&s->now.external, p * moved);
      ssi_sum_add(&s->now.integrator, p * (mean - moved));
      continue;
    }
    double correction = side_of(w->drive + k) * p * x->term / 2;
    ssi_sum_add(&s->now.contact, p * (mean + given) + correction);
    ssi_sum_add(&s->now.correction, -correction);
    ssi_sum_add(&s->now.external, -p * given);
  }
}

// ---- coordinates ------------------------------------------------------------------------------

void ssi_coordinates_follow(const ssi_world *w, const ssi_step *step, ssi_state *s) {
  ssi_span across = {s->pose, step->hold.to, s->now.time, step->h, NULL, 0};
  for (int k = 0; k < w->nj; k++) {
    ssi_action act;
    if (!ssi_moves(w->joint + k)) continue;
    ssi_coordinate_act(w, k, &across, step->v_move, s->coordinate, &act);
    s->coordinate[k] = act.angle[0];
  }
}

void ssi_coordinates_settle(const ssi_world *w, ssi_state *s) {
  ssi_span here = {s->pose, s->pose, s->now.time, 0, NULL, 0};
  for (int k = 0; k < w->nj; k++) {
    ssi_action act;
    if (!ssi_moves(w->joint + k)) continue;
    ssi_coordinate_act(w, k, &here, s->v, s->coordinate, &act);
    s->coordinate[k] = act.angle[0];
  }
}
