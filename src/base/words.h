// base/words.h - how far apart two words are, for "did you mean".
#pragma once

// Levenshtein distance; words longer than 63 characters count by their first 63.
int ssi_word_distance(const char *a, const char *b);
