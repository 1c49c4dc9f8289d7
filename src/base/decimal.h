// base/decimal.h - decimal numbers from text and to text, with a point in any locale.
#pragma once

// digits [. digits] [e [+-] digits] at the beginning of text, without a sign: where it ends, or NULL if
// there is none or it has more than 1200 characters. *out is rounded correctly, infinite if too large.
const char *ssi_decimal(const char *text, double *out);

// The shortest of 15 to 17 digits that gives these bits back. 15 are enough for a number a person typed,
// 17 for every double (IEEE 754, 5.12.2).
const char *ssi_shortest(double x, char out[32]);
