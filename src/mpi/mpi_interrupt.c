#define _POSIX_C_SOURCE 200809L
#include "mpi/mpi_interrupt.h"

#include <signal.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted;

static void on_signal(int number) {
  (void)number;
  if (interrupted) _exit(4);
  interrupted = 1;
}

void mpi_interrupt_begin(void) {
  struct sigaction a = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
  sigemptyset(&a.sa_mask);
  sigaction(SIGINT, &a, NULL);
  sigaction(SIGTERM, &a, NULL);
}

bool mpi_interrupted(void) {
  return interrupted != 0;
}
