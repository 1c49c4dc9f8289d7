#include "problem/components.h"

#include "problem/graph.h"

bool ssi_components_create(ssi_arena *arena, const ss_problem *p, ssi_components *out) {
  size_t nc = (size_t)p->nc, nl = (size_t)p->nl;
  int *all =
      SSI_TAKE(arena, 4 * nc + 1 + 2 * nl + (size_t)(p->form == SS_GLOBAL ? p->ndof : 0), int);
  if (!all) return false;
  *out = (ssi_components){.of = all,
                          .contact = all + nc,
                          .first = all + 2 * nc,
                          .of_joint = all + 3 * nc + 1,
                          .leader = all + 3 * nc + 1 + nl};
  ssi_components_find(p, out);
  return true;
}

void ssi_components_find(const ss_problem *p, ssi_components *c) {
  int nc = p->nc, joints = nc + (p->form == SS_GLOBAL ? p->ndof : 0), used = 0;
  ssi_contact_components(p, c->leader);
  c->count = 0;
  for (int i = 0; i < nc; i++)  // a leader comes before its followers
    c->of[i] = c->leader[i] == i ? c->count++ : c->of[c->leader[i]];
  for (int k = 0; k < p->nl; k++)
    c->of_joint[k] = c->leader[joints + k] < nc ? c->of[c->leader[joints + k]] : -1;
  for (int k = 0; k <= c->count; k++) c->first[k] = 0;
  for (int i = 0; i < nc; i++) c->first[c->of[i]]++;
  for (int k = 0; k <= c->count; k++) {
    int size = c->first[k];
    c->first[k] = used;
    used += k < c->count ? size : 0;
  }
  for (int i = 0; i < nc; i++) c->contact[c->first[c->of[i]]++] = i;
  for (int k = c->count; k > 0; k--) c->first[k] = c->first[k - 1];
  c->first[0] = 0;
}
