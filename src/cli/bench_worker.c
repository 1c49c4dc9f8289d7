// One piece of work in a child process: read a problem, or read and solve it, and send the answer
// through a pipe. A method that crashes, hangs or eats all memory takes only the child with it.
//
// The child sends messages of one size, below PIPE_BUF, so that each arrives whole: one when it
// enters a phase (each phase has its own deadline), the last with the answer.
#define _DEFAULT_SOURCE  // NSIG, RLIMIT_CORE
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "cli/bench.h"
#include "cli/interrupt.h"
#include "cli/memory_check.h"

typedef enum worker_phase { READING, SOLVING, VERIFYING, DONE } worker_phase;

typedef struct message {
  int phase;
  bench_answer answer;  // whole once DONE
} message;
_Static_assert(sizeof(message) <= 512 + BENCH_TEXT_SIZE && BENCH_TEXT_SIZE < 2048,
               "messages stay below PIPE_BUF");

// ---- the child ------------------------------------------------------------------------------

static void send_message(int fd, worker_phase now, const bench_answer *a) {
  message m;
  memset(&m, 0, sizeof m);
  m.phase = (int)now;
  if (a) m.answer = *a;
  ssize_t sent;
  do sent = write(fd, &m, sizeof m);
  while (sent < 0 && errno == EINTR);
  if (sent != (ssize_t)sizeof m) _exit(1);  // nobody listens any more
}

// FNV-1a, over the bytes of every array that the problem has.
static uint64_t hash_bytes(uint64_t h, const void *data, size_t size) {
  const unsigned char *byte = data;
  for (size_t i = 0; byte && i < size; i++) h = (h ^ byte[i]) * 0x100000001b3u;
  return h;
}

static uint64_t hash_doubles(uint64_t h, const double *x, int count) {
  return hash_bytes(h, x, (size_t)count * sizeof *x);
}

static uint64_t hash_sparse(uint64_t h, const ss_sparse *A) {
  if (!A->ptr) return hash_bytes(h, "-", 1);
  size_t entries = (size_t)A->ptr[A->rows];
  h = hash_bytes(h, A->ptr, ((size_t)A->rows + 1) * sizeof *A->ptr);
  h = hash_bytes(h, A->col, entries * sizeof *A->col);
  return hash_bytes(h, A->x, entries * sizeof *A->x);
}

static uint64_t hash_problem(const ss_problem *p) {
  const int sizes[] = {(int)p->form, p->dim, p->nc, p->ndof, p->nl};
  const ss_sparse *const matrices[] = {&p->W, &p->V, &p->R, &p->M, &p->H, &p->G};
  uint64_t h = hash_bytes(0xcbf29ce484222325u, sizes, sizeof sizes);
  int m = p->dim * p->nc;
  h = hash_doubles(h, p->mu, p->nc);
  for (int i = 0; i < 6; i++) h = hash_sparse(h, matrices[i]);
  h = hash_doubles(h, p->q, m);
  h = hash_doubles(h, p->s, p->nl);
  h = hash_doubles(h, p->f, p->ndof);
  h = hash_doubles(h, p->w, m);
  return hash_doubles(h, p->b, p->nl);
}

static void describe(const ss_problem *p, bench_answer *a) {
  a->dim = p->dim;
  a->contacts = p->nc;
  a->dofs = p->ndof;
  a->bilateral = p->nl;
  a->form = (int)p->form;
  a->hash = hash_problem(p);
}

static double *doubles(size_t count) {
  return calloc(count ? count : 1, sizeof(double));
}

typedef struct vectors {
  double *r, *u, *v, *l;
} vectors;

static ss_error solve_once(ss_context *ctx, const ss_problem *p, const ss_options *o,
                           const vectors *x, ss_info *info, double *time_s) {
  memset(x->r, 0, (size_t)p->dim * (size_t)p->nc * sizeof(double));
  double begin = cli_now_s();
  ss_solver *solver = NULL;
  ss_error e = ss_solver_create(ctx, p, o, &solver);
  if (!e) e = ss_solve(solver, x->r, x->u, x->v, x->l, info);
  *time_s = cli_now_s() - begin;
  ss_solver_destroy(solver);
  return e;
}

