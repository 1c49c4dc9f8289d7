// From the rays of the complementarity problem to cells: rays with e > 0 are vertices, others directions, and
// those that share closed states of all contacts span one cell.
//
// In the unknowns of the problem u_T of a free contact is the difference c - d of two numbers >= 0. Hence
// (a) each free contact has a ray c = d = 1 that moves nothing ([Agw20, (30)]): left out; (b) u_T = 0 is an end of
// the cell there, and not in (u, r). A point of a cell is a vertex if and only if no other generator, a direction is an
// extreme ray if and only if no other direction lies on all the planes that it lies on.                          (1)
#include <math.h>
#include <string.h>

#include "analysis/glcp.h"
#include "base/error.h"

typedef struct spanning {
  ssi_cell_search *s;
  const ssi_glcp *g;
  uint8_t states[SSI_GLCP_CONTACTS];
  int *members;  // generators that have the states so far, level by level   ((n + 1) x generators)
  bool *inside;  // members that (1) drops   (generators)
  double *rows;  // differences, for the dimension   (generators x 2 m)
  double *A;     // of a pattern   (m x m)
} spanning;

static uint8_t marks_of(const ssi_glcp *g, int ray, int i) {
  bool rn = ssi_glcp_at(g, ray, SSI_GLCP_RN, i) > 0, un = ssi_glcp_at(g, ray, SSI_GLCP_UN, i) > 0;
  bool right = ssi_glcp_at(g, ray, SSI_GLCP_RIGHT, i) > 0;
  bool left = ssi_glcp_at(g, ray, SSI_GLCP_LEFT, i) > 0;
  bool lower = ssi_glcp_at(g, ray, SSI_GLCP_LOWER, i) > 0;
  bool upper = ssi_glcp_at(g, ray, SSI_GLCP_UPPER, i) > 0;
  uint8_t b = 0;
  if (!rn) b |= SSI_IN_FREE;
  if (!un && !right && !left) b |= SSI_IN_STICK;
  if (!un && !left && !lower) b |= SSI_IN_PLUS;
  if (!un && !right && !upper) b |= SSI_IN_MINUS;
  if (rn) b |= SSI_PRESSED;
  if (right) b |= SSI_RIGHT;
  if (left) b |= SSI_LEFT;
  return b;
}

static bool moves(const ssi_glcp *g, int ray) {
  uint64_t slip = 0;
  for (int i = 0; i < g->n; i++)
    slip |= UINT64_C(1) << (SSI_GLCP_LEFT * g->n + i) | UINT64_C(1) << (SSI_GLCP_RIGHT * g->n + i);
  return (g->support[ray] & ~slip) != 0;  // c = d has no other unknown
}

static ss_error add_generator(spanning *p, int ray) {
  const ssi_glcp *g = p->g;
  const ssi_scaled *z = g->z;
  double e = g->x[(size_t)ray * (size_t)g->size + 6 * (size_t)g->n];
  int number = ssi_cells_add_generator(p->s->cells);
  if (number < 0) return SS_ERR_MEMORY;
  ssi_generator *v = &p->s->cells->generators[number];
  v->ray = !(e > 0);
  for (int i = 0; i < g->n; i++) {
    double unit = z->s[i], load = v->ray ? 1 : z->q0[i] / e;
    double rn = ssi_glcp_at(g, ray, SSI_GLCP_RN, i);
    double rt =
        (ssi_glcp_at(g, ray, SSI_GLCP_LOWER, i) - ssi_glcp_at(g, ray, SSI_GLCP_UPPER, i)) / 2;
    double ut = ssi_glcp_at(g, ray, SSI_GLCP_RIGHT, i) - ssi_glcp_at(g, ray, SSI_GLCP_LEFT, i);
    v->r[2 * i] = rn * unit * load, v->r[2 * i + 1] = rt * unit * load;
    v->u[2 * i] = ssi_glcp_at(g, ray, SSI_GLCP_UN, i) / unit * load;
    v->u[2 * i + 1] = ut / unit * load;
    v->marks[i] = marks_of(g, ray, i);
  }
  return SS_OK;
}

