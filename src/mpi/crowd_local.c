// A world of the bodies that a rank owns and of the ghosts it needs, numbered in the order of the scene, so that pairs
// are the same way round everywhere; and its numbers on their way to the even shares of all dofs and back.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "mpi/crowd.h"

static int by_number(const void *a, const void *b) {
  const crowd_peer *x = a, *y = b;
  return (x->number > y->number) - (x->number < y->number);
}

// Owned bodies and ghosts, by number; for free().
static crowd_peer *all_bodies(crowd *m, int64_t first, double reach, int *count) {
  int64_t ghosts;
  crowd_peer *got = crowd_ghosts(m, first, reach, &ghosts);
  int64_t total = m->mine.count + ghosts;
  crowd_peer *all = RANKS_TAKE(m->c, total, crowd_peer);
  for (int64_t k = 0; k < m->mine.count; k++) {
    const crowd_body *b = m->mine.body + k;
    all[k] = (crowd_peer){b->number, m->c->rank, first + k, b->pose, {0}};
    memcpy(all[k].v, b->v, sizeof b->v);
  }
  if (ghosts) memcpy(all + m->mine.count, got, sizeof *got * (size_t)ghosts);
  free(got);
  qsort(all, (size_t)total, sizeof *all, by_number);
  *count = (int)total;
  return all;
}

static int local_of(const crowd_local *l, int number) {
  int low = 0, high = l->count;
  while (low < high) {
    int middle = low + (high - low) / 2;
    if (l->number[middle] < number)
      low = middle + 1;
    else
      high = middle;
  }
  return low < l->count && l->number[low] == number ? low : -1;
}

// ---- the world -----------------------------------------------------------------------------

static bool take(const crowd *m, crowd_local *l) {
  const ssi_world *w = &m->world;
  ssi_arena *a = &l->arena;
  size_t nb = (size_t)l->count, ndof = nb * (size_t)w->per_body, ne = (size_t)w->ne;
  l->number = SSI_TAKE(a, nb, int);
  l->owner = SSI_TAKE(a, nb, int);
  l->place = SSI_TAKE(a, nb, int64_t);
  l->own = SSI_TAKE(a, nb, bool);
  l->world.body = SSI_TAKE(a, nb, ssi_simbody);
  l->world.mass = SSI_TAKE(a, ndof, double);
  l->state.pose = SSI_TAKE(a, nb, ss_pose);
  l->state.v = SSI_TAKE(a, ndof, double);
  l->state.steer = SSI_TAKE(a, 6 * nb, double);
  l->step.rotation = SSI_TAKE(a, 9 * nb, double);
  l->step.twist = SSI_TAKE(a, ne, ssi_twist);
  l->step.collider = SSI_TAKE(a, nb + ne, ss_collider);
  l->step.external_reach = SSI_TAKE(a, ne, double);
  l->step.load = SSI_TAKE(a, 6 * nb, double);
  l->step.v_free = SSI_TAKE(a, ndof, double);
  l->step.gyro = SSI_TAKE(a, 3 * nb, double);
  l->step.f = SSI_TAKE(a, ndof, double);
  l->step.v_new = SSI_TAKE(a, ndof, double);
  l->step.v_move = SSI_TAKE(a, ndof, double);
  return !a->failed;
}

static bool set_matrix(ssi_arena *a, ssi_world *w) {
  int64_t *ptr = SSI_TAKE(a, (size_t)w->ndof + 1, int64_t);
  int *col = SSI_TAKE(a, w->ndof, int);
  if (a->failed) return false;
  for (int k = 0; k < w->ndof; k++) ptr[k] = col[k] = k;
  ptr[w->ndof] = w->ndof;
  w->M = w->all = (ss_sparse){w->ndof, w->ndof, ptr, col, w->mass};
  return true;
}

static bool set_loads(const crowd *m, crowd_local *l) {
  ss_load *loads = SSI_TAKE(&l->arena, m->scene->load_count, ss_load);
  l->scene = *m->scene;
  l->scene.load_count = 0;
  if (l->arena.failed) return false;
  for (int k = 0; k < m->scene->load_count; k++) {
    int body = local_of(l, m->scene->loads[k].body);
    if (body < 0) continue;
    loads[l->scene.load_count] = m->scene->loads[k];
    loads[l->scene.load_count++].body = body;
  }
  l->scene.loads = loads;
  return true;
}

static void set_body(const crowd *m, crowd_local *l, int i, const crowd_peer *p) {
  const ssi_world *w = &m->world;
  size_t n = (size_t)w->per_body;
  l->number[i] = p->number;
  l->owner[i] = p->owner;
  l->place[i] = p->place;
  l->own[i] = p->owner == m->c->rank;
  l->owned += l->own[i];
  l->world.body[i] = w->body[p->number];
  memcpy(l->world.mass + n * (size_t)i, w->mass + n * (size_t)p->number, n * sizeof(double));
  l->state.pose[i] = p->pose;
  memcpy(l->state.v + n * (size_t)i, p->v, n * sizeof(double));
  l->step.collider[i].shape = w->body[p->number].shape;
}

