// See page_jobs.h.
#define _GNU_SOURCE  // memfd_create, pipe2, posix_spawn_file_actions_addfchdir_np
#include "serve/page_jobs.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/timer.h"
#include "serve/headers.h"

enum { WORKERS = 2, MOST_WAITING = 64, MOST_KEPT = 8 };
static const off_t most_bytes_kept = 200000000;

typedef enum job_state { WAITING, BEING_MADE, READY } job_state;

struct ssi_page_job {
  ssi_page_job *next;  // the newest first
  // which page: a file of a folder in one of its versions
  dev_t device;
  ino_t inode;
  char name[256], version[80];
  int folder;  // descriptor; -1 once it is ready
  job_state state;
  int users;    // connections that have it
  bool old;     // a newer version of the file has been asked for
  pid_t child;  // that makes it; 0: none
  struct MHD_Connection **waiting;
  size_t waiting_count, waiting_room;
  struct MHD_Response *page;
  off_t bytes;
  int exit_status;
  char message[2000];
};

struct ssi_page_jobs {
  pthread_mutex_t lock;
  pthread_cond_t more;
  pthread_t workers[WORKERS];
  int worker_count;
  bool stopping;
  double seconds;
  char *program;
  ssi_page_job *first;
};

// ---- the process -----------------------------------------------------------------------------

// PROGRAM report ./NAME in the folder: the page to `out`, messages to `err`. 0: it could not be started.
static pid_t start_child(const char *program, const ssi_page_job *job, int out, int err) {
  char file[300];
  snprintf(file, sizeof file, "./%s", job->name);
  char *const arguments[] = {"stickslip", "report", "--quiet", "--live", "-o",
                             "-",         "--",     file,      NULL};
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t none;
  pid_t child = 0;
  extern char **environ;
  sigemptyset(&none);
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setpgroup(&attributes,
                            0);  // Ctrl-C is for the server, which ends its processes itself
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
  posix_spawn_file_actions_addfchdir_np(&actions, job->folder);
  if (posix_spawn(&child, program, &actions, &attributes, arguments, environ) != 0) child = 0;
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return child;
}

// What the process says, until it ends; false: not within the time.
static bool listen_to(int fd, double deadline, char *message, size_t room) {
  size_t length = 0;
  for (;;) {
    double left = deadline - ssi_now_s();
    struct pollfd p = {.fd = fd, .events = POLLIN};
    int n = left > 0 ? poll(&p, 1, left > 1000 ? 1000000 : (int)(1000 * left) + 1) : 0;
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    char said[512];
    ssize_t got = read(fd, said, sizeof said);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return true;
    size_t keep = (size_t)got < room - 1 - length ? (size_t)got : room - 1 - length;
    memcpy(message + length, said, keep);
    message[length += keep] = 0;
  }
}

static void set_child(ssi_page_jobs *jobs, ssi_page_job *job, pid_t child) {
  pthread_mutex_lock(&jobs->lock);
  job->child = child;
  if (child && jobs->stopping) kill(-child, SIGKILL);
  pthread_mutex_unlock(&jobs->lock);
}

