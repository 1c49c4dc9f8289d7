// support/fclib_sample.h - random problems of every shape FCLIB can hold, and files in memory.
#pragma once

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/rng.h"
#include "io/fclib.h"
#include "la/sparse.h"

typedef struct sample_shape {
  ss_form form;
  int dim, nc, ndof, nl;
  int guesses;
  bool solution, texts;
} sample_shape;

static inline double *sample_vector(ssi_arena *a, ssi_rng *g, int n) {
  double *x = SSI_TAKE(a, n, double);
  for (int k = 0; k < n; k++) x[k] = ssi_rng_below(g, 8) ? ssi_rng_uniform(g) * 2 - 1 : 0;
  return x;
}

// Canonical rows with about half of the places filled; explicit zeros, -0.0 and tiny values too.
static inline ss_sparse sample_matrix(ssi_arena *a, ssi_rng *g, int rows, int cols) {
  int64_t *ptr = SSI_TAKE(a, (size_t)rows + 1, int64_t), used = 0;
  int *col = SSI_TAKE(a, (size_t)rows * (size_t)cols, int);
  double *x = SSI_TAKE(a, (size_t)rows * (size_t)cols, double);
  for (int i = 0; i < rows; i++) {
    for (int j = 0; j < cols; j++) {
      int kind = ssi_rng_below(g, 16);
      if (kind < 7 && i != j) continue;
      col[used] = j;
      x[used++] = kind == 8    ? 0.0
                  : kind == 9  ? -0.0
                  : kind == 10 ? 4.9e-324
                               : ssi_rng_uniform(g) - 0.5;
    }
    ptr[i + 1] = used;
  }
  return (ss_sparse){rows, cols, ptr, col, x};
}

static inline ss_solution sample_solution(ssi_arena *a, ssi_rng *g, const ss_problem *p) {
  ss_solution s = {sample_vector(a, g, p->dim * p->nc), sample_vector(a, g, p->dim * p->nc), NULL,
                   NULL};
  if (p->form == SS_GLOBAL) s.v = sample_vector(a, g, p->ndof);
  if (p->nl) s.l = sample_vector(a, g, p->nl);
  return s;
}

static inline ss_problem sample_problem(ssi_arena *a, ssi_rng *g, const sample_shape *s) {
  int m = s->dim * s->nc;
  ss_problem p = {.form = s->form, .dim = s->dim, .nc = s->nc, .nl = s->nl};
  p.mu = sample_vector(a, g, s->nc);
  if (s->form == SS_REDUCED) {
    p.W = sample_matrix(a, g, m, m);
    p.q = sample_vector(a, g, m);
    if (!s->nl) return p;
    p.V = sample_matrix(a, g, m, s->nl);
    p.R = sample_matrix(a, g, s->nl, s->nl);
    p.s = sample_vector(a, g, s->nl);
  } else {
    p.ndof = s->ndof;
    p.M = sample_matrix(a, g, s->ndof, s->ndof);
    p.H = sample_matrix(a, g, m, s->ndof);
    p.f = sample_vector(a, g, s->ndof);
    p.w = sample_vector(a, g, m);
    if (!s->nl) return p;
    p.G = sample_matrix(a, g, s->ndof, s->nl);
    p.b = sample_vector(a, g, s->nl);
  }
  return p;
}

static inline ss_file sample_file(ssi_arena *a, uint64_t seed, const sample_shape *s) {
  ssi_rng g = {seed};
  ss_file f = {.format = SS_FORMAT_FCLIB, .problem = sample_problem(a, &g, s)};
  if (s->solution) f.solution = sample_solution(a, &g, &f.problem);
  if (s->guesses) {
    ss_solution *guesses = SSI_TAKE(a, s->guesses, ss_solution);
    for (int k = 0; k < s->guesses; k++) guesses[k] = sample_solution(a, &g, &f.problem);
    f.guesses = guesses;
    f.guess_count = s->guesses;
  }
  if (s->texts) f.title = "a sample", f.description = "d\xc3\xa9j\xc3\xa0 vu", f.math_info = "";
  return f;
}

// The whole file, zero-terminated; bytes NULL where it cannot be read. Release with free.
static inline ssi_source sample_load(const char *path, const char *name) {
  ssi_source in = {.name = name};
  FILE *f = fopen(path, "rb");
  if (!f) return in;
  fseek(f, 0, SEEK_END);
  long size = ftell(f);
  rewind(f);
  char *bytes = calloc((size_t)size + 1, 1);
  if (bytes && fread(bytes, 1, (size_t)size, f) == (size_t)size)
    in.bytes = bytes, in.size = (size_t)size;
  else
    free(bytes);
  fclose(f);
  return in;
}

// ---- equality to the last bit ----------------------------------------------------------------

static inline bool same_bytes(const void *a, const void *b, size_t size) {
  return (!a && !b) || (a && b && memcmp(a, b, size) == 0) || (a && b && size == 0);
}

static inline bool same_vector(const double *a, const double *b, int n) {
  return same_bytes(a, b, (size_t)n * sizeof *a);
}

static inline bool same_sparse(const ss_sparse *a, const ss_sparse *b) {
  size_t count = (size_t)ssi_sparse_entries(a);
  return a->rows == b->rows && a->cols == b->cols &&
         same_bytes(a->ptr, b->ptr, ((size_t)a->rows + 1) * sizeof *a->ptr) &&
         same_bytes(a->col, b->col, count * sizeof *a->col) &&
         same_bytes(a->x, b->x, count * sizeof *a->x);
}

static inline bool same_problem(const ss_problem *a, const ss_problem *b) {
  int m = a->dim * a->nc;
  return a->form == b->form && a->dim == b->dim && a->nc == b->nc && a->ndof == b->ndof &&
         a->nl == b->nl && same_vector(a->mu, b->mu, a->nc) && same_sparse(&a->W, &b->W) &&
         same_sparse(&a->V, &b->V) && same_sparse(&a->R, &b->R) && same_vector(a->q, b->q, m) &&
         same_vector(a->s, b->s, a->nl) && same_sparse(&a->M, &b->M) && same_sparse(&a->H, &b->H) &&
         same_sparse(&a->G, &b->G) && same_vector(a->f, b->f, a->ndof) &&
         same_vector(a->w, b->w, m) && same_vector(a->b, b->b, a->nl);
}

static inline bool same_solution(const ss_solution *a, const ss_solution *b, const ss_problem *p) {
  int m = p->dim * p->nc;
  return same_vector(a->r, b->r, m) && same_vector(a->u, b->u, m) &&
         same_vector(a->v, b->v, p->ndof) && same_vector(a->l, b->l, p->nl);
}

static inline bool same_text(const char *a, const char *b) {
  return (!a && !b) || (a && b && strcmp(a, b) == 0);
}

static inline bool same_file(const ss_file *a, const ss_file *b) {
  bool same = a->format == b->format && same_problem(&a->problem, &b->problem) &&
              same_solution(&a->solution, &b->solution, &a->problem) &&
              a->guess_count == b->guess_count && same_text(a->title, b->title) &&
              same_text(a->description, b->description) && same_text(a->math_info, b->math_info);
  for (int k = 0; same && k < a->guess_count; k++)
    same = same_solution(&a->guesses[k], &b->guesses[k], &a->problem);
  return same;
}
