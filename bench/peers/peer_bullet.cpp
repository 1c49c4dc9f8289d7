// Bullet: sequential impulses, 10 iterations, single precision (Debian's), with one friction direction,
// which is its default, or two.
#include <btBulletDynamicsCommon.h>

#include <memory>
#include <vector>

#include "peer.h"

namespace {

struct timed_solver : btSequentialImpulseConstraintSolver {
  double seconds = 0;
  btScalar solveGroup(btCollisionObject **bodies, int nb, btPersistentManifold **manifolds, int nm,
                      btTypedConstraint **constraints, int nc, const btContactSolverInfo &info,
                      btIDebugDraw *draw, btDispatcher *dispatcher) override {
    double begin = peer_cpu_s();
    btScalar result = btSequentialImpulseConstraintSolver::solveGroup(
        bodies, nb, manifolds, nm, constraints, nc, info, draw, dispatcher);
    seconds += peer_cpu_s() - begin;
    return result;
  }
};

struct bullet {
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  btDbvtBroadphase broad;
  timed_solver solver;
  btDiscreteDynamicsWorld world{&dispatcher, &broad, &solver, &configuration};
  std::vector<std::unique_ptr<btCollisionShape>> shapes;
  std::vector<std::unique_ptr<btMotionState>> motions;
  std::vector<std::unique_ptr<btRigidBody>> fixed, bodies;
  std::vector<btVector3> linear, angular, centre;  // before the step, with its gravity
  double step = 0, restitution = 0;

