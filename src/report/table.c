// report/table.c - see table.h.
#include "report/table.h"

#include "base/decimal.h"

void ssi_table_number(ssi_svg *s, double x) {
  char text[32];
  ssi_svg_raw(s, ssi_shortest(x, text));
}

void ssi_table_name(ssi_svg *s, const char *name, const char *ending) {
  bool plain = true;
  for (const char *c = name; *c; c++) plain = plain && *c != ',' && *c != '"' && *c != '\n';
  if (!plain) ssi_svg_raw(s, "\"");
  for (const char *c = name; *c; c++) {
    const char one[2] = {*c, '\0'};
    ssi_svg_raw(s, *c == '"' ? "\"\"" : one);
  }
  ssi_svg_raw(s, ending);
  ssi_svg_raw(s, plain ? "," : "\",");
}
