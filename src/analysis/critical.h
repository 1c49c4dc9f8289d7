// analysis/critical.h - inner parts of stickslip/critical.h. One connected part of the contact
// graph is a dense W with weights g: the friction of contact p is mu g_p.
//
// The determinant of a pattern, in the flexibility form: rows and columns of W,
//   free   none;   stick  rows n, t, columns n, t;   cross  row t, column t;
//   slip s row n, column n - s mu g t           (u_N = 0, r_T = -s mu g r_N)
// all positive at mu = 0. Equal to det(W) times the determinant in the stiffness form of [Agw20].
#pragma once

#include <math.h>

#include "base/arena.h"
#include "la/vector.h"
#include "stickslip/critical.h"

typedef struct ssi_critical_part {
  int n;
  const int *contact;  // which contact of the problem   (n)
  const double *W;     // row-major, (n, t) per contact, scaled contact by contact   (2n x 2n)
  const double *g;     // weights of mu, >= 0            (n)
} ssi_critical_part;

// critical_rank.c: a W that counts as singular is so whatever the rounding of the data. work (2n)^2.
bool ssi_is_singular_for_certain(ssi_arena *arena, const ss_problem *p,
                                 const ssi_critical_part *part, double *work);

// Whether elimination of the joints leaves some W_ii that is rounding of what it was.
ss_error ssi_joints_hide_W(ss_context *ctx, const ss_problem *p, bool *hidden);

// States a contact may take: bits (1 << ss_pattern_state).
enum {
  SSI_STATES_SIMPLIFIED =
      1 << SS_PATTERN_STICK | 1 << SS_PATTERN_SLIP_PLUS | 1 << SS_PATTERN_SLIP_MINUS,
  SSI_STATES_BIJECTIVE = SSI_STATES_SIMPLIFIED | 1 << SS_PATTERN_FREE,
  SSI_STATES_PMATRIX = SSI_STATES_BIJECTIVE | 1 << SS_PATTERN_CROSS,
};
double ssi_pattern_count(int n, unsigned states);  // (number of states)^n

// ---- the criteria: critical_criteria.c; wanted: bits (1 << ss_criterion) -------------------------

unsigned ssi_criterion_states(ss_criterion c);
void ssi_critical_order(ss_critical *r, unsigned wanted);  // bounds from the neighbours
void ssi_critical_all_zero(ss_critical *r, unsigned wanted, unsigned char *pattern);
void ssi_critical_nothing_known(ss_critical *r, unsigned wanted);

// ---- all patterns at one mu: critical_tree.c -------------------------------------------------

typedef enum ssi_signs { SSI_ALL_POSITIVE, SSI_ONE_FAILS, SSI_STOPPED } ssi_signs;

typedef struct ssi_watch {                // asked now and then; NULL: nobody minds
  bool (*stop)(void *user, double done);  // true stops; done: patterns so far, < 0: as before
  // Is there time for eigenvalues and -vectors of matrices whose sizes have cubes that sum to this?
  // LAPACK does not look at a clock, so it is asked before a call.
  bool (*affords)(void *user, double cubes);
  void *user;
} ssi_watch;

static inline bool ssi_watch_stops(const ssi_watch *w, double done) {
  return w && w->stop && w->stop(w->user, done);
}
static inline bool ssi_watch_affords(const ssi_watch *w, double cubes) {
  return !w || !w->affords || w->affords(w->user, cubes);
}

// The states must contain free: that is what contacts count as which the walk has not come to. A
// test over stick, slip+, slip- takes the dual instead, with the states free, slip+, slip-: W^-T
// with n and t of each contact exchanged, in which free and stick change places, as do slip+ and
// slip-.
typedef struct ssi_tree ssi_tree;
ssi_tree *ssi_tree_create(ssi_arena *arena,
                          int n);  // memory for parts of up to n contacts; NULL: none
// pattern (n): where one fails, that one; its determinant is not positive as far as rounding shows.
ssi_signs ssi_tree_test(ssi_tree *t, const ssi_critical_part *p, unsigned states, double mu,
                        const ssi_watch *watch, unsigned char *pattern);

// ---- one pattern: critical_root.c ---------------------------------------------------------------

