// Finite element models of elastic bodies as static problems: plane strain, bilinear quadrilaterals
// (stickslip/elastic.h; docs/elastic.md has the derivation). All but the first are condensed onto their contacts:
// M = (H K^-1 H^T)^-1 is the stiffness that the contact nodes feel, f the load as they feel it, w the gaps.
//
//   block            after Klarbring: the left side held, the lower nodes over an obstacle, M = K
//   elastic-square   a square fixed on its upper side, its lower side over an obstacle: n contact nodes
//                    [003 6.1, after Alart et al. 1995]; loads are displacements of the upper side
//   elastic-blocks   two blocks on each other, node to node [004 Fig. 3: 30 x 11 nodes each]
//   half-plane       a block, wide beside its contact, indented by a rigid parabola
//   pulled-block     a block on a table, its upper side pressed and pulled
#include <math.h>

#include "base/error.h"
#include "la/sparse.h"
#include "models/model.h"
#include "stickslip/elastic.h"

#define SSI_ELASTIC_CONSTANTS                                                                      \
  {"E", "1", SSI_POSITIVE, "Young's modulus"}, {                                                   \
    "nu", "0.3", -0.99, 0.4999, false, "Poisson's ratio"                                           \
  }

// One body of nx x ny cells, and what a scene of it needs.
typedef struct grid_body {
  ss_mesh *mesh;
  ss_zone zone[2];
} grid_body;

static double get(const ssi_draft *d, const char *name) {
  return ssi_get(d, name).x;
}

static ss_error make_body(ssi_draft *d, grid_body *p, double x0, double x1, int nx, double y0,
                          double y1, int ny) {
  p->zone[0] = (ss_zone){x1, nx, 1};
  p->zone[1] = (ss_zone){y1, ny, 1};
  ss_grid g = {.dim = 2, .kind = SS_QUAD4, .axis = {{x0, 1, &p->zone[0]}, {y0, 1, &p->zone[1]}}};
  return ss_mesh_grid(d->ctx, &g, &p->mesh);
}

// The problem of the scene at t = 1, whole or condensed, as the draft.
static ss_error fill(ssi_draft *d, const ss_elastic_scene *scene, bool condensed) {
  ss_elastic *e = NULL;
  ss_problem *p = NULL;
  ss_error error = ss_elastic_build(d->ctx, scene, &e);
  if (!error) error = ss_structure_problem(d->ctx, &e->structure, 0, 1, condensed, &p);
  if (!error) error = ssi_draft_begin(d, 2, p->nc, p->ndof);
  for (int i = 0; !error && i < p->ndof; i++) {
    d->f[i] = ssi_real(p->f[i]);
    for (int64_t k = p->M.ptr[i]; k < p->M.ptr[i + 1]; k++)
      *ssi_M(d, i, p->M.col[k]) = ssi_real(p->M.x[k]);
  }
  for (int i = 0; !error && i < 2 * p->nc; i++) {
    d->mu[i / 2] = ssi_get(d, "mu");
    d->w[i] = ssi_real(p->w[i]);
    for (int64_t k = p->H.ptr[i]; k < p->H.ptr[i + 1]; k++)
      *ssi_H(d, i, p->H.col[k]) = ssi_real(p->H.x[k]);
  }
  ss_problem_destroy(p);
  ss_elastic_destroy(e);
  return error;
}

static ss_elastic_material material_of(const ssi_draft *d) {
  return (ss_elastic_material){.name = "body", .E = get(d, "E"), .nu = get(d, "nu")};
}

// One material for each body.
static ss_elastic_scene scene_of(const ss_elastic_body *bodies, int body_count,
                                 const ss_elastic_material *materials) {
  ss_elastic_scene s = ss_elastic_scene_default(2);
  s.materials = materials, s.material_count = body_count;
  s.bodies = bodies, s.body_count = body_count;
  return s;
}

// ---- a block after Klarbring -----------------------------------------------------------------------

static const ss_model_parameter block_rows[] = {
    {"nx", "2", 1, 16, true, "elements along x, and contact nodes"},
    {"ny", "2", 1, 16, true, "elements along y"},
    {"width", "1", SSI_POSITIVE, "along the obstacle"},
    {"height", "1", SSI_POSITIVE, "above it"},
    {"lean", "0", -100, 100, false, "dx/dy of the sides: the block leans over"},
    SSI_ELASTIC_CONSTANTS,
    {"pressure", "1", SSI_ANY, "on the upper side, towards the obstacle"},
    {"shear", "1", SSI_ANY, "on the upper side, along x"},
    {"gap", "0", SSI_NOT_LESS, "distance from the obstacle before"},
    SSI_MU("1/2"),
};

