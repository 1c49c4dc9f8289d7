// io/channel.h - an ss_file through a pipe. Both ends walk over the same fields in the same order, the one sending each,
// the other receiving it.
//
// The receiver believes nothing: the sender may have been overwritten by the file it reads. Counts must
// follow from the sizes sent before, sizes must be possible, matrices must be well formed, and all
// together must stay within a budget.
#pragma once

#include "base/arena.h"
#include "stickslip/io.h"

typedef struct ssi_channel {
  int fd;
  bool sending;
  bool broken;      // sticky: the other side is gone, late, or talks nonsense
  bool ended;       // the reason was the end of the stream
  bool late;        // the reason was the clock
  bool no_memory;   // the reason was our own memory
  double deadline;  // receiving only, as the next two
  size_t budget;    // bytes that may still come
  ssi_arena *arena;
} ssi_channel;

// Do nothing once it is broken.
void ssi_channel_send(ssi_channel *c, const void *data, size_t size);
void ssi_channel_receive(ssi_channel *c, void *data, size_t size);
void ssi_channel_int(ssi_channel *c, int *x, int low, int high);  // either way; low: broken
void ssi_channel_file(ssi_channel *c, ss_file *f);                // either way
