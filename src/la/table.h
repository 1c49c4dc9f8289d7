// la/table.h - functions of time given by tables.
#pragma once

// A table of rows of `width` numbers, time first: linear between rows, constant beyond them.
void ssi_table_at(const double *table, int rows, int width, double t, double *out);  // (width - 1)
