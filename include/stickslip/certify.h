// stickslip/certify.h - does a solution exist, and if not, which contacts jam. docs/existence.md
//
// Criterion (A): there is a velocity v (with G^T v + b = 0) such that every (H v + w)_i is in the dual
// K*_i = { u : u_N >= mu |u_T| } of the friction cone. It implies that a solution exists, whatever M and f.
// Its margin is
//
//   s* = sup { s : (H v + w)_i - s e_i in K*_i for all i }
//      = min { w.r + b.l : H^T r + G l = 0, r in K, sum r_N = 1 }
//
// Reduced form: the same with v replaced by z = (z_r, z_l), H v + w by W z_r + V z_l + q and G^T v + b by
// V^T z_r + R z_l + s.
#pragma once

#include "stickslip/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ss_existence { SS_EXISTS, SS_NONE, SS_UNDECIDED } ss_existence;
SS_API const char *ss_existence_name(ss_existence e);  // "exists", "none", "undecided"

typedef enum ss_criterion_state {
  SS_CRITERION_ROBUST,     // s* > 0: small changes of the data keep it
  SS_CRITERION_BOUNDARY,   // s* = 0 at the tolerance, and attained
  SS_CRITERION_VIOLATED,   // s* < 0
  SS_CRITERION_UNDECIDED,  //
} ss_criterion_state;
SS_API const char *
ss_criterion_state_name(ss_criterion_state c);  // "robust", "boundary", "violated", "undecided"

typedef enum ss_tristate { SS_NO, SS_YES, SS_UNKNOWN } ss_tristate;

// Why the verdict is what it is: the word scripts see, and a sentence for people.
#define SS_EXISTENCE_REASONS(X)                                                                    \
  X(SS_REASON_ROBUST, "robust", "criterion (A) holds with a positive margin")                      \
  X(SS_REASON_EVERY_W, "for_every_w",                                                              \
    "a motion separates all contacts strictly, so criterion (A) holds for every w")                \
  X(SS_REASON_BOUNDARY, "boundary", "criterion (A) holds, without margin")                         \
  X(SS_REASON_REST, "rest",                                                                        \
    "a motion makes all contacts rest (or slide without friction): the external objects move as "  \
    "one, or not at all")                                                                          \
  X(SS_REASON_NO_CONTACTS, "no_contacts", "there are no contacts")                                 \
  X(SS_REASON_PENETRATION, "penetration",                                                          \
    "no motion keeps all contacts from penetrating (A'): no solution exists")                      \
  X(SS_REASON_BILATERAL, "bilateral", "the bilateral constraints contradict each other")           \
  X(SS_REASON_VIOLATED, "violated",                                                                \
    "criterion (A) is violated, which does not prove that there is no solution")                   \
  X(SS_REASON_NOT_ATTAINED, "not_attained",                                                        \
    "the margin is zero within the tolerance, but only approached: criterion (A) fails, though a " \
    "solution exists if it is exactly zero")                                                       \
  X(SS_REASON_TOLERANCE, "tolerance", "the margin could not be told from zero")                    \
  X(SS_REASON_DATA, "data", "the data is not accurate enough to decide")                           \
  X(SS_REASON_TIME, "time_limit", "the time was up before it was decided")                         \
  X(SS_REASON_SOLUTION, "solution", "here is one, verified from the raw data")                     \
  X(SS_REASON_OUTSIDE, "outside_class",                                                            \
    "W is not positive semi-definite: what criterion (A) says of existence does not apply")        \
  X(SS_REASON_DRIVEN, "driven",                                                                    \
    "M is singular, and the load drives a motion that costs nothing and that no friction can "     \
    "hold")                                                                                        \
  X(SS_REASON_LOOSE, "loose",                                                                      \
    "M is singular, and only friction could hold the load: what criterion (A) says of existence "  \
    "does not apply")

#define SS_REASON_ENTRY(name, word, text) name,
typedef enum ss_existence_reason {
  SS_EXISTENCE_REASONS(SS_REASON_ENTRY) SS_REASONS  // how many
} ss_existence_reason;
#undef SS_REASON_ENTRY
SS_API const char *ss_existence_reason_name(ss_existence_reason r);
SS_API const char *ss_existence_reason_text(ss_existence_reason r);

typedef enum ss_margin_wish {
  SS_MARGIN_AUTO,   // as EXACT, unless that would take very long
  SS_MARGIN_EXACT,  // s* to about 1e-10 |w|, and whether (A) holds for every w
  SS_MARGIN_BOUND,  // stop as soon as the verdict is known; then margin is a bound
} ss_margin_wish;

