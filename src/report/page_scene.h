// report/page_scene.h - bodies that can be played in a page: what the scene says of them, and their saved states, whatever
// file holds those. Private.
#pragma once

#include "base/arena.h"
#include "report/page_frames.h"

typedef struct ssi_page_scene {
  ss_page *page;
  const char *name;  // in messages
  ss_run_size size;
  ss_scene *scene;
  ss_simulation *sim;  // never stepped: it knows the bodies
  ssi_arena arena;
  json_t *section;
  ssi_frames frames;
  bool failed;  // no memory for JSON
} ssi_page_scene;

// `size` counts what there is and has the scene's text; `read` gives the states. Release whatever is returned.
ss_error ssi_page_scene_begin(ssi_page_scene *p, ss_page *page, const char *name,
                              const ss_run_size *size, ssi_read_state read, void *source,
                              const ss_page_run_options *o);
void ssi_page_scene_release(ssi_page_scene *p);

void ssi_page_scene_put(ssi_page_scene *p, const char *key, json_t *value);
ss_error ssi_page_scene_bodies(ssi_page_scene *p);  // and external objects, joints, elements
ss_error ssi_page_scene_states(ssi_page_scene *p);
ss_error ssi_page_scene_no_memory(const ssi_page_scene *p);
