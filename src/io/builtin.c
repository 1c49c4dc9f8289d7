#include "io/builtin.h"

#include <stddef.h>

#include "stickslip/scene.h"

const char *ssi_builtin_at(const ssi_builtin *table, int index, const char **about,
                           const char **text) {
  if (index < 0) return NULL;
  for (int k = 0; k <= index; k++)
    if (!table[k].name) return NULL;
  if (about) *about = table[index].about;
  if (text) *text = table[index].text;
  return table[index].name;
}

const char *ss_scene_builtin(int index, const char **about, const char **text) {
  return ssi_builtin_at(ssi_builtin_scenes, index, about, text);
}
