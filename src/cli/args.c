#define _POSIX_C_SOURCE 200809L
#include "cli/args.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/outputs.h"
#include "cli/results.h"

// What every command takes; offsets are into this struct.
typedef struct common {
  bool json, quiet, help;
} common;

static const cli_option common_options[] = {
    {.name = "json", .help = "print one JSON object", .offset = offsetof(common, json)},
    {.name = "quiet",
     .letter = 'q',
     .help = "no progress, no notes on standard error",
     .offset = offsetof(common, quiet)},
    {.name = "help", .letter = 'h', .help = "print this", .offset = offsetof(common, help)},
};
enum { COMMON_COUNT = sizeof common_options / sizeof *common_options };

// ---- finding rows ---------------------------------------------------------------------------

const cli_option *cli_row(const cli_command *c, int i) {
  if (i < c->option_count) return &c->options[i];
  i -= c->option_count;
  return i < COMMON_COUNT ? &common_options[i] : NULL;
}

static const char *row_name(const void *command, int i) {
  const cli_option *o = cli_row(command, i);
  return o ? o->name : NULL;
}

static bool is_common(const cli_option *o) {
  return o >= common_options && o < common_options + COMMON_COUNT;
}

static const cli_option *find_name(const cli_command *c, const char *name) {
  for (int i = 0; cli_row(c, i); i++)
    if (strcmp(cli_row(c, i)->name, name) == 0) return cli_row(c, i);
  return NULL;
}

static const cli_option *find_letter(const cli_command *c, char letter) {
  for (int i = 0; cli_row(c, i); i++)
    if (cli_row(c, i)->letter == letter) return cli_row(c, i);
  return NULL;
}

// ---- values ---------------------------------------------------------------------------------

bool cli_to_number(const char *text, double *out) {
  char *end;
  *out = strtod(text, &end);
  return end != text && *end == '\0' && !isspace((unsigned char)*text) && isfinite(*out);
}

static bool to_seed(const char *text, uint64_t *out) {
  char *end;
  errno = 0;
  *out = strtoull(text, &end, 10);
  return isdigit((unsigned char)*text) && *end == '\0' && errno == 0;
}

static int wrong_value(cli_session *s, const cli_option *o, const char *text) {
  char expected[200] = "";
  if (o->kind == CLI_WORD) {
    for (int i = 0; o->words[i]; i++) {
      size_t used = strlen(expected);
      snprintf(expected + used, sizeof expected - used, "%s%s", i ? ", " : "one of ", o->words[i]);
    }
  } else {
    snprintf(expected, sizeof expected, "%s", o->expected);
  }
  return cli_fail(s, CLI_USAGE, "--%s: found '%s', expected %s", o->name, text, expected);
}

static int store_more(cli_session *s, const cli_option *o, const char *text, cli_list *list) {
  if (list->count == CLI_LIST_MAX)
    return cli_fail(s, CLI_USAGE, "--%s: given more than %d times", o->name, CLI_LIST_MAX);
  list->items[list->count++] = text;
  return CLI_GO_ON;
}

static int store(cli_session *s, const cli_option *o, const char *text, void *values) {
  char *place = (char *)values + o->offset;
  double x;
  bool fits;
  switch (o->kind) {
  case CLI_FLAG:
    *(bool *)(void *)place = true;
    return CLI_GO_ON;
  case CLI_TEXT:
  case CLI_READ:
  case CLI_WRITE:
  case CLI_METHOD:
  case CLI_NAMES:
    *(const char **)(void *)place = text;
    return CLI_GO_ON;
  case CLI_SEED:
    return to_seed(text, (uint64_t *)(void *)place) ? CLI_GO_ON : wrong_value(s, o, text);
  case CLI_NUMBER:
    if (!cli_to_number(text, &x) || x < o->low || x > o->high) return wrong_value(s, o, text);
    *(double *)(void *)place = x;
    return CLI_GO_ON;
  case CLI_COUNT:
    fits = cli_to_number(text, &x) && x >= o->low && x <= o->high;
    if (!fits || x != (double)(int)x) return wrong_value(s, o, text);
    *(int *)(void *)place = (int)x;
    return CLI_GO_ON;
  case CLI_WORD:
    for (int i = 0; o->words[i]; i++)
      if (strcmp(o->words[i], text) == 0) return *(int *)(void *)place = i, CLI_GO_ON;
    return wrong_value(s, o, text);
  case CLI_LIST:
  case CLI_WRITES:
    return store_more(s, o, text, (cli_list *)(void *)place);
  case CLI_PAIR:  // take_pair
    return CLI_GO_ON;
  }
  return CLI_GO_ON;
}

