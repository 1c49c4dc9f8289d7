// Files of tables in a page: trajectories of mechanisms and runs of elastic bodies (docs/formats-run.md, elastic.md). What
// is in them goes into the section under its own names, rows thinned out where they are many: the viewer knows the rest.
#include <string.h>

#include "base/error.h"
#include "report/page_write.h"

#ifdef SS_WITH_HDF5
#include "io/hdf5_node.h"
#include "report/page_play.h"

enum { MOST = 600000 };  // numbers of one table in a page

typedef struct tables {
  ss_page *page;
  ssi_h5 h5;
  ssi_arena arena;
  json_t *section, *sizes;
  bool failed;
} tables;

// Every `stride`-th row and the last: rows of one group are thinned out alike, so that they still belong together.
static void put_table(tables *t, const char *group, const char *name, const ssi_h5_shape *shape,
                      const double *x, uint64_t stride) {
  uint64_t rows = shape->size[0], row = rows ? shape->count / rows : 0, kept = 0;
  json_t *values = json_array(), *size = json_array();
  for (uint64_t k = 0; k < rows; k++) {
    if (k % stride && k + 1 < rows) continue;
    kept++;
    for (uint64_t c = 0; c < row; c++)
      ssi_page_push(values, ssi_page_real(x[k * row + c]), &t->failed);
  }
  ssi_page_push(size, json_integer((json_int_t)kept), &t->failed);
  for (int k = 1; k < shape->rank; k++)
    ssi_page_push(size, json_integer((json_int_t)shape->size[k]), &t->failed);
  ssi_page_put(json_object_get(t->section, group), name, values, &t->failed);
  ssi_page_put(json_object_get(t->sizes, group), name, size, &t->failed);
}

static ss_error read_group(tables *t, const ssi_h5_node *node, const char *group, bool thin) {
  H5G_info_t info;
  char name[128];
  uint64_t stride = 1;
  if (H5Gget_info(node->id, &info) < 0)
    return ssi_fail(t->page->ctx, SS_ERR_FORMAT, "%s: %s: cannot be read", t->h5.in->name,
                    node->path);
  for (int pass = 0; pass < 2; pass++)  // the largest table decides, then all are taken
    for (hsize_t k = 0; k < info.nlinks; k++) {
      ssi_h5_shape shape;
      double *x;
      if (!ssi_h5_name_at(node, k, name, sizeof name)) continue;
      ssi_mark mark = ssi_arena_mark(&t->arena);
      SS_TRY(ssi_h5_table(&t->h5, node, name, &t->arena, &shape, &x));
      if (pass == 0 && thin && shape.count / MOST + 1 > stride) stride = shape.count / MOST + 1;
      if (pass == 1) put_table(t, group, name, &shape, x, stride);
      ssi_arena_rewind(&t->arena, mark);
    }
  return SS_OK;
}

static ss_error read_groups(tables *t, const ssi_h5_node *root, const char *const *groups) {
  for (; *groups; groups++) {
    ssi_h5_node node;
    SS_TRY(ssi_h5_group(&t->h5, root, *groups, &node));
    if (node.id < 0) continue;
    ssi_page_put(t->section, *groups, json_object(), &t->failed);
    ssi_page_put(t->sizes, *groups, json_object(), &t->failed);
    bool rows_in_time = strcmp(*groups, "samples") == 0 || strcmp(*groups, "frames") == 0 ||
                        strcmp(*groups, "steps") == 0;
    SS_TRY(read_group(t, &node, *groups, rows_in_time));
    ssi_h5_leave(&node);
  }
  return SS_OK;
}

static ss_error read_tables(tables *t, const ssi_h5_node *root, const char **kind) {
  static const char *const texts[] = {"mechanism", "title", "scheme", "parameters", "ended", NULL};
  static const char *const of_trajectory[] = {"samples", "events", NULL};
  static const char *const of_march[] = {"steps", "frames", "model", NULL};
  const char *format;
  SS_TRY(ssi_h5_text(&t->h5, root, "format", &t->arena, &format));
  *kind = !format                                       ? NULL
          : strcmp(format, "stickslip trajectory") == 0 ? "trajectory"
          : strcmp(format, "stickslip march") == 0      ? "march"
                                                        : NULL;
  if (!*kind) return SS_OK;
  int dim;
  SS_TRY(ssi_h5_int(&t->h5, root, "dim", &dim));
  ssi_page_put(t->section, "kind", json_string(*kind), &t->failed);
  ssi_page_put(t->section, "dim", json_integer(dim), &t->failed);
  for (int k = 0; texts[k]; k++) {
    const char *text;
    SS_TRY(ssi_h5_text(&t->h5, root, texts[k], &t->arena, &text));
    ssi_page_put(t->section, texts[k], ssi_page_words(text), &t->failed);
  }
  if (strcmp(*kind, "march") == 0) return read_groups(t, root, of_march);
  SS_TRY(read_groups(t, root, of_trajectory));
  return ssi_page_play(t->page, &t->h5, root, t->section);
}

ss_error ssi_page_tables(ss_page *page, const ssi_source *in, json_t *section, const char **kind) {
  tables t = {
      .page = page, .section = section, .sizes = json_object(), .arena = {.ctx = page->ctx}};
  ssi_page_put(section, "sizes", t.sizes, &t.failed);
  ssi_h5_node root;
  *kind = NULL;
  ss_error e = ssi_h5_try(page->ctx, in);
  if (!e) {
    e = ssi_h5_open(&t.h5, page->ctx, in, &root);
    if (!e) e = read_tables(&t, &root, kind);
    ssi_h5_close(&t.h5);
  }
  ssi_arena_release(&t.arena);
  return !e && t.failed ? ssi_fail(page->ctx, SS_ERR_MEMORY, "%s: no memory", in->name) : e;
}
#else
ss_error ssi_page_tables(ss_page *page, const ssi_source *in, json_t *section, const char **kind) {
  (void)section;
  *kind = NULL;
  return ssi_fail(page->ctx, SS_ERR_UNSUPPORTED, "%s: needs HDF5, which this build is without",
                  in->name);
}
#endif
