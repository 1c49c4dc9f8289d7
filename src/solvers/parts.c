#include "solvers/parts.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "problem/graph.h"

// Contacts from which dividing is thought of; to which small components are bundled; steps between two
// measures; of a part's first turn; and times that the parts are sharpened tenfold.
enum { ENOUGH = 60, BUNDLE = 10, WINDOW = 10, FIRST_TURN = 2000 };
static const double SHARPEST = 1e-6;

// ---- dividing ------------------------------------------------------------------------------

typedef struct division {
  int *leader;    // first contact of the component of a contact or, from nc on, of a dof
  int *part;      // of a contact, later of a dof too        (nodes)
  int *number;    // in its part                             (nodes)
  int *contacts;  // of each part                            (nc)
  int *dofs;      // of each part                            (nc)
  int *member;    // contacts by part, ascending; from nc on the dofs by part   (nodes)
  int *first;     // where the contacts of a part begin there, and its dofs     (nc + 1 each)
  int nc, nodes, count, largest;
} division;

// The nodes from `from` to before `to` sorted by part; first[k] is where those of part k begin.
static void sort_members(division *d, int from, int to, const int *size, int *first) {
  first[0] = from;
  for (int k = 0; k < d->count; k++) first[k + 1] = first[k] + size[k];
  for (int i = from; i < to; i++)
    if (d->part[i] >= 0) d->member[first[d->part[i]] + d->number[i]] = i;
}

static bool divide(ssi_arena *scratch, const ss_problem *p, division *d) {
  d->nc = p->nc;
  d->nodes = p->nc + (p->form == SS_GLOBAL ? p->ndof : 0);
  d->leader = SSI_TAKE(scratch, d->nodes, int);
  d->part = SSI_TAKE(scratch, d->nodes, int);
  d->number = SSI_TAKE(scratch, d->nodes, int);
  d->contacts = SSI_TAKE(scratch, p->nc, int);
  d->dofs = SSI_TAKE(scratch, p->nc, int);
  d->member = SSI_TAKE(scratch, d->nodes, int);
  d->first = SSI_TAKE(scratch, 2 * ((size_t)p->nc + 1), int);
  int *size = SSI_TAKE(scratch, p->nc, int);
  if (scratch->failed) return false;
  ssi_contact_components(p, d->leader);
  for (int i = 0; i < p->nc; i++)
    if (++size[d->leader[i]] > d->largest) d->largest = size[d->leader[i]];
  int open = -1, load = 0;  // the bundle that still takes components, and its contacts
  for (int i = 0; i < p->nc; i++) {
    int first = d->leader[i];
    if (first == i && size[i] >= BUNDLE) {
      d->part[i] = d->count++;
    } else if (first == i) {
      if (open < 0 || load >= BUNDLE) open = d->count++, load = 0;
      d->part[i] = open;
      load += size[i];
    }
    d->part[i] = d->part[first];  // a leader comes before its followers
    d->number[i] = d->contacts[d->part[i]]++;
  }
  for (int k = p->nc; k < d->nodes; k++) {  // a dof that no contact touches is in no part
    d->part[k] = d->leader[k] < p->nc ? d->part[d->leader[k]] : -1;
    if (d->part[k] >= 0) d->number[k] = d->dofs[d->part[k]]++;
  }
  sort_members(d, 0, p->nc, d->contacts, d->first);
  sort_members(d, p->nc, d->nodes, d->dofs, d->first + p->nc + 1);
  return true;
}

// Rows and columns of a matrix: `size` of them for each contact, or one for each dof.
typedef struct axis {
  bool dofs;
  int size;
} axis;

static int node_of(const division *d, axis a, int index) {
  return a.dofs ? d->nc + index : index / a.size;
}

// The nodes of part k on an axis; each has the rows from (node - first) size on.
static const int *members(const division *d, axis a, int k, int *count) {
  const int *first = d->first + (a.dofs ? d->nc + 1 : 0);
  *count = first[k + 1] - first[k];
  return d->member + first[k];
}

static int64_t first_row(const division *d, axis a, int node) {
  return (int64_t)(a.dofs ? node - d->nc : node) * a.size;
}

