// crosscheck/kinds_small.h - problems with numbers of 1e-15 .. 1e-9 beside ordinary ones, and with
// parts at rest.
#pragma once

#include "draft.h"

void make_offsets(uint64_t *g, sample *s);
void make_small_motions(uint64_t *g, sample *s);
void make_small_local(uint64_t *g, sample *s);
void make_rest_parts(uint64_t *g, sample *s);
