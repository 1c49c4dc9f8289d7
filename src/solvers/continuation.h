// solvers/continuation.h - friction that grows to its value, as a part of `auto`: see continuation.c.
#pragma once

#include "solvers/method.h"

extern const ssi_method ssi_method_continuation;  // no options; not in the table of methods
