// crosscheck/sample.c - see sample.h.
#include "sample.h"

#include <stdio.h>

void sample_complete(sample *s) {
  exact_problem *p = &s->given;
  *p = exact_new(s->n, s->dofs, s->joints);
  for (int i = 0; i < s->n; i++) mpq_set_d(p->mu.x[i], s->mu[i]);
  for (int k = 0; k < s->dofs; k++) {
    mpq_set_d(p->f.x[k], s->f[k]);
    for (int l = 0; l < s->dofs; l++) mpq_set_d(qat(&p->M, k, l), s->M[k][l]);
    for (int l = 0; l < s->joints; l++) mpq_set_d(qat(&p->G, k, l), s->G[k][l]);
  }
  for (int k = 0; k < s->joints; k++) mpq_set_d(p->b.x[k], s->b[k]);
  for (int i = 0; i < 2 * s->n; i++) {
    if (s->dofs) mpq_set_d(p->w.x[i], s->w[i]);
    for (int k = 0; k < s->dofs; k++) mpq_set_d(qat(&p->H, i, k), s->H[i][k]);
    if (!s->dofs) mpq_set_d(p->q.x[i], s->q[i]);
    for (int j = 0; j < 2 * s->n && !s->dofs; j++) mpq_set_d(qat(&p->W, i, j), s->W[i][j]);
  }
  if (s->dofs) exact_reduce(p);
}

void sample_free(sample *s) {
  exact_free(&s->given);
  if (s->has_intent) exact_free(&s->intent);
}

static void write_vector(FILE *f, const char *name, const double *x, int n) {
  fprintf(f, ",\n \"%s\": [", name);
  for (int i = 0; i < n; i++) fprintf(f, "%s%.17g", i ? ", " : "", x[i]);
  fputc(']', f);
}

static void write_matrix(FILE *f, const char *name, const double (*x)[KIND_ROWS], int rows,
                         int cols) {
  fprintf(f, ",\n \"%s\": [", name);
  for (int i = 0; i < rows; i++) {
    fprintf(f, "%s[", i ? ", " : "");
    for (int j = 0; j < cols; j++) fprintf(f, "%s%.17g", j ? ", " : "", x[i][j]);
    fputc(']', f);
  }
  fputc(']', f);
}

bool sample_write(const sample *s, const char *path) {
  FILE *f = fopen(path, "w");
  if (!f) return false;
  fprintf(f, "{\"dim\": 2");
  write_vector(f, "mu", s->mu, s->n);
  if (s->dofs) {
    write_matrix(f, "M", s->M, s->dofs, s->dofs);
    write_vector(f, "f", s->f, s->dofs);
    write_matrix(f, "H", s->H, 2 * s->n, s->dofs);
    write_vector(f, "w", s->w, 2 * s->n);
    if (s->joints) write_matrix(f, "G", s->G, s->dofs, s->joints);
    if (s->joints) write_vector(f, "b", s->b, s->joints);
  } else {
    write_matrix(f, "W", s->W, 2 * s->n, 2 * s->n);
    write_vector(f, "q", s->q, 2 * s->n);
  }
  fprintf(f, "}\n");
  return fclose(f) == 0;
}
