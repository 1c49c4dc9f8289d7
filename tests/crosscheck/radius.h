// crosscheck/radius.h - whether rounding of the data, to the extent that docs/theory.md states it, makes criterion (A) or (A') hold.
#pragma once

#include "sample.h"

// Some data within the radius of the given one, number by number, has a v with G^T v + b = 0 and H v + w in K*, and
// so a solution. The radius of x is 2^-51 of its unit, and 0 where x has no more than 26 bits beside it; the unit of
// a number in w and b is the largest of them in its part (contacts that act on each other; b: of all), of others
// the number itself. In the local form v is r, H is W and only q is varied.
bool criterion_within_radius(const sample *s);
// The same of each part by itself, of those that have no solution as they are.
bool parts_within_radius(const sample *s);
int sample_parts(const sample *s);  // global form: contacts that act on each other; local form: 1
// The same of (A'), u_N >= 0: where not even that can be, no data within the radius has a solution.
bool parting_within_radius(const sample *s);
