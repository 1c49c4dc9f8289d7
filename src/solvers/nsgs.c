// Nonsmooth Gauss-Seidel: contact by contact, each against the latest value of the others.
//
// For each i, with b_i = q_i + sum_{j != i} W_ij r_j held fixed, find r_i such that
//
//     u_i = W_ii r_i + b_i,    K_i* ∋ u_i + mu_i |u_iT| e  ⊥  r_i ∈ K_i                  (1)
//
// then relax  r_i <- r_i + omega (r_i^new - r_i).                                        (2)
//
// One step is one sweep over the contacts. Two ways to b_i, docs/theory.md (14): blocks of W, cost
// O(blocks); or, for rigid bodies, b_i = H_i v + w_i - W_ii r_i with v += M^-1 H_i^T dr_i after each
// visit, cost O(dofs touched) however many neighbours a contact has. No general convergence proof
// for mu > 0: the driver's residual, not the size of the step, decides when it is done. Slow on
// hyperstatic stacks, where it can also cycle; a random order often cures that.
//
// In a pile r creeps: a stress of the kernel of H^T grows with every sweep by the same little amount, until some
// contact slips. Momentum (la/momentum.h) goes there in a fraction of the sweeps.
// Anderson acceleration is better in small problems, where its columns span what is left.
//
// In the coloured order (problem/colour.h) the contacts of one colour do not act on each other and are
// shared out among the threads. It is the order of every large problem, so that the number of threads does
// not change a bit. Domains (solvers/domains.h) are for the same purpose, with large pieces and hardly any waiting,
// for a few more sweeps.
//
// [JAJ98] F. Jourdan, P. Alart, M. Jean, A Gauss-Seidel like algorithm to solve frictional
//         contact problems, CMAME 155 (1998) 31-47.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "la/anderson.h"
#include "problem/colour.h"
#include "solvers/contact_order.h"
#include "solvers/domains.h"
#include "solvers/nsgs.h"
#include "solvers/pace.h"
#include "solvers/visit.h"

enum { COLOURED_FROM = 50000 };  // contacts from which auto means coloured, else natural
enum { OPERATOR_AUTO, OPERATOR_BLOCKS, OPERATOR_BODIES };
enum { HANDOVER = 60 };       // sweeps after which momentum takes over from Anderson, with both, or
enum { HANDOVER_STEP = 20 };  // multiples of these later
enum { REFRESH_EVERY = 200 };  // sweeps after which v, a running sum, is computed afresh

typedef struct nsgs {
  ssi_nsgs_options o;
  ssi_contact *contact;  // W_ii and what (1) needs   (nc)
  int *sequence;         // order of visits; NULL: natural   (nc)
  ssi_colouring colours;
  ssi_domains domains;  // count = 0: none
  double *part;         // change of each chunk, in the coloured order   (chunks)
  double *v;            // velocities, with bodies   (ndof)
  double *lambda;       // largest eigenvalue of sym(W_ii)   (nc)
  double *weight;       // lambda, or the mean of the others, per component   (m)
  ssi_anderson anderson;
  ssi_momentum ahead;
  ssi_pace pace;
  ssi_rng rng;
  uint64_t seed;
  int sweeps;      // since begin
  int handover;    // first sweep with momentum
  double earlier;  // square of the step, HANDOVER_STEP sweeps ago
  bool bodies, coloured;
} nsgs;

static const char *const order_names[] = {"auto",   "natural",  "symmetric", "shuffled",
                                          "random", "coloured", "domains",   NULL};
static const char *const operator_names[] = {"auto", "blocks", "bodies", NULL};

static const ssi_option options[] = {
    {"omega", offsetof(ssi_nsgs_options, omega), 1, 0.1, 1.9, "relaxation; 1 is plain Gauss-Seidel",
     NULL},
    {"order", offsetof(ssi_nsgs_options, order), SSI_ORDER_AUTO, 0, SSI_ORDERS - 1,
     "of the visits: as given, forth and back in turn, one random order, a new one each sweep, by "
     "colours or by domains (the only ones that threads share); auto: as given, from 50,000 "
     "contacts on by colours",
     order_names},
    {"operator", offsetof(ssi_nsgs_options, operator_), OPERATOR_AUTO, 0, 2,
     "blocks of W, or velocities of rigid bodies (global form, block-diagonal M)", operator_names},
    {"memory", offsetof(ssi_nsgs_options, memory), 0, 0, SSI_ANDERSON_MEMORY,
     "sweeps that Anderson acceleration looks back on; 0: none. With momentum as well, for the "
     "first "
     "60 sweeps",
     NULL},
    {"momentum", offsetof(ssi_nsgs_options, momentum), 0, 0, 0.9999,
     "most of a contact's last change that is added to it before the next sweep; 0: none", NULL},
    {"domain", offsetof(ssi_nsgs_options, domain), SSI_DOMAIN_SIZE, 1, 1e9,
     "contacts in a domain, with order=domains", NULL},
};

