#include "cli/completion.h"

#include <string.h>

const char *const cli_shells[] = {"bash", "zsh", "fish", NULL};

cli_takes cli_completion_takes(const cli_option *o) {
  switch (o->kind) {
  case CLI_FLAG:
    return CLI_TAKES_NOTHING;
  case CLI_WORD:
  case CLI_METHOD:
    return CLI_TAKES_WORD;
  case CLI_NAMES:
    return CLI_TAKES_WORDS;
  case CLI_READ:
  case CLI_WRITE:
  case CLI_WRITES:
    return CLI_TAKES_FILE;
  case CLI_TEXT:
  case CLI_NUMBER:
  case CLI_COUNT:
  case CLI_SEED:
  case CLI_LIST:
  case CLI_PAIR:
    break;
  }
  if (strcmp(o->argument, "FILE") == 0) return CLI_TAKES_FILE;
  return strcmp(o->argument, "DIR") == 0 ? CLI_TAKES_FOLDER : CLI_TAKES_TEXT;
}

const char *cli_completion_word(const cli_option *o, int i) {
  if (o->kind == CLI_METHOD || o->kind == CLI_NAMES) return ss_method_name(i);
  return o->kind == CLI_WORD ? o->words[i] : NULL;
}

cli_takes cli_completion_operands(const cli_command *c) {
  if (c->only_names || c->operands_max == 0) return CLI_TAKES_NOTHING;
  return strcmp(c->operands, "DIR") == 0 ? CLI_TAKES_FOLDER : CLI_TAKES_FILE;
}

bool cli_completion_repeats(const cli_option *o) {
  return o->kind == CLI_LIST || o->kind == CLI_WRITES;
}

void cli_print_completion(FILE *to, int shell) {
  static void (*const scripts[])(FILE *) = {cli_complete_bash, cli_complete_zsh, cli_complete_fish};
  scripts[shell](to);
}
