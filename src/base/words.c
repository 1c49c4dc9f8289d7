#define _POSIX_C_SOURCE 200809L
#include "base/words.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/aliases.h"

enum { LONGEST = 63 };  // longer words count by their beginning

static int smaller(int a, int b) {
  return a < b ? a : b;
}

static bool same(char a, char b) {
  return tolower((unsigned char)a) == tolower((unsigned char)b);
}

// Edits between two words, whatever their case: insert, delete, replace, swap neighbours.
static int distance(const char *a, const char *b) {
  int n = (int)strnlen(a, LONGEST), m = (int)strnlen(b, LONGEST), d[LONGEST + 1][LONGEST + 1];
  for (int i = 0; i <= n; i++) d[i][0] = i;
  for (int j = 0; j <= m; j++) d[0][j] = j;
  for (int i = 1; i <= n; i++)
    for (int j = 1; j <= m; j++) {
      int replaced = d[i - 1][j - 1] + !same(a[i - 1], b[j - 1]);
      d[i][j] = smaller(replaced, 1 + smaller(d[i - 1][j], d[i][j - 1]));
      bool swapped = i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]);
      if (swapped) d[i][j] = smaller(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[n][m];
}

// Longer or shorter by whole letters at the end, as tolerance for tol, is nearer than any slip; another word for the
// same thing is nearer still.
static int nearness(const char *text, const char *name) {
  size_t n = strlen(text), m = strlen(name), shared = n < m ? n : m;
  if (ssi_is_alias(text, name)) return -1;
  return shared >= 2 && strncasecmp(text, name, shared) == 0 ? 0 : 1 + distance(text, name);
}

const char *ss_nearest_name(const char *text, const char *(*name)(const void *user, int i),
                            const void *user) {
  if (!text || !name) return "";
  const char *best = NULL, *each;
  int least = INT_MAX;
  for (int i = 0; (each = name(user, i)); i++) {
    int now = nearness(text, each);
    if (now < least) least = now, best = each;
  }
  return best;
}

static const char *word_at(const void *words, int i) {
  return ((const char *const *)words)[i];
}

const char *ssi_nearest_word(const char *text, const char *const *words) {
  return ss_nearest_name(text, word_at, words);
}

static bool is_near(const char *text, const char *name) {
  int most = 1 + (int)strlen(text) / 2;  // of its letters, more than that is another word
  return nearness(text, name) <= most;
}

void ssi_suggest(const char *text, const char *const *words, char *out, size_t size) {
  const char *nearest = ssi_nearest_word(text, words);
  if (nearest && is_near(text, nearest)) {
    snprintf(out, size, "the nearest known one is \"%s\"", nearest);
    return;
  }
  size_t used = (size_t)snprintf(out, size, "known are ");
  for (int k = 0; words[k] && used < size; k++)
    used += (size_t)snprintf(out + used, size - used, "%s%s", k ? ", " : "", words[k]);
}

void ss_suggest_name(const char *text, const char *prefix,
                     const char *(*name)(const void *user, int i), const void *user, char *out,
                     size_t size) {
  if (!out || !size) return;
  *out = '\0';
  if (!text || !name) return;
  if (!prefix) prefix = "";
  const char *nearest = ss_nearest_name(text, name, user), *each;
  if (nearest && is_near(text, nearest)) {
    snprintf(out, size, "the nearest is %s%s", prefix, nearest);
    return;
  }
  size_t used = (size_t)snprintf(out, size, nearest ? "there are " : "there is none");
  for (int k = 0; (each = name(user, k)) && used < size; k++)
    used += (size_t)snprintf(out + used, size - used, "%s%s%s", k ? ", " : "", prefix, each);
}