// ---- set-up --------------------------------------------------------------------------------

// Bytes that one sweep reads decide past the caches; within them a block costs less than a dof.
static ss_error choose_operator(nsgs *s, ssi_system *sys) {
  if (s->o.order == SSI_ORDER_DOMAINS) {
    if (s->o.operator_ == OPERATOR_BLOCKS || !ssi_system_has_bodies(sys))
      return ssi_fail(sys->ctx, SS_ERR_METHOD,
                      "nsgs.order=domains needs bodies: the global form with a block-diagonal M "
                      "(blocks of at most 6), no bilateral constraints, not nsgs.operator=blocks");
    s->bodies = true;
    return SS_OK;
  }
  if (s->o.operator_ == OPERATOR_BODIES && !ssi_system_has_bodies(sys))
    return ssi_fail(
        sys->ctx, SS_ERR_METHOD,
        "nsgs.operator=bodies needs the global form with a block-diagonal M (blocks of at "
        "most 6) and no bilateral constraints");
  s->bodies = s->o.operator_ == OPERATOR_BODIES;
  if (s->o.operator_ != OPERATOR_AUTO || !ssi_system_has_bodies(sys)) return SS_OK;
  double per_block = 8.0 * sys->dim * sys->dim + 4, cache = 16e6;
  double body_bytes = (double)sys->bodies.at[sys->nc] * 16.0 * sys->dim;
  double enough = fmax(cache, 1.3 * body_bytes) / per_block;  // blocks that settle it
  int64_t neighbours = ssi_bodies_neighbours(&sys->bodies, sys->ctx, (int64_t)enough);
  if (neighbours < 0) return SS_ERR_MEMORY;
  bool in_cache = (double)neighbours * per_block < cache;
  s->bodies = in_cache ? neighbours > 25 * (int64_t)sys->nc : (double)neighbours > enough;
  return SS_OK;
}

static void shuffle(nsgs *s, int nc) {
  for (int k = nc - 1; k > 0; k--) {
    int other = ssi_rng_below(&s->rng, k + 1), t = s->sequence[k];
    s->sequence[k] = s->sequence[other];
    s->sequence[other] = t;
  }
}

static ss_error renew(void *state, ssi_system *sys) {
  nsgs *s = state;
  for (int k = 0; s->weight && k < sys->m; k++) s->weight[k] = sys->lambda_max[k / sys->dim];
  if (s->domains.count)
    ssi_domains_refill(&s->domains, &sys->bodies);
  else
    ssi_block_lambda_max(sys->dim, sys->nc, sys->diag, s->lambda);
  return SS_OK;
}

static ss_error set_up_colours(nsgs *s, const ssi_system *sys, ssi_arena *arena) {
  if (!(s->bodies ? ssi_colour_bodies(arena, &sys->bodies, &s->colours)
                  : ssi_colour_blocks(arena, &sys->W, &s->colours)))
    return SS_ERR_MEMORY;
  s->part = SSI_TAKE(arena, s->colours.chunks, double);
  return arena->failed ? SS_ERR_MEMORY : SS_OK;
}

static ss_error set_up_domains(nsgs *s, const ssi_system *sys, ssi_arena *arena) {
  int *order = SSI_TAKE(arena, sys->nc, int);
  bool changed;
  if (arena->failed) return SS_ERR_MEMORY;
  SS_TRY(ssi_contact_renumber(sys->ctx, &sys->p, s->o.domain, order, &changed));
  return ssi_domains_create(arena, &sys->bodies, changed ? order : NULL, s->o.domain, sys->threads,
                            &s->domains)
             ? SS_OK
             : SS_ERR_MEMORY;
}

