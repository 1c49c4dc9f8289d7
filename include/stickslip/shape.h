// stickslip/shape.h - the solids that rigid bodies are made of: their geometry, their volume, centre of
// mass and inertia, and the box that bounds them at a pose.
//
// One set of kinds serves 3D and, with dim = 2, the plane z = 0:
//
//   kind         3D                                        2D
//   SS_SPHERE    ball of a radius                          disk
//   SS_BOX       |x_k| <= half[k]                          rectangle (half[2] is not looked at)
//   SS_CAPSULE   points within `radius` of the segment     the same, the segment along x
//                from -half to +half along z
//   SS_CYLINDER  radius about z, |z| <= half               -
//   SS_HULL      convex hull of points                     convex polygon
//   SS_PLANE     half-space z <= 0, free side z > 0        half-plane y <= 0, free side y > 0
//   SS_DRUM      all but the inside of a cylinder about z  all but the inside of a circle
//                of a radius, flat ends at z = -+half
//                (half = 0: endless)
//   SS_COMPOUND  union of shapes at local poses: hoppers, walls with holes, concave bodies
//
// Planes and drums are boundless: they have no mass and may only belong to external (imposed) bodies,
// alone or as parts of a compound.
#pragma once

#include "stickslip/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// x_world = x + R(q) x_local. q = (w, x, y, z), unit. In 2D x[2] = 0 and q = (cos(a/2), 0, 0, sin(a/2)).
typedef struct ss_pose {
  double x[3], q[4];
} ss_pose;

SS_API ss_pose ss_pose_identity(void);
SS_API ss_pose ss_pose_planar(double x, double y, double angle);           // 2D
SS_API ss_pose ss_pose_times(const ss_pose *outer, const ss_pose *inner);  // inner first
SS_API ss_pose ss_pose_inverse(const ss_pose *p);
SS_API void ss_pose_apply(const ss_pose *p, const double local[3], double world[3]);
SS_API void ss_rotation(const double q[4], double R[9]);  // row-major; q of any length but zero

typedef enum ss_shape_kind {
  SS_SPHERE,
  SS_BOX,
  SS_CAPSULE,
  SS_CYLINDER,
  SS_HULL,
  SS_PLANE,
  SS_DRUM,
  SS_COMPOUND
} ss_shape_kind;

SS_API const char *ss_shape_kind_name(ss_shape_kind kind);  // "sphere", ...; NULL past the last

// Never changes once created, so any number of bodies and threads may share one.
typedef struct ss_shape ss_shape;

// All lengths positive and finite, else SS_ERR_ARGUMENT with the reason in ctx->message.
SS_API ss_error ss_shape_sphere(ss_context *ctx, int dim, double radius, ss_shape **out);
SS_API ss_error ss_shape_box(ss_context *ctx, int dim, const double half[3], ss_shape **out);
SS_API ss_error ss_shape_capsule(ss_context *ctx, int dim, double radius, double half,
                                 ss_shape **out);
SS_API ss_error ss_shape_cylinder(ss_context *ctx, double radius, double half, ss_shape **out);
SS_API ss_error ss_shape_plane(ss_context *ctx, int dim, ss_shape **out);
SS_API ss_error ss_shape_drum(ss_context *ctx, int dim, double radius, double half, ss_shape **out);

// Convex hull of `count` points (dim numbers each), as they stand: the origin stays where it is. Points
// inside are dropped; points within 1e-9 of the size of a face or edge count as on it. Refused when
// flatter than that, with more than SS_HULL_MAX corners, or with a face of more than 128.
enum { SS_HULL_MAX = 4096 };
SS_API ss_error ss_shape_hull(ss_context *ctx, int dim, int count, const double *points,
                              ss_shape **out);

// Union of `count` <= SS_PARTS_MAX parts, copied: the parts may be destroyed afterwards. A part that is
// a compound itself is taken apart. Mass properties add up: overlaps count twice.
enum { SS_PARTS_MAX = 65535 };
typedef struct ss_part {
  const ss_shape *shape;
  ss_pose pose;
} ss_part;
SS_API ss_error ss_shape_compound(ss_context *ctx, int count, const ss_part *parts, ss_shape **out);

// A funnel about z from radius `top` at z = height to radius `bottom` at z = 0 (inner faces), as a
// compound of `sides` >= 3 plates (trapezoid hulls) of the given thickness. For external bodies.
SS_API ss_error ss_shape_funnel(ss_context *ctx, double top, double bottom, double height,
                                double thickness, int sides, ss_shape **out);

SS_API void ss_shape_destroy(ss_shape *s);  // NULL allowed

// What it is made of, for writers and drawings.
SS_API ss_shape_kind ss_shape_kind_of(const ss_shape *s);
SS_API int ss_shape_dim(const ss_shape *s);
SS_API double ss_shape_radius(const ss_shape *s);  // sphere, capsule, cylinder, drum; else 0
SS_API const double *
ss_shape_half(const ss_shape *s);                   // box: 3; capsule, cylinder, drum: [0]; else 0
SS_API int ss_shape_part_count(const ss_shape *s);  // 1 unless compound
SS_API ss_part ss_shape_part(const ss_shape *s, int k);  // itself, unless compound
SS_API bool ss_shape_is_bounded(const ss_shape *s);      // false with a plane or a drum in it

// Corners and faces of a hull or box (counts 0 for other kinds): corner k at corners + 3 k; face f lists
// its corners counterclockwise from outside, face_corner[face_ptr[f] .. face_ptr[f + 1]). In 2D one
// face: the polygon.
typedef struct ss_corners {
  int corner_count, face_count;
  const double *corners;
  const int *face_ptr, *face_corner;
} ss_corners;
SS_API ss_corners ss_shape_corners(const ss_shape *s);

// At density 1 (2D: per area, thickness 1), in the shape's frame.
typedef struct ss_mass_properties {
  double volume;        // 2D: area
  double centre[3];     // of mass
  double inertia[9];    // about that centre, row-major; 2D: only [8] is not 0
  double principal[3];  // its eigenvalues; 2D: (0, 0, inertia[8])
  double axes[4];       // quaternion: inertia = R diag(principal) R^T; the identity wherever
                        // the tensor is diagonal already (to rounding)
} ss_mass_properties;

// SS_ERR_ARGUMENT for boundless shapes.
SS_API ss_error ss_shape_mass(ss_context *ctx, const ss_shape *s, ss_mass_properties *out);

// The same solid in its frame of principal axes at the centre of mass, which is what the equations of
// motion want: *frame (may be NULL) is the new frame seen from the old one, old = frame * new.
// Primitives are copied as they are.
SS_API ss_error ss_shape_centred(ss_context *ctx, const ss_shape *s, ss_shape **out,
                                 ss_pose *frame);

// Smallest box with axes parallel to the world's that holds the shape at a pose (infinite for boundless
// shapes), and the radius of the smallest ball about the shape's origin that does: with that radius
// r, a body of speed v and angular speed w moves no point faster than v + w r.
SS_API void ss_shape_bounds(const ss_shape *s, const ss_pose *pose, double low[3], double high[3]);
SS_API double ss_shape_extent(const ss_shape *s);

#ifdef __cplusplus
}
#endif