// Planes of the state that the generator lies on, as bits.
static int planes(uint8_t marks, int state) {
  switch (state) {
  case SS_CELL_FREE:
    return (marks & (SSI_IN_PLUS | SSI_IN_MINUS)) != 0;  // u_N = 0
  case SS_CELL_STICK:
    return (marks & SSI_IN_PLUS ? 1 : 0) | (marks & SSI_IN_MINUS ? 2 : 0);
  default:
    return (marks & SSI_PRESSED ? 0 : 1) | (marks & (SSI_RIGHT | SSI_LEFT) ? 0 : 2);
  }
}

static bool lies_on_all_of(const spanning *p, int other, int one) {
  const ssi_generator *g = p->s->cells->generators;
  if (g[one].ray && !g[other].ray) return false;
  for (int i = 0; i < p->g->n; i++) {
    int mine = planes(g[one].marks[i], p->states[i]);
    if (mine & ~planes(g[other].marks[i], p->states[i])) return false;
  }
  return true;
}

// (1), over the members of the cell; how many are left.
static int drop_inner(spanning *p, const int *members, int count) {
  int left = 0;
  for (int a = 0; a < count; a++) {
    p->inside[a] = false;
    for (int b = 0; b < count && !p->inside[a]; b++)
      p->inside[a] = b != a && lies_on_all_of(p, members[b], members[a]);
    left += !p->inside[a];
  }
  return left;
}

// Rank of `count` rows of `size` numbers by elimination with full pivoting; *sign: that of the determinant.
static int rank_of(double *rows, int count, int size, double tol, int *sign) {
  double first = 0;
  *sign = 1;
  for (int rank = 0; rank < count; rank++) {
    double top = 0;
    int r = -1, c = -1;
    for (int i = rank; i < count; i++)
      for (int j = rank; j < size; j++)
        if (fabs(rows[i * size + j]) > top) top = fabs(rows[i * size + j]), r = i, c = j;
    if (rank == 0) first = top;
    if (r < 0 || top <= tol * first) return rank;
    for (int j = 0; j < size; j++) {
      double swap = rows[r * size + j];
      rows[r * size + j] = rows[rank * size + j], rows[rank * size + j] = swap;
    }
    for (int i = 0; i < count; i++) {
      double swap = rows[i * size + c];
      rows[i * size + c] = rows[i * size + rank], rows[i * size + rank] = swap;
    }
    if ((r != rank) != (c != rank)) *sign = -*sign;
    if (rows[rank * (size + 1)] < 0) *sign = -*sign;
    for (int i = rank + 1; i < count; i++) {
      double f = rows[i * size + rank] / rows[rank * (size + 1)];
      for (int j = rank; j < size; j++) rows[i * size + j] -= f * rows[rank * size + j];
    }
  }
  return count;
}

static int dimension_of(spanning *p, const ssi_found *f) {
  const ssi_generator *g = p->s->cells->generators, *origin = &g[f->generators[0]];
  int m = 2 * p->g->n, sign;
  for (int k = 1; k < f->count; k++) {
    const ssi_generator *v = &g[f->generators[k]];
    double *row = p->rows + (size_t)(k - 1) * 2 * (size_t)m, top = 0;
    for (int j = 0; j < m; j++) {
      row[j] = v->u[j] - (v->ray ? 0 : origin->u[j]);
      row[m + j] = v->r[j] - (v->ray ? 0 : origin->r[j]);
      top = fmax(top, fmax(fabs(row[j]), fabs(row[m + j])));
    }
    for (int j = 0; j < 2 * m; j++) row[j] = top > 0 ? row[j] / top : 0;
  }
  return f->count > 1 ? rank_of(p->rows, f->count - 1, 2 * m, 1e-8, &sign) : 0;
}