typedef struct ss_certify_options {
  double
      tol;  // margins within tol |w| of 0 are not told from it; |w| is that of the largest contact
  double rank_tol;  // reduced form: |W z| <= rank_tol |W| |z| counts as W z = 0
  ss_margin_wish margin;
  int max_iter;         // of the interior point
  double time_limit_s;  // 0: none; what is not proved by then is undecided, with the bounds found
  int (*progress)(void *user, int iteration, double low, double high);  // nonzero cancels
  void *user;
} ss_certify_options;
SS_API ss_certify_options ss_certify_options_default(void);

typedef struct ss_certificate_residuals {  // as the independent check finds them, without units
  double primal;                           // |G^T v + b| over |w|
  double dual;  // largest |H^T r + G l| of a dof, over the largest |H| in its column and sum r_N
  double
      cone;  // how far r is outside K, over its r_N; how far u outside K* over |w| where (A) is claimed
  double gap;  // (margin_high - margin_low) / |w|
} ss_certificate_residuals;

// Where M is singular: what the load does to loose motions z, M z = 0, G^T z = 0. docs/existence.md, section 13
typedef struct ss_load_evidence {
  ss_existence
      definite_verdict;  // what follows from criterion (A), (A') and the joints if M were definite
  ss_existence_reason definite_reason;
  // held: f = M a + H_N^T pressure + G l with pressure >= 0, so that f.z >= 0 for every loose z with H_N z >= 0
  const double *deformation;  // a    (ndof)
  const double *pressure;     //      (nc)
  const double *pressure_l;   // l    (nl)
  // driven: a loose d with H d in K* and f.d < 0
  const double *motion;  //     (ndof)
} ss_load_evidence;

// What was found, with the evidence. Arrays are NULL where they prove nothing.
typedef struct ss_certificate {
  ss_existence verdict;
  ss_existence_reason reason;
  ss_criterion_state criterion_A;
  double margin;  // s*, in units of velocity; INFINITY
  double margin_low,
      margin_high;          // proved by velocity and by jamming; -INFINITY, INFINITY: nothing
  bool margin_exact;        // false: margin is only the bound that decided
  ss_tristate attained;     // is there a v whose margin is s*
  ss_tristate for_every_w;  // Ker H^T meets K in 0 only
  ss_tristate a_prime;      // does (A') hold: u_N >= 0 is possible
  const char *path;         // what decided: "rest", "least_squares", "projection", "interior_point"
  int iterations;           // of the interior point

  double unit;   // |w| of the largest contact of the component that the margin is of
  bool blurred;  // W (reduced form) is semi-definite within rank_tol only

  int velocity_size;        // ndof; reduced form: m + nl
  const double *velocity;   // v, or z                                            (velocity_size)
  const double *direction;  // for_every_w: H d inside K*, G^T d = 0              (velocity_size)

  const double *impulse;    // the jamming mode r, sum r_N = 1                  (m)
  const double *impulse_l;  // its l, where there are bilateral constraints     (nl)
  double work;              // w.r + b.l: < 0 where (A) is violated
  const int *jamming;       // contacts with r_N > 1e-7 of the largest, ascending   (jamming_count)
  int jamming_count;

  const double
      *lambda;  // (A') violated: lambda >= 0, H_N^T lambda + G l = 0, w_N.lambda + b.l < 0  (nc)
  const double *lambda_l;  // (nl); with lambda NULL: G l = 0, b.l != 0
  const double *parting;  // (A') holds where (A) was not shown: a v with u_N >= 0   (velocity_size)

  const ss_solution *solution;  // proves that one exists: r, and u, v, l where they are said; NULL

  // z with z.W z < 0 (with joints z.[W V; V^T R] z; global form z.M z), and that number: the problem is
  // outside the class of the theorems                       (m + nl; global form ndof)
  const double *indefinite;
  double indefinite_value;

  const ss_load_evidence *load;  // M is singular; NULL: it is definite, or the form reduced

  ss_certificate_residuals residuals;  // NAN: not said
  double tol, rank_tol;                // those of the options
  double time_s;
} ss_certificate;

// SS_ERR_CANCELLED does not exist: a cancelled run ends with what it has. ctx may be NULL.
// Bytes that it takes, about: half of it or twice as much may be true.
SS_API double ss_certify_memory(const ss_problem *p);

