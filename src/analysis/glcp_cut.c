// The cone of the generalised linear complementarity problem, cut equation by equation.
//
// With r_T = mu r_N - b and u_T = c - d, in our signs, u = W r + q becomes [Agw20, (32), (33)]
//
//     u_N    = (W_nn + W_nt U) r_N - W_nt b + q_N e
//     c - d  = (W_tn + W_tt U) r_N - W_tt b + q_T e          U = diag(mu),  e > 0 (then 1)          (1)
//     a      = 2 U r_N - b
//     x = (u_N, d, a, r_N, b, c, e) >= 0,      u_N r_N = 0,  d b = 0,  a c = 0
//
// The rays of { x >= 0 } are the axes. An equation keeps the rays on its plane and joins each pair on
// opposite sides whose sum keeps one of each pair of unknowns at zero (what does not now never will: supports only
// grow) and which are adjacent: no third ray lies within the support of their sum.                      (2)
//
// How many rays there are in between grows exponentially with the contacts.
#include <math.h>
#include <string.h>

#include "analysis/glcp.h"
#include "base/error.h"
#include "base/timer.h"

static const size_t RAYS_MOST = 200000;  // 100 MB for ten contacts

static int ones(uint64_t bits) {
  int count = 0;
  for (; bits; bits &= bits - 1) count++;
  return count;
}

static bool is_complementary(const ssi_glcp *g, uint64_t support) {
  uint64_t half = (UINT64_C(1) << 3 * g->n) - 1;
  return !(support & support >> 3 * g->n & half);
}

// Row 2 i + k of (1) is u_N or u_T of contact i, row 2 n + i the width of its friction cone.
static void equation(const ssi_glcp *g, int row, double *out) {
  const ssi_scaled *z = g->z;
  int n = g->n, i = row / 2;
  memset(out, 0, sizeof *out * (size_t)g->size);
  if (row >= 2 * n) {
    i = row - 2 * n;
    out[SSI_GLCP_LOWER * n + i] = -1, out[SSI_GLCP_UPPER * n + i] = -1;
    out[SSI_GLCP_RN * n + i] = 2 * z->mu[i];
    return;
  }
  for (int j = 0; j < n; j++) {
    const double *W = z->W + (size_t)row * (size_t)z->m + 2 * j;
    out[SSI_GLCP_RN * n + j] = W[0] + W[1] * z->mu[j];
    out[SSI_GLCP_UPPER * n + j] = -W[1];
  }
  out[6 * n] = z->q[row];
  if (row % 2)
    out[SSI_GLCP_RIGHT * n + i] = -1, out[SSI_GLCP_LEFT * n + i] = 1;
  else
    out[SSI_GLCP_UN * n + i] = -1;
}

// row . x of each ray; zero where rounding could have made it.
static void evaluate(const ssi_glcp *g, const double *row, double *value) {
  for (int k = 0; k < g->count; k++) {
    const double *x = g->x + (size_t)k * (size_t)g->size;
    double sum = 0, terms = 0;
    for (int i = 0; i < g->size; i++) sum += row[i] * x[i], terms += fabs(row[i] * x[i]);
    value[k] = fabs(sum) <= g->tol * terms ? 0 : sum;
  }
}

// (2). equations: how many were cut before; a face with two extreme rays has at most two unknowns more.
static bool is_adjacent(const ssi_glcp *g, int a, int b, int equations) {
  uint64_t both = g->support[a] | g->support[b];
  if (ones(both) > equations + 2) return false;
  for (int k = 0; k < g->count; k++)
    if (k != a && k != b && !(g->support[k] & ~both)) return false;
  return true;
}

static bool make_room(ssi_glcp *g) {
  size_t room_x = g->room * (size_t)g->size, room_s = g->room, need = (size_t)g->count + 1;
  if (need <= g->room) return true;
  if (!ssi_grow(g->ctx, &g->support, &room_s, need, (size_t)g->count, sizeof *g->support))
    return false;
  if (!ssi_grow(g->ctx, &g->x, &room_x, room_s * (size_t)g->size,
                (size_t)g->count * (size_t)g->size, sizeof *g->x))
    return false;
  g->room = room_s;
  return true;
}

