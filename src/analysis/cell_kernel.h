// analysis/cell_kernel.h - the solutions with given contact states, written once for any kind of
// number. Included by cells_double.c and cells_exact.c, which define
//
//   num             the number, `kit` what its operations need (tolerances, temporaries)
//   num_zero, num_set, num_add, num_sub, num_mul, num_div, num_negate, num_submul (a -= b c)
//   num_sign(kit, a, scale)   -1, 0, 1; 0 within the tolerance times scale
//   num_size(a)     |a| as a double, for scales; num_pivot(a): how good a pivot it is
//   num_ties(kit)   decisions of num_sign so far that rounding may have made
//   num_array(kit, count)     zeros; NULL: no memory
//   num_same        whether two reactions are the same point
//   num_double      to double
//
// Unknowns x, y >= 0: stick r = x (1, -mu) + y (1, mu),  slip+ r = x (1, -mu), slip- r = x (1, mu).
// (In a first attempt r_N, r_T where stick: as far apart as W makes them, whatever mu is.)
// Equations: u = 0 where stick, u_N = 0 where slip: as many as unknowns,
//
//     A x = -q                                                                              (1)
//
// Inequalities: x >= 0, u_N >= 0 where free, +-u_T >= 0 where slip. Gauss-Jordan with full pivots
// leaves x_B = a - B x_t, so that with the homogeneous variable tau the cell is the cone
//
//     { (tau, x_t) >= 0 :  all other inequalities }                                         (2)
//
// whose extreme rays the double description method finds, beginning with the unit vectors. The rays
// with tau > 0 are the vertices.
#include <float.h>
#include <math.h>
#include <string.h>

#include "analysis/cells.h"
#include "base/error.h"
#include "base/timer.h"

__extension__ typedef unsigned __int128 bits;  // 2 n + 1 inequalities, n <= 60

enum { DD_RAYS = 4000 };  // most rays of one cell at a time

typedef struct kernel {
  kit kit;
  int n, m;
  const num *W;                 // (m m)
  num *Wp, *Wm;                 // W (1, -mu) and W (1, mu), contact by contact   (m n)
  num *q, *mu;                  // (m), (n)
  num *A;                       // (1), then its reduced form                     (m (m + 1))
  num *x, *r, *u, *part, *sum;  // (m), (m), (m), (m + 2)
  num *row;                     // one inequality of (2)            (m + 1)
  int *unknown, *equation;      // of the columns and rows of A     (m)
  int *order;                   // column of A at each place        (m)
  double *scale;                // of the terms of a column of A    (m)
  uint8_t *marks;               // (n)
  bool *frictionless;           // (n)
  double *size;                 // of the terms of u                (m)
  num *point;                   // r of the generators              (point_room m)
  int point_room;
  num *dd, *dd_next, *dd_value;  // rays of (2)                     (dd_room (m + 1)), (dd_room)
  bits *tight, *tight_next;      // inequalities that each one meets with equality   (dd_room)
  int dd_count, dd_width, dd_room;
  double end_s;  // of the time
  bool late;     // it has come: what is in hand is worthless
} kernel;

// Read where the next thing may take long: a row of rational numbers, a ray among thousands.
static bool is_late(kernel *k) {
  if (ssi_time_is_over(k->end_s)) k->late = true;
  return k->late;
}

// ---- (1) ------------------------------------------------------------------------------------

static num *at(num *A, int width, int i, int j) {
  return A + (size_t)i * (size_t)width + (size_t)j;
}

// Column of unknown j: 2 i for (1, -mu) and 2 i + 1 for (1, mu) of contact i.
static const num *column_entry(const kernel *k, int row, int unknown) {
  const num *W = unknown % 2 ? k->Wm : k->Wp;
  return W + (size_t)row * (size_t)k->n + (size_t)(unknown / 2);
}

