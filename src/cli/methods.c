#include "cli/methods.h"

#include <string.h>

#include "cli/results.h"

static const char *method_at(const void *user, int i) {
  (void)user;
  return ss_method_name(i);
}

static const char *key_at(const void *method, int i) {
  ss_option_help row;
  return ss_method_option(method, i, &row) ? row.key : NULL;
}

int cli_method_check(cli_session *s, const char *method) {
  if (ss_method_summary(method)) return CLI_GO_ON;
  char near[CLI_SUGGESTION];
  ss_suggest_name(method, NULL, method_at, NULL, near, sizeof near);
  return cli_fail(s, CLI_USAGE, "unknown solver '%s'; %s (see stickslip info)", method, near);
}

static bool find_row(const char *method, const char *key, ss_option_help *row) {
  for (int i = 0; ss_method_option(method, i, row); i++)
    if (strcmp(row->key, key) == 0) return true;
  return false;
}

static void list_words(const ss_option_help *row, char *out, size_t size) {
  *out = '\0';
  for (int i = 0; row->names[i]; i++) {
    size_t used = strlen(out);
    snprintf(out + used, size - used, "%s%s", i ? ", " : "", row->names[i]);
  }
}

static int check_setting(cli_session *s, const char *method, const cli_setting *x) {
  ss_option_help row;
  if (strcmp(x->method, method) != 0) {
    int status = cli_method_check(s, x->method);
    if (status != CLI_GO_ON) return status;
    return cli_fail(s, CLI_USAGE, "--%s.%s: the solver is %s, not %s", x->method, x->key, method,
                    x->method);
  }
  if (find_row(method, x->key, &row)) {
    ss_error e = ss_setting_check(&s->ctx, method, &(ss_setting){x->key, x->value});
    return e ? cli_fail(s, CLI_USAGE, "--%s", ss_error_detail(&s->ctx, e)) : CLI_GO_ON;
  }
  const char *nearest = ss_nearest_name(x->key, key_at, method);
  if (!nearest) return cli_fail(s, CLI_USAGE, "--%s.%s: %s has no options", method, x->key, method);
  return cli_fail(s, CLI_USAGE,
                  "unknown option --%s.%s; the nearest is --%s.%s (see stickslip help %s)", method,
                  x->key, method, nearest, method);
}

int cli_settings_check(cli_session *s, const char *method, const cli_args *a, ss_setting *out) {
  for (int i = 0; i < a->setting_count; i++) {
    int status = check_setting(s, method, &a->settings[i]);
    if (status != CLI_GO_ON) return status;
    out[i] = (ss_setting){a->settings[i].key, a->settings[i].value};
  }
  return CLI_GO_ON;
}

void cli_method_print(FILE *to, const char *method) {
  fprintf(to, "%s - %s\n", method, ss_method_summary(method));
  ss_option_help row;
  for (int i = 0; ss_method_option(method, i, &row); i++) {
    char left[80], range[200];
    snprintf(left, sizeof left, "--%s.%s", method, row.key);
    if (row.names) {
      char words[160];
      list_words(&row, words, sizeof words);
      snprintf(range, sizeof range, "%s; default %s", words, row.names[(int)row.initial]);
    } else {
      snprintf(range, sizeof range, "%g to %g; default %g", row.low, row.high, row.initial);
    }
    fprintf(to, "  %-28s %s (%s)\n", left, row.help, range);
  }
}

static json_t *row_json(cli_session *s, const ss_option_help *row) {
  json_t *o = json_object();
  cli_put(s, o, "key", json_string(row->key));
  cli_put(s, o, "help", json_string(row->help));
  if (row->names) {
    json_t *words = json_array();
    for (int i = 0; row->names[i]; i++) json_array_append_new(words, json_string(row->names[i]));
    cli_put(s, o, "default", json_string(row->names[(int)row->initial]));
    cli_put(s, o, "words", words);
  } else {
    cli_put(s, o, "default", cli_real(row->initial));
    cli_put(s, o, "low", cli_real(row->low));
    cli_put(s, o, "high", cli_real(row->high));
  }
  return o;
}

json_t *cli_methods_json(cli_session *s) {
  json_t *all = json_array();
  for (int i = 0; ss_method_name(i); i++) {
    const char *name = ss_method_name(i);
    json_t *method = json_object(), *rows = json_array();
    ss_option_help row;
    for (int k = 0; ss_method_option(name, k, &row); k++)
      json_array_append_new(rows, row_json(s, &row));
    cli_put(s, method, "name", json_string(name));
    cli_put(s, method, "summary", json_string(ss_method_summary(name)));
    cli_put(s, method, "options", rows);
    cli_append(s, all, method);
  }
  return all;
}

void cli_put_settings(cli_session *s, json_t *object, const char *method, const ss_setting *set,
                      int count) {
  ss_option_help row;
  for (int i = 0; ss_method_option(method, i, &row); i++) {
    const char *text = NULL;
    double value = row.initial;
    for (int k = 0; k < count; k++)
      if (strcmp(set[k].key, row.key) == 0) text = set[k].value;  // the last one counts
    char key[100];
    snprintf(key, sizeof key, "%s.%s", method, row.key);
    if (row.names)
      cli_put(s, object, key, json_string(text ? text : row.names[(int)row.initial]));
    else
      cli_put(s, object, key, cli_real(text && cli_to_number(text, &value) ? value : row.initial));
  }
}
