// Plane elastic bodies as a picture: elements where they have moved to, contacts with states and forces.
#include "report/deformation_svg.h"

#include <math.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/error.h"
#include "stickslip/report.h"

static const double WIDTH = 760, MARGIN = 40, HEAD = 46;
static const double LARGEST = 0.05;  // displacement that is shown, of the picture
static const double ARROW = 0.08;    // longest force

static const char STYLE[] = "<style>svg{font-family:sans-serif}.back{fill:#fff}.title{font-size:"
                            "15px}.note{font-size:12px;fill:#"
                            "555}"
                            ".o{fill:none;stroke:#555;stroke-width:2}"
                            ".e{stroke:#fff;stroke-width:.5}.a{stroke:#333;stroke-width:1.2}"
                            ".free{fill:#fff;stroke:#777}.stick{fill:#1b7837;stroke:#fff}.slip{"
                            "fill:#d95f0e;stroke:#fff}</style>\n";

typedef struct deformed {
  ssi_svg svg;
  const ssi_deformation *of;
  double low[2], scale;  // pixels per length
  double grow;           // of displacements
  double height;         // of the picture
} deformed;

static void place(const deformed *d, int node, double out[2]) {
  double x = d->of->x[2 * node] + d->grow * d->of->q[2 * node];
  double y = d->of->x[2 * node + 1] + d->grow * d->of->q[2 * node + 1];
  out[0] = MARGIN + d->scale * (x - d->low[0]);
  out[1] = d->height - MARGIN - ARROW * WIDTH - d->scale * (y - d->low[1]);
}

// The undeformed bodies fill the width; displacements are made visible.
static void choose_scale(deformed *d) {
  double high[2] = {-INFINITY, -INFINITY}, most = 0;
  d->low[0] = d->low[1] = INFINITY;
  for (int k = 0; k < 2 * d->of->nodes; k++) {
    d->low[k % 2] = fmin(d->low[k % 2], d->of->x[k]);
    high[k % 2] = fmax(high[k % 2], d->of->x[k]);
    most = fmax(most, fabs(d->of->q[k]));
  }
  double span = fmax(high[0] - d->low[0], high[1] - d->low[1]);
  d->scale = (WIDTH - 2 * MARGIN) / span;
  d->height = HEAD + 2 * MARGIN + ARROW * WIDTH + d->scale * (high[1] - d->low[1]);
  d->grow = most > 0 ? LARGEST * span / most : 1;
}

// From white (none) to blue (pressed) or red (pulled).
static void colour(double part, char out[8]) {
  double strong = fmin(1, fabs(part)), pale = 235 - 150 * strong;
  int other = (int)pale, own = (int)(235 + 20 * strong);
  snprintf(out, 8, "#%02x%02x%02x", part < 0 ? own : other, other, part < 0 ? other : own);
}

static void draw_elements(deformed *d) {
  double most = 0;
  for (int k = 0; k < d->of->elements; k++) most = fmax(most, fabs(d->of->value[k]));
  for (int k = 0; k < d->of->elements; k++) {
    char fill[8];
    int nodes = d->of->first[k + 1] - d->of->first[k];
    int corners = nodes == 3 || nodes == 6 ? 3 : 4;
    colour(most > 0 ? d->of->value[k] / most : 0, fill);
    ssi_svg_raw(&d->svg, "<path class=\"e\" fill=\"");
    ssi_svg_raw(&d->svg, fill);
    ssi_svg_raw(&d->svg, "\" d=\"");
    for (int p = 0; p < corners; p++) {
      double at[2];
      place(d, d->of->node[d->of->first[k] + p], at);
      ssi_svg_point(&d->svg, p ? 'L' : 'M', at[0], at[1]);
    }
    ssi_svg_raw(&d->svg, "Z\"/>\n");
  }
}

// Where the obstacle is below contact i: the gap is as many times as large as displacements, so that what touches does
// so in the picture; `beyond` along it.
static void draw_surface_point(deformed *d, int i, char command, double beyond) {
  const ssi_deformed_contact *c = &d->of->contacts[i];
  const double *n = c->normal;
  double at[2], gap = d->scale * d->grow * c->gap;
  place(d, c->node, at);
  ssi_svg_point(&d->svg, command, at[0] - gap * n[0] + beyond * n[1],
                at[1] + gap * n[1] + beyond * n[0]);
}

// Rigid obstacles: through the points below their contacts, which are sorted along them, and a little beyond.
static void draw_obstacles(deformed *d) {
  const ssi_deformed_contact *c = d->of->contacts;
  int nc = d->of->contact_count;
  for (int i = 0, end; i < nc && c[i].obstacle >= 0; i = end) {
    ssi_svg_raw(&d->svg, "<path class=\"o\" d=\"");
    draw_surface_point(d, i, 'M', -MARGIN);
    for (end = i; end < nc && c[end].obstacle == c[i].obstacle; end++)
      draw_surface_point(d, end, 'L', 0);
    draw_surface_point(d, end - 1, 'L', MARGIN);
    ssi_svg_raw(&d->svg, "\"/>\n");
  }
}

