// io/file.c - problem and solution files: which format, then one common check.
#define _XOPEN_SOURCE 700

#include "base/error.h"
#include "io/frames.h"
#include "io/reader.h"
#include "problem/check.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const char *const format_names[] = {
    [SS_FORMAT_AUTO] = "auto", [SS_FORMAT_FCLIB] = "fclib", [SS_FORMAT_SICONOS] = "siconos",
    [SS_FORMAT_MTX] = "mtx",   [SS_FORMAT_JSON] = "json",
};

static bool is_format(ss_format f) {
  return (int)f >= 0 && (size_t)f < sizeof format_names / sizeof *format_names;
}

const char *ss_format_name(ss_format f) {
  return is_format(f) ? format_names[f] : "unknown";
}

static bool exists(const char *path) {
  struct stat st;
  return stat(path, &st) == 0;
}

// ---- which format ---------------------------------------------------------------------------

// A Matrix Market set is known by its names: a folder, or NAME (also NAME.mtx, as a set was called
// when it was written) where no such file is, but NAME.M.mtx or NAME.W.mtx.
static bool names_a_set(ssi_arena *scratch, const char *path) {
  if (strcmp(path, "-") == 0) return false;
  if (ssi_is_folder(path)) return true;
  if (exists(path)) return false;
  size_t length = strlen(path) - (ssi_ends_with(path, ".mtx") ? 4 : 0), room = length + 7;
  char *name = SSI_TAKE(scratch, room, char);
  if (!name) return false;
  snprintf(name, room, "%.*s.M.mtx", (int)length, path);
  if (exists(name)) return true;
  snprintf(name, room, "%.*s.W.mtx", (int)length, path);
  return exists(name);
}

bool ssi_is_hdf5(const ssi_source *in) {
  for (size_t at = 0; at + 8 <= in->size; at = at ? 2 * at : 512)
    if (memcmp(in->bytes + at, "\x89HDF\r\n\x1a\n", 8) == 0) return true;
  return false;
}

static ss_error not_recognised(ss_context *ctx, const ssi_source *in) {
  char bytes[3 * 8 + 1] = "";
  for (size_t k = 0; k < in->size && k < 8; k++)
    snprintf(bytes + 3 * k, 4, " %02x", (unsigned char)in->bytes[k]);
  bool gzip = in->size > 2 && memcmp(in->bytes, "\x1f\x8b", 2) == 0;
  return ssi_fail(ctx, SS_ERR_FORMAT,
                  "%s: not recognised as FCLIB (HDF5), JSON, Matrix Market or Siconos text: begins "
                  "with bytes%s%s",
                  in->name, bytes, gzip ? " (gzip: decompress it first)" : "");
}

// SS_FORMAT_AUTO: none of them.
static ss_format format_of(const ssi_source *in) {
  size_t k = ssi_after_blanks(in);
  char c = k < in->size ? in->bytes[k] : 0;
  if (ssi_is_hdf5(in)) return SS_FORMAT_FCLIB;
  if (c == '{' || c == '[') return SS_FORMAT_JSON;
  if (in->size - k >= 14 && strncmp(in->bytes + k, "%%MatrixMarket", 14) == 0) return SS_FORMAT_MTX;
  if (isdigit((unsigned char)c) || c == '-' || c == '+') return SS_FORMAT_SICONOS;
  return SS_FORMAT_AUTO;
}

static bool may_be_ours(const ssi_source *head) {
  ss_format format = format_of(head);
  if (format == SS_FORMAT_FCLIB) return true;
  return ssi_may_be_text(head) &&
         (format != SS_FORMAT_AUTO || ssi_after_blanks(head) == head->size);
}

static ss_error recognise(ss_context *ctx, const ssi_source *in, ss_format *format) {
  if (in->size == 0) return ssi_fail(ctx, SS_ERR_FORMAT, "%s: empty file", in->name);
  if (ssi_after_blanks(in) == in->size)
    return ssi_fail(ctx, SS_ERR_FORMAT, "%s: only white space in it", in->name);
  *format = format_of(in);
  return *format == SS_FORMAT_AUTO ? not_recognised(ctx, in) : SS_OK;
}

