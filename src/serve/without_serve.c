// What a build without libmicrohttpd (or without Jansson, which pages need) answers.
#include "base/error.h"
#include "stickslip/serve.h"

const char *ss_server_missing(void) {
  return "this build has no HTTP server, which is libmicrohttpd (Debian: libmicrohttpd-dev): "
         "install it, then make";
}

ss_error ss_server_start(ss_context *ctx, const char *folder, const ss_server_options *o,
                         ss_server **out) {
  if (out) *out = NULL;
  if (!folder || !o || !o->program || !out) return ssi_missing(ctx, "ss_server_start");
  return ssi_fail(ctx, SS_ERR_UNSUPPORTED, "%s: cannot be served: %s", folder, ss_server_missing());
}

const char *ss_server_address(const ss_server *s) {
  (void)s;
  return NULL;
}

void ss_server_stop(ss_server *s) {
  (void)s;
}
