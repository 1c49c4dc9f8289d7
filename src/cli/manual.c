#include "cli/manual.h"

#include <ctype.h>
#include <string.h>

#include "cli/commands.h"

// ---- text in man's language -------------------------------------------------------------------

// A dash of ours is the ASCII one, and quotes and accents are the signs that people type.
static void say_sign(FILE *to, char sign) {
  switch (sign) {
  case '\\':
    fputs("\\e", to);
    break;
  case '-':
    fputs("\\-", to);
    break;
  case '\'':
    fputs("\\(aq", to);
    break;
  case '`':
    fputs("\\(ga", to);
    break;
  case '^':
    fputs("\\(ha", to);
    break;
  case '~':
    fputs("\\(ti", to);
    break;
  default:
    fputc(sign, to);
  }
}

// \& keeps a line that begins with a dot from being a request.
static void say_words(FILE *to, const char *text, size_t size) {
  if (size && (*text == '.' || *text == '\'')) fputs("\\&", to);
  for (size_t i = 0; i < size; i++) say_sign(to, text[i]);
}

static void say(FILE *to, const char *text) {
  say_words(to, text, strlen(text));
}

static void say_line(FILE *to, const char *text) {
  say(to, text);
  fputc('\n', to);
}

// .B or .I of one text.
static void say_font(FILE *to, char font, const char *text) {
  fprintf(to, "\\f%c", font);
  say(to, text);
  fputs("\\fR", to);
}

// Where the text of --help tells the exit statuses; its end where it does not.
static const char *find_statuses(const char *about) {
  const char *found = strstr(about, "exit status: ");
  return found ? found : about + strlen(about);
}

// The lines as they are; those that are commands to type stand out.
static void say_about(FILE *to, const char *about, const char *end) {
  fputs(".nf\n", to);
  while (about < end) {
    size_t size = strcspn(about, "\n");
    bool typed = strncmp(about, "stickslip ", strlen("stickslip ")) == 0;
    if (typed) fputs("\\fB", to);
    say_words(to, about, size);
    fputs(typed ? "\\fR\n" : "\n", to);
    about += size + 1;
  }
  fputs(".fi\n", to);
}

// ---- parts of a page --------------------------------------------------------------------------

static void say_title(FILE *to, const char *command, const char *summary) {
  fputs(".\\\" Made by stickslip help --man.\n.TH STICKSLIP", to);
  if (command) fputs("\\-", to);
  for (const char *c = command; c && *c; c++) fputc(toupper((unsigned char)*c), to);
  fprintf(to, " 1 \"\" \"stickslip %s\" \"User commands\"\n.SH NAME\nstickslip", ss_version());
  if (command) fputs("\\-", to), say(to, command);
  fputs(" \\- ", to);
  say_line(to, summary);
}

static void say_option(FILE *to, const cli_option *o) {
  fputs(".TP\n", to);
  if (o->letter) fprintf(to, "\\fB\\-%c\\fR, ", o->letter);
  fputs("\\fB\\-\\-", to);
  say(to, o->name);
  fputs("\\fR", to);
  if (o->argument) fputc(' ', to), say_font(to, 'I', o->argument);
  fputc('\n', to);
  say_line(to, o->help);
}

static void say_methods(FILE *to, const char *method) {
  ss_option_help row;
  fputs(".SS ", to);
  say_line(to, method);
  say_line(to, ss_method_summary(method));
  for (int i = 0; ss_method_option(method, i, &row); i++) {
    fputs(".TP\n\\fB\\-\\-", to);
    say(to, method), fputc('.', to), say(to, row.key);
    fputs("\\fR \\fIVALUE\\fR\n", to);
    say(to, row.help);
    if (row.names) {
      fputs(" (", to);
      for (int k = 0; row.names[k]; k++) fputs(k ? ", " : "", to), say(to, row.names[k]);
      fprintf(to, "; default %s)\n", row.names[(int)row.initial]);
    } else {
      char range[100];
      snprintf(range, sizeof range, " (%g to %g; default %g)", row.low, row.high, row.initial);
      say_line(to, range);
    }
  }
}

static void say_exit(FILE *to, const char *own) {
  static const char *const rows[][2] = {
      {"0", "done"},
      {"1", "a proper answer that is not yes: not solved, no solution, undecided"},
      {"2", "wrong usage"},
      {"3",
       "bad input: the message names the file, the place, what was found and what was expected"},
      {"4", "out of memory or disk, a closed pipe, or interrupted"},
  };
  fputs(".SH EXIT STATUS\n", to);
  if (*own) {
    say(to, own + strlen("exit status: "));
    return;
  }
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    fprintf(to, ".TP\n.B %s\n", rows[i][0]), say_line(to, rows[i][1]);
}

// The other pages; self is left out.
static void say_others(FILE *to, const cli_command *self) {
  fputs(".SH SEE ALSO\n", to);
  if (self) fputs(".BR stickslip (1),\n", to);
  for (int i = 0; cli_commands[i]; i++) {
    if (cli_commands[i] == self) continue;
    bool last = !cli_commands[i + 1] || (cli_commands[i + 1] == self && !cli_commands[i + 2]);
    fputs(".BR stickslip\\-", to);
    say(to, cli_commands[i]->name);
    fputs(last ? " (1)\n" : " (1),\n", to);
  }
}

// ---- pages ------------------------------------------------------------------------------------

static void command_page(FILE *to, const cli_command *c) {
  say_title(to, c->name, c->summary);
  fputs(".SH SYNOPSIS\n\\fBstickslip ", to);
  say(to, c->name);
  fputs("\\fR [\\fIoptions\\fR] ", to);
  say_line(to, c->operands);
  const char *about = c->about ? c->about : "", *statuses = find_statuses(about);
  if (about < statuses) fputs(".SH DESCRIPTION\n", to), say_about(to, about, statuses);
  fputs(".SH OPTIONS\n", to);
  for (int i = 0; cli_row(c, i); i++) say_option(to, cli_row(c, i));
  if (c->method_options) {
    fputs(".TP\n\\fB\\-\\-\\fIMETHOD\\fB.\\fIKEY\\fR \\fIVALUE\\fR\n", to);
    fputs("an option of the method:\n.BR stickslip (1)\nlists them\n", to);
  }
  say_exit(to, statuses);
  say_others(to, c);
}

static void program_page(FILE *to) {
  say_title(to, NULL, "Coulomb friction: solve, and trust the answer");
  fputs(".SH SYNOPSIS\n\\fBstickslip\\fR \\fICOMMAND\\fR [\\fIoptions\\fR] \\fIFILE\\fR\n.br\n",
        to);
  fputs("\\fBstickslip \\-\\-version\\fR\n.SH DESCRIPTION\n", to);
  say_line(
      to,
      "Where a file is read, - is standard input. Results go to standard output; progress, notes "
      "and errors to standard error.");
  fputs(".SH COMMANDS\n", to);
  for (int i = 0; cli_commands[i]; i++) {
    fputs(".TP\n.BR stickslip\\-", to);
    say(to, cli_commands[i]->name);
    fputs(" (1)\n", to);
    say_line(to, cli_commands[i]->summary);
  }
  fputs(".SH METHODS\n", to);
  say_line(to, "What --solver takes, and the options of each.");
  for (int i = 0; ss_method_name(i); i++) say_methods(to, ss_method_name(i));
  say_exit(to, "");
  say_others(to, NULL);
}

void cli_print_manual(FILE *to, const cli_command *c) {
  if (c)
    command_page(to, c);
  else
    program_page(to);
}
