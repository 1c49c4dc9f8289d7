// A trajectory of a scene in a page: its bodies, played like those of a run.
#include "report/page_play.h"

#include "base/error.h"
#include "report/page_scene.h"
#include "report/played_scene.h"

// What each contact is of: bodies, then external objects.
static void add_pairs(const ssi_played_scene *s, ssi_page_scene *p) {
  json_t *pairs = json_array();
  ssi_page_scene_put(p, "links_measured", json_false());  // trajectories have no forces of joints
  ssi_page_scene_put(p, "pairs", pairs);
  for (int k = 0; k < s->contacts; k++) {
    json_t *pair = json_array();
    for (int end = 0; end < 2; end++) {
      int object = (int)s->pairs[2 * k + end];
      if (object < 0) object = s->size.bodies + SS_EXTERNAL - object;
      ssi_page_push(pair, json_integer(object), &p->failed);
    }
    ssi_page_push(pairs, pair, &p->failed);
  }
}

static ss_error add(ss_page *page, ssi_played_scene *s, json_t *section) {
  ssi_page_scene p;
  ss_error e =
      ssi_page_scene_begin(&p, page, s->h5->in->name, &s->size, ssi_played_scene_state, s, NULL);
  if (!e) e = ssi_page_scene_bodies(&p);
  if (!e) e = ssi_page_scene_states(&p);
  if (!e) add_pairs(s, &p);
  if (!e) ssi_page_put(section, "play", json_incref(p.section), &p.failed);
  if (!e && p.failed) e = ssi_page_scene_no_memory(&p);
  ssi_page_scene_release(&p);
  return e;
}

ss_error ssi_page_play(ss_page *page, ssi_h5 *h5, const ssi_h5_node *root, json_t *section) {
  ssi_played_scene s;
  ss_error e = ssi_played_scene_load(&s, h5, root);
  if (!e && s.size.scene_text) e = add(page, &s, section);
  ssi_played_scene_release(&s);
  return e;
}
