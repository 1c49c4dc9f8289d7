// models/model.h - what a model provides: a table of parameters and a function that writes M, f, H, w.
// Adding a model is one `const ssi_model` and one word in models.c.
#pragma once

#include "base/arena.h"
#include "models/parameter_table.h"

// A problem being written: dense, as the models are small; zeros are dropped in the end. Numbers of
// contact i: rows dim*i (normal), dim*i + 1, ... of H and w.
typedef struct ssi_draft {
  ss_context *ctx;
  const struct ssi_model *model;
  const ssi_number *value;  // per parameter; a default where not given     (parameter_count)
  const bool *given;        //                                              (parameter_count)
  ssi_arena arena;
  int dim, nc, ndof;
  ssi_number *mu;  // (nc)
  ssi_number *M;   // row-major                     (ndof ndof)
  ssi_number *H;   // row-major                     (dim nc ndof)
  ssi_number *f;   // (ndof)
  ssi_number *w;   // (dim nc)
} ssi_draft;

typedef struct ssi_model {
  const char *name, *summary, *equation;
  const ss_model_parameter *parameters;
  int parameter_count;
  const char *word;  // the parameter that is a word, and what it may be: its value is a place
  const char *const *words;  // in this list, NULL after the last
  ss_error (*build)(ssi_draft *d);
} ssi_model;

// The parameters of a model, set and defaults, to ask by ssi_get. What draft points to is inside, so it must not be moved.
enum { SSI_PARAMETERS_MAX = 40 };
typedef struct ssi_model_reading {
  ssi_number value[SSI_PARAMETERS_MAX];
  bool given[SSI_PARAMETERS_MAX];
  ssi_draft draft;
} ssi_model_reading;
ss_error ssi_model_read(ss_context *ctx, const char *model, const ss_model_setting *settings,
                        int count, ssi_model_reading *out);

// Takes the arrays, all zero.
ss_error ssi_draft_begin(ssi_draft *d, int dim, int nc, int ndof);
ss_error ssi_draft_finish(ssi_draft *d, ss_problem **out, const ss_exact **exact);

static inline ssi_number *ssi_M(const ssi_draft *d, int i, int j) {
  return d->M + (size_t)i * (size_t)d->ndof + (size_t)j;
}
static inline ssi_number *ssi_H(const ssi_draft *d, int row, int j) {
  return d->H + (size_t)row * (size_t)d->ndof + (size_t)j;
}

// ---- parameters -----------------------------------------------------------------------------

ssi_number ssi_get(const ssi_draft *d, const char *name);  // the name must be in the table
bool ssi_given(const ssi_draft *d, const char *name);

// Sine and cosine of the angle given as tan_NAME, NAME (radians) or NAME_deg, at most one of them.
ss_error ssi_get_angle(const ssi_draft *d, const char *name, ssi_number *sine, ssi_number *cosine);

#define SSI_MU(initial)                                                                            \
  { "mu", initial, SSI_NOT_LESS, "friction coefficient" }

// Rows of an angle between 0 and 90 degrees.
#define SSI_ANGLE(name, initial, what)                                                             \
  {"tan_" name, initial, SSI_POSITIVE, "tangent of " what}, {name,                                 \
                                                             NULL,                                 \
                                                             2.2250738585072014e-308,              \
                                                             1.5707963267948966,                   \
                                                             false,                                \
                                                             "the same angle, in radians"},        \
  {                                                                                                \
    name "_deg", NULL, 2.2250738585072014e-308, 89.999999999999986, false,                         \
        "the same angle, in degrees"                                                               \
  }

// Rows of a load at one particle of [Agw20], f_n pressing towards the obstacle.
#define SSI_LOAD(normal, tangent)                                                                  \
  {"f_n", normal, SSI_ANY, "load towards the obstacle"},                                           \
      {"f_t", tangent, SSI_ANY, "load along it"},                                                  \
      {"tan_alpha", NULL, SSI_ANY, "f_t / f_n instead of f_t"},                                    \
      {"alpha", NULL, SSI_ANY, "angle of the load from the normal, in radians, with f"},           \
      {"alpha_deg", NULL, SSI_ANY, "the same, in degrees"}, {                                      \
    "f", NULL, SSI_NOT_LESS, "length of the load, with alpha (then 1 by default)"                  \
  }
ss_error ssi_get_load(const ssi_draft *d, ssi_number *normal, ssi_number *tangent);

// ---- shared pieces --------------------------------------------------------------------------

// The row of contact component `row` for a body with dofs at..: velocity along `axis` of its point p,
// v + omega x p. 2D: dofs (v_x, v_y, omega), 3D: (v, omega). Scaled by `sign`.
void ssi_put_point2(ssi_draft *d, int row, int at, const ssi_number axis[2], const ssi_number p[2]);
void ssi_put_point3(ssi_draft *d, int row, int at, const ssi_number axis[3], const ssi_number p[3]);
