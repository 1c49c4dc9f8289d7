// support/scene_text.h - scenes written in a test, with ' in place of " so that they can be read there.
#pragma once

#include "harness.h"

#include "stickslip/stickslip.h"

static inline ss_scene *scene_from(ss_context *ctx, const char *format, va_list list) {
  static char text[8000];
  int n = vsnprintf(text, sizeof text, format, list);
  assert_in_range(n, 1, sizeof text - 1);
  for (char *c = text; *c; c++)
    if (*c == '\'') *c = '"';
  ss_scene *scene = NULL;
  if (ss_scene_parse(ctx, "scene", text, strlen(text), &scene)) fail_msg("%s", ctx->message);
  return scene;
}
