// dynamics/collide/narrow_clip.h - contact points between a face of one solid and a polygon of the other.
#pragma once

#include "dynamics/collide/narrow.h"

typedef struct ssi_polygon {
  int count;  // 1: a point, 2: a segment, more: counterclockwise from outside
  double x[SSI_POLYGON_MAX][3];
  int corner[SSI_POLYGON_MAX], edge[SSI_POLYGON_MAX];  // numbers; edge k leads to corner k + 1
  int face;
  double normal[3];  // of faces
} ssi_polygon;

int ssi_face_count(const ss_shape *s);
void ssi_face_normal(const ssi_solid *s, int face, double n[3]);

// `down` points out of the solid towards the other one: a cylinder's end also gets its rim's lowest
// point.
void ssi_face_polygon(const ssi_solid *s, int face, const double down[3], ssi_polygon *out);

// The polygon of s that looks most along `down`: a face at its lowest corner, an edge, a point.
void ssi_lowest_polygon(const ssi_solid *s, const double down[3], ssi_polygon *out);

// Adds the points of polygon `low` over the face `ref` (of a, or of b) with gap < limit. Returns
// the least gap between the cores over the common part, INFINITY if there is none.
double ssi_clip(const ssi_solid *a, const ssi_solid *b, bool ref_is_a, const ssi_polygon *ref,
                const ssi_polygon *low, double blur, double limit, ssi_manifold *out);

// The segment of s that is lowest along `down` as a whole (to a slope of 1e-3); false: there is
// none.
bool ssi_lowest_segment(const ssi_solid *s, const double down[3], double p[2][3]);
