#include "cli/axis.h"

#include <ctype.h>
#include <string.h>

// "0.25" or "3/5".
static bool to_value(char *text, double *out) {
  char *slash = strchr(text, '/');
  double below = 1;
  if (slash) *slash = '\0';
  bool ok = cli_to_number(text, out) && (!slash || cli_to_number(slash + 1, &below)) && below != 0;
  if (ok) *out /= below;
  return ok;
}

bool cli_take_number(const char **text, char end, double *out) {
  char copy[64];
  const char *stop = strchr(*text, end);
  size_t length = stop ? (size_t)(stop - *text) : strlen(*text);
  if (length >= sizeof copy) return false;
  memcpy(copy, *text, length);
  copy[length] = '\0';
  *text += length + (stop && *stop ? 1 : 0);
  return to_value(copy, out);
}

static int wrong(cli_session *s, const cli_axis_form *form, const char *text) {
  if (!form->counts)
    return cli_fail(s, CLI_USAGE, "%s: found '%s', expected NAME=FROM:TO", form->option, text);
  char word[32];
  size_t k = 0;
  for (; form->counts[k] && k + 1 < sizeof word; k++)
    word[k] = (char)toupper((unsigned char)form->counts[k]);
  word[k] = '\0';
  return cli_fail(s, CLI_USAGE, "%s: found '%s', expected NAME=FROM:TO or NAME=FROM:TO:%s",
                  form->option, text, word);
}

int cli_axis_parse(cli_session *s, const cli_axis_form *form, const char *text, cli_axis *out) {
  const char *equals = strchr(text, '='), *at = equals ? equals + 1 : text;
  size_t length = equals ? (size_t)(equals - text) : 0;
  double count = form->initial;
  if (length == 0 || length >= sizeof out->name) return wrong(s, form, text);
  memcpy(out->name, text, length);
  out->name[length] = '\0';
  if (!strchr(at, ':') || !cli_take_number(&at, ':', &out->from) ||
      !cli_take_number(&at, ':', &out->to))
    return wrong(s, form, text);
  if (*at && (!form->counts || !cli_take_number(&at, '\0', &count))) return wrong(s, form, text);
  if (!(count >= form->least && count <= 1e6) || count != (double)(int)count)
    return cli_fail(s, CLI_USAGE, "%s: %g %s, expected a whole number from %d to 1000000",
                    form->option, count, form->counts, form->least);
  if (!(out->from < out->to))
    return cli_fail(s, CLI_USAGE, "%s: goes from %g to %g, expected an interval", form->option,
                    out->from, out->to);
  out->count = (int)count;
  return CLI_GO_ON;
}
