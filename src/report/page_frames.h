// report/page_frames.h - saved states of a run in 16 bits. Private.
//
// A blob, little-endian:
//
//   float  low[3 n], high[3 n]   the box in which each body's centre moves         n bodies
//   float  extent[n]             radius about the centre that holds the body
//   then per state, from a multiple of 4 bytes:
//   uint16 position[3 n]         in its box                                             (1)
//   int16  turn[4 n]             unit quaternion w x y z, times 32767
//   uint16 speed[n]              over the largest of the run, times 65535
//   float  external[7 m]         poses                                             m external objects
//   float  load[2 l]             sizes of force and moment                         l joints and force elements
//   uint16 or uint32 a[c], b[c]  bodies; b >= n: external b - n; 32 bits where n + m > 65535
//   int16  point[3 c]            from the centre of a, over its extent, times 32767     (2)
//   int16  force[3 c]            on a, over the largest component of the state, times 32767
//   int16  normal[3 c]           from b to a, times 32767
//   uint8  state[c]              0 free, 1 stick, 2 slip
//
// each array from a multiple of 4 bytes on. By (1) and (2) a body that flies away does not cost the others their
// precision: a position is good to 1/65535 of the way that its own body goes.
#pragma once

#include "report/page_write.h"

// A saved state, valid until the next call.
typedef ss_error (*ssi_read_state)(void *source, int64_t frame, ss_run_frame *out);

typedef struct ssi_frames {
  ss_page *page;
  ssi_read_state read;
  void *source;
  ss_run_size size;
  int64_t kept;                 // states in the page
  int most_contacts;            // of one state; the strongest are kept
  double *low, *high;           // (3 bodies)
  double *extent;               // (bodies)
  double speed_max, force_max;  // of the run
  const ss_scene *scene;
  int link_count;
  json_t *index;  // [{at, time, step, contacts, active, force}] per state
  const ss_page_run_options *o;
  bool failed;  // no memory for the index
  void *buffer;
  size_t room;
  struct ssi_ranked *ranked;
  size_t ranked_room;
} ssi_frames;

int64_t ssi_frames_pick(const ssi_frames *f,
                        int64_t k);         // which saved state is number k of the page
ss_error ssi_frames_survey(ssi_frames *f);  // boxes and largest speed
ss_error ssi_frames_write(ssi_frames *f);
void ssi_frames_release(ssi_frames *f);  // what the two took
