// io/json_exact.h - the numbers of a JSON problem as they were written, for commands that work
// exactly.
#pragma once

#include "io/json_value.h"
#include "stickslip/enumerate.h"

// *out = NULL where no number is written as a fraction or in a string, where "normals" turn the
// numbers into others, or where duplicate entries were summed. Else the texts in the order of the
// arrays of p, which was read from `root`; NULL for a number that its double holds exactly. Other
// JSON numbers count as the decimals that they are (0.1 is 1/10).
ss_error ssi_json_exact(const ssi_json *in, const json_t *root, const ss_problem *p,
                        const ss_exact **out);
