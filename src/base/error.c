#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *ss_error_text(ss_error e) {
  switch (e) {
#define ENTRY(name, value, text)                                                                   \
  case name:                                                                                       \
    return text;
    SS_ERRORS(ENTRY)
#undef ENTRY
  }
  return "unknown error code";
}

const char *ss_error_detail(const ss_context *ctx, ss_error e) {
  return e && ctx && ctx->message[0] ? ctx->message : ss_error_text(e);
}

const char *ss_version(void) {
  return SS_VERSION;
}

// A macro that the compiler was given is 1; one that it was not stays its own name.
#define TEXT(macro)  #macro
#define IS_ON(macro) (sizeof TEXT(macro) == sizeof "1")

const char *ss_capability(int index, bool *available) {
  static const struct {
    const char *name;
    bool available;
  } parts[] = {
      {"hdf5", IS_ON(SS_WITH_HDF5)},
      {"json", IS_ON(SS_WITH_JANSSON)},
      {"nlopt", IS_ON(SS_WITH_NLOPT)},
      {"gmp", IS_ON(SS_WITH_GMP)},
      {"libccd", IS_ON(SS_WITH_CCD)},
      {"libqhull", IS_ON(SS_WITH_QHULL)},
      {"libxml2", IS_ON(SS_WITH_XML)},
      {"viewer", IS_ON(SS_WITH_VIEWER)},
      {"microhttpd", IS_ON(SS_WITH_MICROHTTPD)},
      {"sundials", IS_ON(SS_WITH_SUNDIALS)},
      {"openmp", IS_ON(SS_WITH_OPENMP)},
      {"cholmod", true},
      {"umfpack", true},
      {"lapack", true},
      {"same-bits", IS_ON(SS_WITH_SAME_BITS)},
  };
  if (index < 0 || index >= (int)(sizeof parts / sizeof *parts)) return NULL;
  if (available) *available = parts[index].available;
  return parts[index].name;
}

// A message that begins with a very long file name loses the middle of that, not its own end.
static void format_message(char *out, size_t size, const char *format, va_list args) {
  char whole[8192];  // names of files have at most 4096 bytes
  int length = vsnprintf(whole, sizeof whole, format, args);
  size_t n = length < 0 ? 0 : (size_t)length < sizeof whole ? (size_t)length : sizeof whole - 1;
  whole[n] = 0;
  size_t head = size / 4, gap = strlen(" ... "), tail = size - 1 - head - gap;
  if (n < size)
    memcpy(out, whole, n + 1);
  else
    snprintf(out, size, "%.*s ... %s", (int)head, whole, whole + n - tail);
}

ss_error ssi_fail(ss_context *ctx, ss_error e, const char *format, ...) {
  if (!ctx) return e;
  va_list args;
  va_start(args, format);
  format_message(ctx->message, sizeof ctx->message, format, args);
  va_end(args);
  return e;
}

ss_error ssi_fail_within(ss_context *ctx, ss_error e, const char *prefix) {
  if (!e || !ctx) return e;
  char detail[sizeof ctx->message];
  memcpy(detail, ctx->message, sizeof detail);
  return ssi_fail(ctx, e, "%s: %s", prefix, detail);
}

ss_error ssi_missing(ss_context *ctx, const char *function) {
  return ssi_fail(ctx, SS_ERR_ARGUMENT, "%s: an argument is NULL", function);
}

void ssi_log(ss_context *ctx, ss_level level, const char *format, ...) {
  if (!ctx || !ctx->log) return;
  char text[512];
  va_list args;
  va_start(args, format);
  format_message(text, sizeof text, format, args);
  va_end(args);
  ctx->log(ctx->user, level, text);
}
