// report/scene_svg.h - bodies at one moment as a picture. Private.
#pragma once

#include "stickslip/run.h"

// size: of what it is a state of, with the text of the scene.
ss_error ssi_scene_svg(ss_context *ctx, const ss_run_size *size, const ss_run_frame *frame,
                       const char *title, char **out);

// What was asked for lies after the last saved state.
ss_error ssi_beyond_the_end(ss_context *ctx, const char *name, double time, double last);
