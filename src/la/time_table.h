// la/time_table.h - functions of time given by tables.
#pragma once

// A table of rows of `width` numbers, time first: linear between rows, constant beyond them.
int ssi_table_row(const double *table, int rows, int width,
                  double t);  // last one up to t, 0 .. rows - 2
void ssi_table_at(const double *table, int rows, int width, double t, double *out);  // (width - 1)