static bool make_world(crowd *m, const crowd_peer *all) {
  crowd_local *l = &m->here;
  l->world = m->world;
  if (!take(m, l)) return false;
  for (int i = 0; i < l->count; i++) set_body(m, l, i, all + i);
  for (int k = 0; k < m->world.ne; k++)
    l->step.collider[l->count + k] =
        (ss_collider){.shape = m->scene->externals[k].shape, .external = true};
  l->world.nb = l->count;
  l->world.ndof = l->world.nall = l->count * m->world.per_body;
  l->world.scene = &l->scene;
  l->state.now = m->now;
  l->step.detector = m->detector;
  l->view = (ssi_view){0};
  return set_matrix(&l->arena, &l->world) && set_loads(m, l);
}

// Reactions with bodies that are too far now are forgotten.
static bool set_memory(crowd *m) {
  crowd_local *l = &m->here;
  ssi_memory *to = &l->state.memory;
  int at = 0;
  if (!ssi_memory_reserve(m->c->ctx, to, (int)m->mine.reactions)) return false;
  for (int64_t k = 0; k < m->mine.reactions; k++) {
    const crowd_reaction *r = m->mine.reaction + k;
    while (at < l->count - 1 && l->number[at] < r->a) at++;
    int b = r->b < m->world.nb ? local_of(l, r->b) : r->b - m->world.nb + l->count;
    if (b < 0) continue;
    ssi_remembered *out = to->list + to->count++;
    *out = (ssi_remembered){.a = at, .b = b, .key = r->key, .held = r->held != 0, .gap = r->gap};
    memcpy(out->impulse, r->impulse, sizeof r->impulse);
  }
  return true;
}

// ---- dofs ----------------------------------------------------------------------------------

int64_t crowd_first_dof(const crowd *m, int64_t *count) {
  int64_t all = m->world.ndof, first = ranks_first(all, m->c->size, m->c->rank);
  *count = ranks_first(all, m->c->size, m->c->rank + 1) - first;
  return first;
}

static void connect_dofs(crowd *m) {
  const ranks *c = m->c;
  crowd_local *l = &m->here;
  int64_t all = m->world.ndof, shares;
  int n = l->world.ndof;
  crowd_first_dof(m, &shares);
  PetscSFNode *root = RANKS_TAKE(c, n, PetscSFNode);
  for (int k = 0; k < n; k++) {
    int64_t dof = l->place[k / l->world.per_body] * l->world.per_body + k % l->world.per_body;
    int owner = ranks_owner(all, c->size, dof);
    root[k] = (PetscSFNode){owner, (PetscInt)(dof - ranks_first(all, c->size, owner))};
  }
  if (l->dofs) PetscSFDestroy(&l->dofs);
  if (PetscSFCreate(c->comm, &l->dofs) ||
      PetscSFSetGraph(l->dofs, (PetscInt)shares, n, NULL, PETSC_COPY_VALUES, root,
                      PETSC_COPY_VALUES) ||
      PetscSFSetUp(l->dofs))
    ranks_die(c, 4, "PETSc could not connect the bodies");
  free(root);
}

// Copies of a dof have the same number: whichever comes last.
void crowd_dofs_up(crowd *m, const double *local, double *shares) {
  if (PetscSFReduceBegin(m->here.dofs, MPI_DOUBLE, local, shares, MPI_REPLACE) ||
      PetscSFReduceEnd(m->here.dofs, MPI_DOUBLE, local, shares, MPI_REPLACE))
    ranks_die(m->c, 4, "an exchange of velocities failed");
}

void crowd_bodies_most(crowd *m, double *local) {
  crowd_local *l = &m->here;
  int n = l->world.per_body;
  int64_t shares;
  crowd_first_dof(m, &shares);
  double *most = RANKS_TAKE(m->c, shares, double), *all = RANKS_TAKE(m->c, l->world.ndof, double);
  for (int i = 0; i < l->count; i++) all[i * n] = local[i];
  if (PetscSFReduceBegin(l->dofs, MPI_DOUBLE, all, most, MPI_MAX) ||
      PetscSFReduceEnd(l->dofs, MPI_DOUBLE, all, most, MPI_MAX))
    ranks_die(m->c, 4, "an exchange of velocities failed");
  crowd_dofs_down(m, most, all);
  for (int i = 0; i < l->count; i++) local[i] = all[i * n];
  free(most);
  free(all);
}

void crowd_dofs_down(crowd *m, const double *shares, double *local) {
  if (PetscSFBcastBegin(m->here.dofs, MPI_DOUBLE, shares, local, MPI_REPLACE) ||
      PetscSFBcastEnd(m->here.dofs, MPI_DOUBLE, shares, local, MPI_REPLACE))
    ranks_die(m->c, 4, "an exchange of velocities failed");
}

// --------------------------------------------------------------------------------------------

ss_error crowd_gather(crowd *m, double h, double reach) {
  crowd_local *l = &m->here;
  int64_t first;
  ssi_arena_reset(&l->arena);
  ssi_arena_reset(&l->step.work);
  crowd_place(m, &first);
  crowd_peer *all = all_bodies(m, first, reach, &l->count);
  l->owned = 0;
  l->reach = reach;
  bool ok = make_world(m, all) && set_memory(m);
  free(all);
  SS_TRY(ranks_agree(
      m->c, ok ? SS_OK : ssi_fail(m->c->ctx, SS_ERR_MEMORY, "no memory for %d bodies", l->count)));
  connect_dofs(m);
  l->step.h = h;
  return SS_OK;
}

void crowd_local_release(crowd_local *l) {
  if (l->dofs) PetscSFDestroy(&l->dofs);
  ssi_release(l->arena.ctx, l->state.memory.list);
  ssi_arena_release(&l->step.work);
  ssi_arena_release(&l->arena);
}
