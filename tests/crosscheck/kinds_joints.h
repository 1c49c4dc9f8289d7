// crosscheck/kinds_joints.h - problems with bilateral rows G^T v + b = 0, in the global form.
#pragma once

#include "draft.h"

void make_joints(uint64_t *g, sample *s);
void make_joints_redundant(uint64_t *g, sample *s);
void make_joints_rounded(uint64_t *g, sample *s);
void make_joints_locked(uint64_t *g, sample *s);
