// What is polled may take long to answer: inside a factorisation nobody asks. So the first signal also sets a timer,
// and when the grace it gives is over, the process ends where it is. Nothing that is whole is lost by that: outputs
// appear complete or not at all, and a run goes on from its last part.
#define _POSIX_C_SOURCE 200809L
#include "cli/interrupt.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/session.h"

static const long GRACE_NS = 300000000;  // of half a second: the rest is for the end itself

static volatile sig_atomic_t polled, interrupted, printing;
static char json[300];                // written before the handler is in place
static char left[600];                // what --resume finds; "": nothing
static volatile sig_atomic_t leaves;  // left is there
static timer_t grace;
static bool has_grace;

// Only what POSIX allows in a handler. Where it cannot be said, the process ends all the same.
static void say(int to, const char *text) {
  if (write(to, text, strlen(text)) < 0) return;
}

static void end_now(void) {
  ss_unfinished_remove();
  say(STDERR_FILENO, "stickslip: interrupted\n");
  if (leaves) say(STDERR_FILENO, left);
  if (!printing) say(STDOUT_FILENO, json);
  _exit(CLI_RESOURCES);
}

static void on_signal(int number) {
  (void)number;
  if (!polled || interrupted) end_now();
  interrupted = 1;
  struct itimerspec once = {.it_value = {.tv_nsec = GRACE_NS}};
  if (!has_grace || timer_settime(grace, 0, &once, NULL) != 0) end_now();
}

// Results that are on their way out are not cut in two: those who wait for them can end them by a second signal.
static void on_grace_over(int number) {
  (void)number;
  if (!printing) end_now();
}

static void handle(int number, void (*handler)(int)) {
  struct sigaction a = {.sa_handler = handler, .sa_flags = SA_RESTART};
  sigemptyset(&a.sa_mask);
  sigaction(number, &a, NULL);
}

void cli_interrupt_begin(const char *command) {
  if (command)
    snprintf(json, sizeof json,
             "{\n  \"command\": \"%s\",\n  \"version\": \"%s\",\n  \"status\": \"failed\",\n  "
             "\"file\": null,\n"
             "  \"exit_status\": %d,\n  \"message\": \"interrupted\",\n  \"notes\": []\n}\n",
             command, ss_version(), CLI_RESOURCES);
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
  handle(SIGALRM, on_grace_over);
  has_grace = timer_create(CLOCK_MONOTONIC, &event, &grace) == 0;
  handle(SIGINT, on_signal);
  handle(SIGTERM, on_signal);
  // nohup ignores this one, and means it
  struct sigaction before;
  if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
    handle(SIGHUP, on_signal);
}

void cli_interrupt_poll(bool on) {
  polled = on;
}

bool cli_interrupted(void) {
  return interrupted != 0;
}

int cli_stop(void *user) {
  (void)user;
  return cli_interrupted();
}

void cli_interrupt_printing(void) {
  printing = 1;
}

void cli_interrupt_leaves(const char *text) {
  leaves = 0;
  snprintf(left, sizeof left, "stickslip: %s\n", text);
  leaves = 1;
}
