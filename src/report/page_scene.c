#include "report/page_scene.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "report/page_links.h"
#include "report/page_shapes.h"

ss_error ssi_page_scene_no_memory(const ssi_page_scene *p) {
  return ssi_fail(p->page->ctx, SS_ERR_MEMORY, "page: no memory");
}

void ssi_page_scene_put(ssi_page_scene *p, const char *key, json_t *value) {
  ssi_page_put(p->section, key, value, &p->failed);
}

// ---- the scene ---------------------------------------------------------------------------------

static ss_error check(const ssi_page_scene *p) {
  ss_context *ctx = p->page->ctx;
  ss_sim_state start;
  ss_simulation_state(p->sim, &start);
  if (start.body_count != p->size.bodies || start.external_count != p->size.externals)
    return ssi_fail(ctx, SS_ERR_FORMAT, "%s: /scene: makes %d bodies, the states have %d", p->name,
                    start.body_count, p->size.bodies);
  if (p->size.frames == 0)
    return ssi_fail(ctx, SS_ERR_FORMAT, "%s: /frames: holds no saved state", p->name);
  int links = ssi_links_count(p->scene);
  if (p->size.joints != p->scene->joint_count || p->size.elements != links - p->scene->joint_count)
    return ssi_fail(ctx, SS_ERR_FORMAT, "%s: /scene: %d joints and elements, the states have %d",
                    p->name, links, p->size.joints + p->size.elements);
  return SS_OK;
}

static ss_error open_scene(ssi_page_scene *p) {
  const char *text = p->size.scene_text;
  SS_TRY(ss_scene_parse(p->page->ctx, "/scene", text, strlen(text), &p->scene));
  SS_TRY(ss_simulation_create(p->page->ctx, p->scene, &p->sim));
  if (p->size.joints < 0) {  // the states do not say
    p->size.joints = p->scene->joint_count;
    p->size.elements = ssi_links_count(p->scene) - p->scene->joint_count;
    p->frames.size = p->size;
  }
  return check(p);
}

ss_error ssi_page_scene_begin(ssi_page_scene *p, ss_page *page, const char *name,
                              const ss_run_size *size, ssi_read_state read, void *source,
                              const ss_page_run_options *o) {
  *p = (ssi_page_scene){.page = page, .name = name, .size = *size, .section = json_object()};
  p->arena.ctx = page->ctx;
  p->frames = (ssi_frames){
      .page = page, .read = read, .source = source, .size = *size, .o = o, .index = json_array()};
  if (!p->section || !p->frames.index) return ssi_page_scene_no_memory(p);
  SS_TRY(open_scene(p));
  int n = p->size.bodies;
  p->frames.scene = p->scene;
  p->frames.link_count = ssi_links_count(p->scene);
  p->frames.low = SSI_TAKE(&p->arena, 3 * n, double);
  p->frames.high = SSI_TAKE(&p->arena, 3 * n, double);
  p->frames.extent = SSI_TAKE(&p->arena, n, double);
  return p->arena.failed ? ssi_page_scene_no_memory(p) : SS_OK;
}

void ssi_page_scene_release(ssi_page_scene *p) {
  ssi_frames_release(&p->frames);
  json_decref(p->frames.index), json_decref(p->section);
  ss_simulation_destroy(p->sim);
  ss_scene_close(p->scene);
  ssi_arena_release(&p->arena);
}

// ---- bodies ------------------------------------------------------------------------------------

static void add_externals(ssi_page_scene *p) {
  json_t *externals = json_array();
  ssi_page_scene_put(p, "externals", externals);
  for (int k = 0; k < p->size.externals; k++) {
    const ss_external *e = &p->scene->externals[k];
    json_t *o = json_object();
    ssi_page_put(o, "name", ssi_page_words(e->name), &p->failed);
    ssi_page_put(o, "moves", json_boolean(e->motion.kind != SS_MOTION_FIXED), &p->failed);
    ssi_page_put(o, "shape", ssi_shape_json(ss_simulation_external_shape(p->sim, k), &p->failed),
                 &p->failed);
    ssi_page_push(externals, o, &p->failed);
  }
}

static void add_surroundings(ssi_page_scene *p) {
  const ss_scene *s = p->scene;
  json_t *materials = json_array();
  ssi_page_scene_put(p, "materials", materials);
  for (int k = 0; k < s->material_count; k++)
    ssi_page_push(materials, ssi_page_words(s->materials[k].name), &p->failed);
  add_externals(p);
  ssi_page_scene_put(p, "title", ssi_page_words(s->title));
  ssi_page_scene_put(p, "dim", json_integer(p->size.dim));
  ssi_page_scene_put(p, "gravity", ssi_page_reals(s->gravity, 3));
  ssi_page_scene_put(p, "links", ssi_links_json(s, p->sim, &p->failed));
}

ss_error ssi_page_scene_bodies(ssi_page_scene *p) {
  json_t *shapes = json_array(), *names = json_array(), *shape = json_array(), *mass = json_array();
  json_t *material = json_array();
  ssi_page_scene_put(p, "shapes", shapes), ssi_page_scene_put(p, "names", names);
  ssi_page_scene_put(p, "shape", shape), ssi_page_scene_put(p, "mass", mass);
  ssi_page_scene_put(p, "material", material);
  for (int k = 0; k < p->size.bodies; k++) {
    ss_sim_body b;
    SS_TRY(ss_simulation_body(p->sim, k, &b));
    p->frames.extent[k] = fmax(ss_shape_extent(b.shape), 1e-300);
    ssi_page_push(names, ssi_page_words(b.name), &p->failed);
    ssi_page_push(shape, json_integer(ssi_shape_index(shapes, b.shape, &p->failed)), &p->failed);
    ssi_page_push(mass, ssi_page_real(b.mass), &p->failed);
    ssi_page_push(material, json_integer(b.material), &p->failed);
  }
  add_surroundings(p);
  return SS_OK;
}

// ---- states ------------------------------------------------------------------------------------

// Bytes of a state by the layout of page_frames.h, with as many contacts as states have in the mean.
static void choose_frames(ssi_page_scene *p) {
  ssi_frames *f = &p->frames;
  double budget = f->o && f->o->bytes > 0 ? f->o->bytes : 12e6, n = p->size.bodies;
  double contacts = (double)p->size.contacts / (double)(p->size.frames ? p->size.frames : 1);
  f->most_contacts = (int)fmax(3000, n);
  double bytes = 16 * n + 28.0 * p->size.externals + 8.0 * f->link_count +
                 23 * fmin(contacts, f->most_contacts) + 32;
  double most = fmax(2, floor(budget / bytes));
  f->kept = most < (double)p->size.frames ? (int64_t)most : p->size.frames;
}

ss_error ssi_page_scene_states(ssi_page_scene *p) {
  ssi_frames *f = &p->frames;
  choose_frames(p);
  SS_TRY(ssi_frames_survey(f));
  ssi_page_scene_put(p, "blob", json_integer(ssi_blob_begin(p->page)));
  ss_error e = ssi_frames_write(f);
  ssi_blob_end(p->page);
  ssi_page_scene_put(p, "frames", json_incref(f->index));
  ssi_page_scene_put(p, "frames_saved", json_integer(p->size.frames));
  ssi_page_scene_put(p, "speed_max", ssi_page_real(f->speed_max));
  ssi_page_scene_put(p, "force_max", ssi_page_real(f->force_max));
  if (!e && (p->failed || f->failed)) return ssi_page_scene_no_memory(p);
  return e;
}
