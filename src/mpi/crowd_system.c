// From the contacts that ranks have found to one problem in domains, and its answer back to them.
//
// Contacts are numbered by (place of the body that comes first on the curve, of the other one or of the external object
// after all bodies, key): the owner of the first body collects and counts them. Degrees of freedom are numbered by the
// places of their bodies. So neighbours in space are neighbours in the problem, domains are compact, and none of it
// depends on the ranks.
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "mpi/crowd.h"
#include "mpi/share_file.h"

typedef struct curve_entry {
  int64_t first, second;
  uint64_t key;
  int rank, touch;
} curve_entry;

typedef struct curve_reply {
  int64_t number;
  int64_t touch;
} curve_reply;

static int by_curve(const void *a, const void *b) {
  const curve_entry *x = a, *y = b;
  if (x->first != y->first) return x->first < y->first ? -1 : 1;
  if (x->second != y->second) return x->second < y->second ? -1 : 1;
  return (x->key > y->key) - (x->key < y->key);
}

static curve_entry entry_of(const crowd *m, int touch, int *to) {
  const crowd_local *l = &m->here;
  const ss_contact *c = &l->step.touch[touch].c;
  int64_t a = l->place[c->a];
  int64_t b = c->b < l->count ? l->place[c->b] : (int64_t)m->world.nb + (c->b - l->count);
  *to = a < b ? l->owner[c->a] : l->owner[c->b];
  return (curve_entry){a < b ? a : b, a < b ? b : a, c->key, m->c->rank, touch};
}

static void number_contacts(crowd *m, crowd_system *y) {
  const ranks *c = m->c;
  int count = m->here.step.touch_count;
  int64_t received, replies, first = 0;
  curve_entry *out = RANKS_TAKE(c, count, curve_entry);
  int *to = RANKS_TAKE(c, count, int);
  for (int i = 0; i < count; i++) {
    out[i] = entry_of(m, i, to + i);
    m->counts.bytes += to[i] == c->rank ? 0 : (int64_t)(sizeof *out + sizeof(curve_reply));
  }
  curve_entry *all = ranks_exchange(c, out, sizeof *out, to, count, &received);
  qsort(all, (size_t)received, sizeof *all, by_curve);
  MPI_Exscan(&received, &first, 1, MPI_INT64_T, MPI_SUM, c->comm);
  if (c->rank == 0) first = 0;
  curve_reply *back = RANKS_TAKE(c, received, curve_reply);
  int *who = RANKS_TAKE(c, received, int);
  for (int64_t k = 0; k < received; k++) {
    back[k] = (curve_reply){first + k, all[k].touch};
    who[k] = all[k].rank;
  }
  curve_reply *got = ranks_exchange(c, back, sizeof *back, who, received, &replies);
  y->number = RANKS_TAKE(c, count, int64_t);
  for (int64_t k = 0; k < replies; k++) y->number[got[k].touch] = got[k].number;
  y->contacts = count;
  MPI_Allreduce(MPI_IN_PLACE, &y->contacts, 1, MPI_INT64_T, MPI_SUM, c->comm);
  free(out);
  free(to);
  free(all);
  free(back);
  free(who);
  free(got);
}

// ---- numbers on their way ------------------------------------------------------------------

static void connect_rows(crowd *m, crowd_system *y) {
  const ranks *c = m->c;
  int count = m->here.step.touch_count;
  int64_t *first = RANKS_TAKE(c, c->size + 1, int64_t), end = 0;
  PetscSFNode *root = RANKS_TAKE(c, count, PetscSFNode);
  for (int r = 0; r < c->size; r++) share_contacts(y->contacts, m->o.domain, c, r, first + r, &end);
  first[c->size] = end;
  for (int i = 0; i < count; i++) {
    int low = 0, high = c->size - 1;  // the last rank that begins at or before it
    while (low < high) {
      int middle = low + (high - low + 1) / 2;
      if (first[middle] <= y->number[i])
        low = middle;
      else
        high = middle - 1;
    }
    root[i] = (PetscSFNode){low, (PetscInt)(y->number[i] - first[low])};
  }
  int64_t mine = first[c->rank + 1] - first[c->rank];
  if (PetscSFCreate(c->comm, &y->rows) ||
      PetscSFSetGraph(y->rows, (PetscInt)mine, count, NULL, PETSC_COPY_VALUES, root,
                      PETSC_COPY_VALUES) ||
      PetscSFSetUp(y->rows))
    ranks_die(c, 4, "PETSc could not connect the contacts");
  free(root);
  free(first);
}

