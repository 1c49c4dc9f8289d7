// cli/parameter_list.h - parameters of models and mechanisms, as --list shows them.
#pragma once

#include "cli/results.h"

typedef const ss_model_parameter *cli_parameter_at(const char *name, int index);  // NULL ends it
// Words that a parameter's values may be; NULL: numbers.
typedef const char *const *cli_words_of(const char *name, const char *parameter);

// Name, default, range and meaning of each, below the lines of an equation.
void cli_print_parameters(const char *equation, const char *name, cli_parameter_at *at,
                          cli_words_of *words);
json_t *cli_parameters_json(cli_session *s, const char *name, cli_parameter_at *at,
                            cli_words_of *words);
