// Each point is a process of its own, `stickslip simulate SCENE --json ...`: a crash costs the point, and what a sweep
// says of a point is what a user gets who runs it alone.
#define _GNU_SOURCE  // pipe2
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "cli/interrupt.h"
#include "cli/sweep.h"

typedef struct runner {
  pid_t pid;  // 0: idle
  int fd, point;
  char *text;
  size_t used, room;
} runner;

enum { WORDS_MAX = 96 };

static void become_simulate(const sweep_job *w, int point, int out) {
  const char *argv[WORDS_MAX + 8] = {"stickslip", "simulate", w->scene, "--json", "--quiet"};
  int count = 5;
  char *changes = sweep_changes(w, point);
  if (!changes) _exit(4);
  for (int k = 0; k < w->word_count; k++) argv[count++] = w->words[k];
  if (!w->mechanism) argv[count++] = "--set", argv[count++] = changes;
  for (char *rest = changes, *part; w->mechanism && (part = strtok_r(rest, ";", &rest));)
    argv[count++] = "-p", argv[count++] = part;
  argv[count] = NULL;
  int null = open("/dev/null", O_RDWR);
  dup2(null, STDIN_FILENO), dup2(out, STDOUT_FILENO), dup2(null, STDERR_FILENO);
  signal(SIGINT, SIG_IGN);
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
  execv("/proc/self/exe", (char *const *)argv);
  _exit(4);
}

static int start(cli_session *s, const sweep_job *w, int point, runner *r) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return cli_fail(s, CLI_RESOURCES, "no pipe to a process: %s", strerror(errno));
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) become_simulate(w, point, ends[1]);
  close(ends[1]);
  if (child < 0) {
    close(ends[0]);
    return cli_fail(s, CLI_RESOURCES, "no process: %s", strerror(errno));
  }
  *r = (runner){.pid = child, .fd = ends[0], .point = point, .text = r->text, .room = r->room};
  return CLI_GO_ON;
}

// false: it has said all.
static bool listen_to(cli_session *s, runner *r) {
  if (r->used + 4096 > r->room) {
    char *more = realloc(r->text, 2 * r->room + 8192);
    if (!more) {
      s->out_of_memory = true;
      return false;
    }
    r->text = more, r->room = 2 * r->room + 8192;
  }
  ssize_t got = read(r->fd, r->text + r->used, r->room - r->used);
  if (got > 0) r->used += (size_t)got;
  return got > 0 || (got < 0 && errno == EINTR);
}

static void reap(runner *r, bool kill_it, int *status) {
  if (kill_it) kill(r->pid, SIGKILL);
  while (waitpid(r->pid, status, 0) < 0 && errno == EINTR) continue;
  close(r->fd);
  r->pid = 0;
}

// What it printed, or that it crashed.
static json_t *result_of(cli_session *s, const runner *r, int status) {
  json_t *o = json_loadb(r->text, r->used, 0, NULL);
  if (!json_is_object(o)) {
    json_decref(o);
    o = json_object();
    char text[80];
    if (WIFSIGNALED(status))
      snprintf(text, sizeof text, "ended by signal %d", WTERMSIG(status));
    else
      snprintf(text, sizeof text, "ended with exit status %d and without an answer",
               WEXITSTATUS(status));
    cli_put(s, o, "status", json_string("crashed"));
    cli_put(s, o, "message", json_string(text));
  }
  cli_put(s, o, "exit_status", json_integer(WIFEXITED(status) ? WEXITSTATUS(status) : -1));
  return o;
}

static int next_point(const sweep_job *w, int from) {
  while (from < w->point_count && (w->results[from] || !sweep_is_ours(w, from))) from++;
  return from;
}

static int serve(cli_session *s, sweep_job *w, runner *r, short came) {
  if (!came || listen_to(s, r)) return CLI_GO_ON;
  int status = 0;
  reap(r, s->out_of_memory, &status);
  if (s->out_of_memory) return cli_fail(s, CLI_RESOURCES, "out of memory for what simulate prints");
  w->results[r->point] = result_of(s, r, status);
  return sweep_lines_add(s, w, r->point);
}

static int go_round(cli_session *s, sweep_job *w, runner *runners, int *next, int *busy) {
  struct pollfd fds[SWEEP_JOBS_MAX];
  *busy = 0;
  for (int k = 0; k < w->o.jobs; k++) {
    *next = next_point(w, *next);
    if (!runners[k].pid && *next < w->point_count) {
      int status = start(s, w, (*next)++, runners + k);
      if (status != CLI_GO_ON) return status;
    }
    fds[k] = (struct pollfd){.fd = runners[k].pid ? runners[k].fd : -1, .events = POLLIN};
    *busy += runners[k].pid != 0;
  }
  if (!*busy || poll(fds, (nfds_t)w->o.jobs, 100) < 0) return CLI_GO_ON;
  int status = CLI_GO_ON;
  for (int k = 0; k < w->o.jobs && status == CLI_GO_ON; k++)
    if (runners[k].pid) status = serve(s, w, runners + k, fds[k].revents);
  return status;
}

int sweep_run(cli_session *s, sweep_job *w, void (*tick)(void *user, int point), void *user) {
  runner *runners = calloc((size_t)w->o.jobs, sizeof *runners);
  if (!runners) return cli_fail(s, CLI_RESOURCES, "out of memory");
  int status = CLI_GO_ON, busy = 1, next = 0;
  while (status == CLI_GO_ON && busy) {
    status = cli_interrupted() ? CLI_RESOURCES : go_round(s, w, runners, &next, &busy);
    tick(user, next);
  }
  for (int k = 0; k < w->o.jobs; k++) {
    int ended;
    if (runners[k].pid) reap(runners + k, true, &ended);
    free(runners[k].text);
  }
  free(runners);
  return status;
}
