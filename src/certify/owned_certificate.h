// certify/owned_certificate.h - a certificate that ss_certificate_destroy releases, with the memory of its arrays.
#pragma once

#include "base/arena.h"
#include "stickslip/certify.h"

typedef struct ssi_owned_certificate {
  ss_certificate c;  // first: ss_certificate_destroy finds its owner
  ssi_arena arena;
} ssi_owned_certificate;

ssi_owned_certificate *ssi_certificate_create(ss_context *ctx,
                                              const ss_certify_options *o);  // NULL: no memory

// All about one connected component.
ss_error ssi_certify_component(ss_context *ctx, const ss_problem *p, const ss_certify_options *o,
                               ss_certificate **out);
