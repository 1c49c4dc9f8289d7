// A page from its head to its viewer; see page_write.h for what is between.
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "io/json_value.h"
#include "report/page_write.h"
#include "report/svg.h"

const char *ss_page_missing(void) {
  if (ssi_viewer_script) return NULL;
  return "this build has no viewer, which is made with Node.js and npm (Debian: nodejs, npm): "
         "install them, "
         "then make";
}

// Nothing may be loaded from anywhere, whatever ends up in the page; a live one may ask the server that it came from.
static const char policy[] =
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "img-src data: blob:; base-uri 'none'; form-action 'none'";
static const char may_ask[] = "; connect-src 'self'";

static ss_error write_head(ss_page *page) {
  ssi_svg head = {.ctx = page->ctx};
  ssi_svg_put(&head,
              "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
              "<meta http-equiv=\"Content-Security-Policy\" content=\"%s%s\">\n"
              "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
              "<meta name=\"generator\" content=\"stickslip %s\">\n"
              "<meta name=\"color-scheme\" content=\"light dark\">\n<title>%s</title>\n",
              policy, page->live ? may_ask : "", ss_version(),
              page->title ? page->title : "stickslip");
  char *text;
  SS_TRY(ssi_svg_finish(&head, "page: no memory", &text));
  ssi_output_text(page->out, "%s<style>%s</style>\n</head>\n<body>\n", text, ssi_viewer_style);
  ssi_output_text(page->out, "<noscript>This page draws its figures with JavaScript.</noscript>\n"
                             "<div id=\"page\"></div>\n");
  ssi_release(page->ctx, text);
  return SS_OK;
}

ss_error ss_page_begin(ss_context *ctx, const char *path, const ss_page_options *o, ss_page **out) {
  const char *title = o ? o->title : NULL;
  if (out) *out = NULL;
  if (!path || !out) return ssi_missing(ctx, "ss_page_begin");
  if (ss_page_missing())
    return ssi_fail(ctx, SS_ERR_UNSUPPORTED, "%s: cannot be made: %s", path, ss_page_missing());
  size_t length = title ? strlen(title) + 1 : 0;
  ss_page *page = ssi_alloc(ctx, 1, sizeof *page);
  if (!page) return ssi_fail(ctx, SS_ERR_MEMORY, "%s: no memory", path);
  *page = (ss_page){.ctx = ctx,
                    .sections = json_array(),
                    .title = title ? ssi_alloc(ctx, length, 1) : NULL,
                    .live = o && o->live};
  ss_error e = SS_ERR_MEMORY;
  if (page->sections && (page->title || !title)) {
    if (title) memcpy(page->title, title, length);
    e = ssi_output_begin(ctx, path, &page->out);
  }
  if (!e) e = write_head(page);
  if (e)
    ss_page_abandon(page);
  else
    *out = page;
  return e;
}

static ss_error not_a_result(ss_page *page, const char *path, const char *found) {
  return ssi_fail(page->ctx, SS_ERR_FORMAT,
                  "%s: %s, expected a run, or what stickslip COMMAND --json prints", path, found);
}

static ss_error parse_result(ss_page *page, const char *path, const ssi_source *source,
                             json_t **out) {
  SS_TRY(ssi_json_parse(&(ssi_json){.ctx = page->ctx, .name = source->name}, source, out));
  if (json_is_string(json_object_get(*out, "command"))) return SS_OK;
  json_decref(*out);
  *out = NULL;
  return not_a_result(page, path, "/command: not there");
}

static ss_error add_json(ss_page *page, const char *path, const ssi_source *source, json_t *section,
                         const char **kind) {
  json_t *result = NULL;
  SS_TRY(parse_result(page, path, source, &result));
  bool failed = false;
  *kind = json_string_value(json_object_get(result, "command"));
  ssi_page_put(section, "kind", json_string("result"), &failed);
  ssi_page_put(section, "result", result, &failed);
  return failed ? ssi_fail(page->ctx, SS_ERR_MEMORY, "%s: no memory", path) : SS_OK;
}

static ss_error add_file(ss_page *page, const char *path, ssi_arena *arena, json_t *section,
                         const char **kind) {
  ssi_source source;
  SS_TRY(ssi_input_read(page->ctx, path, arena, &source));
  if (!ssi_is_hdf5(&source)) return add_json(page, path, &source, section, kind);
  SS_TRY(ssi_page_tables(page, &source, section, kind));
  return *kind ? SS_OK : not_a_result(page, path, "an HDF5 file that holds no run");
}

ss_error ss_page_add_result(ss_page *page, const char *name, const char *path, const char **kind) {
  if (!page || !name || !path) return ssi_missing(page ? page->ctx : NULL, "ss_page_add_result");
  ssi_arena arena = {.ctx = page->ctx};
  json_t *section = json_object();
  const char *found = NULL;
  bool failed = !section;
  ssi_page_put(section, "name", ssi_page_words(name), &failed);
  ss_error e = failed ? SS_OK : add_file(page, path, &arena, section, &found);
  ssi_arena_release(&arena);
  if (!e) ssi_page_push(page->sections, json_incref(section), &failed);
  json_decref(section);
  if (kind) *kind = found;
  return !e && failed ? ssi_fail(page->ctx, SS_ERR_MEMORY, "%s: no memory", path) : e;
}

static ss_error write_tail(ss_page *page) {
  bool failed = false;
  json_t *payload = json_object();
  ssi_page_put(payload, "version", json_string(ss_version()), &failed);
  ssi_page_put(payload, "title", ssi_page_words(page->title), &failed);
  ssi_page_put(payload, "live", json_boolean(page->live), &failed);
  ssi_page_put(payload, "sections", json_incref(page->sections), &failed);
  ssi_output_text(page->out, "<script type=\"application/json\" id=\"payload\">");
  ss_error e =
      failed ? ssi_fail(page->ctx, SS_ERR_MEMORY, "page: no memory") : ssi_page_json(page, payload);
  ssi_output_text(page->out, "</script>\n<script>%s</script>\n</body>\n</html>\n",
                  ssi_viewer_script);
  json_decref(payload);
  return e;
}

static void release(ss_page *page) {
  json_decref(page->sections);
  ssi_release(page->ctx, page->title);
  ssi_release(page->ctx, page);
}

ss_error ss_page_commit(ss_page *page) {
  if (!page) return ssi_missing(NULL, "ss_page_commit");
  ss_error e = write_tail(page);
  if (e)
    ssi_output_abandon(page->out);
  else
    e = ssi_output_commit(page->ctx, page->out);
  release(page);
  return e;
}

void ss_page_abandon(ss_page *page) {
  if (!page) return;
  ssi_output_abandon(page->out);
  release(page);
}
