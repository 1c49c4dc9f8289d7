// With v = -M^-1 f the load is q = w + H v. Rounding of the data moves it by at most
//
//   delta = eps t,   t_i = max |w| + sum_j |H_ij| y_j,   y = |v| + | M^-1 (|M| |v| + |f|) |      (1)
//
// eps = SSI_ROUNDING; max |w| over the component, since what w was computed from is not known. (1) bounds
// the first order for the M with M^-1 >= 0 (masses, stiffness matrices of springs); for others |M^-1 x|
// stands for |M^-1| |x|. A component with |q_i| <= delta_i at each of its contacts (and joints alike) moves as
// one: its q is zero as far as the data can tell.
#include "problem/load.h"

#include <math.h>

#include "la/small.h"

typedef struct asked {
  const ss_problem *p;
  const ssi_components *c;
  const ssi_load *load;
  const double *y;
  double times;  // t has times y_j: where only |v| is known yet, 4 of it
} asked;

size_t ssi_load_scale_size(int nc) {
  size_t n = (size_t)nc;
  return 2 * n + (n * sizeof(bool) + sizeof(double) - 1) / sizeof(double);
}

void ssi_load_scale_place(double *memory, int nc, ssi_load_scale *out) {
  *out = (ssi_load_scale){memory, (bool *)(void *)(memory + 2 * (size_t)nc), memory + nc};
}

double ssi_load_row_terms(const ss_problem *p, const double *y, int row) {
  const ss_sparse *H = &p->H;
  double sum = 0;
  for (int64_t k = H->ptr ? H->ptr[row] : 0; H->ptr && k < H->ptr[row + 1]; k++)
    sum += fabs(H->x[k] * y[H->col[k]]);
  return sum;
}

static double largest_w(const asked *a, int component) {
  double most = 0;
  int d = a->p->dim;
  for (int k = a->c->first[component]; k < a->c->first[component + 1]; k++)
    for (int j = 0; j < d; j++) most = fmax(most, fabs(a->p->w[(int64_t)d * a->c->contact[k] + j]));
  return most;
}

static double size_of_load(const asked *a, int component) {
  int d = a->p->dim;
  double square = 0, size = 0;
  for (int k = a->c->first[component]; k < a->c->first[component + 1]; k++)
    for (int j = 0; j < d; j++) {
      double u = a->load->u[(int64_t)d * a->c->contact[k] + j];
      square += u * u;
    }
  if (square > 1e-280 && square < 1e280) return sqrt(square);
  for (int k = a->c->first[component]; k < a->c->first[component + 1]; k++)
    for (int j = 0; j < d; j++)
      size = ssi_length2(size, a->load->u[(int64_t)d * a->c->contact[k] + j]);
  return size;
}

// |t| of the component; eps |t_i| of its contacts into doubt, where there is one; *still: each |q_i| is below.
static double size_of_terms(const asked *a, int component, double *doubt, bool *still) {
  int d = a->p->dim;
  double w = largest_w(a, component), size = 0;
  for (int k = a->c->first[component]; k < a->c->first[component + 1]; k++) {
    int contact = a->c->contact[k];
    double own = 0;
    for (int j = 0; j < d; j++) {
      double t = w + a->times * ssi_load_row_terms(a->p, a->y, d * contact + j);
      *still = *still && fabs(a->load->u[(int64_t)d * contact + j]) <= SSI_ROUNDING * t;
      own = ssi_length2(own, t);
    }
    if (doubt) doubt[contact] = SSI_ROUNDING * own;
    size = ssi_length2(size, own);
  }
  return size;
}

// |t| alone: squares as they are where they are numbers.
static double plain_size_of_terms(const asked *a, int component) {
  int d = a->p->dim;
  double w = largest_w(a, component), square = 0;
  for (int k = a->c->first[component]; k < a->c->first[component + 1]; k++)
    for (int j = 0; j < d; j++) {
      double t = w + a->times * ssi_load_row_terms(a->p, a->y, d * a->c->contact[k] + j);
      square += t * t;
    }
  bool ignored = false;
  return square > 1e-280 && square < 1e280 ? sqrt(square)
                                           : size_of_terms(a, component, NULL, &ignored);
}

ss_error ssi_load_motions(const ss_problem *p, const ssi_load *load, ssi_factor *mass, double *y) {
  const double *v = load->v;
  for (int i = 0; i < p->ndof; i++) {
    y[i] = fabs(p->f[i]);
    for (int64_t k = load->l ? p->G.ptr[i] : 0; load->l && k < p->G.ptr[i + 1]; k++)
      y[i] += fabs(p->G.x[k] * load->l[p->G.col[k]]);
    for (int64_t k = p->M.ptr[i]; k < p->M.ptr[i + 1]; k++)
      y[i] += fabs(p->M.x[k] * v[p->M.col[k]]);
  }
  ss_error e = ssi_factor_solve(mass, y, y);
  for (int i = 0; i < p->ndof; i++) y[i] = fabs(v[i]) + fabs(y[i]);
  return e;
}

// Joints of a still component that do not stand still themselves: it is not.
static void wake_by_joints(const asked *a, double *terms, bool *still) {
  const ss_problem *p = a->p;
  for (int k = 0; k < p->nl; k++) terms[k] = fabs(p->b[k]);
  for (int i = 0; i < p->G.rows; i++)
    for (int64_t e = p->G.ptr[i]; e < p->G.ptr[i + 1]; e++)
      terms[p->G.col[e]] += fabs(p->G.x[e] * a->y[i]);
  for (int k = 0; k < p->nl; k++)
    if (a->c->of_joint[k] >= 0 && !(fabs(a->load->gap[k]) <= SSI_ROUNDING * terms[k]))
      still[a->c->of_joint[k]] = false;
}

// Components with |q| small beside |t| get still[k] set, for the time being. q = 0 is one of them: it is zero in
// the arithmetic that it was found in, and rounding in that of u = W r + q at r = 0.
static bool find_suspects(const asked *a, ssi_load_scale *out) {
  bool any = false;
  for (int i = 0; i < a->p->nc; i++) out->doubt[i] = 0;
  for (int k = 0; k < a->c->count; k++) {
    out->scale[k] = size_of_load(a, k);
    double terms = a->load->v ? plain_size_of_terms(a, k) : 0;
    out->still[k] = terms > 0 && out->scale[k] <= SSI_SUSPECT * terms;
    any = any || out->still[k];
  }
  return any;
}

ss_error ssi_load_scales(const ss_problem *p, const ssi_components *c, const ssi_load *load,
                         ssi_factor *mass, double *scratch, ssi_load_scale *out) {
  asked a = {.p = p, .c = c, .load = load, .y = load->v, .times = 4};
  if (!load->l && !find_suspects(&a, out)) return SS_OK;
  ss_error e = ssi_load_motions(p, load, mass, scratch);
  if (e) return e;
  a.y = scratch;
  a.times = 1;
  if (load->l) find_suspects(&a, out);  // v itself may be what the joints have cancelled
  for (int k = 0; k < c->count; k++)
    if (out->still[k]) size_of_terms(&a, k, out->doubt, &out->still[k]);
  if (p->nl) wake_by_joints(&a, scratch + p->ndof, out->still);
  for (int k = 0; k < c->count; k++)
    if (out->still[k]) out->scale[k] = size_of_terms(&a, k, NULL, &out->still[k]);
  return SS_OK;
}
