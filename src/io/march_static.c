// A file of elastic bodies, or of a structure, as one static problem: that of a single step at position level from its
// start, where nothing is displaced, to the end of its duration, without C and M. So `solve`, `enumerate`, `critical`,
// `trace` and `certify` can be asked about any body. Condensed onto the contacts where these are few, so that
// a dense matrix of their stiffness is small.
#include <string.h>

#include "base/error.h"
#include "io/reader.h"
#include "la/sparse.h"
#include "stickslip/march_file.h"

enum { CONDENSED_MOST = 1000 };  // rows: 8 MB of matrix

static const double *copy(ssi_arena *arena, const double *x, int n) {
  double *out = SSI_TAKE(arena, n + 1, double);
  if (out && n > 0) memcpy(out, x, sizeof *x * (size_t)n);
  return out;
}

// M, H, f, w, mu of `from` in memory of the file.
static ss_error keep(ss_context *ctx, ssi_arena *arena, const ss_problem *from, ss_problem *out) {
  int m = from->dim * from->nc;
  *out = (ss_problem){.form = from->form, .dim = from->dim, .nc = from->nc, .ndof = from->ndof};
  bool ok = ssi_sparse_copy(arena, &from->M, &out->M) && ssi_sparse_copy(arena, &from->H, &out->H);
  out->f = copy(arena, from->f, from->ndof);
  out->w = copy(arena, from->w, m);
  out->mu = copy(arena, from->mu, from->nc);
  if (ok && !arena->failed) return SS_OK;
  return ssi_fail(ctx, SS_ERR_MEMORY, "no memory for a static problem");
}

static ss_error make(ss_context *ctx, const ss_structure *s, const ss_march_file *f,
                     ssi_arena *arena, ss_file *out) {
  const ss_march_options *o = &f->stepping;
  ss_problem *p = NULL;
  bool condensed = s->dim * s->nc <= CONDENSED_MOST;
  SS_TRY(ss_structure_problem(ctx, s, o->start, o->start + o->duration, condensed, &p));
  ss_error e = keep(ctx, arena, p, &out->problem);
  ss_problem_destroy(p);
  return e;
}

static ss_error build(ss_context *ctx, const ss_march_file *f, ssi_arena *arena, ss_file *out) {
  if (!f->elastic) return make(ctx, &f->structure, f, arena, out);
  ss_elastic_scene scene = f->scene;
  scene.stepping.scheme = SS_MARCH_POSITION;  // no inertia: what is held is asked of K
  ss_elastic *e = NULL;
  SS_TRY(ss_elastic_build(ctx, &scene, &e));
  ss_error error = make(ctx, &e->structure, f, arena, out);
  ss_elastic_destroy(e);
  return error;
}

ss_error ssi_read_static(ss_context *ctx, const ssi_source *in, ssi_arena *arena, ss_file *out) {
  ss_march_file *f = NULL;
  const char *slash = strrchr(in->name, '/');
  size_t length = slash ? (size_t)(slash - in->name) : 0;
  char *folder = SSI_TAKE(arena, length + 1, char);
  if (!folder) return ssi_fail(ctx, SS_ERR_MEMORY, "no memory for a static problem");
  memcpy(folder, in->name, length);
  *out = (ss_file){.format = SS_FORMAT_JSON};
  SS_TRY(ss_march_file_parse(ctx, in->name, folder, in->bytes, in->size, &f));
  ss_error e = ssi_fail_within(ctx, build(ctx, f, arena, out), in->name);
  size_t title = f->title ? strlen(f->title) : 0;
  char *own = title ? SSI_TAKE(arena, title + 1, char) : NULL;
  if (own) out->title = memcpy(own, f->title, title);
  ss_march_file_close(f);
  return e;
}
