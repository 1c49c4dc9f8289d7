#include "problem/cut.h"

#include "problem/graph.h"

// ---- partitions ----------------------------------------------------------------------------

bool ssi_partition_take(ssi_arena *arena, const ss_problem *p, int most, ssi_partition *out) {
  int dofs = p->form == SS_GLOBAL ? p->ndof : 0;
  *out = (ssi_partition){.begin = {0, p->nc, p->nc + dofs, p->nc + dofs + p->nl}};
  size_t nodes = (size_t)out->begin[SSI_KINDS], starts = (size_t)most + 1;
  int *all = SSI_TAKE(arena, 3 * nodes + SSI_KINDS * starts, int);
  if (!all) return false;
  out->part = all;
  out->number = all + nodes;
  out->member = all + 2 * nodes;
  for (int kind = 0; kind < SSI_KINDS; kind++) out->first[kind] = all + 3 * nodes + kind * starts;
  return true;
}

void ssi_partition_sort(ssi_partition *x) {
  for (int kind = 0; kind < SSI_KINDS; kind++) {
    int *first = x->first[kind], used = x->begin[kind];
    for (int k = 0; k <= x->count; k++) first[k] = 0;
    for (int i = x->begin[kind]; i < x->begin[kind + 1]; i++)
      if (x->part[i] >= 0) x->number[i] = first[x->part[i]]++;
    for (int k = 0; k <= x->count; k++) {
      int size = k < x->count ? first[k] : 0;
      first[k] = used;
      used += size;
    }
    for (int i = x->begin[kind]; i < x->begin[kind + 1]; i++)
      if (x->part[i] >= 0) x->member[first[x->part[i]] + x->number[i]] = i;
  }
}

// A dof or a constraint whose leader is no contact: the joints among them make one part, at the end.
static void place_the_rest(const ss_problem *p, const int *leader, ssi_partition *x) {
  int nodes = x->begin[SSI_KINDS], joints = x->begin[SSI_JOINTS];
  bool any = false;
  for (int i = p->nc; i < nodes; i++) x->part[i] = leader[i] < p->nc ? x->part[leader[i]] : -1;
  for (int i = joints; i < nodes; i++)
    if (x->part[i] < 0) any = true, x->number[leader[i]] = -1;
  if (!any) return;
  for (int i = p->nc; i < nodes; i++)
    if (x->part[i] < 0 && x->number[leader[i]] == -1) x->part[i] = x->count;
  x->count++;
}

bool ssi_partition_by_components(ssi_arena *arena, const ss_problem *p, ssi_partition *out) {
  if (!ssi_partition_take(arena, p, p->nc + 1, out)) return false;
  int *leader = out->member;  // sorted anew below
  ssi_contact_components(p, leader);
  for (int i = 0; i < out->begin[SSI_KINDS]; i++) out->number[i] = 0;
  for (int i = 0; i < p->nc; i++)  // a leader comes before its followers
    out->part[i] = leader[i] == i ? out->count++ : out->part[leader[i]];
  place_the_rest(p, leader, out);
  ssi_partition_sort(out);
  return true;
}

// ---- cutting -------------------------------------------------------------------------------

typedef struct axis {  // of a matrix: `size` rows or columns for each node of a kind
  int kind, size;
} axis;

static int node_of(const ssi_partition *x, axis a, int index) {
  return x->begin[a.kind] + index / a.size;
}

static int64_t first_row(const ssi_partition *x, axis a, int node) {
  return (int64_t)(node - x->begin[a.kind]) * a.size;
}