// The ray from a to b on the plane, largest entry 1; what is rounding beside it becomes 0.
static bool add_between(ssi_glcp *to, const ssi_glcp *g, int a, int b, const double *value) {
  if (!make_room(to)) return false;
  const double *xa = g->x + (size_t)a * (size_t)g->size, *xb = g->x + (size_t)b * (size_t)g->size;
  double *x = to->x + (size_t)to->count * (size_t)g->size, top = 0;
  for (int i = 0; i < g->size; i++) {
    x[i] = value[a] * xb[i] - value[b] * xa[i];
    top = fmax(top, x[i]);
  }
  to->support[to->count] = 0;
  for (int i = 0; i < g->size; i++) {
    x[i] = x[i] > g->tol * top ? x[i] / top : 0;
    if (x[i] > 0) to->support[to->count] |= UINT64_C(1) << i;
  }
  to->count++;
  return true;
}

static bool add_same(ssi_glcp *to, const ssi_glcp *g, int ray) {
  if (!make_room(to)) return false;
  memcpy(to->x + (size_t)to->count * (size_t)g->size, g->x + (size_t)ray * (size_t)g->size,
         sizeof *g->x * (size_t)g->size);
  to->support[to->count++] = g->support[ray];
  return true;
}

// Rays of g on the plane and between its sides, into `to`. false: no memory.
static bool cut(ssi_cell_search *s, const ssi_glcp *g, int equations, const double *value,
                ssi_glcp *to) {
  for (int a = 0; a < g->count; a++) {
    if (!ssi_search_goes_on(s)) return true;
    if (to->room > RAYS_MOST) return s->stopped = "too many rays", true;
    if (value[a] == 0 && !add_same(to, g, a)) return false;
    for (int b = 0; value[a] > 0 && b < g->count; b++) {
      if (!(value[b] < 0) || !is_complementary(g, g->support[a] | g->support[b])) continue;
      s->leaves++;
      if (is_adjacent(g, a, b, equations) && !add_between(to, g, a, b, value)) return false;
    }
  }
  return true;
}

static bool begin(ssi_glcp *g) {
  for (int i = 0; i < g->size; i++) {
    if (!make_room(g)) return false;
    memset(g->x + (size_t)i * (size_t)g->size, 0, sizeof *g->x * (size_t)g->size);
    g->x[i * (g->size + 1)] = 1;
    g->support[i] = UINT64_C(1) << i;
    g->count++;
  }
  g->most = g->count;
  return true;
}

// Which row of (1) is cut as number k: contact by contact, the width of the friction cone first.
static int row_at(int n, int k) {
  return k % 3 == 0 ? 2 * n + k / 3 : 2 * (k / 3) + k % 3 - 1;
}

ss_error ssi_glcp_cut(ssi_cell_search *s, ssi_glcp *g) {
  double row[6 * SSI_GLCP_CONTACTS + 1];
  ssi_glcp next = *g;
  double *value = NULL;
  size_t room = 0;
  bool ok = begin(g);
  for (int k = 0; ok && k < 3 * g->n && !s->stopped; k++) {
    equation(g, row_at(g->n, k), row);
    ok = ssi_grow(g->ctx, &value, &room, (size_t)g->count, 0, sizeof *value);
    if (!ok) break;
    evaluate(g, row, value);
    next.count = 0;
    ok = cut(s, g, k, value, &next);
    ssi_glcp old = *g;
    *g = next, next = old;
    g->most = g->count > old.most ? g->count : old.most;
    s->fraction = (k + 1.0) / (3 * g->n);
  }
  ssi_release(g->ctx, value);
  ssi_glcp_release(&next);
  return ok ? SS_OK : ssi_fail(g->ctx, SS_ERR_MEMORY, "no memory for %d rays", g->count);
}

void ssi_glcp_release(ssi_glcp *g) {
  ssi_release(g->ctx, g->x);
  ssi_release(g->ctx, g->support);
  g->x = NULL, g->support = NULL;
}
