// support/glcp.h - all solutions of small 2D problems by the double-description algorithm for the
// generalised linear complementarity problem [Agw20, 4.4; De Moor, Vandenberghe, Vandewalle 1992].
// A second way to what ss_enumerate does, sharing nothing with it: no pattern is ever solved.
//
// In our signs (u_N, r_N >= 0; r_T = mu r_N - b) a problem u = W r + q is, x >= 0, with pairs x_i
// x_j = 0,
//
//   u_N     = (W_nn + W_nt U) r_N - W_nt b + q_N e          pairs (u_N, r_N)
//   c - d   = (W_tn + W_tt U) r_N - W_tt b + q_T e          (c, a), (d, b);  u_T = c - d
//   a       = 2 U r_N - b                                    U = diag(mu), e > 0 (then 1)  (1)
//
// The cone { x >= 0, A x = 0 } is cut equation by equation: rays on either side of a plane give one
// on it, if they are adjacent and their sum keeps one of each pair at zero. Rays with e > 0 are the
// vertices of the solution set, rays with e = 0 its directions (c = d alone moves nothing: [Agw20, (30)]
// has such a ray for every free contact). Two rays lie in one cell if and only if their sum keeps
// one of each pair at zero.
#pragma once

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { GLCP_CONTACTS = 5, GLCP_SIZE = 6 * GLCP_CONTACTS + 1, GLCP_RAYS = 20000 };

typedef struct glcp_ray {
  double x[GLCP_SIZE];
  uint64_t support;  // bit i: x_i != 0
} glcp_ray;

typedef struct glcp_solution {
  double u[2 * GLCP_CONTACTS], r[2 * GLCP_CONTACTS];
  int component;
} glcp_solution;

typedef struct glcp {
  int n, size;
  glcp_ray *rays;
  int count;
  int vertex_count, direction_count;     // rays with e > 0; others that move u or r
  glcp_solution *vertices, *directions;  // component of a direction: unused
  int components;
  int *dimension;  // of each component: 0 is isolated
} glcp;

// Columns of x.
static inline int glcp_at(int n, int block, int i) {  // blocks: u_N, d, a, r_N, b, c
  return block * n + i;
}

static inline bool glcp_complementary(const glcp *g, uint64_t support) {
  for (int k = 0; k < 3; k++)  // (u_N, r_N), (d, b), (a, c)
    for (int i = 0; i < g->n; i++)
      if (support >> glcp_at(g->n, k, i) & 1 && support >> glcp_at(g->n, k + 3, i) & 1)
        return false;
  return true;
}

static inline void glcp_equations(int n, const double *W, const double *q, const double *mu,
                                  double A[3 * GLCP_CONTACTS][GLCP_SIZE]) {
  memset(A, 0, sizeof(double) * 3 * GLCP_CONTACTS * GLCP_SIZE);
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < 2; k++) {
      double *row = A[2 * i + k];
      for (int j = 0; j < n; j++) {
        double wn = W[(2 * i + k) * 2 * n + 2 * j], wt = W[(2 * i + k) * 2 * n + 2 * j + 1];
        row[glcp_at(n, 3, j)] = wn + wt * mu[j], row[glcp_at(n, 4, j)] = -wt;
      }
      row[6 * n] = q[2 * i + k];
    }
    A[2 * i][glcp_at(n, 0, i)] = -1;
    A[2 * i + 1][glcp_at(n, 5, i)] = -1, A[2 * i + 1][glcp_at(n, 1, i)] = 1;
    double *row = A[2 * n + i];
    row[glcp_at(n, 2, i)] = -1, row[glcp_at(n, 3, i)] = 2 * mu[i], row[glcp_at(n, 4, i)] = -1;
  }
}

// Largest entry 1; what is rounding beside it becomes 0.
static inline void glcp_clean(const glcp *g, glcp_ray *ray) {
  double top = 0;
  for (int i = 0; i < g->size; i++) top = fmax(top, fabs(ray->x[i]));
  ray->support = 0;
  for (int i = 0; i < g->size; i++) {
    ray->x[i] = ray->x[i] > 1e-11 * top ? ray->x[i] / top : 0;
    if (ray->x[i] > 0) ray->support |= 1ull << i;
  }
}