// The force on the slave: r_N n + r_T t, t = (n_y, -n_x).
static void force_of(const deformed *d, int i, double out[2]) {
  const double *n = d->of->contacts[i].normal, *r = d->of->contacts[i].r;
  out[0] = r[0] * n[0] + r[1] * n[1];
  out[1] = r[0] * n[1] - r[1] * n[0];
}

static void draw_contacts(deformed *d) {
  int nc = d->of->contact_count;
  double most = 0, f[2], at[2];
  for (int i = 0; i < nc; i++) {
    force_of(d, i, f);
    most = fmax(most, hypot(f[0], f[1]));
  }
  double length = most > 0 ? ARROW * WIDTH / most : 0;
  for (int i = 0; i < nc; i++) {
    force_of(d, i, f);
    place(d, d->of->contacts[i].node, at);
    if (f[0] != 0 || f[1] != 0)
      ssi_svg_line(&d->svg, "a", at[0] - length * f[0], at[1] + length * f[1], at[0], at[1]);
    ssi_svg_raw(&d->svg, "<circle class=\"");
    ssi_svg_raw(&d->svg, ss_state_name(d->of->contacts[i].state));
    ssi_svg_raw(&d->svg, "\" cx=\"");
    ssi_svg_number(&d->svg, at[0]);
    ssi_svg_raw(&d->svg, "\" cy=\"");
    ssi_svg_number(&d->svg, at[1]);
    ssi_svg_raw(&d->svg, "\" r=\"3\"/>\n");
  }
}

static void draw(deformed *d, const char *title) {
  char note[200];
  choose_scale(d);
  ssi_svg_begin(&d->svg, WIDTH, d->height, title ? title : "elastic bodies", STYLE);
  ssi_svg_rect(&d->svg, "back", 0, 0, WIDTH, d->height);
  ssi_svg_text(&d->svg, "title", MARGIN, 22, title ? title : "elastic bodies");
  snprintf(note, sizeof note,
           "t = %.4g; displacements and gaps %.3g times as large; contacts: white free, green "
           "stick, orange slip%s%s",
           d->of->time, d->grow, d->of->said ? "; " : "", d->of->said ? d->of->said : "");
  ssi_svg_text(&d->svg, "note", MARGIN, 40, note);
  draw_elements(d);
  draw_obstacles(d);
  draw_contacts(d);
  ssi_svg_raw(&d->svg, "</svg>\n");
}

ss_error ssi_deformation_draw(ss_context *ctx, const ssi_deformation *of, const char *title,
                              char **out) {
  deformed d = {.svg = {.ctx = ctx}, .of = of};
  draw(&d, title);
  return ssi_svg_finish(&d.svg, "no memory for a picture", out);
}

// ---- of a march ------------------------------------------------------------------------------

static void take_contacts(const ss_elastic *bodies, const ss_march_view *view,
                          ssi_deformed_contact *out) {
  for (int i = 0; i < bodies->structure.nc; i++) {
    const ss_elastic_contact *c = &bodies->contacts[i];
    out[i] = (ssi_deformed_contact){.node = c->node,
                                    .normal = {c->normal[0], c->normal[1]},
                                    .r = {view->r[2 * i], view->r[2 * i + 1]},
                                    .gap = view->gap[2 * i],
                                    .state = view->states[i],
                                    .obstacle =
                                        c->source < bodies->scene->obstacle_count ? c->source : -1};
  }
}

ss_error ss_deformation_svg(ss_context *ctx, const ss_elastic *bodies, const ss_march_view *view,
                            const char *title, char **out) {
  if (!bodies || !view || !view->q || !out) return ssi_missing(ctx, "ss_deformation_svg");
  *out = NULL;
  if (bodies->mesh->dim != 2)
    return ssi_fail(ctx, SS_ERR_UNSUPPORTED,
                    "only plane elastic bodies are drawn; write .pvd or .csv");
  ssi_arena arena = {.ctx = ctx};
  const ss_mesh *m = bodies->mesh;
  int count = m->elements.count;
  double *sigma = SSI_TAKE(&arena, 6 * (size_t)count, double);
  double *pressure = SSI_TAKE(&arena, count, double);
  ssi_deformed_contact *contacts = SSI_TAKE(&arena, bodies->structure.nc, ssi_deformed_contact);
  ss_error e = SS_ERR_MEMORY;
  if (!arena.failed) {
    ss_elastic_stresses(bodies, view->q, sigma);
    for (int k = 0; k < count; k++) pressure[k] = -0.5 * (sigma[6 * k] + sigma[6 * k + 1]);
    take_contacts(bodies, view, contacts);
    ssi_deformation of = {.time = view->time,
                          .nodes = m->nodes,
                          .x = m->x,
                          .q = view->q,
                          .elements = count,
                          .first = m->elements.first,
                          .node = m->elements.node,
                          .value = pressure,
                          .contacts = contacts,
                          .contact_count = bodies->structure.nc};
    e = ssi_deformation_draw(ctx, &of, title, out);
  }
  ssi_arena_release(&arena);
  return e == SS_ERR_MEMORY ? ssi_fail(ctx, e, "no memory for a picture") : e;
}
