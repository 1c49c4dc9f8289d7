// MuJoCo: elliptic cone, conjugate gradients, its default compliance.
#define _GNU_SOURCE
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "peer.h"

typedef struct engine {
  mjModel *model;
  mjData *data;
  int count;
  double step;
} engine;

// MuJoCo takes memory that grows with the square of the number of constraints it is told to expect.
static int most_contacts(const peer_scene *scene) {
  return (scene->bodies[0].kind == PEER_SPHERE ? 4 : 16) * scene->count + 200;
}

static void write_model(FILE *f, const peer_scene *scene) {
  fprintf(f,
          "<mujoco><option timestep=\"%.17g\" gravity=\"%.17g %.17g %.17g\" cone=\"elliptic\" "
          "solver=\"CG\" integrator=\"Euler\"/><size nconmax=\"%d\" njmax=\"%d\"/>"
          "<default><geom friction=\"%.17g 0 0\" condim=\"3\"/></default><worldbody>"
          "<geom type=\"plane\" size=\"100 100 1\"/>",
          scene->step, scene->gravity[0], scene->gravity[1], scene->gravity[2],
          most_contacts(scene), 3 * most_contacts(scene), scene->mu);
  for (int k = 0; scene->container > 0 && k < 4; k++) {
    int x = (k == 0) - (k == 1), y = (k == 2) - (k == 3);
    fprintf(f, "<geom type=\"plane\" size=\"100 100 1\" pos=\"%.17g %.17g 0\" zaxis=\"%d %d 0\"/>",
            -x * scene->container, -y * scene->container, x, y);
  }
  for (int i = 0; i < scene->count; i++) {
    const peer_body *b = &scene->bodies[i];
    fprintf(f, "<body pos=\"%.17g %.17g %.17g\"><freejoint/><geom mass=\"%.17g\" type=\"%s\" ",
            b->position[0], b->position[1], b->position[2], b->mass,
            b->kind == PEER_SPHERE ? "sphere" : "box");
    fprintf(f, "size=\"%.17g %.17g %.17g\"/></body>", b->half[0], b->half[1], b->half[2]);
  }
  fprintf(f, "</worldbody></mujoco>");
}

static mjModel *load(const peer_scene *scene) {
  char path[] = "/tmp/stickslip-peer-XXXXXX.xml", error[1000] = "cannot write the model";
  int fd = mkstemps(path, 4);
  FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
  mjModel *model = NULL;
  if (f) {
    write_model(f, scene);
    fclose(f);
    model = mj_loadXML(path, NULL, error, sizeof error);
    unlink(path);
  }
  if (!model) fprintf(stderr, "MuJoCo: %s\n", error);
  return model;
}

static mjtNum clock_s(void) {
  return peer_cpu_s();
}

static void *create(const peer_scene *scene) {
  engine *e = calloc(1, sizeof *e);
  if (!e || !(e->model = load(scene)) || !(e->data = mj_makeData(e->model))) abort();
  e->count = scene->count, e->step = scene->step;
  mjcb_time = clock_s;
  for (int i = 0; i < scene->count; i++)
    for (int k = 0; k < 3; k++) e->data->qvel[6 * i + k] = scene->bodies[i].velocity[k];
  return e;
}

static void step(void *self) {
  engine *e = self;
  mj_step(e->model, e->data);
}

static double solve_s(void *self) {
  return ((engine *)self)->data->timer[mjTIMER_CONSTRAINT].duration;
}

// qvel: linear in world axes, angular in the body's.
static void state(void *self, int body, peer_state *out) {
  engine *e = self;
  const mjtNum *q = e->data->qpos + 7 * body, *v = e->data->qvel + 6 * body;
  mju_quat2Mat(out->rotation, q + 3);
  for (int i = 0; i < 3; i++) {
    out->position[i] = q[i];
    out->linear[i] = v[i];
    out->angular[i] = 0;
    for (int j = 0; j < 3; j++) out->angular[i] += out->rotation[3 * i + j] * v[3 + j];
  }
}

// The frame's first row points from geom1 to geom2, and the force acts on geom2.
static int contacts(void *self, peer_contact *out, int room) {
  engine *e = self;
  int n = 0;
  for (int i = 0; i < e->data->ncon && n < room; i++) {
    const mjContact *c = &e->data->contact[i];
    mjtNum force[6];
    mj_contactForce(e->model, e->data, i, force);
    int first = e->model->geom_bodyid[c->geom1] - 1, second = e->model->geom_bodyid[c->geom2] - 1;
    double sign = second >= 0 ? 1 : -1;
    peer_contact *o = &out[n++];
    o->bias = 0;  // its contacts are soft by design, and it has no coefficient of restitution
    o->a = second >= 0 ? second : first, o->b = second >= 0 ? first : -1;
    for (int k = 0; k < 3; k++) {
      o->point[0][k] = o->point[1][k] = c->pos[k];
      o->normal[k] = sign * c->frame[k];
      o->impulse[k] = 0;
      for (int j = 0; j < 3; j++) o->impulse[k] += sign * e->step * c->frame[3 * j + k] * force[j];
    }
  }
  return n;
}

// A step that had no room for its contacts is no result.
static void destroy(void *self) {
  engine *e = self;
  int full = e->data->warning[mjWARN_CONTACTFULL].number,
      short_of = e->data->warning[mjWARN_CNSTRFULL].number;
  if (full || short_of) {
    fprintf(stderr, "MuJoCo: no room for the contacts of %d steps\n", full + short_of);
    exit(1);
  }
  mj_deleteData(e->data);
  mj_deleteModel(e->model);
  free(e);
}

const peer_engine peer_mujoco = {
    .name = "MuJoCo",
    .setting = "elliptic cone, conjugate gradients, default compliance; no restitution",
    .create = create,
    .step = step,
    .state = state,
    .contacts = contacts,
    .solve_s = solve_s,
    .destroy = destroy};