SS_API ss_error ss_certify(ss_context *ctx, const ss_problem *p, const ss_certify_options *o,
                           ss_certificate **out);
SS_API void
ss_certificate_destroy(ss_certificate *c);  // NULL allowed; only for those of ss_certify

// ---- the assumptions of [ACLM11, 4] ---------------------------------------------------------

// What they say of the fixed points of F(s) = |u_T(s)|, u(s) that of the convex program with s given.
typedef enum ss_fixed_point {
  SS_FIXED_POINT_UNKNOWN,  // nothing
  SS_FIXED_POINT_EXISTS,   // there is one; it solves the problem if C(s) is not empty (Theorem 3.6)
  SS_FIXED_POINT_SOLVES,   // there is one, and all of them solve the problem (Theorems 3.6, 3.7)
} ss_fixed_point;
SS_API const char *ss_fixed_point_name(ss_fixed_point f);  // "unknown", "exists", "solves"

typedef struct ss_assumptions {
  ss_tristate open;       // (4.1): (A) with room to spare at every contact that has friction
  ss_tristate kinematic;  // (4.4): (A)
  ss_tristate closed;     // (4.6): w.r >= 0 for all r of Ker H^T in K (Klarbring and Pang)
  ss_fixed_point fixed_point;
} ss_assumptions;

// Read off a certificate of p, which is believed.
SS_API ss_error ss_certificate_assumptions(ss_context *ctx, const ss_problem *p,
                                           const ss_certificate *c, ss_assumptions *out);

// ---- the independent check -----------------------------------------------------------------

typedef struct ss_certificate_report {
  bool holds;         // all that the certificate claims is proved by its evidence
  char failure[200];  // the first claim that is not
  double unit;        // |w| of the largest contact; 1 where all are 0
  bool
      joints_blurred;  // some of the joints are redundant but for rounding: no velocity is known to obey all

  bool has_velocity;
  double margin_low;  // smallest u_N - mu |u_T| over the contacts
  double speed;       // largest |(H v)_i| over unit
  double doubt;       // over unit: what the rounding of H and mu may be worth at this v
  double off;         // part of its terms that each number of some u_i must move by to be in K*
  double equality;    // |G^T v + b| over unit
  double slip;        // largest |u_i| (frictionless contacts: |u_N|) over unit
  int worst_contact;  // where margin_low is
  bool has_direction;
  double
      interior;  // smallest margin of H d over the largest |(H d)_i|, or 1e-3 of sum_j |H_ij d_j|
  double image;  // reduced form: |W d| / (|W| |d|); 1 in the global form
  double direction_equality;  // |G^T d| over the largest |(H d)_i|

  bool has_jamming;
  double margin_high;  // (w.r + b.l) / sum r_N
  double equilibrium;  // as residuals.dual
  double outside;      // sum of |r_T| - mu r_N and -r_N where positive, over sum r_N
  double reach;        // (A) fails for all v below this times unit: work over what it rests on

  bool has_parting;
  double parting_low;       // smallest u_N
  double parting_equality;  // as equality

  bool has_solution;
  double solution_error;  // ss_verdict.error
  bool solution_proves;   // ss_prove_solution
  double solution_u,
      solution_v;  // largest difference of u, v said and found, over the largest found

  bool has_indefinite;
  double indefinite;        // z.W z, and the sum of |z_i W_ij z_j|
  double indefinite_terms;  //
  // Local form, up to 3000 rows, where a velocity is to prove existence: W is not positive semi-definite,
  // by more than rank_tol of its largest entry. The global form's M is looked at by ss_problem_check.
  bool outside_class;

  bool has_load;      // M is singular, and what the load does to loose motions is shown:
  double load_rest;   // held: largest rest of a dof's balance over the sum of its terms
  double load_power;  // driven: f.d over the sum of |f_j d_j|

  bool has_lambda;
  double penetration;         // (w_N.lambda + b.l) / sum lambda
  double lambda_equilibrium;  // as equilibrium
  double lambda_exactness;    // as residuals.dual, in either form
  double lambda_outside;      // sum of -lambda where positive, over sum lambda
  double lambda_reach;
} ss_certificate_report;

// Judges the evidence from the raw data in double-double arithmetic; shares no code with ss_certify's
// search. Then asks whether all that the certificate says follows from it: what is not said (NAN, SS_UNKNOWN,
// bounds that are infinite, arrays that are NULL) is not asked. `failure` begins with the claim's name in a
// certificate file.
SS_API ss_error ss_certificate_check(ss_context *ctx, const ss_problem *p, const ss_certificate *c,
                                     ss_certificate_report *out);

