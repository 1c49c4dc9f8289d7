// crosscheck/sample.h - one problem: the doubles that the commands read, and their exact meaning.
#pragma once

#include "judge.h"

enum { KIND_ROWS = 2 * JUDGE_CONTACTS };

// The doubles that the commands read, the rationals that these doubles are, and, where the numbers
// were meant as other rationals (decimals, or results computed from decimals) and then rounded,
// those.
typedef struct sample {
  int n, dofs, joints;  // dofs = 0: local form
  double mu[JUDGE_CONTACTS];
  double M[KIND_ROWS][KIND_ROWS], f[KIND_ROWS], H[KIND_ROWS][KIND_ROWS], w[KIND_ROWS];
  double G[KIND_ROWS][KIND_ROWS], b[KIND_ROWS];  // dofs x joints
  double W[KIND_ROWS][KIND_ROWS], q[KIND_ROWS];
  exact_problem given;
  bool has_intent;
  exact_problem intent;
} sample;

// The rationals `given` from the doubles.
void sample_complete(sample *s);
void sample_free(sample *s);

bool sample_write(const sample *s, const char *path);  // JSON, 17 digits
// A JSON problem in the plane with at most four contacts, eight degrees of freedom and eight joints; numbers in
// strings ("3/5", "0.1") are kept as what was meant. False, with a message on stderr: it is none.
bool sample_read(const char *path, sample *s);