static bool cut_matrix(ssi_arena *arena, const ssi_partition *x, const ss_sparse *A, axis row,
                       axis col, int k, ss_sparse *out) {
  int count = ssi_part_size(x, row.kind, k), at = 0;
  const int *node = ssi_part_members(x, row.kind, k);
  int64_t entries = 0, used = 0;
  *out = (ss_sparse){0};
  if (!A->ptr) return true;
  for (int n = 0; n < count; n++) {
    int64_t i = first_row(x, row, node[n]);
    entries += A->ptr[i + row.size] - A->ptr[i];
  }
  int64_t *ptr = SSI_TAKE(arena, (size_t)count * (size_t)row.size + 1, int64_t);
  int *cols = SSI_TAKE(arena, entries, int);
  double *values = SSI_TAKE(arena, entries, double);
  if (arena->failed) return false;
  for (int n = 0; n < count; n++)
    for (int c = 0; c < row.size; c++) {
      int64_t i = first_row(x, row, node[n]) + c;
      for (int64_t e = A->ptr[i]; e < A->ptr[i + 1]; e++) {
        int to = node_of(x, col, A->col[e]);
        if (x->part[to] != k) continue;
        cols[used] = x->number[to] * col.size + A->col[e] % col.size;
        values[used++] = A->x[e];
      }
      ptr[++at] = used;
    }
  *out = (ss_sparse){at, ssi_part_size(x, col.kind, k) * col.size, ptr, cols, values};
  return true;
}

double *ssi_cut_vector(ssi_arena *arena, const ssi_partition *x, int kind, int size, int k,
                       const double *whole) {
  int count = ssi_part_size(x, kind, k), used = 0;
  const int *node = ssi_part_members(x, kind, k);
  if (!whole) return NULL;
  double *part = SSI_TAKE(arena, (size_t)count * (size_t)size, double);
  axis a = {kind, size};
  for (int n = 0; part && n < count; n++)
    for (int c = 0; c < size; c++) part[used++] = whole[first_row(x, a, node[n]) + c];
  return part;
}

void ssi_cut_return(const ssi_partition *x, int kind, int size, int k, const double *part,
                    double *whole) {
  int count = ssi_part_size(x, kind, k), used = 0;
  const int *node = ssi_part_members(x, kind, k);
  axis a = {kind, size};
  for (int n = 0; n < count; n++)
    for (int c = 0; c < size; c++) whole[first_row(x, a, node[n]) + c] = part[used++];
}

ss_error ssi_cut(ssi_arena *arena, const ss_problem *p, const ssi_partition *x, int k,
                 ss_problem *out) {
  axis contacts = {SSI_CONTACTS, p->dim}, dofs = {SSI_DOFS, 1}, joints = {SSI_JOINTS, 1};
  *out = (ss_problem){.form = p->form, .dim = p->dim};
  out->nc = ssi_part_size(x, SSI_CONTACTS, k);
  out->nl = ssi_part_size(x, SSI_JOINTS, k);
  out->mu = ssi_cut_vector(arena, x, SSI_CONTACTS, 1, k, p->mu);
  bool ok;
  if (p->form == SS_REDUCED) {
    out->q = ssi_cut_vector(arena, x, SSI_CONTACTS, p->dim, k, p->q);
    out->s = ssi_cut_vector(arena, x, SSI_JOINTS, 1, k, p->s);
    ok = cut_matrix(arena, x, &p->W, contacts, contacts, k, &out->W) &&
         cut_matrix(arena, x, &p->V, contacts, joints, k, &out->V) &&
         cut_matrix(arena, x, &p->R, joints, joints, k, &out->R);
  } else {
    out->ndof = ssi_part_size(x, SSI_DOFS, k);
    out->f = ssi_cut_vector(arena, x, SSI_DOFS, 1, k, p->f);
    out->w = ssi_cut_vector(arena, x, SSI_CONTACTS, p->dim, k, p->w);
    out->b = ssi_cut_vector(arena, x, SSI_JOINTS, 1, k, p->b);
    ok = cut_matrix(arena, x, &p->M, dofs, dofs, k, &out->M) &&
         cut_matrix(arena, x, &p->H, contacts, dofs, k, &out->H) &&
         cut_matrix(arena, x, &p->G, dofs, joints, k, &out->G);
  }
  if (!out->nl) out->V = out->R = out->G = (ss_sparse){0};
  return ok && !arena->failed ? SS_OK : SS_ERR_MEMORY;
}
