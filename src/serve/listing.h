// serve/listing.h - a folder, and messages, as HTML. Private.
#pragma once

#include "serve/served.h"

// Text for ssi_release(NULL, ...); NULL: no memory. `path` of the folder inside the one that is served, "" for that
// itself, which is called `root_name`.
char *ssi_listing(int folder, const char *path, const char *root_name);
char *ssi_served_message(const char *title, const char *text);
