// The head of a file of blocks: what is mapped. Written from the job, read back into one; whatever a file has there is
// checked value by value, as an option would be, before anything is made of it.
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/atlas_job.h"
#include "cli/hash.h"

// ---- written --------------------------------------------------------------------------------

static json_t *axis_json(cli_session *s, const char *name, const ss_atlas_axis *a) {
  json_t *o = json_object();
  cli_put(s, o, "name", cli_text(name));
  cli_put(s, o, "from", cli_real(a->from));
  cli_put(s, o, "to", cli_real(a->to));
  cli_put(s, o, "cells", json_integer(a->cells));
  return o;
}

// Of a template its content, not its name.
static int hash_source(cli_session *s, const cli_source *source, uint64_t *out) {
  char part[4096];
  *out = cli_hash_bytes(CLI_HASH_BEGIN, source->template ? "" : source->name,
                        source->template ? 0 : strlen(source->name));
  if (!source->template) return CLI_GO_ON;
  if (strcmp(source->name, "-") == 0)
    return cli_fail(
        s, CLI_USAGE,
        "blocks belong to a template that can be read again: found '-', expected a file");
  FILE *from = fopen(source->name, "rb");
  if (!from) return cli_fail(s, CLI_INPUT, "%s: cannot be read", source->name);
  for (size_t n; (n = fread(part, 1, sizeof part, from)) > 0;) *out = cli_hash_bytes(*out, part, n);
  bool good = !ferror(from);
  fclose(from);
  return good ? CLI_GO_ON : cli_fail(s, CLI_INPUT, "%s: cannot be read", source->name);
}

int atlas_make_head(cli_session *s, atlas_job *j) {
  uint64_t hash;
  int status = hash_source(s, &j->source, &hash);
  if (status != CLI_GO_ON) return status;
  json_t *o = json_object();
  cli_put(s, o, "command", json_string("atlas"));
  cli_put(s, o, "version", json_string(ss_version()));
  cli_put(s, o, "model", cli_text(j->source.name));
  cli_put(s, o, "source_hash", cli_hash_json(hash));
  cli_put(s, o, "parameters", cli_settings_json(s, &j->fixed));
  cli_put(s, o, "x", axis_json(s, j->x_name, &j->a.x));
  cli_put(s, o, "y", axis_json(s, j->y_name, &j->a.y));
  cli_put(s, o, "of", json_string(j->o.status ? "statuses" : "solutions"));
  cli_put(s, o, "refine", json_integer(j->a.refine));
  cli_put(s, o, "tie_tol", cli_real(j->a.enumerate.tie_tol));
  cli_put(s, o, "recheck", json_integer(j->a.enumerate.recheck));
  j->head = o;
  return s->out_of_memory ? cli_fail(s, CLI_RESOURCES, "out of memory") : CLI_GO_ON;
}

bool atlas_is_head(const json_t *line) {
  return json_object_get(line, "command") || json_object_get(line, "refine");
}

// The first of what points depend on that is not the same; NULL: none.
static const char *differs(const json_t *a, const json_t *b) {
  static const char *const keys[] = {"command", "version", "source_hash", "parameters", "x",
                                     "y",       "of",      "refine",      "tie_tol",    "recheck"};
  for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
    json_t *x = json_object_get(a, keys[k]), *y = json_object_get(b, keys[k]);
    if (x && y && json_equal(x, y)) continue;
    bool renamed = !json_equal(json_object_get(a, "model"), json_object_get(b, "model"));
    return strcmp(keys[k], "source_hash") == 0 && renamed ? "model" : keys[k];
  }
  return NULL;
}

int atlas_check_head(cli_session *s, const atlas_job *j, const atlas_place *at, const json_t *line,
                     const char *of) {
  const char *key = differs(j->head, line);
  if (!key) return CLI_GO_ON;
  char *found = json_dumps(json_object_get(line, key), JSON_ENCODE_ANY | JSON_COMPACT);
  char *expected = json_dumps(json_object_get(j->head, key), JSON_ENCODE_ANY | JSON_COMPACT);
  int status =
      cli_fail(s, CLI_INPUT, "%s: line %d: is of another atlas than %s: found %s %s, expected %s",
               at->path, at->line, of, key, found ? found : "none", expected ? expected : "none");
  free(found), free(expected);
  return status;
}

