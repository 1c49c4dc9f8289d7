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
#include "cli/hash.h"
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

// Over the bytes of every array that the problem has.
static uint64_t hash_doubles(uint64_t h, const double *x, int count) {
  return cli_hash_bytes(h, x, (size_t)count * sizeof *x);
}

static uint64_t hash_sparse(uint64_t h, const ss_sparse *A) {
  if (!A->ptr) return cli_hash_bytes(h, "-", 1);
  size_t entries = (size_t)A->ptr[A->rows];
  h = cli_hash_bytes(h, A->ptr, ((size_t)A->rows + 1) * sizeof *A->ptr);
  h = cli_hash_bytes(h, A->col, entries * sizeof *A->col);
  return cli_hash_bytes(h, A->x, entries * sizeof *A->x);
}

static uint64_t hash_problem(const ss_problem *p) {
  const int sizes[] = {(int)p->form, p->dim, p->nc, p->ndof, p->nl};
  const ss_sparse *const matrices[] = {&p->W, &p->V, &p->R, &p->M, &p->H, &p->G};
  uint64_t h = cli_hash_bytes(CLI_HASH_BEGIN, sizes, sizeof sizes);
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
  if (ss_run_is_run(q->path)) {
    snprintf(ctx->message, sizeof ctx->message,
             "%s: this is a run, expected a problem; run stickslip info RUN", q->path);
    return SS_ERR_FORMAT;
  }
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

typedef enum turn { WAIT, ANSWER, GONE } turn;

// What has come.
static turn listen_once(bench_child *c) {
  message m;
  ssize_t got = read(c->fd, &m, sizeof m);
  if (got < 0 && errno == EINTR) return WAIT;
  if (got != (ssize_t)sizeof m || !is_sound(&m)) return GONE;
  c->phase = m.phase;
  c->since_s = cli_now_s();
  if (c->phase != DONE) return WAIT;
  c->answer = m.answer;
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

static void end_child(bench_child *c, bench_end end) {
  c->elapsed_s = cli_now_s() - c->since_s;
  c->end = end;
  close(c->fd);
  c->pid = 0;
}

static void start_child(bench_child *c, const bench_request *q) {
  int ends[2];
  *c = (bench_child){.request = *q, .phase = READING, .end = BENCH_NO_PROCESS};
  c->answer = (bench_answer){.iterations = -1, .measured = NAN, .measured_fclib = NAN};
  if (pipe(ends) != 0) {
    snprintf(c->answer.text, sizeof c->answer.text, "no pipe to a child process: %s",
             strerror(errno));
    return;
  }
  fflush(NULL);
  pid_t parent = getpid(), child = fork();
  if (child == 0) {
    close(ends[0]);
    run_child(ends[1], parent, q);
  }
  if (child < 0)
    snprintf(c->answer.text, sizeof c->answer.text, "no child process: %s", strerror(errno));
  close(ends[1]);
  if (child < 0) {
    close(ends[0]);
    return;
  }
  c->pid = child;
  c->fd = ends[0];
  c->since_s = cli_now_s();
}

// What one child has come to; true where it has ended.
static bool look_after(bench_child *c, bool ready) {
  static const char *const doing[] = {"reading", "solving", "verifying", ""};
  turn t = ready ? listen_once(c) : WAIT;
  if (t == ANSWER) return kill_child(c->pid), end_child(c, BENCH_ANSWERED), true;
  if (t == GONE) return explain_end(c->pid, &c->answer), end_child(c, BENCH_CRASHED), true;
  double most = allowance((worker_phase)c->phase, &c->request);
  if (cli_now_s() - c->since_s <= most) return false;
  kill_child(c->pid);
  snprintf(c->answer.text, sizeof c->answer.text, "still %s after %.3g s", doing[c->phase], most);
  return end_child(c, BENCH_LATE), true;
}

static void stop_all(bench_child *children, int jobs) {
  for (int k = 0; k < jobs; k++)
    if (children[k].pid) kill_child(children[k].pid), end_child(children + k, BENCH_INTERRUPTED);
}

// Gives work to those that have none, then waits up to a tenth of a second. Sets *busy to how many have some.
static int go_round(const bench_queue *q, bench_child *children, int *busy) {
  struct pollfd fds[BENCH_JOBS_MAX];
  *busy = 0;
  for (int k = 0; k < q->jobs; k++) {
    bench_request next;
    if (!children[k].pid && q->next(q->user, &next)) {
      start_child(children + k, &next);
      if (!children[k].pid) return q->done(q->user, children + k);
    }
    fds[k] = (struct pollfd){.fd = children[k].pid ? children[k].fd : -1, .events = POLLIN};
    *busy += children[k].pid != 0;
  }
  if (!*busy) return CLI_GO_ON;
  if (poll(fds, (nfds_t)q->jobs, 100) < 0 && errno != EINTR) return CLI_RESOURCES;
  int status = CLI_GO_ON;
  for (int k = 0; k < q->jobs && status == CLI_GO_ON; k++)
    if (children[k].pid && look_after(children + k, fds[k].revents != 0))
      status = q->done(q->user, children + k);
  q->tick(q->user);
  return status;
}

int bench_run(const bench_queue *q) {
  bench_child *children = calloc((size_t)q->jobs, sizeof *children);
  if (!children) return cli_fail(q->session, CLI_RESOURCES, "out of memory for the processes");
  int status = CLI_GO_ON, busy = 1;
  while (status == CLI_GO_ON && busy)
    status = cli_interrupted() ? CLI_RESOURCES : go_round(q, children, &busy);
  stop_all(children, q->jobs);
  free(children);
  return status;
}
