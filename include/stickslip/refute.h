// stickslip/refute.h - is there NO solution: all states of few contacts, cell by cell, with certificates.
//
// In 3D the law of a contact is not polyhedral. Its states are covered by cells: take-off, stick, slip with
// a direction of u_T in a sector, stick with a direction of r_T in a sector. A cell of all contacts is
// discarded when numbers y (and p, k: docs/existence.md (E6)-(E9)) prove that no (u, r) lies in it; else the
// contact that its best point fits worst is split. Every proof is evaluated from the raw data in
// double-double arithmetic, by code that shares nothing with what found it, and must outweigh a relative
// error of 2^-52 in each number of the data (zeros are exact).
//
//   ss_refutation *a;
//   if (ss_refute(&ctx, &problem, NULL, &a)) return puts(ctx.message), 1;
//   if (a->verdict == SS_NONE) ...      // proved
//   if (a->verdict == SS_EXISTS) ...    // a->solution, verified by ss_verify
//   ss_refutation_destroy(a);
//
// Deterministic: the cells and their order depend on the problem alone, unless time or `progress` stop it.
#pragma once

#include "stickslip/certify.h"

#ifdef __cplusplus
extern "C" {
#endif

// Why the verdict is what it is: the word scripts see, and a sentence for people.
#define SS_REFUTE_REASONS(X)                                                                       \
  X(SS_REFUTE_ALL_CELLS, "all_cells", "every combination of states is excluded by a certificate")  \
  X(SS_REFUTE_SOLUTION, "solution", "a solution was found and verified")                           \
  X(SS_REFUTE_DATA, "data", "the data is not accurate enough to decide")                           \
  X(SS_REFUTE_TIE, "tie", "a small cell could be neither excluded nor shown to hold a solution")   \
  X(SS_REFUTE_CELLS, "max_cells", "the limit of cells was reached")                                \
  X(SS_REFUTE_TIME, "time_limit", "the time limit was reached")                                    \
  X(SS_REFUTE_CANCELLED, "cancelled", "cancelled")                                                 \
  X(SS_REFUTE_SIZE, "size", "the problem is too large to try all states")

#define SS_REFUTE_ENTRY(name, word, text) name,
typedef enum ss_refute_reason { SS_REFUTE_REASONS(SS_REFUTE_ENTRY) } ss_refute_reason;
#undef SS_REFUTE_ENTRY
SS_API const char *ss_refute_reason_name(ss_refute_reason r);
SS_API const char *ss_refute_reason_text(ss_refute_reason r);

enum { SS_REFUTE_STARTS = 8 };  // starting points kept

typedef struct ss_refutation {
  // SS_NONE: proved. SS_EXISTS: `solution` is one. SS_UNDECIDED: see reason.
  ss_existence verdict;
  ss_refute_reason reason;
  // SS_NONE: there is no solution with r_N,i <= reach R_i, R_i = (largest |q_j|) / lambda_i (docs/existence.md
  // (E9)), for any data within 2^-52 of the given one; INFINITY: none at all. Else the least over the cells
  // discarded so far.
  double reach;
  int64_t cells;       // looked at
  int64_t left;        // small cells that could be neither discarded nor solved
  int parts, part;     // connected parts; SS_NONE: contacts of this part (part_of[i] == part) jam
  const int *part_of;  // (nc); NULL where the problem is too large
  const double *solution;  // r of a verified solution, or NULL   (m)
  double error;            // its ss_verdict.error; NAN without one
  int answer_count;        // one contact in 3D: all isolated answers of its closed form that verify
  const double *answers;   // (answer_count m)
  int start_count;         // most promising points, best first: where a solver may begin
  const double *starts;    // (start_count m)
  double time_s;
} ss_refutation;

typedef struct ss_refute_progress {
  int64_t cells;
  double fraction;  // of the states of the part at hand that are done, by the share of each branch
  double time_s;
} ss_refute_progress;

typedef struct ss_refute_options {
  int64_t max_cells;    // in all parts together
  double time_limit_s;  // 0: none
  // What `reach` must be for SS_NONE: INFINITY, the default, or less, in the global form (at least 1e9 is
  // wise: rank that the data has by rounding only is then taken as lost). In the reduced form only INFINITY
  // counts: a W that is singular up to rounding is positive definite within the rounding, and then a solution
  // exists. A solution counts if its r_N,i <= reach R_i, so that SS_NONE and SS_EXISTS exclude each other.
  double reach;
  double tol;  // ss_verdict.error of what counts as a solution
  bool solve;  // try Newton's method from promising points
  int (*progress)(void *user, const ss_refute_progress *now);  // nonzero cancels
  void *user;
} ss_refute_options;
SS_API ss_refute_options ss_refute_options_default(void);

// o: NULL for the defaults. ctx may be NULL.
SS_API ss_error ss_refute(ss_context *ctx, const ss_problem *p, const ss_refute_options *o,
                          ss_refutation **out);
SS_API void ss_refutation_destroy(ss_refutation *a);  // NULL allowed

#ifdef __cplusplus
}
#endif
