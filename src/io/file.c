// io/file.c - problem and solution files: which format, then one common check.
#define _XOPEN_SOURCE 700

#include "base/error.h"
#include "io/reader.h"

#include <ctype.h>
#include <dirent.h>
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

static bool ends_with(const char *text, const char *ending) {
  size_t n = strlen(text), k = strlen(ending);
  return n >= k && strcmp(text + n - k, ending) == 0;
}

static bool is_folder(const char *path) {
  struct stat st;
  return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool exists(const char *path) {
  struct stat st;
  return stat(path, &st) == 0;
}

// ---- Matrix Market sets ---------------------------------------------------------------------
// A set has a prefix, NAME of NAME.M.mtx; the user may name the prefix, one of its files, NAME.mtx
// (what a written set was called) or the folder that holds the one set.

static char *join(ssi_arena *arena, const char *head, int length, const char *tail) {
  size_t room = (size_t)length + strlen(tail) + 1;
  char *text = SSI_TAKE(arena, room, char);
  if (text) snprintf(text, room, "%.*s%s", length, head, tail);
  return text;
}

// How much of `path` is the prefix: without .mtx, and without a .M (or another of the set) before it.
static int prefix_length(const char *path) {
  static const char *const parts[] = {"M", "H", "f", "w", "mu", "G", "b", "W", "q", "V", "R", "s"};
  int n = (int)strlen(path);
  if (!ends_with(path, ".mtx")) return n;
  n -= 4;
  for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
    int length = (int)strlen(parts[k]), dot = n - length - 1;
    if (dot > 0 && path[dot] == '.' && path[dot - 1] != '/' &&
        strncmp(path + dot + 1, parts[k], (size_t)length) == 0)
      return dot;
  }
  return n;
}

static bool has_set(ssi_arena *arena, const char *path, int length) {
  char *M = join(arena, path, length, ".M.mtx"), *W = join(arena, path, length, ".W.mtx");
  return M && W && (exists(M) || exists(W));
}

// The only NAME.M.mtx or NAME.W.mtx in a folder.
static ss_error prefix_in_folder(ss_context *ctx, const char *path, ssi_arena *arena,
                                 char **prefix) {
  char *found[2] = {NULL, NULL};
  int count = 0;
  DIR *folder = opendir(path);
  if (!folder) return ssi_fail(ctx, SS_ERR_READ, "%s: the folder cannot be read", path);
  for (struct dirent *entry; (entry = readdir(folder));) {
    const char *name = entry->d_name;
    if (name[0] == '.' || !(ends_with(name, ".M.mtx") || ends_with(name, ".W.mtx"))) continue;
    if (count < 2) found[count] = join(arena, name, (int)strlen(name) - 6, "");
    count++;
  }
  closedir(folder);
  if (arena->failed) return ssi_fail(ctx, SS_ERR_MEMORY, "%s: no memory", path);
  if (count == 0)
    return ssi_fail(ctx, SS_ERR_READ, "%s: is a folder without NAME.M.mtx or NAME.W.mtx", path);
  if (count > 1)
    return ssi_fail(ctx, SS_ERR_READ,
                    "%s: is a folder with %d problems (%s, %s ...), expected one; name it as %s/%s",
                    path, count, found[0], found[1], path, found[0]);
  char *slash = join(arena, path, (int)strlen(path), "/");
  *prefix = slash ? join(arena, slash, (int)strlen(slash), found[0]) : NULL;
  return *prefix ? SS_OK : ssi_fail(ctx, SS_ERR_MEMORY, "%s: no memory", path);
}

static ss_error find_prefix(ss_context *ctx, const char *path, ssi_arena *arena, char **prefix) {
  if (is_folder(path)) return prefix_in_folder(ctx, path, arena, prefix);
  *prefix = join(arena, path, prefix_length(path), "");
  return *prefix ? SS_OK : ssi_fail(ctx, SS_ERR_MEMORY, "%s: no memory", path);
}

static ss_error read_set(ss_context *ctx, const char *path, ssi_arena *scratch, ssi_arena *arena,
                         ss_file *out) {
  char *prefix;
  if (strcmp(path, "-") == 0)
    return ssi_fail(ctx, SS_ERR_READ,
                    "standard input: is one Matrix Market file; a set is read by its name");
  SS_TRY(find_prefix(ctx, path, scratch, &prefix));
  return ssi_read_mtx_set(ctx, prefix, arena, out);
}

// ---- which format ---------------------------------------------------------------------------