// generators: x, y where stick, else r_N, r_T.
static int set_up(kernel *k, const uint8_t *states, bool generators) {
  int d = 0, e = 0;
  for (int i = 0; i < k->n; i++) {
    if (states[i] == SS_CELL_FREE) continue;
    k->equation[e++] = 2 * i;
    if (states[i] == SS_CELL_STICK) k->equation[e++] = 2 * i + 1;
    if (states[i] != SS_CELL_SLIP_MINUS) k->unknown[d++] = 2 * i;
    if (states[i] != SS_CELL_SLIP_PLUS) k->unknown[d++] = 2 * i + 1;
  }
  for (int i = 0; i < d; i++) {
    for (int j = 0; j < d; j++) {
      int row = k->equation[i], unknown = k->unknown[j];
      bool plain = !generators && states[unknown / 2] == SS_CELL_STICK;
      num_set(at(k->A, d + 1, i, j),
              plain ? k->W + (size_t)row * (size_t)k->m + unknown : column_entry(k, row, unknown));
    }
    num_set(at(k->A, d + 1, i, d), k->q + k->equation[i]);
    num_negate(at(k->A, d + 1, i, d));
  }
  for (int j = 0; j < d; j++) {
    int c = k->unknown[j] / 2;
    bool plain = !generators && states[c] == SS_CELL_STICK;
    // W is scaled to a diagonal of order 1, and W (1, +-mu) may cancel
    k->scale[j] = plain ? 1 : 1 + num_size(k->mu + c);
    k->order[j] = j;
  }
  return d;
}

static void swap_int(int *a, int *b) {
  int t = *a;
  *a = *b, *b = t;
}

static void swap_rows(num *A, int width, int a, int b) {
  for (int j = 0; j < width; j++) num_swap(at(A, width, a, j), at(A, width, b, j));
}

static void swap_columns(num *A, int rows, int width, int a, int b) {
  for (int i = 0; i < rows; i++) num_swap(at(A, width, i, a), at(A, width, i, b));
}

// Gauss-Jordan on `rows` rows of which the first `cols` columns may be pivots; returns the rank.
// scale: size of the terms that the entries of a column are sums of, by its number in order; NULL: 1.
// Eliminating rows keeps that, so that a contact of large mu hides nothing of the others. *sign: of the
// determinant, where rows == cols == rank. *least: smallest pivot taken, relative to scale.
static int reduce_rows(kernel *k, num *A, int rows, int cols, int width, int *order,
                       const double *scale, int *sign, double *least) {
  *sign = 1;
  *least = 1;
  int rank = 0;
  for (; rank < rows && rank < cols; rank++) {
    int pi = rank, pj = rank;
    double best = -1;
    for (int i = rank; i < rows; i++)
      for (int j = rank; j < cols; j++) {
        double size = num_pivot(at(A, width, i, j)) / (scale ? scale[order[j]] : 1);
        if (size > best) best = size, pi = i, pj = j;
      }
    if (num_sign(&k->kit, at(A, width, pi, pj), scale ? scale[order[pj]] : 1) == 0) break;
    *least = fmin(*least, best);
    if (pi != rank) swap_rows(A, width, pi, rank), *sign = -*sign;
    if (pj != rank) {
      swap_columns(A, rows, width, pj, rank), *sign = -*sign;
      if (order) swap_int(&order[pj], &order[rank]);
    }
    num *pivot = at(A, width, rank, rank);
    if (num_sign(&k->kit, pivot, 0) < 0) *sign = -*sign;
    for (int j = rank + 1; j < width; j++) num_div(at(A, width, rank, j), pivot);
    for (int i = 0; i < rows; i++) {
      num *factor = at(A, width, i, rank);
      if (i == rank || num_is_zero(factor)) continue;
      if (num_exact && is_late(k)) return rank;
      for (int j = rank + 1; j < width; j++)
        num_submul(&k->kit, at(A, width, i, j), factor, at(A, width, rank, j));
    }
  }
  return rank;
}

// ---- one point ------------------------------------------------------------------------------

// r from x, by generators.
static void reactions(kernel *k, int d) {
  for (int j = 0; j < k->m; j++) num_zero(k->r + j);
  for (int j = 0; j < d; j++) {
    int c = k->unknown[j] / 2;
    num_add(k->r + 2 * c, k->x + j);
    num_set(k->sum, k->x + j);
    num_mul(k->sum, k->mu + c);
    if (k->unknown[j] % 2)
      num_add(k->r + 2 * c + 1, k->sum);
    else
      num_sub(k->r + 2 * c + 1, k->sum);
  }
}

