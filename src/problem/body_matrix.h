// problem/body_matrix.h - the matrix of a step of Newton or of interior points, by bodies:
//
//   A = M + sum_i H_i^T K_i H_i          K_i any dim x dim matrix of contact i                   (1)
//
// As many rows as dofs, however many contacts; one block per body and per pair of bodies in contact. A
// body is 6 dofs in a row (3 in 2D) where the blocks of M allow it, else a block of M.
#pragma once

#include "la/block_lu.h"
#include "problem/system.h"

typedef struct ssi_body_part {  // of what a contact touches: consecutive dofs of one body
  int body;
  int first, length;  // among the body's dofs
  int slot;           // of the first among the columns of H_i
} ssi_body_part;

typedef struct ssi_body_matrix {
  const ssi_system *sys;
  int *start;           // first dof of each body; one more                        (bodies + 1)
  int64_t entries;      // of the matrix, in whole blocks; known even where lu is not
  ssi_block_lu lu;      // lu.fill.n = 0: takes too many operations
  int64_t *part_ptr;    // parts of each contact                                   (nc + 1)
  ssi_body_part *part;  //                                                         (part_ptr[nc])
  int64_t *place_ptr;   // first place of each contact                             (nc + 1)
  int64_t *place;       // block of lu for each pair of parts                      (place_ptr[nc])
  double *T;  // K_i H_i of one contact, by parts                        (dim stride parts)
} ssi_body_matrix;

// The analysis; sys must have bodies, and dofs. lu.fill.n stays 0 where a factorisation takes more than
// max_flops. false: no memory.
bool ssi_body_matrix_create(ssi_arena *arena, const ssi_system *sys, double max_flops,
                            ssi_body_matrix *out);

// Room for the numbers; once. false: no memory.
bool ssi_body_matrix_ready(ssi_body_matrix *a, ssi_arena *arena);

// (1) with K (nc dim^2), row-major; ssi_direct_solve with lu.direct follows. SS_ERR_LINEAR: singular.
ss_error ssi_body_matrix_factor(ssi_body_matrix *a, const double *K);
