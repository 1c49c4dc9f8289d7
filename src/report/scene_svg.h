// report/scene_svg.h - bodies at one moment as a picture. Private.
#pragma once

#include "stickslip/run.h"

ss_error ssi_scene_svg(ss_context *ctx, ss_run *run, const ss_run_frame *frame, const char *title,
                       char **out);
