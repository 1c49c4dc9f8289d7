// analysis/refute.h - what the parts of ss_refute share. Equations (E6)-(E9): docs/existence.md.
#pragma once

#include "base/arena.h"
#include "la/dd.h"
#include "stickslip/refute.h"
#include "stickslip/solver.h"

// ---- cells of one contact (refute_cell.c) ---------------------------------------------------

typedef enum ssi_law_kind {
  SSI_LAW_ANY,     // u_N >= 0, r in K
  SSI_LAW_FREE,    // u_N >= 0, r = 0
  SSI_LAW_CLOSED,  // u_N = 0, r in K
  SSI_LAW_STICK,   // u = 0, r in K; with a sector: r_T in cone(from, to)
  SSI_LAW_SLIP,    // u_N = 0, u_T in cone(from, to), -r_T in it too, |r_T| = mu r_N
} ssi_law_kind;

// A part of Coulomb's law of one contact. Sectors: counter-clockwise from `from` to `to`, at most half
// a turn; neighbours share these very numbers, so that nothing falls between them. In 2D from[0] is the
// sign of u_T.
typedef struct ssi_cell_law {
  ssi_law_kind kind;
  bool sector;
  double from[2], to[2];
  int halvings;
} ssi_cell_law;

enum { SSI_LAW_CHILDREN = 3, SSI_LAW_RAYS = 8, SSI_LAW_ROWS = 3 };

// The cells that together are `law`; 0: it cannot be split.
int ssi_law_split(int dim, double mu, const ssi_cell_law *law,
                  ssi_cell_law child[SSI_LAW_CHILDREN]);

// r = sum x_j ray_j, x >= 0, holds all r of the cell, and a little more, so that proofs have a margin.
int ssi_law_rays(int dim, double mu, const ssi_cell_law *law, double ray[SSI_LAW_RAYS][3]);

// row_k.u >= 0, or = 0 where equal[k], for all u of the cell.
int ssi_law_rows(int dim, const ssi_cell_law *law, double row[SSI_LAW_ROWS][3], bool equal[]);

// ---- the problem, dense (refute_data.c) -----------------------------------------------------

typedef struct ssi_refute_data {
  const ss_problem *p;
  int m, ndof, nl;
  double *W, *q;    // bilateral part eliminated, docs/theory.md (10)   (m m), (m)
  double *Y;        // v = v0 + Y r; global form     (ndof m)
  double *K;        // l = l0 + K r                  (nl m)
  double *lambda;   // largest eigenvalue of W_ii; mean of the others where 0   (nc)
  double unit;      // largest |q_i| of a contact
  double *R;        // unit / lambda_i: size of a reaction     (nc)
  double *V, *L;    // size of v_j and l_k where r_N,i <= R_i, twice   (ndof), (nl)
  double *inverse;  // M^-1, where ndof <= SSI_STRICT_DOFS and nl = 0   (ndof ndof)
  bool defined;     // false: the bilateral constraints depend on each other
} ssi_refute_data;

enum { SSI_STRICT_DOFS = 120 };  // above, refutations in the global form have a finite reach

ss_error ssi_refute_gather(ss_context *ctx, ssi_arena *arena, const ss_problem *p,
                           ssi_refute_data *out);

// ---- the judge of certificates (refute_check.c) ---------------------------------------------

typedef struct ssi_sized_sum {  // a sum of products, and that of their absolute values
  ssi_dd value;
  double size;
} ssi_sized_sum;

typedef struct ssi_refute_column {  // a way in which y may move
  int row, rows;                    // its components
  double part[2];
  double limit;
} ssi_refute_column;

typedef struct ssi_refute_strict {  // refute_strict.c
  bool ready;
  double *H;                  // dense   (m ndof)
  int *body;                  // first dof of the body of each dof   (ndof)
  bool *still;                // (ndof)
  int *Z;                     // (ndof)
  ssi_refute_column *column;  // (m)
  int columns;
  double *A, *B, *C;           // (ndof m), (ndof m), (ndof ndof)
  double *eta, *delta, *pull;  // (m), (ndof), (ndof)
} ssi_refute_strict;

typedef struct ssi_refute_judge {
  const ssi_refute_data *d;
  ssi_refute_strict strict;
  double *most;   // h of (E9)   (nc)
  double *p, *k;  // multipliers of the momentum balance and of the joints   (ndof), (nl)
  ssi_sized_sum *a, *rho, *tau;  // of (E7)   (m), (ndof), (nl)
} ssi_refute_judge;

bool ssi_refute_judge_take(ssi_refute_judge *j, const ssi_refute_data *d, ssi_arena *arena);

// law (nc): NULL entries are contacts of which nothing is used (y = 0 there). How far y (m) excludes
// solutions with these states: reach of (E9), INFINITY for all of them, 0 for none. finite: (E10), which costs
// as much again, is not tried.
double ssi_refute_reach(ssi_refute_judge *j, const ssi_cell_law *const *law, const double *y,
                        bool finite);

// ---- certificates of infinite reach (refute_strict.c) ---------------------------------------

bool ssi_refute_strict_take(ssi_refute_strict *s, const ssi_refute_data *d, ssi_arena *arena);
void ssi_refute_set_still(ssi_refute_strict *s, const ssi_refute_data *d, const double *y,
                          double *p);  // p (ndof)
// After j->a, j->rho and j->most are known with p still; gain = -kappa beyond rounding.
bool ssi_refute_is_strict(ssi_refute_strict *s, const ssi_refute_judge *j,
                          const ssi_cell_law *const *law, const double *y, double gain, double eps);

// ---- one part (refute_search.c) -------------------------------------------------------------

typedef struct ssi_refute_part {
  ss_context *ctx;
  const ss_refute_options *o;
  const ssi_refute_data *d;
  int n;               // contacts of the part
  const int *contact;  // their numbers   (n)
  double begin_s;
  int64_t cells_most;
  double required;    // reach asked for
  int halvings;       // smallest sector: pi / 2^halvings
  int64_t left_most;  // small cells that may be left before the search gives up

  // what came of it
  bool refuted, solved, data_doubt;
  ss_refute_reason stopped;  // where neither
  double reach;
  int64_t cells, left;
  double *r;       // of all contacts; those of the part are the solution, where solved   (m)
  double *starts;  // best first   (SS_REFUTE_STARTS m)
  double score[SS_REFUTE_STARTS];
  int start_count;
} ssi_refute_part;

ss_error ssi_refute_search(ssi_refute_part *part);

// ---- Newton's method from points that a search comes across, on some contacts only -------------

typedef struct ssi_refute_trial {
  ss_problem p;  // the contacts of the part, reduced form
  ss_solver *solver;
  double *r;  // (dim n)
} ssi_refute_trial;

// All memory from the arena, save the solver's. Release whatever is returned.
ss_error ssi_refute_trial_create(ss_context *ctx, ssi_arena *arena, const ssi_refute_data *d, int n,
                                 const int *contact, double tol, ssi_refute_trial *out);
void ssi_refute_trial_release(ssi_refute_trial *t);

// From t->r; true where that led to a solution, now in t->r.
bool ssi_refute_trial_run(ssi_refute_trial *t);
