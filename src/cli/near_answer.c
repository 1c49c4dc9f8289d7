#include "cli/near_answer.h"

#include <stdlib.h>

#include "cli/interrupt.h"

enum { SHORT = 200, CONTACTS_MOST = 1000 };  // iterations

static const char NEAR[] =
    "an answer is there that misses the law by %.2g of the velocities: `solve`, whose tolerance is "
    "%g, takes it; the margin by which there is no solution is smaller";

void cli_note_near_answer(cli_session *s, const ss_file *file, double time_limit_s) {
  const ss_problem *p = &file->problem;
  ss_context quiet = {0};  // what the solver remarks is not about this
  ss_options o = ss_options_default();
  ss_info info = {0};
  ss_solver *solver = NULL;
  if (p->nc > CONTACTS_MOST || cli_interrupted()) return;
  o.max_iter = SHORT;
  o.checked = true;
  o.time_limit_s = cli_time_left(s, time_limit_s);
  o.stop = cli_stop;
  double *r = calloc((size_t)p->dim * (size_t)p->nc + 1, sizeof *r);
  ss_error e = r ? ss_solver_create(&quiet, p, &o, &solver) : SS_ERR_MEMORY;
  if (!e) e = ss_solve(solver, r, NULL, NULL, NULL, &info);
  if (!e && info.status == SS_SOLVED) cli_note(s, NEAR, info.error, o.tol);
  ss_solver_destroy(solver);
  free(r);
}
