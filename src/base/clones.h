// base/clones.h - SSI_CLONES before a hot function: compiled once for any x86-64 and once for AVX2,
// chosen when the program starts. No fused multiply-add in either, and vectors only across
// independent components, so both give the same bits.
//
// SSI_CLONES_FMA: the same for functions that call fma() themselves, for the exact error of a product:
// one instruction in the second version, a call of the C library, with the same bits, in the first.
//
// SSI_X86: __builtin_cpu_supports() and target("avx2") are at hand, for what chooses its kernels itself.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__)
#define SSI_X86
#endif

#if defined(SSI_X86) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define SSI_CLONES     __attribute__((target_clones("avx2", "default")))
#define SSI_CLONES_FMA __attribute__((target_clones("fma", "default")))
#else
#define SSI_CLONES
#define SSI_CLONES_FMA
#endif

#define SSI_INLINE static inline __attribute__((always_inline))