// The bytes of a file, and which format they are in where that is not given.
static ss_error read_recognised(ss_context *ctx, const char *path, ssi_arena *scratch,
                                ssi_source *in, ss_format *format) {
  bool given = *format != SS_FORMAT_AUTO;
  SS_TRY(ssi_input_read_judged(ctx, path, given ? NULL : may_be_ours, scratch, in));
  return in->size == 0 || !given ? recognise(ctx, in, format) : SS_OK;
}

// ---- reading a problem ----------------------------------------------------------------------

ssi_file_owner *ssi_file_create(ss_context *ctx) {
  ssi_file_owner *own = ssi_alloc(ctx, 1, sizeof *own);
  if (!own) return NULL;
  *own = (ssi_file_owner){.arena = {.ctx = ctx}};
  own->file.memory = own;
  return own;
}

static ss_error read_bytes(ss_context *ctx, const ssi_source *in, ss_format format,
                           const ss_read_options *o, ssi_arena *arena, ss_file *out) {
  switch (format) {
  case SS_FORMAT_JSON:
    return ssi_read_json(ctx, in, arena, out);
  case SS_FORMAT_SICONOS:
    return ssi_read_siconos(ctx, in, o->form, arena, out);
  default:
    return o->isolate ? ssi_read_fclib_isolated(ctx, in, arena, out)
                      : ssi_read_fclib(ctx, in, arena, out);
  }
}

// `scratch` holds the bytes of the file, of which nothing stays.
static ss_error read_any(ss_context *ctx, const char *path, const ss_read_options *o,
                         ssi_arena *scratch, ssi_arena *arena, ss_file *out) {
  ss_format format = o->format;
  ssi_source in = {0};
  if (format == SS_FORMAT_AUTO && names_a_set(scratch, path)) format = SS_FORMAT_MTX;
  if (format != SS_FORMAT_MTX) SS_TRY(read_recognised(ctx, path, scratch, &in, &format));
  if (format == SS_FORMAT_MTX)
    SS_TRY(ssi_read_mtx_set(ctx, path, arena, out));
  else
    SS_TRY(read_bytes(ctx, &in, format, o, arena, out));
  out->format = format;
  return SS_OK;
}

// Where a file says its form, --form can only confirm it.
static ss_error check_form(ss_context *ctx, const char *name, ss_form_hint asked,
                           const ss_problem *p) {
  bool global = p->form == SS_GLOBAL;
  if (asked == SS_FORM_ANY || (asked == SS_FORM_GLOBAL) == global) return SS_OK;
  return ssi_fail(ctx, SS_ERR_FORMAT, "%s: holds the %s form, expected the %s one as asked for",
                  name, global ? "global" : "local", global ? "local" : "global");
}

ss_error ss_file_open(ss_context *ctx, const char *path, const ss_read_options *o, ss_file **out) {
  const ss_read_options standard = {0};
  if (!o) o = &standard;
  if (!out) return ssi_fail(ctx, SS_ERR_ARGUMENT, "ss_file_open: out is NULL");
  *out = NULL;
  if (!path || !is_format(o->format))
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "ss_file_open: path is NULL or format unknown");
  const char *name = strcmp(path, "-") == 0 ? "standard input" : path;
  ssi_file_owner *own = ssi_file_create(ctx);
  if (!own) return ssi_fail(ctx, SS_ERR_MEMORY, "%s: no memory to read it", name);
  ssi_arena scratch = {.ctx = ctx};
  ss_error e = read_any(ctx, path, o, &scratch, &own->arena, &own->file);
  ssi_arena_release(&scratch);
  if (!e) e = ssi_check_structure(ctx, SS_ERR_FORMAT, name, &own->file);
  if (!e) e = check_form(ctx, name, o->form, &own->file.problem);
  if (!e && o->check) e = ssi_problem_check_rest(ctx, &own->file.problem);
  own->file.memory = own;
  if (e)
    ss_file_close(&own->file);
  else
    *out = &own->file;
  return e;
}

