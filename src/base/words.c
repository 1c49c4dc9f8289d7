#define _POSIX_C_SOURCE 200809L
#include "base/words.h"

#include <limits.h>
#include <string.h>

enum { LONGEST = 63 };  // longer words count by their beginning

static int smaller(int a, int b) {
  return a < b ? a : b;
}

// Edits between two words: insert, delete, replace, swap neighbours.
static int distance(const char *a, const char *b) {
  int n = (int)strnlen(a, LONGEST), m = (int)strnlen(b, LONGEST), d[LONGEST + 1][LONGEST + 1];
  for (int i = 0; i <= n; i++) d[i][0] = i;
  for (int j = 0; j <= m; j++) d[0][j] = j;
  for (int i = 1; i <= n; i++)
    for (int j = 1; j <= m; j++) {
      int replaced = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
      d[i][j] = smaller(replaced, 1 + smaller(d[i - 1][j], d[i][j - 1]));
      bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) d[i][j] = smaller(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[n][m];
}

// Longer or shorter by whole letters at the end, as tolerance for tol, is nearer than any slip.
static int nearness(const char *text, const char *name) {
  size_t n = strlen(text), m = strlen(name), shared = n < m ? n : m;
  return shared >= 2 && strncmp(text, name, shared) == 0 ? 0 : 1 + distance(text, name);
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
