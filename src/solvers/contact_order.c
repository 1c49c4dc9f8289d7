#include "solvers/contact_order.h"

#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "solvers/domains.h"

// ---- which contact touches which dof -------------------------------------------------------

// In ascending order, as ranks list them (mpi/share_order.c).
static int64_t dofs_of_contact(const ss_problem *p, int i, int *seen, int *dof) {
  int64_t count = 0;
  for (int64_t e = p->H.ptr[p->dim * i]; e < p->H.ptr[p->dim * (i + 1)]; e++) {
    int j = p->H.col[e];
    if (seen[j] == i + 1) continue;
    seen[j] = i + 1;
    int64_t at = count++;
    for (; at > 0 && dof[at - 1] > j; at--) dof[at] = dof[at - 1];
    dof[at] = j;
  }
  return count;
}

ss_error ssi_touches_create(ss_context *ctx, const ss_problem *p, ssi_touches *out) {
  int64_t entries = p->H.ptr ? p->H.ptr[p->H.rows] : 0;
  int *seen = ssi_alloc(ctx, (size_t)p->ndof, sizeof *seen);
  *out = (ssi_touches){.nc = p->nc, .ndof = p->ndof};
  out->ptr = ssi_alloc(ctx, (size_t)p->nc + 1, sizeof *out->ptr);
  out->dof = ssi_alloc(ctx, (size_t)entries, sizeof *out->dof);
  bool ok = seen && out->ptr && out->dof;
  if (ok) {
    memset(seen, 0, sizeof *seen * (size_t)p->ndof);
    out->ptr[0] = 0;
    for (int i = 0; i < p->nc; i++)
      out->ptr[i + 1] =
          out->ptr[i] + (entries ? dofs_of_contact(p, i, seen, out->dof + out->ptr[i]) : 0);
  } else {
    ssi_touches_release(ctx, out);
  }
  ssi_release(ctx, seen);
  return ok ? SS_OK : ssi_fail(ctx, SS_ERR_MEMORY, "out of memory to order %d contacts", p->nc);
}

void ssi_touches_list(const ssi_touches *t, int64_t *ptr, int *contact) {
  for (int64_t e = 0; e < t->ptr[t->nc]; e++) ptr[t->dof[e] + 1]++;
  for (int j = 0; j < t->ndof; j++) ptr[j + 1] += ptr[j];
  for (int i = 0; i < t->nc; i++)
    for (int64_t e = t->ptr[i]; e < t->ptr[i + 1]; e++) contact[ptr[t->dof[e]]++] = i;
  for (int j = t->ndof; j > 0; j--) ptr[j] = ptr[j - 1];
  ptr[0] = 0;
}

void ssi_touches_release(ss_context *ctx, ssi_touches *t) {
  ssi_release(ctx, t->ptr);
  ssi_release(ctx, t->dof);
  *t = (ssi_touches){0};
}

int64_t ssi_order_copies(ss_context *ctx, const ssi_touches *t, const int *order, double size) {
  int64_t count = ssi_domain_count(t->nc, size), copies = 0;
  int64_t *seen = ssi_alloc(ctx, (size_t)t->ndof, sizeof *seen);
  if (!seen) return -1;
  memset(seen, 0, sizeof *seen * (size_t)t->ndof);
  for (int64_t k = 0; k < count; k++)
    for (int64_t at = ssi_domain_first(t->nc, count, k); at < ssi_domain_first(t->nc, count, k + 1);
         at++) {
      int64_t i = order ? order[at] : at;
      for (int64_t e = t->ptr[i]; e < t->ptr[i + 1]; e++) {
        copies += seen[t->dof[e]] != k + 1;
        seen[t->dof[e]] = k + 1;
      }
    }
  ssi_release(ctx, seen);
  return copies;
}

// ---- halving -------------------------------------------------------------------------------

enum { LEAF = 16 };       // contacts that are not halved any more
enum { CROWDED = 1000 };  // contacts of a dof that tells nothing about who is near whom: a drum's

typedef struct halving {
  const ssi_touches *t;
  int64_t *ptr;  // contacts of each dof   (ndof + 1)
  int *contact;
  int *
      follows;  // a dof with the contacts of the one before it, or with too many, is passed over   (ndof)
  int *part;    // of the halving under way that a contact belongs to   (nc)
  int *met;     // the last search that met it                          (nc)
  int *opened;  // the last search that went through a dof              (ndof)
  int *order, *next;
  int parts, searches;
} halving;

static void list_contacts(halving *h) {
  const ssi_touches *t = h->t;
  ssi_touches_list(t, h->ptr, h->contact);
  for (int j = 0; j < t->ndof; j++) {
    int64_t count = h->ptr[j + 1] - h->ptr[j];
    h->follows[j] = count > CROWDED || (j > 0 && count == h->ptr[j] - h->ptr[j - 1] &&
                                        !memcmp(h->contact + h->ptr[j], h->contact + h->ptr[j - 1],
                                                sizeof *h->contact * (size_t)count));
  }
}

