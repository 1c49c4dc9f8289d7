// stickslip/page.h - results as one HTML page: figures, tables, 3D playback. The page needs no network and no
// other file. What it shows (names, titles, texts of files) is data to it, never markup.
//
//   ss_page *page;
//   if (ss_page_begin(ctx, "page.html", &(ss_page_options){.title = "my run"}, &page)) ...
//   if (ss_page_add_run(page, "run.h5", run, NULL) || ss_page_commit(page)) ...
#pragma once

#include "stickslip/run.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ss_page ss_page;

// Whether this build has the viewer: NULL, or the sentence that says what is missing.
SS_API const char *ss_page_missing(void);

typedef struct ss_page_options {
  const char *title;  // NULL: the page is called after what is in it
  bool live;  // served over HTTP (serve.h): it asks where it came from whether a run has gone on
} ss_page_options;

// Written aside, then renamed. SS_ERR_UNSUPPORTED in a build without the viewer. "-": standard output. o may be NULL.
SS_API ss_error ss_page_begin(ss_context *ctx, const char *path, const ss_page_options *o,
                              ss_page **out);

// A file with a result as commands print it with --json: one JSON object, whose "command" says its kind. Path "-":
// standard input. name: how the page calls it; kind (may be NULL): the command, until the page is released.
SS_API ss_error ss_page_add_result(ss_page *page, const char *name, const char *path,
                                   const char **kind);

typedef struct ss_page_run_options {
  double
      bytes;  // of the saved states in the page, before base64; 0: 12e6. Runs with more are thinned out
  int (*progress)(void *user, int64_t done, int64_t of);  // not 0: stop; may be NULL
  void *user;
} ss_page_run_options;

// The saved states of a run, thinned out where they are many, with positions, turns and forces in 16 bits.
// A run that is not finished gives what there is, and the page says so.
SS_API ss_error ss_page_add_run(ss_page *page, const char *name, ss_run *run,
                                const ss_page_run_options *o);  // o may be NULL

SS_API ss_error ss_page_commit(ss_page *page);  // releases it in every case
SS_API void ss_page_abandon(ss_page *page);     // NULL allowed

#ifdef __cplusplus
}
#endif
