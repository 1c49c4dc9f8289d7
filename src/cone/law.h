// cone/law.h - the one number that what is solved and what is verified have in common.
#pragma once

// |F| is at most 2 + mu times the distance from Coulomb's law; from this mu on it counts no more than (2 + 98) times that
// distance, so that a velocity counts a hundred times at most: docs/theory.md (6').
static const double SSI_LAW_MU = 98;
static const double SSI_LAW_ROUNDING = 1e-15;  // of |u|: a u_N < 0 that is none
