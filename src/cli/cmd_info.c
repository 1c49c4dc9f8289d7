// stickslip info [FILE]: what a problem looks like; without FILE, what this build can do.
#include <limits.h>
#include <math.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/methods.h"
#include "cli/results.h"
#include "cli/run_file.h"
#include "cli/scene_instant.h"
#include "cli/scene_report.h"

typedef struct info_options {
  int form, format, dense_limit;
} info_options;

#define AT(field) offsetof(info_options, field)
static const cli_option options[] = {
    CLI_READING("FILE", AT(form), AT(format)),
    {"dense-limit", 0, "N", "rank and eigenvalues up to this many rows of W; 0: 1500", CLI_COUNT,
     AT(dense_limit), 0, INT_MAX, "a whole number >= 0", 0},
};
#undef AT

// ---- the build ------------------------------------------------------------------------------

static int build_json(cli_session *s) {
  json_t *o = cli_object(s);
  cli_put(s, o, "version", json_string(ss_version()));
  cli_put(s, o, "capabilities", cli_capabilities(s));
  cli_put(s, o, "default_solver", json_string(ss_options_default().method));
  cli_put(s, o, "methods", cli_methods_json(s));
  return cli_print_json(s, o, CLI_DONE);
}

static int build_summary(void) {
  printf("stickslip %s\n", ss_version());
  bool in;
  for (int i = 0; ss_capability(i, &in); i++) {
    const char *name = ss_capability(i, &in);
    cli_line(stdout, name, "%s", in ? "yes" : "not in this build");
  }
  for (int i = 0; ss_method_name(i); i++) {
    putchar('\n');
    cli_method_print(stdout, ss_method_name(i));
  }
  return CLI_DONE;
}

// ---- a problem ------------------------------------------------------------------------------

static json_t *range(cli_session *s, double low, double high) {
  json_t *o = json_object();
  cli_put(s, o, "min", cli_real(low));
  cli_put(s, o, "max", cli_real(high));
  return o;
}

static void put_file(cli_session *s, json_t *o, const ss_file *f) {
  cli_put(s, o, "format", json_string(ss_format_name(f->format)));
  cli_put(s, o, "title", cli_text(f->title));
  cli_put(s, o, "description", cli_text(f->description));
  cli_put(s, o, "math_info", cli_text(f->math_info));
  cli_put_sizes(s, o, &f->problem);
  cli_put(s, o, "solution", json_boolean(f->solution.r != NULL));
  cli_put(s, o, "guesses", json_integer(f->guess_count));
  cli_put(s, o, "normals", json_boolean(f->normals != NULL));
  cli_put(s, o, "instant", json_boolean(f->gap || f->rate));
}

static void put_description(cli_session *s, json_t *o, const ss_description *d) {
  json_t *entries = json_object();
  cli_put(s, entries, "W", json_integer(d->entries_W));
  cli_put(s, entries, "M", json_integer(d->entries_M));
  cli_put(s, entries, "H", json_integer(d->entries_H));
  cli_put(s, o, "entries", entries);
  cli_put(s, o, "bodies", json_integer(d->bodies));
  cli_put(s, o, "components", json_integer(d->free_components));
  cli_put(s, o, "largest_component", json_integer(d->largest_component));
  cli_put(s, o, "neighbours_mean", cli_real(d->neighbours_mean));
  cli_put(s, o, "neighbours_max", json_integer(d->neighbours_max));
  cli_put(s, o, "density", cli_real(d->density));
  cli_put(s, o, "rank", d->rank < 0 ? json_null() : json_integer(d->rank));
  cli_put(s, o, "eigenvalues", range(s, d->eigenvalue_min, d->eigenvalue_max));
  cli_put(s, o, "block_condition", range(s, d->block_condition_min, d->block_condition_max));
  cli_put(s, o, "block_scale_ratio", cli_real(d->block_scale_ratio));
  cli_put(s, o, "zero_blocks", json_integer(d->zero_blocks));
  cli_put(s, o, "painleve_contacts", json_integer(d->painleve_contacts));
  cli_put(s, o, "mu", range(s, d->mu_min, d->mu_max));
  cli_put(s, o, "asymmetry_M", cli_real(d->asymmetry_M));
  cli_put(s, o, "asymmetry_W", cli_real(d->asymmetry_W));
  cli_put(s, o, "norm_q", cli_real(d->norm_q));
  cli_put(s, o, "loose_motions", d->loose < 0 ? json_null() : json_integer(d->loose));
}

