// A run of rigid bodies in a page: what there is (scene, shapes, joints), what happened (columns of the steps), and
// the saved states (page_frames.c).
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "report/page_scene.h"

typedef struct run_page {
  ss_run *run;
  ssi_page_scene played;
} run_page;

static void put(run_page *r, const char *key, json_t *value) {
  ssi_page_scene_put(&r->played, key, value);
}

// ---- steps -----------------------------------------------------------------------------------

// In a page of so many points two steps share one: of sizes that should be small the larger counts, of others the last.
enum { POINTS = 2000 };
static const struct {
  const char *name;
  bool largest;
} columns[] = {
    {"time", false},
    {"contacts", true},
    {"active", true},
    {"solves", true},
    {"iterations", true},
    {"parts", true},
    {"unsolved", true},
    {"error", true},
    {"penetration", true},
    {"speed", true},
    {"kinetic", false},
    {"potential", false},
    {"work_contact", false},
    {"work_external", false},
    {"work_correction", false},
    {"work_integrator", false},
    {"work_joint", false},
    {"elastic", false},
    {"work_element", false},
    {"clock_solve", true},
    {"clock_step", true},
};

static json_t *thinned(const double *x, int64_t count, bool largest, bool *failed) {
  json_t *out = json_array();
  int64_t points = count < POINTS ? count : POINTS;
  for (int64_t p = 0; p < points; p++) {
    int64_t from = p * count / points, to = (p + 1) * count / points;
    double y = x[to - 1];
    for (int64_t k = from; largest && k < to; k++) y = x[k] > y || !(y == y) ? x[k] : y;
    ssi_page_push(out, ssi_page_real(y), failed);
  }
  return out;
}

// What a step of falling and being lifted by one's own size would change: below that, energies are rounding.
static double energy_scale(run_page *r) {
  const double *g = r->played.scene->gravity;
  double size = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]),
         fall = size * r->played.scene->stepping.step;
  double sum = 0;
  for (int b = 0; b < r->played.size.bodies; b++) {
    ss_sim_body body;
    if (!ss_simulation_body(r->played.sim, b, &body))
      sum += body.mass * (fall * fall / 2 + size * r->played.frames.extent[b]);
  }
  return sum;
}

// Largest part of the energy balance that its terms leave open, over the largest of them so far, as ss_energy.closure has
// it: what is stored changes by the work done. The start is what the first step says it was.
static ss_error add_closure(run_page *r) {
  static const struct {
    const char *name;
    double sign;
  } terms[] = {{"kinetic", 1},          {"potential", 1},      {"elastic", 1},
               {"work_contact", -1},    {"work_external", -1}, {"work_correction", -1},
               {"work_integrator", -1}, {"work_joint", -1},    {"work_element", -1}};
  int64_t n = r->played.size.steps;
  double *x = SSI_TAKE(&r->played.arena, n + 1, double),
         *sum = SSI_TAKE(&r->played.arena, n + 1, double);
  double *most = SSI_TAKE(&r->played.arena, n + 1, double);
  if (r->played.arena.failed) return ssi_page_scene_no_memory(&r->played);
  for (size_t t = 0; t < sizeof terms / sizeof *terms; t++) {
    SS_TRY(ss_run_read_steps(r->run, terms[t].name, x));
    for (int64_t k = 0; k < n; k++)
      sum[k] += terms[t].sign * x[k], most[k] = fmax(most[k], fabs(x[k]));
  }
  double closure = 0, largest = energy_scale(r) + (n ? fabs(sum[0]) : 0);
  for (int64_t k = 0; k < n; k++) {
    largest = fmax(largest, most[k]);
    if (largest > 0) closure = fmax(closure, fabs(sum[k] - sum[0]) / largest);
  }
  put(r, "closure", ssi_page_real(closure));
  for (int64_t k = n; k-- > 0;) sum[k] -= sum[0];
  ssi_page_put(json_object_get(r->played.section, "columns"), "open",
               thinned(sum, n, false, &r->played.failed), &r->played.failed);
  return SS_OK;
}

static ss_error add_columns(run_page *r) {
  int64_t n = r->played.size.steps;
  double *x = SSI_TAKE(&r->played.arena, n + 1, double);
  if (r->played.arena.failed) return ssi_page_scene_no_memory(&r->played);
  json_t *all = json_object();
  put(r, "columns", all);
  for (size_t k = 0; k < sizeof columns / sizeof *columns; k++) {
    SS_TRY(ss_run_read_steps(r->run, columns[k].name, x));
    ssi_page_put(all, columns[k].name, thinned(x, n, columns[k].largest, &r->played.failed),
                 &r->played.failed);
  }
  SS_TRY(ss_run_read_steps(r->run, "unsolved", x));
  int64_t unsolved = 0;
  for (int64_t k = 0; k < n; k++) unsolved += x[k] > 0;
  put(r, "unsolved_steps", json_integer(unsolved));
  SS_TRY(ss_run_read_steps(r->run, "clock_step", x));
  double seconds = 0;  // 0: the run has no clock
  for (int64_t k = 0; k < n; k++) seconds += x[k];
  put(r, "seconds", ssi_page_real(seconds));
  return SS_OK;
}

static void add_facts(run_page *r, const char *name) {
  const ss_scene *s = r->played.scene;
  put(r, "kind", json_string("run"));
  put(r, "name", ssi_page_words(name));
  put(r, "finished", json_boolean(r->played.size.finished));
  put(r, "links_measured", json_true());
  put(r, "steps", json_integer(r->played.size.steps));
  put(r, "contacts", json_integer(r->played.size.contacts));
  put(r, "step", ssi_page_real(s->stepping.step));
  put(r, "duration", ssi_page_real(s->stepping.duration));
  put(r, "tolerance", ssi_page_real(s->solver.tol));
  put(r, "solver", ssi_page_words(s->solver.method));
}

static ss_error add_all(run_page *r, const char *name) {
  add_facts(r, name);
  SS_TRY(ssi_page_scene_bodies(&r->played));
  SS_TRY(add_columns(r));
  SS_TRY(add_closure(r));
  SS_TRY(ssi_page_scene_states(&r->played));
  ssi_page_push(r->played.page->sections, json_incref(r->played.section), &r->played.failed);
  return r->played.failed ? ssi_page_scene_no_memory(&r->played) : SS_OK;
}

static ss_error read_state(void *run, int64_t frame, ss_run_frame *out) {
  return ss_run_read_frame(run, frame, out);
}

ss_error ss_page_add_run(ss_page *page, const char *name, ss_run *run,
                         const ss_page_run_options *o) {
  if (!page || !name || !run || !o) return ssi_missing(page ? page->ctx : NULL, "ss_page_add_run");
  run_page r = {.run = run};
  ss_run_size size = ss_run_get_size(run);
  ss_error e = ssi_page_scene_begin(&r.played, page, name, &size, read_state, run, o);
  if (!e) e = add_all(&r, name);
  ssi_page_scene_release(&r.played);
  return e;
}
