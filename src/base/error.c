#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

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

const char *ss_capability(int index, bool *available) {
  static const struct {
    const char *name;
    bool available;
  } parts[] = {
#ifdef SS_WITH_HDF5
      {"hdf5", true},
#else
      {"hdf5", false},
#endif
#ifdef SS_WITH_JANSSON
      {"json", true},
#else
      {"json", false},
#endif
      {"cholmod", true}, {"umfpack", true}, {"lapack", true},
  };
  if (index < 0 || index >= (int)(sizeof parts / sizeof *parts)) return NULL;
  if (available) *available = parts[index].available;
  return parts[index].name;
}

ss_error ssi_fail(ss_context *ctx, ss_error e, const char *format, ...) {
  if (!ctx) return e;
  va_list args;
  va_start(args, format);
  vsnprintf(ctx->message, sizeof ctx->message, format, args);
  va_end(args);
  return e;
}

void ssi_log(ss_context *ctx, ss_level level, const char *format, ...) {
  if (!ctx || !ctx->log) return;
  char text[512];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  ctx->log(ctx->user, level, text);
}
