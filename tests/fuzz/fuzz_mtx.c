// Any bytes as a Matrix Market file.
#include <stdlib.h>
#include <string.h>

#include "io/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *bytes = malloc(size + 1);
  if (!bytes) return 0;
  if (size) memcpy(bytes, data, size);
  bytes[size] = 0;
  ssi_source in = {"fuzz.mtx", bytes, size};
  ss_context ctx = {0};
  ssi_arena arena = {.ctx = &ctx};
  ss_sparse matrix = {0};
  ss_error error = ssi_read_mtx(&ctx, &in, &arena, &matrix);
  if (error && !ctx.message[0]) abort();  // every failure says why
  ssi_arena_release(&arena);
  free(bytes);
  return 0;
}
