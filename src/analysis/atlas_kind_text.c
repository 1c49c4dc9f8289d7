// Kinds as texts, for files: the bytes of atlas_kinds.c, two letters each. What is read may be anything.
#include <string.h>

#include "analysis/atlas.h"

static const char DIGITS[] = "0123456789abcdef";

char *ssi_kind_text(ssi_arena *arena, const unsigned char *bytes, size_t length) {
  char *text = SSI_TAKE(arena, 2 * length + 1, char);
  for (size_t k = 0; text && k < length; k++) {
    text[2 * k] = DIGITS[bytes[k] >> 4];
    text[2 * k + 1] = DIGITS[bytes[k] & 15];
  }
  return text;
}

static int value_of(char digit) {
  const char *at = digit ? strchr(DIGITS, digit) : NULL;
  return at ? (int)(at - DIGITS) : -1;
}

static bool decode(const char *text, unsigned char *out, size_t length) {
  for (size_t k = 0; k < length; k++) {
    int high = value_of(text[2 * k]), low = value_of(text[2 * k + 1]);
    if (high < 0 || low < 0) return false;
    out[k] = (unsigned char)(high << 4 | low);
  }
  return true;
}

int ssi_kinds_find_text(ssi_kinds_view *v, const char *text, bool *wrong) {
  size_t length = strlen(text) / 2;
  unsigned char *bytes = ssi_alloc(v->ctx, length + 1, 1);
  if (!bytes) return -1;
  *wrong = strlen(text) % 2 || !decode(text, bytes, length) || !ssi_kind_is_whole(bytes, length);
  int kind = *wrong ? -1 : ssi_kinds_find_bytes(v, bytes, length);
  ssi_release(v->ctx, bytes);
  return kind;
}