// ---- read -----------------------------------------------------------------------------------

typedef struct head_reading {
  cli_session *s;
  atlas_job *j;
  const atlas_place *at;
} head_reading;

static int odd(const head_reading *h, const char *name, const json_t *found, const char *expected) {
  char *text = json_dumps(found, JSON_ENCODE_ANY | JSON_COMPACT | JSON_ENSURE_ASCII);
  int status = cli_fail(h->s, CLI_INPUT, "%s: line %d: %s: found %.80s, expected %s", h->at->path,
                        h->at->line, name, text ? text : "none", expected);
  free(text);
  return status;
}

static bool is_text(const json_t *found, const char *text) {
  return json_is_string(found) && strcmp(json_string_value(found), text) == 0;
}

typedef struct head_number {
  const char *name;
  double least, most;
  bool whole;
  const char *expected;
} head_number;

static int take_number(const head_reading *h, const json_t *o, const char *key,
                       const head_number *n, double *out) {
  const json_t *found = json_object_get(o, key);
  double x = json_number_value(found);
  if (!(n->whole ? json_is_integer(found) : json_is_number(found)) || x < n->least || x > n->most)
    return odd(h, n->name, found, n->expected);
  *out = x;
  return CLI_GO_ON;
}

static int take_text(const head_reading *h, const json_t *o, const char *key, const char *name,
                     size_t most, const char *expected, const char **out) {
  const json_t *found = json_object_get(o, key);
  const char *text = json_string_value(found);
  size_t length = text ? strlen(text) : 0;
  if (length == 0 || length > most) return odd(h, name, found, expected);
  *out = text;
  return CLI_GO_ON;
}

static int take_axis(const head_reading *h, const char *key, char name[64], ss_atlas_axis *out) {
  const json_t *o = json_object_get(h->j->head, key);
  char names[4][16];
  const char *text = "", *parts[] = {"name", "from", "to", "cells"};
  for (int k = 0; k < 4; k++) snprintf(names[k], sizeof names[k], "%s.%s", key, parts[k]);
  head_number from = {names[1], -DBL_MAX, DBL_MAX, false, "a number"};
  head_number to = {names[2], -DBL_MAX, DBL_MAX, false, "a number above from"};
  head_number cells = {names[3], 1, 1e6, true, "a whole number from 1 to 1000000"};
  double count = 0;
  int status = take_text(h, o, "name", names[0], 63, "the name of a parameter", &text);
  if (status == CLI_GO_ON) status = take_number(h, o, "from", &from, &out->from);
  to.least = nextafter(out->from, INFINITY);
  if (status == CLI_GO_ON) status = take_number(h, o, "to", &to, &out->to);
  if (status == CLI_GO_ON) status = take_number(h, o, "cells", &cells, &count);
  if (status != CLI_GO_ON) return status;
  strcpy(name, text);
  out->cells = (int)count;
  return CLI_GO_ON;
}

static int take_plane(const head_reading *h) {
  atlas_job *j = h->j;
  int status = take_axis(h, "x", j->x_name, &j->a.x);
  if (status == CLI_GO_ON) status = take_axis(h, "y", j->y_name, &j->a.y);
  if (status != CLI_GO_ON || strcmp(j->x_name, j->y_name) != 0) return status;
  return odd(h, "y.name", json_object_get(json_object_get(j->head, "y"), "name"),
             "another parameter than that of x");
}

static int take_settings(const head_reading *h) {
  cli_settings *out = &h->j->fixed;
  json_t *all = json_object_get(h->j->head, "parameters"), *value;
  const char *key;
  if (!json_is_object(all) || json_object_size(all) > CLI_LIST_MAX)
    return odd(h, "parameters", all, "an object of at most 64 texts");
  json_object_foreach(all, key, value) {
    if (strlen(key) >= sizeof out->names[0] || !json_is_string(value))
      return odd(h, "parameters", all, "texts, with names of at most 63 characters");
    char *name = out->names[out->count];
    strcpy(name, key);
    out->settings[out->count++] = (ss_model_setting){name, json_string_value(value), 0};
  }
  return CLI_GO_ON;
}