// ---- the loop -------------------------------------------------------------------------------

typedef struct scan {
  cli_session *s;
  const cli_command *c;
  int argc, at;
  char **argv;
  void *values;
  common *common;
  cli_args *args;
} scan;

// The value of an option: after its '=', or the next word.
static const char *value_of(scan *k, const char *attached) {
  if (attached) return attached;
  return k->at + 1 < k->argc ? k->argv[++k->at] : NULL;
}

// The second word after ':', or the next one, which is no option.
static int take_pair(scan *k, const cli_option *o, const char *first, cli_pair *out) {
  const char *colon = strchr(first, ':'), *second = value_of(k, colon ? colon + 1 : NULL);
  if (!second || (!colon && *second == '-'))
    return cli_fail(k->s, CLI_USAGE, "--%s %s needs a second value: --%s %s", o->name, first,
                    o->name, o->argument);
  *out = (cli_pair){first, second};
  return CLI_GO_ON;
}

static int take(scan *k, const cli_option *o, const char *attached) {
  void *values = is_common(o) ? (void *)k->common : k->values;
  if (!o->argument) {
    if (attached)
      return cli_fail(k->s, CLI_USAGE, "--%s takes no value, found '%s'", o->name, attached);
    return store(k->s, o, "", values);
  }
  const char *value = value_of(k, attached);
  if (!value)
    return cli_fail(k->s, CLI_USAGE, "--%s needs a value: --%s %s", o->name, o->name, o->argument);
  if (o->kind == CLI_PAIR)
    return take_pair(k, o, value, (cli_pair *)(void *)((char *)values + o->offset));
  return store(k->s, o, value, values);
}

// --METHOD.KEY VALUE, kept for the command to check once it knows the method.
static int take_setting(scan *k, char *name, char *dot, const char *attached) {
  const char *value = value_of(k, attached);
  if (!value) return cli_fail(k->s, CLI_USAGE, "--%s needs a value", name);
  if (k->args->setting_count == CLI_SETTINGS_MAX)
    return cli_fail(k->s, CLI_USAGE, "--%s: more than %d method options", name, CLI_SETTINGS_MAX);
  *dot = '\0';
  k->args->settings[k->args->setting_count++] = (cli_setting){name, dot + 1, value};
  return CLI_GO_ON;
}

static int take_long(scan *k, char *name) {
  char *attached = strchr(name, '=');
  if (attached) *attached++ = '\0';
  char *dot = strchr(name, '.');
  if (dot && k->c->method_options) return take_setting(k, name, dot, attached);
  const cli_option *o = find_name(k->c, name);
  if (o) return take(k, o, attached);
  char near[CLI_SUGGESTION];
  ss_suggest_name(name, "--", row_name, k->c, near, sizeof near);
  return cli_fail(k->s, CLI_USAGE, "unknown option --%s; %s (see stickslip %s --help)", name, near,
                  k->c->name);
}

static int take_short(scan *k, const char *letters) {
  const cli_option *o = find_letter(k->c, letters[0]);
  if (!o && !letters[1])
    return cli_fail(k->s, CLI_USAGE, "unknown option -%s (see stickslip %s --help)", letters,
                    k->c->name);
  if (!o || (!o->argument && letters[1])) {
    char near[CLI_SUGGESTION];
    ss_suggest_name(letters, "--", row_name, k->c, near, sizeof near);
    return cli_fail(k->s, CLI_USAGE, "unknown option -%s; %s (see stickslip %s --help)", letters,
                    near, k->c->name);
  }
  return take(k, o, letters[1] ? letters + 1 : NULL);
}

static int take_operand(scan *k, char *text) {
  cli_args *a = k->args;
  if (!*text)
    return cli_fail(k->s, CLI_USAGE, "found an empty argument, expected %s", k->c->operands);
  if (a->operand_count == k->c->operands_max)
    return cli_fail(k->s, CLI_USAGE, "unexpected argument '%s'; usage: stickslip %s [options] %s",
                    text, k->c->name, k->c->operands);
  a->operands[a->operand_count++] = text;
  return CLI_GO_ON;
}

