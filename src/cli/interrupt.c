#define _POSIX_C_SOURCE 200809L
#include "cli/interrupt.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/session.h"

static volatile sig_atomic_t polled, interrupted, printing;
static char json[300];  // written before the handler is in place

// Only what POSIX allows in a handler. Outputs need no care: unfinished ones have no name.
static void end_now(void) {
  static const char said[] = "stickslip: interrupted\n";
  bool failed = write(STDERR_FILENO, said, sizeof said - 1) < 0;
  if (!printing) failed = write(STDOUT_FILENO, json, strlen(json)) < 0 || failed;
  _exit(CLI_RESOURCES);  // whether or not that could be said
}

static void on_signal(int number) {
  (void)number;
  if (!polled || interrupted) end_now();
  interrupted = 1;
}

void cli_interrupt_begin(const char *command) {
  if (command)
    snprintf(json, sizeof json,
             "{\n  \"command\": \"%s\",\n  \"version\": \"%s\",\n  \"status\": \"failed\",\n  "
             "\"file\": null,\n"
             "  \"exit_status\": %d,\n  \"message\": \"interrupted\",\n  \"notes\": []\n}\n",
             command, ss_version(), CLI_RESOURCES);
  struct sigaction a = {.sa_handler = on_signal, .sa_flags = SA_RESTART}, before;
  sigemptyset(&a.sa_mask);
  sigaction(SIGINT, &a, NULL);
  sigaction(SIGTERM, &a, NULL);
  // nohup ignores this one, and means it
  if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
    sigaction(SIGHUP, &a, NULL);
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
