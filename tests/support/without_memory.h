// support/without_memory.h - each call for memory fails: the work ends with SS_ERR_MEMORY or, where only a trial is lost,
// with an answer, and leaves nothing behind. Includes harness.h before it.
#pragma once

#include "counted_memory.h"
#include "stickslip/base.h"

// Makes something, uses it and destroys it.
typedef ss_error (*memory_user)(ss_context *ctx, void *user);

// At most `most` calls, spread over all of them. always: no answer where memory is gone for good.
static inline void let_each_call_fail(const char *name, memory_user work, void *user, int most,
                                      bool always) {
  ss_context ctx = {.alloc = take, .release = give};
  taken = live = 0, fail_at = -1;
  ss_error e = work(&ctx, user);
  if (e) fail_msg("%s: %s: %s", name, ss_error_text(e), ctx.message);
  if (live) fail_msg("%s leaves %d blocks", name, live);
  int calls = taken, every = calls > most ? calls / most : 1;
  for (int k = 0; k < 2 * calls; k += every) {
    int call = k / 2;
    lasting = k % 2 == 0;
    taken = 0, fail_at = call;
    e = work(&ctx, user);
    fail_at = -1;
    bool strict = always && lasting;
    lasting = false;
    if (e != SS_ERR_MEMORY && (e || strict))
      fail_msg("%s: call %d of %d: %s: %s", name, call, calls, ss_error_text(e), ctx.message);
    if (live) fail_msg("%s: call %d of %d: %d blocks left", name, call, calls, live);
  }
}
