// cli/printed.h - text on a terminal. Names of files and what files say come from outside and may hold bytes that a
// terminal obeys: everything that is printed and may hold such text goes through here.
#pragma once

#include <stdarg.h>
#include <stdio.h>

#include "stickslip/stickslip.h"

// As fprintf, one line or a piece of one: whatever is no printable character, line ends too, becomes '?', but for the
// line end that `format` itself ends with.
void cli_print(FILE *to, const char *format, ...) SS_PRINTF(2, 3);
void cli_print_list(FILE *to, const char *format, va_list list);

// One aligned line of a summary: label, then text.
void cli_line(FILE *to, const char *label, const char *format, ...) SS_PRINTF(3, 4);
