// stickslip/base.h - errors, context (allocator, log), version: what every other header needs.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define SS_API                 __attribute__((visibility("default")))
#define SS_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define SS_API
#define SS_PRINTF(text, first)
#endif

#ifdef __cplusplus
extern "C" {
#endif

// The call could not do its job. (What a solve concluded is ss_status, in solver.h.)
// One list gives the codes and, in base/error.c, their text.
#define SS_ERRORS(X)                                                                               \
  X(SS_OK, 0, "no error")                                                                          \
  X(SS_ERR_MEMORY, -1, "out of memory")                                                            \
  X(SS_ERR_ARGUMENT, -2, "argument outside its documented range")                                  \
  X(SS_ERR_DATA, -3, "problem data inconsistent or not finite")                                    \
  X(SS_ERR_METHOD, -4, "unknown method, or method does not accept this problem")                   \
  X(SS_ERR_LINEAR, -5, "linear algebra failed")                                                    \
  X(SS_ERR_READ, -6, "file cannot be opened or read")                                              \
  X(SS_ERR_FORMAT, -7, "file content is not what its format asks for")                             \
  X(SS_ERR_WRITE, -8, "file cannot be written")                                                    \
  X(SS_ERR_UNSUPPORTED, -9, "not available in this build")

#define SS_ERROR_ENTRY(name, value, text) name = value,
typedef enum ss_error { SS_ERRORS(SS_ERROR_ENTRY) } ss_error;
#undef SS_ERROR_ENTRY

typedef enum ss_level { SS_LOG_ERROR, SS_LOG_WARN, SS_LOG_INFO, SS_LOG_DEBUG } ss_level;

// Everything the library needs from its surroundings. All fields may be zero; NULL is accepted
// wherever a context is asked for. One context per thread: message is written without a lock. What was
// made with a context is released through it: it must live as long.
typedef struct ss_context {
  void *(*alloc)(void *user, size_t bytes);                   // NULL: malloc
  void (*release)(void *user, void *mem);                     // NULL: free
  void (*log)(void *user, ss_level level, const char *text);  // NULL: silent
  void *user;
  char message[512];  // detail of the last error, for people: file, place, found, expected
} ss_context;

SS_API const char *ss_error_text(ss_error e);

// Detail of the last error where there is one, else the text of its code. Call it right after the
// failure: a message stays until the next one.
SS_API const char *ss_error_detail(const ss_context *ctx, ss_error e);

#define SS_VERSION "0.1.0"
SS_API const char *ss_version(void);

// Optional parts of this build: name and whether it is in. NULL past the last one.
SS_API const char *ss_capability(int index, bool *available);

// The name that is nearest to `text` by letters inserted, left out, replaced or swapped, for "did you
// mean". name(user, i): NULL past the last one. NULL: there are none.
SS_API const char *ss_nearest_name(const char *text, const char *(*name)(const void *user, int i),
                                   const void *user);

// "the nearest is X" where one is near, else "there are A, B, C"; `prefix` (NULL: none) stands before each.
SS_API void ss_suggest_name(const char *text, const char *prefix,
                            const char *(*name)(const void *user, int i), const void *user,
                            char *out, size_t size);

#ifdef __cplusplus
}
#endif
