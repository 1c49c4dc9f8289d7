// Bullet: sequential impulses, 10 iterations, two friction directions, single precision (Debian's).
#include <btBulletDynamicsCommon.h>

#include <memory>
#include <vector>

#include "peer.h"

namespace {

struct bullet {
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  btDbvtBroadphase broad;
  btSequentialImpulseConstraintSolver solver;
  btDiscreteDynamicsWorld world{&dispatcher, &broad, &solver, &configuration};
  std::vector<std::unique_ptr<btCollisionShape>> shapes;
  std::vector<std::unique_ptr<btMotionState>> motions;
  std::vector<std::unique_ptr<btRigidBody>> fixed, bodies;
  double step = 0;

  btRigidBody *add(btCollisionShape *shape, double mass, const btVector3 &at, double mu) {
    btVector3 inertia(0, 0, 0);
    if (mass > 0) shape->calculateLocalInertia(btScalar(mass), inertia);
    shapes.emplace_back(shape);
    motions.emplace_back(new btDefaultMotionState(btTransform(btQuaternion::getIdentity(), at)));
    btRigidBody::btRigidBodyConstructionInfo info(btScalar(mass), motions.back().get(), shape,
                                                  inertia);
    info.m_friction = mass > 0 ? btScalar(mu) : btScalar(1);  // Bullet multiplies the two
    info.m_restitution = 0;
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

btVector3 vec(const double *x) {
  return btVector3(btScalar(x[0]), btScalar(x[1]), btScalar(x[2]));
}

void *create(const peer_scene *scene) {
  auto *e = new bullet;
  e->step = scene->step;
  gCalculateCombinedFrictionCallback = combined;
  e->world.setGravity(vec(scene->gravity));
  e->world.getSolverInfo().m_solverMode |= SOLVER_USE_2_FRICTION_DIRECTIONS;
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
  return e;
}

void step(void *self) {
  auto *e = static_cast<bullet *>(self);
  e->world.stepSimulation(btScalar(e->step), 0);
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
      double erp = e->world.getSolverInfo().m_erp, gap = p.getDistance();
      o->bias = (gap > 0 ? gap : erp * gap) / e->step;
      double length = p.m_normalWorldOnB.length();  // single precision
      for (int k = 0; k < 3; k++) {
        o->point[k] = 0.5 * (p.getPositionWorldOnA()[k] + p.getPositionWorldOnB()[k]);
        o->normal[k] = sign * p.m_normalWorldOnB[k] / length;
        o->impulse[k] = sign * impulse[k];
      }
    }
  }
  return n;
}

void destroy(void *self) {
  delete static_cast<bullet *>(self);
}

}  // namespace

extern "C" const peer_engine peer_bullet = {
    "Bullet", "10 iterations, two friction directions", create, step, state, contacts, destroy};