// The rows of A that belong to part k, with columns renumbered and entries that lead elsewhere left out.
static bool cut_matrix(ssi_arena *arena, const division *d, const ss_sparse *A, axis row, axis col,
                       int k, ss_sparse *out) {
  int count, at = 0;
  const int *node = members(d, row, k, &count);
  int64_t entries = 0, used = 0;
  for (int n = 0; n < count; n++) {
    int64_t i = first_row(d, row, node[n]);
    entries += A->ptr[i + row.size] - A->ptr[i];
  }
  int64_t *ptr = SSI_TAKE(arena, (size_t)count * (size_t)row.size + 1, int64_t);
  int *cols = SSI_TAKE(arena, entries, int);
  double *x = SSI_TAKE(arena, entries, double);
  if (arena->failed) return false;
  for (int n = 0; n < count; n++)
    for (int c = 0; c < row.size; c++) {
      int64_t i = first_row(d, row, node[n]) + c;
      for (int64_t e = A->ptr[i]; e < A->ptr[i + 1]; e++) {
        int to = node_of(d, col, A->col[e]);
        if (d->part[to] != k) continue;
        cols[used] = d->number[to] * col.size + A->col[e] % col.size;
        x[used++] = A->x[e];
      }
      ptr[++at] = used;
    }
  int width = col.dofs ? d->dofs[k] : d->contacts[k] * col.size;
  *out = (ss_sparse){at, width, ptr, cols, x};
  return true;
}

static double *cut_vector(ssi_arena *arena, const division *d, const double *from, axis which,
                          int k) {
  int count, used = 0;
  const int *node = members(d, which, k, &count);
  double *x = SSI_TAKE(arena, (size_t)count * (size_t)which.size, double);
  for (int n = 0; x && n < count; n++)
    for (int c = 0; c < which.size; c++) x[used++] = from[first_row(d, which, node[n]) + c];
  return x;
}

static ss_error cut_part(ssi_parts *s, const ssi_system *sys, const division *d, int k) {
  const ss_problem *p = &sys->p;
  ssi_part *part = &s->part[k];
  axis contacts = {false, p->dim}, dofs = {true, 1}, single = {false, 1};
  int nc = d->contacts[k];
  part->p = (ss_problem){.form = p->form, .dim = p->dim, .nc = nc};
  part->p.mu = cut_vector(&s->arena, d, p->mu, single, k);
  int *contact = SSI_TAKE(&s->arena, nc, int);
  if (contact) memcpy(contact, members(d, single, k, &nc), sizeof *contact * (size_t)nc);
  part->contact = contact;
  part->r = SSI_TAKE(&s->arena, (size_t)nc * (size_t)p->dim, double);
  part->u = SSI_TAKE(&s->arena, (size_t)nc * (size_t)p->dim, double);
  if (p->form == SS_REDUCED) {
    part->p.q = cut_vector(&s->arena, d, p->q, contacts, k);
    if (!cut_matrix(&s->arena, d, &p->W, contacts, contacts, k, &part->p.W)) return SS_ERR_MEMORY;
  } else {
    part->p.ndof = d->dofs[k];
    part->p.f = cut_vector(&s->arena, d, p->f, dofs, k);
    part->p.w = cut_vector(&s->arena, d, p->w, contacts, k);
    if (!cut_matrix(&s->arena, d, &p->M, dofs, dofs, k, &part->p.M) ||
        !cut_matrix(&s->arena, d, &p->H, contacts, dofs, k, &part->p.H))
      return SS_ERR_MEMORY;
  }
  return s->arena.failed ? SS_ERR_MEMORY : ssi_system_create(sys->ctx, &part->p, &part->sys);
}

static ss_error equip(ssi_parts *s, ssi_part *part, const void *initial, uint64_t seed) {
  part->state = ssi_arena_take(&s->arena, 1, s->method->state_size);
  if (!part->state) return SS_ERR_MEMORY;
  memcpy(part->state, initial, s->method->state_size);
  SS_TRY(s->method->setup(part->state, part->sys, seed, &s->arena));
  return s->method->refresh(part->state, part->sys);
}

static bool may_divide(const ssi_system *sys) {
  return sys->nc >= ENOUGH && !sys->p.nl &&
         (sys->p.form == SS_REDUCED || ssi_system_has_bodies(sys));
}

int ssi_parts_largest(const ssi_system *sys) {
  if (!may_divide(sys)) return sys->nc;
  ssi_arena scratch = {.ctx = sys->ctx};
  division d = {0};
  int largest = divide(&scratch, &sys->p, &d) ? d.largest : sys->nc;
  ssi_arena_release(&scratch);
  return largest;
}

ss_error ssi_parts_create(ssi_parts *s, ssi_system *sys, const ssi_method *method,
                          const void *initial, uint64_t seed) {
  *s = (ssi_parts){.method = method, .arena = {.ctx = sys->ctx}};
  if (!may_divide(sys)) return SS_OK;
  ssi_arena scratch = {.ctx = sys->ctx};
  division d = {0};
  ss_error e = divide(&scratch, &sys->p, &d) ? SS_OK : SS_ERR_MEMORY;
  if (!e && d.count > 1 && d.largest <= sys->nc / 2) {
    s->part = SSI_TAKE(&s->arena, d.count, ssi_part);
    if (s->part) s->count = d.count;
    e = s->part ? SS_OK : SS_ERR_MEMORY;
    for (int k = 0; !e && k < s->count; k++) {
      e = cut_part(s, sys, &d, k);
      if (!e) e = equip(s, &s->part[k], initial, seed);
    }
  }
  ssi_arena_release(&scratch);
  if (e) ssi_parts_release(s);
  return e;
}

