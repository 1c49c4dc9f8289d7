// stickslip model NAME -p key=value ...: the papers' example problems, as files or down a pipe.
#include <string.h>

#include "cli/commands.h"
#include "cli/parameter_list.h"
#include "cli/pictures.h"
#include "cli/results.h"
#include "cli/settings.h"
#include "cli/source.h"

typedef struct model_options {
  cli_list parameters;
  const char *output, *svg;
  int to;
  bool list;
} model_options;

#define AT(field) offsetof(model_options, field)
static const cli_option options[] = {
    {"param", 'p', "KEY=VALUE", "set a parameter; as often as wanted; VALUE as 0.25 or 3/5",
     CLI_LIST, AT(parameters), 0, 0, 0, 0},
    {"output", 'o', "FILE", "write it there (default -: JSON on standard output)", CLI_TEXT,
     AT(output), 0, 0, 0, 0},
    {"to", 0, "NAME",
     "format of FILE: auto, fclib, siconos, mtx or json (default auto: by its ending)", CLI_WORD,
     AT(to), 0, 0, 0, cli_formats},
    {"svg", 0, "FILE",
     "draw it there: bodies, supports, contacts, loads; or a figure of the papers, see --list",
     CLI_WRITE, AT(svg), 0, 0, 0, 0},
    {"list", 'l', 0, "describe all models (or NAME) and their parameters", CLI_FLAG, AT(list), 0, 0,
     0, 0},
};
#undef AT

static const char *name_at(const void *user, int i) {
  (void)user;
  return ss_model_name(i);
}

// ---- --list ---------------------------------------------------------------------------------

static void print_model(const char *name) {
  printf("%s - %s\n", name, ss_model_summary(name));
  cli_print_parameters(ss_model_equation(name), name, ss_model_parameter_at, ss_model_words);
}

static json_t *model_json(cli_session *s, const char *name) {
  json_t *o = json_object();
  cli_put(s, o, "name", json_string(name));
  cli_put(s, o, "summary", json_string(ss_model_summary(name)));
  cli_put(s, o, "equation", json_string(ss_model_equation(name)));
  cli_put(s, o, "parameters", cli_parameters_json(s, name, ss_model_parameter_at, ss_model_words));
  return o;
}

static void print_figures(void) {
  printf("\nfigures, for --svg only\n");
  for (int i = 0; ss_figure_name(i); i++)
    printf("    %-10s %s\n", ss_figure_name(i), ss_figure_title(ss_figure_name(i)));
}

static json_t *figures_json(cli_session *s) {
  json_t *list = json_array();
  for (int i = 0; ss_figure_name(i); i++) {
    json_t *o = json_object();
    cli_put(s, o, "name", json_string(ss_figure_name(i)));
    cli_put(s, o, "title", json_string(ss_figure_title(ss_figure_name(i))));
    cli_append(s, list, o);
  }
  return list;
}

static int list_models(cli_session *s, const char *only) {
  if (only && !ss_model_summary(only)) {
    char near[CLI_SUGGESTION];
    ss_suggest_name(only, NULL, name_at, NULL, near, sizeof near);
    return cli_fail(s, CLI_USAGE, "unknown model '%s'; %s (see stickslip model --list)", only,
                    near);
  }
  json_t *list = json_array();
  for (int i = 0; ss_model_name(i); i++) {
    const char *name = ss_model_name(i);
    if (only && strcmp(only, name) != 0) continue;
    if (s->json) {
      cli_append(s, list, model_json(s, name));
      continue;
    }
    if (i > 0 && !only) putchar('\n');
    print_model(name);
  }
  if (!s->json && !only) print_figures();
  if (!s->json) return json_decref(list), CLI_DONE;
  json_t *o = cli_object(s);
  cli_put(s, o, "models", list);
  if (!only) cli_put(s, o, "figures", figures_json(s));
  return cli_print_json(s, o, CLI_DONE);
}

// ---- writing --------------------------------------------------------------------------------

// "g = -1, u0 = 2": what was asked for, in the order it was.
static void describe_settings(const cli_settings *given, char *out, size_t size) {
  size_t used = 0;
  out[0] = '\0';
  for (int k = 0; k < given->count && used < size; k++)
    used += (size_t)snprintf(out + used, size - used, "%s%s = %s", k ? ", " : "",
                             given->settings[k].name, given->settings[k].text);
}

static int report(cli_session *s, const char *name, const char *output, const ss_problem *p) {
  if (s->json) {
    json_t *o = cli_object(s);
    cli_put(s, o, "model", json_string(name));
    cli_put(s, o, "output", cli_text(output));
    cli_put_sizes(s, o, p);
    return cli_print_json(s, o, CLI_DONE);
  }
  char sizes[200];
  cli_describe_sizes(p, sizes, sizeof sizes);
  cli_print(stdout, "%s: model %s: %s\n", output, name, sizes);
  return CLI_DONE;
}

