// io/reader.h - what the format files provide to io/file.c. Every reader works on bytes in memory, so
// that a file, a pipe and a fuzzer feed the same code; `name` only appears in messages. What they
// read goes into `out` with all its arrays in `arena`; on error `out` is worthless and the caller
// releases the arena. Messages: "name:LINE: found X, expected Y" (text), "name: /group/dataset: ..."
// (HDF5), "name: .key[3]: ..." (JSON).
#pragma once

#include "base/arena.h"
#include "stickslip/io.h"

typedef struct ssi_source {
  const char *name;   // for messages
  const char *bytes;  // (size + 1), zero-terminated for the convenience of strtod
  size_t size;
} ssi_source;

ss_error ssi_read_siconos(ss_context *ctx, const ssi_source *in, ss_form_hint form,
                          ssi_arena *arena, ss_file *out);
ss_error ssi_read_json(ss_context *ctx, const ssi_source *in, ssi_arena *arena, ss_file *out);
ss_error ssi_read_fclib(ss_context *ctx, const ssi_source *in, ssi_arena *arena, ss_file *out);

// One Matrix Market file, matrix or (cols == 1) vector.
ss_error ssi_read_mtx(ss_context *ctx, const ssi_source *in, ssi_arena *arena, ss_sparse *out);
// The set with this prefix: `prefix`.W.mtx or `prefix`.M.mtx and so on; reads the files itself.
ss_error ssi_read_mtx_set(ss_context *ctx, const char *prefix, ssi_arena *arena, ss_file *out);

// A solution alone, sizes checked against `problem`, already turned into contact frames.
ss_error ssi_read_json_solution(ss_context *ctx, const ssi_source *in, const ss_file *problem,
                                ssi_arena *arena, ss_solution *out);
ss_error ssi_read_fclib_solution(ss_context *ctx, const ssi_source *in, const ss_file *problem,
                                 ssi_arena *arena, ss_solution *out);

// Writers write to a path aside; io/file.c renames. `solution` overrides what->solution if not NULL.
ss_error ssi_write_fclib(ss_context *ctx, const char *path, const ss_file *what,
                         const ss_solution *solution);
ss_error ssi_write_mtx_set(ss_context *ctx, const char *prefix, const ss_file *what);
ss_error ssi_write_json(ss_context *ctx, const char *path, const ss_file *what);
ss_error ssi_write_json_solution(ss_context *ctx, const char *path, const ss_file *problem,
                                 const ss_solution *solution);

// Reads a whole file ("-": standard input) into memory of the arena. Directories, missing and
// unreadable files are SS_ERR_READ with the reason.
ss_error ssi_input_read(ss_context *ctx, const char *path, ssi_arena *arena, ssi_source *out);

// A text stream that becomes `path` only when all of it is safely on disk ("-": standard output).
typedef struct ssi_output ssi_output;
ss_error ssi_output_begin(ss_context *ctx, const char *path, ssi_output **out);
void ssi_output_text(ssi_output *o, const char *format, ...) SS_PRINTF(2, 3);  // failure is sticky
ss_error ssi_output_commit(ss_context *ctx, ssi_output *o);  // flush, sync, rename; releases o
void ssi_output_abandon(ssi_output *o);                      // remove what was written; releases o

// Run the same in a child process and bring the result back (ss_read_options.isolate).
ss_error ssi_read_fclib_isolated(ss_context *ctx, const ssi_source *in, ssi_arena *arena,
                                 ss_file *out);
ss_error ssi_read_fclib_solution_isolated(ss_context *ctx, const ssi_source *in,
                                          const ss_file *problem, ssi_arena *arena,
                                          ss_solution *out);
