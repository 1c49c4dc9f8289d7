// cli/hash.h - FNV-1a: whether a problem or a scene is the one that a file of results was made of.
#pragma once

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>

static const uint64_t CLI_HASH_BEGIN = 0xcbf29ce484222325u;

static inline uint64_t cli_hash_bytes(uint64_t h, const void *data, size_t size) {
  const unsigned char *byte = data;
  for (size_t i = 0; byte && i < size; i++) h = (h ^ byte[i]) * 0x100000001b3u;
  return h;
}

static inline json_t *cli_hash_json(uint64_t h) {
  char text[20];
  snprintf(text, sizeof text, "%016" PRIx64, h);
  return json_string(text);
}
