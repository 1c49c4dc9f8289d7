#include "stickslip/serve.h"

ss_server_options ss_server_options_default(void) {
  return (ss_server_options){.port = 8642, .idle_s = 20, .page_s = 120};
}
