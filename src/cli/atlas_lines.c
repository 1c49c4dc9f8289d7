// The blocks of an atlas as lines of JSON: the first says what is mapped, each further one holds the points of a block,
// appended when they are found. A line that was cut off is passed over, what follows it on the same line is not.
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cli/atlas_job.h"
#include "cli/hash.h"
#include "cli/json_lines.h"

// ---- the head -------------------------------------------------------------------------------

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
  return json_object_get(line, "refine") != NULL;
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

int atlas_check_head(cli_session *s, const atlas_job *j, const json_t *line, const char *path,
                     const char *of) {
  const char *key = differs(j->head, line);
  if (!key) return CLI_GO_ON;
  char *found = json_dumps(json_object_get(line, key), JSON_ENCODE_ANY | JSON_COMPACT);
  char *expected = json_dumps(json_object_get(j->head, key), JSON_ENCODE_ANY | JSON_COMPACT);
  int status = cli_fail(s, CLI_INPUT, "%s: is of another atlas than %s: found %s %s, expected %s",
                        path, of, key, found ? found : "none", expected ? expected : "none");
  free(found), free(expected);
  return status;
}

// ---- a block --------------------------------------------------------------------------------

static json_t *block_json(cli_session *s, const ss_atlas_points *p) {
  json_t *o = json_object(), *kinds = json_array(), *kind = json_array(), *unsettled = json_array();
  for (int k = 0; k < p->kind_count; k++) cli_append(s, kinds, json_string(p->kinds[k]));
  for (int k = 0; k < p->count; k++) {
    cli_append(s, kind, json_integer(p->kind[k]));
    if (p->unsettled[k]) cli_append(s, unsettled, json_integer(k));
  }
  cli_put(s, o, "block", json_integer(p->block));
  cli_put(s, o, "kinds", kinds);
  cli_put(s, o, "x", cli_doubles_json(p->x, p->count));
  cli_put(s, o, "y", cli_doubles_json(p->y, p->count));
  cli_put(s, o, "kind", kind);
  cli_put(s, o, "unsettled", unsettled);
  cli_put(s, o, "time_s", cli_real(p->time_s));
  return o;
}

int atlas_lines_add(cli_session *s, atlas_job *j, const ss_atlas_points *found) {
  return cli_lines_add(s, j->path, j->lines, block_json(s, found));
}

typedef struct read_arrays {
  double *x, *y;
  int *kind;
  bool *unsettled;
  const char **kinds;
} read_arrays;

static void release_arrays(read_arrays *r) {
  free(r->x), free(r->y), free(r->kind), free(r->unsettled), free(r->kinds);
}

static bool take_arrays(size_t points, size_t kinds, read_arrays *r) {
  r->x = calloc(points + 1, sizeof *r->x), r->y = calloc(points + 1, sizeof *r->y);
  r->kind = calloc(points + 1, sizeof *r->kind);
  r->unsettled = calloc(points + 1, sizeof *r->unsettled);
  r->kinds = calloc(kinds + 1, sizeof *r->kinds);
  return r->x && r->y && r->kind && r->unsettled && r->kinds;
}

// Texts stay those of the line. false: the line is not what is written.
static bool fill_arrays(const json_t *line, read_arrays *r, ss_atlas_points *out) {
  const json_t *x = json_object_get(line, "x"), *y = json_object_get(line, "y"), *value;
  const json_t *kind = json_object_get(line, "kind"), *kinds = json_object_get(line, "kinds");
  const json_t *block = json_object_get(line, "block");
  json_int_t number = json_is_integer(block) ? json_integer_value(block) : -1;
  size_t k, count = json_array_size(x);
  json_array_foreach(kinds, k, value) {
    if (!json_is_string(value)) return false;
    r->kinds[k] = json_string_value(value);
  }
  for (k = 0; k < count; k++) {
    const json_t *a = json_array_get(x, k), *b = json_array_get(y, k), *c = json_array_get(kind, k);
    if (!json_is_number(a) || !json_is_number(b) || !json_is_integer(c)) return false;
    r->x[k] = json_number_value(a), r->y[k] = json_number_value(b);
    json_int_t place = json_integer_value(c);
    if (place < 0 || place > INT_MAX) return false;
    r->kind[k] = (int)place;
  }
  json_array_foreach(json_object_get(line, "unsettled"), k, value) {
    json_int_t at = json_is_integer(value) ? json_integer_value(value) : -1;
    if (at < 0 || (size_t)at >= count) return false;
    r->unsettled[at] = true;
  }
  *out = (ss_atlas_points){.block = (int)number,
                           .count = (int)count,
                           .x = r->x,
                           .y = r->y,
                           .kind = r->kind,
                           .unsettled = r->unsettled,
                           .kind_count = (int)json_array_size(kinds),
                           .kinds = r->kinds,
                           .time_s = json_number_value(json_object_get(line, "time_s"))};
  return number >= 0 && number <= INT_MAX && json_is_array(x) && json_array_size(y) == count &&
         json_array_size(kind) == count;
}

