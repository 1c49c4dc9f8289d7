// The points of a sweep as lines of JSON: the first says what is swept, each further one is a point, appended when it
// has run. A line that was cut off is passed over.
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/sweep.h"

json_t *sweep_axes_json(cli_session *s, const sweep_job *w) {
  json_t *list = json_array();
  for (int k = 0; k < w->axis_count; k++) {
    json_t *o = json_object();
    cli_put(s, o, "name", cli_text(w->axes[k].name));
    cli_put(s, o, "from", cli_real(w->axes[k].from));
    cli_put(s, o, "to", cli_real(w->axes[k].to));
    cli_put(s, o, "count", json_integer(w->axes[k].count));
    cli_append(s, list, o);
  }
  return list;
}

json_t *sweep_row_json(cli_session *s, const sweep_job *w, int point) {
  json_t *o = json_object(), *parameters = json_object();
  for (int k = 0; k < w->axis_count; k++)
    cli_put(s, parameters, w->axes[k].name, cli_real(sweep_value(w, point, k)));
  cli_put(s, o, "point", json_integer(point));
  cli_put(s, o, "parameters", parameters);
  cli_put(s, o, "result", json_incref(w->results[point]));
  return o;
}

// What the points depend on: of a scene its content, not its name.
static json_t *head_json(cli_session *s, const sweep_job *w) {
  json_t *o = json_object();
  uint64_t h = 0xcbf29ce484222325u;  // FNV-1a
  for (const char *c = w->text ? w->text : w->scene; *c; c++)
    h = (h ^ (unsigned char)*c) * 0x100000001b3u;
  char hash[20];
  snprintf(hash, sizeof hash, "%016" PRIx64, h);
  cli_put(s, o, "command", json_string("sweep"));
  cli_put(s, o, "version", json_string(ss_version()));
  cli_put(s, o, "scene", cli_text(w->scene));
  cli_put(s, o, "scene_hash", json_string(hash));
  cli_put(s, o, "with", cli_text(w->o.with));
  cli_put(s, o, "axes", sweep_axes_json(s, w));
  return o;
}

// o is taken.
static int add_line(cli_session *s, sweep_job *w, json_t *o) {
  char *text = json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(17));
  json_decref(o);
  if (!text || s->out_of_memory) {
    free(text);
    return cli_fail(s, CLI_RESOURCES, "%s: out of memory for a point", w->o.output);
  }
  bool bad = fprintf(w->lines, "%s\n", text) < 0 || fflush(w->lines) != 0;
  free(text);
  if (!bad) return CLI_GO_ON;
  return cli_fail(s, CLI_RESOURCES, "%s: cannot be written: %s", w->o.output, strerror(errno));
}

int sweep_lines_add(cli_session *s, sweep_job *w, int point) {
  return w->lines ? add_line(s, w, sweep_row_json(s, w, point)) : CLI_GO_ON;
}

static bool is_this_sweep(json_t *head, json_t *line) {
  static const char *const keys[] = {"command", "scene_hash", "with", "axes"};
  for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
    json_t *a = json_object_get(head, keys[k]), *b = json_object_get(line, keys[k]);
    if (!b || !json_equal(a, b)) return false;
  }
  return true;
}

// A point that lacked memory or disk is run again.
static void take_point(sweep_job *w, json_t *line) {
  json_t *number = json_object_get(line, "point"), *result = json_object_get(line, "result");
  json_int_t point = json_integer_value(number);
  if (!json_is_integer(number) || !json_is_object(result)) return;
  if (point < 0 || point >= w->point_count || w->results[point]) return;
  if (json_integer_value(json_object_get(result, "exit_status")) == CLI_RESOURCES) return;
  w->results[point] = json_incref(result);
}

static int read_lines(cli_session *s, sweep_job *w, json_t *head) {
  char *line = NULL;
  size_t room = 0;
  int status = CLI_GO_ON;
  for (ssize_t n; status == CLI_GO_ON && (n = getline(&line, &room, w->lines)) >= 0;) {
    json_t *o = json_loadb(line, (size_t)n, 0, NULL);
    if (json_object_get(o, "axes") && !is_this_sweep(head, o))
      status =
          cli_fail(s, CLI_INPUT, "--resume: %s: is of another sweep (scene, parameters or --with)",
                   w->o.output);
    else if (o)
      take_point(w, o);
    json_decref(o);
  }
  free(line);
  return status;
}

int sweep_lines_open(cli_session *s, sweep_job *w) {
  if (!w->o.output) return CLI_GO_ON;
  w->lines = fopen(w->o.output, "a+");
  if (!w->lines)
    return cli_fail(s, CLI_RESOURCES, "%s: cannot be written: %s", w->o.output, strerror(errno));
  json_t *head = head_json(s, w);
  if (fseek(w->lines, 0, SEEK_END) != 0 || ftell(w->lines) == 0) return add_line(s, w, head);
  int status = CLI_GO_ON;
  if (!w->o.resume)
    status =
        cli_fail(s, CLI_RESOURCES,
                 "%s: holds points already; --resume goes on with it, another name begins anew",
                 w->o.output);
  rewind(w->lines);
  if (status == CLI_GO_ON) status = read_lines(s, w, head);
  int last = fseek(w->lines, -1, SEEK_END) == 0 ? fgetc(w->lines) : '\n';
  fseek(w->lines, 0, SEEK_END);
  if (status == CLI_GO_ON && last != '\n') fputc('\n', w->lines);
  if (status != CLI_GO_ON) return json_decref(head), status;
  return add_line(s, w, head);
}
