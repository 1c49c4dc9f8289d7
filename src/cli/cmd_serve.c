// stickslip serve DIR: a folder of runs and results in a browser on this machine.
#define _POSIX_C_SOURCE 200809L
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/results.h"

typedef struct serve_options {
  int port;
  double idle;
} serve_options;

#define AT(field) offsetof(serve_options, field)
static const cli_option options[] = {
    {"port", 0, "N", "of the loopback address (default 8642; 0: one that is free)", CLI_COUNT,
     AT(port), 0, 65535, "a port from 0 to 65535", 0},
    {"idle", 0, "S",
     "a client that neither sends nor takes anything for S seconds is let go (default 20)",
     CLI_NUMBER, AT(idle), 1, 86400, "a number of seconds from 1 to 86400", 0},
};
#undef AT

// Connections are files; the shell's usual limit of 1024 is for programs that cannot have more.
static void allow_many_files(void) {
  struct rlimit files;
  if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur >= 8192) return;
  files.rlim_cur = files.rlim_max == RLIM_INFINITY || files.rlim_max > 8192 ? 8192 : files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
}

static int say_address(cli_session *s, const ss_server *server) {
  const char *address = ss_server_address(server);
  if (s->json) {
    json_t *o = cli_object(s);
    cli_put(s, o, "status", json_string("serving"));
    cli_put(s, o, "address", json_string(address));
    cli_put(s, o, "pid", json_integer(getpid()));
    return cli_print_json(s, o, CLI_DONE);
  }
  cli_print(stdout, "%s shows %s; Ctrl-C ends it\n", address, s->file);
  return cli_finish(s, CLI_DONE);
}

static int run(cli_session *s, const cli_command *self, int argc, char **argv) {
  ss_server_options so = ss_server_options_default();
  serve_options o = {.port = so.port, .idle = so.idle_s};
  cli_args args;
  int status = cli_parse(s, self, argc, argv, &o, &args);
  if (status != CLI_GO_ON) return status;
  s->file = args.operands[0];
  if (ss_server_missing()) return cli_fail(s, CLI_RESOURCES, "%s", ss_server_missing());
  allow_many_files();
  so.port = o.port;
  so.idle_s = o.idle;
  so.program = "/proc/self/exe";
  ss_server *server;
  ss_error e = ss_server_start(&s->ctx, s->file, &so, &server);
  if (e) return cli_fail_library(s, s->file, e);
  if (ss_page_missing()) cli_note(s, "%s", ss_page_missing());
  cli_interrupt_poll(true);
  status = say_address(s, server);
  while (status == CLI_DONE && !cli_interrupted())
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
  ss_server_stop(server);
  return status;
}

const cli_command cmd_serve = {
    .name = "serve",
    .operands = "DIR",
    .summary = "the runs and results in a folder, in a browser on this machine",
    .about = "shows what is in DIR, runs and results as pages of report, runs that are going on as "
             "far as they\n"
             "have come; nothing outside DIR, nothing to other machines, and it writes nothing\n"
             "stickslip serve .      then open the address that it prints\n",
    .operands_min = 1,
    .operands_max = 1,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
