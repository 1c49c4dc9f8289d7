// report/page_shapes.h - shapes and poses as JSON. Private.
#pragma once

#include "report/page_write.h"

json_t *ssi_pose_json(const ss_pose *p, bool *failed);    // [x y z w x y z]
json_t *ssi_shape_json(const ss_shape *s, bool *failed);  // {kind, ...}; a compound: its parts
int ssi_shape_index(json_t *shapes, const ss_shape *s,
                    bool *failed);  // of it in the array, added if new
