// stickslip import MODEL -o SCENE: a model of another program as a scene.
#include <string.h>

#include "cli/commands.h"
#include "cli/outputs.h"
#include "cli/results.h"
#include "cli/settings.h"

static const char *const bases[] = {"auto", "fixed", "free", NULL};

typedef struct import_options {
  const char *output, *packages, *ground;
  double scale, density, mu, step, duration;
  bool hull;
  int base;
  cli_list positions;
} import_options;

#define AT(field) offsetof(import_options, field)
static const cli_option options[] = {
    {"output", 'o', "FILE", "write the scene there (default -: standard output)", CLI_TEXT,
     AT(output), 0, 0, 0, 0},
    {"position", 'p', "JOINT=VALUE",
     "where a joint is at the start: rad or a length; as often as wanted", CLI_LIST, AT(positions),
     0, 0, 0, 0},
    {"base", 0, "NAME",
     "what a URDF hangs on: fixed, free or auto (default: fixed where its root is called world or "
     "has no mass)",
     CLI_WORD, AT(base), 0, 0, 0, bases},
    {"ground", 0, "Z", "a plane at this height, below everything", CLI_TEXT, AT(ground), 0, 0, 0,
     0},
    {"mu", 0, "M", "friction of what says nothing about it (default 0.5)", CLI_NUMBER, AT(mu), 0,
     1e300, "a number >= 0", 0},
    {"density", 0, "D", "of what has no mass of its own (default 1000)", CLI_NUMBER, AT(density),
     1e-300, 1e300, "a number > 0", 0},
    {"scale", 0, "S", "of the coordinates of an STL or OBJ, 0.001 for millimetres (default 1)",
     CLI_NUMBER, AT(scale), 1e-300, 1e300, "a number > 0", 0},
    {"hull", 0, 0, "take the convex hull of a piece of a mesh that is not convex", CLI_FLAG,
     AT(hull), 0, 0, 0, 0},
    {"packages", 0, "DIR",
     "where package:// names are looked for (default: the model's folder and those above)",
     CLI_TEXT, AT(packages), 0, 0, 0, 0},
    {"step", 0, "S", "time step of the scene (default: the model's, or 0.002)", CLI_NUMBER,
     AT(step), 1e-300, 1e300, "a number > 0", 0},
    {"duration", 0, "S", "of the scene (default 1)", CLI_NUMBER, AT(duration), 1e-300, 1e300,
     "a number > 0", 0},
};
#undef AT

static int read_position(cli_session *s, char *text, ss_import_position *out) {
  char *equals = strrchr(text, '=');
  if (!equals || equals == text || !cli_to_number(equals + 1, &out->value))
    return cli_fail(s, CLI_USAGE, "-p %s: expected JOINT=NUMBER", text);
  *equals = '\0';
  out->joint = text;
  return CLI_GO_ON;
}

static int fill(cli_session *s, const import_options *o, ss_import_position *positions,
                ss_import_options *out) {
  *out = ss_import_options_default();
  out->scale = o->scale;
  out->density = o->density;
  out->mu = o->mu;
  out->step = o->step;
  out->duration = o->duration;
  out->hull = o->hull;
  out->base = (ss_import_base)o->base;
  out->packages = o->packages;
  out->ground = o->ground != NULL;
  if (o->ground && !cli_to_number(o->ground, &out->ground_height))
    return cli_fail(s, CLI_USAGE, "--ground %s: expected a number", o->ground);
  out->positions = positions;
  out->position_count = o->positions.count;
  for (int k = 0; k < o->positions.count; k++) {
    int status = read_position(s, (char *)o->positions.items[k], positions + k);
    if (status != CLI_GO_ON) return status;
  }
  return CLI_GO_ON;
}

static int report(cli_session *s, const ss_imported *i, const char *output) {
  bool to_stdout = strcmp(output, "-") == 0;
  if (s->json) {
    json_t *o = cli_object(s), *left = json_array();
    for (int k = 0; k < i->left_count; k++) cli_append(s, left, cli_text(i->left[k]));
    cli_put(s, o, "kind", json_string(i->kind));
    cli_put(s, o, "output", cli_text(output));
    cli_put(s, o, "bodies", json_integer(i->bodies));
    cli_put(s, o, "externals", json_integer(i->externals));
    cli_put(s, o, "joints", json_integer(i->joints));
    cli_put(s, o, "elements", json_integer(i->elements));
    cli_put(s, o, "left", left);
    return cli_print_json(s, o, CLI_DONE);
  }
  if (s->quiet) return CLI_DONE;
  FILE *to = to_stdout ? stderr : stdout;
  cli_print(to, "%s: %s as a scene: %d bod%s, %d external, %d joint%s, %d force element%s\n",
            cli_output_name(output), i->kind, i->bodies, i->bodies == 1 ? "y" : "ies", i->externals,
            i->joints, i->joints == 1 ? "" : "s", i->elements, i->elements == 1 ? "" : "s");
  if (i->left_count) cli_print(to, "left out, or taken otherwise:\n");
  for (int k = 0; k < i->left_count; k++) cli_print(to, "  %s\n", i->left[k]);
  if (!to_stdout) cli_print(to, "look at it: stickslip simulate --check %s\n", output);
  return CLI_DONE;
}

static int run(cli_session *s, const cli_command *self, int argc, char **argv) {
  import_options o = {.output = "-", .scale = 1, .density = 1000, .mu = 0.5, .duration = 1};
  cli_args args;
  int status = cli_parse(s, self, argc, argv, &o, &args);
  if (status != CLI_GO_ON) return status;
  bool to_stdout = strcmp(o.output, "-") == 0;
  if (s->json && to_stdout)
    return cli_fail(s, CLI_USAGE, "--json and -o - both write to standard output; name a file");
  ss_import_position positions[CLI_LIST_MAX];
  ss_import_options options_;
  status = fill(s, &o, positions, &options_);
  if (status == CLI_GO_ON) status = cli_output(s, o.output, SS_FORMAT_JSON);
  if (status != CLI_GO_ON) return status;
  s->file = args.operands[0];
  ss_imported *i = NULL;
  ss_error e = ss_import(&s->ctx, s->file, &options_, &i);
  if (e) return cli_fail_library(s, cli_display_name(s->file), e);
  for (int k = 0; k < i->file_count && status == CLI_GO_ON; k++) status = cli_input(s, i->files[k]);
  if (status == CLI_GO_ON) e = ss_imported_write(&s->ctx, i, o.output);
  if (e) status = cli_fail_library(s, cli_output_name(o.output), e);
  if (status == CLI_GO_ON) status = report(s, i, o.output);
  ss_imported_destroy(i);
  return status;
}

const cli_command cmd_import = {
    .name = "import",
    .operands = "MODEL",
    .summary = "make a scene of a robot's URDF, a MuJoCo model, an STL or OBJ mesh",
    .about =
        "MODEL is told by its content: URDF, MJCF, STL; OBJ by its ending. The scene is JSON for\n"
        "stickslip simulate and stands alone: meshes are in it as convex hulls. What has no\n"
        "counterpart is listed with its line, never dropped in silence\n",
    .operands_min = 1,
    .operands_max = 1,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
