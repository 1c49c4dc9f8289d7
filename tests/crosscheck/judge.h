// crosscheck/judge.h - the exact truth about a small plane problem, by brute force over all states.
//
// The law of a contact is a union of four cones; the solutions with given states are a polyhedron
// in r,
//
//   free   r = 0, u_N >= 0                       slip+  u_N = 0, u_T >= 0, r = x (1, -mu), x >= 0
//   stick  u = 0, r = x (1, -mu) + y (1, mu)     slip-  u_N = 0, u_T <= 0, r = x (1,  mu), x >= 0
//
// and each of the 4^n is decided exactly: by interval arithmetic where that has a sign, else by
// fraction-free elimination in integers, which leaves a point, part of a line, or nothing; where
// more unknowns stay free, by a linear program in rationals. Polyhedra that meet (again decided
// exactly) are one component.
#pragma once

#include "rational.h"

enum { JUDGE_CONTACTS = EXACT_CONTACTS };

typedef struct judge_truth {
  bool exists;
  int components;  // connected components of the solution set
  int isolated;    // of these, single points
  bool semidefinite;
  double negative[2 * JUDGE_CONTACTS];  // not semidefinite: z with z.(W z) < 0, up to rounding

  // criterion (A): s* = min { w.r + b.l : H^T r + G l = 0, r in K, sum r_N = 1 }; local form: W^T r = 0 and q.r
  bool for_every_w;  // no such r: s* = inf
  int margin_sign;   // of s*; 1 where it is infinite
  double margin;     // -inf: the joints contradict each other
  bool a_prime;      // no lambda >= 0, l with H_N^T lambda + G l = 0, w_N.lambda + b.l < 0

  int patterns, by_interval, by_elimination, by_program;  // how they were decided
} judge_truth;

// With which of its methods; all give the same truth, which test_judge checks.
typedef enum judge_method { JUDGE_FAST, JUDGE_NO_INTERVALS, JUDGE_PROGRAMS } judge_method;

judge_truth judge(const exact_problem *p, judge_method method);

// How far r is from being a solution. Per contact: the distance of (u, r) from Coulomb's law in
// units of velocity (r times the largest entry of the contact's block of W), u = W r + q computed
// exactly; then the worst of all contacts in each of these measures.
// How far a contact, or the joints, are from the law.
typedef struct judge_miss {
  // over the largest |q|, |u| in the contact's part (contacts joined by W); q also without joints
  double relative;
  double of_load;  // over the largest |q| there: |u| may grow with r where there is no solution
  // over 2^-53 times the terms of q in this contact, |w| + |H| |M^-1 f|; in the local form |q|
  double roundings;
  double of_part;  // over 2^-53 times the largest such sum in the part
  // global form without joints, M diagonal: over 2^-51 t of docs/theory.md (8''), which is there
  // t = max |w| in the part + 3 |H| |M^-1 f|; else 0
  double of_data;
} judge_miss;

// Each by itself: what is little beside the motion of one part and what is rounding in another are both little. What is
// below two roundings of the answer's own r counts as none: no double is nearer.
typedef struct judge_defect {
  judge_miss worst;  // of each kind
  judge_miss each[JUDGE_CONTACTS + 1];
  int count;
} judge_defect;
judge_defect judge_answer(const exact_problem *p, const double *r);
judge_defect judge_answer_in_full(const exact_problem *p, const double *r);  // what is below them counts too
