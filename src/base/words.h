// base/words.h - the nearest of some words, for "did you mean".
#pragma once

#include "stickslip/base.h"

// ss_nearest_name in a list that ends with NULL.
const char *ssi_nearest_word(const char *text, const char *const *words);

// "the nearest known one is ...", or where none is near "known are ...".
void ssi_suggest(const char *text, const char *const *words, char *out, size_t size);
