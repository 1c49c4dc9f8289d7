// ODE: quickstep, 20 iterations, friction pyramid.
#include <math.h>
#include <ode/ode.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "peer.h"

enum { MOST = 16384, PER_PAIR = 8 };

typedef struct ode {
  dWorldID world;
  dSpaceID space;
  dJointGroupID group;
  dBodyID *bodies;
  int count;
  double step, mu, restitution;
  double solve_s;  // of dWorldQuickStep: constraints, solve, motion
  int used;
  dJointFeedback feedback[MOST];
  peer_contact contacts[MOST];
} ode;

static int index_of(dGeomID g) {
  return dGeomGetBody(g) ? (int)(intptr_t)dBodyGetData(dGeomGetBody(g)) : -1;
}

// Velocity of approach along the normal, from g2 to g1, before the step.
static double normal_velocity(const dContactGeom *g) {
  dGeomID sides[2] = {g->g1, g->g2};
  double u = 0;
  for (int side = 0; side < 2; side++) {
    dVector3 v = {0, 0, 0, 0};
    dBodyID body = dGeomGetBody(sides[side]);
    if (body) dBodyGetPointVel(body, g->pos[0], g->pos[1], g->pos[2], v);
    for (int k = 0; k < 3; k++) u += (side ? -1 : 1) * v[k] * g->normal[k];
  }
  return u;
}

static void attach(ode *o, const dContactGeom *geometry, int a, int b) {
  if (o->used == MOST) return;
  dContact contact;
  memset(&contact, 0, sizeof contact);
  contact.geom = *geometry;
  contact.surface.mode = dContactApprox1 | (o->restitution > 0 ? dContactBounce : 0);
  contact.surface.mu = o->mu;
  contact.surface.bounce = o->restitution;  // bounce_vel is 0: at any speed
  dJointID joint = dJointCreateContact(o->world, o->group, &contact);
  dJointAttach(joint, dGeomGetBody(geometry->g1), dGeomGetBody(geometry->g2));
  dJointSetFeedback(joint, &o->feedback[o->used]);
  peer_contact *c = &o->contacts[o->used++];
  *c = (peer_contact){.a = a, .b = b};
  double correction = dWorldGetERP(o->world) * geometry->depth / o->step;
  c->bias = -fmax(correction, -o->restitution * normal_velocity(geometry));  // ODE takes the larger
  for (int k = 0; k < 3; k++) {
    c->point[0][k] = c->point[1][k] = geometry->pos[k];
    c->normal[k] = geometry->normal[k];
  }
}

static void near(void *data, dGeomID g1, dGeomID g2) {
  ode *o = data;
  dContactGeom found[PER_PAIR];
  int n = dCollide(g1, g2, PER_PAIR, found, sizeof found[0]);
  for (int i = 0; i < n; i++) {
    attach(o, &found[i], index_of(found[i].g1), index_of(found[i].g2));
  }
}

static void *create(const peer_scene *scene) {
  dInitODE2(0);
  dRandSetSeed(0);  // quickstep shuffles its rows; whatever ran before
  dAllocateODEDataForThread(dAllocateMaskAll);
  ode *o = calloc(1, sizeof *o);
  if (!o || !(o->bodies = calloc((size_t)scene->count, sizeof *o->bodies))) abort();
  o->world = dWorldCreate();
  o->space = dHashSpaceCreate(0);
  o->group = dJointGroupCreate(0);
  o->step = scene->step, o->mu = scene->mu, o->count = scene->count;
  o->restitution = scene->restitution;
  dWorldSetGravity(o->world, scene->gravity[0], scene->gravity[1], scene->gravity[2]);
  dWorldSetQuickStepNumIterations(o->world, 20);
  dCreatePlane(o->space, 0, 0, 1, 0);
  for (int k = 0; scene->container > 0 && k < 4; k++)
    dCreatePlane(o->space, (k == 0) - (k == 1), (k == 2) - (k == 3), 0, -scene->container);
  for (int i = 0; i < scene->count; i++) {
    const peer_body *b = &scene->bodies[i];
    dMass mass;
    dGeomID shape;
    if (b->kind == PEER_SPHERE) {
      dMassSetSphereTotal(&mass, b->mass, b->half[0]);
      shape = dCreateSphere(o->space, b->half[0]);
    } else {
      dMassSetBoxTotal(&mass, b->mass, 2 * b->half[0], 2 * b->half[1], 2 * b->half[2]);
      shape = dCreateBox(o->space, 2 * b->half[0], 2 * b->half[1], 2 * b->half[2]);
    }
    dBodyID body = o->bodies[i] = dBodyCreate(o->world);
    dBodySetMass(body, &mass);
    dBodySetPosition(body, b->position[0], b->position[1], b->position[2]);
    dBodySetLinearVel(body, b->velocity[0], b->velocity[1], b->velocity[2]);
    dBodySetData(body, (void *)(intptr_t)i);
    dGeomSetBody(shape, body);
  }
  return o;
}

static void step(void *engine) {
  ode *o = engine;
  dJointGroupEmpty(o->group);
  o->used = 0;
  dSpaceCollide(o->space, o, near);
  double begin = peer_cpu_s();
  dWorldQuickStep(o->world, o->step);
  o->solve_s += peer_cpu_s() - begin;
}

static double solve_s(void *engine) {
  return ((ode *)engine)->solve_s;
}

static void state(void *engine, int body, peer_state *out) {
  dBodyID b = ((ode *)engine)->bodies[body];
  for (int i = 0; i < 3; i++) {
    out->position[i] = dBodyGetPosition(b)[i];
    out->linear[i] = dBodyGetLinearVel(b)[i];
    out->angular[i] = dBodyGetAngularVel(b)[i];
    for (int j = 0; j < 3; j++) out->rotation[3 * i + j] = dBodyGetRotation(b)[4 * i + j];
  }
}

// f1 acts on the first body; where that is the static world the roles are swapped.
static int contacts(void *engine, peer_contact *out, int room) {
  ode *o = engine;
  int n = o->used < room ? o->used : room;
  for (int i = 0; i < n; i++) {
    peer_contact c = o->contacts[i];
    const dJointFeedback *f = &o->feedback[i];
    bool swapped = c.a < 0;
    for (int k = 0; k < 3; k++) c.impulse[k] = o->step * (swapped ? f->f2[k] : f->f1[k]);
    if (swapped) {
      c.a = c.b, c.b = -1;
      for (int k = 0; k < 3; k++) c.normal[k] = -c.normal[k];
    }
    out[i] = c;
  }
  return n;
}

static void destroy(void *engine) {
  ode *o = engine;
  dJointGroupDestroy(o->group);
  dSpaceDestroy(o->space);
  dWorldDestroy(o->world);
  dCloseODE();
  free(o->bodies);
  free(o);
}

const peer_engine peer_ode = {.name = "ODE",
                              .setting = "quickstep, 20 iterations, friction pyramid (defaults)",
                              .create = create,
                              .step = step,
                              .state = state,
                              .contacts = contacts,
                              .solve_s = solve_s,
                              .destroy = destroy};
