// io/json_value.h - from parsed JSON to numbers, vectors and matrices, with the place in every
// message: "name: /H/3/1: found string, expected a number". Jansson keeps its own memory (malloc):
// its hooks are process-wide, so a library must not set them.
#pragma once

#include <jansson.h>

#include "base/arena.h"
#include "io/reader.h"
#include "stickslip/enumerate.h"

typedef struct ssi_json {
  ss_context *ctx;
  const char *name;  // of the file
  ssi_arena *arena;  // takes what is read
} ssi_json;

// The document, an object; duplicate keys, text after it and a number too large are errors with
// line and column. The caller releases it with json_decref.
ss_error ssi_json_parse(const ssi_json *in, const ssi_source *source, json_t **root);

// A number is a JSON number, or a string holding one ("-0.25") or a fraction of two ("3/5", no
// exponents, at most 19 digits each side). Rounded correctly in every case. (1)
ss_error ssi_json_number(const ssi_json *in, const char *at, const json_t *value, double *out);

// A whole number in low .. high.
ss_error ssi_json_count(const ssi_json *in, const char *at, const json_t *value, int low, int high,
                        int *out);

// An array of numbers. *length >= 0 is what it must be, of which `why` gives the reason; if negative
// it becomes what was found.
ss_error ssi_json_vector(const ssi_json *in, const char *at, const json_t *value, int *length,
                         const char *why, double **out);

// An array of rows, whose zeros are not stored, or {"rows","cols","i","j","x"} with 0-based indices,
// whose zeros are. Duplicates are summed, and said.
ss_error ssi_json_matrix(const ssi_json *in, const char *at, const json_t *value, int rows,
                         int cols, ss_sparse *out);

ss_error ssi_json_text(const ssi_json *in, const char *at, const json_t *value, const char **out);

// The problem in a document; defined in json_problem.c.
ss_error ssi_json_problem(const ssi_json *in, json_t *root, ss_file *out);

// {"r", "u", "v", "l"} of the problem in f, each optional; `normals`: in world axes. In json_problem.c too.
ss_error ssi_json_solution(const ssi_json *in, const char *at, const json_t *object,
                           const ss_file *f, const double *normals, ss_solution *out);

ss_error ssi_json_no_memory(const ssi_json *in);

// What a file is, by its keys (json_kind.c). SS_ERR_FORMAT for one of another kind, with what to do with it.
typedef enum ssi_json_kind {
  SSI_JSON_CERTIFICATE,
  SSI_JSON_PRINTED,
  SSI_JSON_TEMPLATE,
  SSI_JSON_BODIES,
  SSI_JSON_SCENE,
  SSI_JSON_PROBLEM,
  SSI_JSON_SOLUTION,
} ssi_json_kind;
ss_error ssi_json_expect(const ssi_json *in, const json_t *root, ssi_json_kind expected);

// Refuses a key that is none of `known` (ends with NULL), and names the nearest.
ss_error ssi_json_keys(const ssi_json *in, const char *at, const json_t *object,
                       const char *const *known);

// The numbers of a problem as they were written, for commands that work exactly; in json_exact.c.
// *out = NULL where no number is written as a fraction or in a string, where "normals" turn the
// numbers into others, or where duplicate entries were summed. Else the texts in the order of the
// arrays of p, which was read from `root`; NULL for a number that its double holds exactly. Other
// JSON numbers count as the decimals that they are (0.1 is 1/10).
ss_error ssi_json_exact(const ssi_json *in, const json_t *root, const ss_problem *p,
                        const ss_exact **out);