static ss_error setup(void *state, ssi_system *sys, uint64_t seed, ssi_arena *arena) {
  nsgs *s = state;
  SS_TRY(choose_operator(s, sys));
  if (!s->bodies) SS_TRY(ssi_system_need_blocks(sys));
  bool domains = s->o.order == SSI_ORDER_DOMAINS;
  if (domains) SS_TRY(set_up_domains(s, sys, arena));
  if (!domains) {
    s->contact = SSI_TAKE(arena, sys->nc, ssi_contact);
    s->lambda = SSI_TAKE(arena, sys->nc, double);
  }
  bool random = s->o.order == SSI_ORDER_SHUFFLED || s->o.order == SSI_ORDER_RANDOM;
  if (random) s->sequence = SSI_TAKE(arena, sys->nc, int);
  s->coloured = s->o.order == SSI_ORDER_COLOURED ||
                (s->o.order == SSI_ORDER_AUTO && sys->nc >= COLOURED_FROM);
  if (s->coloured) SS_TRY(set_up_colours(s, sys, arena));
  if (s->bodies && !domains) s->v = SSI_TAKE(arena, sys->p.ndof, double);
  if (s->o.memory > 0) {
    ssi_anderson_rule rule = {.memory = (int)s->o.memory,
                              .period = 1,
                              .regularisation = 1e-10,
                              .growth = 2,
                              .threads = sys->threads};
    s->weight = SSI_TAKE(arena, sys->m, double);
    if (!s->weight || !ssi_anderson_create(arena, sys->m, rule, s->weight, &s->anderson))
      return SS_ERR_MEMORY;
  }
  ssi_momentum_rule rule = {.most = s->o.momentum, .threads = sys->threads};
  if (s->o.momentum > 0 && !ssi_momentum_create(arena, sys->dim, sys->nc, rule, &s->ahead))
    return SS_ERR_MEMORY;
  if (arena->failed) return SS_ERR_MEMORY;
  s->seed = seed;
  return renew(s, sys);
}

static ss_error refresh(void *state, ssi_system *sys) {
  nsgs *s = state;
  if (s->domains.count) {
    ssi_domains_prepare(&s->domains, sys->p.w, sys->p.mu);
    return SS_OK;
  }
  for (int i = 0; i < sys->nc; i++) {
    const double *W = sys->diag + sys->dim * sys->dim * (int64_t)i;
    ssi_contact_prepare(&s->contact[i], sys->dim, W, sys->p.mu[i], s->lambda[i]);
    s->contact[i].near = SSI_VISIT_NEAR;
  }
  return SS_OK;
}

// Calls what(s, sys, from, to, r) for every chunk, one colour after the other, the chunks of each shared out.
typedef void (*chunk_function)(nsgs *, ssi_system *, int chunk, int from, int to, double *r);

static void for_chunk(nsgs *s, ssi_system *sys, chunk_function what, int place, double *r) {
  int chunk = s->colours.order[place], from = chunk * s->colours.size;
  int to = sys->nc - from < s->colours.size ? sys->nc : from + s->colours.size;
  what(s, sys, chunk, from, to, r);
}

static void for_chunks(nsgs *s, ssi_system *sys, chunk_function what, double *r) {
  const ssi_colouring *c = &s->colours;
  SSI_OMP(omp parallel num_threads(sys->threads) if (sys->threads > 1)) {
    for (int colour = 0; colour < c->colours; colour++) {
      SSI_OMP(omp for schedule(dynamic))
      for (int k = c->first[colour]; k < c->first[colour + 1]; k++) for_chunk(s, sys, what, k, r);
    }
  }
  for (int k = c->first[c->colours]; k < c->chunks; k++) for_chunk(s, sys, what, k, r);
}

static void push_chunk(nsgs *s, ssi_system *sys, int chunk, int from, int to, double *r) {
  (void)chunk;
  for (int64_t i = from; i < to; i++) ssi_bodies_kick(&sys->bodies, i, r + sys->dim * i, s->v);
}

// v = M^-1 (H^T r - f), summed in the order of the visits.
static void recompute_velocities(nsgs *s, ssi_system *sys, const double *r) {
  if (!s->coloured) {
    ssi_system_free_to(sys, r, s->v);
    return;
  }
  if (sys->p.ndof) memcpy(s->v, sys->v_free, sizeof(double) * (size_t)sys->p.ndof);
  for_chunks(s, sys, push_chunk, (double *)(uintptr_t)r);
}

