// Existence certificates of large problems with two external objects that move differently, so that no
// motion at rest helps: chains of disks between two walls, and piles between the floor and a lid.
//
//   bench_certify              the table of docs/existence.md
//   bench_certify KIND DIM N   one line; KIND: chain or pile
//
// The lid touches, from above, every body that nothing else rests on. It goes down
// (violated) or up (satisfied), while the floor comes up slowly between walls at rest. Each case runs in a process of its own, whose peak memory is printed; the
// problem itself is part of it. Times are of the processor, of one thread: ss_certify alone, and the
// independent check.
#define _GNU_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <stickslip/stickslip.h>

// Of the floor: neither standing still nor moving as one satisfies (A).
static const double RISE = 0.2;

typedef struct scene {  // a global problem that is being added to
  ss_problem p;
  int64_t *ptr, *mptr;
  int *col, *mcol;
  double *x, *w, *mu, *f, *mx;
  int64_t used;
} scene;

static void *take(size_t count, size_t size) {
  void *mem = calloc(count + 1, size);
  if (!mem) exit(4);
  return mem;
}

static double now_s(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void scene_begin(scene *s, int dim, int contacts, int ndof, int64_t entries) {
  *s = (scene){.p = {.form = SS_GLOBAL, .dim = dim, .ndof = ndof}};
  s->ptr = take((size_t)(dim * contacts) + 1, sizeof *s->ptr);
  s->col = take((size_t)entries, sizeof *s->col);
  s->x = take((size_t)entries, sizeof *s->x);
  s->w = take((size_t)(dim * contacts), sizeof *s->w);
  s->mu = take((size_t)contacts, sizeof *s->mu);
  s->f = take((size_t)ndof, sizeof *s->f);
  s->mptr = take((size_t)ndof + 1, sizeof *s->mptr);
  s->mcol = take((size_t)ndof, sizeof *s->mcol);
  s->mx = take((size_t)ndof, sizeof *s->mx);
  for (int i = 0; i < ndof; i++) s->mptr[i + 1] = i + 1, s->mcol[i] = i, s->mx[i] = 1;
}

static void put(scene *s, int col, double x) {
  s->col[s->used] = col;
  s->x[s->used++] = x;
}

static void end_row(scene *s, double w) {
  int row = s->p.dim * s->p.nc + (int)s->p.H.rows;
  s->w[row] = w;
  s->ptr[row + 1] = s->used;
  if (++s->p.H.rows == s->p.dim) s->p.H.rows = 0, s->p.nc++;
}

static void scene_end(scene *s, double mu) {
  for (int i = 0; i < s->p.nc; i++) s->mu[i] = mu;
  s->p.mu = s->mu, s->p.w = s->w, s->p.f = s->f;
  s->p.M = (ss_sparse){s->p.ndof, s->p.ndof, s->mptr, s->mcol, s->mx};
  s->p.H = (ss_sparse){s->p.dim * s->p.nc, s->p.ndof, s->ptr, s->col, s->x};
}

// n disks of radius 1 in a row; the right wall moves with `speed` towards the left one (< 0: away).
static void make_chain(scene *s, int n, double speed) {
  scene_begin(s, 2, n + 1, 3 * n, (int64_t)(n + 1) * 6);
  for (int i = 0; i <= n; i++) {  // contact between body i - 1 and body i, normal to the right
    int a = 3 * i, b = 3 * (i - 1);
    if (i > 0) put(s, b, i < n ? -1 : -1);
    if (i < n) put(s, a, 1);
    end_row(s, i < n ? 0 : -speed);  // last: the wall in place of body n, moving to the left
    // tangent (0, -1); the point is at -1 from the centre of a and at +1 from that of b
    if (i > 0) put(s, b + 1, 1), put(s, b + 2, 1);
    if (i < n) put(s, a + 1, -1), put(s, a + 2, 1);
    end_row(s, 0);
  }
  scene_end(s, 0.3);
}

typedef struct body {
  double z, radius;
  bool known, covered;  // height found; something rests on it
} body;

// Heights from the contacts: the arm of a sphere is along the normal, so two centres are n (r_a + r_b)
// apart; what stands on the floor is at z = r.
static bool spread(const ss_problem *p, int dofs, int i, body *list) {
  int pair[2] = {-1, -1}, up = p->dim - 1, count = 0;
  double n[2] = {0, 0};
  for (int64_t e = p->H.ptr[p->dim * i]; e < p->H.ptr[p->dim * i + 1]; e++) {
    int b = p->H.col[e] / dofs;
    int k = count && pair[0] == b ? 0 : count && count > 1 && pair[1] == b ? 1 : count++;
    pair[k] = b;
    if (p->H.col[e] % dofs == up) n[k] = p->H.x[e];
  }
  if (count == 1) {
    if (n[0] < 0.99 || list[pair[0]].known) return false;
    list[pair[0]].known = true;
    list[pair[0]].z = list[pair[0]].radius;
    return true;
  }
  body *a = list + pair[0], *b = list + pair[1];
  if (count < 2 || a->known == b->known) return false;
  double apart = n[0] * (a->radius + b->radius);  // z_a - z_b
  if (a->known)
    b->z = a->z - apart, b->known = true;
  else
    a->z = b->z + apart, a->known = true;
  return true;
}

// Bodies at the top that nothing rests on. list (bodies) is zeroed.
static int find_top(const ss_problem *p, int dofs, double lowest, body *list) {
  int bodies = p->ndof / dofs, count = 0, up = p->dim - 1;
  double highest = 0;
  for (int i = 0; i < p->dim * p->nc; i++)
    for (int64_t e = p->H.ptr[i]; e < p->H.ptr[i + 1]; e++) {
      body *b = list + p->H.col[e] / dofs;
      int c = p->H.col[e] % dofs;
      if (i % p->dim == 0 && c == up && p->H.x[e] < -0.2) b->covered = true;  // pressed down
      if (i % p->dim && c >= p->dim) b->radius = fmax(b->radius, fabs(p->H.x[e]));
    }
  for (bool more = true; more;) {
    more = false;
    for (int i = 0; i < p->nc; i++) more = spread(p, dofs, i, list) || more;
  }
  for (int b = 0; b < bodies; b++) highest = fmax(highest, list[b].z);
  for (int b = 0; b < bodies; b++) {
    list[b].covered = list[b].covered || !list[b].known || list[b].z < lowest * highest;
    count += !list[b].covered;
  }
  return count;
}

static void put_lid(scene *s, int first, double r, double speed) {
  bool space = s->p.dim == 3;
  put(s, first + s->p.dim - 1, -1);
  end_row(s, -speed);  // normal down, lid moving down with `speed`
  if (space) {
    put(s, first, 1), put(s, first + 4, r);
    end_row(s, 0);
    put(s, first + 1, -1), put(s, first + 3, r);
    end_row(s, 0);
  } else {
    put(s, first, -1), put(s, first + 2, r);
    end_row(s, 0);
  }
}

static void make_pile(scene *s, int dim, int contacts, double speed) {
  ss_context ctx = {0};
  ss_problem *pile = NULL;
  ss_pile_options o = ss_pile_options_default();
  int dofs = dim == 3 ? 6 : 3;
  o.dim = dim;
  o.contacts = contacts;
  o.mu = 0.5;
  if (ss_generate_pile(&ctx, &o, &pile)) {
    fprintf(stderr, "bench_certify: %s\n", ctx.message);
    exit(4);
  }
  int bodies = pile->ndof / dofs;
  body *list = take((size_t)bodies, sizeof *list);
  int lid = find_top(pile, dofs, 0, list);
  scene_begin(s, dim, pile->nc + lid, pile->ndof, pile->H.ptr[pile->H.rows] + 6 * (int64_t)lid);
  for (int i = 0; i < pile->H.rows; i++) {
    double weight = 0;  // of the vertical motion of the one body there is
    int first = pile->H.col[pile->H.ptr[i]] / dofs, last = first;
    for (int64_t e = pile->H.ptr[i]; e < pile->H.ptr[i + 1]; e++) {
      put(s, pile->H.col[e], pile->H.x[e]);
      last = pile->H.col[e] / dofs;
      if (pile->H.col[e] % dofs == dim - 1) weight = pile->H.x[e];
    }
    end_row(s, i % dim == 0 && first == last && weight > 0.99 ? -RISE : 0);  // on the floor
  }
  for (int b = 0; b < bodies; b++)
    if (!list[b].covered) put_lid(s, dofs * b, list[b].radius, speed);
  scene_end(s, o.mu);
  ss_problem_destroy(pile);
  free(list);
}

static void one(const char *kind, int dim, int contacts, double speed, ss_margin_wish wish) {
  scene s;
  ss_context ctx = {0};
  ss_certificate *c = NULL;
  ss_certificate_report report;
  ss_certify_options o = ss_certify_options_default();
  o.margin = wish;
  if (strcmp(kind, "chain") == 0)
    make_chain(&s, contacts - 1, speed);
  else
    make_pile(&s, dim, contacts, speed);
  double begin = now_s();
  if (ss_certify(&ctx, &s.p, &o, &c)) {
    printf("%s\n", ctx.message);
    exit(1);
  }
  double time_s = now_s() - begin;
  begin = now_s();
  ss_certificate_check(&ctx, &s.p, c, &report);
  double check_s = now_s() - begin;
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  printf("%-6s %dD %7d %7d  %-9s %-6s %-10s %-9s %12.5g  %-14s %4d %8.2f %7.2f %7.0f  %s\n", kind,
         dim, s.p.nc, s.p.ndof, speed > 0 ? "violated" : "satisfied",
         wish == SS_MARGIN_BOUND ? "bound" : "exact", ss_existence_name(c->verdict),
         ss_criterion_state_name(c->criterion_A), c->margin, c->path, c->iterations, time_s, check_s,
         (double)usage.ru_maxrss / 1024, report.holds ? "holds" : report.failure);
}

static void apart(const char *kind, int dim, int contacts, double speed, ss_margin_wish wish) {
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    one(kind, dim, contacts, speed, wish);
    exit(0);
  }
  waitpid(child, NULL, 0);
}

static void all_of(const char *kind, int dim, int contacts) {
  for (int k = 0; k < 4; k++)
    apart(kind, dim, contacts, k % 2 ? 1 : -1, k < 2 ? SS_MARGIN_BOUND : SS_MARGIN_EXACT);
}

// One thread, whatever libraries believe: their variables are read when the program starts.
static void on_one_thread(char **argv) {
  if (getenv("OMP_THREAD_LIMIT")) return;
  setenv("OMP_THREAD_LIMIT", "1", 1);
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  execv("/proc/self/exe", argv);
}

int main(int argc, char **argv) {
  on_one_thread(argv);
  printf("kind       contacts    dofs  version   margin verdict    (A)             margin  path    "
         "       "
         "iter   time_s   check  MB peak  check\n");
  if (argc > 3) {
    all_of(argv[1], atoi(argv[2]), atoi(argv[3]));
    return 0;
  }
  for (int n = 1000; n <= 100000; n *= 10) all_of("chain", 2, n);
  for (int n = 1000; n <= 100000; n *= 10) all_of("pile", 2, n);
  static const int sizes[] = {1000, 3000, 10000};
  for (int k = 0; k < 3; k++) all_of("pile", 3, sizes[k]);
  return 0;
}
