// io/text.h - reading numbers and words from text in memory. Nothing depends on the locale, nothing
// is accepted by half ("12abc" is no number), and every error names the file, the line, what was
// found and what was expected there.
#pragma once

#include "io/reader.h"

typedef struct ssi_text {
  ss_context *ctx;
  const char *name;
  const char *at, *end;
  int64_t line;       // of `at`, from 1
  const char *stops;  // what may follow a number besides white space; "" at first
} ssi_text;

void ssi_text_begin(ssi_text *t, ss_context *ctx, const ssi_source *in);

bool ssi_text_more(ssi_text *t);       // goes to the next word; false: there is none
void ssi_text_skip_word(ssi_text *t);  // to the next white space
void ssi_text_skip_line(ssi_text *t);  // to the beginning of the next line
bool ssi_text_skip_if(ssi_text *t, const char *literal);  // goes past it if it stands here

// `what` and, unless negative, `k` say in messages what was expected: ("q", 12) is "entry 12 of q".
ss_error ssi_text_integer(ssi_text *t, const char *what, int64_t k, int64_t low, int64_t high,
                          int64_t *out);
ss_error ssi_text_number(ssi_text *t, const char *what, int64_t k, double *out);  // finite
ss_error ssi_text_literal(ssi_text *t, const char *literal);

// An index counted from `base`, 0 or 1, in the file, given back counted from 0. Where it is out of
// range by one the message asks whether the file counts from the other base.
ss_error ssi_text_index(ssi_text *t, const char *what, int64_t k, int base, int count, int *out);

// Fails when `count` things of at least `bytes` characters each cannot fit into the rest of the
// text; to be asked before memory is taken for them.
ss_error ssi_text_room(const ssi_text *t, const char *what, int64_t count, int bytes);

// `count` finite numbers into memory of the arena.
ss_error ssi_text_vector(ssi_text *t, const char *what, int count, ssi_arena *arena, double **out);

// "name:LINE: found 'WORD', expected EXPECTED", or "... the file ends here, expected ...".
ss_error ssi_text_unexpected(ssi_text *t, const char *expected);
