// cli/completion.h - completion of the command in shells, from the tables that --help is printed from.
#pragma once

#include "cli/args.h"

typedef enum cli_takes {  // what an option takes, as far as a shell can help
  CLI_TAKES_NOTHING,
  CLI_TAKES_TEXT,   // that only a person knows: a number, a name, KEY=VALUE
  CLI_TAKES_WORD,   // one of cli_completion_word
  CLI_TAKES_WORDS,  // several, with commas
  CLI_TAKES_FILE,
  CLI_TAKES_FOLDER,
} cli_takes;

cli_takes cli_completion_takes(const cli_option *o);
const char *cli_completion_word(const cli_option *o, int i);  // NULL past the last
cli_takes cli_completion_operands(const cli_command *c);  // NOTHING, FILE or FOLDER, names aside
bool cli_completion_repeats(const cli_option *o);         // may be given several times

extern const char *const cli_shells[];  // words of help --completion
void cli_print_completion(FILE *to, int shell);

// The script of each shell, in the order of cli_shells.
void cli_complete_bash(FILE *to);
void cli_complete_zsh(FILE *to);
void cli_complete_fish(FILE *to);