// u = W r + q, or W r for a direction. Returns the size of its terms.
static double velocity(kernel *k, int row, bool direction, num *out) {
  double size = direction ? 0 : fmax(1, num_size(k->q + row));
  const num *w = k->W + (size_t)row * (size_t)k->m;
  num_zero(out);
  for (int j = 0; j < k->m; j++) {
    if (num_is_zero(w + j) || num_is_zero(k->r + j)) continue;
    num_set(k->sum, w + j);
    num_mul(k->sum, k->r + j);
    size += num_size(k->sum);
    num_add(out, k->sum);
  }
  if (!direction) num_add(out, k->q + row);
  return size;
}

// Sign of r_N where r = x (1, -+mu): that of the larger of its parts, so that a reaction under large friction
// is no zero for being nearly tangential.
static int slip_sign(kernel *k, int i, int s, double scale_r) {
  bool steep = num_size(k->mu + i) > 1;
  int sign = num_sign(&k->kit, k->r + 2 * i + steep, scale_r);
  return steep && s == SS_CELL_SLIP_PLUS ? -sign : sign;
}

// Marks of contact i at (u, r); s is the state it was found with, whose equations hold by
// construction.
static uint8_t mark(kernel *k, int i, int s, double scale_r, double scale_n, double scale_t) {
  num *u = k->u + 2 * i, *r = k->r + 2 * i;
  int rn = 0, sn = 0, st = 0, up = 0, down = 0;
  if (s != SS_CELL_FREE)
    rn = s == SS_CELL_STICK ? num_sign(&k->kit, r, scale_r) : slip_sign(k, i, s, scale_r);
  if (s == SS_CELL_FREE) sn = num_sign(&k->kit, u, scale_n);
  if (s != SS_CELL_STICK) st = num_sign(&k->kit, u + 1, scale_t);
  // up: mu r_N - r_T, down: mu r_N + r_T
  if (s == SS_CELL_STICK && !k->frictionless[i]) {
    num_set(k->sum, r), num_mul(k->sum, k->mu + i), num_sub(k->sum, r + 1);
    up = num_sign(&k->kit, k->sum, scale_r * fmax(1e-300, num_size(k->mu + i)));
    num_set(k->sum, r), num_mul(k->sum, k->mu + i), num_add(k->sum, r + 1);
    down = num_sign(&k->kit, k->sum, scale_r * fmax(1e-300, num_size(k->mu + i)));
    if (up >= 0 && down >= 0 && up + down > 0) rn = 1;  // however small, under large friction
    if (!rn && !up && !down && num_sign(&k->kit, r + 1, scale_r)) rn = 1;
  } else if (s != SS_CELL_FREE && rn) {
    up = s == SS_CELL_SLIP_PLUS, down = s == SS_CELL_SLIP_MINUS;
  }
  if (!rn && !up && !down) num_zero(r), num_zero(r + 1);  // what counts as zero is zero
  if (!sn) num_zero(u);
  if (!st) num_zero(u + 1);
  uint8_t b = 0;
  if (up < 0 || down < 0) return 0;
  if (rn == 0 && sn >= 0) b |= SSI_IN_FREE;
  if (rn >= 0 && sn == 0) {
    if (st == 0) b |= SSI_IN_STICK;
    if (st >= 0 && (rn == 0 || down == 0 || k->frictionless[i])) b |= SSI_IN_PLUS;
    if (st <= 0 && (rn == 0 || up == 0 || k->frictionless[i])) b |= SSI_IN_MINUS;
  }
  if (rn > 0) b |= SSI_PRESSED;
  if (st > 0) b |= SSI_RIGHT;
  if (st < 0) b |= SSI_LEFT;
  return b;
}

