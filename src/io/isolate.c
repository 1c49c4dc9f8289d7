// See isolate.h. Child and parent walk over the same fields of ss_file in the same order, the one
// sending each, the other receiving it, through a pipe:
//
//   notes   'L' level length text          as many as there are, while the reader runs
//   then    'E' code length text           what went wrong, or
//           'F' the fields ... 'Z'         the result
//
// The parent believes nothing: a child may have been overwritten by the file it reads. Counts must
// follow from the sizes sent before, sizes must be possible, matrices must be well formed, and all
// together must stay within a budget.
#define _DEFAULT_SOURCE  // RLIMIT_AS, NSIG
#include "io/isolate.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/timer.h"

#if defined(__SANITIZE_ADDRESS__)
#define WITH_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define WITH_SANITIZER 1
#endif
#endif

enum { MOST_NOTES = 10000, NOTE_SIZE = 512 };

typedef struct channel {
  int fd;
  bool sending;
  bool broken;      // sticky: the other side is gone, late, or talks nonsense
  bool ended;       // the reason was the end of the stream
  bool late;        // the reason was the clock
  bool no_memory;   // the reason was our own memory
  double deadline;  // receiving only, as the next two
  size_t budget;    // bytes that may still come
  ssi_arena *arena;
} channel;

// ---- bytes ---------------------------------------------------------------------------------

static void send_bytes(channel *c, const void *data, size_t size) {
  const char *at = data;
  while (size && !c->broken) {
    ssize_t done = write(c->fd, at, size);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) {
      c->broken = true;
      return;
    }
    at += done, size -= (size_t)done;
  }
}

// Waits until there is something to read or the time is over.
static bool wait_for_bytes(channel *c) {
  for (;;) {
    double left = c->deadline - ssi_now_s();
    if (left <= 0) return c->late = true, false;
    struct pollfd p = {.fd = c->fd, .events = POLLIN};
    int ready = poll(&p, 1, left < 1000 ? (int)(left * 1000) + 1 : 1000000);
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
}

static void receive_bytes(channel *c, void *data, size_t size) {
  char *at = data;
  while (size && !c->broken) {
    ssize_t done = wait_for_bytes(c) ? read(c->fd, at, size) : 0;
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) {
      c->broken = true;
      c->ended = !c->late;
      return;
    }
    at += done, size -= (size_t)done;
  }
}

static void move_bytes(channel *c, void *data, size_t size) {
  if (c->sending)
    send_bytes(c, data, size);
  else
    receive_bytes(c, data, size);
}

// ---- fields --------------------------------------------------------------------------------

static void require(channel *c, bool condition) {
  if (!condition) c->broken = true;
}

static void move_int(channel *c, int *x, int low, int high) {
  move_bytes(c, x, sizeof *x);
  require(c, *x >= low && *x <= high);
  if (c->broken && !c->sending) *x = low;
}

static void *take(channel *c, size_t count, size_t size) {
  require(c, count <= c->budget / size);
  if (c->broken) return NULL;
  c->budget -= count * size;
  void *mem = ssi_arena_take(c->arena, count, size);
  if (!mem) c->no_memory = c->broken = true;
  return mem;
}

// An array that may be absent; its length is known on both sides.
static const void *move_array(channel *c, const void *data, int64_t count, size_t size) {
  int present = data != NULL;
  move_int(c, &present, 0, 1);
  if (!present || c->broken) return NULL;
  if (c->sending) {
    send_bytes(c, data, (size_t)count * size);
    return data;
  }
  void *mem = take(c, (size_t)count, size);
  if (mem) receive_bytes(c, mem, (size_t)count * size);
  return c->broken ? NULL : mem;
}

static const char *move_text(channel *c, const char *text) {
  int length = text ? (int)(strlen(text) < INT_MAX ? strlen(text) : INT_MAX - 1) : -1;
  move_int(c, &length, -1, INT_MAX - 1);
  if (length < 0 || c->broken) return NULL;
  if (c->sending) {
    send_bytes(c, text, (size_t)length);
    return text;
  }
  char *mem = take(c, (size_t)length + 1, 1);  // zeroed, so it ends
  if (mem) receive_bytes(c, mem, (size_t)length);
  return mem;
}

static bool well_formed(const ss_sparse *A) {
  for (int i = 0; i < A->rows; i++)
    for (int64_t k = A->ptr[i]; k < A->ptr[i + 1]; k++)
      if (A->col[k] < 0 || A->col[k] >= A->cols || (k > A->ptr[i] && A->col[k] <= A->col[k - 1]))
        return false;
  return true;
}

