// A run of rigid bodies in a page: what there is (scene, shapes, joints), what happened (columns of the steps), and
// the saved states (page_frames.c).
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "report/page_frames.h"
#include "report/page_links.h"
#include "report/page_shapes.h"

typedef struct run_page {
  ss_page *page;
  ss_run *run;
  ss_run_size size;
  ss_scene *scene;
  ss_simulation *sim;  // never stepped: it knows the bodies
  ssi_arena arena;
  json_t *section;
  ssi_frames frames;
  bool failed;  // no memory for JSON
} run_page;

static ss_error no_memory(run_page *r) {
  return ssi_fail(r->page->ctx, SS_ERR_MEMORY, "page: no memory");
}

static void put(run_page *r, const char *key, json_t *value) {
  ssi_page_put(r->section, key, value, &r->failed);
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
  const double *g = r->scene->gravity;
  double size = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]),
         fall = size * r->scene->stepping.step;
  double sum = 0;
  for (int b = 0; b < r->size.bodies; b++) {
    ss_sim_body body;
    if (!ss_simulation_body(r->sim, b, &body))
      sum += body.mass * (fall * fall / 2 + size * r->frames.extent[b]);
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
  int64_t n = r->size.steps;
  double *x = SSI_TAKE(&r->arena, n + 1, double), *sum = SSI_TAKE(&r->arena, n + 1, double);
  double *most = SSI_TAKE(&r->arena, n + 1, double);
  if (r->arena.failed) return no_memory(r);
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
  ssi_page_put(json_object_get(r->section, "columns"), "open", thinned(sum, n, false, &r->failed),
               &r->failed);
  return SS_OK;
}

static ss_error add_columns(run_page *r) {
  int64_t n = r->size.steps;
  double *x = SSI_TAKE(&r->arena, n + 1, double), *h = SSI_TAKE(&r->arena, n + 1, double);
  if (r->arena.failed) return no_memory(r);
  json_t *all = json_object();
  put(r, "columns", all);
  for (size_t k = 0; k < sizeof columns / sizeof *columns; k++) {
    SS_TRY(ss_run_read_steps(r->run, columns[k].name, x));
    ssi_page_put(all, columns[k].name, thinned(x, n, columns[k].largest, &r->failed), &r->failed);
  }
  SS_TRY(ss_run_read_steps(r->run, "unsolved", x));
  int64_t unsolved = 0;
  for (int64_t k = 0; k < n; k++) unsolved += x[k] > 0;
  put(r, "unsolved_steps", json_integer(unsolved));
  SS_TRY(ss_run_read_steps(r->run, "h", h));
  r->frames.h = h;
  return SS_OK;
}

// ---- bodies ----------------------------------------------------------------------------------

static ss_error add_bodies(run_page *r) {
  json_t *shapes = json_array(), *names = json_array(), *shape = json_array(), *mass = json_array();
  json_t *materials = json_array(), *material = json_array(), *externals = json_array();
  put(r, "shapes", shapes), put(r, "names", names), put(r, "shape", shape), put(r, "mass", mass);
  put(r, "materials", materials), put(r, "material", material), put(r, "externals", externals);
  for (int k = 0; k < r->size.bodies; k++) {
    ss_sim_body b;
    SS_TRY(ss_simulation_body(r->sim, k, &b));
    r->frames.extent[k] = fmax(ss_shape_extent(b.shape), 1e-300);
    ssi_page_push(names, ssi_page_words(b.name), &r->failed);
    ssi_page_push(shape, json_integer(ssi_shape_index(shapes, b.shape, &r->failed)), &r->failed);
    ssi_page_push(mass, ssi_page_real(b.mass), &r->failed);
    ssi_page_push(material, json_integer(b.material), &r->failed);
  }
  for (int k = 0; k < r->scene->material_count; k++)
    ssi_page_push(materials, ssi_page_words(r->scene->materials[k].name), &r->failed);
  for (int k = 0; k < r->size.externals; k++) {
    const ss_external *e = &r->scene->externals[k];
    json_t *o = json_object();
    ssi_page_put(o, "name", ssi_page_words(e->name), &r->failed);
    ssi_page_put(o, "moves", json_boolean(e->motion.kind != SS_MOTION_FIXED), &r->failed);
    ssi_page_put(o, "shape", ssi_shape_json(ss_simulation_external_shape(r->sim, k), &r->failed),
                 &r->failed);
    ssi_page_push(externals, o, &r->failed);
  }
  return SS_OK;
}

// ---- states ----------------------------------------------------------------------------------

