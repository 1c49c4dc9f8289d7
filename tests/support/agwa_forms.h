// support/agwa_forms.h - which solutions Klarbring's and Alart's models have: the closed forms of the oracles, section B.
#pragma once

#include <math.h>

// A set of solutions as bits: state of the first contact, 4 times that of the second.
enum { F, D, P, M };  // free, stick, slip+, slip-; as ss_cell_state
#define ONE(a)    (1u << (a))
#define TWO(a, b) (1u << (4 * (b) + (a)))

// tan(theta) = 3/4
static const double s = 0.6, c = 0.8, t = 0.75;

static inline unsigned klarbring(double mu, double f_n, double f_t) {
  unsigned set = 0;
  if (f_n > 0 && fabs(f_t) < mu * f_n) set |= ONE(D);
  if ((f_t - mu * f_n) / (s - mu * c) > 0 && (c * f_t - s * f_n) / (s - mu * c) < 0) set |= ONE(P);
  if (f_t < -mu * f_n && f_t < t * f_n) set |= ONE(M);
  if (f_t > t * f_n) set |= ONE(F);
  return set;
}

// Load (1, T) and (1, -T): the ten regions of Fig. 13 (a), Table 7 corrected.
static inline unsigned alart_down(double mu, double T) {
  double M1 = t + 1 / (s * c), M2 = t + 2 / (s * c), L = (s * c - 2 * mu) / (s * s);
  unsigned A = TWO(P, M), B = TWO(D, D), C = TWO(M, P), ff = TWO(F, F);
  unsigned d_slip = TWO(D, P) | TWO(M, D), d_free = TWO(D, F) | TWO(F, D);
  unsigned f_slip = TWO(F, P) | TWO(M, F);
  if (T > mu) return A;
  if (T > -mu && T > -M1) return B;
  if (mu < t && T > -M2) return C;
  if (T < -M2 && (mu < 1.5 * t || T < L)) return ff;                             // D
  if (mu < M1 && T > -M1 && T < -mu) return d_slip | C;                          // E
  if (mu < 1.5 * t && T > -M2 && T < L) return f_slip | C;                       // F
  if (T > fmax(L, -M2) && T < fmin(-mu, -M1)) return d_free | C;                 // G
  if (mu > 1.5 * t && T > L && T < fmin(-mu, -M2)) return f_slip | d_free | ff;  // H
  if (mu > M1 && T > fmax(-mu, -M2) && T < -M1) return d_slip | d_free | B;      // I
  return f_slip | d_slip | C | d_free | ff | B;                                  // J
}

static inline unsigned alart_up(double T) {
  return T > -(t + 2 / (s * c)) ? TWO(F, F) : TWO(P, M);
}
