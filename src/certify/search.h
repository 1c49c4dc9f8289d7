// certify/search.h - looking for the evidence that decides criterion (A): quick ways first, the interior
// point as the arbiter. What is found is judged elsewhere (certify/certificate_check.c).
#pragma once

#include "certify/hsd.h"

typedef struct ssi_finding {
  double
      low;  // largest sigma of (1) in certify/conic.h that was reached, at x, less what rounding of the
  // data may be worth; -INFINITY: none
  double *x;      // (n)
  double speed;   // largest |(A x + q)_i|
  bool rest;      // A x + q = 0
  bool infinite;  // A d is inside Q
  double *d;      // (n)
  double high;    // q.z, at z with e.z = 1 and A^T z nearly 0; INFINITY: none
  double *z;      // (m)
  double rests;   // sum of |A^T z|
  bool closed;    // low and high agree, or infinite
  const char *path;
  int iterations;
} ssi_finding;

typedef struct ssi_search {
  ss_context *ctx;
  const ssi_conic *c;
  ssi_normal *normal;
  ssi_hsd hsd;
  bool verdict_only;
  double tol;        // sigma within tol of 0 decides nothing
  double far;        // value of a jamming mode over what it rests on, to decide
  double work_left;  // flops that may be spent on the exact margin once the verdict is known
  int max_iter;
  int (*progress)(void *user, int iteration, double low, double high);
  void *user;
  double unit;
  double x_size;  // of f.x, while a ray is followed
  double end_s;   // of the time (ssi_time_end)
  bool cancelled;
  bool late;  // the time was up, or too short for the next factorisation
  ssi_finding f;
  double *y, *g, *t;  // scratch (m)
  double *step, *bn;  // scratch (n)
} ssi_search;

// Fills s->f. The arena holds the arrays.
ss_error ssi_search_run(ssi_arena *arena, ssi_search *s);
void ssi_search_release(ssi_search *s);

// ---- parts -----------------------------------------------------------------------------------

bool ssi_search_decided(const ssi_search *s);
bool ssi_search_late(ssi_search *s);  // asked before each factorisation

// Takes x (or d, or z) as evidence where it is better than what is there.
void ssi_search_offer_velocity(ssi_search *s, const double *x, const char *path);
bool ssi_search_offer_direction(ssi_search *s, const double *d, const char *path);
// z need not be normalised; equilibrium is restored first. true: taken.
bool ssi_search_offer_jamming(ssi_search *s, const double *z, const char *path);

bool ssi_search_quick(ssi_search *s);  // certify/quick.c: the ways before the interior point
bool ssi_search_ray(ssi_search *s);    // follows x as far as sigma grows
