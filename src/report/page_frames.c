// Saved states of a run in 16 bits: page_frames.h has the layout.
#include "report/page_frames.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "report/page_links.h"

typedef struct ssi_ranked {
  double size;  // of the force
  int contact;
} ssi_ranked;

// Evenly, the first and the last included.
int64_t ssi_frames_pick(const ssi_frames *f, int64_t k) {
  if (f->kept < 2) return 0;
  return (int64_t)floor((double)k * (double)(f->size.frames - 1) / (double)(f->kept - 1) + 0.5);
}

static double norm(const double x[3]) {
  return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

static ss_error tell(const ssi_frames *f, int64_t done) {
  if (f->o && f->o->progress && f->o->progress(f->o->user, done, 2 * f->kept))
    return ssi_fail(f->page->ctx, SS_ERR_WRITE, "page: interrupted");
  return SS_OK;
}

ss_error ssi_frames_survey(ssi_frames *f) {
  for (int64_t k = 0; k < f->kept; k++) {
    ss_run_frame now;
    SS_TRY(f->read(f->source, ssi_frames_pick(f, k), &now));
    for (int b = 0; b < f->size.bodies; b++) {
      f->speed_max = fmax(f->speed_max, norm(now.velocity + 6 * b));
      for (int c = 0; c < 3; c++) {
        double *low = &f->low[3 * b + c], *high = &f->high[3 * b + c], x = now.pose[b].x[c];
        *low = k ? fmin(*low, x) : x;
        *high = k ? fmax(*high, x) : x;
      }
    }
    SS_TRY(tell(f, k));
  }
  return SS_OK;
}

// ---- numbers ---------------------------------------------------------------------------------

static bool has_room(ssi_frames *f, size_t bytes) {
  if (bytes <= f->room) return true;
  ssi_release(f->page->ctx, f->buffer);
  f->buffer = ssi_alloc(f->page->ctx, bytes, 1);
  f->room = f->buffer ? bytes : 0;
  return f->buffer != NULL;
}

static void put(ssi_frames *f, const void *bytes, size_t count) {
  ssi_blob_bytes(f->page, bytes, count);
  ssi_blob_align(f->page);
}

static void put_floats(ssi_frames *f, const double *x, int count) {
  for (int k = 0; k < count; k++) {
    float y = (float)x[k];
    ssi_blob_bytes(f->page, &y, sizeof y);
  }
}

static int16_t in_16_bits(double part) {
  return (int16_t)lrint(32767 * fmax(-1, fmin(1, isfinite(part) ? part : 0)));
}

static uint16_t positive_16_bits(double part) {
  return (uint16_t)lrint(65535 * fmax(0, fmin(1, isfinite(part) ? part : 0)));
}

// ---- bodies ----------------------------------------------------------------------------------

static void write_bodies(ssi_frames *f, const ss_run_frame *now) {
  int n = f->size.bodies;
  uint16_t *u = f->buffer;
  for (int k = 0; k < 3 * n; k++) {
    double width = f->high[k] - f->low[k];
    u[k] = positive_16_bits(width > 0 ? (now->pose[k / 3].x[k % 3] - f->low[k]) / width : 0);
  }
  put(f, u, sizeof *u * 3 * (size_t)n);
  int16_t *i = f->buffer;
  for (int k = 0; k < 4 * n; k++) i[k] = in_16_bits(now->pose[k / 4].q[k % 4]);
  put(f, i, sizeof *i * 4 * (size_t)n);
  for (int b = 0; b < n; b++) u[b] = positive_16_bits(norm(now->velocity + 6 * b) / f->speed_max);
  put(f, u, sizeof *u * (size_t)n);
  for (int e = 0; e < f->size.externals; e++) {
    put_floats(f, now->external_pose[e].x, 3);
    put_floats(f, now->external_pose[e].q, 4);
  }
}

static void write_links(ssi_frames *f, const ss_run_frame *now, double h) {
  for (int k = 0; k < f->link_count; k++) {
    double load[2];
    ssi_link_load(f->scene, k, now, h, load);
    put_floats(f, load, 2);
  }
}

// ---- contacts --------------------------------------------------------------------------------

static int stronger_first(const void *a, const void *b) {
  const ssi_ranked *x = a, *y = b;
  if (x->size != y->size) return x->size < y->size ? 1 : -1;
  return (x->contact > y->contact) - (x->contact < y->contact);
}

// Those with a force, the strongest first where there are too many. How many are written.
static int rank(ssi_frames *f, const ss_run_frame *now, int *active) {
  *active = 0;
  if (!ssi_grow(f->page->ctx, &f->ranked, &f->ranked_room, (size_t)now->contact_count, 0,
                sizeof *f->ranked))
    return -1;
  for (int k = 0; k < now->contact_count; k++) {
    double size = norm(now->contacts[k].impulse);
    if (size > 0) f->ranked[(*active)++] = (ssi_ranked){size, k};
  }
  if (*active <= f->most_contacts) return *active;
  qsort(f->ranked, (size_t)*active, sizeof *f->ranked, stronger_first);
  return f->most_contacts;
}

static void write_ends(ssi_frames *f, const ss_run_frame *now, int count) {
  bool wide = f->size.bodies + f->size.externals > UINT16_MAX;
  for (int end = 0; end < 2; end++) {
    for (int k = 0; k < count; k++) {
      const ss_sim_contact *c = &now->contacts[f->ranked[k].contact];
      int body = end == 0 ? c->a : c->b;
      uint32_t object = (uint32_t)(body >= 0 ? body : f->size.bodies + SS_EXTERNAL - body);
      uint16_t narrow = (uint16_t)object;
      ssi_blob_bytes(f->page, wide ? (void *)&object : &narrow, wide ? 4 : 2);
    }
    ssi_blob_align(f->page);
  }
}

static void write_contacts(ssi_frames *f, const ss_run_frame *now, int count, double largest) {
  write_ends(f, now, count);
  int16_t *i = f->buffer;
  for (int part = 0; part < 3; part++) {
    for (int k = 0; k < count; k++) {
      const ss_sim_contact *c = &now->contacts[f->ranked[k].contact];
      const double *centre = now->pose[c->a].x;
      for (int d = 0; d < 3; d++)
        i[3 * k + d] = in_16_bits(part == 0   ? (c->point[d] - centre[d]) / f->extent[c->a]
                                  : part == 1 ? c->impulse[d] / largest
                                              : c->normal[d]);
    }
    put(f, i, sizeof *i * 3 * (size_t)count);
  }
  unsigned char *state = f->buffer;
  for (int k = 0; k < count; k++)
    state[k] = (unsigned char)now->contacts[f->ranked[k].contact].state;
  put(f, state, (size_t)count);
}

static double largest_component(const ssi_frames *f, const ss_run_frame *now, int count) {
  double most = 0;
  for (int k = 0; k < count; k++)
    for (int d = 0; d < 3; d++)
      most = fmax(most, fabs(now->contacts[f->ranked[k].contact].impulse[d]));
  return most;
}

static ss_error write_frame(ssi_frames *f, int64_t which) {
  ss_run_frame now;
  SS_TRY(f->read(f->source, which, &now));
  int active, count = rank(f, &now, &active);
  size_t most = (size_t)(count > f->size.bodies ? count : f->size.bodies);
  if (count < 0 || !has_room(f, 8 * (most + 1)))
    return ssi_fail(f->page->ctx, SS_ERR_MEMORY, "page: no memory");
  double largest = largest_component(f, &now, count);
  double h = now.h > 0 ? now.h : 1;  // turns impulses into forces
  json_t *row = json_array();
  ssi_page_push(row, json_integer(f->page->blob_bytes), &f->failed);
  ssi_page_push(row, ssi_page_real(now.time), &f->failed);
  ssi_page_push(row, json_integer(now.step), &f->failed);
  ssi_page_push(row, json_integer(count), &f->failed);
  ssi_page_push(row, json_integer(active), &f->failed);
  ssi_page_push(row, ssi_page_real(largest / h), &f->failed);
  ssi_page_push(f->index, row, &f->failed);
  for (int k = 0; k < count; k++) f->force_max = fmax(f->force_max, f->ranked[k].size / h);
  write_bodies(f, &now);
  write_links(f, &now, h);
  write_contacts(f, &now, count, largest);
  return SS_OK;
}

ss_error ssi_frames_write(ssi_frames *f) {
  int n = f->size.bodies;
  put_floats(f, f->low, 3 * n);
  put_floats(f, f->high, 3 * n);
  put_floats(f, f->extent, n);
  for (int64_t k = 0; k < f->kept; k++) {
    SS_TRY(write_frame(f, ssi_frames_pick(f, k)));
    SS_TRY(tell(f, f->kept + k));
  }
  return SS_OK;
}

void ssi_frames_release(ssi_frames *f) {
  ssi_release(f->page->ctx, f->buffer);
  ssi_release(f->page->ctx, f->ranked);
  f->buffer = NULL, f->ranked = NULL;
}
