// bench/peers/peer.h - one scene, several rigid body engines, one measure.
//
// Each engine is one file behind `peer_engine`; the scenes and everything that is measured are in
// bench_peers.c and law.c, which see only positions, velocities and contact impulses.
#pragma once

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum peer_kind { PEER_SPHERE, PEER_BOX } peer_kind;

typedef struct peer_body {
  peer_kind kind;
  double half[3];  // half sides; a sphere's radius is half[0]
  double mass;
  double position[3], velocity[3];  // at the start; the axes are the world's
} peer_body;

typedef struct peer_scene {
  const char *name;
  int count;
  peer_body *bodies;
  double gravity[3];
  double mu;         // everywhere; no restitution (not every engine has a coefficient)
  double container;  // half side of four walls around the origin, 0 for none; the ground is z = 0
  double step, duration;
} peer_scene;

typedef struct peer_state {
  double position[3];
  double rotation[9];  // rows: world axes, columns: the body's
  double linear[3], angular[3];
} peer_state;

// Impulse on body a over the last step, at `point`; b = -1 is the ground or a wall.
typedef struct peer_contact {
  int a, b;
  double point[3], normal[3];  // normal from b to a
  double impulse[3];           // world axes
  double bias;  // what the engine adds to u_N before the law: gap / h, or what corrects an overlap
} peer_contact;

typedef struct peer_engine {
  const char *name, *setting;
  void *(*create)(const peer_scene *scene);
  void (*step)(void *engine);
  void (*state)(void *engine, int body, peer_state *out);
  int (*contacts)(void *engine, peer_contact *out, int room);  // how many, at most `room`
  void (*destroy)(void *engine);
} peer_engine;

extern const peer_engine peer_stickslip, peer_ode, peer_mujoco, peer_bullet;

// error of the engine's own impulses against Coulomb's law (docs/theory.md (7)), by ss_verify on the
// problem whose M, H are those of its contacts, at the places where it found them (`before` the step),
// and whose f makes its velocities (`after`) the solution of M v + f = H^T r. NAN without contacts.
double peer_law_error(const peer_scene *scene, const peer_state *before, const peer_state *after,
                      const peer_contact *contacts, int count);

#ifdef __cplusplus
}
#endif
