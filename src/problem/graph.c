#include "problem/graph.h"

#include <limits.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/sets.h"

// ---- sets that are joined ------------------------------------------------------------------

// Joins the contact or dof i with first_col + j for each block of A that is not zero: row_size rows of i,
// col_size columns of j. What follows in a row within a block that has joined is passed over.
static void join_entries(int *parent, const ss_sparse *A, int row_size, int first_col,
                         int col_size) {
  for (int i = 0, node = 0; i < A->rows; node++) {
    int root = ssi_set_of(parent, node);
    for (int end = i + row_size; i < end; i++)
      for (int64_t k = A->ptr[i], past = 0; k < A->ptr[i + 1]; k++) {
        if (A->col[k] < past || A->x[k] == 0) continue;
        int block = col_size == 1 ? A->col[k] : A->col[k] / col_size;
        past = (int64_t)(block + 1) * col_size;
        root = ssi_set_add(parent, root, first_col + block);
      }
  }
}

// Joins first + i with first_col + j for each nonzero A_ij.
static void join_columns(int *parent, const ss_sparse *A, int first, int first_col) {
  for (int i = 0; i < A->rows; i++)
    for (int64_t k = A->ptr[i]; k < A->ptr[i + 1]; k++)
      if (A->x[k] != 0) ssi_set_join(parent, first + i, first_col + A->col[k]);
}

static void join_square(int *parent, const ss_sparse *A, int first) {
  join_columns(parent, A, first, first);
}

static void count_components(int *parent, int nc, int *members, ssi_graph_summary *out) {
  for (int i = 0; i < nc; i++) {
    int *size = &members[ssi_set_of(parent, i)];
    if (++*size == 1) out->components++;
    if (*size > out->largest_component) out->largest_component = *size;
  }
}

static void add_neighbours(ssi_graph_summary *out, int64_t count) {
  out->neighbours += count;
  if (count > out->neighbours_max) out->neighbours_max = (int)count;
}

// ---- reduced -------------------------------------------------------------------------------

static ss_error graph_of_W(ssi_arena *arena, const ss_problem *p, ssi_graph_summary *out) {
  int nodes = p->nc + p->nl, d = p->dim;
  int *parent = SSI_TAKE(arena, nodes, int), *members = SSI_TAKE(arena, nodes, int);
  int *seen = SSI_TAKE(arena, p->nc, int);  // 1 + the contact that last counted this one
  if (arena->failed) return SS_ERR_MEMORY;
  ssi_sets_begin(parent, nodes);
  join_entries(parent, &p->W, d, 0, d);
  if (p->nl) join_entries(parent, &p->V, d, p->nc, 1);
  if (p->nl) join_square(parent, &p->R, p->nc);
  count_components(parent, p->nc, members, out);
  for (int i = 0; i < p->nc; i++) {
    int count = 0;
    seen[i] = i + 1;
    for (int64_t k = p->W.ptr[d * i]; k < p->W.ptr[d * (i + 1)]; k++) {
      int j = p->W.col[k] / d;
      if (p->W.x[k] == 0 || seen[j] == i + 1) continue;
      seen[j] = i + 1;
      count++;
    }
    add_neighbours(out, count);
  }
  return SS_OK;
}

// ---- global --------------------------------------------------------------------------------

typedef struct incidence {
  int64_t *start;  // of contact i in body[], or of body b in contact[]
  int *list;
} incidence;

// The bodies (named by their first dof) that contact i acts on, each once.
static int bodies_of(const ss_problem *p, int *body_of, int i, int *seen, int *list) {
  int count = 0;
  for (int64_t k = p->H.ptr[p->dim * i]; k < p->H.ptr[p->dim * (i + 1)]; k++) {
    int body = ssi_set_of(body_of, p->H.col[k]);
    if (p->H.x[k] == 0 || seen[body] == i + 1) continue;
    seen[body] = i + 1;
    list[count++] = body;
  }
  return count;
}

// contact -> bodies and body -> contacts.
static bool make_incidence(ssi_arena *arena, const ss_problem *p, int *body_of, incidence *bodies,
                           incidence *contacts) {
  size_t nc = (size_t)p->nc, n = (size_t)p->ndof;
  int64_t entries = p->H.ptr ? p->H.ptr[p->H.rows] : 0;
  int *seen = SSI_TAKE(arena, n, int);
  *bodies = (incidence){SSI_TAKE(arena, nc + 1, int64_t), SSI_TAKE(arena, entries, int)};
  *contacts = (incidence){SSI_TAKE(arena, n + 2, int64_t), SSI_TAKE(arena, entries, int)};
  if (arena->failed) return false;
  for (int i = 0; i < p->nc; i++)
    bodies->start[i + 1] =
        bodies->start[i] + bodies_of(p, body_of, i, seen, bodies->list + bodies->start[i]);
  for (int64_t k = 0; k < bodies->start[nc]; k++) contacts->start[bodies->list[k] + 2]++;
  for (size_t b = 0; b < n; b++) contacts->start[b + 2] += contacts->start[b + 1];
  for (int i = 0; i < p->nc; i++)
    for (int64_t k = bodies->start[i]; k < bodies->start[i + 1]; k++)
      contacts->list[contacts->start[bodies->list[k] + 1]++] = i;
  return true;
}

