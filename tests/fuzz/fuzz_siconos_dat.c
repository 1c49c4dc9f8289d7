// Any bytes as a Siconos file, under every hint of its form.
#include <stdlib.h>
#include <string.h>

#include "io/reader.h"
#include "walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *bytes = malloc(size + 1);
  if (!bytes) return 0;
  if (size) memcpy(bytes, data, size);
  bytes[size] = 0;
  ssi_source in = {"fuzz.dat", bytes, size};
  for (int form = SS_FORM_ANY; form <= SS_FORM_GLOBAL; form++) {
    ss_context ctx = {0};
    ssi_arena arena = {.ctx = &ctx};
    ss_file file = {0};
    ss_error error = ssi_read_siconos(&ctx, &in, (ss_form_hint)form, &arena, &file);
    if (error && !ctx.message[0]) abort();  // every failure says why
    if (!error) walk_problem(&file.problem);
    ssi_arena_release(&arena);
  }
  free(bytes);
  return 0;
}
