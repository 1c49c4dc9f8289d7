// cli/methods.h - the registered methods as the command line sees them.
#pragma once

#include "cli/args.h"

// CLI_GO_ON, or CLI_USAGE after naming the nearest method.
int cli_method_check(cli_session *s, const char *method);

// Checks --METHOD.KEY VALUE against the method's rows and fills `out` (a->setting_count).
int cli_settings_check(cli_session *s, const char *method, const cli_args *a, ss_setting *out);

void cli_method_print(FILE *to, const char *method);  // summary and option rows
json_t *cli_methods_json(cli_session *s);             // all of them
void cli_put_settings(cli_session *s, json_t *object, const char *method,  // "nsgs.omega": 1 ...
                      const ss_setting *set, int count);
