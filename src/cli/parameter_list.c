// cli/parameter_list.c - see parameters.h.
#include "cli/parameter_list.h"

#include <math.h>
#include <string.h>

static void describe_range(const ss_model_parameter *p, bool word, char out[64]) {
  const char *kind = p->whole ? "whole, " : "";
  if (word)
    snprintf(out, 64, "a word");
  else if (isinf(p->low) && isinf(p->high))
    snprintf(out, 64, "any");
  else if (isinf(p->high) && p->low > 0 && p->low < 1e-300)
    snprintf(out, 64, "> 0");
  else if (isinf(p->high))
    snprintf(out, 64, ">= %g", p->low);
  else if (isinf(p->low))
    snprintf(out, 64, "<= %g", p->high);
  else
    snprintf(out, 64, "%s%.4g .. %.4g", kind, p->low < 1e-300 && p->low > 0 ? 0 : p->low, p->high);
}

static void print_lines(const char *text) {
  for (const char *line = text; line;) {
    int length = (int)strcspn(line, "\n");
    printf("  %.*s\n", length, line);
    line = line[length] ? line + length + 1 : NULL;
  }
}

void cli_print_parameters(const char *equation, const char *name, cli_parameter_at *at,
                          cli_words_of *words) {
  const ss_model_parameter *p;
  int width = 10;
  print_lines(equation);
  for (int i = 0; (p = at(name, i)); i++)
    if ((int)strlen(p->name) > width) width = (int)strlen(p->name);
  for (int i = 0; (p = at(name, i)); i++) {
    char range[64];
    describe_range(p, words && words(name, p->name), range);
    printf("    %-*s %-6s %-14s %s\n", width, p->name, p->initial ? p->initial : "-", range,
           p->meaning);
  }
}

static json_t *bound(double x) {
  return isinf(x) ? json_null() : cli_real(x);
}

static json_t *words_json(cli_session *s, const char *const *words) {
  if (!words) return json_null();
  json_t *list = json_array();
  for (; *words; words++) cli_append(s, list, json_string(*words));
  return list;
}

static json_t *parameter_json(cli_session *s, const ss_model_parameter *p,
                              const char *const *words) {
  json_t *row = json_object();
  cli_put(s, row, "name", json_string(p->name));
  cli_put(s, row, "default", cli_text(p->initial));
  cli_put(s, row, "low", bound(p->low));
  cli_put(s, row, "high", bound(p->high));
  cli_put(s, row, "whole", json_boolean(p->whole));
  cli_put(s, row, "words", words_json(s, words));
  cli_put(s, row, "meaning", json_string(p->meaning));
  return row;
}

json_t *cli_parameters_json(cli_session *s, const char *name, cli_parameter_at *at,
                            cli_words_of *words) {
  json_t *list = json_array();
  const ss_model_parameter *p;
  for (int i = 0; (p = at(name, i)); i++)
    cli_append(s, list, parameter_json(s, p, words ? words(name, p->name) : NULL));
  return list;
}
