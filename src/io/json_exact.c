#include "base/decimal.h"
#include "base/error.h"

#include "io/json_value.h"

#include <math.h>
#include <string.h>

static bool has_text(const json_t *value) {
  if (json_is_string(value)) return true;
  if (json_is_object(value)) value = json_object_get(value, "x");
  for (size_t k = 0; json_is_array(value) && k < json_array_size(value); k++)
    if (has_text(json_array_get(value, k))) return true;
  return false;
}

// NULL for a double that is what was written: a multiple of 2^-10 below 2^40.
static ss_error text_of(const ssi_json *in, const json_t *value, const char **out) {
  char short_text[32];
  const char *from = json_string_value(value);
  *out = NULL;
  if (!from) {
    double x = json_number_value(value), scaled = x * 1024;
    if (fabs(x) < 0x1p40 && scaled == floor(scaled)) return SS_OK;
    from = ssi_shortest(x, short_text);
  }
  size_t size = strlen(from) + 1;
  char *copy = SSI_TAKE(in->arena, size, char);
  if (!copy) return ssi_json_no_memory(in);
  memcpy(copy, from, size);
  *out = copy;
  return SS_OK;
}

static ss_error vector(const ssi_json *in, const json_t *value, const char *const **out) {
  size_t count = json_array_size(value);
  const char **texts = SSI_TAKE(in->arena, count, const char *);
  if (!texts) return ssi_json_no_memory(in);
  for (size_t k = 0; k < count; k++) SS_TRY(text_of(in, json_array_get(value, k), &texts[k]));
  *out = texts;
  return SS_OK;
}

static int64_t find(const ss_sparse *A, int i, int j) {
  for (int64_t k = A->ptr[i]; k < A->ptr[i + 1]; k++)
    if (A->col[k] == j) return k;
  return -1;  // a zero of an array of rows, which is not stored
}

// *unique = false: an entry is there twice.
static ss_error matrix(const ssi_json *in, const json_t *value, const ss_sparse *A,
                       const char *const **out, bool *unique) {
  bool triplets = json_is_object(value);
  const json_t *x = triplets ? json_object_get(value, "x") : NULL;
  const json_t *row = json_object_get(value, "i"), *col = json_object_get(value, "j");
  int64_t entries = A->rows ? A->ptr[A->rows] : 0;
  const char **texts = SSI_TAKE(in->arena, entries, const char *);
  if (!texts) return ssi_json_no_memory(in);
  if (triplets && json_array_size(x) != (size_t)entries) *unique = false;
  for (size_t k = 0; triplets && *unique && k < json_array_size(x); k++) {
    int i = (int)json_number_value(json_array_get(row, k));
    int64_t place = find(A, i, (int)json_number_value(json_array_get(col, k)));
    SS_TRY(text_of(in, json_array_get(x, k), &texts[place]));
  }
  for (int i = 0; !triplets && i < A->rows; i++)
    for (int64_t k = A->ptr[i]; k < A->ptr[i + 1]; k++) {
      const json_t *numbers = json_array_get(value, (size_t)i);
      SS_TRY(text_of(in, json_array_get(numbers, (size_t)A->col[k]), &texts[k]));
    }
  *out = texts;
  return SS_OK;
}

ss_error ssi_json_exact(const ssi_json *in, const json_t *root, const ss_problem *p,
                        const ss_exact **out) {
  ss_exact *e = SSI_TAKE(in->arena, 1, ss_exact);
  if (!e) return ssi_json_no_memory(in);
  const struct {
    const char *key;
    const char *const **texts;
    const ss_sparse *A;  // NULL: a vector
  } parts[] = {{"mu", &e->mu, NULL}, {"q", &e->q, NULL},  {"s", &e->s, NULL},  {"f", &e->f, NULL},
               {"w", &e->w, NULL},   {"b", &e->b, NULL},  {"W", &e->W, &p->W}, {"V", &e->V, &p->V},
               {"R", &e->R, &p->R},  {"M", &e->M, &p->M}, {"H", &e->H, &p->H}, {"G", &e->G, &p->G}};
  const size_t count = sizeof parts / sizeof *parts;
  bool wanted = false, unique = true;
  *out = NULL;
  for (size_t k = 0; k < count; k++) wanted |= has_text(json_object_get(root, parts[k].key));
  if (!wanted || json_object_get(root, "normals")) return SS_OK;
  for (size_t k = 0; k < count; k++) {
    const json_t *value = json_object_get(root, parts[k].key);
    if (!value) continue;
    if (parts[k].A)
      SS_TRY(matrix(in, value, parts[k].A, parts[k].texts, &unique));
    else
      SS_TRY(vector(in, value, parts[k].texts));
  }
  if (unique) *out = e;
  return SS_OK;
}
