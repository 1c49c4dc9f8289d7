// la/contact_frame.h - the axes of a contact, from its unit normal e: the orthonormal rows of Q,
//
//   2D:  e, t = (e_y, -e_x)
//   3D:  e, t1, t2:  a = the coordinate axis least aligned with e (the first of equals),
//        t1 = (a - (a.e) e) / |a - (a.e) e|,  t2 = e x t1                                    (1)
#pragma once

void ssi_frame(int dim, const double *e, double *Q);  // (dim x dim), row by row
