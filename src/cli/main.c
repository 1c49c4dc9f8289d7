// The command `stickslip`: a table of commands, each in its own file, over the public library.
#define _POSIX_C_SOURCE 200809L
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/results.h"

// one a line
// clang-format off
const cli_command *const cli_commands[] = {
    &cmd_solve,
    &cmd_check,
    &cmd_derive,
    &cmd_certify,
    &cmd_enumerate,
    &cmd_critical,
    &cmd_atlas,
    &cmd_trace,
    &cmd_status,
    &cmd_simulate,
    &cmd_sweep,
    &cmd_model,
    &cmd_info,
    &cmd_convert,
    &cmd_import,
    &cmd_bench,
    &cmd_report,
    &cmd_serve,
    &cmd_help,
    NULL,
};
// clang-format on

// A standard stream that the caller closed would lend its number to the next file opened, and
// results would be written into that. Opened for reading, so that writing is an error that we see.
static void occupy_standard_streams(void) {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
    if (fcntl(fd, F_GETFD) == -1) open("/dev/null", O_RDONLY);
}

static const cli_command *find(const char *name) {
  for (int i = 0; cli_commands[i]; i++)
    if (strcmp(cli_commands[i]->name, name) == 0) return cli_commands[i];
  return NULL;
}

static const char *command_at(const void *user, int i) {
  (void)user;
  return cli_commands[i] ? cli_commands[i]->name : NULL;
}

// Known before the options are parsed, so that wrong usage is reported in JSON too.
static bool wants_json(int argc, char **argv) {
  for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
    if (strcmp(argv[i], "--json") == 0) return true;
  return false;
}

static int print_version(cli_session *s, bool json) {
  if (!json) return printf("stickslip %s\n", ss_version()), CLI_DONE;
  s->command = "version";
  return cli_print_json(s, cli_object(s), CLI_DONE);
}

static int run(cli_session *s, int argc, char **argv) {
  if (argc < 2) {
    cmd_help.run(s, &cmd_help, 0, NULL);
    return cli_fail(s, CLI_USAGE, "no command given");
  }
  const char *name = argv[1];
  if (strcmp(name, "--version") == 0) return print_version(s, argc > 2 && wants_json(argc, argv));
  if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) name = "help";
  const cli_command *c = find(name);
  char near[CLI_SUGGESTION];
  ss_suggest_name(name, NULL, command_at, NULL, near, sizeof near);
  if (!c)
    return cli_fail(s, CLI_USAGE, "unknown command '%s'; %s (see stickslip help)", name, near);
  s->command = c->name;
  return c->run(s, c, argc - 2, argv + 2);
}

int main(int argc, char **argv) {
  occupy_standard_streams();
  signal(SIGPIPE, SIG_IGN);  // a reader that went away is a write error, said and exit 4
  signal(SIGXFSZ, SIG_IGN);  // and so is a file that grew beyond its limit
  cli_session s;
  cli_session_begin(&s);
  bool json = wants_json(argc, argv);
  const cli_command *c = argc > 1 ? find(argv[1]) : NULL;
  cli_interrupt_begin(json && c ? c->name : NULL);
  int status = run(&s, argc, argv);
  if (json && !s.printed && (status >= CLI_USAGE || *s.failure))
    status = cli_print_failure(&s, status);
  if (status != CLI_RESOURCES) status = cli_finish(&s, status);
  cli_session_end(&s);
  return status;
}