static int take_options(const head_reading *h) {
  static const head_number refined = {"refine", 0, 12, true, "a whole number from 0 to 12"},
                           tie_tol = {"tie_tol", 0, 0.009, false, "a number in 0 .. 0.009"},
                           recheck = {"recheck", 0, INT_MAX, true,
                                      "a whole number from 0 to 2147483647"};
  static const char expected[] = "\"solutions\" or \"statuses\"";
  const json_t *head = h->j->head;
  ss_atlas_options *a = &h->j->a;
  const char *of = "";
  double refine = 0, patterns = 0;
  int status = take_text(h, head, "of", "of", 9, expected, &of);
  if (status == CLI_GO_ON) status = take_number(h, head, "refine", &refined, &refine);
  if (status == CLI_GO_ON)
    status = take_number(h, head, "tie_tol", &tie_tol, &a->enumerate.tie_tol);
  if (status == CLI_GO_ON) status = take_number(h, head, "recheck", &recheck, &patterns);
  if (status != CLI_GO_ON) return status;
  h->j->o.status = strcmp(of, "statuses") == 0;
  if (!h->j->o.status && strcmp(of, "solutions") != 0)
    return odd(h, "of", json_object_get(head, "of"), expected);
  a->refine = (int)refine, a->enumerate.recheck = (int)patterns;
  return CLI_GO_ON;
}

// Of whom it is comes first: another version may have another head.
static int check_origin(const head_reading *h) {
  const json_t *head = h->j->head, *command = json_object_get(head, "command");
  const json_t *version = json_object_get(head, "version");
  char expected[40];
  snprintf(expected, sizeof expected, "\"%s\"", ss_version());
  if (!is_text(command, "atlas")) return odd(h, "command", command, "\"atlas\"");
  return is_text(version, ss_version()) ? CLI_GO_ON : odd(h, "version", version, expected);
}

static int open_source(const head_reading *h) {
  const char *model = "";
  int status = take_text(h, h->j->head, "model", "model", 4095, "a model or a template", &model);
  if (status != CLI_GO_ON) return status;
  if (strcmp(model, "-") == 0 || !cli_source_is_named(model))
    return odd(h, "model", json_object_get(h->j->head, "model"),
               "a model (stickslip model --list) or the file of a template");
  status = cli_source_open(h->s, model, &h->j->source);
  return status == CLI_USAGE ? CLI_INPUT : status;  // the words are the file's
}

int atlas_take_head(cli_session *s, atlas_job *j, const atlas_place *at) {
  head_reading h = {s, j, at};
  int status = check_origin(&h);
  if (status == CLI_GO_ON) status = take_plane(&h);
  if (status == CLI_GO_ON) status = take_settings(&h);
  if (status == CLI_GO_ON) status = take_options(&h);
  if (status == CLI_GO_ON && !ss_atlas_block_count(&j->a))
    status = cli_fail(s, CLI_INPUT,
                      "%s: line %d: found %d x %d cells refined %d times, expected at most 2^26 of "
                      "the finest size",
                      at->path, at->line, j->a.x.cells, j->a.y.cells, j->a.refine);
  return status == CLI_GO_ON ? open_source(&h) : status;
}

int atlas_check_parameters(cli_session *s, const atlas_job *j, const atlas_place *at) {
  const char *names[CLI_LIST_MAX + 2] = {j->x_name, j->y_name};
  for (int k = 0; k < j->fixed.count; k++) names[k + 2] = j->fixed.names[k];
  for (int k = 0; k < j->fixed.count + 2; k++)
    if (!cli_source_has(&j->source, names[k]))
      return cli_fail(s, CLI_INPUT, "%s: line %d: found '%s', expected a parameter of %s", at->path,
                      at->line, names[k], j->source.name);
  ss_error e = atlas_try_first(s, j);
  if (!e) return CLI_GO_ON;
  return cli_fail(s, e == SS_ERR_MEMORY ? CLI_RESOURCES : CLI_INPUT,
                  "%s: line %d: found what %s does not take: %s", at->path, at->line,
                  j->source.name, ss_error_detail(&s->ctx, e));
}

int atlas_broken_head(cli_session *s, const atlas_place *at, const char *fault) {
  return cli_fail(s, CLI_INPUT,
                  "%s: line %d: found a head that is no JSON (%s), expected one that says what the "
                  "blocks below it are of",
                  at->path, at->line, fault);
}