// Whether the numbers in `said` (NAN, contacts -2: not said) are those that the check found, to 1e-6 of each; those
// that are zero but for rounding to within `blur` too. On false, `failure` (200) names the first that is not.
SS_API bool ss_certificate_report_agrees(const ss_certificate_report *said,
                                         const ss_certificate_report *found, double blur,
                                         char *failure);

// ---- a solution as a proof -----------------------------------------------------------------

typedef struct ss_solution_proof {
  bool
      proved;  // the problem has a solution near r, and so has every problem within the data's rounding
  double error;     // ss_verdict.error of r as given
  double margin;    // by how much the states of all contacts hold, over the largest velocity
  double distance;  // the solution is within this of r after polishing, as lambda_i |r_i|
} ss_solution_proof;

// Whether reactions found anywhere prove that a solution exists: docs/existence.md, "A solution as a proof". What
// it does not prove may still be a solution: a contact between two states, more forces than motions, joints.
SS_API ss_error ss_prove_solution(ss_context *ctx, const ss_problem *p, const double *r,
                                  ss_solution_proof *out);

// ---- the largest friction coefficient ------------------------------------------------------

typedef struct ss_mu_range {
  // (A) holds at low (NAN: nowhere shown; INFINITY: for every mu) and fails at high (INFINITY: nowhere)
  double low, high;
  ss_certificate *at_low;  // with its certificate, checked; NULL where there is none
  ss_certificate *at_high;
  int steps;
  bool late;  // the time limit ended it
} ss_mu_range;

// One common mu instead of the problem's own, within [from, to]. (A) becomes harder as mu grows. to INFINITY: asks for
// every mu first (ss_certify_every_mu); where that is not decided doubles mu, up to 2^40, until (A) fails. Bisects
// until high - low <= rel_width * high, a step is undecided, or the time limit (of all steps together) is
// over: then low and high are what was shown by then. Release with ss_mu_range_release.
SS_API ss_error ss_certify_mu_range(ss_context *ctx, const ss_problem *p,
                                    const ss_certify_options *o, double from, double to,
                                    double rel_width, ss_mu_range *out);
SS_API void ss_mu_range_release(ss_mu_range *r);

// ---- every friction coefficient ------------------------------------------------------------

// Criterion (A) for every mu, each contact its own. docs/existence.md (E14) to (E17)
//
// SS_YES: directions d_1, d_2, ... and a velocity v. A contact that d_k opens (H_N d_k > 0, H_T d_k = 0) is out of the
// question from then on; at all others H_T d_k = 0 and H_N d_k >= 0; and v neither slides nor penetrates any contact that is
// left. So v + t_1 d_1 + t_2 d_2 + ..., t_1 much larger than t_2 and so on, satisfies (A), however large mu is.
// SS_NO: impulses that are in the friction cones from some mu on and violate (A) there.
typedef struct ss_every_mu {
  ss_tristate holds;
  int velocity_size;         // ndof; reduced form: m + nl
  const double *velocity;    // v, or z                                             (velocity_size)
  int direction_count;       //
  const double *directions;  // one after the other              (direction_count x velocity_size)
  const double *impulse;     // r_N > 0 where r != 0, H^T r + G l = 0, w.r + b.l < 0     (m)
  const double *impulse_l;   // its l, where there are bilateral constraints         (nl)
  double fails_from;         // the common mu from which on these violate (A); NAN without them
} ss_every_mu;

// known: what ss_certify found of p, which may decide at once; NULL: nothing. Where it does not, dense linear algebra of order
// (rows)^3 does, in each component where that is at most 1e10 operations, or at any cost.
SS_API ss_error ss_certify_every_mu(ss_context *ctx, const ss_problem *p,
                                    const ss_certify_options *o, const ss_certificate *known,
                                    bool at_any_cost, ss_every_mu **out);
SS_API void
ss_every_mu_destroy(ss_every_mu *e);  // NULL allowed; only for those of ss_certify_every_mu

// Whether the evidence proves what `holds` says, from the raw data; that of SS_UNKNOWN does not.
SS_API ss_error ss_every_mu_check(ss_context *ctx, const ss_problem *p, const ss_every_mu *e,
                                  bool *proved);

#ifdef __cplusplus
}
#endif
