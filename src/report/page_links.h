// report/page_links.h - joints and force elements in a page: two points, each carried by what it belongs to, and what
// they bear. In this order: joints, springs, dampers, bushings, as run files have them. Private.
#pragma once

#include "report/page_write.h"

int ssi_links_count(const ss_scene *s);
// [{kind, name, a, b}], a and b [object, point it carries]: bodies, then external objects; -1: the world. The simulation
// is at its start.
json_t *ssi_links_json(const ss_scene *s, const ss_simulation *sim, bool *failed);
// Sizes of its force and of its moment at a state, after a step of h.
void ssi_link_load(const ss_scene *s, int link, const ss_run_frame *now, double h, double load[2]);
