#define _POSIX_C_SOURCE 200809L
#include "base/words.h"

#include <string.h>

enum { LONGEST = 63 };

int ssi_word_distance(const char *a, const char *b) {
  int n = (int)strnlen(a, LONGEST), m = (int)strnlen(b, LONGEST), row[LONGEST + 1];
  for (int j = 0; j <= m; j++) row[j] = j;
  for (int i = 1; i <= n; i++) {
    int diagonal = row[0];
    row[0] = i;
    for (int j = 1; j <= m; j++) {
      int above = row[j], change = diagonal + (a[i - 1] != b[j - 1]);
      int insert = row[j - 1] + 1, remove = above + 1;
      row[j] = change < insert ? change : insert;
      if (remove < row[j]) row[j] = remove;
      diagonal = above;
    }
  }
  return row[m];
}
