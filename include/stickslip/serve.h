// stickslip/serve.h - a folder of runs and results in a browser on this machine: its files to browse, runs and results as
// pages (page.h), runs that are going on as far as they have come.
//
//   ss_server_options o = ss_server_options_default();
//   o.program = "/usr/bin/stickslip";
//   ss_server *server;
//   if (ss_server_start(ctx, "runs", &o, &server)) ...
//   printf("%s\n", ss_server_address(server)); ...
//   ss_server_stop(server);
//
// It answers on the loopback address only, to GET and HEAD, to requests that were meant for that address (the Host header: a
// page elsewhere cannot reach it through a name of its own), for files inside the folder: no symbolic link is
// followed, nothing whose name begins with a dot is there. It writes nothing.
#pragma once

#include "stickslip/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ss_server ss_server;

typedef struct ss_server_options {
  int port;  // 0: one that is free
  const char
      *program;   // the command, run as PROGRAM report FILE: a bad file harms only that process
  double idle_s;  // a client that neither sends nor takes anything for so long is let go
  double page_s;  // longest time for making a page
} ss_server_options;
SS_API ss_server_options ss_server_options_default(void);

// Whether this build can serve: NULL, or the sentence that says what is missing.
SS_API const char *ss_server_missing(void);

// Begins to answer, in threads of its own, and returns. SS_ERR_READ: no such folder; SS_ERR_WRITE: the port is taken;
// SS_ERR_UNSUPPORTED in a build without it.
SS_API ss_error ss_server_start(ss_context *ctx, const char *folder, const ss_server_options *o,
                                ss_server **out);
SS_API const char *ss_server_address(const ss_server *s);  // "http://127.0.0.1:8642/"
SS_API void ss_server_stop(ss_server *s);  // ends its threads and processes; NULL allowed

#ifdef __cplusplus
}
#endif