  btRigidBody *add(btCollisionShape *shape, double mass, const btVector3 &at, double mu) {
    btVector3 inertia(0, 0, 0);
    if (mass > 0) shape->calculateLocalInertia(btScalar(mass), inertia);
    shapes.emplace_back(shape);
    motions.emplace_back(new btDefaultMotionState(btTransform(btQuaternion::getIdentity(), at)));
    btRigidBody::btRigidBodyConstructionInfo info(btScalar(mass), motions.back().get(), shape,
                                                  inertia);
    info.m_friction = mass > 0 ? btScalar(mu) : btScalar(1);  // Bullet multiplies the two
    info.m_restitution = btScalar(restitution);
    auto *body = new btRigidBody(info);
    body->setUserIndex(mass > 0 ? int(bodies.size()) : -1);
    body->setActivationState(DISABLE_DEACTIVATION);
    world.addRigidBody(body);
    (mass > 0 ? bodies : fixed).emplace_back(body);
    return body;
  }
  ~bullet() {
    for (auto &b : bodies) world.removeRigidBody(b.get());
    for (auto &b : fixed) world.removeRigidBody(b.get());
  }
};

// The product of the two coefficients would be mu^2 between bodies; all are the same here.
btScalar combined(const btCollisionObject *a, const btCollisionObject *b) {
  return btMin(a->getFriction(), b->getFriction());
}

btScalar combined_restitution(const btCollisionObject *a, const btCollisionObject *b) {
  return btMin(a->getRestitution(), b->getRestitution());
}

btVector3 vec(const double *x) {
  return btVector3(btScalar(x[0]), btScalar(x[1]), btScalar(x[2]));
}

bullet *create_world(const peer_scene *scene) {
  auto *e = new bullet;
  e->step = scene->step, e->restitution = scene->restitution;
  gCalculateCombinedFrictionCallback = combined;
  gCalculateCombinedRestitutionCallback = combined_restitution;
  e->world.setGravity(vec(scene->gravity));
  e->add(new btStaticPlaneShape(btVector3(0, 0, 1), 0), 0, btVector3(0, 0, 0), scene->mu);
  for (int k = 0; scene->container > 0 && k < 4; k++)
    e->add(new btStaticPlaneShape(
               btVector3(btScalar((k == 0) - (k == 1)), btScalar((k == 2) - (k == 3)), 0),
               btScalar(-scene->container)),
           0, btVector3(0, 0, 0), scene->mu);
  for (int i = 0; i < scene->count; i++) {
    const peer_body *b = &scene->bodies[i];
    btCollisionShape *shape = nullptr;
    if (b->kind == PEER_SPHERE)
      shape = new btSphereShape(btScalar(b->half[0]));
    else
      shape = new btBoxShape(vec(b->half));
    e->add(shape, b->mass, vec(b->position), scene->mu)->setLinearVelocity(vec(b->velocity));
  }
  e->linear.resize(e->bodies.size()), e->angular.resize(e->bodies.size());
  e->centre.resize(e->bodies.size());
  return e;
}

void *create(const peer_scene *scene) {
  return create_world(scene);
}

void *create2(const peer_scene *scene) {
  bullet *e = create_world(scene);
  e->world.getSolverInfo().m_solverMode |= SOLVER_USE_2_FRICTION_DIRECTIONS;
  return e;
}

void step(void *self) {
  auto *e = static_cast<bullet *>(self);
  btVector3 gained = btScalar(e->step) * e->world.getGravity();
  for (size_t i = 0; i < e->bodies.size(); i++) {
    e->linear[i] = e->bodies[i]->getLinearVelocity() + gained;
    e->angular[i] = e->bodies[i]->getAngularVelocity();
    e->centre[i] = e->bodies[i]->getCenterOfMassPosition();
  }
  e->world.stepSimulation(btScalar(e->step), 0);
}

double solve_s(void *self) {
  return static_cast<bullet *>(self)->solver.seconds;
}

// What Bullet asks of u_N: close a gap and not more, open a part of an overlap (deep ones it moves
// apart without velocities), or leave with e times the speed of approach where that is fast enough.
double bias(const bullet *e, double gap, double approach) {
  const btContactSolverInfo &info = const_cast<btDiscreteDynamicsWorld &>(e->world).getSolverInfo();
  double leave = 0, correction = gap / e->step;
  if (-approach >= info.m_restitutionVelocityThreshold) leave = -e->restitution * approach;
  if (gap <= 0) {
    bool split = info.m_splitImpulse && gap <= info.m_splitImpulsePenetrationThreshold;
    correction = split ? 0 : info.m_erp2 * gap / e->step;
  }
  return correction - leave;
}

// Of a relative to b along the normal, before the step.
double approach(const bullet *e, const peer_contact *c) {
  btVector3 u(0, 0, 0);
  for (int side = 0; side < 2; side++) {
    int body = side ? c->b : c->a;
    if (body < 0) continue;
    size_t i = size_t(body);
    btVector3 arm = vec(c->point[side]) - e->centre[i];
    btVector3 v = e->linear[i] + e->angular[i].cross(arm);
    u += side ? -v : v;
  }
  return u.dot(vec(c->normal));
}

void state(void *self, int body, peer_state *out) {
  const btRigidBody *b = static_cast<bullet *>(self)->bodies[size_t(body)].get();
  const btTransform &t = b->getCenterOfMassTransform();
  for (int i = 0; i < 3; i++) {
    out->position[i] = t.getOrigin()[i];
    out->linear[i] = b->getLinearVelocity()[i];
    out->angular[i] = b->getAngularVelocity()[i];
    for (int j = 0; j < 3; j++) out->rotation[3 * i + j] = t.getBasis()[i][j];
  }
}

int contacts(void *self, peer_contact *out, int room) {
  auto *e = static_cast<bullet *>(self);
  int n = 0;
  for (int m = 0; m < e->dispatcher.getNumManifolds(); m++) {
    const btPersistentManifold *manifold = e->dispatcher.getManifoldByIndexInternal(m);
    int a = manifold->getBody0()->getUserIndex(), b = manifold->getBody1()->getUserIndex();
    double sign = a >= 0 ? 1 : -1;  // m_normalWorldOnB points from body 1 to body 0
    for (int i = 0; i < manifold->getNumContacts() && n < room; i++) {
      const btManifoldPoint &p = manifold->getContactPoint(i);
      btVector3 impulse = p.m_appliedImpulse * p.m_normalWorldOnB +
                          p.m_appliedImpulseLateral1 * p.m_lateralFrictionDir1 +
                          p.m_appliedImpulseLateral2 * p.m_lateralFrictionDir2;
      peer_contact *o = &out[n++];
      o->a = a >= 0 ? a : b, o->b = a >= 0 ? b : -1;
      double length = p.m_normalWorldOnB.length();  // single precision
      for (int k = 0; k < 3; k++) {
        double on[2] = {p.getPositionWorldOnA()[k], p.getPositionWorldOnB()[k]};
        o->point[0][k] = on[a < 0], o->point[1][k] = on[a >= 0];
        o->normal[k] = sign * p.m_normalWorldOnB[k] / length;
        o->impulse[k] = sign * impulse[k];
      }
      o->bias = bias(e, p.getDistance(), approach(e, o));
    }
  }
  return n;
}

void destroy(void *self) {
  delete static_cast<bullet *>(self);
}

}  // namespace

extern "C" const peer_engine peer_bullet = {
    "Bullet", "10 iterations, one friction direction, single precision (defaults)",
    create,   step,
    state,    contacts,
    solve_s,  nullptr,
    destroy};
extern "C" const peer_engine peer_bullet2 = {"Bullet-2", "the same with two friction directions",
                                             create2,    step,
                                             state,      contacts,
                                             solve_s,    nullptr,
                                             destroy};
