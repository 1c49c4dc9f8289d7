// The Coulomb-law error of impulses that another engine computed.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <stickslip/stickslip.h>

#include "peer.h"

static void cross(const double *a, const double *b, double *out) {
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

static double dot(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Rows of `frame`: the normal and two tangents.
static void complete_frame(const double normal[3], double frame[3][3]) {
  int least = 0;
  for (int k = 1; k < 3; k++)
    if (fabs(normal[k]) < fabs(normal[least])) least = k;
  double axis[3] = {least == 0, least == 1, least == 2};
  memcpy(frame[0], normal, sizeof frame[0]);
  cross(normal, axis, frame[1]);
  double length = sqrt(dot(frame[1], frame[1]));
  for (int k = 0; k < 3; k++) frame[1][k] /= length;
  cross(normal, frame[1], frame[2]);
}

void peer_inertia(const peer_body *b, const double *rotation, double out[3][3]) {
  double J[3];
  for (int k = 0; k < 3; k++) {
    double y = b->half[(k + 1) % 3], z = b->half[(k + 2) % 3];
    J[k] = b->kind == PEER_SPHERE ? 0.4 * b->mass * b->half[0] * b->half[0]
                                  : b->mass / 3 * (y * y + z * z);
  }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      out[i][j] = 0;
      for (int k = 0; k < 3; k++) out[i][j] += rotation[3 * i + k] * J[k] * rotation[3 * j + k];
    }
}

typedef struct matrix {  // being filled row by row
  int64_t *ptr;
  int *col;
  double *x;
  int rows;
  int64_t used;
} matrix;

static matrix matrix_take(int rows, int per_row) {
  size_t room = (size_t)rows * (size_t)per_row;
  return (matrix){.ptr = peer_take((size_t)rows + 1, sizeof(int64_t)),
                  .col = peer_take(room, sizeof(int)),
                  .x = peer_take(room, sizeof(double))};
}

static void matrix_free(matrix *m) {
  free(m->ptr), free(m->col), free(m->x);
}

static void put(matrix *m, int col, double x) {
  m->col[m->used] = col, m->x[m->used++] = x;
}

static void end_row(matrix *m) {
  m->ptr[++m->rows] = m->used;
}

static ss_sparse view(const matrix *m, int cols) {
  return (ss_sparse){.rows = m->rows, .cols = cols, .ptr = m->ptr, .col = m->col, .x = m->x};
}

static matrix mass_matrix(const peer_scene *scene, const peer_state *states) {
  matrix M = matrix_take(6 * scene->count, 3);
  for (int b = 0; b < scene->count; b++) {
    double I[3][3];
    peer_inertia(&scene->bodies[b], states[b].rotation, I);
    for (int k = 0; k < 3; k++) put(&M, 6 * b + k, scene->bodies[b].mass), end_row(&M);
    for (int i = 0; i < 3; i++) {
      for (int j = 0; j < 3; j++) put(&M, 6 * b + 3 + j, 0.5 * (I[i][j] + I[j][i]));
      end_row(&M);
    }
  }
  return M;
}

// The velocity along `axis` of the point at `arm` from a body's centre, as a row over (linear, angular).
static void put_row(matrix *H, int body, const double axis[3], const double arm[3], double sign) {
  double moment[3];
  cross(arm, axis, moment);
  for (int k = 0; k < 3; k++) put(H, 6 * body + k, sign * axis[k]);
  for (int k = 0; k < 3; k++) put(H, 6 * body + 3 + k, sign * moment[k]);
}

static void put_contact(matrix *H, const peer_state *states, const peer_contact *c, double *r) {
  double frame[3][3], arm[2][3];
  complete_frame(c->normal, frame);
  for (int k = 0; k < 3; k++) {
    arm[0][k] = c->point[0][k] - states[c->a].position[k];
    arm[1][k] = c->b < 0 ? 0 : c->point[1][k] - states[c->b].position[k];
  }
  for (int row = 0; row < 3; row++) {
    bool first = c->b < 0 || c->a < c->b;  // columns must increase
    if (!first) put_row(H, c->b, frame[row], arm[1], -1);
    put_row(H, c->a, frame[row], arm[0], 1);
    if (first && c->b >= 0) put_row(H, c->b, frame[row], arm[1], -1);
    end_row(H);
    r[row] = dot(c->impulse, frame[row]);
  }
}

// f = H^T r - M v, so that v is what r gives.
static void applied(const matrix *M, const matrix *H, const double *r, const double *v, double *f) {
  for (int i = 0; i < M->rows; i++)
    for (int64_t e = M->ptr[i]; e < M->ptr[i + 1]; e++) f[i] -= M->x[e] * v[M->col[e]];
  for (int i = 0; i < H->rows; i++)
    for (int64_t e = H->ptr[i]; e < H->ptr[i + 1]; e++) f[H->col[e]] += H->x[e] * r[i];
}

// Bias with which the normal part holds: u_N + bias = 0 under an impulse, >= 0 without.
static void grant_normals(const matrix *H, const double *v, const double *r, int count, double *w) {
  for (int c = 0; c < count; c++) {
    double u = 0;
    for (int64_t e = H->ptr[3 * c]; e < H->ptr[3 * c + 1]; e++) u += H->x[e] * v[H->col[e]];
    w[3 * c] = r[3 * c] > 0 ? -u : fmax(0, -u);
  }
}

static double balance_of(const peer_scene *scene, const peer_state *before, const matrix *M,
                         const matrix *H, const double *r, const double *v) {
  double *d = peer_take((size_t)M->rows, sizeof *d), *p = peer_take((size_t)M->rows, sizeof *p);
  for (int i = 0; i < M->rows; i++) {
    const peer_state *s = &before[i / 6];
    int k = i % 6;
    d[i] = v[i] - (k < 3 ? s->linear[k] + scene->step * scene->gravity[k] : s->angular[k - 3]);
  }
  for (int i = 0; i < H->rows; i++)
    for (int64_t e = H->ptr[i]; e < H->ptr[i + 1]; e++) p[H->col[e]] += H->x[e] * r[i];
  double off = 0, size = 0;
  for (int i = 0; i < M->rows; i++) {
    double push = p[i], gain = 0;
    for (int64_t e = M->ptr[i]; e < M->ptr[i + 1]; e++) gain += M->x[e] * d[M->col[e]];
    off += (gain - push) * (gain - push), size += push * push;
  }
  free(d), free(p);
  return size > 0 ? sqrt(off / size) : 0;
}

static double error_of(const ss_problem *p, double *r) {
  ss_context ctx = {0};
  ss_solution answer = {.r = r};
  ss_verdict verdict;
  return ss_verify(&ctx, p, &answer, NULL, NULL, NULL, NULL, &verdict) ? NAN : verdict.error;
}

peer_law peer_law_error(const peer_scene *scene, const peer_state *before, const peer_state *after,
                        const peer_contact *contacts, int count) {
  if (count == 0) return (peer_law){NAN, NAN, NAN};
  int ndof = 6 * scene->count;
  size_t nc = (size_t)count, nv = (size_t)ndof;
  matrix M = mass_matrix(scene, before), H = matrix_take(3 * count, 12);
  double *r = peer_take(3 * nc, sizeof *r), *w = peer_take(3 * nc, sizeof *w);
  double *f = peer_take(nv, sizeof *f), *v = peer_take(nv, sizeof *v);
  double *mu = peer_take(nc, sizeof *mu);
  for (int c = 0; c < count; c++) {
    mu[c] = scene->mu;
    w[3 * c] = contacts[c].bias;
    put_contact(&H, before, &contacts[c], r + 3 * c);
  }
  for (int b = 0; b < scene->count; b++)
    for (int k = 0; k < 3; k++) {
      v[6 * b + k] = after[b].linear[k];
      v[6 * b + 3 + k] = after[b].angular[k];
    }
  applied(&M, &H, r, v, f);
  ss_problem p = {.form = SS_GLOBAL, .dim = 3, .nc = count, .ndof = ndof, .mu = mu, .f = f, .w = w};
  p.M = view(&M, ndof), p.H = view(&H, ndof);
  peer_law law = {.whole = error_of(&p, r), .balance = balance_of(scene, before, &M, &H, r, v)};
  grant_normals(&H, v, r, count, w);
  law.friction = error_of(&p, r);
  matrix_free(&M), matrix_free(&H);
  free(r), free(w), free(f), free(v), free(mu);
  return law;
}