static bool pointers_grow(const ss_sparse *A) {
  for (int i = 0; i < A->rows; i++)
    if (A->ptr[i + 1] < A->ptr[i]) return false;
  return A->ptr[0] == 0;
}

static void move_sparse(channel *c, ss_sparse *A, int rows, int cols) {
  move_int(c, &A->rows, 0, INT_MAX);
  move_int(c, &A->cols, 0, INT_MAX);
  A->ptr = move_array(c, A->ptr, (int64_t)A->rows + 1, sizeof *A->ptr);
  if (c->broken || !A->ptr) {
    require(c, c->broken || (A->rows == 0 && A->cols == 0));  // absent
    *A = (ss_sparse){0};
    return;
  }
  require(c, A->rows == rows && A->cols == cols && pointers_grow(A));
  int64_t count = c->broken ? 0 : A->ptr[A->rows];
  A->col = move_array(c, A->col, count, sizeof *A->col);
  A->x = move_array(c, A->x, count, sizeof *A->x);
  require(c, c->sending || (A->col && A->x && !c->broken && well_formed(A)));
}

static void move_solution(channel *c, ss_solution *s, const ss_problem *p) {
  int64_t m = (int64_t)p->dim * p->nc;
  s->r = move_array(c, s->r, m, sizeof(double));
  s->u = move_array(c, s->u, m, sizeof(double));
  s->v = move_array(c, s->v, p->ndof, sizeof(double));
  s->l = move_array(c, s->l, p->nl, sizeof(double));
}

static void move_problem(channel *c, ss_problem *p) {
  int form = (int)p->form;
  move_int(c, &form, SS_REDUCED, SS_GLOBAL);
  p->form = (ss_form)form;
  move_int(c, &p->dim, 2, 3);
  move_int(c, &p->nc, 0, INT_MAX / 3);
  move_int(c, &p->ndof, 0, INT_MAX - 1);
  move_int(c, &p->nl, 0, INT_MAX - 1);
  int m = p->dim * p->nc;
  p->mu = move_array(c, p->mu, p->nc, sizeof(double));
  move_sparse(c, &p->W, m, m);
  move_sparse(c, &p->V, m, p->nl);
  move_sparse(c, &p->R, p->nl, p->nl);
  p->q = move_array(c, p->q, m, sizeof(double));
  p->s = move_array(c, p->s, p->nl, sizeof(double));
  move_sparse(c, &p->M, p->ndof, p->ndof);
  move_sparse(c, &p->H, m, p->ndof);
  move_sparse(c, &p->G, p->ndof, p->nl);
  p->f = move_array(c, p->f, p->ndof, sizeof(double));
  p->w = move_array(c, p->w, m, sizeof(double));
  p->b = move_array(c, p->b, p->nl, sizeof(double));
}

static void move_guesses(channel *c, ss_file *f) {
  move_int(c, &f->guess_count, 0, INT_MAX);
  if (f->guess_count == 0 || c->broken) {
    f->guesses = NULL;
    return;
  }
  ss_solution *received = c->sending ? NULL : take(c, (size_t)f->guess_count, sizeof(ss_solution));
  for (int k = 0; k < f->guess_count && !c->broken; k++) {
    ss_solution guess = c->sending ? f->guesses[k] : (ss_solution){0};
    move_solution(c, &guess, &f->problem);
    if (received) received[k] = guess;
  }
  if (!c->sending) f->guesses = received;
}

static void move_file(channel *c, ss_file *f) {
  int format = (int)f->format;
  move_int(c, &format, SS_FORMAT_AUTO, SS_FORMAT_JSON);
  f->format = (ss_format)format;
  move_problem(c, &f->problem);
  move_solution(c, &f->solution, &f->problem);
  move_guesses(c, f);
  f->normals = move_array(c, f->normals, (int64_t)f->problem.dim * f->problem.nc, sizeof(double));
  f->title = move_text(c, f->title);
  f->description = move_text(c, f->description);
  f->math_info = move_text(c, f->math_info);
  f->memory = NULL;
}

// ---- the child -----------------------------------------------------------------------------

static void send_text(channel *c, const char *tag, int number, const char *text) {
  int length = (int)strnlen(text, NOTE_SIZE - 1);
  send_bytes(c, tag, 1);
  send_bytes(c, &number, sizeof number);
  send_bytes(c, &length, sizeof length);
  send_bytes(c, text, (size_t)length);
}

static void send_note(void *user, ss_level level, const char *text) {
  send_text(user, "L", (int)level, text);
}