void ssi_parts_release(ssi_parts *s) {
  for (int k = 0; k < s->count; k++) {
    if (s->part[k].state && s->method->release) s->method->release(s->part[k].state);
    ssi_system_destroy(s->part[k].sys);
  }
  ssi_arena_release(&s->arena);
  s->count = 0;
}

// ---- solving -------------------------------------------------------------------------------

static void move(const ssi_part *p, int dim, bool out, double *r) {
  for (int64_t i = 0; i < p->sys->nc; i++)
    for (int k = 0; k < dim; k++) {
      double *whole = &r[(int64_t)dim * p->contact[i] + k], *own = &p->r[dim * i + k];
      *(out ? whole : own) = *(out ? own : whole);
    }
}

static double goal(const ssi_parts *s, const ssi_system *sys, const ssi_part *p) {
  return s->sharpness * sys->tol * sys->norm_q * sqrt((double)p->sys->nc / sys->nc);
}

// Returns the part's own measure; its tolerance follows the scale that the measure divides by.
static double measure(const ssi_parts *s, const ssi_system *sys, ssi_part *p) {
  double error, error_fclib, square = 0;
  ssi_system_velocity(p->sys, p->r, p->u);
  ssi_system_measure(p->sys, p->r, p->u, &error, &error_fclib);
  for (int k = 0; k < p->sys->m; k++) square += p->u[k] * p->u[k];
  double scale = fmax(p->sys->norm_q, sqrt(square));
  p->error = error * scale;
  p->sys->tol = scale > 0 ? goal(s, sys, p) / scale : sys->tol;
  p->done = p->error <= goal(s, sys, p);
  return isfinite(error) ? error : INFINITY;
}

static void start(ssi_parts *s, ssi_system *sys, ssi_part *p) {
  p->stuck = false;
  double error = measure(s, sys, p);
  if (p->done) return;
  s->method->begin(p->state, p->sys, p->r);
  s->method->notice(p->state, error);
}

void ssi_parts_begin(ssi_parts *s, ssi_system *sys, const double *r) {
  s->at = s->turn = 0;
  s->patience = FIRST_TURN;
  s->sharpness = 0.5;
  for (int k = 0; k < s->count; k++) {
    move(&s->part[k], sys->dim, false, (double *)(uintptr_t)r);
    start(s, sys, &s->part[k]);
  }
}

// The next part that is not done, this one at the latest; false: none.
static bool next_turn(ssi_parts *s) {
  s->turn = 0;
  for (int k = 0; k < s->count; k++) {
    if (++s->at == s->count)
      s->at = 0, s->patience = s->patience < 1 << 28 ? 2 * s->patience : s->patience;
    if (!s->part[s->at].done && !s->part[s->at].stuck) return true;
  }
  return false;
}

// All parts are done, and the driver still calls: its measure wants more.
static bool sharpen(ssi_parts *s, ssi_system *sys) {
  for (int k = 0; k < s->count; k++)
    if (s->part[k].stuck) return false;
  s->sharpness *= 0.1;
  if (s->sharpness < SHARPEST) return false;
  for (int k = 0; k < s->count; k++) start(s, sys, &s->part[k]);
  return true;
}

// What the parts leave together is below the tolerance, though some may be above their share.
static bool enough(const ssi_parts *s, const ssi_system *sys) {
  double square = 0;
  for (int k = 0; k < s->count; k++) square += s->part[k].error * s->part[k].error;
  return sqrt(square) <= sys->tol * sys->norm_q;
}

ssi_verdict ssi_parts_step(ssi_parts *s, ssi_system *sys, double *r, double *estimate) {
  ssi_part *p = &s->part[s->at];
  if ((p->done || p->stuck || s->turn >= s->patience) && !next_turn(s) && !sharpen(s, sys))
    return SSI_STALLED;
  p = &s->part[s->at];
  *estimate = INFINITY;
  if (p->done || p->stuck) return SSI_CONTINUE;  // sharper, and this one is good enough already
  double own = NAN;
  p->stuck = s->method->step(p->state, p->sys, p->r, &own) == SSI_STALLED;
  bool look = isnan(own) || own <= p->sys->tol || ++s->turn % WINDOW == 0;
  if (look) s->method->notice(p->state, measure(s, sys, p));
  move(p, sys->dim, true, r);
  if (look && enough(s, sys)) *estimate = NAN;
  return SSI_CONTINUE;
}
