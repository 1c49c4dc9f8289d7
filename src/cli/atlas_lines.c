// The blocks of an atlas as lines of JSON: the first says what is mapped, each further one holds the points of a block,
// appended when they are found. A line that was cut off is passed over, what follows it on the same line is not.
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cli/atlas_job.h"
#include "cli/json_lines.h"

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
  const json_t *time_s = json_object_get(line, "time_s");
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
                           .time_s = json_number_value(time_s)};
  return number >= 0 && number <= INT_MAX && json_is_array(x) && json_array_size(y) == count &&
         json_array_size(kind) == count && json_is_number(time_s) && json_number_value(time_s) >= 0;
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
  int unread;                // line since the last head that cannot be read; 0: none
  bool unread_head;          // and it begins as a head does
  char fault[160];           // of it
} block_reading;

static int no_head(cli_session *s, const block_reading *b, int number) {
  if (b->unread_head) return atlas_broken_head(s, &(atlas_place){b->path, b->unread}, b->fault);
  if (b->unread)
    return cli_fail(s, CLI_INPUT,
                    "%s: line %d: found a block below line %d, which cannot be read and may be the "
                    "head of another atlas, expected a head first, which says of what",
                    b->path, number, b->unread);
  return cli_fail(s, CLI_INPUT,
                  "%s: line %d: found a block, expected a head first, which says of what", b->path,
                  number);
}

// What is below a line that cannot be read may be of any atlas, since that may be a head. Below one that was cut off
// stands a head or nothing: every run begins with its own.
static void pass_over(block_reading *b, const cli_line_reader *r) {
  if (r->blank) return;
  if (!b->broken++) b->first_broken = r->number;
  b->headed = false;
  b->unread = r->number;
  b->unread_head = r->head;
  memcpy(b->fault, r->fault, sizeof b->fault);
}

static int take_line(cli_session *s, block_reading *b, const cli_line_reader *r) {
  if (atlas_is_head(r->value)) {
    b->headed = true;
    b->unread = 0;
    b->unread_head = false;
    return atlas_check_head(s, b->j, &(atlas_place){b->path, r->number}, r->value, b->of);
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
