// cli/interrupt.h - SIGINT, SIGTERM and SIGHUP: exit status 4 within half a second, with a word.
#pragma once

#include <stdbool.h>

// From here on such a signal ends the process. `command`: what --json calls the run; NULL: no JSON.
void cli_interrupt_begin(const char *command);

// While polled, the first signal only makes cli_interrupted true; a second one ends the process, and so do
// three tenths of a second without an end.
void cli_interrupt_poll(bool polled);
bool cli_interrupted(void);
int cli_stop(void *user);  // the same, for the library to ask

// Results are being printed: an object about the interruption must not follow them.
void cli_interrupt_printing(void);

// What there is to go on with should the process end in the handler, for people.
void cli_interrupt_leaves(const char *text);
