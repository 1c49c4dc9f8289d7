// Blocks of several runs (shards of one atlas) put together: what is mapped is what the first file says, the others
// must say the same, and no block may be missing.
#include <stdio.h>
#include <string.h>

#include "cli/atlas_job.h"
#include "cli/json_lines.h"

static int not_blocks(cli_session *s, const char *path) {
  return cli_fail(s, CLI_INPUT, "%s: found no head, expected blocks of an atlas (.jsonl)", path);
}

// The head of a file, which stays in j->head: names and texts of the job are its own.
static int read_head(cli_session *s, atlas_job *j, const char *path) {
  FILE *from = fopen(path, "r");
  if (!from) return cli_fail(s, CLI_INPUT, "%s: cannot be read", path);
  cli_line_reader r = {.from = from};
  while (!j->head && cli_line_read(&r))
    if (atlas_is_head(r.value)) j->head = json_incref(r.value);
  cli_line_reader_end(&r);
  fclose(from);
  return j->head ? CLI_GO_ON : not_blocks(s, path);
}

static bool take_axis(const json_t *head, const char *key, char name[64], ss_atlas_axis *out) {
  const json_t *o = json_object_get(head, key);
  const char *text = json_string_value(json_object_get(o, "name"));
  if (!text || strlen(text) >= 64) return false;
  strcpy(name, text);
  out->from = json_number_value(json_object_get(o, "from"));
  out->to = json_number_value(json_object_get(o, "to"));
  out->cells = (int)json_integer_value(json_object_get(o, "cells"));
  return true;
}

static bool take_settings(const json_t *head, cli_settings *out) {
  const char *key;
  json_t *value;
  json_object_foreach(json_object_get(head, "parameters"), key, value) {
    if (out->count == CLI_LIST_MAX || strlen(key) >= sizeof out->names[0] || !json_is_string(value))
      return false;
    char *name = out->names[out->count];
    strcpy(name, key);
    out->settings[out->count++] = (ss_model_setting){name, json_string_value(value), 0};
  }
  return true;
}

static int take_head(cli_session *s, atlas_job *j, const char *path) {
  const json_t *h = j->head;
  const char *model = json_string_value(json_object_get(h, "model"));
  const char *of = json_string_value(json_object_get(h, "of"));
  bool good = model && of && take_axis(h, "x", j->x_name, &j->a.x) &&
              take_axis(h, "y", j->y_name, &j->a.y) && take_settings(h, &j->fixed);
  if (!good) return not_blocks(s, path);
  j->o.status = strcmp(of, "statuses") == 0;
  j->a.refine = (int)json_integer_value(json_object_get(h, "refine"));
  j->a.enumerate.tie_tol = json_number_value(json_object_get(h, "tie_tol"));
  j->a.enumerate.recheck = (int)json_integer_value(json_object_get(h, "recheck"));
  if (!ss_atlas_block_count(&j->a)) return not_blocks(s, path);
  return cli_source_open(s, model, &j->source);
}

// The template may have changed since, and so may the library.
static int check_head(cli_session *s, atlas_job *j, const char *path) {
  json_t *written = j->head;
  int status = atlas_make_head(s, j);
  if (status == CLI_GO_ON) status = atlas_check_head(s, j, written, path, j->source.name);
  if (j->head != written) json_decref(j->head);
  j->head = written;  // the job's names and texts are in there
  return status;
}

static int check_blocks(cli_session *s, const atlas_job *j) {
  int missing = 0, first = 0;
  for (int k = j->block_count - 1; k >= 0; k--)
    if (!j->has[k]) missing++, first = k;
  if (!missing) return CLI_GO_ON;
  return cli_fail(s, CLI_INPUT,
                  "these files lack %d of %d blocks, the first is block %d; --shard with --resume "
                  "finds them",
                  missing, j->block_count, first);
}

static int read_blocks(cli_session *s, atlas_job *j, const char *path, const char *first) {
  FILE *from = fopen(path, "r");
  if (!from) return cli_fail(s, CLI_INPUT, "%s: cannot be read", path);
  int status = atlas_lines_read(s, j, from, path, first);
  fclose(from);
  return status;
}

int atlas_merge(cli_session *s, atlas_job *j, char *const *paths, int count) {
  int status = read_head(s, j, paths[0]);
  if (status == CLI_GO_ON) status = take_head(s, j, paths[0]);
  if (status == CLI_GO_ON) status = check_head(s, j, paths[0]);
  if (status == CLI_GO_ON) status = atlas_begin_blocks(s, j);
  for (int k = 0; k < count && status == CLI_GO_ON; k++)
    status = read_blocks(s, j, paths[k], paths[0]);
  return status == CLI_GO_ON ? check_blocks(s, j) : status;
}
