// STL, of 3D Systems: triangles without connection, as text ("solid ... facet normal ... vertex x y z") or as bytes: a
// head of 80, their number in 32 bits, then 50 bytes each (normal, three corners in 32-bit floats, two bytes),
// little-endian. Wavefront's OBJ: lines "v x y z" and "f a b c ...", a corner being index[/texture[/normal]], counted
// from 1, or back from the last one given.
#include "io/import/mesh_file.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "io/text.h"

enum { STL_HEAD = 84, STL_TRIANGLE = 50 };

static ss_error no_memory(ss_context *ctx, const char *name) {
  return ssi_fail(ctx, SS_ERR_MEMORY, "%s: no memory for this surface", name);
}

static uint32_t little32(const char *from) {
  const unsigned char *b = (const unsigned char *)from;
  return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static bool is_binary_stl(const ssi_source *in) {
  return in->size >= STL_HEAD &&
         in->size - STL_HEAD == (uint64_t)little32(in->bytes + 80) * STL_TRIANGLE;
}

bool ssi_is_stl(const ssi_source *in) {
  size_t at = ssi_after_blanks(in);
  return is_binary_stl(in) || (in->size - at > 6 && memcmp(in->bytes + at, "solid", 5) == 0);
}

static bool take_triangles(ssi_arena *arena, int count, ssi_triangles *out) {
  out->point_count = 3 * count;
  out->triangle_count = count;
  out->point = SSI_TAKE(arena, 9 * (size_t)count, double);
  out->corner = SSI_TAKE(arena, 3 * (size_t)count, int);
  for (int k = 0; !arena->failed && k < 3 * count; k++) out->corner[k] = k;
  return !arena->failed;
}

static ss_error read_binary(ss_context *ctx, const ssi_source *in, ssi_arena *arena,
                            ssi_triangles *out) {
  uint32_t count = little32(in->bytes + 80);
  if (count > INT_MAX / 9)
    return ssi_fail(ctx, SS_ERR_FORMAT, "%s: %u triangles, expected at most %d", in->name, count,
                    INT_MAX / 9);
  if (!take_triangles(arena, (int)count, out)) return no_memory(ctx, in->name);
  for (uint32_t t = 0; t < count; t++)
    for (int k = 0; k < 9; k++) {
      uint32_t bits = little32(in->bytes + STL_HEAD + (size_t)t * STL_TRIANGLE + 12 + 4 * k);
      float x;
      memcpy(&x, &bits, sizeof x);
      if (!isfinite(x))
        return ssi_fail(ctx, SS_ERR_FORMAT, "%s: a coordinate of triangle %u is not finite",
                        in->name, t);
      out->point[9 * (size_t)t + (size_t)k] = x;
    }
  return SS_OK;
}

static int count_words(const ssi_source *in, const char *word) {
  int count = 0;
  for (const char *at = in->bytes; (at = strstr(at, word)) && count < INT_MAX / 9;
       at += strlen(word))
    count++;
  return count;
}

static ss_error read_facet(ssi_text *t, double corners[9]) {
  double normal;
  SS_TRY(ssi_text_literal(t, "normal"));
  for (int k = 0; k < 3; k++) SS_TRY(ssi_text_number(t, "the normal of a facet", k, &normal));
  SS_TRY(ssi_text_literal(t, "outer"));
  SS_TRY(ssi_text_literal(t, "loop"));
  for (int c = 0; c < 3; c++) {
    SS_TRY(ssi_text_literal(t, "vertex"));
    for (int k = 0; k < 3; k++)
      SS_TRY(ssi_text_number(t, "the coordinates of a vertex", k, corners + 3 * c + k));
  }
  SS_TRY(ssi_text_literal(t, "endloop"));
  return ssi_text_literal(t, "endfacet");
}

static ss_error read_text(ss_context *ctx, const ssi_source *in, ssi_arena *arena,
                          ssi_triangles *out) {
  int room = count_words(in, "endfacet"), count = 0;
  if (!take_triangles(arena, room, out)) return no_memory(ctx, in->name);
  ssi_text t;
  ssi_text_begin(&t, ctx, in);
  while (ssi_text_more(&t)) {
    SS_TRY(ssi_text_literal(&t, "solid"));
    ssi_text_skip_line(&t);  // its name, any words
    while (ssi_text_more(&t) && ssi_text_skip_if(&t, "facet")) {
      double corners[9];
      SS_TRY(read_facet(&t, corners));
      if (count == room) return ssi_text_unexpected(&t, "the end of the facets");
      memcpy(out->point + 9 * (size_t)count++, corners, sizeof corners);
    }
    SS_TRY(ssi_text_literal(&t, "endsolid"));
    ssi_text_skip_line(&t);
  }
  out->triangle_count = count;
  out->point_count = 3 * count;
  return SS_OK;
}

ss_error ssi_read_stl(ss_context *ctx, const ssi_source *in, ssi_arena *arena, ssi_triangles *out) {
  return is_binary_stl(in) ? read_binary(ctx, in, arena, out) : read_text(ctx, in, arena, out);
}

// ---- OBJ --------------------------------------------------------------------------------------

static bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

// Most points and triangles that a text can hold, by what the reader below takes for one: a point is a v by itself, a
// face of k corners is k - 2 triangles, and each corner stands behind a blank of any kind.
static ss_error take_obj(ss_context *ctx, const ssi_source *in, ssi_arena *arena,
                         ssi_triangles *out) {
  size_t points = 0, corners = 0;
  bool behind_blank = true;
  for (size_t k = 0; k + 1 < in->size; k++) {
    points += behind_blank && in->bytes[k] == 'v' && is_blank(in->bytes[k + 1]);
    behind_blank = isspace((unsigned char)in->bytes[k]);
    corners += behind_blank;
  }
  if (points > INT_MAX / 9 || corners > INT_MAX / 9)
    return ssi_fail(ctx, SS_ERR_FORMAT, "%s: %zu points, expected at most %d in a file", in->name,
                    points > corners ? points : corners, INT_MAX / 9);
  out->point = SSI_TAKE(arena, 3 * points + 1, double);
  out->corner = SSI_TAKE(arena, 3 * corners + 1, int);
  return arena->failed ? no_memory(ctx, in->name) : SS_OK;
}

static ss_error read_corner(ssi_text *t, int point_count, int *out) {
  int64_t index;
  t->stops = "/";
  SS_TRY(ssi_text_integer(t, "a corner of a face", -1, -point_count, point_count, &index));
  t->stops = "";
  if (t->at < t->end && *t->at == '/') ssi_text_skip_word(t);
  if (index == 0) return ssi_text_unexpected(t, "corners counted from 1");
  *out = (int)(index > 0 ? index - 1 : point_count + index);
  return SS_OK;
}

// Whether more stands in this line.
static bool more_in_line(ssi_text *t) {
  while (t->at < t->end && (is_blank(*t->at) || *t->at == '\r')) t->at++;
  return t->at < t->end && *t->at != '\n' && *t->at != '#';
}

static ss_error read_face(ssi_text *t, ssi_triangles *out) {
  int first = 0, before = 0, next = 0, count = 2;
  SS_TRY(read_corner(t, out->point_count, &first));
  SS_TRY(read_corner(t, out->point_count, &before));
  for (; more_in_line(t); count++, before = next) {
    SS_TRY(read_corner(t, out->point_count, &next));
    int *corner = out->corner + 3 * (size_t)out->triangle_count++;
    corner[0] = first, corner[1] = before, corner[2] = next;
  }
  return count < 3 ? ssi_text_unexpected(t, "a face of three corners or more") : SS_OK;
}

ss_error ssi_read_obj(ss_context *ctx, const ssi_source *in, ssi_arena *arena, ssi_triangles *out) {
  SS_TRY(take_obj(ctx, in, arena, out));
  ssi_text t;
  ssi_text_begin(&t, ctx, in);
  for (; ssi_text_more(&t); ssi_text_skip_line(&t)) {
    size_t left = (size_t)(t.end - t.at);
    bool blank = left > 1 && is_blank(t.at[1]);
    if (*t.at == 'v' && blank) {
      t.at++;
      for (int k = 0; k < 3; k++)
        SS_TRY(ssi_text_number(&t, "the coordinates of a vertex", k,
                               out->point + 3 * (size_t)out->point_count + k));
      out->point_count++;
    } else if (*t.at == 'f' && blank) {
      t.at++;
      SS_TRY(read_face(&t, out));
    } else if (left > 4 && (memcmp(t.at, "curv", 4) == 0 || memcmp(t.at, "surf", 4) == 0)) {
      return ssi_text_unexpected(&t, "faces: free-form curves and surfaces are not read");
    }
  }
  return SS_OK;
}

// ---- either -----------------------------------------------------------------------------------

ss_error ssi_triangles_read(ss_context *ctx, const ssi_source *in, const double scale[3],
                            ssi_arena *arena, ssi_triangles *out) {
  *out = (ssi_triangles){0};
  bool stl = ssi_is_stl(in);
  if (!stl && !ssi_ends_with(in->name, ".obj") && !ssi_ends_with(in->name, ".OBJ"))
    return ssi_fail(ctx, SS_ERR_FORMAT,
                    "%s: is no STL and does not end in .obj; expected one of these two", in->name);
  SS_TRY(stl ? ssi_read_stl(ctx, in, arena, out) : ssi_read_obj(ctx, in, arena, out));
  if (!out->triangle_count) return ssi_fail(ctx, SS_ERR_FORMAT, "%s: no triangles in it", in->name);
  for (int k = 0; k < 3 * out->point_count; k++) out->point[k] *= scale[k % 3];
  return SS_OK;
}
