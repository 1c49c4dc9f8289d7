// events/butcher.h - coefficients of the explicit Runge-Kutta pair of order 8(7) that smooth motion is integrated by.
#pragma once

enum { SSI_STAGES = 13 };

typedef struct ssi_butcher {
  double c[SSI_STAGES];
  double a[SSI_STAGES][SSI_STAGES];
  double b[SSI_STAGES], estimate[SSI_STAGES];  // orders 8 and 7
} ssi_butcher;

extern const ssi_butcher ssi_butcher_87;
