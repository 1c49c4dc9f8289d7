// io/expression.h - arithmetic in named values, for templates.
//
//   sum     = product { ('+' | '-') product }
//   product = sign { ('*' | '/') sign }
//   sign    = '-' sign | '+' sign | power
//   power   = atom [ '^' sign ]                       -x^2 is -(x^2), 2^-1 is allowed
//   atom    = number | name | function '(' sum ')' | '(' sum ')'
#pragma once

#include "stickslip/base.h"

typedef struct ssi_name_value {
  const char *name;
  double value;
} ssi_name_value;

// The whole text. SS_ERR_FORMAT with "WHERE: 'TEXT': what is wrong" otherwise, or where the value is not
// finite.
ss_error ssi_expression(ss_context *ctx, const char *where, const char *text,
                        const ssi_name_value *names, int count, double *out);
