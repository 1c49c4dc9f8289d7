// stickslip help [COMMAND | METHOD]
#include <string.h>

#include "cli/commands.h"
#include "cli/completion.h"
#include "cli/manual.h"
#include "cli/methods.h"

typedef struct help_options {
  bool man;
  int shell;  // of cli_shells; -1: none
} help_options;

#define AT(field) offsetof(help_options, field)
static const cli_option options[] = {
    {"man", 0, NULL, "the manual page, of COMMAND or of the program; shown by man -l -", CLI_FLAG,
     AT(man), 0, 0, 0, 0},
    {"completion", 0, "SHELL", "what makes a shell complete this command: bash, zsh or fish",
     CLI_WORD, AT(shell), 0, 0, 0, cli_shells},
};
#undef AT

static const char *topic_name(int i) {
  int commands = 0;
  while (cli_commands[commands]) commands++;
  return i < commands ? cli_commands[i]->name : ss_method_name(i - commands);
}

static const char *topic(const void *user, int i) {
  (void)user;
  return topic_name(i);
}

static const char *command_at(const void *user, int i) {
  (void)user;
  return cli_commands[i] ? cli_commands[i]->name : NULL;
}

static const cli_command *find(const char *name) {
  for (int i = 0; cli_commands[i]; i++)
    if (strcmp(cli_commands[i]->name, name) == 0) return cli_commands[i];
  return NULL;
}

static void overview(FILE *to) {
  fprintf(to, "stickslip %s - Coulomb friction: solve, and trust the answer\n\n", ss_version());
  fprintf(to, "usage: stickslip COMMAND [options] FILE        FILE - is standard input\n\n");
  for (int i = 0; cli_commands[i]; i++)
    fprintf(to, "  %-10s %s\n", cli_commands[i]->name, cli_commands[i]->summary);
  fprintf(to, "\nmethods for solve --solver:\n\n");
  for (int i = 0; ss_method_name(i); i++)
    fprintf(to, "  %-10s %s\n", ss_method_name(i), ss_method_summary(ss_method_name(i)));
  fprintf(to, "\nstickslip COMMAND --help and stickslip help METHOD list their options;\n"
              "stickslip info says what this build can read and write.\n"
              "exit status: 0 done, 1 not solved, 2 wrong usage, 3 bad input, 4 out of memory or\n"
              "disk, or interrupted\n");
}

static int help_on(cli_session *s, const char *name) {
  if (find(name)) return cli_print_help(stdout, find(name)), CLI_DONE;
  if (ss_method_summary(name)) return cli_method_print(stdout, name), CLI_DONE;
  char near[CLI_SUGGESTION];
  ss_suggest_name(name, NULL, topic, NULL, near, sizeof near);
  return cli_fail(s, CLI_USAGE, "nothing is called '%s'; %s", name, near);
}

static int manual(cli_session *s, const char *name) {
  if (!name || find(name)) return cli_print_manual(stdout, name ? find(name) : NULL), CLI_DONE;
  if (ss_method_summary(name))
    return cli_fail(s, CLI_USAGE,
                    "--man: methods are in the page of the program: stickslip help --man");
  char near[CLI_SUGGESTION];
  ss_suggest_name(name, NULL, command_at, NULL, near, sizeof near);
  return cli_fail(s, CLI_USAGE, "--man: no command is called '%s'; %s", name, near);
}

static int run(cli_session *s, const cli_command *self, int argc, char **argv) {
  cli_args args = {0};
  help_options o = {.shell = -1};
  if (!argv) return overview(stderr), CLI_USAGE;  // called by main: no command given
  int status = cli_parse(s, self, argc, argv, &o, &args);
  if (status != CLI_GO_ON) return status;
  if (s->json)
    return cli_fail(s, CLI_USAGE, "help has no JSON form; stickslip info --json has one");
  if (o.shell >= 0 && (o.man || args.operand_count))
    return cli_fail(s, CLI_USAGE, "--completion stands alone: it is of all commands at once");
  if (o.shell >= 0) return cli_print_completion(stdout, o.shell), CLI_DONE;
  if (o.man) return manual(s, args.operands[0]);
  if (args.operand_count) return help_on(s, args.operands[0]);
  overview(stdout);
  return CLI_DONE;
}

const cli_command cmd_help = {
    .name = "help",
    .operands = "[COMMAND | METHOD]",
    .summary = "explain a command, or a method and its options",
    .about = "stickslip help --man solve | man -l -\n"
             "source <(stickslip help --completion bash)\n",
    .operands_max = 1,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .operand_name = topic_name,
    .only_names = true,
    .run = run,
};
