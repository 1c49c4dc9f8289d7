// report/page_write.h - the pieces of a page while it is written. Private.
//
// A page is head, blobs, sections, viewer. Blobs are numbers in base64, written as they come; the sections, one
// JSON object each, say what the blobs hold and are kept until the end.
#pragma once

#include <jansson.h>

#include "io/reader.h"
#include "stickslip/page.h"

struct ss_page {
  ss_context *ctx;
  ssi_output *out;
  json_t *sections;
  char *title;
  bool live;
  int blobs;
  // the blob being written
  unsigned char rest[3];  // bytes that do not make four characters yet
  int rest_count;
  int64_t blob_bytes;
};

// ---- blobs -----------------------------------------------------------------------------------

int ssi_blob_begin(ss_page *page);  // its number
void ssi_blob_bytes(ss_page *page, const void *bytes, size_t count);
void ssi_blob_align(ss_page *page);  // zeros up to a multiple of 4 bytes
void ssi_blob_end(ss_page *page);

// ---- JSON ------------------------------------------------------------------------------------

// All take `value` over and fail by SS_ERR_MEMORY in the end: a value that could not be made is left out, and
// the commit says so.
void ssi_page_put(json_t *object, const char *key, json_t *value, bool *failed);
void ssi_page_push(json_t *array, json_t *value, bool *failed);
json_t *ssi_page_real(double x);  // null where x is not finite
json_t *ssi_page_reals(const double *x, int64_t count);
json_t *ssi_page_words(const char *text);  // null for NULL; bytes that are not UTF-8 become '?'

// A JSON value as the content of a <script>: ASCII, and without a character that means something to HTML.
ss_error ssi_page_json(ss_page *page, const json_t *value);

// A file of tables (a trajectory of a mechanism, a run of elastic bodies) into `section`; *kind NULL: it is neither.
ss_error ssi_page_tables(ss_page *page, const ssi_source *in, json_t *section, const char **kind);

// What the viewer consists of; NULL in a build without it.
extern const char *const ssi_viewer_script, *const ssi_viewer_style;
