// solvers/path.h - the map whose zeros the method `path` follows, (2) of path.c: dense, with its derivatives.
#pragma once

#include "solvers/method.h"

typedef struct ssi_path_map {
  ssi_system *sys;
  int m;
  double *W, *q, *T;  // T W T, T q / unit and T of ipm.h   (m x m row-major, m, m)
  double unit;        // r = unit T z
  double *shift;      // p of (2)                            (m)
  double *z;          // of the last x                       (m)
  double *D, *log_z;  // dz/dx of each contact, dz/d log tau (dim m, m)
  double *margin;  // d margin_y/dx and, last, d margin_y/d log tau of each contact   ((dim + 1) nc)
} ssi_path_map;

// Needs the blocks of W. Memory from the arena; fill after every change of mu or q.
ss_error ssi_path_map_create(ssi_path_map *f, ssi_system *sys, ssi_arena *arena);
void ssi_path_map_fill(ssi_path_map *f);

// x (m + 1), the last one log tau -> F (m), and f->z.
void ssi_path_map_value(ssi_path_map *f, const double *x, double *F);
// That, and dF/dx in the first m rows of A (row-major, m + 1 columns).
void ssi_path_map_linear(ssi_path_map *f, const double *x, double *F, double *A);
void ssi_path_map_reactions(const ssi_path_map *f, double *r);  // unit T z   (m)

// ---- the method ----------------------------------------------------------------------------

enum { SSI_PATH_STARTS = 64 };  // at most

typedef struct ssi_path_options {
  double push;    // of the contacts at the beginning, |q| = 1
  double first;   // which of its starts comes first
  double starts;  // how many are tried
  double limit;   // steps from one start
} ssi_path_options;

extern const ssi_method ssi_method_path;
