#include "cli/settings.h"

#include <string.h>

int cli_settings_parse(cli_session *s, const cli_list *words, cli_settings *out) {
  out->count = 0;
  for (int k = 0; k < words->count; k++) {
    const char *word = words->items[k], *equals = strchr(word, '=');
    size_t length = equals ? (size_t)(equals - word) : 0;
    if (length == 0 || length >= sizeof out->names[0])
      return cli_fail(s, CLI_USAGE, "--param: found '%s', expected KEY=VALUE", word);
    memcpy(out->names[k], word, length);
    out->names[k][length] = '\0';
    out->settings[out->count++] = (ss_model_setting){out->names[k], equals + 1, 0};
  }
  return CLI_GO_ON;
}
