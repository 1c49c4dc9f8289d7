// In place of the embedded viewer, in a build without Node.js.
#include "report/page_write.h"

const char *const ssi_viewer_script = NULL, *const ssi_viewer_style = NULL;
