// report/page_play.h - the playback of a scene that ran from event to event. Private; needs HDF5.
#pragma once

#include "io/hdf5_node.h"
#include "report/page_write.h"

// Into `section`, under "play"; nothing where the trajectory is of no scene (docs/formats-run.md).
ss_error ssi_page_play(ss_page *page, ssi_h5 *h5, const ssi_h5_node *root, json_t *section);