// Is there no third ray whose support lies within that of a + b?
static inline bool glcp_adjacent(const glcp *g, int a, int b) {
  uint64_t both = g->rays[a].support | g->rays[b].support;
  for (int k = 0; k < g->count; k++)
    if (k != a && k != b && (g->rays[k].support & ~both) == 0) return false;
  return true;
}

// Cuts the cone by row . x = 0.
static inline void glcp_cut(glcp *g, const double *row) {
  double *value = calloc((size_t)g->count, sizeof *value);
  for (int k = 0; k < g->count; k++) {
    double scale = 0;
    for (int i = 0; i < g->size; i++) {
      value[k] += row[i] * g->rays[k].x[i];
      scale += fabs(row[i] * g->rays[k].x[i]);
    }
    if (fabs(value[k]) <= 1e-11 * scale) value[k] = 0;
  }
  glcp_ray *next = malloc(sizeof *next * GLCP_RAYS);
  int count = 0;
  for (int a = 0; a < g->count; a++) {
    if (value[a] == 0) assert(count < GLCP_RAYS), next[count++] = g->rays[a];
    for (int b = 0; b < g->count; b++) {
      if (!(value[a] > 0 && value[b] < 0)) continue;
      if (!glcp_complementary(g, g->rays[a].support | g->rays[b].support)) continue;
      if (!glcp_adjacent(g, a, b)) continue;
      assert(count < GLCP_RAYS);
      for (int i = 0; i < g->size; i++)
        next[count].x[i] = value[a] * g->rays[b].x[i] - value[b] * g->rays[a].x[i];
      glcp_clean(g, &next[count++]);
    }
  }
  free(value);
  memcpy(g->rays, next, sizeof *next * (size_t)count);
  g->count = count;
  free(next);
}

static inline void glcp_read(const glcp *g, const double *mu, const glcp_ray *ray,
                             glcp_solution *s) {
  int n = g->n;
  double e = ray->x[6 * n] > 0 ? ray->x[6 * n] : 1;
  for (int i = 0; i < n; i++) {
    s->u[2 * i] = ray->x[glcp_at(n, 0, i)] / e;
    s->u[2 * i + 1] = (ray->x[glcp_at(n, 5, i)] - ray->x[glcp_at(n, 1, i)]) / e;
    s->r[2 * i] = ray->x[glcp_at(n, 3, i)] / e;
    s->r[2 * i + 1] = mu[i] * s->r[2 * i] - ray->x[glcp_at(n, 4, i)] / e;
  }
}

// Rank of the rows by elimination with full pivoting. rows (count x size) is overwritten.
static inline int glcp_rank(double *rows, int count, int size) {
  double first = 0;
  for (int rank = 0;; rank++) {
    double top = 0;
    int r = -1, c = -1;
    for (int i = rank; i < count; i++)
      for (int j = 0; j < size; j++)
        if (fabs(rows[i * size + j]) > top) top = fabs(rows[i * size + j]), r = i, c = j;
    if (rank == 0) first = top;
    if (r < 0 || top <= 1e-8 * first) return rank;
    for (int j = 0; j < size; j++) {
      double swap = rows[r * size + j];
      rows[r * size + j] = rows[rank * size + j], rows[rank * size + j] = swap;
    }
    for (int i = rank + 1; i < count; i++) {
      double f = rows[i * size + c] / rows[rank * size + c];
      for (int j = 0; j < size; j++) rows[i * size + j] -= f * rows[rank * size + j];
    }
  }
}

// Dimension of the largest cell that contains vertex v: grows every maximal set of rays that go
// together. rays[0] is v; the others, from `next` on, may be added.
static inline int glcp_grow(const glcp *g, const glcp_ray **all, int total, int next,
                            uint64_t support, const glcp_solution **chosen, int count,
                            const glcp_solution *const *points) {
  int size = 4 * g->n, best;
  double *rows = calloc((size_t)(count ? count : 1) * (size_t)size, sizeof *rows);
  for (int k = 1; k < count; k++)
    for (int i = 0; i < 2 * g->n; i++) {
      bool move = chosen[k]->component < 0;  // directions carry component -1
      rows[(k - 1) * size + i] = chosen[k]->u[i] - (move ? 0 : chosen[0]->u[i]);
      rows[(k - 1) * size + 2 * g->n + i] = chosen[k]->r[i] - (move ? 0 : chosen[0]->r[i]);
    }
  best = count > 1 ? glcp_rank(rows, count - 1, size) : 0;
  free(rows);
  for (int k = next; k < total; k++) {
    if (!glcp_complementary(g, support | all[k]->support)) continue;
    chosen[count] = points[k];
    int found =
        glcp_grow(g, all, total, k + 1, support | all[k]->support, chosen, count + 1, points);
    if (found > best) best = found;
  }
  return best;
}

