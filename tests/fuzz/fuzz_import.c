// Any bytes as a model of another program, by its first byte as an OBJ too: a scene, or an error that says why. Names
// of further files lead nowhere.
#include <stdlib.h>
#include <string.h>

#include "stickslip/import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *bytes = malloc(size + 1);
  if (!bytes) return 0;
  if (size) memcpy(bytes, data, size);
  bytes[size] = 0;
  ss_context ctx = {0};
  ss_imported *made = NULL;
  ss_import_options o = ss_import_options_default();
  o.packages = "/nonexistent";
  o.hull = size % 2 == 0;
  ss_error error = ss_import_parse(&ctx, "/nonexistent/fuzz.obj", bytes, size, &o, &made);
  if (error && (made || !ctx.message[0])) abort();
  ss_imported_destroy(made);
  free(bytes);
  return 0;
}