static void begin(void *state, ssi_system *sys, const double *r) {
  nsgs *s = state;
  s->sweeps = 0;
  s->rng.state = s->seed;  // the same bits in every solve
  for (int i = 0; s->sequence && i < sys->nc; i++) s->sequence[i] = i;
  if (s->sequence) shuffle(s, sys->nc);
  if (s->domains.count) ssi_domains_begin(&s->domains);
  for (int i = 0; s->contact && i < sys->nc; i++) ssi_visit_forget(&s->contact[i]);
  if (s->v) recompute_velocities(s, sys, r);
  s->earlier = INFINITY;
  ssi_pace_forget(&s->pace);
  if (s->o.memory > 0) ssi_anderson_begin(&s->anderson, r);
  s->handover = s->o.memory > 0 ? HANDOVER : 1;
  if (s->o.momentum > 0 && s->o.memory == 0) ssi_pace_begin(&s->pace, &s->ahead, r);
}

// ---- sweeps --------------------------------------------------------------------------------

// Visits contact i; returns (lambda |dr|)^2, a velocity squared.
SSI_INLINE double visit(nsgs *s, ssi_system *sys, int dim, bool bodies, int64_t i, double *r) {
  ssi_contact *c = &s->contact[i];
  double *ri = r + dim * i, b[3] = {0}, z[3] = {0};
  const double *fixed = bodies ? sys->p.w + dim * i : sys->q + dim * i;
  for (int k = 0; k < dim; k++) b[k] = fixed[k];
  if (bodies)
    ssi_visit_load(c, &sys->bodies, dim, i, s->v, ri, b);
  else if (dim == 3)
    ssi_delassus_row3(&sys->W, sys->W.ptr[i], sys->W.ptr[i + 1], r, b);
  else
    ssi_delassus_row2(&sys->W, sys->W.ptr[i], sys->W.ptr[i + 1], r, b);
  bool moved;
  double change = ssi_visit_solve(c, dim, s->o.omega, b, ri, z, &moved);  // (1), (2)
  if (bodies && moved) ssi_bodies_kick(&sys->bodies, i, z, s->v);
  return change;
}

SSI_INLINE int64_t contact_at(const nsgs *s, const ssi_system *sys, bool backward, int k) {
  return backward ? sys->nc - 1 - k : s->sequence ? s->sequence[k] : k;
}

enum { SOON = 2, FAR = 1 << 19 };

SSI_INLINE void fetch(const nsgs *s, const ssi_system *sys, int dim, bool bodies, int64_t i) {
  __builtin_prefetch(&s->contact[i]);
  if (bodies) {
    ssi_fetch_bodies(&sys->bodies, dim, i);
  } else {
    __builtin_prefetch(sys->W.col + sys->W.ptr[i]);
    ssi_fetch_range(sys->W.block + dim * dim * sys->W.ptr[i],
                    sys->W.block + dim * dim * sys->W.ptr[i + 1]);
  }
}

// The reactions that a row gathers, once all reactions (FAR doubles) no longer fit into a near cache.
SSI_INLINE void fetch_reactions(const ssi_system *sys, int dim, int64_t i, const double *r) {
  for (int64_t k = sys->W.ptr[i]; k < sys->W.ptr[i + 1]; k++)
    __builtin_prefetch(r + dim * (int64_t)sys->W.col[k]);
}

// The visits from place `from` to before `to`.
SSI_INLINE double sweep(nsgs *s, ssi_system *sys, int dim, bool bodies, bool backward, int from,
                        int to, double *r) {
  double change = 0;
  bool far = !bodies && sys->m > FAR;
  for (int k = from; k < to; k++) {
    if (k + SSI_VISIT_AHEAD < sys->nc)
      fetch(s, sys, dim, bodies, contact_at(s, sys, backward, k + SSI_VISIT_AHEAD));
    if (far && k + SOON < sys->nc)
      fetch_reactions(sys, dim, contact_at(s, sys, backward, k + SOON), r);
    change += visit(s, sys, dim, bodies, contact_at(s, sys, backward, k), r);
  }
  return change;
}

SSI_CLONES static double sweep_blocks2(nsgs *s, ssi_system *sys, bool backward, int from, int to,
                                       double *r) {
  return sweep(s, sys, 2, false, backward, from, to, r);
}
SSI_CLONES static double sweep_blocks3(nsgs *s, ssi_system *sys, bool backward, int from, int to,
                                       double *r) {
  return sweep(s, sys, 3, false, backward, from, to, r);
}
SSI_CLONES static double sweep_bodies2(nsgs *s, ssi_system *sys, bool backward, int from, int to,
                                       double *r) {
  return sweep(s, sys, 2, true, backward, from, to, r);
}
SSI_CLONES static double sweep_bodies3(nsgs *s, ssi_system *sys, bool backward, int from, int to,
                                       double *r) {
  return sweep(s, sys, 3, true, backward, from, to, r);
}

