// models/parameter_table.h - settings against the table of parameters of what has one, a model or a mechanism.
#pragma once

#include "models/number.h"
#include "stickslip/models.h"

typedef struct ssi_parameter_table {
  const char *owner;  // its name, for messages
  const ss_model_parameter *rows;
  int count;
} ssi_parameter_table;

#define SSI_PARAMETERS(table)                                                                      \
  .parameters = table, .parameter_count = (int)(sizeof(table) / sizeof *(table))

// Low, high and whole of a row.
#define SSI_POSITIVE           2.2250738585072014e-308, INFINITY, false
#define SSI_NOT_LESS           0, INFINITY, false
#define SSI_ANY                -INFINITY, INFINITY, false
#define SSI_BETWEEN(low, high) low, high, false
#define SSI_WHOLE_TO(most)     0, most, true

int ssi_parameter_find(const ssi_parameter_table *t, const char *name);  // its row; -1: none

// The row that a setting names; where there is none, the nearest is said.
ss_error ssi_parameter_named(ss_context *ctx, const ssi_parameter_table *t,
                             const ss_model_setting *s, int *row);

// Its number, text or value, in the range of the row.
ss_error ssi_parameter_number(ss_context *ctx, const ssi_parameter_table *t, int row,
                              const ss_model_setting *s, ssi_number *out);
