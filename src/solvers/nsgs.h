// solvers/nsgs.h - the options of `nsgs`, for methods that sweep (solvers/instance.h). nsgs.c says what they do.
#pragma once

#include "solvers/method.h"

typedef enum ssi_sweep_order {
  SSI_ORDER_AUTO,
  SSI_ORDER_NATURAL,
  SSI_ORDER_SYMMETRIC,
  SSI_ORDER_SHUFFLED,
  SSI_ORDER_RANDOM,
  SSI_ORDER_COLOURED,
  SSI_ORDER_DOMAINS,
  SSI_ORDERS
} ssi_sweep_order;

typedef struct ssi_nsgs_options {
  double omega;      // relaxation
  double order;      // ssi_sweep_order
  double operator_;  // blocks of W or bodies
  double memory;     // of Anderson acceleration, sweeps
  double momentum;
  double domain;  // contacts in a domain
} ssi_nsgs_options;

extern const ssi_method ssi_method_nsgs;