typedef struct ssi_roots ssi_roots;
ssi_roots *ssi_roots_create(ssi_arena *arena, int n);
// Smallest mu > 0 at which the pattern's determinant vanishes; INFINITY: none; NAN: LAPACK failed.
// both: smallest |mu| of either sign (the pattern with all slips reversed has the negative roots).
double ssi_pattern_root(ssi_roots *w, const ssi_critical_part *p, const unsigned char *pattern,
                        bool both);

// ---- upper bounds by local search: critical_search.c
// ------------------------------------------------

typedef struct ssi_critical_search ssi_critical_search;
ssi_critical_search *ssi_critical_search_create(ssi_arena *arena, int n);
// Improves pattern and *upper (its root) by changing one contact at a time. False: LAPACK failed.
// Where the watch stops it, what was found by then stands.
bool ssi_critical_search_descend(ssi_critical_search *s, ssi_roots *w, const ssi_critical_part *p,
                                 unsigned states, const ssi_watch *watch, unsigned char *pattern,
                                 double *upper);
// From several starting patterns; pattern and *upper keep the best, also of what they come with.
bool ssi_critical_search_many(ssi_critical_search *s, ssi_roots *w, const ssi_critical_part *p,
                              unsigned states, uint64_t seed, const ssi_watch *watch,
                              unsigned char *pattern, double *upper);

// ---- a lower bound for every criterion: critical_bound.c
// ------------------------------------------

// D W with columns n - m t is positive definite for some diagonal D > 0 and all |m_p| <= mu g_p
// with mu below the bound, which makes all principal minors positive.
typedef struct ssi_critical_bound ssi_critical_bound;
ssi_critical_bound *ssi_critical_bound_create(ssi_arena *arena, int n);
// The bound after at most so many steps, or once it is `enough`; 0 where W itself is not positive
// definite. Where the watch stops it, what was found by then: a bound too. at (3n): logarithms of D and of weights, to begin with (warm) and as found.
double ssi_critical_bound_lower(ssi_critical_bound *s, const ssi_critical_part *p, bool warm,
                                double *at, int steps, double enough, const ssi_watch *watch,
                                double *evaluations);
int ssi_critical_bound_worst(ssi_critical_bound *s);  // the contact that limits the last bound most

// ---- all patterns of many contacts: critical_branch.c
// -----------------------------------------------

// As ssi_tree_test, for any number of contacts: decides contacts one by one while that is shorter,
// and leaves out what the bound covers. Stops when `budget` patterns, or work that would take as
// long, are done.
enum { SSI_BRANCH_CONTACTS = 64 };  // most that there is memory for
typedef struct ssi_branch ssi_branch;
ssi_branch *ssi_branch_create(ssi_arena *arena, int n);
ssi_signs ssi_branch_test(ssi_branch *b, const ssi_critical_part *p, unsigned states, double mu,
                          double budget, const ssi_watch *watch, unsigned char *pattern);

// ---- (58) by eigenvalue problems: critical_andersson.c
// -----------------------------------------------

enum { SSI_ANDERSSON_CONTACTS = 7 };  // 8128 eigenvalue problems; above, by equivalence with (i)
// false: LAPACK failed. *count: eigenvalue problems solved; *all: none was left out.
bool ssi_critical_andersson(ssi_roots *w, const ssi_critical_part *p, const ssi_watch *watch,
                            unsigned char *pattern, double *mu, double *count, bool *all);

// ---- (59) by SQP: critical_sqp.c
// ---------------------------------------------------------------------

// *mu: the smallest value of (59) found, at a feasible point: an upper bound; NAN without NLopt, and
// where the watch stopped it before there was one.
ss_error ssi_critical_sqp(ss_context *ctx, const ssi_critical_part *p, int starts, uint64_t seed,
                          const ssi_watch *watch, double *mu);

// ---- a problem as connected parts --------------------------------------------------------------

typedef struct ssi_critical_parts {
  int count, largest;
  const ssi_critical_part *part;  // (count)
} ssi_critical_parts;

// g is the problem's own mu (scale_mu) or 1. SS_ERR_METHOD: not 2D, or too many contacts in one
// part.
ss_error ssi_critical_parts_create(ss_context *ctx, const ss_problem *p, bool scale_mu,
                                   ssi_arena *arena, ssi_critical_parts *out);
