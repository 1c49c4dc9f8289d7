// bench/peers/peer.h - one scene, several rigid body engines, one measure.
//
// Each engine is one file behind `peer_engine` (peer_*.c); the scenes are in scenes.c, everything that is
// measured in measure.c and law.c, which see only positions, velocities and contact impulses.
#pragma once

#include <stdbool.h>
#include <stddef.h>

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
  double mu, restitution;  // everywhere
  double container;  // half side of four walls around the origin, 0 for none; the ground is z = 0
  double step, duration;
} peer_scene;

typedef struct peer_state {
  double position[3];
  double rotation[9];  // rows: world axes, columns: the body's
  double linear[3], angular[3];
} peer_state;

// Impulse on body a over the last step, at point[0] of a, and against it at point[1] of b (Bullet has
// two points); b = -1 is the ground or a wall.
typedef struct peer_contact {
  int a, b;
  double point[2][3], normal[3];  // normal from b to a
  double impulse[3];              // world axes
  double bias;  // what the engine adds to u_N before the law: gap / h, what corrects an overlap,
                // minus the velocity with which restitution wants it to leave
} peer_contact;

typedef struct peer_engine {
  const char *name, *setting;
  void *(*create)(const peer_scene *scene);
  void (*step)(void *engine);
  void (*state)(void *engine, int body, peer_state *out);
  int (*contacts)(void *engine, peer_contact *out, int room);  // how many, at most `room`
  double (*solve_s)(void *engine);  // CPU time of solving so far, without contact detection
  int (*unsolved)(void *engine);    // steps that missed their tolerance; NULL: it has none
  void (*destroy)(void *engine);
} peer_engine;

extern const peer_engine peer_stickslip, peer_ode, peer_mujoco, peer_bullet, peer_bullet2;

// For stickslip, from the command line.
typedef struct peer_setting {
  const char *key, *value;
} peer_setting;
typedef struct peer_choice {
  const char *solver;  // NULL: the default
  double tol;
  int max_iter;         // of one solve; 0: the method's own
  double time_limit_s;  // of one solve; 0: none
  peer_setting settings[16];
  int setting_count;
} peer_choice;
extern peer_choice peer_ours;

// ---- scenes.c -------------------------------------------------------------------------------

// False for a name that is not known. The bodies are released with free.
bool peer_scene_build(const char *name, peer_scene *out);

// ---- measure.c ------------------------------------------------------------------------------

typedef struct peer_outcome {
  int steps;                   // done; fewer than asked for where the limit was reached
  double ms, solve_ms;         // CPU time per step, means
  double contacts, active;     // means per step; active: with a normal impulse
  double overlap, late;        // m: largest after any step, and in the last second; NAN for boxes
  double law, law_late;        // error of Coulomb's law: medians over the run, the last second
  double friction;             // of its tangential part alone: median over the run
  double balance;              // of peer_law: median over the run
  double energy[2], gain;      // J: first, last; largest rise above the lowest so far
  double moved, creep, speed;  // largest displacement; mean speed of body 0 after 1 s; in the end
  int unsolved;
} peer_outcome;

// At most `most` steps (0: all) and `limit` seconds of CPU time (0: any).
peer_outcome peer_measure(const peer_engine *engine, const peer_scene *scene, int most,
                          double limit);

double peer_cpu_s(void);
void *peer_take(size_t count, size_t size);  // zeroed; aborts

// ---- law.c ----------------------------------------------------------------------------------

typedef struct peer_law {
  double whole;     // NAN without contacts
  double friction;  // the same where what the engine did along the normal is taken as right
  double balance;   // |M (v - v_before) - h M g - H^T r| / |H^T r|: do its impulses explain its
                    // velocities? If not, they were read wrongly, and nothing is said by `whole`
} peer_law;

// error of the engine's own impulses against Coulomb's law (docs/theory.md (7)), by ss_verify on the
// problem whose M, H are those of its contacts, at the places where it found them (`before` the step),
// and whose f makes its velocities (`after`) the solution of M v + f = H^T r.
peer_law peer_law_error(const peer_scene *scene, const peer_state *before, const peer_state *after,
                        const peer_contact *contacts, int count);

// I = R diag(J) R^T of a homogeneous sphere or box.
void peer_inertia(const peer_body *b, const double *rotation, double out[3][3]);

#ifdef __cplusplus
}
#endif
