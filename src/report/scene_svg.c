// Bodies at one moment as a picture: seen from the front, a little from the side and above (in the plane: as they are),
// far ones first; contact forces as chains from contact to centre, as thick as they are strong.
#include "report/scene_svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "dynamics/scene/surface.h"
#include "report/svg.h"

static const double WIDTH = 760, TALLEST = 760, MARGIN = 24, HEAD = 34;
static const double THICK = 0.22;  // of the strongest chain, in radii of a body

static const char STYLE[] =
    "<style>.paper{fill:#fff}.b{stroke:#5b6877;stroke-width:.7}.c{stroke-linecap:round}"
    ".x{fill:#dfe4ea;fill-opacity:.6;stroke:#9aa5b1;stroke-width:.8}.t{font:15px sans-serif}"
    "</style>\n";

typedef struct drawn {  // a ball, or a polygon of corners [first, last)
  double depth, centre[2], radius, shade;
  int first, last;
  bool external;
} drawn;

typedef struct scene_picture {
  ss_context *ctx;
  ss_run_size size;
  const ss_run_frame *frame;
  ss_simulation *sim;  // never stepped: it knows the shapes
  double right[3], up[3], towards[3];
  drawn *items;
  int count;
  size_t room;
  double (*corner)[2];
  int corners;
  size_t corner_room;
  double low[2], high[2], scale, height;
  ssi_surface surface;
  ssi_svg svg;
} scene_picture;

static double dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// ---- the view --------------------------------------------------------------------------------

