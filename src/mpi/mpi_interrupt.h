// mpi/mpi_interrupt.h - Ctrl-C: mpirun hands the signal to every rank; they agree to stop at the next sweep.
#pragma once

#include <stdbool.h>

void mpi_interrupt_begin(void);
bool mpi_interrupted(void);  // this rank; the second signal ends it where it is
