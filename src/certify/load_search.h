// certify/load_search.h - the load of a problem whose M is singular: docs/existence.md, section 13.
#pragma once

#include "certify/join.h"

// Where M is singular: own->c.load, and the verdict that follows from it and from what own->c says of a definite M. Leaves the
// certificate as it is where M is definite.
ss_error ssi_certify_load(ss_context *ctx, const ss_problem *p, const ss_certify_options *o,
                          ssi_owned_certificate *own);
