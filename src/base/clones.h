// base/clones.h - SSI_CLONES before a hot function: compiled once for any x86-64 and once for AVX2,
// chosen when the program starts. No fused multiply-add in either, and vectors only across
// independent components, so both give the same bits.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&                             \
    !defined(__SANITIZE_ADDRESS__)
#define SSI_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define SSI_CLONES
#endif

#define SSI_INLINE static inline __attribute__((always_inline))
