// report/table.h - tables as comma-separated values, in text that grows (report/svg.h).
#pragma once

#include "report/svg.h"

void ssi_table_number(ssi_svg *s, double x);  // the shortest decimal that is this double
// A name with an ending, in quotes where it holds a comma or a quote, and a comma.
void ssi_table_name(ssi_svg *s, const char *name, const char *ending);