static int take_word(scan *k, bool *options_over) {
  char *word = k->argv[k->at];
  bool is_option = !*options_over && word[0] == '-' && word[1] != '\0';
  if (!is_option) return take_operand(k, word);
  if (strcmp(word, "--") == 0) return *options_over = true, CLI_GO_ON;
  return word[1] == '-' ? take_long(k, word + 2) : take_short(k, word + 1);
}

// Inputs first, so that every output is held against all of them.
static int take_inputs(const scan *k) {
  int count = k->args->operand_count, status = CLI_GO_ON;
  if (k->c->operands_read && count > k->c->operands_read) count = k->c->operands_read;
  for (int i = 0; i < count && status == CLI_GO_ON; i++)
    status = cli_input(k->s, k->args->operands[i]);
  for (int i = 0; i < k->c->option_count && status == CLI_GO_ON; i++) {
    const cli_option *o = &k->c->options[i];
    const char *path =
        o->kind == CLI_READ ? *(char **)(void *)((char *)k->values + o->offset) : NULL;
    if (path) status = cli_input(k->s, path);
  }
  return status;
}

static int take_outputs(const scan *k) {
  int status = CLI_GO_ON;
  for (int i = 0; i < k->c->option_count && status == CLI_GO_ON; i++) {
    const cli_option *o = &k->c->options[i];
    void *place = (char *)k->values + o->offset;
    const char *path = o->kind == CLI_WRITE ? *(char **)place : NULL;
    if (path) status = cli_output(k->s, path, SS_FORMAT_AUTO);
    const cli_list *list = o->kind == CLI_WRITES ? place : NULL;
    for (int n = 0; list && n < list->count && status == CLI_GO_ON; n++)
      status = cli_output(k->s, list->items[n], SS_FORMAT_AUTO);
  }
  return status;
}

// With --json the text as it would be printed.
static int cli_help(cli_session *s, const cli_command *c) {
  s->printed = s->json;
  if (!s->json) return cli_print_help(stdout, c), CLI_DONE;
  char *text = NULL;
  size_t size = 0;
  FILE *to = open_memstream(&text, &size);
  if (to) cli_print_help(to, c);
  bool made = to && fclose(to) == 0;
  json_t *o = cli_object(s);
  cli_put(s, o, "help", cli_text(made ? text : NULL));
  free(text);
  return cli_print_json(s, o, CLI_DONE);
}

int cli_parse(cli_session *s, const cli_command *c, int argc, char **argv, void *values,
              cli_args *args) {
  common all = {0};
  scan k = {s, c, argc, 0, argv, values, &all, args};
  *args = (cli_args){.operands = argv};
  bool options_over = false;
  for (; k.at < argc; k.at++) {
    int status = take_word(&k, &options_over);
    if (status != CLI_GO_ON) return status;
  }
  argv[args->operand_count] = NULL;  // at most argv[argc], which is NULL anyway
  s->json = all.json;
  s->quiet = all.quiet;
  if (all.help) return cli_help(s, c);
  if (args->operand_count < c->operands_min)
    return cli_fail(s, CLI_USAGE, "%s: missing argument; usage: stickslip %s [options] %s", c->name,
                    c->name, c->operands);
  int status = take_inputs(&k);
  return status == CLI_GO_ON ? take_outputs(&k) : status;
}

// ---- help -----------------------------------------------------------------------------------

static void print_row(FILE *to, const cli_option *o) {
  char left[80], letter[8] = "    ";
  if (o->letter) snprintf(letter, sizeof letter, "-%c, ", o->letter);
  snprintf(left, sizeof left, "%s--%s%s%s", letter, o->name, o->argument ? " " : "",
           o->argument ? o->argument : "");
  fprintf(to, "  %-30s %s\n", left, o->help);
}

void cli_print_help(FILE *to, const cli_command *c) {
  fprintf(to, "%s %s - %s\n\n", cli_program, c->name, c->summary);
  fprintf(to, "usage: %s %s [options]%s%s\n\n", cli_program, c->name, *c->operands ? " " : "",
          c->operands);
  for (int i = 0; cli_row(c, i); i++) print_row(to, cli_row(c, i));
  if (c->method_options)
    fprintf(to, "  %-30s %s\n", "    --METHOD.KEY VALUE",
            "an option of the method: stickslip help METHOD lists them");
  if (c->about) fprintf(to, "\n%s", c->about);
}
