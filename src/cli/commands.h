// cli/commands.h - the commands, one file each: cmd_<name>.c.
#pragma once

#include "cli/args.h"

extern const cli_command cmd_solve, cmd_check, cmd_derive, cmd_certify;
extern const cli_command cmd_enumerate, cmd_critical, cmd_atlas, cmd_trace;
extern const cli_command cmd_model, cmd_simulate, cmd_sweep, cmd_status;
extern const cli_command cmd_info, cmd_convert, cmd_import, cmd_bench, cmd_report, cmd_serve,
    cmd_help;

extern const cli_command *const cli_commands[];  // in main.c; NULL-terminated