static ss_error solve_repeatedly(int fd, ss_context *ctx, const ss_problem *p,
                                 const bench_request *q, const vectors *x, bench_answer *a) {
  ss_info info = {0};
  for (int k = 0; k < q->repeat; k++) {
    double time_s;
    send_message(fd, SOLVING, NULL);
    ss_error e = solve_once(ctx, p, &q->options, x, &info, &time_s);
    if (e) return e;
    if (k == 0 || time_s < a->time_s) a->time_s = time_s;
    if (info.status != SS_SOLVED) break;  // a second failure teaches nothing
  }
  a->status = (int)info.status;
  a->iterations = info.iterations;
  return SS_OK;
}

// Nothing the solver says about its own answer is believed.
static ss_error solve_and_verify(int fd, ss_context *ctx, const ss_problem *p,
                                 const bench_request *q, bench_answer *a) {
  size_t m = (size_t)p->dim * (size_t)p->nc;
  vectors x = {doubles(m), doubles(m), doubles((size_t)p->ndof), doubles((size_t)p->nl)};
  if (!x.r || !x.u || !x.v || !x.l) return SS_ERR_MEMORY;
  ss_error e = solve_repeatedly(fd, ctx, p, q, &x, a);
  if (e) return e;
  send_message(fd, VERIFYING, NULL);
  ss_verdict verdict;
  ss_solution answer = {.r = x.r, .l = p->nl ? x.l : NULL};
  e = ss_verify(ctx, p, &answer, NULL, NULL, NULL, NULL, &verdict);
  a->measured = verdict.error;
  a->measured_fclib = verdict.error_fclib;
  a->penetration = verdict.penetration;
  return e;
}

static ss_error check_memory(ss_context *ctx, const ss_problem *p) {
  double bytes, there = cli_memory_available();
  ss_error e = ss_problem_memory(ctx, p, &bytes);
  if (e || !(bytes > there)) return e;
  snprintf(ctx->message, sizeof ctx->message,
           "solving it takes about %.3g GB of memory, and %.3g GB are available; --any-size tries "
           "it all the same",
           1e-9 * bytes, 1e-9 * there);
  return SS_ERR_MEMORY;
}

// No isolation of HDF5: this process is the isolation.
static ss_error work(int fd, ss_context *ctx, const bench_request *q, bench_answer *a) {
  ss_file *f = NULL;
  const ss_read_options o = {.check = !q->solver};  // a solver checks by itself
  ss_error e = ss_file_open(ctx, q->path, &o, &f);
  if (e) return e;
  if (f->gap || f->rate) {
    snprintf(ctx->message, sizeof ctx->message, "%s: an instant, which stickslip status reads",
             q->path);
    return SS_ERR_FORMAT;
  }
  describe(&f->problem, a);
  if (q->solver && !q->any_size && (e = check_memory(ctx, &f->problem))) return e;
  return q->solver ? solve_and_verify(fd, ctx, &f->problem, q, a) : SS_OK;
}

// No output of ours, no core files, no handlers: a crash just ends this process. The parent answers
// SIGINT for both, and takes the child with it when it is killed.
static void enter_child(pid_t parent) {
  for (int k = 1; k < NSIG; k++) signal(k, SIG_DFL);
  signal(SIGINT, SIG_IGN);
  int null = open("/dev/null", O_RDWR);
  for (int fd = STDIN_FILENO; null >= 0 && fd <= STDERR_FILENO; fd++) dup2(null, fd);
  setrlimit(RLIMIT_CORE, &(struct rlimit){0});
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
  if (getppid() != parent) _exit(1);
}

static void run_child(int fd, pid_t parent, const bench_request *q) {
  enter_child(parent);
  ss_context ctx = {0};
  bench_answer a = {.iterations = -1, .measured = NAN, .measured_fclib = NAN};
  ss_error e = work(fd, &ctx, q, &a);
  a.error = (int)e;
  if (e) snprintf(a.text, sizeof a.text, "%s", ss_error_detail(&ctx, e));
  send_message(fd, DONE, &a);
  _exit(0);
}

// ---- the parent -----------------------------------------------------------------------------

// Seconds that a phase may take. Set-up is not polled for the time limit: hence the grace. Reading
// and verifying have no limit of their own; much longer than these is a hang.
static double allowance(worker_phase now, const bench_request *q) {
  double limit = q->options.time_limit_s;
  if (now != SOLVING) return 600;
  return limit > 0 ? 1.1 * limit + 1 : INFINITY;
}

