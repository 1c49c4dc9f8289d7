// A run as text for spreadsheets: bodies.csv, contacts.csv and joints.csv have a row for each of them and frame,
// energy.csv one for each step. docs/formats-run.md has the columns.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "io/reader.h"
#include "io/run_scene.h"

enum { BODIES, CONTACTS, JOINTS, ENERGY, TABLES };

static const char *const names[TABLES] = {"bodies", "contacts", "joints", "energy"};
static const char *const heads[TABLES] = {
    "time,step,body,name,mass,x,y,z,q_w,q_x,q_y,q_z,v_x,v_y,v_z,omega_x,omega_y,omega_z,kinetic\n",
    "time,step,a,b,a_name,b_name,state,point_x,point_y,point_z,normal_x,normal_y,normal_z,gap,"
    "force_x,force_y,force_z,force_n,force_t,impulse_x,impulse_y,impulse_z,u_x,u_y,u_z,key\n",
    "time,step,joint,name,kind,a,b,force_x,force_y,force_z,moment_x,moment_y,moment_z,"
    "coordinate,rate,motor,limit\n",
    ""};
static const char *const columns[] = {"time",
                                      "h",
                                      "kinetic",
                                      "potential",
                                      "work_contact",
                                      "work_external",
                                      "work_correction",
                                      "work_integrator",
                                      "work_joint",
                                      "contacts",
                                      "active",
                                      "iterations",
                                      "unsolved",
                                      "error",
                                      "penetration"};
enum { COLUMNS = sizeof columns / sizeof *columns };

typedef struct sheets {
  ss_context *ctx;
  ss_run *run;
  ss_run_size size;
  ss_scene *scene;
  ss_simulation *sim;
  ssi_output *out[TABLES];
} sheets;

static void put_numbers(ssi_output *o, const double *x, int count) {
  for (int k = 0; k < count; k++) {
    ssi_output_text(o, ",");
    ssi_output_number(o, x[k]);
  }
}

// In quotes, doubled inside, where a comma, a quote or a line's end is in it.
static void put_text(ssi_output *o, const char *text) {
  bool plain = !strpbrk(text, ",\"\n\r");
  ssi_output_text(o, plain ? "," : ",\"");
  for (const char *c = text; *c; c++) ssi_output_text(o, !plain && *c == '"' ? "\"\"" : "%c", *c);
  if (!plain) ssi_output_text(o, "\"");
}

static void put_name(const sheets *s, ssi_output *o, int which) {
  char name[200];
  ss_simulation_name(s->sim, which, name, sizeof name);
  put_text(o, name);
}

static void put_time(ssi_output *o, const ss_run_frame *f) {
  ssi_output_number(o, f->time);
  ssi_output_text(o, ",%lld", (long long)f->step);
}

static ss_error put_bodies(const sheets *s, const ss_run_frame *f) {
  ssi_output *o = s->out[BODIES];
  for (int k = 0; k < s->size.bodies; k++) {
    ss_sim_body b;
    SS_TRY(ss_simulation_body(s->sim, k, &b));
    put_time(o, f);
    ssi_output_text(o, ",%d", k);
    put_name(s, o, k);
    put_numbers(o, &b.mass, 1);
    put_numbers(o, f->pose[k].x, 3);
    put_numbers(o, f->pose[k].q, 4);
    put_numbers(o, f->velocity + 6 * k, 6);
    put_numbers(o, (double[]){ssi_run_kinetic(&b, &f->pose[k], f->velocity + 6 * k)}, 1);
    ssi_output_text(o, "\n");
  }
  return SS_OK;
}

static void put_contacts(const sheets *s, const ss_run_frame *f) {
  ssi_output *o = s->out[CONTACTS];
  for (int i = 0; i < f->contact_count; i++) {
    const ss_sim_contact *c = &f->contacts[i];
    double force[3], normal = 0, tangent = 0;
    for (int k = 0; k < 3; k++) force[k] = f->h > 0 ? c->impulse[k] / f->h : 0;
    for (int k = 0; k < 3; k++) normal += force[k] * c->normal[k];
    for (int k = 0; k < 3; k++) tangent = hypot(tangent, force[k] - normal * c->normal[k]);
    put_time(o, f);
    ssi_output_text(o, ",%d,%d", c->a, c->b);
    put_name(s, o, c->a);
    put_name(s, o, c->b);
    ssi_output_text(o, ",%s", ss_state_name(c->state));
    put_numbers(o, c->point, 3);
    put_numbers(o, c->normal, 3);
    put_numbers(o, &c->gap, 1);
    put_numbers(o, force, 3);
    put_numbers(o, (double[]){normal, tangent}, 2);
    put_numbers(o, c->impulse, 3);
    put_numbers(o, c->velocity, 3);
    ssi_output_text(o, ",%llu\n", (unsigned long long)c->key);
  }
}

