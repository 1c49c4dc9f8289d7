// cli/manual.h - manual pages, from the tables that --help is printed from.
#pragma once

#include "cli/args.h"

// In man's language: of a command, stickslip-NAME(1); NULL: of the program with all its methods, stickslip(1).
void cli_print_manual(FILE *to, const cli_command *c);