static int wait_for(pid_t child) {
  int status = 0;
  pid_t ended;
  while ((ended = waitpid(child, &status, 0)) < 0 && errno == EINTR) continue;
  return ended == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void run_child(ssi_page_jobs *jobs, ssi_page_job *job, int out) {
  int ends[2];
  job->exit_status = -1;
  snprintf(job->message, sizeof job->message, "The page could not be made: no process for it.");
  if (pipe2(ends, O_CLOEXEC) != 0) return;
  pid_t child = start_child(jobs->program, job, out, ends[1]);
  close(ends[1]);
  if (child) {
    job->message[0] = 0;
    set_child(jobs, job, child);
    bool in_time =
        listen_to(ends[0], ssi_now_s() + jobs->seconds, job->message, sizeof job->message);
    if (!in_time) kill(-child, SIGKILL);
    set_child(jobs, job, 0);
    job->exit_status = wait_for(child);
    for (size_t n = strlen(job->message); n && job->message[n - 1] == '\n';) job->message[--n] = 0;
    if (!in_time)
      snprintf(job->message, sizeof job->message, "The page took more than %.0f s to make.",
               jobs->seconds);
    else if (job->exit_status < 0)
      snprintf(job->message, sizeof job->message,
               "The page could not be made: the process that reads this file crashed.");
  }
  close(ends[0]);
}

static void make_page(ssi_page_jobs *jobs, ssi_page_job *job) {
  int out = memfd_create("stickslip-page", MFD_CLOEXEC);
  if (out >= 0) run_child(jobs, job, out);
  off_t bytes = out < 0 ? 0 : lseek(out, 0, SEEK_END);
  if (out >= 0 && job->exit_status == 0 && bytes > 0) {
    job->page = MHD_create_response_from_fd64((uint64_t)bytes, out);
    job->bytes = bytes;
    if (job->page)
      ssi_served_headers(job->page, SSI_POLICY_PAGE, "text/html; charset=utf-8", job->version);
  }
  if (!job->page && out >= 0) close(out);  // a response closes it
  close(job->folder);
  job->folder = -1;
}

// ---- the list --------------------------------------------------------------------------------

static void release(ssi_page_job *job) {
  if (job->folder >= 0) close(job->folder);
  if (job->page) MHD_destroy_response(job->page);
  ssi_release(NULL, job->waiting);
  ssi_release(NULL, job);
}

// Those that nobody uses, but for the newest few.
static void forget_old(ssi_page_jobs *jobs) {
  int kept = 0;
  off_t bytes = 0;
  for (ssi_page_job **at = &jobs->first; *at;) {
    ssi_page_job *job = *at;
    bool idle = job->state == READY && job->users == 0;
    bool keep = job->page && !job->old && kept < MOST_KEPT &&
                bytes + job->bytes <= most_bytes_kept && !jobs->stopping;
    if (idle && !keep) {
      *at = job->next;
      release(job);
      continue;
    }
    if (idle) kept++, bytes += job->bytes;
    at = &job->next;
  }
}

static ssi_page_job *oldest_waiting(ssi_page_jobs *jobs) {
  ssi_page_job *found = NULL;
  for (ssi_page_job *job = jobs->first; job; job = job->next)
    if (job->state == WAITING) found = job;
  return found;
}

// With the lock held.
static void finish(ssi_page_job *job) {
  job->state = READY;
  for (size_t k = 0; k < job->waiting_count; k++) MHD_resume_connection(job->waiting[k]);
  job->waiting_count = 0;
}

static void *work(void *user) {
  ssi_page_jobs *jobs = user;
  pthread_mutex_lock(&jobs->lock);
  for (;;) {
    ssi_page_job *job = jobs->stopping ? NULL : oldest_waiting(jobs);
    if (job) {
      job->state = BEING_MADE;
      pthread_mutex_unlock(&jobs->lock);
      make_page(jobs, job);
      pthread_mutex_lock(&jobs->lock);
      finish(job);
    } else if (jobs->stopping) {
      break;
    } else {
      pthread_cond_wait(&jobs->more, &jobs->lock);
    }
  }
  pthread_mutex_unlock(&jobs->lock);
  return NULL;
}

ssi_page_jobs *ssi_page_jobs_create(const char *program, double seconds) {
  ssi_page_jobs *jobs = ssi_alloc(NULL, 1, sizeof *jobs);
  if (!jobs) return NULL;
  *jobs = (ssi_page_jobs){.seconds = seconds, .program = strdup(program)};
  pthread_mutex_init(&jobs->lock, NULL);
  pthread_cond_init(&jobs->more, NULL);
  // signals are for the threads of the caller
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  while (jobs->program && jobs->worker_count < WORKERS &&
         pthread_create(&jobs->workers[jobs->worker_count], NULL, work, jobs) == 0)
    jobs->worker_count++;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (jobs->worker_count == WORKERS) return jobs;
  ssi_page_jobs_stop(jobs);
  ssi_page_jobs_destroy(jobs);
  return NULL;
}

void ssi_page_jobs_stop(ssi_page_jobs *jobs) {
  pthread_mutex_lock(&jobs->lock);
  jobs->stopping = true;
  for (ssi_page_job *job = jobs->first; job; job = job->next) {
    if (job->child) kill(-job->child, SIGKILL);
    if (job->state == WAITING) {
      snprintf(job->message, sizeof job->message, "The server ends.");
      job->exit_status = -1;
      finish(job);
    }
  }
  pthread_cond_broadcast(&jobs->more);
  pthread_mutex_unlock(&jobs->lock);
  for (int k = 0; k < jobs->worker_count; k++) pthread_join(jobs->workers[k], NULL);
  jobs->worker_count = 0;
}

void ssi_page_jobs_destroy(ssi_page_jobs *jobs) {
  if (!jobs) return;
  for (ssi_page_job *job = jobs->first, *next; job; job = next) {
    next = job->next;
    release(job);
  }
  pthread_cond_destroy(&jobs->more);
  pthread_mutex_destroy(&jobs->lock);
  free(jobs->program);
  ssi_release(NULL, jobs);
}

// ---- who asks --------------------------------------------------------------------------------

static bool is_of_file(const ssi_page_job *job, const struct stat *folder, const ssi_served *file) {
  return job->device == folder->st_dev && job->inode == folder->st_ino &&
         strcmp(job->name, file->name) == 0;
}

static bool is_page_of(const ssi_page_job *job, const struct stat *folder, const ssi_served *file) {
  bool failed = job->state == READY && !job->page;  // the next one may have more luck
  return !failed && is_of_file(job, folder, file) && strcmp(job->version, file->version) == 0;
}

static ssi_page_job *add_job(ssi_page_jobs *jobs, const struct stat *folder,
                             const ssi_served *file) {
  int waiting = 0;
  for (ssi_page_job *job = jobs->first; job; job = job->next) waiting += job->state == WAITING;
  ssi_page_job *job =
      waiting < MOST_WAITING && !jobs->stopping ? ssi_alloc(NULL, 1, sizeof *job) : NULL;
  if (!job) return NULL;
  *job = (ssi_page_job){.next = jobs->first,
                        .device = folder->st_dev,
                        .inode = folder->st_ino,
                        .folder = fcntl(file->folder, F_DUPFD_CLOEXEC, 0)};
  memcpy(job->name, file->name, sizeof job->name);
  memcpy(job->version, file->version, sizeof job->version);
  if (job->folder < 0) return ssi_release(NULL, job), NULL;
  for (ssi_page_job *other = jobs->first; other; other = other->next)
    other->old = other->old || is_of_file(other, folder, file);
  return jobs->first = job;
}

static ssi_page_job *join_locked(ssi_page_jobs *jobs, const ssi_served *file,
                                 struct MHD_Connection *c, bool *ready) {
  struct stat folder;
  if (fstat(file->folder, &folder) != 0) return NULL;
  forget_old(jobs);
  ssi_page_job *job = jobs->first;
  while (job && !is_page_of(job, &folder, file)) job = job->next;
  if (!job) job = add_job(jobs, &folder, file);
  if (!job) return NULL;
  *ready = job->state == READY;
  if (!*ready) {
    if (!ssi_grow(NULL, &job->waiting, &job->waiting_room, job->waiting_count + 1,
                  job->waiting_count, sizeof c))
      return NULL;
    job->waiting[job->waiting_count++] = c;
    MHD_suspend_connection(c);
    pthread_cond_signal(&jobs->more);
  }
  job->users++;
  return job;
}

ssi_page_job *ssi_page_job_join(ssi_page_jobs *jobs, const ssi_served *file,
                                struct MHD_Connection *c, bool *ready) {
  pthread_mutex_lock(&jobs->lock);
  ssi_page_job *job = join_locked(jobs, file, c, ready);
  pthread_mutex_unlock(&jobs->lock);
  return job;
}

void ssi_page_job_leave(ssi_page_jobs *jobs, ssi_page_job *job) {
  pthread_mutex_lock(&jobs->lock);
  job->users--;
  forget_old(jobs);
  pthread_mutex_unlock(&jobs->lock);
}

struct MHD_Response *ssi_page_job_page(const ssi_page_job *job) {
  return job->page;
}

const char *ssi_page_job_message(const ssi_page_job *job, int *exit_status) {
  *exit_status = job->exit_status;
  return job->message;
}