// Fills u and marks from r. Whether the point satisfies all inequalities of its states; *certain: that does not
// depend on a tie.
static bool judge(kernel *k, const uint8_t *states, bool direction, bool *certain) {
  double scale_r = direction ? 0 : 1;
  for (int j = 0; j < k->m; j++) scale_r = fmax(scale_r, num_size(k->r + j));
  bool inside = true, refuted = false;
  int begin = num_ties(&k->kit);
  for (int row = 0; row < k->m; row++) k->size[row] = velocity(k, row, direction, k->u + row);
  for (int i = 0; i < k->n; i++) {
    int before = num_ties(&k->kit);
    k->marks[i] = mark(k, i, states[i], scale_r, k->size[2 * i], k->size[2 * i + 1]);
    bool fits = k->marks[i] >> states[i] & 1;
    refuted = refuted || (!fits && num_ties(&k->kit) == before);
    inside = inside && fits;
  }
  *certain = inside ? num_ties(&k->kit) == begin : refuted;
  return inside;
}

// Directions: normal reactions that sum to 1.
static void scale_direction(kernel *k, int d) {
  num_zero(k->part);
  for (int j = 0; j < d; j++) num_add(k->part, k->x + j);
  for (int j = 0; j < d; j++) num_div(k->x + j, k->part);
}

static bool grow_points(kernel *k, int count) {
  if (count < k->point_room) return true;
  int room = k->point_room ? 2 * k->point_room : 8;
  num *more = num_array(&k->kit, (size_t)room * (size_t)k->m);
  if (!more) return false;
  for (int j = 0; j < k->point_room * k->m; j++) num_swap(more + j, k->point + j);
  k->point = more;
  k->point_room = room;
  return true;
}

// Whether generator g is the point in r: near it, and each contact of one in the other's state (in
// doubles, one of the two may miss the tolerance by a little).
static bool is_known(const kernel *k, const ssi_generator *g, int number, const uint8_t *states,
                     bool ray) {
  if (g->ray != ray) return false;
  bool own = true;
  for (int i = 0; i < k->n; i++) {
    own = own && g->home[i] == states[i];
    if (!(g->marks[i] >> states[i] & 1) && !(k->marks[i] >> g->home[i] & 1)) return false;
  }
  return num_same(k->point + (size_t)number * (size_t)k->m, k->r, k->m, own);
}

// The number of the generator in r, u, marks; -1: no memory.
static int remember(kernel *k, ssi_cells *out, const uint8_t *states, bool ray) {
  for (int g = 0; g < out->generator_count; g++)
    if (is_known(k, &out->generators[g], g, states, ray)) return g;
  int g = ssi_cells_add_generator(out);
  if (g < 0 || !grow_points(k, g)) return -1;
  ssi_generator *p = &out->generators[g];
  p->ray = ray;
  memcpy(p->marks, k->marks, (size_t)k->n);
  memcpy(p->home, states, (size_t)k->n);
  for (int j = 0; j < k->m; j++) {
    num_set(k->point + (size_t)g * (size_t)k->m + j, k->r + j);
    double unit = num_unit(&k->kit, j / 2);  // 1 where nothing was scaled
    p->r[j] = num_double(k->r + j) * unit * (ray ? 1 : num_load(&k->kit, j / 2));
    p->u[j] = num_double(k->u + j) / unit * (ray ? 1 : num_load(&k->kit, j / 2));
  }
  return g;
}

// r from the solution of (1) in the unknowns of the first attempt.
static void plain_reactions(kernel *k, const uint8_t *states, int d) {
  for (int j = 0; j < k->m; j++) num_zero(k->r + j);
  for (int j = 0; j < d; j++) {
    int unknown = k->unknown[k->order[j]], i = unknown / 2;
    const num *x = at(k->A, d + 1, j, d);
    if (states[i] == SS_CELL_STICK) {
      num_set(k->r + unknown, x);
      continue;
    }
    num_set(k->r + 2 * i, x);
    num_set(k->r + 2 * i + 1, x);
    num_mul(k->r + 2 * i + 1, k->mu + i);
    if (states[i] == SS_CELL_SLIP_PLUS) num_negate(k->r + 2 * i + 1);
  }
}