static ss_error build_block(ssi_draft *d) {
  grid_body p = {0};
  SS_TRY(make_body(d, &p, 0, get(d, "width"), (int)get(d, "nx"), 0, get(d, "height"),
                   (int)get(d, "ny")));
  double *x = (double *)(uintptr_t)p.mesh->x;  // made just now
  for (int k = 0; k < p.mesh->nodes; k++) x[2 * k] += get(d, "lean") * x[2 * k + 1];
  ss_elastic_material material = material_of(d);
  ss_elastic_body body = {.name = "block", .mesh = p.mesh};
  ss_support left = {"left", {true, true}, {0}, NULL};
  ss_surface_load top = {"top", {get(d, "shear")}, get(d, "pressure"), NULL};
  ss_obstacle table = {
      .boundary = "bottom", .normal = {0, 1}, .point = {0, -get(d, "gap")}, .mu = get(d, "mu")};
  ss_elastic_scene s = scene_of(&body, 1, &material);
  s.supports = &left, s.support_count = 1;
  s.loads = &top, s.load_count = 1;
  s.obstacles = &table, s.obstacle_count = 1;
  ss_error e = fill(d, &s, false);
  ss_mesh_destroy(p.mesh);
  return e;
}

const ssi_model ssi_model_block = {
    .name = "block",
    .summary = "elastic block, plane strain, held on its left, over an obstacle (nx contact nodes)",
    .equation = "K of nx x ny bilinear elements, load pressure and shear on the upper side",
    SSI_PARAMETERS(block_rows),
    .build = build_block,
};

// ---- a body above an obstacle: the square, the pulled block ----------------------------------------

static ss_error build_above(ssi_draft *d, double width, double height, int nx, int ny) {
  grid_body p = {0};
  SS_TRY(make_body(d, &p, 0, width, nx, 0, height, ny));
  ss_elastic_material material = material_of(d);
  ss_elastic_body body = {.name = "body", .mesh = p.mesh};
  ss_support top = {"top", {true, true}, {get(d, "shift"), -get(d, "press")}, NULL};
  ss_obstacle table = {
      .boundary = "bottom", .normal = {0, 1}, .point = {0, -get(d, "gap")}, .mu = get(d, "mu")};
  ss_elastic_scene s = scene_of(&body, 1, &material);
  s.supports = &top, s.support_count = 1;
  s.obstacles = &table, s.obstacle_count = 1;
  ss_error e = fill(d, &s, true);
  ss_mesh_destroy(p.mesh);
  return e;
}

static const ss_model_parameter square_rows[] = {
    {"n", "5", 2, 65, true, "contact nodes; n - 1 elements along each side"},
    SSI_ELASTIC_CONSTANTS,
    {"press", "0.1", SSI_ANY, "displacement of the upper side towards the obstacle"},
    {"shift", "0.1", SSI_ANY, "displacement of the upper side along it"},
    {"gap", "0", SSI_NOT_LESS, "distance from the obstacle before"},
    SSI_MU("1/2"),
};

static ss_error build_square(ssi_draft *d) {
  int n = (int)get(d, "n") - 1;
  return build_above(d, 1, 1, n, n);
}

const ssi_model ssi_model_elastic_square = {
    .name = "elastic-square",
    .summary = "elastic square fixed on its upper side, n nodes of its lower side over an obstacle",
    .equation = "M = stiffness condensed onto the n contact nodes, H = I",
    SSI_PARAMETERS(square_rows),
    .build = build_square,
};

static const ss_model_parameter pulled_rows[] = {
    {"nx", "8", 1, 200, true, "elements along x; nx + 1 contact nodes"},
    {"ny", "4", 1, 200, true, "elements along y"},
    {"width", "2", SSI_POSITIVE, "along the table"},
    {"height", "1", SSI_POSITIVE, "above it"},
    SSI_ELASTIC_CONSTANTS,
    {"press", "0.03", SSI_ANY, "displacement of the upper side towards the table"},
    {"shift", "0.04", SSI_ANY, "displacement of the upper side along it"},
    {"gap", "0", SSI_NOT_LESS, "distance from the table before"},
    SSI_MU("2/5"),
};

static ss_error build_pulled(ssi_draft *d) {
  return build_above(d, get(d, "width"), get(d, "height"), (int)get(d, "nx"), (int)get(d, "ny"));
}

const ssi_model ssi_model_pulled_block = {
    .name = "pulled-block",
    .summary = "elastic block on a table, its upper side pressed and pulled: partial slip",
    .equation = "M = stiffness condensed onto the nx + 1 contact nodes, H = I",
    SSI_PARAMETERS(pulled_rows),
    .build = build_pulled,
};

// ---- two blocks ------------------------------------------------------------------------------------

static const ss_model_parameter blocks_rows[] = {
    {"nx", "29", 1, 200, true, "elements along x; nx + 1 contact nodes"},
    {"ny", "10", 1, 200, true, "elements along y, of each block"},
    {"width", "2.9", SSI_POSITIVE, "of both"},
    {"height", "1", SSI_POSITIVE, "of each"},
    SSI_ELASTIC_CONSTANTS,
    {"stiffness", "1", SSI_POSITIVE, "Young's modulus of the lower block over E"},
    {"pressure", "0.01", SSI_ANY, "on the upper side"},
    {"shear", "0", SSI_ANY, "traction on the upper side, along x"},
    {"pull", "0.02", SSI_ANY, "traction on the right side of the upper block, along x"},
    {"lift", "0.005", SSI_ANY, "the same, along y"},
    {"curvature", "0", SSI_NOT_LESS, "of the upper side of the lower block: a flat crest"},
    {"crest", "1.8", SSI_ANY, "where that crest is, from the left"},
    SSI_MU("3/10"),
};

