// crosscheck/simplex.h - linear programs in exact rational arithmetic.
#pragma once

#include "rational.h"

typedef enum lp_status { LP_OPTIMAL, LP_INFEASIBLE, LP_UNBOUNDED } lp_status;

// min c.x : A x = b, x >= 0. c NULL: any feasible x. x (A.cols, initialised) and value may be NULL;
// they are set where the status is LP_OPTIMAL. Bland's rule: it ends.
lp_status lp_solve(const qmat *A, const qmat *b, const qmat *c, mpq_t *x, mpq_ptr value);
