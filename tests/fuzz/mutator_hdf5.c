// tests/fuzz/mutator_hdf5.c - how libFuzzer changes an HDF5 file. Most bytes of a small one are
// padding, and the fuzzer, which sees no coverage inside libhdf5, would spend its time there. So places
// are looked for near bytes that are not zero, and what is written there is what addresses, lengths,
// versions and flags of HDF5 look like; one change in four is libFuzzer's own.
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

static size_t any_place(ssi_rng *g, const uint8_t *data, size_t size) {
  size_t at = 0;
  for (int tries = 0; tries < 20; tries++) {
    at = (size_t)ssi_rng_below(g, (int)size);
    if (data[at]) break;
  }
  size_t step = (size_t)ssi_rng_below(g, 9);  // a little further: fields hold zeros too
  return ssi_rng_below(g, 2) || at + step >= size ? at : at + step;
}

static void change_byte(ssi_rng *g, uint8_t *at) {
  static const uint8_t odd[] = {0, 1, 2, 3, 4, 0x7f, 0x80, 0xff};
  switch (ssi_rng_below(g, 4)) {
  case 0:
    *at = odd[ssi_rng_below(g, 8)];
    break;
  case 1:
    *at = (uint8_t)(*at + (ssi_rng_below(g, 2) ? 1 : -1));
    break;
  case 2:
    *at ^= (uint8_t)(1 << ssi_rng_below(g, 8));
    break;
  default:
    *at = (uint8_t)ssi_rng_below(g, 256);
  }
}

// A field of 2, 4 or 8 bytes, little-endian as all of them are.
static void change_field(ssi_rng *g, uint8_t *data, size_t size, size_t at) {
  const uint64_t odd[] = {0,
                          1,
                          size,
                          size - 1,
                          size + 1,
                          (uint64_t)ssi_rng_below(g, (int)size) & ~(uint64_t)7,
                          UINT64_MAX,
                          UINT64_MAX - 1,
                          (uint64_t)1 << 31,
                          (uint64_t)1 << 32,
                          (uint64_t)1 << 63,
                          (uint64_t)ssi_rng_below(g, 1 << 16)};
  uint64_t value = odd[ssi_rng_below(g, (int)(sizeof odd / sizeof *odd))];
  size_t width = (size_t)2 << ssi_rng_below(g, 3);
  for (size_t k = 0; k < width && at + k < size; k++) data[at + k] = (uint8_t)(value >> 8 * k);
}

static void copy_piece(ssi_rng *g, uint8_t *data, size_t size, size_t at) {
  size_t from = any_place(g, data, size), width = (size_t)1 << ssi_rng_below(g, 7);
  size_t most = size - (from > at ? from : at);
  memmove(data + at, data + from, width < most ? width : most);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
  ssi_rng g = {seed};
  if (size == 0 || ssi_rng_below(&g, 4) == 0) return LLVMFuzzerMutate(data, size, most);
  for (int k = ssi_rng_below(&g, 2) ? 1 : 1 + ssi_rng_below(&g, 6); k > 0; k--) {
    size_t at = any_place(&g, data, size);
    switch (ssi_rng_below(&g, 4)) {
    case 0:
      change_field(&g, data, size, at);
      break;
    case 1:
      copy_piece(&g, data, size, at);
      break;
    default:
      change_byte(&g, data + at);
    }
  }
  return size;
}
