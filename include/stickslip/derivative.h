// stickslip/derivative.h - how a solution changes with the data of its problem. docs/derivatives.md has the equations.
//
// Where no contact is at a kink, v, u, r and l are differentiable functions of mu, of the loads and of the entries of
// the matrices. Products with that derivative J, without J:
//
//   forward    given a direction of the data, the direction of the solution            J dx
//   adjoint    given the gradient of a number L with respect to the solution, that
//              with respect to the data                                                J^T dL
//
//   ss_derivative *d;
//   if (ss_derivative_create(&ctx, &p, &(ss_solution){.r = r}, NULL, &d)) return puts(ctx.message), 1;
//   if (ss_derivative_summary(d)->smoothness == SS_SMOOTH)
//     ss_derivative_adjoint(d, &(ss_solution){.v = dL_dv}, &(ss_data_gradient){.mu = dL_dmu});
//   ss_derivative_destroy(d);
//
// A kink is a contact that could go on in more than one state: one that touches without pressing (graze), one that
// sticks with its reaction on the surface of the cone (edge). There J does not exist, but the derivative along one
// direction may.
#pragma once

#include "stickslip/rate.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ss_derivative_options {
  // A contact is inside its state where it is further from the others than this part of the velocity scale that states
  // are told apart with, docs/derivatives.md (4); at least ten times ss_verdict.state_tol. Default 1e-6.
  double strict;
  double rank;  // singular values of the scaled matrix (7) below it count as 0 (default 1e-9)
  double tol;   // largest ss_verdict.error of the solution (default 1e-6)
  // Contacts at kinks keep the states that ss_verify gives them: forward and adjoint are then products with one of the
  // limits of J at neighbouring data, which is what an optimiser can use, and not a derivative. Default false.
  bool keep;
} ss_derivative_options;
SS_API ss_derivative_options ss_derivative_options_default(void);

typedef enum ss_smoothness {
  SS_SMOOTH,  // r, u, v, l are differentiable
  // No kinks, but reactions that move nothing can be added to r and l (hyperstatic): only u and v are differentiable,
  // and only in directions of the data along which contacts and joints that hold the same motion do not contradict each
  // other. All directions of f, M and mu are such where no contact of `loose` slips; of w, b, H, G some are not.
  SS_SMOOTH_MOTION,
  SS_KINKS,     // one or more contacts at a kink
  SS_SINGULAR,  // motions that cost nothing: a fold, or a continuum of velocities
} ss_smoothness;
SS_API const char *ss_smoothness_name(ss_smoothness s);  // "smooth", "motion", "kinks", "singular"

typedef struct ss_derivative_info {
  ss_smoothness smoothness;
  int places[5];    // how many contacts are at each ss_rate_place
  int first_kink;   // contact; -1: none
  double margin;    // distance of the contact that is nearest to a kink, over its velocity scale
  int nearest;      // that contact; -1 without contacts
  double strict;    // the threshold that was used
  int loose_count;  // contacts and joints whose reactions are not unique
  int without_mu;  // frictionless contacts at rest: derivatives with respect to their mu do not exist
  int unknowns;    // of the linear system
  int64_t entries;  // of its matrix
  double time_s;    // of ss_derivative_create
  double error;     // ss_verdict.error of the solution
} ss_derivative_info;

// A direction of the data: numbers in the places of those of the problem, matrices by their stored entries (the array x
// of an ss_sparse), each an independent number: a symmetric change of M has both M_ij and M_ji. NULL: does not change.
typedef struct ss_data_direction {
  const double *mu;         // (nc)
  const double *W, *V, *R;  // reduced form
  const double *q, *s;      //                 (m), (nl)
  const double *M, *H, *G;  // global form
  const double *f, *w, *b;  //                 (ndof), (m), (nl)
} ss_data_direction;

// The gradient of a number with respect to them. NULL: not wanted.
typedef struct ss_data_gradient {
  double *mu;
  double *W, *V, *R;
  double *q, *s;
  double *M, *H, *G;
  double *f, *w, *b;
} ss_data_gradient;

typedef struct ss_derivative ss_derivative;

// answer: r, and l where it is known; u and v are computed from them. The arrays of p are borrowed until the derivative
// is destroyed; those of the answer are copied. o may be NULL. Kinks are no error here: look at the summary.
// SS_ERR_DATA: no solution, or M is singular.
SS_API ss_error ss_derivative_create(ss_context *ctx, const ss_problem *p,
                                     const ss_solution *answer, const ss_derivative_options *o,
                                     ss_derivative **out);
SS_API void ss_derivative_destroy(ss_derivative *d);  // NULL allowed

SS_API const ss_derivative_info *ss_derivative_summary(const ss_derivative *d);  // NULL for NULL
SS_API const ss_rate_place *ss_derivative_places(const ss_derivative *d);        // (nc)
// Contacts, then joints, whose reactions are not unique; what SS_SMOOTH_MOTION and SS_SINGULAR are about.   (nc + nl)
SS_API const bool *ss_derivative_loose(const ss_derivative *d);

// The rest is for one thread at a time, and takes no memory but for ss_derivative_one_sided.
//
// SS_ERR_METHOD, with the reason in ctx->message, where the product does not exist: at kinks, where it is singular,
// where the direction contradicts itself at contacts of `loose` or where the gradient asks for reactions that are not
// unique, and where a number asked for depends on the friction of a frictionless contact at rest.

// r (m), u (m), v (ndof), l (nl): NULL where not wanted. Reactions of `loose` are those of one of many changes; sums of
// them that no self-equilibrated reactions change (the total on a body) are right.
SS_API ss_error ss_derivative_forward(ss_derivative *d, const ss_data_direction *direction,
                                      double *r, double *u, double *v, double *l);

// gradient: that with respect to r, u, v, l; NULL: zero. With SS_SMOOTH_MOTION the answers with respect to w, b, H, G
// (q, s, W, V, R) are right for the directions along which there is a derivative. mu of a frictionless contact at rest:
// NAN.
SS_API ss_error ss_derivative_adjoint(ss_derivative *d, const ss_solution *gradient,
                                      const ss_data_gradient *out);

// The derivative along one direction, h -> 0+, at kinks too: contacts there choose how they go on, which is a friction
// problem of its own, docs/derivatives.md (12). SS_ERR_METHOD where that has no solution that is found; where it has
// several this is one of them.
SS_API ss_error ss_derivative_one_sided(ss_derivative *d, const ss_data_direction *direction,
                                        double *r, double *u, double *v, double *l);

#ifdef __cplusplus
}
#endif
