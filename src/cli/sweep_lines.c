// The points of a sweep as lines of JSON: the first says what is swept, each further one is a point, appended when it
// has run. A line that was cut off is passed over.
#include <string.h>

#include "cli/hash.h"
#include "cli/json_lines.h"
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
  const char *text = w->text ? w->text : w->scene;
  cli_put(s, o, "command", json_string("sweep"));
  cli_put(s, o, "version", json_string(ss_version()));
  cli_put(s, o, "scene", cli_text(w->scene));
  cli_put(s, o, "scene_hash", cli_hash_json(cli_hash_bytes(CLI_HASH_BEGIN, text, strlen(text))));
  cli_put(s, o, "with", cli_text(w->o.with));
  cli_put(s, o, "axes", sweep_axes_json(s, w));
  return o;
}

static int add_line(cli_session *s, sweep_job *w, json_t *o) {
  return cli_lines_add(s, w->o.output, w->lines, o);
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

// Points below a line that cannot be read, and may be the head of another sweep, are run again.
static int read_lines(cli_session *s, sweep_job *w, json_t *head) {
  cli_line_reader r = {.from = w->lines};
  bool headed = false;
  while (cli_line_read(&r)) {
    bool begins = json_object_get(r.value, "axes");
    if (begins && !is_this_sweep(head, r.value)) {
      cli_line_reader_end(&r);
      return cli_fail(s, CLI_INPUT,
                      "--resume: %s: is of another sweep (scene, parameters or --with)",
                      w->o.output);
    }
    headed = begins || (headed && (r.blank || json_object_get(r.value, "point")));
    if (headed) take_point(w, r.value);
  }
  cli_line_reader_end(&r);
  return CLI_GO_ON;
}

int sweep_lines_open(cli_session *s, sweep_job *w) {
  if (!w->o.output) return CLI_GO_ON;
  int status = cli_lines_open(s, w->o.output, "points", w->o.resume, &w->lines);
  if (status != CLI_GO_ON) return status;
  json_t *head = head_json(s, w);
  status = read_lines(s, w, head);
  if (status != CLI_GO_ON) return json_decref(head), status;
  cli_lines_go_on(w->lines);
  return add_line(s, w, head);
}
