#define _POSIX_C_SOURCE 200809L
#include "io/scene_advice.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

typedef struct advice {
  const char *objects;  // of ssi_object.name, with blanks around each
  const char *keys;     // likewise; lower case
  const char *text;
} advice;

// A word alone would mislead: its number or its place is another one here.
static const advice table[] = {
    {" body ", " static fixed kinematic immovable is_static isstatic dynamic movable type ",
     "bodies move; what does not, or moves as prescribed, belongs into \"externals\""},
    {" body external generator ", " mu friction restitution bounce bounciness ",
     "that is of a material: \"materials\": [{\"name\": \"wood\", \"mu\": 0.5}], and here "
     "\"material\": \"wood\""},
    {" body external part ", " radius size length points vertices height ",
     "that is of the shape: \"shape\": {\"kind\": \"box\", \"size\": [1, 1, 1]}"},
    {" shape ", " diameter d ", "expected \"radius\", which is half of it"},
    {" shape ", " half_extents halfextents half_size halfsize half_width half_lengths ",
     "expected \"size\": whole lengths, twice these"},
    {" shape ", " half_length halflength half_height halfheight ",
     "expected \"length\", the whole, twice that"},
    {" shape ", " mass density material mu friction position rotation velocity ",
     "that is of the body, beside its \"shape\""},
    {" material ", " mass ", "a mass is of a body; a material has \"density\""},
    {" external ", " mass density inertia ", "external objects have no mass; bodies have"},
    {" external ", " velocity spin speed ",
     "that is of its motion: \"motion\": {\"kind\": \"constant\", \"velocity\": ...}, or of a "
     "belt: \"surface_velocity\""},
    {" body ", " force forces load torque moment ",
     "that is of \"loads\": [{\"body\": NAME, \"force\": ...}]"},
    {" scene ", " step dt timestep time_step duration t_end ",
     "that is of \"stepping\": {\"step\": 0.01, \"duration\": 1}"},
    {" scene ", " tol tolerance method max_iter ", "that is of \"solver\": {\"tol\": 1e-8}"},
    {" scene ", " mu friction restitution ",
     "that is of a material: \"materials\": [{\"name\": \"all\", \"mu\": 0.5}]"},
    {" scene ", " ground floor walls static statics ",
     "what does not move belongs into \"externals\": [{\"shape\": {\"kind\": \"plane\"}}]"},
    {" stepping ", " tol tolerance method solver ", "that is of \"solver\", beside \"stepping\""},
    {" stepping ", " steps n_steps nsteps max_steps num_steps ",
     "expected \"duration\", which is their number times \"step\""},
    {" stepping ", " fps frequency rate ", "expected \"step\", in seconds: one over it"},
    {" stepping scene ", " every save_every output_every ", "that is of \"output\""},
};

static int is_listed(const char *word, const char *list) {
  size_t n = strlen(word);
  for (const char *at = list; (at = strchr(at, ' ')) && at[1]; at++)
    if (strncasecmp(at + 1, word, n) == 0 && at[1 + n] == ' ') return 1;
  return 0;
}

const char *ssi_scene_advice(const char *object, const char *key) {
  if (!*key) return NULL;
  for (size_t k = 0; k < sizeof table / sizeof *table; k++)
    if (is_listed(object, table[k].objects) && is_listed(key, table[k].keys)) return table[k].text;
  return NULL;
}
