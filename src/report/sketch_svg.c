// The table of sketches: every model, and the figures of the papers that are no model.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "report/frame.h"
#include "report/sketch.h"
#include "stickslip/report.h"

static const char *const style =
    ".body{fill:#dfe8f3;stroke:#7d8fa5;stroke-width:1.6}\n"
    ".second{fill:#efe6d5;stroke:#a58f6b;stroke-width:1.6}\n"
    ".mesh{stroke:#b7c5d6;stroke-width:.8}\n"
    ".soil{fill:#eef1f5}.hatch{stroke:#9aa7b5;stroke-width:1}\n"
    ".edge{stroke:#5d6b7c;stroke-width:2}\n"
    ".spring{fill:none;stroke:#44505e;stroke-width:1.6;stroke-linejoin:round}\n"
    ".rod{stroke:#44505e;stroke-width:5;stroke-linecap:round}\n"
    ".mass{fill:#44505e}.pivot{fill:#fff;stroke:#44505e;stroke-width:2}\n"
    ".point{fill:#d98718;stroke:#fff;stroke-width:1.4}\n"
    ".cone{fill:#ffe1ac;fill-opacity:.55;stroke:#d98718;stroke-width:1.4}\n"
    ".soft{fill:#ffe1ac;fill-opacity:.55}\n"
    ".see{fill-opacity:.72}\n"
    ".law{fill:none;stroke:#d98718;stroke-width:3;stroke-linejoin:round}\n"
    ".load,.reaction{stroke:#c2263b;stroke-width:2.6}.loadtext,.reactiontext{fill:#c2263b}\n"
    ".motion{stroke:#1f5fa8;stroke-width:2.6}.motiontext{fill:#1f5fa8}\n"
    ".axis{stroke:#1b7837;stroke-width:2}.axistext{fill:#1b7837}\n"
    ".thin{fill:none;stroke:#7a8694;stroke-width:1}.dash{stroke:#7a8694;stroke-width:1;"
    "stroke-dasharray:5 4}\n"
    ".tip{stroke:none}.tip.load,.tip.reaction{fill:#c2263b}.tip.motion{fill:#1f5fa8}"
    ".tip.axis{fill:#1b7837}.tip.thin{fill:#7a8694}\n"
    ".halo{paint-order:stroke;stroke:#fff;stroke-width:4px;stroke-linejoin:round}\n"
    ".note{font-size:12px;fill:#555}.head{font-size:14px;font-weight:bold}\n";

static const ssi_sketch_entry *const tables[] = {ssi_sketches_rigid, ssi_sketches_springs,
                                                 ssi_sketches_elastic, ssi_sketches_figures};
enum { TABLES = sizeof tables / sizeof *tables };

static const ssi_sketch_entry *entry_at(int index) {
  for (int t = 0; t < TABLES; t++)
    for (const ssi_sketch_entry *e = tables[t]; e->name; e++)
      if (index-- == 0) return e;
  return NULL;
}

static const ssi_sketch_entry *find(const char *name) {
  const ssi_sketch_entry *e = NULL;
  for (int i = 0; name && (e = entry_at(i)) && strcmp(e->name, name) != 0; i++) continue;
  return e;
}

const char *ss_figure_name(int index) {
  for (int i = 0; i <= index; i++)
    if (!ssi_sketches_figures[i].name) return NULL;
  return index >= 0 ? ssi_sketches_figures[index].name : NULL;
}

const char *ss_figure_title(const char *name) {
  const ssi_sketch_entry *e = find(name);
  return e && !ss_model_summary(name) ? e->title : NULL;
}

static const char *name_at(const void *user, int i) {
  (void)user;
  const ssi_sketch_entry *e = entry_at(i);
  return e ? e->name : NULL;
}

// "mu = 1/2, theta = 36.9": what was set, as it was written.
static void describe(const ss_model_setting *settings, int count, char *out, size_t size) {
  size_t used = 0;
  out[0] = '\0';
  for (int i = 0; i < count && used < size; i++) {
    const ss_model_setting *s = &settings[i];
    int n = s->text
                ? snprintf(out + used, size - used, "%s%s = %s", i ? ", " : "", s->name, s->text)
                : snprintf(out + used, size - used, "%s%s = %g", i ? ", " : "", s->name, s->value);
    used += (size_t)n;
  }
}

static ss_error draw(ss_context *ctx, const ssi_sketch_entry *e, const ssi_draft *d,
                     const char *subtitle, char **out) {
  ssi_sketch k = {.svg = {.ctx = ctx}, .x0 = e->x0, .y0 = e->height - e->y0};
  ssi_frame_begin(&k.svg, e->width, e->height, e->title, style);
  const char *below = subtitle && subtitle[0] ? subtitle : NULL;
  ssi_frame_titles(&k.svg, 24, e->width - 8, e->title, below);
  e->draw(&k, d);
  ssi_svg_raw(&k.svg, "</svg>\n");
  if (k.e) return ssi_release(ctx, k.svg.text), k.e;
  return ssi_svg_finish(&k.svg, "out of memory for the sketch", out);
}

ss_error ss_sketch_svg(ss_context *ctx, const char *name, const ss_model_setting *settings,
                       int count, char **out) {
  if (!name || !out || count < 0 || (count > 0 && !settings))
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "sketch: a name, settings and a place for the result");
  *out = NULL;
  const ssi_sketch_entry *e = find(name);
  if (!e)
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "no sketch of '%.60s'; the nearest is %s", name,
                    ss_nearest_name(name, name_at, NULL));
  if (!ss_model_summary(name)) {
    if (count)
      return ssi_fail(ctx, SS_ERR_ARGUMENT, "%s: a figure without parameters, %s was given", name,
                      settings[0].name);
    return draw(ctx, e, NULL, NULL, out);
  }
  char subtitle[200];
  ssi_model_reading reading;
  describe(settings, count, subtitle, sizeof subtitle);
  SS_TRY(ssi_model_read(ctx, name, settings, count, &reading));
  return draw(ctx, e, &reading.draft, subtitle, out);
}
