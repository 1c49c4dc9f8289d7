// serve/headers.h - what every answer says to the browser about itself. Private.
#pragma once

#include <microhttpd.h>

typedef enum ssi_policy {
  SSI_POLICY_TEXT,  // no script, no request
  SSI_POLICY_PAGE,  // our own script, which may ask this server for more
  SSI_POLICY_FILE,  // somebody's file: whatever script is in it has no origin and reaches nothing
} ssi_policy;

// version: for ETag; NULL: none.
void ssi_served_headers(struct MHD_Response *r, ssi_policy policy, const char *type,
                        const char *version);
