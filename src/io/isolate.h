// io/isolate.h - running a reader in a child process, so that a library which crashes, hangs or eats
// all memory on a damaged file takes only the child with it.
#pragma once

#include "io/reader.h"

// Reads `in` into `out`, arrays of `arena`. May use what the caller left in `out`.
typedef ss_error (*ssi_reader)(ss_context *ctx, const ssi_source *in, ssi_arena *arena,
                               ss_file *out);

// Calls `reader` in a child and rebuilds here what it made, errors and notes included. A crash or
// more than `seconds` of time is SS_ERR_FORMAT; no child or no memory is SS_ERR_MEMORY. `library` is
// named in the message. The child has no output, runs none of the caller's allocator, log or signal
// handlers, and leaves without exit handlers.
//
// As with every fork: the caller must not hold, in another thread, a lock that the reader needs
// (libhdf5 has one); the child would wait for it until its time is over.
ss_error ssi_isolate(ss_context *ctx, ssi_reader reader, const char *library, double seconds,
                     const ssi_source *in, ssi_arena *arena, ss_file *out);