typedef double (*sweep_function)(nsgs *, ssi_system *, bool, int, int, double *);

static sweep_function sweep_of(const nsgs *s, const ssi_system *sys) {
  if (s->bodies) return sys->dim == 2 ? sweep_bodies2 : sweep_bodies3;
  return sys->dim == 2 ? sweep_blocks2 : sweep_blocks3;
}

static void visit_chunk(nsgs *s, ssi_system *sys, int chunk, int from, int to, double *r) {
  s->part[chunk] = sweep_of(s, sys)(s, sys, false, from, to, r);
}

static double sweep_colours(nsgs *s, ssi_system *sys, double *r) {
  double change = 0;
  for_chunks(s, sys, visit_chunk, r);
  for (int k = 0; k < s->colours.chunks; k++)
    change += s->part[k];  // in an order that is always the same
  return change;
}

// Where statuses keep flipping, Anderson wanders while plain sweeps go down: a stretch of sweeps in which
// the step did not halve is followed by three times as many without acceleration. What momentum does then,
// solvers/pace.c says. True if r moved.
static bool accelerate(nsgs *s, double *r) {
  if (s->o.momentum > 0 && s->sweeps >= s->handover) {
    if (s->o.memory == 0 || s->sweeps != s->handover) return ssi_pace_next(&s->pace, &s->ahead, r);
    ssi_anderson_next(&s->anderson, r);  // which may take its last extrapolation back
    ssi_pace_begin(&s->pace, &s->ahead, r);
    return true;
  }
  if (s->o.memory == 0) return false;
  if (s->pace.plain == 0) return ssi_anderson_next(&s->anderson, r) != SSI_ANDERSON_PLAIN;
  if (--s->pace.plain == 0) ssi_anderson_begin(&s->anderson, r);
  return false;
}

// Anderson goes on while it wins a digit in HANDOVER_STEP sweeps: momentum is for what creeps.
static void postpone_momentum(nsgs *s, double change) {
  if (s->o.memory == 0 || s->sweeps > s->handover || s->sweeps % HANDOVER_STEP) return;
  bool wins = change < 0.01 * s->earlier;
  if (s->sweeps == s->handover && wins) s->handover += HANDOVER_STEP;
  s->earlier = change;
}

static void watch(nsgs *s, double change) {
  if (s->pace.plain) return;
  if (s->o.momentum > 0) {
    postpone_momentum(s, change);
    ssi_pace_watch(&s->pace, &s->ahead, s->sweeps > s->handover, change);
  } else if (s->o.memory > 0 && ssi_pace_stalls(&s->pace, change)) {
    s->pace.plain = 3 * SSI_PACE_STRETCH;
  }
}

static ssi_verdict step(void *state, ssi_system *sys, double *r, double *estimate) {
  nsgs *s = state;
  bool backward = s->o.order == SSI_ORDER_SYMMETRIC && s->sweeps % 2;
  if (s->o.order == SSI_ORDER_RANDOM) shuffle(s, sys->nc);
  bool moved = s->sweeps && accelerate(s, r);
  if (s->v && s->sweeps && (moved || s->sweeps % REFRESH_EVERY == 0))
    recompute_velocities(s, sys, r);
  double change = s->domains.count ? ssi_domains_sweep(&s->domains, sys->v_free, s->o.omega, r)
                  : s->coloured    ? sweep_colours(s, sys, r)
                                   : sweep_of(s, sys)(s, sys, backward, 0, sys->nc, r);
  s->sweeps++;
  watch(s, change);
  *estimate =
      sqrt(change) / (s->o.omega * sys->norm_q);  // NaN or inf when q = 0: the driver measures
  return SSI_CONTINUE;
}

const ssi_method ssi_method_nsgs = {
    .name = "nsgs",
    .summary = "nonsmooth Gauss-Seidel, contact by contact, exact one-contact solutions",
    .state_size = sizeof(nsgs),
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .max_iter = 200000,
    .setup = setup,
    .renew = renew,
    .refresh = refresh,
    .begin = begin,
    .step = step,
};