// Sign of the determinant of the pattern (analysis/critical.h); 0: singular.
static int index_of(spanning *p) {
  const ssi_scaled *z = p->g->z;
  int rows[2 * SSI_GLCP_CONTACTS], d = 0, sign;
  for (int i = 0; i < z->n; i++) {
    if (p->states[i] != SS_CELL_FREE) rows[d++] = 2 * i;
    if (p->states[i] == SS_CELL_STICK) rows[d++] = 2 * i + 1;
  }
  for (int a = 0; a < d; a++)
    for (int b = 0; b < d; b++) {
      const double *W = z->W + (size_t)rows[a] * (size_t)z->m + rows[b];
      int state = p->states[rows[b] / 2];
      double slip = state == SS_CELL_SLIP_PLUS ? -1 : state == SS_CELL_SLIP_MINUS ? 1 : 0;
      p->A[a * d + b] = slip == 0 ? W[0] : W[0] + slip * z->mu[rows[b] / 2] * W[1];
    }
  return rank_of(p->A, d, d, 1e-14, &sign) == d ? sign : 0;
}

static ss_error add_cell(spanning *p, const int *members, int count) {
  int left = drop_inner(p, members, count);
  ssi_found *f = ssi_cells_add(p->s->cells, left);
  if (!f) return SS_ERR_MEMORY;
  memcpy(f->states, p->states, (size_t)p->g->n);
  for (int rays = 0; rays < 2; rays++)  // vertices first
    for (int k = 0; k < count; k++) {
      if (p->inside[k] || p->s->cells->generators[members[k]].ray != rays) continue;
      f->generators[f->count++] = members[k];
      f->ray_count += rays;
    }
  f->dimension = dimension_of(p, f);
  f->index = f->count == 1 ? index_of(p) : 0;
  return SS_OK;
}

static bool has_vertex(const spanning *p, const int *members, int count) {
  for (int k = 0; k < count; k++)
    if (!p->s->cells->generators[members[k]].ray) return true;
  return false;
}

// Contact i on: each state that some member has.
static ss_error choose(spanning *p, int i, int count) {
  int total = p->s->cells->generator_count;
  const int *members = p->members + (size_t)i * (size_t)total;
  if (!has_vertex(p, members, count)) return SS_OK;
  if (i == p->g->n) return ssi_search_goes_on(p->s) ? add_cell(p, members, count) : SS_OK;
  int *next = p->members + (size_t)(i + 1) * (size_t)total;
  for (int state = 0; state < 4 && !p->s->stopped; state++) {
    if (state == SS_CELL_STICK && p->g->z->mu[i] == 0) continue;  // part of both slips
    int kept = 0;
    for (int k = 0; k < count; k++)
      if (p->s->cells->generators[members[k]].marks[i] >> state & 1) next[kept++] = members[k];
    p->states[i] = (uint8_t)state;
    SS_TRY(choose(p, i + 1, kept));
  }
  return SS_OK;
}

ss_error ssi_glcp_cells(ssi_cell_search *s, const ssi_glcp *g) {
  spanning p = {.s = s, .g = g};
  ss_error e = SS_OK;
  for (int ray = 0; !e && ray < g->count; ray++)
    if (moves(g, ray)) e = add_generator(&p, ray);
  int total = e ? 0 : s->cells->generator_count, m = 2 * g->n;
  p.members = SSI_TAKE(s->arena, (size_t)(g->n + 1) * (size_t)total, int);
  p.inside = SSI_TAKE(s->arena, total, bool);
  p.rows = SSI_TAKE(s->arena, (size_t)total * 2 * (size_t)m, double);
  p.A = SSI_TAKE(s->arena, m * m, double);
  if (s->arena->failed) e = SS_ERR_MEMORY;
  for (int k = 0; !e && k < total; k++) p.members[k] = k;
  if (!e) e = choose(&p, 0, total);
  return e ? ssi_fail(s->ctx, e, "no memory for the solutions") : SS_OK;
}
