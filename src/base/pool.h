// base/pool.h - memory that is used again: a context whose hooks keep what is released and hand it out
// when something of at most that size is asked for. What is not there comes from the outer context.
//
// An object that is torn down and built up again at another size lives in one: everything it takes,
// through arenas or through ssi_alloc, then comes from the outer hooks only when it has grown.
#pragma once

#include "stickslip/base.h"

typedef struct ssi_pool ssi_pool;

// outer may be NULL; the pool must not outlive it. NULL: no memory.
ssi_pool *ssi_pool_create(ss_context *outer);
void ssi_pool_destroy(ssi_pool *pool);  // NULL allowed; everything must have been released to it

ss_context *ssi_pool_context(ssi_pool *pool);  // what it hands out is released through it

// From now on keeps what is released. Until then it goes back to the outer context at once: an object
// that is built only once holds on to nothing.
void ssi_pool_keep(ssi_pool *pool);

// One round of use is over: what has lain idle for many of them goes back.
void ssi_pool_age(ssi_pool *pool);

// Messages are written to the pool's own context: passes one on, when e is an error, and returns e.
ss_error ssi_pool_answer(ssi_pool *pool, ss_error e);
