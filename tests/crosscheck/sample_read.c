// crosscheck/sample_read.c - a problem from a JSON file; see sample.h.
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sample.h"

// "a", "a/b" with decimals a and b.
static bool decimal(const char *text, size_t length, mpq_ptr out) {
  char digits[64];
  size_t used = 0, places = 0;
  bool point = false;
  for (size_t k = 0; k < length && used + 1 < sizeof digits; k++) {
    if (text[k] == '.' && !point) {
      point = true;
    } else if ((text[k] >= '0' && text[k] <= '9') || (k == 0 && text[k] == '-')) {
      digits[used++] = text[k];
      places += point;
    } else {
      return false;
    }
  }
  digits[used] = '\0';
  if (!used || mpz_set_str(mpq_numref(out), digits, 10)) return false;
  mpz_ui_pow_ui(mpq_denref(out), 10, places);
  mpq_canonicalize(out);
  return true;
}

static bool fraction(const char *text, mpq_ptr out) {
  const char *slash = strchr(text, '/');
  mpq_t below;
  mpq_init(below);
  bool ok = decimal(text, slash ? (size_t)(slash - text) : strlen(text), out);
  if (slash) {
    ok = ok && decimal(slash + 1, strlen(slash + 1), below) && mpq_sgn(below);
    if (ok) mpq_div(out, out, below);
  }
  mpq_clear(below);
  return ok;
}

static bool number(const json_t *o, mpq_ptr meant, double *rounded, bool *intent) {
  if (json_is_string(o)) {
    *intent = true;
    if (!fraction(json_string_value(o), meant)) return false;
    *rounded = q_nearest(meant);
    return true;
  }
  *rounded = json_number_value(o);
  mpq_set_d(meant, *rounded);
  return json_is_number(o);
}

// rows x cols numbers; a vector has cols = 1.
static bool numbers(const json_t *o, const char *key, qmat *meant, double *rounded, int stride,
                    bool *intent) {
  const json_t *all = json_object_get(o, key);
  if ((int)json_array_size(all) != meant->rows) return false;
  for (int i = 0; i < meant->rows; i++) {
    const json_t *row = json_array_get(all, (size_t)i);
    if (stride > 1 && (int)json_array_size(row) != meant->cols) return false;
    for (int j = 0; j < meant->cols; j++) {
      const json_t *x = stride > 1 ? json_array_get(row, (size_t)j) : row;
      if (!number(x, qat(meant, i, j), &rounded[i * stride + j], intent)) return false;
    }
  }
  return true;
}

static bool read_form(const json_t *o, sample *s, exact_problem *p) {
  bool ok = numbers(o, "mu", &p->mu, s->mu, 1, &s->has_intent);
  if (!s->dofs)
    return ok && numbers(o, "W", &p->W, s->W[0], KIND_ROWS, &s->has_intent) &&
           numbers(o, "q", &p->q, s->q, 1, &s->has_intent);
  return ok && numbers(o, "M", &p->M, s->M[0], KIND_ROWS, &s->has_intent) &&
         numbers(o, "f", &p->f, s->f, 1, &s->has_intent) &&
         numbers(o, "H", &p->H, s->H[0], KIND_ROWS, &s->has_intent) &&
         numbers(o, "w", &p->w, s->w, 1, &s->has_intent) &&
         (!s->joints || (numbers(o, "G", &p->G, s->G[0], KIND_ROWS, &s->has_intent) &&
                         numbers(o, "b", &p->b, s->b, 1, &s->has_intent))) &&
         exact_reduce(p);
}

bool sample_read(const char *path, sample *s) {
  json_error_t error;
  json_t *o = json_load_file(path, JSON_DECODE_INT_AS_REAL, &error);
  memset(s, 0, sizeof *s);
  s->n = (int)json_array_size(json_object_get(o, "mu"));
  s->dofs = (int)json_array_size(json_object_get(o, "f"));
  s->joints = (int)json_array_size(json_object_get(o, "b"));
  bool ok = o && json_number_value(json_object_get(o, "dim")) == 2 && s->n <= JUDGE_CONTACTS &&
            s->dofs <= KIND_ROWS && s->joints <= EXACT_JOINTS && !json_object_get(o, "normals") &&
            !json_object_get(o, "V");
  if (ok) {
    s->intent = exact_new(s->n, s->dofs, s->joints);
    ok = read_form(o, s, &s->intent);
    if (!ok || !s->has_intent) exact_free(&s->intent);
  }
  json_decref(o);
  if (ok) sample_complete(s);
  if (!ok)
    fprintf(stderr,
            "%s: expected a JSON problem in the plane, at most %d contacts, %d dofs and %d joints, "
            "dense, joints in the global form only\n",
            path, JUDGE_CONTACTS, KIND_ROWS, EXACT_JOINTS);
  return ok;
}
