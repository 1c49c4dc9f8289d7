// Completion for fish: one line for each option.
#include "cli/commands.h"
#include "cli/completion.h"

static void say_quoted(FILE *to, const char *text) {
  fputc('\'', to);
  for (; *text; text++) {
    if (*text == '\'' || *text == '\\') fputc('\\', to);
    fputc(*text, to);
  }
  fputc('\'', to);
}

static void say_words(FILE *to, const cli_option *o) {
  for (int i = 0; cli_completion_word(o, i); i++)
    fprintf(to, "%s%s", i ? " " : "", cli_completion_word(o, i));
}

// -x: an argument, and no file; -rF: an argument, a file.
static void say_value(FILE *to, const cli_option *o) {
  switch (cli_completion_takes(o)) {
  case CLI_TAKES_NOTHING:
    break;
  case CLI_TAKES_TEXT:
    fputs(" -x", to);
    break;
  case CLI_TAKES_FILE:
    fputs(" -rF", to);
    break;
  case CLI_TAKES_FOLDER:
    fputs(" -x -a '(__fish_complete_directories)'", to);
    break;
  case CLI_TAKES_WORD:
    fputs(" -x -a '", to), say_words(to, o), fputc('\'', to);
    break;
  case CLI_TAKES_WORDS:
    fputs(" -x -a '(__fish_complete_list , \"printf %s\\\\\\\\n ", to), say_words(to, o),
        fputs("\")'", to);
    break;
  }
}

static void say_option(FILE *to, const cli_command *c, const cli_option *o) {
  fprintf(to, "complete -c stickslip -n '__stickslip_at %s'", c->name);
  if (o->letter) fprintf(to, " -s %c", o->letter);
  fprintf(to, " -l %s", o->name);
  say_value(to, o);
  fputs(" -d ", to);
  say_quoted(to, o->help);
  fputc('\n', to);
}

static void say_method_options(FILE *to, const cli_command *c, const char *method) {
  ss_option_help row;
  for (int i = 0; ss_method_option(method, i, &row); i++) {
    fprintf(to,
            "complete -c stickslip -n '__stickslip_at %s; and __stickslip_method %s' -l %s.%s -x",
            c->name, method, method, row.key);
    if (row.names) fputs(" -a '", to);
    for (int k = 0; row.names && row.names[k]; k++) fprintf(to, "%s%s", k ? " " : "", row.names[k]);
    fputs(row.names ? "' -d " : " -d ", to);
    say_quoted(to, row.help);
    fputc('\n', to);
  }
}

static void say_operands(FILE *to, const cli_command *c) {
  cli_takes takes = cli_completion_operands(c);
  const char *name = c->name;
  if (takes == CLI_TAKES_FILE)
    fprintf(to, "complete -c stickslip -n '__stickslip_at %s' -F\n", name);
  if (takes == CLI_TAKES_FOLDER)
    fprintf(to, "complete -c stickslip -n '__stickslip_at %s' -a '(__fish_complete_directories)'\n",
            name);
  if (!c->operand_name) return;
  fprintf(to, "complete -c stickslip -n '__stickslip_at %s' -a '", name);
  for (int i = 0; c->operand_name(i); i++) fprintf(to, "%s%s", i ? " " : "", c->operand_name(i));
  fputs("'\n", to);
}

static void say_command(FILE *to, const cli_command *c) {
  fprintf(to, "\ncomplete -c stickslip -n __stickslip_first -a %s -d ", c->name);
  say_quoted(to, c->summary);
  fputc('\n', to);
  say_operands(to, c);
  for (int i = 0; cli_row(c, i); i++) say_option(to, c, cli_row(c, i));
  for (int i = 0; c->method_options && ss_method_name(i); i++)
    say_method_options(to, c, ss_method_name(i));
}

void cli_complete_fish(FILE *to) {
  fputs("# Completion of stickslip for fish, made by: stickslip help --completion fish\n\n"
        "function __stickslip_first\n"
        "  test (count (commandline -opc)) -eq 1\n"
        "end\n\n"
        "function __stickslip_at -a command\n"
        "  set -l words (commandline -opc)\n"
        "  test (count $words) -gt 1; and test $words[2] = $command\n"
        "end\n\n"
        "function __stickslip_method -a method  # that is chosen on the line, or the default one\n"
        "  set -l words (commandline -opc)\n"
        "  set -l chosen auto\n"
        "  set -l at (contains -i -- --solver $words; or contains -i -- -s $words)\n"
        "  test -n \"$at\"; and set chosen $words[(math $at + 1)]\n"
        "  for word in $words\n"
        "    string match -q -- '--solver=*' $word; and set chosen (string replace -- --solver= '' "
        "$word)\n"
        "  end\n"
        "  test \"$chosen\" = $method\n"
        "end\n\n"
        "complete -c stickslip -f\n"
        "complete -c stickslip -n __stickslip_first -l version -d 'print the version'\n"
        "complete -c stickslip -n __stickslip_first -s h -l help -d 'print the commands'\n",
        to);
  for (int i = 0; cli_commands[i]; i++) say_command(to, cli_commands[i]);
}
