// stickslip/report.h - results made visible: performance profiles, as numbers and as pictures.
#pragma once

#include "stickslip/atlas.h"
#include "stickslip/base.h"
#include "stickslip/elastic.h"
#include "stickslip/models.h"
#include "stickslip/run.h"
#include "stickslip/trace.h"
#include "stickslip/trajectory.h"

#ifdef __cplusplus
extern "C" {
#endif

// Performance profiles [DM02]: with t_sp the cost of solver s on problem p (time, for instance),
//
//   r_sp = t_sp / min_s t_sp,        rho_s(tau) = |{ p : r_sp <= tau }| / problems
//
// rho_s(1) is how often s is the best, rho_s at large tau how often it solves at all. Problems that
// nobody solved count among `problems`.
//
// [DM02] E. D. Dolan, J. J. More, Benchmarking optimization software with performance profiles,
//        Mathematical Programming 91 (2002) 201-213.
typedef struct ss_profile_panel {
  const char *title;   // "tolerance 1e-08"; NULL: none
  int problems;        // > 0
  const double *cost;  // > 0; infinite or NAN: not solved    (solver_count x problems)
} ss_profile_panel;

// Everything is borrowed. Texts are UTF-8; what is not becomes '?'.
typedef struct ss_profile {
  const char *title, *subtitle;    // NULL: none
  const char *cost_name;           // for the axis: "time"
  const char *const *solvers;      // (solver_count)
  int solver_count;                // > 0
  const ss_profile_panel *panels;  // drawn side by side, over one common axis of tau
  int panel_count;                 // > 0
} ss_profile;

typedef struct ss_profile_score {
  int solved;    // problems
  int fastest;   // problems on which nobody is cheaper; solvers that are equal both count
  double ratio;  // geometric mean of r_sp over the problems that s solved; NAN if none
} ss_profile_score;

SS_API ss_error ss_profile_score_solver(ss_context *ctx, const ss_profile *p, int panel, int solver,
                                        ss_profile_score *out);
SS_API ss_error ss_profile_fraction(ss_context *ctx, const ss_profile *p, int panel, int solver,
                                    double tau, double *out);  // rho_s(tau)

// One self-contained SVG picture with a panel per set of results: rho_s over log tau, every curve
// labelled. Same input, same bytes, in any locale. Release *out with ss_text_destroy.
SS_API ss_error ss_profile_svg(ss_context *ctx, const ss_profile *p, char **out);

// An atlas (atlas.h): the map with its regions coloured by the number of solutions and labelled, and a
// legend that draws the states of every solution; one row per cell. Names are those of parameters;
// mu, alpha, theta, ... are shown as Greek letters.
typedef struct ss_atlas_caption {
  const char *title, *subtitle;  // NULL: none
  const char *x_name, *y_name;
} ss_atlas_caption;
SS_API ss_error ss_atlas_svg(ss_context *ctx, const ss_atlas *a, const ss_atlas_caption *c,
                             char **out);
SS_API ss_error ss_atlas_csv(ss_context *ctx, const ss_atlas *a, const ss_atlas_caption *c,
                             char **out);

// A trajectory (trajectory.h): panels of one column over another, coloured by the modes of the contacts.
typedef struct ss_trajectory_caption {
  const char *title, *subtitle;  // NULL: none
  // "phase" (velocities over coordinates), "velocity", "forces", "share" (over time), or columns "Y:X,Y,...", a '-'
  // before one for its negative; X is the time where it is left out; lambda_nu and lambda_tau [Jack] are -r_N and r_T.
  const char *panels;  // NULL: phase
} ss_trajectory_caption;
SS_API ss_error ss_trajectory_svg(ss_context *ctx, const ss_trajectory *t,
                                  const ss_trajectory_caption *c, char **out);

// Plane elastic bodies (elastic.h) as they stand: elements displaced, so that the largest displacement is a
// twentieth of the picture, coloured by the pressure -(sigma_xx + sigma_yy)/2; contacts by their state, with
// their forces. SS_ERR_UNSUPPORTED in space and without bodies.
SS_API ss_error ss_deformation_svg(ss_context *ctx, const ss_elastic *bodies,
                                   const ss_march_view *view, const char *title, char **out);
// A trace (trace.h): one panel for each contact and component over the parameter, in the manner of [004, Figs 4, 5]: solid where the contact is
// free, dashed where it sticks, dash-dotted where it slips; an asterisk where a branch was begun, a ring where several meet; and a panel of the
// steps. One row per point.
typedef struct ss_trace_caption {
  const char *title, *subtitle;  // NULL: none
  const char *parameter;
  const int *contacts;  // to be shown; NULL: the first four
  int contact_count;
  unsigned components;  // bits 1: u_N, 2: u_T, 4: r_N, 8: r_T; 0: u_T
  bool steps;           // the panel of the steps
} ss_trace_caption;
SS_API ss_error ss_trace_svg(ss_context *ctx, const ss_trace *t, const ss_trace_caption *c,
                             char **out);
SS_API ss_error ss_trace_csv(ss_context *ctx, const ss_trace *t, const ss_trace_caption *c,
                             char **out);

// Curves over one axis. y that is not finite is left out; where some values are far above most, the picture ends below them.
typedef struct ss_curve {
  const char *label;
  const double *y;  // (count)
} ss_curve;
typedef struct ss_curves {
  const char *title, *subtitle;  // NULL: none
  const char *x_name, *y_name;
  int count;        // > 1
  const double *x;  // increasing   (count)
  const ss_curve *curves;
  int curve_count;  // > 0
  bool whole;       // all values are shown, however far above most of them
} ss_curves;
SS_API ss_error ss_curves_svg(ss_context *ctx, const ss_curves *c, char **out);
SS_API ss_error ss_curves_csv(ss_context *ctx, const ss_curves *c, char **out);

// A run (run.h), as one picture.
typedef enum ss_run_picture {
  SS_PICTURE_SCENE,     // the bodies at a time, with the contact forces as chains
  SS_PICTURE_FORCES,    // at a time: the share of the contacts that bear more than a force
  SS_PICTURE_ENERGY,    // over time, and so on
  SS_PICTURE_WORK,      // done since the start, term by term
  SS_PICTURE_CONTACTS,  // found, and with a force
  SS_PICTURE_OVERLAP,   // the largest
  SS_PICTURE_ERROR,     // its logarithm
  SS_PICTURE_ITERATIONS,
  SS_PICTURE_PHASE,  // of a mechanism: velocities over coordinates
  SS_PICTURE_TIME,   // that each step took, where the run has it (ss_run_options.clocked)
} ss_run_picture;
SS_API const char *ss_run_picture_name(ss_run_picture kind);  // "scene", ...; NULL past the last
// time: of the saved state that is nearest; NAN: the last; SS_ERR_ARGUMENT where it lies beyond that. title NULL: none.
SS_API ss_error ss_run_svg(ss_context *ctx, ss_run *run, ss_run_picture kind, double time,
                           const char *title, char **out);

// The same of a file that is a mechanism's trajectory (phase, forces, energy, work, contacts: their gaps, error: energy that
// its balance leaves open) or a run of elastic bodies (scene in the plane, forces, energy, work, contacts, error, iterations).
SS_API ss_error ss_table_svg(ss_context *ctx, const char *path, ss_run_picture kind, double time,
                             const char *title, char **out);

SS_API void ss_text_destroy(ss_context *ctx, char *text);  // NULL allowed

// Writes aside, then renames: a failed write leaves what was there before. "-": standard output.
SS_API ss_error ss_text_write(ss_context *ctx, const char *path, const char *text);

// A model (models.h) as a sketch: bodies, supports, contacts with their frames, loads, dimensions, with the given parameters.
// A figure of the papers that is no model (the law, the cones, ...) has a name of its own, and no parameters.
SS_API const char *ss_figure_name(int index);          // NULL past the last one
SS_API const char *ss_figure_title(const char *name);  // NULL: there is no such figure
SS_API ss_error ss_sketch_svg(ss_context *ctx, const char *name, const ss_model_setting *settings,
                              int count, char **out);

#ifdef __cplusplus
}
#endif
