// base/decimal.h - decimal numbers from text, with a point in any locale.
#pragma once

// digits [. digits] [e [+-] digits] at the beginning of text, without a sign: where it ends, or NULL if
// there is none or it has more than 300 characters. *out is rounded correctly, infinite if too large.
const char *ssi_decimal(const char *text, double *out);