void ss_file_close(ss_file *f) {
  if (!f) return;
  ssi_file_owner *own = f->memory;
  ss_context *ctx = own->arena.ctx;
  ssi_arena_release(&own->arena);
  ssi_release(ctx, own);
}

// ---- reading a solution ---------------------------------------------------------------------

typedef struct solution_owner {
  ss_solution_file file;
  ssi_arena arena;
} solution_owner;

void ss_file_to_world(const ss_file *f, double *x) {
  if (!f || !x) return;
  if (f->normals) ssi_frames_to_world(f->problem.dim, f->problem.nc, f->normals, x);
}

static ss_error read_solution(ss_context *ctx, const char *path, const ss_read_options *o,
                              const ss_file *problem, ssi_arena *scratch, ssi_arena *arena,
                              ss_solution_file *out) {
  ssi_source in;
  ss_format format = o->format;
  SS_TRY(read_recognised(ctx, path, scratch, &in, &format));
  if (format == SS_FORMAT_JSON && ssi_json_has_certificate(&in))
    return ssi_read_json_certificate(ctx, &in, problem, arena, out);
  ss_solution *solution = &out->solution;
  if (format == SS_FORMAT_JSON) return ssi_read_json_solution(ctx, &in, problem, arena, solution);
  if (format == SS_FORMAT_FCLIB)
    return o->isolate ? ssi_read_fclib_solution_isolated(ctx, &in, problem, arena, solution)
                      : ssi_read_fclib_solution(ctx, &in, problem, arena, solution);
  return ssi_fail(ctx, SS_ERR_FORMAT, "%s: is %s, expected a solution in JSON or FCLIB", in.name,
                  ss_format_name(format));
}

ss_error ss_solution_open(ss_context *ctx, const char *path, const ss_read_options *o,
                          const ss_file *problem, ss_solution_file **out) {
  const ss_read_options standard = {0};
  if (!o) o = &standard;
  if (!out) return ssi_fail(ctx, SS_ERR_ARGUMENT, "ss_solution_open: out is NULL");
  *out = NULL;
  if (!path || !problem || !is_format(o->format))
    return ssi_fail(ctx, SS_ERR_ARGUMENT,
                    "ss_solution_open: path or problem is NULL, or format unknown");
  solution_owner *own = ssi_alloc(ctx, 1, sizeof *own);
  if (!own) return ssi_fail(ctx, SS_ERR_MEMORY, "%s: no memory to read it", path);
  *own = (solution_owner){.arena = {.ctx = ctx}};
  ssi_arena scratch = {.ctx = ctx};
  ss_error e = read_solution(ctx, path, o, problem, &scratch, &own->arena, &own->file);
  ssi_arena_release(&scratch);
  own->file.memory = own;
  if (e)
    ss_solution_close(&own->file);
  else
    *out = &own->file;
  return e;
}

void ss_solution_close(ss_solution_file *f) {
  if (!f) return;
  solution_owner *own = f->memory;
  ss_context *ctx = own->arena.ctx;
  ssi_arena_release(&own->arena);
  ssi_release(ctx, own);
}

// ---- writing --------------------------------------------------------------------------------

static ss_error format_by_ending(ss_context *ctx, const char *path, ss_format *format) {
  bool standard = strcmp(path, "-") == 0;
  if (standard && *format != SS_FORMAT_AUTO && *format != SS_FORMAT_JSON)
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "standard output takes json only, not %s",
                    ss_format_name(*format));
  if (*format != SS_FORMAT_AUTO) return SS_OK;
  if (standard || ssi_ends_with(path, ".json"))
    *format = SS_FORMAT_JSON;
  else if (ssi_ends_with(path, ".hdf5") || ssi_ends_with(path, ".h5"))
    *format = SS_FORMAT_FCLIB;
  else if (ssi_ends_with(path, ".mtx"))
    *format = SS_FORMAT_MTX;
  else if (ssi_ends_with(path, ".dat"))
    *format = SS_FORMAT_SICONOS;
  else
    return ssi_fail(ctx, SS_ERR_ARGUMENT,
                    "%s: the ending does not tell the format, expected .hdf5 .h5 .json .mtx .dat",
                    path);
  return SS_OK;
}

