// cli/scene_text.c - see scene_text.h.
#define _POSIX_C_SOURCE 200809L
#include "cli/scene_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/args.h"
#include "cli/results.h"

static const char *builtin_at(const void *user, int i) {
  int scenes = 0, machines = 0;
  (void)user;
  while (ss_scene_builtin(scenes, NULL, NULL)) scenes++;
  while (ss_machine_name(machines)) machines++;
  if (i < scenes) return ss_scene_builtin(i, NULL, NULL);
  return i < scenes + machines ? ss_machine_name(i - scenes)
                               : ss_march_builtin(i - scenes - machines, NULL, NULL);
}

static const char *builtin_text(const char *name) {
  const char *found, *text;
  for (int i = 0; (found = ss_scene_builtin(i, NULL, &text)); i++)
    if (strcmp(found, name) == 0) return text;
  for (int i = 0; (found = ss_march_builtin(i, NULL, &text)); i++)
    if (strcmp(found, name) == 0) return text;
  return NULL;
}

// The member of `at` (an object or array) that `key` names, or NULL.
static json_t *member(json_t *at, const char *key) {
  char *end;
  if (json_is_object(at)) return json_object_get(at, key);
  unsigned long index = strtoul(key, &end, 10);
  return *key && !*end ? json_array_get(at, index) : NULL;
}

// One "/a/0/b=VALUE": VALUE as JSON, or as a string where it is not.
static bool set_one(json_t *root, char *text) {
  char *equals = strchr(text, '=');
  if (*text != '/' || !equals) return false;
  *equals = '\0';
  json_t *value = json_loads(equals + 1, JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL, NULL);
  if (!value) value = json_string(equals + 1);
  char *key = text + 1, *next;
  json_t *at = root;
  for (; at && (next = strchr(key, '/')); key = next + 1) {
    *next = '\0';
    at = member(at, key);
  }
  char *end;
  if (json_is_object(at)) return json_object_set_new(at, key, value) == 0;
  unsigned long index = strtoul(key, &end, 10);
  if (json_is_array(at) && !*end && index < json_array_size(at))
    return json_array_set_new(at, index, value) == 0;
  json_decref(value);
  return false;
}

static int set_all(cli_session *s, json_t *root, const char *set) {
  char *copy = strdup(set), *rest = copy;
  int status = copy ? CLI_GO_ON : cli_fail(s, CLI_RESOURCES, "out of memory");
  for (char *part; status == CLI_GO_ON && (part = strtok_r(rest, ";", &rest));) {
    char shown[100];
    snprintf(shown, sizeof shown, "%s", part);
    if (!set_one(root, part))
      status = cli_fail(s, CLI_USAGE,
                        "simulate: --set %s: there is no such place in the scene, or it is not "
                        "POINTER=VALUE",
                        shown);
  }
  free(copy);
  return status;
}

int cli_scene_change(cli_session *s, const char *set, char **text) {
  size_t flags = JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL;
  json_t *root = json_loads(*text, flags, NULL);
  if (!root) return CLI_GO_ON;  // the library's own reader says what is wrong, and where
  int status = set_all(s, root, set);
  char *changed = status == CLI_GO_ON ? json_dumps(root, JSON_REAL_PRECISION(17)) : NULL;
  json_decref(root);
  if (status != CLI_GO_ON) return status;
  if (!changed) return cli_fail(s, CLI_RESOURCES, "out of memory");
  free(*text);
  *text = changed;
  return CLI_GO_ON;
}

// A scene begins with a brace, and the first 64 KiB tell whether the rest is worth reading.
static bool may_be_json(const char *text, size_t size) {
  size_t blank = strspn(text, " \t\r\n\xef\xbb\xbf");
  return strlen(text) == size && (blank == size || text[blank] == '{' || text[blank] == '[');
}

static int read_stream(cli_session *s, const char *path, FILE *f, char **out) {
  enum { MOST = 1 << 28 };  // a scene is written by people, or by their scripts
  size_t used = 0, room = 1 << 16;
  char *text = malloc(room);
  while (text) {
    used += fread(text + used, 1, room - used - 1, f);
    text[used] = '\0';
    if (used + 1 < room || room >= MOST || !may_be_json(text, used)) break;
    char *larger = realloc(text, room *= 2);
    if (!larger) free(text);
    text = larger;
  }
  if (!text) return cli_fail(s, CLI_RESOURCES, "%s: out of memory", cli_display_name(path));
  *out = text;
  text[used] = '\0';
  if (ferror(f))
    return cli_fail(s, CLI_INPUT, "%s: cannot be read: %s", cli_display_name(path),
                    strerror(errno));
  if (used + 1 >= MOST)
    return cli_fail(s, CLI_INPUT, "%s: larger than %d MiB, no scene is", cli_display_name(path),
                    MOST >> 20);
  if (used > 4 && memcmp(text, "\x89HDF", 4) == 0 && strlen(text) < used)
    return ss_run_is_run(path)
               ? cli_fail(s, CLI_INPUT,
                          "%s: this is a run, expected a scene; run stickslip info "
                          "RUN, or stickslip simulate SCENE -o RUN --resume",
                          cli_display_name(path))
               : cli_fail(s, CLI_INPUT,
                          "%s: this is an HDF5 file, expected a scene; problems are "
                          "for stickslip solve PROBLEM",
                          cli_display_name(path));
  if (strlen(text) < used)
    return cli_fail(s, CLI_INPUT, "%s: holds a zero byte, expected JSON", cli_display_name(path));
  return CLI_GO_ON;
}

static int read_file(cli_session *s, const char *path, char **out) {
  if (strcmp(path, "-") == 0) return read_stream(s, path, stdin, out);
  if (cli_is_folder(path))
    return cli_fail(s, CLI_INPUT, "%s: is a folder, expected a scene file", path);
  FILE *f = fopen(path, "rb");
  if (!f) return cli_fail(s, CLI_INPUT, "%s: cannot be opened: %s", path, strerror(errno));
  int status = read_stream(s, path, f, out);
  fclose(f);
  return status;
}

int cli_scene_text(cli_session *s, const char *path, const char *set, char **out) {
  s->file = path;
  *out = NULL;
  bool file = strcmp(path, "-") == 0 || cli_exists(path);
  const char *builtin = file ? NULL : builtin_text(path);
  if (!file && !builtin && !strpbrk(path, "/.")) {
    char near[CLI_SUGGESTION];
    ss_suggest_name(path, NULL, builtin_at, NULL, near, sizeof near);
    return cli_fail(s, CLI_INPUT, "%s: no such file, and no such scene; %s (simulate --list)", path,
                    near);
  }
  int status = CLI_GO_ON;
  if (!builtin)
    status = read_file(s, path, out);
  else if (!(*out = strdup(builtin)))
    status = cli_fail(s, CLI_RESOURCES, "out of memory");
  return status == CLI_GO_ON && set ? cli_scene_change(s, set, out) : status;
}
