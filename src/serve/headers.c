#include "serve/headers.h"

#include <stddef.h>

void ssi_served_headers(struct MHD_Response *r, ssi_policy policy, const char *type,
                        const char *version) {
  static const char *const policies[] = {
      [SSI_POLICY_TEXT] =
          "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
          "form-action 'none'; frame-ancestors 'none'",
      [SSI_POLICY_PAGE] =
          "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src "
          "data: "
          "blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      [SSI_POLICY_FILE] =
          "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; style-src "
          "'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'; "
          "frame-ancestors 'none'",
  };
  MHD_add_response_header(r, "Content-Security-Policy", policies[policy]);
  MHD_add_response_header(r, "Content-Type", type);
  MHD_add_response_header(r, "X-Content-Type-Options", "nosniff");
  MHD_add_response_header(r, "X-Frame-Options", "DENY");
  MHD_add_response_header(r, "Referrer-Policy", "no-referrer");
  MHD_add_response_header(r, "Cross-Origin-Resource-Policy", "same-origin");
  // a document in a sandbox must not have this one
  if (policy != SSI_POLICY_FILE)
    MHD_add_response_header(r, "Cross-Origin-Opener-Policy", "same-origin");
  MHD_add_response_header(r, "Cache-Control", version ? "private, no-cache" : "no-store");
  if (version) MHD_add_response_header(r, "ETag", version);
}