static MPI_Datatype numbers(int width) {
  MPI_Datatype type;
  MPI_Type_contiguous(width, MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  return type;
}

// width numbers of every contact, from touches to the share and back
static void send_up(crowd *m, crowd_system *y, int width, const double *touches, double *shares) {
  MPI_Datatype type = numbers(width);
  if (PetscSFReduceBegin(y->rows, type, touches, shares, MPI_REPLACE) ||
      PetscSFReduceEnd(y->rows, type, touches, shares, MPI_REPLACE))
    ranks_die(m->c, 4, "an exchange of contacts failed");
  MPI_Type_free(&type);
}

static void send_down(crowd *m, crowd_system *y, int width, const double *shares, double *touches) {
  MPI_Datatype type = numbers(width);
  if (PetscSFBcastBegin(y->rows, type, shares, touches, MPI_REPLACE) ||
      PetscSFBcastEnd(y->rows, type, shares, touches, MPI_REPLACE))
    ranks_die(m->c, 4, "an exchange of contacts failed");
  MPI_Type_free(&type);
}

// ---- the problem ---------------------------------------------------------------------------

static int64_t dof_of(const crowd_local *l, int dof) {
  int n = l->world.per_body;
  return l->place[dof / n] * n + dof % n;
}

typedef struct numbered_touch {
  int64_t number;
  int touch;
} numbered_touch;

static int by_order(const void *a, const void *b) {
  const numbered_touch *x = a, *y = b;
  return (x->number > y->number) - (x->number < y->number);
}

// Rows of H in the order of contacts, and their entries in that of dofs: what comes sorted need not be sorted.
static void fill_rows(crowd *m, crowd_system *y) {
  const crowd_local *l = &m->here;
  const ss_sparse *H = &l->step.problem.H;
  int count = l->step.touch_count, n = l->world.per_body, dim = l->world.dim;
  numbered_touch *order = RANKS_TAKE(m->c, count, numbered_touch);
  for (int i = 0; i < count; i++) order[i] = (numbered_touch){y->number[i], i};
  qsort(order, (size_t)count, sizeof *order, by_order);
  y->from.H = RANKS_TAKE(m->c, count ? H->ptr[H->rows] : 0, share_entry);
  for (int i = 0; i < count; i++)
    for (int d = 0; d < dim; d++) {
      int row = order[i].touch * dim + d;
      int64_t begin = H->ptr[row], size = H->ptr[row + 1] - begin, turned = 0;
      if (size > n && dof_of(l, H->col[begin]) > dof_of(l, H->col[begin + n])) turned = n;
      for (int64_t k = 0; k < size; k++) {
        int64_t e = begin + (k + turned) % size;
        y->from.H[y->from.H_count++] =
            (share_entry){dim * order[i].number + d, dof_of(l, H->col[e]), H->x[e]};
      }
    }
  free(order);
}

static void fill_masses(crowd *m, crowd_system *y) {
  const crowd_local *l = &m->here;
  int n = l->world.per_body;
  int64_t first = INT64_MAX;  // places of owned bodies follow one another
  y->from.M_count = (int64_t)n * l->owned;
  y->from.M = RANKS_TAKE(m->c, y->from.M_count, share_entry);
  for (int i = 0; i < l->count; i++)
    if (l->own[i] && l->place[i] < first) first = l->place[i];
  for (int i = 0; i < l->count; i++)
    for (int k = 0; l->own[i] && k < n; k++) {
      int64_t dof = dof_of(l, i * n + k);
      y->from.M[dof - n * first] = (share_entry){dof, dof, l->world.mass[i * n + k]};
    }
}

static void fill_vectors(crowd *m, crowd_system *y) {
  const ss_problem *p = &m->here.step.problem;
  int64_t first, end, dofs;
  share_contacts(y->contacts, m->o.domain, m->c, m->c->rank, &first, &end);
  crowd_first_dof(m, &dofs);
  y->from.mu = RANKS_TAKE(m->c, end - first, double);
  y->from.w = RANKS_TAKE(m->c, p->dim * (end - first), double);
  y->from.f = RANKS_TAKE(m->c, dofs, double);
  send_up(m, y, 1, p->mu, y->from.mu);
  send_up(m, y, p->dim, p->w, y->from.w);
  crowd_dofs_up(m, m->here.step.f, y->from.f);
}

// The problem as a file, before it is cut; the answer is added when there is one.
static ss_error dump(crowd *m, crowd_system *y) {
  return m->dump ? share_write_problem(m->c, m->dump, &y->from, m->o.domain) : SS_OK;
}

ss_error crowd_system_create(crowd *m, const double *guess, crowd_system *out) {
  crowd_system *y = out;
  double begin = crowd_cpu_s(m, -1, 0);
  *y = (crowd_system){.from = {.dim = m->world.dim, .dofs = m->world.ndof, .as_numbered = true}};
  number_contacts(m, y);
  y->from.contacts = y->contacts;
  if (!y->contacts) return SS_OK;
  connect_rows(m, y);
  fill_rows(m, y);
  fill_masses(m, y);
  fill_vectors(m, y);
  SS_TRY(dump(m, y));
  y->made = true;
  SS_TRY(share_create(m->c, &y->from, m->o.domain, &y->s));
  y->s.state = RANKS_TAKE(m->c, y->s.nc, signed char);
  send_up(m, y, m->world.dim, guess, y->s.r);
  crowd_cpu_s(m, CROWD_BUILD, begin);
  return SS_OK;
}

void crowd_system_answer(crowd *m, crowd_system *y) {
  crowd_local *l = &m->here;
  double *state = RANKS_TAKE(m->c, y->s.nc, double);
  double *mine = RANKS_TAKE(m->c, l->step.touch_count, double);
  for (int64_t k = 0; k < y->s.nc; k++) state[k] = y->s.state[k];
  send_down(m, y, m->world.dim, y->s.r, l->step.r);
  send_down(m, y, m->world.dim, y->s.u, l->step.u);
  send_down(m, y, 1, state, mine);
  for (int i = 0; i < l->step.touch_count; i++)
    l->step.verdict[i] = (ss_contact_verdict){.state = (ss_state)mine[i]};
  free(state);
  free(mine);
}

void crowd_system_impose(crowd *m, crowd_system *y, const double *w) {
  send_up(m, y, m->world.dim, w, y->from.w);
}

typedef struct moved_dof {
  int64_t dof;
  double v;
} moved_dof;

// Dofs that contacts touch move as the domains say, all copies alike; the others as they did without reactions.
static void find_velocities(crowd *m, share *s, double *v) {
  const ranks *c = m->c;
  int64_t total = 0, at = 0, count;
  for (int k = 0; k < s->count; k++) total += s->domain[k].p.ndof;
  moved_dof *out = RANKS_TAKE(c, total, moved_dof);
  int *to = RANKS_TAKE(c, total, int);
  for (int k = 0; k < s->count; k++)
    for (int j = 0; j < s->domain[k].p.ndof; j++, at++) {
      out[at] = (moved_dof){s->domain[k].dof[j], s->domain[k].sweep.v[j]};
      to[at] = ranks_owner(s->dofs, c->size, out[at].dof);
      m->counts.bytes += to[at] == c->rank ? 0 : (int64_t)sizeof *out;
    }
  moved_dof *got = ranks_exchange(c, out, sizeof *out, to, total, &count);
  crowd_dofs_up(m, m->here.step.v_free, v);
  for (int64_t k = 0; k < count; k++) v[got[k].dof - s->first_dof] = got[k].v;
  free(out);
  free(to);
  free(got);
}

ss_error crowd_system_velocities(crowd *m, crowd_system *y) {
  double *v = RANKS_TAKE(m->c, y->s.own_dofs, double);
  find_velocities(m, &y->s, v);
  crowd_dofs_down(m, v, m->here.step.v_new);
  ss_error e = m->dump ? share_add_answer(&y->s, m->dump, v) : SS_OK;
  free(v);
  return e;
}

void crowd_system_release(crowd_system *y) {
  if (y->rows) PetscSFDestroy(&y->rows);
  if (y->made) {
    free(y->s.state);
    share_destroy(&y->s);
  }
  share_source_release(&y->from);
  free(y->number);
  *y = (crowd_system){0};
}
