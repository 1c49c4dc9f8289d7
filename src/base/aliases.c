// What people who come from other tools (MuJoCo, Bullet, Box2D, Siconos, URDF) write for our words. A row counts where its
// last word is among those that are known, so that one table serves shapes, joints, keys and options.
#include "base/aliases.h"

#include <ctype.h>
#include <string.h>

typedef struct aliases {
  const char *ours;
  const char *theirs;  // separated by blanks; case, '_' and '-' do not count
} aliases;

static const aliases table[] = {
    // shapes
    {"box", "cube cuboid brick block plank card rectangle square prism"},
    {"sphere", "ball bead particle grain point"},
    {"disk", "circle disc ball"},
    {"plane", "ground floor halfspace halfplane wall table"},
    {"cylinder", "rod bar pole"},
    {"capsule", "pill stadium spherocylinder sphyl"},
    {"drum", "tube pipe bowl"},
    {"hull", "mesh convex convexhull polyhedron polytope trimesh tetrahedron stl"},
    {"polygon", "triangle poly"},
    {"funnel", "hopper cone"},
    {"compound", "composite union multi group clump"},
    // joints
    {"fixed", "weld lock rigid clamp static glue"},
    {"hinge", "revolute pin pivot rotational rotation continuous"},
    {"slider", "prismatic slide translational linear rail"},
    {"ball", "spherical socket ballsocket ballandsocket balljoint point p2p"},
    {"anchor", "pivot position origin point pos location"},
    {"a", "body bodya body1 first parent"},
    {"b", "bodyb body2 second child"},
    {"collide", "collision collideconnected contact"},
    // materials and laws
    {"mu", "friction frictioncoefficient coefficient cof staticfriction dynamicfriction"
           " slidingfriction mus muk"},
    {"restitution", "bounce bounciness elasticity e cor coefficientofrestitution rebound"},
    {"density", "rho specificmass"},
    {"between", "materials pair pairs"},
    // bodies, external objects
    {"position", "pos location center centre com translation origin xyz x"},
    {"rotation", "orientation quaternion quat angle rot euler rpy attitude"},
    {"velocity", "vel linearvelocity speed v"},
    {"spin", "omega angularvelocity rotationalvelocity w"},
    {"mass", "weight m"},
    {"inertia", "momentofinertia inertiatensor moi"},
    {"shape", "geometry geom collider collision"},
    {"kind", "type"},
    {"name", "id label"},
    {"surface_velocity", "belt beltvelocity conveyor beltspeed"},
    {"motion", "movement trajectory"},
    // sizes
    {"radius", "r size"},
    {"size", "radius extents dimensions dims lengths side edge width height length"},
    {"length", "height l size"},
    {"points", "vertices verts nodes corners"},
    {"parts", "children shapes"},
    // elements and loads
    {"stiffness", "k springconstant"},
    {"damping", "c d dampingcoefficient viscosity"},
    {"rest_length", "length l0 naturallength freelength"},
    {"moment", "torque"},
    // the scene
    {"bodies", "objects rigidbodies links"},
    {"externals", "statics obstacles walls grounds boundaries"},
    {"joints", "constraints"},
    {"loads", "forces"},
    {"dim", "dimension dimensions ndim"},
    {"gravity", "g"},
    {"stepping", "integrator simulation settings time options"},
    {"duration", "end tend endtime totaltime tmax finaltime time"},
    {"step", "dt timestep stepsize deltat h"},
    {"tol", "tolerance eps epsilon precision accuracy"},
    {"max_iter", "iterations maxiterations maxiter itermax"},
    {"method", "algorithm solver"},
    {"solver", "method"},
    {"every", "interval saveevery stride"},
};

// The next character that counts.
static char letter(const char **text) {
  while (**text == '_' || **text == '-') (*text)++;
  return **text ? (char)tolower((unsigned char)*(*text)++) : '\0';
}

static bool is_word(const char *text, const char *word, size_t length) {
  for (size_t k = 0; k < length; k++)
    if (letter(&text) != word[k]) return false;
  return letter(&text) == '\0';
}

static bool is_among(const char *text, const char *words) {
  for (size_t n; *words; words += n + (words[n] == ' ')) {
    n = strcspn(words, " ");
    if (is_word(text, words, n)) return true;
  }
  return false;
}

bool ssi_is_alias(const char *text, const char *name) {
  for (size_t k = 0; k < sizeof table / sizeof *table; k++)
    if (strcmp(name, table[k].ours) == 0) return is_among(text, table[k].theirs);
  return false;
}
