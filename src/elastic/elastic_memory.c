// What stepping elastic bodies takes: the factor of the matrix of the scheme, and W, which is full among all contacts. Nested
// dissection leaves about n log n numbers of a plane mesh with n degrees of freedom, and n^(4/3) of one in space.
#include <math.h>

#include "stickslip/elastic.h"

static const double PLANE = 350;       // bytes; 204,102 dofs take 6.2e3 each with everything
static const double SPACE = 160;       // bytes
static const double PER_ENTRY = 60;    // of K, M, C and H
static const double PER_ENTRY_W = 24;  // as it is made, as blocks, as the solver has it

static double factor_bytes(int dim, double n) {
  if (n < 2) return 0;
  return dim == 2 ? PLANE * n * log2(n) : SPACE * n * cbrt(n);
}

double ss_elastic_memory(const ss_elastic_scene *scene) {
  double nodes = 0;
  for (int k = 0; scene && k < scene->body_count; k++)
    if (scene->bodies[k].mesh) nodes += scene->bodies[k].mesh->nodes;
  return scene ? factor_bytes(scene->dim, nodes * scene->dim) : 0;
}

static double entries(const ss_sparse *A) {
  return A->ptr ? (double)A->ptr[A->rows] : 0;
}

// Matrices of the user's own are taken for those of a mesh.
double ss_structure_memory(const ss_structure *s) {
  if (!s) return 0;
  double given = entries(&s->K) + entries(&s->C) + entries(&s->M), m = (double)s->dim * s->nc;
  for (int k = 0; k < s->H_count; k++) given += entries(&s->H[k]);
  return PER_ENTRY * given + factor_bytes(s->dim, s->ndof) + PER_ENTRY_W * m * m;
}