static bool is_sound(const message *m) {
  const bench_answer *a = &m->answer;
  if (m->phase < READING || m->phase > DONE) return false;
  if (m->phase != DONE) return true;
  return memchr(a->text, '\0', sizeof a->text) && a->error <= 0 && a->error >= SS_ERR_UNSUPPORTED &&
         a->status >= SS_UNSOLVED && a->status <= SS_ACCEPTED && a->iterations >= -1 &&
         a->time_s >= 0 && isfinite(a->time_s) && (a->form == SS_REDUCED || a->form == SS_GLOBAL);
}

typedef struct worker_watch {
  int fd;
  worker_phase now;
  double since_s;  // when this phase began
} worker_watch;

typedef enum turn { WAIT, ANSWER, GONE } turn;

// What came within a tenth of a second.
static turn listen_once(worker_watch *w, bench_answer *answer) {
  struct pollfd p = {.fd = w->fd, .events = POLLIN};
  int ready = poll(&p, 1, 100);
  if (ready <= 0) return WAIT;  // nothing yet, or a signal
  message m;
  ssize_t got = read(w->fd, &m, sizeof m);
  if (got < 0 && errno == EINTR) return WAIT;
  if (got != (ssize_t)sizeof m || !is_sound(&m)) return GONE;
  w->now = (worker_phase)m.phase;
  w->since_s = cli_now_s();
  if (w->now != DONE) return WAIT;
  *answer = m.answer;
  return ANSWER;
}

static void kill_child(pid_t child) {
  kill(child, SIGKILL);
  while (waitpid(child, NULL, 0) < 0 && errno == EINTR) continue;
}

// Why a child said no more. One that closed the pipe is about to end; it gets a second for that.
static void explain_end(pid_t child, bench_answer *a) {
  int status = 0;
  pid_t ended = 0;
  for (int k = 0; k < 100 && ended == 0; k++) {
    ended = waitpid(child, &status, WNOHANG);
    if (ended == 0) nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
  }
  int by = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  if (ended != child) {
    kill_child(child);
    snprintf(a->text, sizeof a->text, "sent what is no answer");
  } else if (by) {
    snprintf(a->text, sizeof a->text, "ended by signal %d (%s)%s", by, strsignal(by),
             by == SIGKILL ? ", likely for want of memory" : "");
  } else {
    snprintf(a->text, sizeof a->text, "ended with exit status %d and without an answer",
             WEXITSTATUS(status));
  }
}

static bench_end watch_child(worker_watch *w, pid_t child, const bench_request *q,
                             void (*tick)(void *user), void *user, bench_answer *a) {
  static const char *const doing[] = {"reading", "solving", "verifying", ""};
  for (;;) {
    turn t = listen_once(w, a);
    if (t == ANSWER) return kill_child(child), BENCH_ANSWERED;
    if (cli_interrupted()) return kill_child(child), BENCH_INTERRUPTED;
    if (t == GONE) return explain_end(child, a), BENCH_CRASHED;
    tick(user);
    double most = allowance(w->now, q);
    if (cli_now_s() - w->since_s <= most) continue;
    kill_child(child);
    snprintf(a->text, sizeof a->text, "still %s after %.3g s", doing[w->now], most);
    return BENCH_LATE;
  }
}

static bench_end no_process(bench_answer *a, const char *what, int reason) {
  snprintf(a->text, sizeof a->text, "no %s: %s", what, strerror(reason));
  return BENCH_NO_PROCESS;
}

bench_end bench_ask(const bench_request *q, void (*tick)(void *user), void *user,
                    bench_answer *answer, double *elapsed_s) {
  int ends[2];
  *answer = (bench_answer){.iterations = -1, .measured = NAN, .measured_fclib = NAN};
  *elapsed_s = 0;
  if (pipe(ends) != 0) return no_process(answer, "pipe to a child process", errno);
  fflush(NULL);
  pid_t parent = getpid(), child = fork();
  if (child < 0) {
    int reason = errno;
    close(ends[0]), close(ends[1]);
    return no_process(answer, "child process", reason);
  }
  if (child == 0) {
    close(ends[0]);
    run_child(ends[1], parent, q);
  }
  close(ends[1]);
  worker_watch w = {.fd = ends[0], .now = READING, .since_s = cli_now_s()};
  bench_end end = watch_child(&w, child, q, tick, user, answer);
  *elapsed_s = cli_now_s() - w.since_s;
  close(ends[0]);
  return end;
}