static int64_t contact_count(const incidence *contacts, int body) {
  return contacts->start[body + 1] - contacts->start[body];
}

static bool acts_on_earlier(const incidence *bodies, int contact, const int *earlier, int count) {
  for (int64_t k = bodies->start[contact]; k < bodies->start[contact + 1]; k++)
    for (int e = 0; e < count; e++)
      if (bodies->list[k] == earlier[e]) return true;
  return false;
}

// Contacts on the most crowded body are taken whole, those on each further one if they are not on an
// earlier one: a drum that everything touches costs nothing.
static int64_t count_neighbours(const incidence *bodies, const incidence *contacts, int i) {
  int *mine = bodies->list + bodies->start[i];
  int count = (int)(bodies->start[i + 1] - bodies->start[i]);
  if (count == 0) return 0;
  for (int b = 1; b < count; b++)
    if (contact_count(contacts, mine[b]) > contact_count(contacts, mine[0])) {
      int t = mine[0];
      mine[0] = mine[b];
      mine[b] = t;
    }
  int64_t neighbours = contact_count(contacts, mine[0]) - 1;  // not itself
  for (int b = 1; b < count; b++)
    for (int64_t k = contacts->start[mine[b]]; k < contacts->start[mine[b] + 1]; k++)
      neighbours += !acts_on_earlier(bodies, contacts->list[k], mine, b);
  return neighbours;
}

static ss_error graph_of_H(ssi_arena *arena, const ss_problem *p, ssi_graph_summary *out) {
  if (p->nc > INT_MAX - p->ndof || p->nl > INT_MAX - p->ndof - p->nc) return SS_ERR_UNSUPPORTED;
  int nodes = p->nc + p->ndof + p->nl;
  int *parent = SSI_TAKE(arena, nodes, int), *members = SSI_TAKE(arena, nodes, int);
  int *body_of = SSI_TAKE(arena, p->ndof, int);
  if (arena->failed) return SS_ERR_MEMORY;
  ssi_sets_begin(body_of, p->ndof);
  join_entries(body_of, &p->M, 1, 0, 1);
  incidence bodies, contacts;
  if (!make_incidence(arena, p, body_of, &bodies, &contacts)) return SS_ERR_MEMORY;
  ssi_sets_begin(parent, nodes);
  for (int i = 0; i < p->nc; i++) {
    for (int64_t k = bodies.start[i]; k < bodies.start[i + 1]; k++)
      ssi_set_join(parent, i, p->nc + bodies.list[k]);
    add_neighbours(out, count_neighbours(&bodies, &contacts, i));
  }
  for (int i = 0; p->nl && i < p->G.rows; i++)
    for (int64_t k = p->G.ptr[i]; k < p->G.ptr[i + 1]; k++)
      if (p->G.x[k] != 0)
        ssi_set_join(parent, p->nc + ssi_set_of(body_of, i), p->nc + p->ndof + p->G.col[k]);
  count_components(parent, p->nc, members, out);
  return SS_OK;
}

void ssi_contact_components(const ss_problem *p, int *leader) {
  bool global = p->form == SS_GLOBAL;
  int joints = p->nc + (global ? p->ndof : 0), nodes = joints + p->nl;
  ssi_sets_begin(leader, nodes);
  join_entries(leader, global ? &p->H : &p->W, p->dim, global ? p->nc : 0, global ? 1 : p->dim);
  if (global) join_square(leader, &p->M, p->nc);
  if (p->nl && global) join_columns(leader, &p->G, p->nc, joints);
  if (p->nl && !global) {
    join_entries(leader, &p->V, p->dim, joints, 1);
    join_square(leader, &p->R, joints);
  }
  for (int k = 0; k < nodes; k++) leader[k] = ssi_set_of(leader, k);
}

ss_error ssi_contact_graph(ss_context *ctx, const ss_problem *p, ssi_graph_summary *out) {
  *out = (ssi_graph_summary){0};
  if (p->nc == 0) return SS_OK;
  if (p->form == SS_GLOBAL && p->ndof == 0) {  // H may be absent: nothing that could couple
    out->components = p->nc;
    out->largest_component = 1;
    return SS_OK;
  }
  ssi_arena arena = {.ctx = ctx};
  ss_error e;
  if (p->form == SS_REDUCED && p->nl > INT_MAX - p->nc)
    e = SS_ERR_UNSUPPORTED;
  else
    e = p->form == SS_REDUCED ? graph_of_W(&arena, p, out) : graph_of_H(&arena, p, out);
  ssi_arena_release(&arena);
  return e ? ssi_fail(ctx, e, "the contact graph of %d contacts cannot be made: %s", p->nc,
                      ss_error_text(e))
           : SS_OK;
}
