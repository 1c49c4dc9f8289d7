#include "analysis/cells.h"

#include <string.h>

// Doubles the room of an array of the arena; what is left behind goes with the arena.
static void *grow(ssi_arena *arena, void *from, int *room, size_t size) {
  int more = *room ? 2 * *room : 8;
  void *to = ssi_arena_take(arena, (size_t)more, size);
  if (!to) return NULL;
  if (from) memcpy(to, from, (size_t)*room * size);
  *room = more;
  return to;
}

ssi_found *ssi_cells_add(ssi_cells *c, int generators) {
  if (c->found_count == c->found_room) {
    ssi_found *more = grow(c->arena, c->found, &c->found_room, sizeof *more);
    if (!more) return NULL;
    c->found = more;
  }
  ssi_found *f = &c->found[c->found_count];
  size_t numbers = (size_t)generators * sizeof(int);
  char *memory = ssi_arena_take(c->arena, numbers + (size_t)c->n, 1);
  if (!memory) return NULL;
  *f = (ssi_found){.generators = (int *)(void *)memory, .states = (uint8_t *)memory + numbers};
  c->found_count++;
  return f;
}

int ssi_cells_add_generator(ssi_cells *c) {
  if (c->generator_count == c->generator_room) {
    ssi_generator *more = grow(c->arena, c->generators, &c->generator_room, sizeof *more);
    if (!more) return -1;
    c->generators = more;
  }
  ssi_generator *g = &c->generators[c->generator_count];
  size_t m = 2 * (size_t)c->n;
  char *memory = ssi_arena_take(c->arena, 2 * m * sizeof(double) + 2 * (size_t)c->n, 1);
  if (!memory) return -1;
  *g = (ssi_generator){.u = (double *)(void *)memory};
  g->r = g->u + m;
  g->marks = (uint8_t *)(g->r + m);
  g->home = g->marks + c->n;
  return c->generator_count++;
}
