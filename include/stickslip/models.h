// stickslip/models.h - the example problems of the papers, with their parameters.
//
//   ss_model_setting s[] = {{"tan_theta", "3/4", 0}, {"mu", NULL, 0.5}};
//   ss_problem *p;
//   if (ss_model_build(ctx, "painleve", s, 2, &p)) ...
//   ss_problem_destroy(p);
//
// docs/models.md has the equations of each.
#pragma once

#include "stickslip/enumerate.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ss_model_parameter {
  const char *name;
  const char
      *initial;      // default, as one would write it; NULL: another way to give a parameter above
  double low, high;  // accepted values; infinite: no bound
  bool whole;        // whole numbers only
  const char *meaning;
} ss_model_parameter;

typedef struct ss_model_setting {
  const char *name;
  const char *text;  // "3/5", "0.25", "-1e-3"; fractions and decimals are kept exact. NULL: value
  double value;
} ss_model_setting;

SS_API const char *ss_model_name(int index);              // NULL past the last one
SS_API const char *ss_model_summary(const char *model);   // NULL: there is no such model
SS_API const char *ss_model_equation(const char *model);  // M, f, H, w in one line or a few
SS_API const ss_model_parameter *ss_model_parameter_at(const char *model, int index);  // or NULL
// What a parameter that is a word may be, NULL after the last; NULL: it is a number.
SS_API const char *const *ss_model_words(const char *model, const char *parameter);

// The problem in global form, contact frames, normal first. Release *out with ss_problem_destroy.
// Settings override defaults; a later one overrides an earlier one of the same name. An unknown model
// or parameter is SS_ERR_ARGUMENT naming the nearest known one.
SS_API ss_error ss_model_build(ss_context *ctx, const char *model, const ss_model_setting *settings,
                               int count, ss_problem **out);

// The same; *exact holds as text ("41/25") the numbers that are fractions and not doubles, NULL for
// the others, and lives as long as *out. Angles are exact where tan is a fraction whose sine is one: 3/4 gives 3/5 and 4/5.
SS_API ss_error ss_model_build_exact(ss_context *ctx, const char *model,
                                     const ss_model_setting *settings, int count, ss_problem **out,
                                     const ss_exact **exact);

#ifdef __cplusplus
}
#endif
