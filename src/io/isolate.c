// See isolate.h. What the child says through a pipe (channel.h):
//
//   notes   'L' level length text          as many as there are, while the reader runs
//   then    'E' code length text           what went wrong, or
//           'F' the fields ... 'Z'         the result
#define _POSIX_C_SOURCE 200809L
#include "io/isolate.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/timer.h"
#include "io/channel.h"
#include "io/confine.h"

enum { MOST_NOTES = 10000, NOTE_SIZE = 512 };

// ---- the child -----------------------------------------------------------------------------

static void send_text(ssi_channel *c, const char *tag, int number, const char *text) {
  int length = (int)strnlen(text, NOTE_SIZE - 1);
  ssi_channel_send(c, tag, 1);
  ssi_channel_send(c, &number, sizeof number);
  ssi_channel_send(c, &length, sizeof length);
  ssi_channel_send(c, text, (size_t)length);
}

static void send_note(void *user, ss_level level, const char *text) {
  send_text(user, "L", (int)level, text);
}

static void run_child(pid_t parent, int fd, ssi_reader reader, double seconds, const ssi_source *in,
                      ss_file *out) {
  if (fd <= STDERR_FILENO) fd = fcntl(fd, F_DUPFD, STDERR_FILENO + 1);  // the caller had it closed
  ssi_channel c = {.fd = fd, .sending = true};
  ss_context ctx = {.log = send_note, .user = &c};
  ssi_arena arena = {.ctx = &ctx};
  ssi_confine(parent, fd, seconds, in->size);
  ss_error e = reader(&ctx, in, &arena, out);
  if (e) {
    send_text(&c, "E", (int)e, ss_error_detail(&ctx, e));
  } else {
    ssi_channel_send(&c, "F", 1);
    ssi_channel_file(&c, out);
    ssi_channel_send(&c, "Z", 1);
  }
  _exit(c.broken ? 1 : 0);
}

// ---- the parent ----------------------------------------------------------------------------

typedef struct child_outcome {
  ss_error error;  // as the child said it
  char text[NOTE_SIZE];
  bool complete;  // the child said all it had to say
} child_outcome;

static void receive_text(ssi_channel *c, char *text) {
  int length = 0;
  ssi_channel_int(c, &length, 0, NOTE_SIZE - 1);
  if (!c->broken) ssi_channel_receive(c, text, (size_t)length);
  text[c->broken ? 0 : length] = 0;
}

static void receive_result(ssi_channel *c, ss_context *ctx, ss_file *out, child_outcome *o) {
  char tag = 0;
  ssi_channel_receive(c, &tag, 1);
  for (int notes = 0; tag == 'L' && notes < MOST_NOTES && !c->broken; notes++) {
    int level = 0;
    ssi_channel_int(c, &level, SS_LOG_ERROR, SS_LOG_DEBUG);
    receive_text(c, o->text);
    if (!c->broken) ssi_log(ctx, (ss_level)level, "%s", o->text);
    ssi_channel_receive(c, &tag, 1);
  }
  if (tag == 'E') {
    int code = 0;
    ssi_channel_int(c, &code, SS_ERR_UNSUPPORTED, SS_ERR_MEMORY);
    receive_text(c, o->text);
    o->error = (ss_error)code;
  } else if (tag == 'F') {
    *out = (ss_file){0};
    ssi_channel_file(c, out);
    ssi_channel_receive(c, &tag, 1);
    if (tag != 'Z') c->broken = true;
  } else {
    c->broken = true;
  }
  o->complete = !c->broken;
}

// What the child's end means when it did not give a result.
static ss_error explain(ss_context *ctx, const char *name, const char *library,
                        const ssi_channel *c, double seconds, int status) {
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
static int reap(ssi_channel *c, pid_t child) {
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
  pid_t parent = getpid(), child = fork();
  if (child < 0) {
    int reason = errno;
    close(ends[0]), close(ends[1]);
    return ssi_fail(ctx, SS_ERR_MEMORY, "%s: no child process: %s", in->name, strerror(reason));
  }
  if (child == 0) {
    close(ends[0]);
    run_child(parent, ends[1], reader, seconds, in, out);
  }
  close(ends[1]);
  ssi_channel c = {
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
