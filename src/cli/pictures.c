#include "cli/pictures.h"

#include <string.h>

char cli_picture_ending(const char *path) {
  const char *dot = strrchr(path, '.');
  if (!dot) return 0;
  if (strcmp(dot, ".svg") == 0) return 's';
  if (strcmp(dot, ".csv") == 0) return 'c';
  return strcmp(dot, ".json") == 0 ? 'j' : 0;
}

int cli_check_pictures(cli_session *s, const cli_list *outputs) {
  for (int k = 0; k < outputs->count; k++) {
    const char *path = outputs->items[k];
    if (!cli_picture_ending(path))
      return cli_fail(s, CLI_USAGE, "%s: expected an ending .svg, .csv or .json", path);
  }
  return CLI_GO_ON;
}

int cli_write_text(cli_session *s, const char *path, char *text, ss_error e) {
  if (!e) e = ss_text_write(&s->ctx, path, text);
  ss_text_destroy(&s->ctx, text);
  return e ? cli_fail_library(s, path, e) : CLI_GO_ON;
}

json_t *cli_settings_json(cli_session *s, const cli_settings *given) {
  json_t *o = json_object();
  for (int k = 0; k < given->count; k++)
    cli_put(s, o, given->settings[k].name, cli_text(given->settings[k].text));
  return o;
}

json_t *cli_list_json(cli_session *s, const cli_list *words) {
  json_t *list = json_array();
  for (int k = 0; k < words->count; k++) cli_append(s, list, cli_text(words->items[k]));
  return list;
}
