// ODE: quickstep, 20 iterations, friction pyramid.
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
  double step, mu;
  int used;
  dJointFeedback feedback[MOST];
  peer_contact contacts[MOST];
} ode;

static int index_of(dGeomID g) {
  return dGeomGetBody(g) ? (int)(intptr_t)dBodyGetData(dGeomGetBody(g)) : -1;
}

static void attach(ode *o, const dContactGeom *geometry, int a, int b) {
  if (o->used == MOST) return;
  dContact contact;
  memset(&contact, 0, sizeof contact);
  contact.geom = *geometry;
  contact.surface.mode = dContactApprox1;
  contact.surface.mu = o->mu;
  dJointID joint = dJointCreateContact(o->world, o->group, &contact);
  dJointAttach(joint, dGeomGetBody(geometry->g1), dGeomGetBody(geometry->g2));
  dJointSetFeedback(joint, &o->feedback[o->used]);
  peer_contact *c = &o->contacts[o->used++];
  *c = (peer_contact){.a = a, .b = b};
  c->bias = -dWorldGetERP(o->world) * geometry->depth / o->step;
  for (int k = 0; k < 3; k++) c->point[k] = geometry->pos[k], c->normal[k] = geometry->normal[k];
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
  dAllocateODEDataForThread(dAllocateMaskAll);
  ode *o = calloc(1, sizeof *o);
  if (!o || !(o->bodies = calloc((size_t)scene->count, sizeof *o->bodies))) abort();
  o->world = dWorldCreate();
  o->space = dHashSpaceCreate(0);
  o->group = dJointGroupCreate(0);
  o->step = scene->step, o->mu = scene->mu, o->count = scene->count;
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
  dWorldQuickStep(o->world, o->step);
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

const peer_engine peer_ode = {
    "ODE", "quickstep, 20 iterations, pyramid", create, step, state, contacts, destroy};
