// support/good_arguments.h - one object of each type that the library makes, for calls of which one argument is NULL
// (tests/null_arguments.py writes them).
#pragma once

#include <stdbool.h>

#include "stickslip/stickslip.h"

extern void *good_ss_context, *good_ss_problem, *good_ss_scene, *good_ss_shape, *good_ss_simulation,
    *good_ss_run, *good_ss_run_writer, *good_ss_solver, *good_ss_certificate, *good_ss_detector,
    *good_ss_atlas_known, *good_ss_file, *good_ss_template, *good_ss_machine, *good_ss_mechanism,
    *good_ss_evolution, *good_ss_trajectory, *good_ss_mesh, *good_ss_elastic, *good_ss_structure,
    *good_ss_march, *good_ss_march_record, *good_ss_atlas, *good_ss_trace, *good_ss_instant,
    *good_ss_options, *good_ss_solution_set, *good_ss_derivative;

const char *good_text(void);  // the path of a file that is there, and is none of ours
void *good_room(void);        // zeros, enough for any struct

// In this process: threads of libraries that work in the call do not live on in another.
void try_here(const char *function);

// In a process of its own: a crash, or success where failure is due, is counted and printed.
#define TRY(function, argument, must_fail, call)                                                   \
  do {                                                                                             \
    if (try_begin()) try_leave(must_fail, call);                                                   \
    try_end(function, argument);                                                                   \
  } while (0)
bool try_begin(void);  // true in the child
void try_leave(bool must_fail, int error);
void try_end(const char *function, const char *argument);

void try_all(void);  // null_arguments.c