// HDF5's signature stands at 0, 512, 1024, 2048, ... behind a user block.
static bool is_hdf5(const ssi_source *in) {
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

static ss_error recognise(ss_context *ctx, const ssi_source *in, ss_format *format) {
  size_t k = 0;
  if (in->size == 0) return ssi_fail(ctx, SS_ERR_FORMAT, "%s: empty file", in->name);
  if (in->size >= 3 && memcmp(in->bytes, "\xef\xbb\xbf", 3) == 0) k = 3;  // byte order mark
  while (k < in->size && isspace((unsigned char)in->bytes[k])) k++;
  if (k == in->size) return ssi_fail(ctx, SS_ERR_FORMAT, "%s: only white space in it", in->name);
  char c = in->bytes[k];
  if (is_hdf5(in))
    *format = SS_FORMAT_FCLIB;
  else if (c == '{' || c == '[')
    *format = SS_FORMAT_JSON;
  else if (in->size - k >= 14 && strncmp(in->bytes + k, "%%MatrixMarket", 14) == 0)
    *format = SS_FORMAT_MTX;
  else if (isdigit((unsigned char)c) || c == '-' || c == '+')
    *format = SS_FORMAT_SICONOS;
  else
    return not_recognised(ctx, in);
  return SS_OK;
}

// ---- reading a problem ----------------------------------------------------------------------

// What ss_file.memory points to; the file itself is its first member.
typedef struct owner {
  ss_file file;
  ssi_arena arena;
} owner;

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
  bool by_name = strcmp(path, "-") != 0 && (is_folder(path) || !exists(path));
  if (format == SS_FORMAT_AUTO && by_name &&
      (is_folder(path) || has_set(scratch, path, prefix_length(path))))
    format = SS_FORMAT_MTX;
  if (format != SS_FORMAT_MTX) {
    ssi_source in;
    SS_TRY(ssi_input_read(ctx, path, scratch, &in));
    if (in.size == 0 || format == SS_FORMAT_AUTO) SS_TRY(recognise(ctx, &in, &format));
    if (format != SS_FORMAT_MTX) {
      SS_TRY(read_bytes(ctx, &in, format, o, arena, out));
      out->format = format;
      return SS_OK;
    }
  }
  SS_TRY(read_set(ctx, path, scratch, arena, out));
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
  owner *own = ssi_alloc(ctx, 1, sizeof *own);
  if (!own) return ssi_fail(ctx, SS_ERR_MEMORY, "%s: no memory to read it", name);
  *own = (owner){.arena = {.ctx = ctx}};
  ssi_arena scratch = {.ctx = ctx};
  ss_error e = read_any(ctx, path, o, &scratch, &own->arena, &own->file);
  ssi_arena_release(&scratch);
  if (!e) e = ssi_check_structure(ctx, SS_ERR_FORMAT, name, &own->file);
  if (!e) e = check_form(ctx, name, o->form, &own->file.problem);
  own->file.memory = own;
  if (e)
    ss_file_close(&own->file);
  else
    *out = &own->file;
  return e;
}

void ss_file_close(ss_file *f) {
  if (!f) return;
  owner *own = f->memory;
  ss_context *ctx = own->arena.ctx;
  ssi_arena_release(&own->arena);
  ssi_release(ctx, own);
}

// ---- reading a solution ---------------------------------------------------------------------

typedef struct solution_owner {
  ss_solution_file file;
  ssi_arena arena;
} solution_owner;

static ss_error read_solution(ss_context *ctx, const char *path, const ss_read_options *o,
                              const ss_file *problem, ssi_arena *scratch, ssi_arena *arena,
                              ss_solution *out) {
  ssi_source in;
  ss_format format = o->format;
  SS_TRY(ssi_input_read(ctx, path, scratch, &in));
  if (in.size == 0 || format == SS_FORMAT_AUTO) SS_TRY(recognise(ctx, &in, &format));
  if (format == SS_FORMAT_JSON) return ssi_read_json_solution(ctx, &in, problem, arena, out);
  if (format == SS_FORMAT_FCLIB) return ssi_read_fclib_solution(ctx, &in, problem, arena, out);
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
  ss_error e = read_solution(ctx, path, o, problem, &scratch, &own->arena, &own->file.solution);
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
  if (*format == SS_FORMAT_SICONOS)
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "%s: siconos files are read, not written", path);
  if (*format != SS_FORMAT_AUTO) return SS_OK;
  if (standard || ends_with(path, ".json"))
    *format = SS_FORMAT_JSON;
  else if (ends_with(path, ".hdf5") || ends_with(path, ".h5"))
    *format = SS_FORMAT_FCLIB;
  else if (ends_with(path, ".mtx"))
    *format = SS_FORMAT_MTX;
  else
    return ssi_fail(ctx, SS_ERR_ARGUMENT,
                    "%s: the ending does not tell the format, expected .hdf5 .h5 .json .mtx", path);
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

static ss_error write_set(ss_context *ctx, const char *path, const ss_file *what) {
  ssi_arena scratch = {.ctx = ctx};
  char *prefix = is_folder(path) ? join(&scratch, path, (int)strlen(path), "/problem")
                                 : join(&scratch, path, prefix_length(path), "");
  ss_error e = prefix ? ssi_write_mtx_set(ctx, prefix, what)
                      : ssi_fail(ctx, SS_ERR_MEMORY, "%s: no memory to write it", path);
  ssi_arena_release(&scratch);
  return e;
}

ss_error ss_file_write(ss_context *ctx, const char *path, ss_format format, const ss_file *what) {
  if (!path || !what || !is_format(format))
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "ss_file_write: path or what is NULL, or format unknown");
  SS_TRY(format_by_ending(ctx, path, &format));
  SS_TRY(ssi_check_structure(ctx, SS_ERR_DATA, path, what));
  if (format == SS_FORMAT_JSON) return ssi_write_json(ctx, path, what);
  if (format == SS_FORMAT_MTX) return write_set(ctx, path, what);
  return write_fclib(ctx, path, what, NULL);
}

ss_error ss_solution_write(ss_context *ctx, const char *path, ss_format format,
                           const ss_file *problem, const ss_solution *solution) {
  if (!path || !problem || !solution || !is_format(format))
    return ssi_fail(ctx, SS_ERR_ARGUMENT,
                    "ss_solution_write: path, problem or solution is NULL, or format unknown");
  SS_TRY(format_by_ending(ctx, path, &format));
  if (format == SS_FORMAT_MTX)
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "%s: a solution is written as .json, .hdf5 or .h5", path);
  SS_TRY(ssi_check_structure(ctx, SS_ERR_DATA, path, problem));
  if (format == SS_FORMAT_JSON) return ssi_write_json_solution(ctx, path, problem, solution);
  return write_fclib(ctx, path, problem, solution);
}