static void lower_limit(int which, rlim_t value) {
  struct rlimit now;
  if (getrlimit(which, &now) != 0) return;
  if (now.rlim_max != RLIM_INFINITY && value > now.rlim_max) value = now.rlim_max;
  now.rlim_cur = value;
  setrlimit(which, &now);
}

// Address space beyond what the parent had already: room for every array of the file and libhdf5's
// work on them. Sanitizers map far more than that for themselves.
static void limit_memory(size_t size) {
#ifndef WITH_SANITIZER
  long pages = 0;
  FILE *f = fopen("/proc/self/statm", "r");
  if (f) {
    if (fscanf(f, "%ld", &pages) != 1) pages = 0;
    fclose(f);
  }
  if (pages > 0 && size < SIZE_MAX / 128)
    lower_limit(RLIMIT_AS, (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + ((rlim_t)4 << 30) +
                               64 * (rlim_t)size);
#else
  (void)size;
#endif
}

// No output of ours, no signal handlers of the caller: a crash just ends this process.
static void enter_child(double seconds, size_t size) {
  for (int s = 1; s < NSIG; s++) signal(s, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  int null = open("/dev/null", O_RDWR);
  if (null >= 0) {
    dup2(null, STDIN_FILENO);
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
  }
  lower_limit(RLIMIT_CORE, 0);
  lower_limit(RLIMIT_CPU, (rlim_t)seconds + 1);
  limit_memory(size);
}

static void run_child(int fd, ssi_reader reader, double seconds, const ssi_source *in,
                      ss_file *out) {
  if (fd <= STDERR_FILENO) fd = fcntl(fd, F_DUPFD, STDERR_FILENO + 1);  // the caller had it closed
  channel c = {.fd = fd, .sending = true};
  ss_context ctx = {.log = send_note, .user = &c};
  ssi_arena arena = {.ctx = &ctx};
  enter_child(seconds, in->size);
  ss_error e = reader(&ctx, in, &arena, out);
  if (e) {
    send_text(&c, "E", (int)e, ss_error_detail(&ctx, e));
  } else {
    send_bytes(&c, "F", 1);
    move_file(&c, out);
    send_bytes(&c, "Z", 1);
  }
  _exit(c.broken ? 1 : 0);
}

// ---- the parent ----------------------------------------------------------------------------

typedef struct child_outcome {
  ss_error error;  // as the child said it
  char text[NOTE_SIZE];
  bool complete;  // the child said all it had to say
} child_outcome;

static void receive_text(channel *c, char *text) {
  int length = 0;
  move_int(c, &length, 0, NOTE_SIZE - 1);
  if (!c->broken) receive_bytes(c, text, (size_t)length);
  text[c->broken ? 0 : length] = 0;
}

static void receive_result(channel *c, ss_context *ctx, ss_file *out, child_outcome *o) {
  char tag = 0;
  receive_bytes(c, &tag, 1);
  for (int notes = 0; tag == 'L' && notes < MOST_NOTES && !c->broken; notes++) {
    int level = 0;
    move_int(c, &level, SS_LOG_ERROR, SS_LOG_DEBUG);
    receive_text(c, o->text);
    if (!c->broken) ssi_log(ctx, (ss_level)level, "%s", o->text);
    receive_bytes(c, &tag, 1);
  }
  if (tag == 'E') {
    int code = 0;
    move_int(c, &code, SS_ERR_UNSUPPORTED, SS_ERR_MEMORY);
    receive_text(c, o->text);
    o->error = (ss_error)code;
  } else if (tag == 'F') {
    *out = (ss_file){0};
    move_file(c, out);
    receive_bytes(c, &tag, 1);
    require(c, tag == 'Z');
  } else {
    c->broken = true;
  }
  o->complete = !c->broken;
}

// What the child's end means when it did not give a result.
static ss_error explain(ss_context *ctx, const char *name, const char *library, const channel *c,
                        double seconds, int status) {
  int by = status >= 0 && WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  if (c->no_memory) return ssi_fail(ctx, SS_ERR_MEMORY, "%s: no memory", name);
  if (c->late || by == SIGXCPU)
    return ssi_fail(ctx, SS_ERR_FORMAT,
                    "%s: %s did not finish reading this file within %.0f s; it is damaged", name,
                    library, seconds);
  if (by == SIGINT || by == SIGTERM || by == SIGHUP || by == SIGQUIT)
    return ssi_fail(ctx, SS_ERR_READ, "%s: interrupted (signal %d) while reading", name, by);
  if (by == SIGKILL)
    return ssi_fail(ctx, SS_ERR_MEMORY, "%s: killed while reading, likely for want of memory",
                    name);
  if (by)
    return ssi_fail(ctx, SS_ERR_FORMAT,
                    "%s: %s crashed (signal %d) while reading this file; it is damaged", name,
                    library, by);
  return ssi_fail(ctx, SS_ERR_FORMAT, "%s: %s failed without a result on this file; it is damaged",
                  name, library);
}

static int kill_child(pid_t child) {
  int status = -1;
  kill(child, SIGKILL);
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return status >= 0 && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL ? -1 : status;
}

// The child's own end as waitpid tells it; -1 where we had to end it, or where the caller ignores
// SIGCHLD or was faster. A child that closed the pipe is waited for, but not beyond the deadline.
static int reap(channel *c, pid_t child) {
  if (c->broken && !c->ended) return kill_child(child);
  for (long pause_ns = 20000;; pause_ns = pause_ns < 10000000 ? 2 * pause_ns : pause_ns) {
    int status = -1;
    pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child) return status;
    if (ended < 0 && errno != EINTR) return -1;
    if (ssi_now_s() > c->deadline) return c->late = true, kill_child(child);
    nanosleep(&(struct timespec){.tv_nsec = pause_ns}, NULL);
  }
}

// Every array of a file fits well within this; see unpacked_limit in hdf5_node.c.
static size_t budget_for(const ssi_source *in) {
  size_t floor = (size_t)1 << 30, ratio = 4 * 1032;
  return in->size < (SIZE_MAX - floor) / ratio ? floor + in->size * ratio : SIZE_MAX;
}

ss_error ssi_isolate(ss_context *ctx, ssi_reader reader, const char *library, double seconds,
                     const ssi_source *in, ssi_arena *arena, ss_file *out) {
  int ends[2];
  if (pipe(ends) != 0)
    return ssi_fail(ctx, SS_ERR_MEMORY, "%s: no pipe to a child process: %s", in->name,
                    strerror(errno));
  fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  fcntl(ends[1], F_SETFD, FD_CLOEXEC);
  pid_t child = fork();
  if (child < 0) {
    int reason = errno;
    close(ends[0]), close(ends[1]);
    return ssi_fail(ctx, SS_ERR_MEMORY, "%s: no child process: %s", in->name, strerror(reason));
  }
  if (child == 0) {
    close(ends[0]);
    run_child(ends[1], reader, seconds, in, out);
  }
  close(ends[1]);
  channel c = {
      .fd = ends[0], .deadline = ssi_now_s() + seconds, .budget = budget_for(in), .arena = arena};
  child_outcome o = {0};
  receive_result(&c, ctx, out, &o);
  int status = reap(&c, child);  // before closing, which would be a signal of its own
  close(ends[0]);
  if (!o.complete) return explain(ctx, in->name, library, &c, seconds, status);
  if (o.error) return ssi_fail(ctx, o.error, "%s", o.text);
  return SS_OK;
}

// ---- FCLIB ---------------------------------------------------------------------------------

static double seconds_for(const ssi_source *in) {
  return 60 + (double)in->size / 1e6;  // libhdf5 reads some 1000 times faster than that
}

ss_error ssi_read_fclib_isolated(ss_context *ctx, const ssi_source *in, ssi_arena *arena,
                                 ss_file *out) {
  return ssi_isolate(ctx, ssi_read_fclib, "libhdf5", seconds_for(in), in, arena, out);
}

static ss_error read_solution(ss_context *ctx, const ssi_source *in, ssi_arena *arena,
                              ss_file *out) {
  return ssi_read_fclib_solution(ctx, in, out, arena, &out->solution);
}

ss_error ssi_read_fclib_solution_isolated(ss_context *ctx, const ssi_source *in,
                                          const ss_file *problem, ssi_arena *arena,
                                          ss_solution *out) {
  const ss_problem *p = &problem->problem;
  ss_problem sizes = {.form = p->form, .dim = p->dim, .nc = p->nc, .ndof = p->ndof, .nl = p->nl};
  ss_file carrier = {.format = SS_FORMAT_FCLIB, .problem = sizes};
  SS_TRY(ssi_isolate(ctx, read_solution, "libhdf5", seconds_for(in), in, arena, &carrier));
  const ss_problem *got = &carrier.problem;
  if (got->form != p->form || got->dim != p->dim || got->nc != p->nc || got->ndof != p->ndof ||
      got->nl != p->nl)
    return ssi_fail(ctx, SS_ERR_FORMAT, "%s: libhdf5 overwrote memory; the file is damaged",
                    in->name);
  *out = carrier.solution;
  return SS_OK;
}
