// stickslip/template.h - a JSON problem with parameters: numbers may be expressions in them.
//
//   { "parameters": {"theta": 0.6, "s": "=sin(theta)", "mu": "1/2"},
//     "dim": 2, "mu": ["=mu"], "M": [[1]], "f": ["=-s"], "H": [["=s"], ["=cos(theta)"]], "w": [0, 1] }
//
// A string that begins with '=' is an expression: numbers, parameters, + - * / ^, parentheses, pi and
// sin, cos, tan, atan, sqrt, exp, log, abs. Parameters are evaluated in the order of the file, each may
// use those above it.
#pragma once

#include "stickslip/io.h"
#include "stickslip/models.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ss_template ss_template;

// "-" is standard input. SS_ERR_UNSUPPORTED in a build without JSON.
SS_API ss_error ss_template_open(ss_context *ctx, const char *path, ss_template **out);
SS_API void ss_template_close(ss_template *t);  // NULL allowed

SS_API const char *ss_template_title(const ss_template *t);                 // NULL: none
SS_API const char *ss_template_parameter(const ss_template *t, int index);  // NULL past the last

// What it holds with these parameters set, for ss_file_close. Safe in several threads at once, each with its own context.
SS_API ss_error ss_template_fill(ss_context *ctx, const ss_template *t,
                                 const ss_model_setting *settings, int count, ss_file **out);

// The problem alone, for ss_problem_destroy; an instant (gap, rate) is SS_ERR_FORMAT.
SS_API ss_error ss_template_build(ss_context *ctx, const ss_template *t,
                                  const ss_model_setting *settings, int count, ss_problem **out);

#ifdef __cplusplus
}
#endif
