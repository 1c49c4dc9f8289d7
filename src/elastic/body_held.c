// Is every part of the bodies held? In rounding, the factor of a large stiffness matrix cannot tell; geometry can.
//
// A part (elements that hang together) has dim translations and 1 or 3 rotations m_k(x), none of which strains it. One that
// vanishes on all prescribed degrees of freedom costs nothing. With R_dk = m_k at prescribed degree d, that is a
// null vector of R^T R (6 x 6 at most), looked for by elimination with pivots; places are taken from
// the middle of the part and over its size, so that all entries are of order one.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "elastic/body.h"

enum { MODES = 6 };
static const double NOTHING = 1e-12;  // of the largest pivot

static int mode_count(int dim) {
  return dim == 2 ? 3 : 6;
}

// Component `axis` of mode k at x: translations, then rotations about z (2D) or x, y, z.
static double mode(int dim, int k, int axis, const double x[3]) {
  if (k < dim) return k == axis;
  int about = dim == 2 ? 2 : k - dim;
  if (axis == about) return 0;
  int other = 3 - axis - about;  // e_about x x
  return (axis == (about + 1) % 3 ? -1 : 1) * x[other];
}

typedef struct mesh_part {
  double middle[3], size;
  int first;     // node
  bool resists;  // inertia or drag
  double G[MODES * MODES];
} mesh_part;

static void measure_parts(const ss_mesh *m, const int *part, int count, double *nodes,
                          mesh_part *p) {
  for (int k = 0; k < count; k++) p[k].first = -1;
  for (int k = 0; k < m->nodes; k++) {
    mesh_part *own = &p[part[k]];
    if (own->first < 0) own->first = k;
    nodes[part[k]] += 1;
    for (int a = 0; a < m->dim; a++) own->middle[a] += m->x[k * m->dim + a];
  }
  for (int k = 0; k < count; k++)
    for (int a = 0; a < 3; a++) p[k].middle[a] /= nodes[k];
  for (int k = 0; k < m->nodes * m->dim; k++) {
    mesh_part *own = &p[part[k / m->dim]];
    own->size = fmax(own->size, fabs(m->x[k] - own->middle[k % m->dim]));
  }
}

static void add_prescribed(const ssi_building *b, const int *part, mesh_part *p) {
  const ss_mesh *m = b->mesh;
  int modes = mode_count(m->dim);
  for (int k = 0; k < b->prescribed_count; k++) {
    int dof = b->prescribed[k].dof, node = dof / m->dim;
    mesh_part *own = &p[part[node]];
    double x[3] = {0}, row[MODES];
    for (int a = 0; a < m->dim; a++) x[a] = (m->x[node * m->dim + a] - own->middle[a]) / own->size;
    for (int i = 0; i < modes; i++) row[i] = mode(m->dim, i, dof % m->dim, x);
    for (int i = 0; i < modes; i++)
      for (int j = 0; j < modes; j++) own->G[modes * i + j] += row[i] * row[j];
  }
}

// The first mode that elimination leaves without a pivot; -1: none.
static int free_mode(int modes, double *G) {
  bool used[MODES] = {false};
  double largest = 0;
  for (int turn = 0; turn < modes; turn++) {
    int best = -1;
    for (int i = 0; i < modes; i++)
      if (!used[i] && (best < 0 || G[modes * i + i] > G[modes * best + best])) best = i;
    double pivot = G[modes * best + best];
    largest = fmax(largest, pivot);
    if (!(pivot > NOTHING * largest)) return best;
    used[best] = true;
    for (int i = 0; i < modes; i++)
      for (int j = 0; j < modes; j++)
        if (!used[i] && !used[j])
          G[modes * i + j] -= G[modes * i + best] * G[modes * best + j] / pivot;
  }
  return -1;
}

static void find_resistance(const ssi_building *b, const int *part, mesh_part *p) {
  const ss_cells *c = &b->mesh->elements;
  bool inertia = b->scene->stepping.scheme == SS_MARCH_MOREAU;
  for (int k = 0; k < c->count; k++) {
    const ss_elastic_material *m = &b->scene->materials[b->solid.of[c->group[k]]];
    if (m->rho > 0 && (inertia || m->drag > 0)) p[part[c->node[c->first[k]]]].resists = true;
  }
}

static const char *name_of_body(const ssi_building *b, int node) {
  for (int k = 0; k < b->scene->body_count; k++) {
    if (node < b->scene->bodies[k].mesh->nodes) return b->scene->bodies[k].name;
    node -= b->scene->bodies[k].mesh->nodes;
  }
  return NULL;
}

static ss_error check_parts(ssi_building *b, ssi_arena *scratch) {
  static const char *const plane[] = {"moving along x", "moving along y", "turning"};
  static const char *const space[] = {"moving along x",  "moving along y",  "moving along z",
                                      "turning about x", "turning about y", "turning about z"};
  const int *part;
  int count, dim = b->mesh->dim;
  SS_TRY(ssi_mesh_parts(b->ctx, scratch, b->mesh, &count, &part));
  mesh_part *p = SSI_TAKE(scratch, count + 1, mesh_part);
  double *nodes = SSI_TAKE(scratch, count + 1, double);
  if (scratch->failed) return ssi_body_no_memory(b->ctx);
  measure_parts(b->mesh, part, count, nodes, p);
  add_prescribed(b, part, p);
  find_resistance(b, part, p);
  for (int k = 0; k < count; k++) {
    int loose = p[k].resists ? -1 : free_mode(mode_count(dim), p[k].G);
    if (loose < 0) continue;
    const char *name = name_of_body(b, p[k].first);
    return ssi_fail(
        b->ctx, SS_ERR_DATA,
        "%s is singular: \"%s\" is held by nothing against %s; prescribe displacements, or "
        "give it density%s",
        b->scene->stepping.scheme == SS_MARCH_MOREAU ? "M" : "C + h K", name ? name : "body",
        (dim == 2 ? plane : space)[loose],
        b->scene->stepping.scheme == SS_MARCH_MOREAU ? "" : " and drag");
  }
  return SS_OK;
}

ss_error ssi_check_held(ssi_building *b) {
  ssi_arena scratch = {.ctx = b->ctx};
  ss_error e = check_parts(b, &scratch);
  ssi_arena_release(&scratch);
  return e;
}