// Where to write, and as what. CLI_GO_ON or an exit status.
static int choose_output(cli_session *s, const model_options *o, const char **path,
                         ss_format *format) {
  bool to_stdout = !o->output || strcmp(o->output, "-") == 0;
  *path = to_stdout ? "-" : o->output;
  *format = (ss_format)o->to;
  if (*format == SS_FORMAT_AUTO) *format = to_stdout ? SS_FORMAT_JSON : cli_format_by_ending(*path);
  if (*format == SS_FORMAT_AUTO)
    return cli_fail(s, CLI_USAGE, "%s: expected an ending .json, .hdf5, .h5, .mtx or .dat, or --to",
                    *path);
  if (to_stdout && *format != SS_FORMAT_JSON)
    return cli_fail(s, CLI_USAGE, "only JSON can be written to standard output");
  return cli_output(s, *path, *format);
}

// Fractions are known for models only: the numbers of a template come from arithmetic in doubles.
static ss_error build(cli_session *s, const cli_source *source, const cli_settings *given,
                      ss_file *out, void **owner) {
  if (source->template) {
    ss_instant at = {0};
    ss_error e = cli_source_instant(source, &s->ctx, given->settings, given->count, &at, owner);
    if (!e) out->problem = *at.system, out->gap = at.gap, out->rate = at.rate;
    return e;
  }
  ss_problem *p = NULL;
  ss_error e =
      ss_model_build_exact(&s->ctx, source->name, given->settings, given->count, &p, &out->exact);
  if (!e) out->problem = *p;
  *owner = p;
  return e;
}

static int write_model(cli_session *s, const cli_source *source, const model_options *o,
                       const cli_settings *given) {
  const char *path, *title = cli_source_summary(source);
  ss_format format;
  void *owner = NULL;
  char texts[1000];
  int status = choose_output(s, o, &path, &format);
  if (status != CLI_GO_ON) return status;
  describe_settings(given, texts, sizeof texts);
  ss_file file = {.title = source->template ? title : source->name,
                  .description = given->count ? texts : NULL};
  ss_error e = build(s, source, given, &file, &owner);
  if (e) return cli_source_fail(s, source, e);
  e = ss_file_write(&s->ctx, path, format, &file);
  status = e ? cli_fail_library(s, cli_output_name(path), e) : CLI_DONE;
  if (strcmp(path, "-") == 0)
    s->printed = true;
  else if (!e)
    status = report(s, source->name, path, &file.problem);
  cli_source_release(source, owner);
  return status;
}

// ---- --svg ----------------------------------------------------------------------------------

// The picture, in place of the problem.
static int draw_model(cli_session *s, const char *name, const model_options *o,
                      const cli_settings *given) {
  char *text = NULL;
  if (o->output || o->to)
    return cli_fail(s, CLI_USAGE, "model: --svg and %s exclude each other",
                    o->output ? "-o" : "--to");
  if (strchr(name, '/') || strcmp(name, "-") == 0 || cli_picture_ending(name) == 'j')
    return cli_fail(s, CLI_USAGE,
                    "%s: a template has no sketch: it does not say what it is made of", name);
  if (cli_picture_ending(o->svg) != 's')
    return cli_fail(s, CLI_USAGE, "%s: expected an ending .svg", o->svg);
  ss_error e = ss_sketch_svg(&s->ctx, name, given->settings, given->count, &text);
  if (e == SS_ERR_ARGUMENT) return cli_fail(s, CLI_USAGE, "%s", s->ctx.message);
  int status = cli_write_text(s, o->svg, text, e);
  if (status != CLI_GO_ON) return status;
  if (!s->json) return cli_print(stdout, "%s: %s\n", o->svg, name), CLI_DONE;
  json_t *j = cli_object(s);
  cli_put(s, j, "model", json_string(name));
  cli_put(s, j, "output", cli_text(o->svg));
  return cli_print_json(s, j, CLI_DONE);
}

static int run(cli_session *s, const cli_command *self, int argc, char **argv) {
  model_options o = {0};
  cli_args args;
  cli_settings given;
  int status = cli_parse(s, self, argc, argv, &o, &args);
  if (status != CLI_GO_ON) return status;
  const char *name = args.operands[0];
  if (o.list) return list_models(s, name);
  if (!name)
    return cli_fail(s, CLI_USAGE,
                    "model: missing argument; usage: stickslip model [options] NAME, "
                    "or stickslip model --list");
  cli_source source = {0};
  status = cli_settings_parse(s, &o.parameters, &given);
  if (status == CLI_GO_ON && o.svg) return draw_model(s, name, &o, &given);
  if (status == CLI_GO_ON && ss_figure_title(name))
    return cli_fail(s, CLI_USAGE, "%s is a figure, not a problem; expected --svg FILE", name);
  if (status == CLI_GO_ON) status = cli_source_open(s, name, &source);
  if (status == CLI_GO_ON) status = write_model(s, &source, &o, &given);
  cli_source_close(&source);
  return status;
}

const cli_command cmd_model = {
    .name = "model",
    .operands = "NAME|TEMPLATE",
    .summary = "write an example problem of the papers, with chosen parameters",
    .about = "stickslip model --list describes the models; fractions stay exact in JSON\n"
             "TEMPLATE is a JSON problem with parameters, see docs/formats-json.md\n"
             "stickslip model painleve -p mu=4/5 -p theta=0.5 | stickslip solve -\n",
    .operands_max = 1,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .operand_name = ss_model_name,
    .run = run,
};
