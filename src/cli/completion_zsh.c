// Completion for zsh: what _arguments is told of each command.
#include "cli/commands.h"
#include "cli/completion.h"

// Within single quotes; with a backslash before what ends a text there.
static void say(FILE *to, const char *text, bool escaped) {
  for (; *text; text++) {
    bool special = *text == ':' || *text == '[' || *text == ']' || *text == '\\';
    if (escaped && special) fputc('\\', to);
    if (*text == '\'')
      fputs("'\\''", to);
    else
      fputc(*text, to);
  }
}

static void say_words(FILE *to, const cli_option *o) {
  for (int i = 0; cli_completion_word(o, i); i++)
    fprintf(to, "%s%s", i ? " " : "", cli_completion_word(o, i));
}

// ":message:action" of what an option takes.
static void say_value(FILE *to, const cli_option *o) {
  cli_takes takes = cli_completion_takes(o);
  if (takes == CLI_TAKES_NOTHING) return;
  fputc(':', to);
  say(to, o->argument, true);
  fputc(':', to);
  if (takes == CLI_TAKES_WORD) fputc('(', to), say_words(to, o), fputc(')', to);
  if (takes == CLI_TAKES_WORDS) fputs("_values -s , method ", to), say_words(to, o);
  if (takes == CLI_TAKES_FILE) fputs("_files", to);
  if (takes == CLI_TAKES_FOLDER) fputs("_files -/", to);
  if (takes == CLI_TAKES_TEXT) fputc(' ', to);
}

static void say_option(FILE *to, const cli_option *o) {
  bool repeats = cli_completion_repeats(o);
  const char *value = o->argument ? "=" : "", *attached = o->argument ? "+" : "";
  fputs("        '", to);
  if (repeats) fputc('*', to);
  if (o->letter && !repeats) fprintf(to, "(-%c --%s)", o->letter, o->name);
  if (o->letter)
    fprintf(to, "'{-%c%s,--%s%s}'[", o->letter, attached, o->name, value);
  else
    fprintf(to, "--%s%s[", o->name, value);
  say(to, o->help, true);
  fputc(']', to);
  say_value(to, o);
  fputs("'\n", to);
}

static void say_method_option(FILE *to, const char *method, const ss_option_help *row) {
  fprintf(to, "          '--%s.%s=[", method, row->key);
  say(to, row->help, true);
  fputs("]:VALUE:", to);
  if (row->names) fputc('(', to);
  for (int k = 0; row->names && row->names[k]; k++)
    fprintf(to, "%s%s", k ? " " : "", row->names[k]);
  fputs(row->names ? ")'\n" : " '\n", to);
}

// Those of the method that is chosen on the line, or of the default one.
static void say_method_options(FILE *to) {
  fputs("      local method=auto at=${words[(I)(--solver|-s)]}\n"
        "      ((at == 0)) || method=${words[at + 1]}\n"
        "      [[ -z ${(M)words:#--solver=*} ]] || method=${${(M)words:#--solver=*}[1]#*=}\n"
        "      case $method in\n",
        to);
  for (int i = 0; ss_method_name(i); i++) {
    const char *method = ss_method_name(i);
    ss_option_help row;
    fprintf(to, "        %s) takes+=(\n", method);
    for (int k = 0; ss_method_option(method, k, &row); k++) say_method_option(to, method, &row);
    fputs("        ) ;;\n", to);
  }
  fputs("      esac\n", to);
}

static void say_operands(FILE *to, const cli_command *c) {
  cli_takes takes = cli_completion_operands(c);
  if (c->operands_max == 0) return;
  fputs("        '*:", to);
  say(to, c->operands, true);
  fputc(':', to);
  if (c->operand_name) {
    if (takes != CLI_TAKES_NOTHING)
      fputs(" _alternative \"names\\:name\\:(", to);
    else
      fputc('(', to);
    for (int i = 0; c->operand_name(i); i++) fprintf(to, "%s%s", i ? " " : "", c->operand_name(i));
    fputs(takes == CLI_TAKES_NOTHING ? ")" : ")\" \"files\\:file\\:_files\"", to);
  } else {
    fputs(takes == CLI_TAKES_FOLDER ? "_files -/" : "_files", to);
  }
  fputs("'\n", to);
}

static void say_command(FILE *to, const cli_command *c) {
  fprintf(to, "    %s)\n      takes=(\n", c->name);
  for (int i = 0; cli_row(c, i); i++) say_option(to, cli_row(c, i));
  say_operands(to, c);
  fputs("      )\n", to);
  if (c->method_options) say_method_options(to);
  fputs("      ;;\n", to);
}

void cli_complete_zsh(FILE *to) {
  fputs("#compdef stickslip\n"
        "# Completion of stickslip for zsh, made by: stickslip help --completion zsh\n\n"
        "_stickslip() {\n"
        "  local curcontext=$curcontext context state state_descr line ret=1\n"
        "  local -a takes commands\n"
        "  typeset -A opt_args\n"
        "  _arguments -C '(- *)--version[print the version]' '(- *)'{-h,--help}'[print the "
        "commands]' \\\n"
        "    '1:command:->command' '*::argument:->rest' && ret=0\n"
        "  if [[ $state == command ]]; then\n"
        "    commands=(\n",
        to);
  for (int i = 0; cli_commands[i]; i++) {
    fprintf(to, "      '%s:", cli_commands[i]->name);
    say(to, cli_commands[i]->summary, false);
    fputs("'\n", to);
  }
  fputs("    )\n    _describe command commands && ret=0\n    return ret\n  fi\n"
        "  [[ $state == rest ]] || return ret\n"
        "  case $words[1] in\n",
        to);
  for (int i = 0; cli_commands[i]; i++) say_command(to, cli_commands[i]);
  fputs("    *) return 1 ;;\n  esac\n  _arguments -S : $takes && ret=0\n  return ret\n}\n\n"
        "if [[ $funcstack[1] == _stickslip ]]; then _stickslip \"$@\"; else compdef _stickslip "
        "stickslip; fi\n",
        to);
}