// The writer knows the file by its name aside; the user does not.
static void name_target(ss_context *ctx, const char *aside, const char *target) {
  size_t n = strlen(aside);
  if (!ctx || strncmp(ctx->message, aside, n) != 0) return;
  char rest[sizeof ctx->message];
  snprintf(rest, sizeof rest, "%s", ctx->message + n);
  ssi_fail(ctx, SS_ERR_WRITE, "%s%s", target, rest);
}

static ss_error write_fclib(ss_context *ctx, const char *path, const ss_file *what,
                            const ss_solution *solution) {
  ssi_aside a;
  SS_TRY(ssi_aside_begin(ctx, path, &a));
  ss_error e = ssi_write_fclib(ctx, a.path, what, solution);
  if (!e) return ssi_aside_commit(ctx, &a);
  name_target(ctx, a.path, path);
  ssi_aside_abandon(ctx, &a);
  return e;
}

// Files hold the problem as it stands in memory, in contact frames, so that reading it back gives the
// same bits; normals would make the reader turn it again.
static ss_file in_contact_frames(ss_context *ctx, const char *path, const ss_file *what) {
  ss_file plain = *what;
  plain.normals = NULL;
  if (what->normals)
    ssi_log(ctx, SS_LOG_WARN, "%s: written in contact frames, without the normals", path);
  return plain;
}

static ss_error check_written(ss_context *ctx, const char *path, ss_format format,
                              const ss_file *what) {
  SS_TRY(ssi_check_structure(ctx, SS_ERR_DATA, path, what));
  if ((what->gap || what->rate) && format != SS_FORMAT_JSON)
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "%s: gaps and rates of an instant are held by json only",
                    path);
  return SS_OK;
}

ss_error ss_siconos_write(ss_context *ctx, const char *path, ss_siconos_storage storage,
                          const ss_file *what) {
  if (!path || !what || (int)storage < 0 || storage > SS_SICONOS_SPARSE)
    return ssi_fail(ctx, SS_ERR_ARGUMENT,
                    "ss_siconos_write: path or what is NULL, or storage unknown");
  ss_format format = SS_FORMAT_SICONOS;
  SS_TRY(format_by_ending(ctx, path, &format));
  SS_TRY(check_written(ctx, path, format, what));
  ss_file plain = in_contact_frames(ctx, path, what);
  return ssi_write_siconos(ctx, path, storage, &plain);
}

ss_error ss_file_write(ss_context *ctx, const char *path, ss_format format, const ss_file *what) {
  if (!path || !what || !is_format(format))
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "ss_file_write: path or what is NULL, or format unknown");
  SS_TRY(format_by_ending(ctx, path, &format));
  SS_TRY(check_written(ctx, path, format, what));
  ss_file plain = in_contact_frames(ctx, path, what);
  if (format == SS_FORMAT_SICONOS) return ssi_write_siconos(ctx, path, SS_SICONOS_SPARSE, &plain);
  if (format == SS_FORMAT_JSON) return ssi_write_json(ctx, path, &plain);
  if (format == SS_FORMAT_MTX) return ssi_write_mtx_set(ctx, path, &plain);
  return write_fclib(ctx, path, &plain, NULL);
}

ss_error ss_solution_write(ss_context *ctx, const char *path, ss_format format,
                           const ss_file *problem, const ss_solution *solution) {
  if (!path || !problem || !solution || !is_format(format))
    return ssi_fail(ctx, SS_ERR_ARGUMENT,
                    "ss_solution_write: path, problem or solution is NULL, or format unknown");
  SS_TRY(format_by_ending(ctx, path, &format));
  if (format == SS_FORMAT_MTX || format == SS_FORMAT_SICONOS)
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "%s: a solution is written as .json, .hdf5 or .h5", path);
  SS_TRY(ssi_check_structure(ctx, SS_ERR_DATA, path, problem));
  if (format == SS_FORMAT_JSON) return ssi_write_json_solution(ctx, path, problem, solution);
  ss_file plain = in_contact_frames(ctx, path, problem);
  return write_fclib(ctx, path, &plain, solution);
}