// Contacts of `part` that are reached from next[at], breadth-first, behind it; where the list ends.
static int64_t reach(halving *h, int64_t at, int64_t end, int part) {
  const ssi_touches *t = h->t;
  for (; at < end; at++)
    for (int64_t e = t->ptr[h->next[at]]; e < t->ptr[h->next[at] + 1]; e++) {
      int j = t->dof[e];
      if (h->follows[j] || h->opened[j] == h->searches) continue;
      h->opened[j] = h->searches;
      for (int64_t c = h->ptr[j]; c < h->ptr[j + 1]; c++) {
        int other = h->contact[c];
        if (h->part[other] != part || h->met[other] == h->searches) continue;
        h->met[other] = h->searches;
        h->next[end++] = other;
      }
    }
  return end;
}

static int64_t search_from(halving *h, int64_t at, int contact, int part) {
  h->next[at] = contact;
  h->met[contact] = h->searches;
  return reach(h, at, at + 1, part);
}

// Contacts order[from] to before order[to], breadth-first from one far out; what that does not reach comes behind.
static void arrange(halving *h, int64_t from, int64_t to, int part) {
  int start = h->order[from];
  for (int again = 0; again < 2; again++) {
    h->searches++;
    start = h->next[search_from(h, from, start, part) - 1];
  }
  h->searches++;
  int64_t end = search_from(h, from, start, part);
  for (int64_t k = from; k < to && end < to; k++)
    if (h->met[h->order[k]] != h->searches) end = search_from(h, end, h->order[k], part);
  memcpy(h->order + from, h->next + from, sizeof *h->order * (size_t)(to - from));
}

// Halves of halves, level by level: all parts of one level have about the same size.
static void halve(halving *h) {
  int64_t nc = h->t->nc;
  for (int64_t pieces = 1; nc / pieces > LEAF; pieces *= 2) {
    for (int64_t k = 0; k < pieces; k++) {
      h->parts++;
      for (int64_t at = ssi_domain_first(nc, pieces, k); at < ssi_domain_first(nc, pieces, k + 1);
           at++)
        h->part[h->order[at]] = h->parts;
    }
    for (int64_t k = 0; k < pieces; k++)
      arrange(h, ssi_domain_first(nc, pieces, k), ssi_domain_first(nc, pieces, k + 1),
              h->parts - (int)(pieces - 1 - k));
  }
}

ss_error ssi_order_by_halves(ss_context *ctx, const ssi_touches *t, int *order) {
  ssi_arena arena = {.ctx = ctx};
  halving h = {.t = t, .order = order};
  h.ptr = SSI_TAKE(&arena, (size_t)t->ndof + 1, int64_t);
  h.contact = SSI_TAKE(&arena, t->ptr[t->nc], int);
  h.follows = SSI_TAKE(&arena, t->ndof, int);
  h.opened = SSI_TAKE(&arena, t->ndof, int);
  h.part = SSI_TAKE(&arena, t->nc, int);
  h.met = SSI_TAKE(&arena, t->nc, int);
  h.next = SSI_TAKE(&arena, t->nc, int);
  bool ok = !arena.failed;
  for (int i = 0; ok && i < t->nc; i++) order[i] = i;
  if (ok) list_contacts(&h);
  if (ok) halve(&h);
  ssi_arena_release(&arena);
  return ok ? SS_OK : ssi_fail(ctx, SS_ERR_MEMORY, "out of memory to order %d contacts", t->nc);
}

// ---- whether to ----------------------------------------------------------------------------

static int64_t touched_dofs(ss_context *ctx, const ssi_touches *t) {
  return ssi_order_copies(ctx, t, NULL, t->nc ? t->nc : 1);  // in one domain
}

ss_error ssi_contact_renumber(ss_context *ctx, const ss_problem *p, double size, int *order,
                              bool *changed) {
  ssi_touches t;
  *changed = false;
  if (ssi_domain_count(p->nc, size) < 2) return SS_OK;
  SS_TRY(ssi_touches_create(ctx, p, &t));
  int64_t before = ssi_order_copies(ctx, &t, NULL, size), touched = touched_dofs(ctx, &t);
  ss_error e = before < 0 || touched < 0 ? SS_ERR_MEMORY : SS_OK;
  if (!e && ssi_order_is_bad(before, touched)) {
    e = ssi_order_by_halves(ctx, &t, order);
    int64_t after = e ? -1 : ssi_order_copies(ctx, &t, order, size);
    if (!e && after < 0) e = SS_ERR_MEMORY;
    *changed = !e && ssi_order_is_better(after, before);
  }
  ssi_touches_release(ctx, &t);
  return e;
}
