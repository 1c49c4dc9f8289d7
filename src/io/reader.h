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

// What ss_file.memory points to; the file itself is its first member.
typedef struct ssi_file_owner {
  ss_file file;
  ssi_arena arena;
} ssi_file_owner;
ssi_file_owner *
ssi_file_create(ss_context *ctx);  // for ss_file_close(&owner->file); NULL: no memory

ss_error ssi_read_siconos(ss_context *ctx, const ssi_source *in, ss_form_hint form,
                          ssi_arena *arena, ss_file *out);
ss_error ssi_read_json(ss_context *ctx, const ssi_source *in, ssi_arena *arena, ss_file *out);
// Elastic bodies or a structure ("kind" in the document): their static problem.
ss_error ssi_read_static(ss_context *ctx, const ssi_source *in, ssi_arena *arena, ss_file *out);
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

// A certificate of `problem`, likewise; the first only looks whether there is one.
bool ssi_json_has_certificate(const ssi_source *in);
ss_error ssi_read_json_certificate(ss_context *ctx, const ssi_source *in, const ss_file *problem,
                                   ssi_arena *arena, ss_solution_file *out);

// Writers write to a path aside; io/file.c renames. `solution` overrides what->solution if not NULL.
ss_error ssi_write_fclib(ss_context *ctx, const char *path, const ss_file *what,
                         const ss_solution *solution);
ss_error ssi_write_siconos(ss_context *ctx, const char *path, ss_siconos_storage storage,
                           const ss_file *what);
ss_error ssi_write_mtx_set(ss_context *ctx, const char *prefix, const ss_file *what);
ss_error ssi_write_json(ss_context *ctx, const char *path, const ss_file *what);
ss_error ssi_write_json_solution(ss_context *ctx, const char *path, const ss_file *problem,
                                 const ss_solution *solution);

// Reads a whole file ("-": standard input) into memory of the arena. Directories, missing and
// unreadable files are SS_ERR_READ with the reason, and so is a device without end (/dev/zero). A pipe
// may bring a quarter of the machine's memory, then it is SS_ERR_MEMORY; _within: that many bytes.
ss_error ssi_input_read(ss_context *ctx, const char *path, ssi_arena *arena, ssi_source *out);
// Where `worth` says no to the first 64 KiB of a file, no more is read: the reader finds there what is wrong with it.
ss_error ssi_input_read_judged(ss_context *ctx, const char *path,
                               bool (*worth)(const ssi_source *head), ssi_arena *arena,
                               ssi_source *out);
bool ssi_may_be_text(const ssi_source *head);
bool ssi_may_be_json(const ssi_source *head);
size_t ssi_after_blanks(const ssi_source *in);  // and after a byte order mark
ss_error ssi_input_read_within(ss_context *ctx, const char *path, size_t most_by_pipe,
                               ssi_arena *arena, ssi_source *out);

// Names of files.
bool ssi_ends_with(const char *text, const char *ending);
bool ssi_is_folder(const char *path);

// A text stream that becomes `path` only when all of it is safely on disk ("-": standard output).
typedef struct ssi_output ssi_output;
ss_error ssi_output_begin(ss_context *ctx, const char *path, ssi_output **out);
void ssi_output_text(ssi_output *o, const char *format, ...) SS_PRINTF(2, 3);  // failure is sticky
void ssi_output_number(ssi_output *o, double x);  // the shortest of 15 to 17 digits with these bits
ss_error ssi_output_commit(ss_context *ctx, ssi_output *o);  // flush, sync, rename; releases o
void ssi_output_abandon(ssi_output *o);  // remove what was written; releases o; NULL allowed

// The same for a writer that wants a path of its own (HDF5): begin makes an empty file `path` in
// the folder of `target`; write to it and close it; commit syncs and renames, abandon removes.
typedef struct ssi_aside {
  char *target, *path;
  bool nameless;  // path is /proc/self/fd/FD: the file has no name of its own yet
  int fd;         // open while nameless
  char *name;     // room for the name it takes for a moment then
} ssi_aside;
ss_error ssi_aside_begin(ss_context *ctx, const char *target, ssi_aside *a);
ss_error ssi_aside_commit(ss_context *ctx, ssi_aside *a);  // failure abandons; {0} is no work
void ssi_aside_abandon(ss_context *ctx, ssi_aside *a);

// For several files that belong together: flush and close one, and leave its name to a later commit.
ss_error ssi_output_close(ss_context *ctx, ssi_output *o, ssi_aside *a);  // releases o

// By HDF5's signature, which stands at 0, 512, 1024, 2048, ... behind a user block.
bool ssi_is_hdf5(const ssi_source *in);

// What every reader's result must be: sizes that agree, indices in range and strictly increasing,
// finite problem data. Returns `code` with "name: where: ..." otherwise. Solutions and guesses that
// are not finite are only said (SS_LOG_WARN): judging them is ss_verify's business.
ss_error ssi_check_structure(ss_context *ctx, ss_error code, const char *name, const ss_file *what);

// Run the same in a child process and bring the result back (ss_read_options.isolate).
ss_error ssi_read_fclib_isolated(ss_context *ctx, const ssi_source *in, ssi_arena *arena,
                                 ss_file *out);
ss_error ssi_read_fclib_solution_isolated(ss_context *ctx, const ssi_source *in,
                                          const ss_file *problem, ssi_arena *arena,
                                          ss_solution *out);
