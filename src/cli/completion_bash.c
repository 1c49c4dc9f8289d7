// Completion for bash: one function with a case for each command. It needs nothing but bash itself.
#include "cli/commands.h"
#include "cli/completion.h"

static void say_pattern(FILE *to, const cli_option *o) {
  fprintf(to, "        --%s", o->name);
  if (o->letter) fprintf(to, " | -%c", o->letter);
  fputs(") ", to);
}

static void say_list(FILE *to, const cli_option *o, const char *function) {
  fputs(function, to);
  for (int i = 0; cli_completion_word(o, i); i++) fprintf(to, " %s", cli_completion_word(o, i));
}

// What comes after an option that takes something.
static void say_value(FILE *to, const cli_option *o) {
  cli_takes takes = cli_completion_takes(o);
  if (takes == CLI_TAKES_NOTHING) return;
  say_pattern(to, o);
  if (takes == CLI_TAKES_WORD) say_list(to, o, "_stickslip_words");
  if (takes == CLI_TAKES_WORDS) say_list(to, o, "_stickslip_list");
  if (takes == CLI_TAKES_FILE) fputs("_stickslip_files -f", to);
  if (takes == CLI_TAKES_FOLDER) fputs("_stickslip_files -d", to);
  fputs(takes == CLI_TAKES_TEXT ? "return ;;\n" : "; return ;;\n", to);
}

static void say_method_values(FILE *to, const char *method) {
  ss_option_help row;
  for (int i = 0; ss_method_option(method, i, &row); i++) {
    fprintf(to, "        --%s.%s) ", method, row.key);
    if (row.names) fputs("_stickslip_words", to);
    for (int k = 0; row.names && row.names[k]; k++) fprintf(to, " %s", row.names[k]);
    fputs(row.names ? "; return ;;\n" : "return ;;\n", to);
  }
}

// --METHOD.KEY of the method that is chosen on the line, or of the default one.
static void say_method_options(FILE *to) {
  fputs("_stickslip_method_options() {\n"
        "  local method=auto i\n"
        "  for ((i = 2; i < COMP_CWORD; i++)); do\n"
        "    case ${COMP_WORDS[i]} in --solver | -s)\n"
        "      method=${COMP_WORDS[i + 1]}\n"
        "      [ \"$method\" != = ] || method=${COMP_WORDS[i + 2]} ;;\n"
        "    esac\n"
        "  done\n"
        "  case $method in\n",
        to);
  for (int i = 0; ss_method_name(i); i++) {
    const char *method = ss_method_name(i);
    ss_option_help row;
    fprintf(to, "    %s) echo", method);
    for (int k = 0; ss_method_option(method, k, &row); k++)
      fprintf(to, " --%s.%s", method, row.key);
    fputs(" ;;\n", to);
  }
  fputs("  esac\n}\n\n", to);
}

static void say_operands(FILE *to, const cli_command *c) {
  cli_takes takes = cli_completion_operands(c);
  if (takes == CLI_TAKES_FILE) fputs("      _stickslip_files -f\n", to);
  if (takes == CLI_TAKES_FOLDER) fputs("      _stickslip_files -d\n", to);
  if (!c->operand_name) return;
  fputs("      _stickslip_words", to);
  for (int i = 0; c->operand_name(i); i++) fprintf(to, " %s", c->operand_name(i));
  fputc('\n', to);
}

static void say_command(FILE *to, const cli_command *c) {
  fprintf(to, "    %s)\n      case $before in\n", c->name);
  for (int i = 0; cli_row(c, i); i++) say_value(to, cli_row(c, i));
  for (int i = 0; c->method_options && ss_method_name(i); i++)
    say_method_values(to, ss_method_name(i));
  fputs("      esac\n      if [[ $word == -* ]]; then\n        _stickslip_words", to);
  for (int i = 0; cli_row(c, i); i++) {
    const cli_option *o = cli_row(c, i);
    if (o->letter) fprintf(to, " -%c", o->letter);
    fprintf(to, " --%s", o->name);
  }
  if (c->method_options) fputs(" $(_stickslip_method_options)", to);
  fputs("\n        return\n      fi\n", to);
  say_operands(to, c);
  fputs("      ;;\n", to);
}

void cli_complete_bash(FILE *to) {
  fputs("# Completion of stickslip for bash, made by: stickslip help --completion bash\n\n"
        "_stickslip_words() {\n"
        "  COMPREPLY+=($(compgen -W \"$*\" -- \"$word\"))\n}\n\n"
        "_stickslip_list() {  # the last of several with commas between them\n"
        "  COMPREPLY=($(compgen -P \"${word%\"${word##*,}\"}\" -W \"$*\" -- \"${word##*,}\"))\n"
        "  compopt -o nospace 2>/dev/null\n}\n\n"
        "_stickslip_files() {  # -f: files and folders, -d: folders\n"
        "  local name\n"
        "  compopt -o filenames 2>/dev/null\n"
        "  while IFS= read -r name; do COMPREPLY+=(\"$name\"); done < <(compgen $1 -- \"$word\")\n"
        "}\n\n",
        to);
  say_method_options(to);
  fputs("_stickslip() {\n"
        "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
        "  COMPREPLY=()\n"
        "  # --name=value comes as three words\n"
        "  [ \"$word\" != = ] || word=\n"
        "  [ \"$before\" != = ] || before=${COMP_WORDS[COMP_CWORD - 2]}\n"
        "  if ((COMP_CWORD == 1)); then\n"
        "    _stickslip_words",
        to);
  for (int i = 0; cli_commands[i]; i++) fprintf(to, " %s", cli_commands[i]->name);
  fputs(" --help --version\n    return\n  fi\n  case ${COMP_WORDS[1]} in\n", to);
  for (int i = 0; cli_commands[i]; i++) say_command(to, cli_commands[i]);
  fputs("  esac\n}\n\ncomplete -F _stickslip stickslip\n", to);
}
