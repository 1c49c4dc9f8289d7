// stickslip/diagnose.h - why a problem was not solved: does it have a solution at all, and what to try next.
//
//   ss_attempt tried = {.method = o.method, .status = info.status, .tol = o.tol, .r = r};
//   ss_diagnosis *why;
//   if (ss_diagnose(&ctx, &problem, &tried, NULL, &why)) return puts(ctx.message), 1;
//   if (why->existence == SS_NONE) ...       // proved, by why->proof; why->jamming are the contacts to blame
//   ss_diagnosis_destroy(why);
//
// Facts, not sentences: those are the caller's. Joins ss_certify, ss_enumerate, ss_solve with ss_prove_solution,
// and ss_refute in the order of docs/existence.md, section 9.
#pragma once

#include "stickslip/certify.h"
#include "stickslip/enumerate.h"
#include "stickslip/solver.h"

#ifdef __cplusplus
extern "C" {
#endif

// What a verdict on existence rests on, and the word scripts see.
#define SS_PROOFS(X)                                                                               \
  X(SS_PROOF_NOT, "none")                /* nothing: it is undecided */                            \
  X(SS_PROOF_CERTIFICATE, "certificate") /* of ss_certify, checked */                              \
  X(SS_PROOF_ENUMERATION, "enumeration") /* in the plane: all solutions were listed */             \
  X(SS_PROOF_SOLUTION, "solution")       /* one that proves itself: ss_prove_solution */           \
  X(SS_PROOF_ALL_STATES, "all_states")   /* in space: ss_refute excluded every state */

#define SS_PROOF_ENTRY(name, word) name,
typedef enum ss_proof { SS_PROOFS(SS_PROOF_ENTRY) } ss_proof;
#undef SS_PROOF_ENTRY
SS_API const char *ss_proof_name(ss_proof p);

// ---- existence, where criterion (A) leaves it open -----------------------------------------

typedef struct ss_settle_options {
  const ss_exact *exact;  // the numbers as they were written; NULL: the doubles
  double time_limit_s;    // gives up after this long; 0: after a number of states that is some 10 s
  bool solve;             // look for a solution with `auto` as well
  int (*stop)(void *user);  // asked now and then; nonzero: give up
  void *user;
} ss_settle_options;

typedef struct ss_settlement {
  ss_proof proof;          // never SS_PROOF_CERTIFICATE
  ss_existence existence;  // proved; SS_UNDECIDED where proof is SS_PROOF_NOT
  int count;               // enumeration: of solutions, connected components
  bool exact;              // enumeration: decided in rational arithmetic
  int64_t cells;           // all states: that were looked at
  double reach;            // all states: no solution with reactions below this, see ss_refutation
  const double *r;  // a solution at its tolerance, if one was met, whether it proves anything   (m)
  const double *v, *l;  // of a solution where M is singular: r alone does not say   (ndof), (nl)
  bool late;            // the time limit ended it before it was decided
  double time_s;
} ss_settlement;

// By trying the states of all contacts where they are few, or by a solution that proves itself. What cannot be
// asked (no GMP, too many contacts) leaves it undecided. o: NULL for no solve. ctx may be NULL.
SS_API ss_error ss_settle(ss_context *ctx, const ss_problem *p, const ss_settle_options *o,
                          ss_settlement **out);
SS_API void ss_settlement_destroy(ss_settlement *s);  // NULL allowed

// ---- the diagnosis -------------------------------------------------------------------------

// What may help: the word for scripts, and a sentence for people.
#define SS_SUGGESTIONS(X)                                                                          \
  X(SS_SUGGEST_ITERATIONS, "iterations", "allow more iterations")                                  \
  X(SS_SUGGEST_TIME, "time", "allow more time")                                                    \
  X(SS_SUGGEST_AGAIN, "again", "it was interrupted: let it run to the end")                        \
  X(SS_SUGGEST_SMALLER_TOL, "smaller_tol",                                                         \
    "ask for a smaller tolerance: what the solver took for solved did not verify")                 \
  X(SS_SUGGEST_AUTO, "auto", "leave the method to auto")                                           \
  X(SS_SUGGEST_UNTRIED, "untried", "name a method that has not had its turn")                      \
  X(SS_SUGGEST_GUESS, "guess", "start from a guess")                                               \
  X(SS_SUGGEST_SEED, "seed", "take another seed")                                                  \
  X(SS_SUGGEST_LARGER_TOL, "larger_tol", "be content with a larger tolerance")

#define SS_SUGGESTION_ENTRY(name, word, text) name,
typedef enum ss_suggestion {
  SS_SUGGESTIONS(SS_SUGGESTION_ENTRY) SS_SUGGESTION_COUNT
} ss_suggestion;
#undef SS_SUGGESTION_ENTRY
SS_API const char *ss_suggestion_name(ss_suggestion s);
SS_API const char *ss_suggestion_text(ss_suggestion s);

// What was tried. Fields that are zero are not known.
typedef struct ss_attempt {
  const char *method;
  ss_status status;
  double tol;                  // of ss_verdict.error
  const double *r;             // where it ended                                           (m)
  const char *const *untried;  // methods that ss_solver_tried denies, NULL after the last one
} ss_attempt;

typedef struct ss_diagnose_options {
  const ss_exact *exact;    // the numbers as they were written; NULL: the doubles
  double time_limit_s;      // 0: none for the certificate, 10 s for what it leaves open
  int (*stop)(void *user);  // asked now and then; nonzero: what is known by then
  void *user;
} ss_diagnose_options;

typedef struct ss_diagnosis {
  ss_existence existence;
  ss_proof proof;
  bool
      contradictory;  // certificate and settlement prove the opposite: the data holds both, it is undecided

  const ss_certificate *certificate;  // checked; NULL: there is none that holds,
  char failure[200];                  // for this reason; "": it was not asked
  double margin;                      // s* of criterion (A), or a bound; INFINITY; NAN: not known
  const int *jamming;  // contacts that jam, ascending; none where a solution exists (jamming_count)
  int jamming_count;

  const ss_settlement *settlement;  // NULL: it was not asked

  // What is left of ss_verdict.error when reactions of the size of attempt.r are rounded to doubles, estimated:
  // no tolerance below it can be met on purpose. docs/existence.md (E13). NAN: no r was given
  double rounding_floor;
  bool suggests[SS_SUGGESTION_COUNT];  // nothing where there is no solution
} ss_diagnosis;

// tried, o: NULL for nothing known, no limit. ctx may be NULL. SS_ERR_MEMORY, SS_ERR_ARGUMENT; what else fails on
// the way is a fact: `failure`, or a question left open.
SS_API ss_error ss_diagnose(ss_context *ctx, const ss_problem *p, const ss_attempt *tried,
                            const ss_diagnose_options *o, ss_diagnosis **out);
SS_API void ss_diagnosis_destroy(ss_diagnosis *d);  // NULL allowed

#ifdef __cplusplus
}
#endif
