// cli/args.h - options as tables. One row per option gives its parsing, its check and its --help.
#pragma once

#include "cli/session.h"

typedef enum cli_kind {
  CLI_FLAG,    // bool
  CLI_TEXT,    // const char *
  CLI_NUMBER,  // double in [low, high]
  CLI_COUNT,   // int in [low, high]
  CLI_SEED,    // uint64_t
  CLI_WORD,    // int: which of `words`
  CLI_LIST,    // cli_list: may be given several times
  CLI_READ,    // const char *: a file that is read
  CLI_WRITE,   // const char *: a file that is written; checked before the work (outputs.h)
  CLI_WRITES,  // cli_list of such
  CLI_METHOD,  // const char *: a method, which the command checks
  CLI_NAMES,   // const char *: several methods, with commas
  CLI_PAIR,    // cli_pair: two words, or one with ':' between them
} cli_kind;

typedef struct cli_option {
  const char *name;
  char letter;           // 0: none
  const char *argument;  // its name in the help; NULL for a flag
  const char *help;
  cli_kind kind;
  size_t offset;  // of the value in the command's own struct
  double low, high;
  const char *expected;      // said when a number is outside its range: "a number > 0"
  const char *const *words;  // NULL-terminated
} cli_option;

enum { CLI_LIST_MAX = 64 };
typedef struct cli_list {
  const char *items[CLI_LIST_MAX];
  int count;
} cli_list;

typedef struct cli_pair {
  const char *first;  // as it was given: "10" or "10:DIR"; NULL: not given
  const char *second;
} cli_pair;

typedef struct cli_setting {  // --METHOD.KEY VALUE
  const char *method, *key, *value;
} cli_setting;

enum { CLI_SETTINGS_MAX = 64 };

typedef struct cli_args {  // what is not an option of the command's table
  char **operands;         // NULL after the last one
  int operand_count;
  cli_setting settings[CLI_SETTINGS_MAX];
  int setting_count;
} cli_args;

typedef struct cli_command cli_command;
struct cli_command {
  const char *name, *operands, *summary;  // operands as in the help: "PROBLEM [SOLUTION]"
  const char *about;                      // more lines for --help; NULL: none
  int operands_min, operands_max;
  int operands_read;  // so many are inputs; 0: all of them
  const cli_option *options;
  int option_count;
  bool method_options;  // takes --METHOD.KEY VALUE
  // for completion: names that an operand may be, NULL past the last one, and whether it is never a file
  const char *(*operand_name)(int i);
  bool only_names;
  int (*run)(cli_session *s, const cli_command *self, int argc, char **argv);
};

enum { CLI_GO_ON = -1 };
enum { CLI_SUGGESTION = 800 };  // room for ss_suggest_name

// Fills `values` (already holding the defaults) and `args`. CLI_GO_ON, or the exit status: wrong
// usage, or --help was asked for and printed. Splits --name=value in place and moves the operands to
// the front of argv.
int cli_parse(cli_session *s, const cli_command *c, int argc, char **argv, void *values,
              cli_args *args);

void cli_print_help(FILE *to, const cli_command *c);

// Row i of all that the command takes, its own options and then those of every command; NULL past the last.
const cli_option *cli_row(const cli_command *c, int i);

bool cli_to_number(const char *text, double *out);