static inline int glcp_find(int *parent, int i) {
  while (parent[i] != i) i = parent[i];
  return i;
}

// Vertices, directions, components and their dimensions from the rays.
static inline void glcp_sort(glcp *g, const double *mu) {
  size_t room = (size_t)g->count + 1;
  g->vertices = calloc(room, sizeof *g->vertices),
  g->directions = calloc(room, sizeof *g->directions);
  g->dimension = calloc(room, sizeof *g->dimension);
  const glcp_ray **vertex = calloc(room, sizeof *vertex), **moving = calloc(room, sizeof *moving);
  int *parent = calloc(room, sizeof *parent);
  for (int k = 0; k < g->count; k++) {
    const glcp_ray *ray = &g->rays[k];
    glcp_solution s = {.component = -1};
    glcp_read(g, mu, ray, &s);
    double size = 0;
    for (int i = 0; i < 2 * g->n; i++) size = fmax(size, fmax(fabs(s.u[i]), fabs(s.r[i])));
    if (ray->x[6 * g->n] > 0)
      vertex[g->vertex_count] = ray, g->vertices[g->vertex_count++] = s;
    else if (size > 1e-9)
      moving[g->direction_count] = ray, g->directions[g->direction_count++] = s;
  }
  for (int a = 0; a < g->vertex_count; a++) {
    parent[a] = a;
    for (int b = 0; b < a; b++)
      if (glcp_complementary(g, vertex[a]->support | vertex[b]->support))
        parent[glcp_find(parent, a)] = glcp_find(parent, b);
  }
  for (int a = 0; a < g->vertex_count; a++)
    if (glcp_find(parent, a) == a) g->vertices[a].component = g->components++;
  for (int a = 0; a < g->vertex_count; a++)
    g->vertices[a].component = g->vertices[glcp_find(parent, a)].component;
  const glcp_ray **all = calloc(room, sizeof *all);
  const glcp_solution **points = calloc(room, sizeof *points),
                      **chosen = calloc(room, sizeof *chosen);
  for (int a = 0; a < g->vertex_count; a++) {
    int total = 0;
    for (int b = a + 1; b < g->vertex_count; b++)
      all[total] = vertex[b], points[total++] = &g->vertices[b];
    for (int b = 0; b < g->direction_count; b++)
      all[total] = moving[b], points[total++] = &g->directions[b];
    chosen[0] = &g->vertices[a];
    int d = glcp_grow(g, all, total, 0, vertex[a]->support, chosen, 1, points);
    int *dimension = &g->dimension[g->vertices[a].component];
    if (d > *dimension) *dimension = d;
  }
  free(all), free(points), free(chosen), free(vertex), free(moving), free(parent);
}

// W row-major (2n x 2n), (n, t) per contact.
static inline void glcp_solve(int n, const double *W, const double *q, const double *mu, glcp *g) {
  assert(n <= GLCP_CONTACTS);
  static double A[3 * GLCP_CONTACTS][GLCP_SIZE];
  *g = (glcp){.n = n, .size = 6 * n + 1, .rays = calloc(GLCP_RAYS, sizeof *g->rays)};
  for (int i = 0; i < g->size; i++) g->rays[i].x[i] = 1, g->rays[i].support = 1ull << i;
  g->count = g->size;
  glcp_equations(n, W, q, mu, A);
  for (int i = 0; i < 3 * n; i++) glcp_cut(g, A[i]);
  glcp_sort(g, mu);
}

static inline void glcp_release(glcp *g) {
  free(g->rays), free(g->vertices), free(g->directions), free(g->dimension);
}
