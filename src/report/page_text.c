// How values get into a page, in one place. The only values outside of JSON are the title, escaped as in SVG, and
// base64. Inside JSON every character that HTML could take for markup is written as \u00XX: "</script>" cannot
// occur, whatever a title, a body or a file is called, and the viewer sets texts as text, never as markup.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "report/page_write.h"

// ---- base64 ----------------------------------------------------------------------------------

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void encode(const unsigned char in[3], char out[4]) {
  uint32_t bits = (uint32_t)in[0] << 16 | (uint32_t)in[1] << 8 | in[2];
  for (int k = 0; k < 4; k++) out[k] = digits[bits >> (18 - 6 * k) & 63];
}

int ssi_blob_begin(ss_page *page) {
  page->rest_count = 0;
  page->blob_bytes = 0;
  ssi_output_text(page->out, "<script type=\"text/plain\" id=\"blob-%d\">", page->blobs);
  return page->blobs++;
}

void ssi_blob_bytes(ss_page *page, const void *bytes, size_t count) {
  enum { CHUNK = 4096 };
  const unsigned char *at = bytes;
  char text[CHUNK + 1];
  int used = 0;
  page->blob_bytes += (int64_t)count;
  for (size_t k = 0; k < count; k++) {
    page->rest[page->rest_count++] = at[k];
    if (page->rest_count < 3) continue;
    encode(page->rest, text + used);
    page->rest_count = 0;
    if ((used += 4) < CHUNK) continue;
    text[used] = 0, used = 0;
    ssi_output_text(page->out, "%s", text);
  }
  text[used] = 0;
  if (used) ssi_output_text(page->out, "%s", text);
}

void ssi_blob_align(ss_page *page) {
  static const unsigned char zero[4];
  ssi_blob_bytes(page, zero, (size_t)(-page->blob_bytes & 3));
}

void ssi_blob_end(ss_page *page) {
  char last[5] = "";
  int count = page->rest_count;
  if (count) {
    memset(page->rest + count, 0, (size_t)(3 - count));
    encode(page->rest, last);
    memset(last + count + 1, '=', (size_t)(3 - count));
  }
  ssi_output_text(page->out, "%s</script>\n", last);
}

// ---- JSON ------------------------------------------------------------------------------------

void ssi_page_put(json_t *object, const char *key, json_t *value, bool *failed) {
  if (!value || json_object_set_new(object, key, value) != 0) *failed = true;
}

void ssi_page_push(json_t *array, json_t *value, bool *failed) {
  if (!value || json_array_append_new(array, value) != 0) *failed = true;
}

json_t *ssi_page_real(double x) {
  return isfinite(x) ? json_real(x) : json_null();
}

json_t *ssi_page_reals(const double *x, int64_t count) {
  json_t *array = json_array();
  bool failed = !array;
  for (int64_t k = 0; k < count; k++) ssi_page_push(array, ssi_page_real(x[k]), &failed);
  if (!failed) return array;
  json_decref(array);
  return NULL;
}

json_t *ssi_page_words(const char *text) {
  if (!text) return json_null();
  json_t *value = json_string(text);
  if (value) return value;
  size_t length = strlen(text);
  char *copy = malloc(length + 1);
  if (!copy) return NULL;
  for (size_t k = 0; k <= length; k++) copy[k] = (unsigned char)text[k] > 127 ? '?' : text[k];
  value = json_string(copy);
  free(copy);
  return value;
}

static int write_escaped(const char *buffer, size_t size, void *user) {
  ss_page *page = user;
  size_t from = 0;
  for (size_t k = 0; k < size; k++) {
    char c = buffer[k];
    if (c != '<' && c != '>' && c != '&') continue;
    ssi_output_text(page->out, "%.*s\\u00%02x", (int)(k - from), buffer + from, (unsigned)c);
    from = k + 1;
  }
  ssi_output_text(page->out, "%.*s", (int)(size - from), buffer + from);
  return 0;
}

ss_error ssi_page_json(ss_page *page, const json_t *value) {
  size_t flags = JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(9);
  if (json_dump_callback(value, write_escaped, page, flags) == 0) return SS_OK;
  return ssi_fail(page->ctx, SS_ERR_MEMORY, "page: no memory");
}
