// Regions of the finest grid, and the place in each that is farthest from its border.
#include <math.h>

#include "analysis/atlas.h"

// ---- connected cells ------------------------------------------------------------------------

// Fills one region from cell `seed` with a stack of cells; 4-neighbours.
static void flood(const ssi_raster *g, int seed, int region, int *region_of, int *stack) {
  int depth = 0;
  region_of[seed] = region;
  stack[depth++] = seed;
  while (depth) {
    int at = stack[--depth], i = at % g->width, j = at / g->width;
    const int next[4] = {i > 0 ? at - 1 : -1, i + 1 < g->width ? at + 1 : -1,
                         j > 0 ? at - g->width : -1, j + 1 < g->height ? at + g->width : -1};
    for (int k = 0; k < 4; k++) {
      int to = next[k];
      if (to < 0 || region_of[to] >= 0 || g->kind[to] != g->kind[at]) continue;
      region_of[to] = region;
      stack[depth++] = to;
    }
  }
}

int ssi_find_regions(const ssi_raster *g, int *region_of, int *stack) {
  int cells = g->width * g->height, count = 0;
  for (int k = 0; k < cells; k++) region_of[k] = -1;
  for (int k = 0; k < cells; k++)
    if (region_of[k] < 0) flood(g, k, count++, region_of, stack);
  return count;
}

// ---- the middle -----------------------------------------------------------------------------

// Distance of each cell's centre from the nearest cell of another region or from the rectangle's
// edge, by two sweeps (chamfer), in the measure in which the rectangle is 1 by 1.
typedef struct sweep {
  const ssi_raster *g;
  const int *region_of;
  float *distance;
  double dx, dy;
} sweep;

static void take_from(const sweep *s, int i, int j, int di, int dj) {
  const ssi_raster *g = s->g;
  int at = j * g->width + i, a = i + di, b = j + dj;
  double step = hypot(di * s->dx, dj * s->dy);
  bool outside = a < 0 || b < 0 || a >= g->width || b >= g->height;
  bool other = outside || s->region_of[b * g->width + a] != s->region_of[at];
  double d = other ? step / 2 : (double)s->distance[b * g->width + a] + step;
  if (d < (double)s->distance[at]) s->distance[at] = (float)d;
}

static void measure(const sweep *s) {
  int width = s->g->width, height = s->g->height;
  for (int k = 0; k < width * height; k++) s->distance[k] = 2;
  for (int j = 0; j < height; j++)
    for (int i = 0; i < width; i++)
      for (int k = 0; k < 4; k++)  // left, and the three below
        take_from(s, i, j, k == 0 ? -1 : k - 2, k == 0 ? 0 : -1);
  for (int j = height - 1; j >= 0; j--)
    for (int i = width - 1; i >= 0; i--)
      for (int k = 0; k < 4; k++) take_from(s, i, j, k == 0 ? 1 : 2 - k, k == 0 ? 0 : 1);
}

// Of the cells whose distance is within 3 % of the largest, the one nearest the centre of mass: a long
// band has its label in its middle.
void ssi_place_labels(const ssi_raster *g, const int *region_of, float *distance, int count,
                      ssi_place *places) {
  sweep s = {g, region_of, distance, 1.0 / g->width, 1.0 / g->height};
  measure(&s);
  int cells = g->width * g->height;
  for (int k = 0; k < count; k++) places[k] = (ssi_place){.cell = -1, .nearest = INFINITY};
  for (int c = 0; c < cells; c++) {
    ssi_place *p = &places[region_of[c]];
    p->cells += 1;
    p->x += c % g->width + 0.5, p->y += c / g->width + 0.5;
    if ((double)distance[c] > p->room) p->room = (double)distance[c];
  }
  for (int k = 0; k < count; k++) places[k].x /= places[k].cells, places[k].y /= places[k].cells;
  for (int c = 0; c < cells; c++) {
    ssi_place *p = &places[region_of[c]];
    if ((double)distance[c] < 0.97 * p->room) continue;
    double away = hypot((c % g->width + 0.5 - p->x) * s.dx, (c / g->width + 0.5 - p->y) * s.dy);
    if (away < p->nearest) p->nearest = away, p->cell = c;
  }
}