static int take_block(cli_session *s, atlas_job *j, const json_t *line, const char *path,
                      int number) {
  read_arrays r = {0};
  ss_atlas_points found = {0};
  int status = CLI_GO_ON;
  if (!take_arrays(json_array_size(json_object_get(line, "x")),
                   json_array_size(json_object_get(line, "kinds")), &r))
    status = cli_fail(s, CLI_RESOURCES, "%s: out of memory for its points", path);
  else if (!fill_arrays(line, &r, &found) || found.block >= j->block_count)
    status = cli_fail(s, CLI_INPUT, "%s: line %d: found other JSON, expected one of %d blocks",
                      path, number, j->block_count);
  if (status == CLI_GO_ON && !j->has[found.block]) {
    ss_error e = ss_atlas_known_add(&s->ctx, j->known, &found);
    if (e)
      status = cli_fail(s, e == SS_ERR_MEMORY ? CLI_RESOURCES : CLI_INPUT, "%s: line %d: %s", path,
                        number, ss_error_detail(&s->ctx, e));
    j->has[found.block] = true;
    j->time_s += found.time_s;
    if (cli_shard_has(&j->shard, found.block)) j->problems += found.count;
  }
  release_arrays(&r);
  return status;
}

// ---- files ----------------------------------------------------------------------------------

typedef struct block_reading {
  atlas_job *j;
  const char *path, *of;
  bool headed;
  int broken, first_broken;  // lines
  int bad_head;              // line of the last head, if that is no JSON; else 0
  char fault[160];           // of it
} block_reading;

static int no_head(cli_session *s, const block_reading *b, int number) {
  if (!b->bad_head)
    return cli_fail(s, CLI_INPUT,
                    "%s: line %d: found a block, expected a head first, which says of what",
                    b->path, number);
  return cli_fail(s, CLI_INPUT,
                  "%s: line %d: found a head that is no JSON (%s), expected one that says what the "
                  "blocks below it are of",
                  b->path, b->bad_head, b->fault);
}

// What is below a head that cannot be read may be of any atlas; one that was cut off has nothing below it.
static void pass_over(block_reading *b, const cli_line_reader *r) {
  if (r->blank) return;
  if (!b->broken++) b->first_broken = r->number;
  if (!r->head) return;
  b->headed = false;
  b->bad_head = r->number;
  memcpy(b->fault, r->fault, sizeof b->fault);
}

static int take_line(cli_session *s, block_reading *b, const cli_line_reader *r) {
  if (atlas_is_head(r->value)) {
    b->headed = true;
    return atlas_check_head(s, b->j, r->value, b->path, b->of);
  }
  if (!json_object_get(r->value, "block")) return pass_over(b, r), CLI_GO_ON;
  return b->headed ? take_block(s, b->j, r->value, b->path, r->number) : no_head(s, b, r->number);
}

int atlas_lines_read(cli_session *s, atlas_job *j, FILE *from, const char *path, const char *of) {
  cli_line_reader r = {.from = from};
  block_reading b = {.j = j, .path = path, .of = of};
  int status = CLI_GO_ON;
  while (status == CLI_GO_ON && cli_line_read(&r)) status = take_line(s, &b, &r);
  cli_line_reader_end(&r);
  if (b.broken)
    cli_note(s, "%s: %d line%s cut off or without a block, the first is line %d: passed over", path,
             b.broken, b.broken == 1 ? "" : "s", b.first_broken);
  return status;
}

int atlas_begin_blocks(cli_session *s, atlas_job *j) {
  j->block_count = ss_atlas_block_count(&j->a);
  j->has = calloc((size_t)j->block_count + 1, sizeof *j->has);
  ss_error e = ss_atlas_known_create(&s->ctx, &j->known);
  return j->has && !e ? CLI_GO_ON : cli_fail(s, CLI_RESOURCES, "out of memory for the blocks");
}

int atlas_lines_open(cli_session *s, atlas_job *j) {
  int status = cli_lines_open(s, j->path, "blocks", j->o.resume, &j->lines);
  if (status == CLI_GO_ON) status = atlas_lines_read(s, j, j->lines, j->path, "this one");
  if (status != CLI_GO_ON) return status;
  cli_lines_go_on(j->lines);
  return cli_lines_add(s, j->path, j->lines, json_incref(j->head));
}