static void print_graph(const ss_problem *p, const ss_description *d) {
  if (d->bodies)
    cli_line(stdout, "M", "block-diagonal, %d bod%s", d->bodies, d->bodies == 1 ? "y" : "ies");
  cli_line(stdout, "graph",
           "%d component%s, largest %d contact%s; neighbours %.1f mean, %d at most",
           d->free_components, d->free_components == 1 ? "" : "s", d->largest_component,
           d->largest_component == 1 ? "" : "s", d->neighbours_mean, d->neighbours_max);
  if (isfinite(d->density))
    cli_line(stdout, "density", "%.3g = %d x contacts / degrees of freedom%s", d->density, p->dim,
             d->density > 1 ? ": hyperstatic" : "");
  if (p->form == SS_GLOBAL)
    cli_line(stdout, "entries", "M %lld, H %lld", (long long)d->entries_M, (long long)d->entries_H);
  else
    cli_line(stdout, "entries", "W %lld", (long long)d->entries_W);
}

static void print_numbers(const ss_problem *p, const ss_description *d) {
  if (d->loose >= 0) {
    cli_line(stdout, "M", "singular: %d independent motion%s that cost%s nothing", d->loose,
             d->loose == 1 ? "" : "s", d->loose == 1 ? "s" : "");
    cli_line(stdout, "friction", "%g to %g", d->mu_min, d->mu_max);
    return;
  }
  if (d->rank >= 0)
    cli_line(stdout, "W", "rank %d of %d, eigenvalues %.3g to %.3g", d->rank, p->dim * p->nc,
             d->eigenvalue_min, d->eigenvalue_max);
  else
    cli_line(stdout, "W", "rank and eigenvalues not computed (see --dense-limit)");
  cli_line(stdout, "blocks", "condition %.3g to %.3g, largest over smallest %.3g",
           d->block_condition_min, d->block_condition_max, d->block_scale_ratio);
  if (d->zero_blocks)
    cli_line(stdout, "", "%d contact%s between things that cannot move", d->zero_blocks,
             d->zero_blocks == 1 ? "" : "s");
  if (d->painleve_contacts)
    cli_line(stdout, "", "%d with mu |W_NT| > W_NN: may have several answers (Painleve)",
             d->painleve_contacts);
  cli_line(stdout, "friction", "%g to %g", d->mu_min, d->mu_max);
  cli_line(stdout, "asymmetry", "%.3g", p->form == SS_GLOBAL ? d->asymmetry_M : d->asymmetry_W);
  cli_line(stdout, "load", "|q| = %.6g", d->norm_q);
}

// A text out of a file: its lines under one another, empty ones left out.
static void print_text(const char *label, const char *text) {
  if (!text) return;
  while (*text) {
    size_t n = strcspn(text, "\r\n");
    if (strspn(text, " \t") < n) {
      cli_line(stdout, label, "%.*s", (int)n, text);
      label = "";
    }
    text += n + strspn(text + n, "\r\n");
  }
}

static void print_summary(cli_session *s, const ss_file *f, const ss_description *d) {
  char sizes[200];
  cli_describe_sizes(&f->problem, sizes, sizeof sizes);
  cli_print(stdout, "%s: %s\n", cli_display_name(s->file), sizes);
  cli_line(stdout, "format", "%s", ss_format_name(f->format));
  print_text("title", f->title);
  print_text("description", f->description);
  print_text("math info", f->math_info);
  cli_line(stdout, "holds", "%s solution, %d guess%s%s", f->solution.r ? "a" : "no", f->guess_count,
           f->guess_count == 1 ? "" : "es", f->normals ? ", normals in world axes" : "");
  if (f->gap || f->rate)
    cli_line(stdout, "", "gaps or rates of an instant: a problem of accelerations, for status");
  if (f->problem.nc == 0) return;
  print_graph(&f->problem, d);
  print_numbers(&f->problem, d);
}

static int describe(cli_session *s, const ss_file *f, int dense_limit) {
  ss_description d;
  ss_error e = ss_describe(&s->ctx, &f->problem, dense_limit, &d);
  if (e) return cli_fail_library(s, s->file, e);
  if (!s->json) return print_summary(s, f, &d), CLI_DONE;
  json_t *o = cli_object(s);
  put_file(s, o, f);
  put_description(s, o, &d);
  cli_put(s, o, "version", json_string(ss_version()));
  cli_put(s, o, "capabilities", cli_capabilities(s));
  return cli_print_json(s, o, CLI_DONE);
}

static int run(cli_session *s, const cli_command *self, int argc, char **argv) {
  info_options o = {0};
  cli_args args;
  int status = cli_parse(s, self, argc, argv, &o, &args);
  if (status != CLI_GO_ON) return status;
  if (args.operand_count == 0) return s->json ? build_json(s) : build_summary();
  if (ss_run_is_run(args.operands[0])) return cli_run_info(s, args.operands[0]);
  if (cli_is_scene(args.operands[0])) return cli_scene_info(s, args.operands[0]);
  ss_file *f = NULL;
  status = cli_open_any(s, args.operands[0], (ss_format)o.format, (ss_form_hint)o.form, &f);
  if (status == CLI_DONE) status = describe(s, f, o.dense_limit);
  ss_file_close(f);
  return status;
}

const cli_command cmd_info = {
    .name = "info",
    .operands = "[FILE]",
    .summary = "describe a problem, a scene or a run; without FILE, this build and its methods",
    .operands_max = 1,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
