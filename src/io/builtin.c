#include "io/builtin.h"

#include <stddef.h>

#include "stickslip/scene.h"

const char *ss_scene_builtin(int index, const char **about, const char **text) {
  if (index < 0) return NULL;
  for (int k = 0; k <= index; k++)
    if (!ssi_builtins[k].name) return NULL;
  if (about) *about = ssi_builtins[index].about;
  if (text) *text = ssi_builtins[index].text;
  return ssi_builtins[index].name;
}