static ss_error build_blocks(ssi_draft *d) {
  grid_body p[2] = {0};
  double width = get(d, "width"), height = get(d, "height");
  int nx = (int)get(d, "nx"), ny = (int)get(d, "ny");
  ss_error e = make_body(d, &p[0], 0, width, nx, height, 2 * height, ny);
  if (!e) e = make_body(d, &p[1], 0, width, nx, 0, height, ny);
  ss_elastic_material materials[] = {material_of(d), material_of(d)};
  materials[1].E *= get(d, "stiffness");
  ss_elastic_body bodies[] = {{.name = "upper", .mesh = p[0].mesh},
                              {.name = "lower", .mesh = p[1].mesh, .material = 1}};
  ss_support held[] = {{"upper.left", {true, true}, {0}, NULL},
                       {"lower.bottom", {true, true}, {0}, NULL}};
  ss_surface_load loads[] = {{"upper.top", {get(d, "shear")}, get(d, "pressure"), NULL},
                             {"upper.right", {get(d, "pull"), get(d, "lift")}, 0, NULL}};
  ss_contact_pair pair = {.slave = "upper.bottom",
                          .master = "lower.top",
                          .mu = get(d, "mu"),
                          .point = {get(d, "crest"), height},
                          .curvature = get(d, "curvature")};
  ss_elastic_scene s = scene_of(bodies, 2, materials);
  s.supports = held, s.support_count = 2;
  s.loads = loads, s.load_count = 2;
  s.pairs = &pair, s.pair_count = 1;
  if (!e) e = fill(d, &s, true);
  for (int k = 0; k < 2; k++) ss_mesh_destroy(p[k].mesh);
  return e;
}

const ssi_model ssi_model_elastic_blocks = {
    .name = "elastic-blocks",
    .summary = "two elastic blocks on each other, the upper held on its left (1320 dofs, 30 nodes)",
    .equation = "M = stiffness condensed onto the nx + 1 pairs of nodes, H = I",
    SSI_PARAMETERS(blocks_rows),
    .build = build_blocks,
};

// ---- half-plane ------------------------------------------------------------------------------------

static const ss_model_parameter half_plane_rows[] = {
    {"cells", "4", 1, 100, true, "elements in `width`, on either side of the middle"},
    {"width", "0.1", SSI_POSITIVE,
     "half of what may touch; elements grow beyond, up to 40 times it"},
    {"curvature", "1", SSI_NOT_LESS, "of the indenter: one over its radius"},
    SSI_ELASTIC_CONSTANTS,
    {"depth", "0.005", SSI_ANY, "of the indentation"},
    {"shift", "0.001", SSI_ANY, "of the indenter along the half-plane"},
    SSI_MU("1/2"),
};

static ss_error build_half_plane(ssi_draft *d) {
  static const double table[] = {0, 0, 1, 1};
  static const ss_history jump = {.rows = 2, .table = table};
  double a = get(d, "width"), far = 40 * a;
  int cells = (int)get(d, "cells"), out = 8 + cells;
  double ratio = 3 * far / a * cells / out;
  ss_zone x[] = {{-a, out, 1 / ratio}, {a, 2 * cells, 1}, {far, out, ratio}};
  ss_zone y[] = {{-a, out, 1 / ratio}, {0, cells, 1}};
  ss_grid g = {.dim = 2, .kind = SS_QUAD4, .axis = {{-far, 3, x}, {-far, 2, y}}};
  ss_mesh *mesh = NULL;
  SS_TRY(ss_mesh_grid(d->ctx, &g, &mesh));
  ss_elastic_material material = material_of(d);
  ss_elastic_body body = {.name = "half-plane", .mesh = mesh};
  ss_support bottom = {"bottom", {true, true}, {0}, NULL};
  ss_obstacle_motion motion = {{get(d, "shift"), -get(d, "depth")}, &jump};
  ss_obstacle indenter = {.boundary = "top",
                          .normal = {0, -1},
                          .curvature = get(d, "curvature"),
                          .mu = get(d, "mu"),
                          .reach = a * (1 + 1e-9),
                          .motions = &motion,
                          .motion_count = 1};
  ss_elastic_scene s = scene_of(&body, 1, &material);
  s.supports = &bottom, s.support_count = 1;
  s.obstacles = &indenter, s.obstacle_count = 1;
  ss_error e = fill(d, &s, true);
  ss_mesh_destroy(mesh);
  return e;
}

const ssi_model ssi_model_half_plane = {
    .name = "half-plane",
    .summary = "elastic half-plane indented by a rigid parabola, which also moves along it",
    .equation = "M = stiffness condensed onto the 2 cells + 1 nodes below the indenter, H = I",
    SSI_PARAMETERS(half_plane_rows),
    .build = build_half_plane,
};