// sound: the pivots were not small.
static ss_error solve_regular(kernel *k, const uint8_t *states, int d, int sign, bool sound,
                              ssi_cells *out) {
  bool certain;
  plain_reactions(k, states, d);
  bool inside = judge(k, states, false, &certain);
  if (!certain && num_exact) out->doubtful = true;
  if (!inside) return SS_OK;
  if (certain && sound) out->certain = true;
  int known = out->generator_count, number = remember(k, out, states, false);
  if (number < 0) return SS_ERR_MEMORY;
  if (number < known) return SS_OK;  // part of the cell that it was found with
  ssi_found *f = ssi_cells_add(out, 1);
  if (!f) return SS_ERR_MEMORY;
  f->index = sign;
  f->count = 1;
  f->generators[0] = number;
  memcpy(f->states, states, (size_t)k->n);
  return SS_OK;
}

#include "analysis/cell_kernel_dd.h"

// The generators (1, -mu), (1, mu) are one line but for 1/mu: doubles lose what they span, and what is left
// of their cell may be less than the cell, or not in it.
static bool is_blind(const kernel *k, const uint8_t *states) {
  for (int i = 0; i < k->n; i++)
    if (states[i] == SS_CELL_STICK && num_is_doubtful(1 / (1 + num_size(k->mu + i)))) return true;
  return false;
}

static ss_error kernel_solve(void *state, const uint8_t *states, ssi_cells *out) {
  kernel *k = state;
  k->end_s = out->end_s;
  int d = set_up(k, states, false), sign;
  double least;
  int rank = reduce_rows(k, k->A, d, d, d + 1, k->order, k->scale, &sign, &least);
  bool regular = rank == d, sound = !num_is_doubtful(least) && (regular || num_exact);
  if (!sound) out->doubtful = true;
  if (!regular) {
    out->blind = out->blind || is_blind(k, states);
    set_up(k, states, true);
    rank = reduce_rows(k, k->A, d, d, d + 1, k->order, k->scale, &sign, &least);
  }
  if (k->late) return out->late = true, SS_OK;
  int before = out->found_count;
  num_forget_ties(&k->kit);
  ss_error e = rank == d ? solve_regular(k, states, d, sign, sound, out)
                         : solve_singular(k, states, rank, d, out);
  if (out->found_count > before) out->ties += num_ties(&k->kit);
  return e;
}

static bool kernel_take(kernel *k, ssi_arena *arena, int n) {
  int m = 2 * n;
  k->n = n, k->m = m;
  size_t size = (size_t)m;
  k->Wp = num_array(&k->kit, size * (size_t)n), k->Wm = num_array(&k->kit, size * (size_t)n);
  k->q = num_array(&k->kit, size), k->mu = num_array(&k->kit, (size_t)n);
  k->A = num_array(&k->kit, size * (size + 1));
  k->x = num_array(&k->kit, size), k->r = num_array(&k->kit, size);
  k->u = num_array(&k->kit, size), k->row = num_array(&k->kit, size + 1);
  k->part = num_array(&k->kit, 1), k->sum = num_array(&k->kit, 1);
  k->unknown = SSI_TAKE(arena, 3 * m, int);
  k->marks = SSI_TAKE(arena, n, uint8_t);
  k->frictionless = SSI_TAKE(arena, n, bool);
  k->size = SSI_TAKE(arena, m, double), k->scale = SSI_TAKE(arena, m, double);
  if (arena->failed || !k->Wp || !k->Wm || !k->q || !k->mu || !k->A || !k->x || !k->r || !k->u ||
      !k->row || !k->part || !k->sum)
    return false;
  k->equation = k->unknown + m, k->order = k->unknown + 2 * m;
  return true;
}

// Wp, Wm from W (row-major m x m).
static void kernel_columns(kernel *k, const num *W) {
  k->W = W;
  for (int row = 0; row < k->m; row++)
    for (int i = 0; i < k->n; i++) {
      const num *w = W + (size_t)row * (size_t)k->m + 2 * (size_t)i;
      size_t place = (size_t)row * (size_t)k->n + (size_t)i;
      num_set(k->sum, w + 1);
      num_mul(k->sum, k->mu + i);
      num_set(k->Wm + place, w), num_add(k->Wm + place, k->sum);
      num_set(k->Wp + place, w), num_sub(k->Wp + place, k->sum);
    }
  for (int i = 0; i < k->n; i++) k->frictionless[i] = num_is_zero(k->mu + i);
}