static void put_joints(const sheets *s, const ss_run_frame *f) {
  ssi_output *o = s->out[JOINTS];
  for (int k = 0; f->step > 0 && k < s->size.joints; k++) {
    const ss_joint *j = &s->scene->joints[k];
    double force[6];
    for (int l = 0; l < 6; l++) force[l] = f->h > 0 ? f->joint_impulse[6 * k + l] / f->h : 0;
    put_time(o, f);
    ssi_output_text(o, ",%d", k);
    put_text(o, j->name ? j->name : "");
    ssi_output_text(o, ",%s,%d,%d", ss_joint_kind_name(j->kind), j->a, j->b);
    put_numbers(o, force, 6);
    if (f->joint_motion)
      put_numbers(o, f->joint_motion + 4 * k, 4);
    else
      ssi_output_text(o, ",,,,");
    ssi_output_text(o, "\n");
  }
}

static ss_error put_energy(const sheets *s) {
  ssi_output *o = s->out[ENERGY];
  int64_t n = s->size.steps;
  ssi_arena arena = {.ctx = s->ctx};
  double *x = SSI_TAKE(&arena, COLUMNS * n + 1, double);
  ss_error e =
      x ? SS_OK : ssi_fail(s->ctx, SS_ERR_MEMORY, "no memory for %lld steps", (long long)n);
  for (int k = 0; !e && k < COLUMNS; k++) {
    e = ss_run_read_steps(s->run, columns[k], x + k * n);
    ssi_output_text(o, k ? ",%s" : "%s", columns[k]);
  }
  for (int64_t row = 0; !e && row < n; row++) {
    ssi_output_text(o, "\n");
    ssi_output_number(o, x[row]);
    for (int k = 1; k < COLUMNS; k++) put_numbers(o, x + k * n + row, 1);
  }
  ssi_output_text(o, "\n");
  ssi_arena_release(&arena);
  return e;
}

static ss_error begin(sheets *s, const char *folder) {
  for (int k = 0; k < TABLES; k++) {
    size_t room = strlen(folder) + 40;
    char *path = ssi_alloc(s->ctx, room, 1);
    if (!path) return ssi_fail(s->ctx, SS_ERR_MEMORY, "%s: no memory", folder);
    size_t n = strlen(folder);
    snprintf(path, room, "%s%s%s.csv", folder, n && folder[n - 1] == '/' ? "" : "/", names[k]);
    ss_error e = ssi_output_begin(s->ctx, path, &s->out[k]);
    ssi_release(s->ctx, path);
    SS_TRY(e);
    ssi_output_text(s->out[k], "%s", heads[k]);
  }
  return SS_OK;
}

static ss_error write_all(sheets *s, const char *folder,
                          int (*progress)(void *user, int64_t done, int64_t of), void *user) {
  SS_TRY(ssi_run_rebuild(s->ctx, &s->size, folder, &s->scene, &s->sim));
  SS_TRY(begin(s, folder));
  for (int64_t k = 0; k < s->size.frames; k++) {
    ss_run_frame f;
    SS_TRY(ss_run_read_frame(s->run, k, &f));
    SS_TRY(put_bodies(s, &f));
    put_contacts(s, &f);
    put_joints(s, &f);
    if (progress && progress(user, k + 1, s->size.frames))
      return ssi_fail(s->ctx, SS_ERR_WRITE, "%s: interrupted", folder);
  }
  return put_energy(s);
}

ss_error ss_run_write_csv(ss_context *ctx, ss_run *run, const char *folder,
                          int (*progress)(void *user, int64_t done, int64_t of), void *user) {
  if (!run || !folder) return ssi_missing(ctx, "ss_run_write_csv");
  sheets s = {.ctx = ctx, .run = run, .size = ss_run_get_size(run)};
  ss_error e = write_all(&s, folder, progress, user);
  for (int k = 0; k < TABLES; k++) {
    if (e)
      ssi_output_abandon(s.out[k]);
    else
      e = ssi_output_commit(ctx, s.out[k]);
  }
  ss_simulation_destroy(s.sim);
  ss_scene_close(s.scene);
  return e;
}
