// cli/pictures.h - output files that are pictures, tables or the JSON object itself, by their endings.
#pragma once

#include "cli/results.h"
#include "cli/settings.h"

// The kind of file that an ending asks for: 's'vg, 'c'sv or 'j'son; 0: none.
char cli_picture_ending(const char *path);
// Every one has such an ending and can be written. CLI_GO_ON or an exit status.
int cli_check_pictures(cli_session *s, const cli_list *outputs);
// Writes a text that the library made (e: the error of making it) and releases it. CLI_GO_ON or an exit status.
int cli_write_text(cli_session *s, const char *path, char *text, ss_error e);

json_t *cli_settings_json(cli_session *s, const cli_settings *given);  // {name: text}
json_t *cli_list_json(cli_session *s, const cli_list *words);