// Bytes of a state by the layout of page_frames.h, with as many contacts as states have in the mean.
static void choose_frames(run_page *r, const ss_page_run_options *o) {
  ssi_frames *f = &r->frames;
  double budget = o && o->bytes > 0 ? o->bytes : 12e6, n = r->size.bodies;
  double contacts = (double)r->size.contacts / (double)(r->size.frames ? r->size.frames : 1);
  f->most_contacts = (int)fmax(3000, n);
  double bytes = 16 * n + 28.0 * r->size.externals + 8.0 * f->link_count +
                 23 * fmin(contacts, f->most_contacts) + 32;
  double most = fmax(2, floor(budget / bytes));
  f->kept = most < (double)r->size.frames ? (int64_t)most : r->size.frames;
}

static ss_error add_frames(run_page *r) {
  ssi_frames *f = &r->frames;
  SS_TRY(ssi_frames_survey(f));
  put(r, "blob", json_integer(ssi_blob_begin(r->page)));
  ss_error e = ssi_frames_write(f);
  ssi_blob_end(r->page);
  put(r, "frames", json_incref(f->index));
  put(r, "frames_saved", json_integer(r->size.frames));
  put(r, "speed_max", ssi_page_real(f->speed_max));
  put(r, "force_max", ssi_page_real(f->force_max));
  return e;
}

static void add_facts(run_page *r, const char *name) {
  const ss_scene *s = r->scene;
  put(r, "kind", json_string("run"));
  put(r, "name", ssi_page_words(name));
  put(r, "title", ssi_page_words(s->title));
  put(r, "dim", json_integer(r->size.dim));
  put(r, "finished", json_boolean(r->size.finished));
  put(r, "steps", json_integer(r->size.steps));
  put(r, "contacts", json_integer(r->size.contacts));
  put(r, "gravity", ssi_page_reals(s->gravity, 3));
  put(r, "step", ssi_page_real(s->stepping.step));
  put(r, "duration", ssi_page_real(s->stepping.duration));
  put(r, "tolerance", ssi_page_real(s->solver.tol));
  put(r, "solver", ssi_page_words(s->solver.method));
}

static ss_error open_scene(run_page *r, const char *name) {
  const char *text = r->size.scene_text;
  SS_TRY(ss_scene_parse(r->page->ctx, "/scene", text, strlen(text), &r->scene));
  SS_TRY(ss_simulation_create(r->page->ctx, r->scene, &r->sim));
  ss_sim_state start;
  ss_simulation_state(r->sim, &start);
  if (start.body_count != r->size.bodies || start.external_count != r->size.externals)
    return ssi_fail(r->page->ctx, SS_ERR_FORMAT, "%s: /scene: makes %d bodies, the states have %d",
                    name, start.body_count, r->size.bodies);
  if (r->size.frames == 0)
    return ssi_fail(r->page->ctx, SS_ERR_FORMAT, "%s: /frames: holds no saved state", name);
  r->frames.scene = r->scene;
  r->frames.link_count = ssi_links_count(r->scene);
  if (r->size.joints != r->scene->joint_count ||
      r->size.elements != r->frames.link_count - r->scene->joint_count)
    return ssi_fail(r->page->ctx, SS_ERR_FORMAT,
                    "%s: /scene: %d joints and elements, the states have %d", name,
                    r->frames.link_count, r->size.joints + r->size.elements);
  int n = r->size.bodies;
  r->frames.low = SSI_TAKE(&r->arena, 3 * n, double);
  r->frames.high = SSI_TAKE(&r->arena, 3 * n, double);
  r->frames.extent = SSI_TAKE(&r->arena, n, double);
  return r->arena.failed ? no_memory(r) : SS_OK;
}

static ss_error add_all(run_page *r, const char *name, const ss_page_run_options *o) {
  SS_TRY(open_scene(r, name));
  add_facts(r, name);
  SS_TRY(add_bodies(r));
  put(r, "links", ssi_links_json(r->scene, r->sim, &r->failed));
  SS_TRY(add_columns(r));
  SS_TRY(add_closure(r));
  choose_frames(r, o);
  SS_TRY(add_frames(r));
  if (r->failed || r->frames.failed) return no_memory(r);
  ssi_page_push(r->page->sections, json_incref(r->section), &r->failed);
  return r->failed ? no_memory(r) : SS_OK;
}

ss_error ss_page_add_run(ss_page *page, const char *name, ss_run *run,
                         const ss_page_run_options *o) {
  if (!page || !name || !run || !o) return ssi_missing(page ? page->ctx : NULL, "ss_page_add_run");
  run_page r = {.page = page, .run = run, .size = ss_run_get_size(run), .section = json_object()};
  r.arena.ctx = page->ctx;
  r.frames = (ssi_frames){.page = page, .run = run, .size = r.size, .o = o, .index = json_array()};
  ss_error e = r.section && r.frames.index ? add_all(&r, name, o) : no_memory(&r);
  ssi_frames_release(&r.frames);
  json_decref(r.frames.index), json_decref(r.section);
  ss_simulation_destroy(r.sim);
  ss_scene_close(r.scene);
  ssi_arena_release(&r.arena);
  return e;
}
