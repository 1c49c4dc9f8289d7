// base/aliases.h - what others call it.
#pragma once

#include <stdbool.h>

bool ssi_is_alias(const char *text, const char *name);  // whether `text` is another word for `name`
