// draw_curves TITLE Y_NAME FILE.svg < table.csv - curves from comma-separated values: the first column is the axis, increasing,
// the others are curves named by the first line; an empty field is a gap. For the figures of bench/published.py.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <stickslip/stickslip.h>

enum { COLUMNS = 20, ROWS = 100000 };

typedef struct table {
  char names[4000];
  const char *name[COLUMNS];
  double *x[COLUMNS];
  int columns, rows;
} table;

static int die(const char *what) {
  fprintf(stderr, "draw_curves: %s\n", what);
  return 1;
}

static bool read_table(table *t) {
  char line[4000], *at;
  if (!fgets(t->names, sizeof t->names, stdin)) return false;
  t->names[strcspn(t->names, "\n")] = '\0';
  for (at = t->names; at && t->columns < COLUMNS; t->columns++) {
    t->name[t->columns] = at;
    if ((at = strchr(at, ','))) *at++ = '\0';
    if (!(t->x[t->columns] = malloc(sizeof(double) * ROWS))) return false;
  }
  while (fgets(line, sizeof line, stdin) && t->rows < ROWS) {
    at = line;
    for (int k = 0; k < t->columns; k++) {
      char *end = at ? at + strcspn(at, ",\n") : NULL;
      t->x[k][t->rows] = at && end > at ? atof(at) : NAN;
      at = end && *end == ',' ? end + 1 : NULL;
    }
    t->rows++;
  }
  return t->columns > 1 && t->rows > 1;
}

int main(int argc, char **argv) {
  static table t;
  ss_curve curves[COLUMNS];
  ss_context ctx = {0};
  char *text = NULL;
  if (argc != 4) return die("usage: draw_curves TITLE Y_NAME FILE.svg < table.csv"), 2;
  if (!read_table(&t)) return die("expected a line of names and two rows of numbers");
  for (int k = 1; k < t.columns; k++) curves[k - 1] = (ss_curve){t.name[k], t.x[k]};
  ss_curves c = {.title = argv[1],
                 .x_name = t.name[0],
                 .y_name = argv[2],
                 .count = t.rows,
                 .x = t.x[0],
                 .curves = curves,
                 .curve_count = t.columns - 1};
  ss_error e = ss_curves_svg(&ctx, &c, &text);
  if (!e) e = ss_text_write(&ctx, argv[3], text);
  ss_text_destroy(&ctx, text);
  for (int k = 0; k < t.columns; k++) free(t.x[k]);
  return e ? die(ss_error_detail(&ctx, e)) : 0;
}
