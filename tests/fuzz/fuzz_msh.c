// Any bytes as a Gmsh file: a mesh that can be checked, or an error that says why.
#include <stdlib.h>
#include <string.h>

#include "stickslip/mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *bytes = malloc(size + 1);
  if (!bytes) return 0;
  if (size) memcpy(bytes, data, size);
  bytes[size] = 0;
  ss_context ctx = {0};
  ss_mesh *mesh = NULL;
  ss_error error = ss_mesh_parse(&ctx, "fuzz.msh", bytes, size, &mesh);
  if (error && (mesh || !ctx.message[0])) abort();
  if (!error) ss_mesh_check(&ctx, mesh);
  ss_mesh_destroy(mesh);
  free(bytes);
  return 0;
}
