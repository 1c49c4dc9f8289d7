// What a build without Jansson answers: pages carry JSON. None can be begun, so that the rest is never called.
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "base/error.h"
#include "stickslip/page.h"

const char *ss_page_missing(void) {
  return "this build has no JSON (Jansson), which pages need";
}

ss_error ss_page_begin(ss_context *ctx, const char *path, const ss_page_options *o, ss_page **out) {
  *out = NULL;
  return ssi_fail(ctx, SS_ERR_UNSUPPORTED, "%s: cannot be made: %s", path, ss_page_missing());
}

ss_error ss_page_add_result(ss_page *page, const char *name, const char *path, const char **kind) {
  return SS_ERR_UNSUPPORTED;
}

ss_error ss_page_add_run(ss_page *page, const char *name, ss_run *run,
                         const ss_page_run_options *o) {
  return SS_ERR_UNSUPPORTED;
}

ss_error ss_page_commit(ss_page *page) {
  return SS_ERR_UNSUPPORTED;
}

void ss_page_abandon(ss_page *page) {}
