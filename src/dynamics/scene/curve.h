// dynamics/scene/curve.h - characteristics of force elements: a force against an elongation or against its rate.
//
//   F(x) = slope x,   or linear between the rows (x, F) of a table and constant beyond them
#pragma once

typedef struct ssi_curve {
  double slope;
  int rows;             // 0: slope x
  const double *table;  // x increasing
} ssi_curve;

double ssi_curve_at(const ssi_curve *c, double x, double *slope);  // slope: from x on
// (1/(x1 - x0)) times the integral of F from x0 to x1, and its derivative by x1. F(x0) and F'(x0)/2 for x1 = x0.
double ssi_curve_mean(const ssi_curve *c, double x0, double x1, double *slope);
double ssi_curve_integral(const ssi_curve *c, double x);  // from 0
double ssi_curve_steepest(const ssi_curve *c);            // the largest slope, >= 0