static void look(scene_picture *p) {
  static const double flat[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  // towards the eye (0.5, -0.8, 0.34), up z
  static const double space[3][3] = {
      {0.848, 0.530, 0}, {-0.180, 0.288, 0.940}, {0.498, -0.797, 0.340}};
  const double(*axes)[3] = p->size.dim == 2 ? flat : space;
  memcpy(p->right, axes[0], sizeof p->right);
  memcpy(p->up, axes[1], sizeof p->up);
  memcpy(p->towards, axes[2], sizeof p->towards);
}

static void project(const scene_picture *p, const double x[3], double out[2]) {
  out[0] = dot(p->right, x);
  out[1] = dot(p->up, x);
}

static double pixel_x(const scene_picture *p, double x) {
  return MARGIN + p->scale * (x - p->low[0]);
}

static double pixel_y(const scene_picture *p, double y) {
  return p->height - MARGIN - p->scale * (y - p->low[1]);
}

// ---- collecting ------------------------------------------------------------------------------

static drawn *add(scene_picture *p) {
  if (!ssi_grow(p->ctx, &p->items, &p->room, (size_t)p->count + 1, (size_t)p->count,
                sizeof *p->items))
    return NULL;
  p->items[p->count] = (drawn){0};
  return &p->items[p->count++];
}

static bool add_ball(scene_picture *p, const double centre[3], double radius) {
  drawn *d = add(p);
  if (!d) return false;
  project(p, centre, d->centre);
  d->depth = dot(p->towards, centre);
  d->radius = radius;
  d->shade = 0.75;
  return true;
}

// Light comes from above and from the eye.
static double shade_of(const scene_picture *p, const double *x, const int *corner) {
  if (p->size.dim == 2) return 0.8;
  double a[3], b[3], n[3];
  for (int k = 0; k < 3; k++) {
    a[k] = x[3 * corner[1] + k] - x[3 * corner[0] + k];
    b[k] = x[3 * corner[2] + k] - x[3 * corner[0] + k];
  }
  n[0] = a[1] * b[2] - a[2] * b[1], n[1] = a[2] * b[0] - a[0] * b[2];
  n[2] = a[0] * b[1] - a[1] * b[0];
  double length = sqrt(dot(n, n));
  double facing = length > 0 ? dot(n, p->towards) / length : 0;
  double side = length > 0 ? n[2] / length : 0;
  return 0.45 + 0.3 * fabs(facing) + 0.22 * (facing < 0 ? -side : side);
}

static bool add_polygon(scene_picture *p, const double *x, const int *corner, int count) {
  drawn *d = add(p);
  if (!d || !ssi_grow(p->ctx, &p->corner, &p->corner_room, (size_t)(p->corners + count),
                      (size_t)p->corners, sizeof *p->corner))
    return false;
  d->first = p->corners, d->last = p->corners + count;
  d->shade = shade_of(p, x, corner);
  for (int k = 0; k < count; k++) {
    project(p, x + 3 * corner[k], p->corner[p->corners++]);
    d->depth += dot(p->towards, x + 3 * corner[k]) / count;
  }
  return true;
}

static bool add_solid(scene_picture *p, const ss_shape *shape, const ss_pose *pose) {
  for (int k = 0; k < ss_shape_part_count(shape); k++) {
    ss_part part = ss_shape_part(shape, k);
    ss_pose at = ss_pose_times(pose, &part.pose);
    if (!ss_shape_is_bounded(part.shape)) continue;
    if (ss_shape_kind_of(part.shape) == SS_SPHERE) {
      if (!add_ball(p, at.x, ss_shape_radius(part.shape))) return false;
      continue;
    }
    ssi_surface_clear(&p->surface);
    ssi_surface_add(&p->surface, part.shape, &at, 0);
    if (p->surface.failed) return false;
    for (int f = 0; f < p->surface.polygon_count; f++) {
      int first = p->surface.first[f], corners = p->surface.first[f + 1] - first;
      if (corners > 2 && !add_polygon(p, p->surface.point, p->surface.corner + first, corners))
        return false;
    }
  }
  return true;
}

static ss_error collect(scene_picture *p) {
  bool ok = true;
  for (int b = 0; ok && b < p->size.bodies; b++) {
    ss_sim_body body;
    SS_TRY(ss_simulation_body(p->sim, b, &body));
    ok = add_solid(p, body.shape, &p->frame->pose[b]);
  }
  int own = p->count;
  for (int e = 0; ok && e < p->size.externals; e++)
    ok = add_solid(p, ss_simulation_external_shape(p->sim, e), &p->frame->external_pose[e]);
  for (int k = own; ok && k < p->count; k++) p->items[k].external = true;
  return ok ? SS_OK : ssi_fail(p->ctx, SS_ERR_MEMORY, "run: no memory");
}

static void widen(scene_picture *p, const double at[2], double by) {
  for (int k = 0; k < 2; k++) {
    p->low[k] = fmin(p->low[k], at[k] - by);
    p->high[k] = fmax(p->high[k], at[k] + by);
  }
}

// The bodies fill the picture; external objects may go beyond it.
static void choose_scale(scene_picture *p) {
  p->low[0] = p->low[1] = HUGE_VAL, p->high[0] = p->high[1] = -HUGE_VAL;
  for (int k = 0; k < p->count; k++) {
    const drawn *d = &p->items[k];
    if (d->external) continue;
    if (d->radius > 0) widen(p, d->centre, d->radius);
    for (int c = d->first; c < d->last; c++) widen(p, p->corner[c], 0);
  }
  if (p->low[0] > p->high[0]) p->low[0] = p->low[1] = 0, p->high[0] = p->high[1] = 1;
  double wide = fmax(p->high[0] - p->low[0], 1e-300), tall = fmax(p->high[1] - p->low[1], 1e-300);
  p->scale = fmin((WIDTH - 2 * MARGIN) / wide, (TALLEST - 2 * MARGIN) / tall);
  p->height = HEAD + 2 * MARGIN + p->scale * tall;
  p->low[0] -= ((WIDTH - 2 * MARGIN) / p->scale - wide) / 2;
}

// ---- drawing ---------------------------------------------------------------------------------

static int far_first(const void *a, const void *b) {
  const drawn *x = a, *y = b;
  if (x->external != y->external) return x->external ? -1 : 1;
  return (x->depth > y->depth) - (x->depth < y->depth);
}

static void draw_item(scene_picture *p, const drawn *d) {
  ssi_svg *s = &p->svg;
  int grey = (int)(255 * fmin(1, d->shade + 0.1));
  if (d->radius > 0)
    ssi_svg_put(s, "<circle class=\"%s\" cx=\"%f\" cy=\"%f\" r=\"%f\"", d->external ? "x" : "b",
                pixel_x(p, d->centre[0]), pixel_y(p, d->centre[1]), p->scale * d->radius);
  else
    ssi_svg_put(s, "<path class=\"%s\" d=\"", d->external ? "x" : "b");
  for (int k = d->first; k < d->last; k++)
    ssi_svg_point(s, k > d->first ? 'L' : 'M', pixel_x(p, p->corner[k][0]),
                  pixel_y(p, p->corner[k][1]));
  if (d->radius <= 0) ssi_svg_raw(s, "Z\"");
  if (!d->external && d->radius > 0) ssi_svg_raw(s, " fill=\"url(#ball)\"");
  if (!d->external && d->radius <= 0)
    ssi_svg_put(s, " fill=\"rgb(%d,%d,%d)\"", (int)(0.84 * grey), (int)(0.9 * grey), grey);
  ssi_svg_raw(s, "/>\n");
}

static void draw_link(scene_picture *p, const double from[3], const double to[3], double part,
                      double thick) {
  double a[2], b[2];
  project(p, from, a), project(p, to, b);
  ssi_svg_put(&p->svg,
              "<line class=\"c\" x1=\"%f\" y1=\"%f\" x2=\"%f\" y2=\"%f\" stroke=\"rgb(%d,%d,%d)\" "
              "stroke-width=\"%f\"/>\n",
              pixel_x(p, a[0]), pixel_y(p, a[1]), pixel_x(p, b[0]), pixel_y(p, b[1]),
              (int)(240 - 60 * part), (int)(150 - 130 * part), (int)(80 - 65 * part),
              fmax(0.4, thick * pow(part, 0.7)));
}

// Of a ball of the mean volume: long and thin bodies do not make thick chains.
static double typical_radius(const scene_picture *p) {
  double sum = 0;
  for (int b = 0; b < p->size.bodies; b++) {
    ss_sim_body body;
    ss_mass_properties m;
    if (!ss_simulation_body(p->sim, b, &body) && !ss_shape_mass(p->ctx, body.shape, &m))
      sum += p->size.dim == 2 ? sqrt(m.volume) / 1.77 : cbrt(m.volume) / 1.61;
  }
  return p->size.bodies ? sum / p->size.bodies : 0;
}

static void draw_chains(scene_picture *p) {
  double most = 0, thick = 2 * THICK * p->scale * typical_radius(p);
  for (int k = 0; k < p->frame->contact_count; k++)
    most = fmax(most, sqrt(dot(p->frame->contacts[k].impulse, p->frame->contacts[k].impulse)));
  for (int k = 0; k < p->frame->contact_count; k++) {
    const ss_sim_contact *c = &p->frame->contacts[k];
    double part = most > 0 ? sqrt(dot(c->impulse, c->impulse)) / most : 0;
    if (part < 0.005) continue;
    draw_link(p, c->point, p->frame->pose[c->a].x, part, thick);
    if (c->b >= 0) draw_link(p, c->point, p->frame->pose[c->b].x, part, thick);
  }
}

static void draw(scene_picture *p, const char *title) {
  ssi_svg *s = &p->svg;
  ssi_svg_begin(s, WIDTH, p->height, title ? title : "bodies and contact forces", STYLE);
  ssi_svg_raw(s, "<defs><radialGradient id=\"ball\" cx=\".4\" cy=\".32\" r=\".75\">"
                 "<stop offset=\"0\" stop-color=\"#f2f6fb\"/><stop offset=\"1\" "
                 "stop-color=\"#aebccc\"/></radialGradient></defs>\n");
  ssi_svg_rect(s, "paper", 0, 0, WIDTH, p->height);
  for (int k = 0; k < p->count; k++) draw_item(p, &p->items[k]);
  draw_chains(p);
  if (title) ssi_svg_text(s, "t", MARGIN, 24, title);
  ssi_svg_raw(s, "</svg>\n");
}

static ss_error make(scene_picture *p, const char *title, char **out) {
  look(p);
  SS_TRY(collect(p));
  choose_scale(p);
  qsort(p->items, (size_t)p->count, sizeof *p->items, far_first);
  draw(p, title);
  return ssi_svg_finish(&p->svg, "run: no memory", out);
}

ss_error ssi_scene_svg(ss_context *ctx, const ss_run_size *size, const ss_run_frame *frame,
                       const char *title, char **out) {
  scene_picture p = {.ctx = ctx, .size = *size, .frame = frame};
  p.surface.ctx = p.svg.ctx = ctx;
  const char *text = p.size.scene_text;
  ss_scene *scene = NULL;
  ss_error e = ss_scene_parse(ctx, "/scene", text, strlen(text), &scene);
  if (!e) e = ss_simulation_create(ctx, scene, &p.sim);
  ss_sim_state start = {0};
  if (!e) ss_simulation_state(p.sim, &start);
  if (!e && (start.body_count != p.size.bodies || start.external_count != p.size.externals))
    e = ssi_fail(ctx, SS_ERR_FORMAT, "run: /scene: makes %d bodies, the states have %d",
                 start.body_count, p.size.bodies);
  if (!e) e = make(&p, title, out);
  ss_simulation_destroy(p.sim);
  ss_scene_close(scene);
  ssi_surface_release(&p.surface);
  ssi_release(ctx, p.items);
  ssi_release(ctx, p.corner);
  return e;
}
