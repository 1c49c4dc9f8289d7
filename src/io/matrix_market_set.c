// A problem as a set of Matrix Market files, in our conventions (docs/formats-matrix-market.md):
//
//   NAME.W.mtx  q mu                [V R s]    u = W r + V l + q,  V^T r + R l + s = 0
//   NAME.M.mtx  H f w mu            [G b]      M v + f = H^T r + G l,  u = H v + w,  G^T v + b = 0
//   NAME.r.mtx  u v l               each optional: a solution
//
// The mu file says the dimension in a comment, "%stickslip dim 3". The vectors are read first:
// their lengths, backed by bytes in files, are what the matrices must have.
#define _POSIX_C_SOURCE 200809L

#include "io/matrix_market.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "la/sparse.h"

typedef struct set {
  ss_context *ctx;
  const char *prefix;
  ssi_arena *arena;    // for what is kept
  ssi_arena *scratch;  // for paths and texts
} set;

static const char *const part_names[] = {"W", "q", "V", "R",  "s", "M", "H", "f",
                                         "w", "G", "b", "mu", "r", "u", "v", "l"};
enum { PARTS = sizeof part_names / sizeof *part_names };

static ss_error no_memory(const set *s) {
  return ssi_fail(s->ctx, SS_ERR_MEMORY, "%s: no memory", s->prefix);
}

// ---- names -------------------------------------------------------------------------------------

static const char *join(ssi_arena *arena, const char *head, size_t length, const char *tail) {
  char *text = SSI_TAKE(arena, length + strlen(tail) + 1, char);
  if (!text) return NULL;
  memcpy(text, head, length);
  strcpy(text + length, tail);
  return text;
}

static const char *part_path(const set *s, const char *part) {
  char ending[16];
  snprintf(ending, sizeof ending, ".%s.mtx", part);
  return join(s->scratch, s->prefix, strlen(s->prefix), ending);
}

static bool has_part(const set *s, const char *part) {
  struct stat st;
  const char *path = part_path(s, part);
  return path && stat(path, &st) == 0;
}

// "NAME.W.mtx", "NAME.mu.mtx", ... and "NAME.mtx" are all ways to say NAME.
static ss_error strip_ending(set *s, const char *path) {
  size_t length = strlen(path);
  if (ssi_ends_with(path, ".mtx")) length -= 4;
  for (int k = 0; k < PARTS && length < strlen(path); k++) {
    char ending[16];
    snprintf(ending, sizeof ending, ".%s.mtx", part_names[k]);
    if (ssi_ends_with(path, ending)) length = strlen(path) - strlen(ending);
  }
  s->prefix = join(s->scratch, path, length, "");
  return s->prefix ? SS_OK : ssi_fail(s->ctx, SS_ERR_MEMORY, "%s: no memory", path);
}

// The one NAME.W.mtx or NAME.M.mtx of a folder.
static ss_error find_in_folder(set *s, const char *folder, ss_form *form) {
  DIR *list = opendir(folder);
  if (!list)
    return ssi_fail(s->ctx, SS_ERR_READ, "%s: cannot be opened: %s", folder, strerror(errno));
  const char *first = NULL, *second = NULL;
  for (struct dirent *d; !second && (d = readdir(list));) {
    if (!ssi_ends_with(d->d_name, ".W.mtx") && !ssi_ends_with(d->d_name, ".M.mtx")) continue;
    const char *name = join(s->scratch, d->d_name, strlen(d->d_name), "");
    if (!name) break;
    *(first ? &second : &first) = name;
  }
  closedir(list);
  if (s->scratch->failed) return ssi_fail(s->ctx, SS_ERR_MEMORY, "%s: no memory", folder);
  if (second)
    return ssi_fail(s->ctx, SS_ERR_READ, "%s: has %s and %s, expected one of them; name it", folder,
                    first, second);
  if (!first)
    return ssi_fail(s->ctx, SS_ERR_READ,
                    "%s: is a folder without a file that ends in .W.mtx or .M.mtx", folder);
  *form = ssi_ends_with(first, ".W.mtx") ? SS_REDUCED : SS_GLOBAL;
  const char *with_slash = join(s->scratch, folder, strlen(folder), "/");
  if (!with_slash) return ssi_fail(s->ctx, SS_ERR_MEMORY, "%s: no memory", folder);
  s->prefix = join(s->scratch, with_slash, strlen(with_slash), first);
  return s->prefix ? strip_ending(s, s->prefix) : SS_ERR_MEMORY;
}

static ss_error find_set(set *s, const char *path, ss_form *form) {
  if (strcmp(path, "-") == 0)
    return ssi_fail(s->ctx, SS_ERR_READ, "standard input: a Matrix Market set is several files");
  SS_TRY(strip_ending(s, path));
  bool reduced = has_part(s, "W"), global = has_part(s, "M");
  if (s->scratch->failed) return no_memory(s);
  if (reduced && global) {
    reduced = !ssi_ends_with(path, ".M.mtx");
    if (reduced && !ssi_ends_with(path, ".W.mtx"))
      return ssi_fail(s->ctx, SS_ERR_READ, "%s: there are both %s.W.mtx and %s.M.mtx; name one",
                      path, s->prefix, s->prefix);
  }
  if (!reduced && !global) {
    if (ssi_is_folder(path)) return find_in_folder(s, path, form);
    return ssi_fail(s->ctx, SS_ERR_READ, "%s: there is neither %s.W.mtx nor %s.M.mtx", path,
                    s->prefix, s->prefix);
  }
  *form = reduced ? SS_REDUCED : SS_GLOBAL;
  return SS_OK;
}

// ---- reading -----------------------------------------------------------------------------------

static ss_error read_part(const set *s, const char *part, ssi_mtx_size size, ssi_arena *arena,
                          ss_sparse *out, int *dim) {
  ssi_arena text = {.ctx = s->ctx};
  ssi_source in;
  const char *path = part_path(s, part);
  if (!path) return no_memory(s);
  ss_error error = ssi_input_read_judged(s->ctx, path, ssi_may_be_text, &text, &in);
  if (!error) error = ssi_read_mtx_sized(s->ctx, &in, size, arena, out, dim);
  ssi_arena_release(&text);
  return error;
}

static ss_error read_matrix(const set *s, const char *part, int rows, int cols, ss_sparse *out) {
  return read_part(s, part, (ssi_mtx_size){rows, cols}, s->arena, out, NULL);
}

// A vector of `*count` numbers, or of as many as there are if *count < 0.
static ss_error read_vector(const set *s, const char *part, int *count, const double **out,
                            int *dim) {
  ssi_arena column_memory = {.ctx = s->ctx};
  ss_sparse column;
  ss_error error = read_part(s, part, (ssi_mtx_size){*count, 1}, &column_memory, &column, dim);
  double *x = error ? NULL : SSI_TAKE(s->arena, column.rows, double);
  if (!error && !x) error = no_memory(s);
  if (!error) {
    for (int i = 0; i < column.rows; i++)
      if (column.ptr[i + 1] > column.ptr[i]) x[i] = column.x[column.ptr[i]];
    *count = column.rows;
    *out = x;
  }
  ssi_arena_release(&column_memory);
  return error;
}

static ss_error read_optional_vector(const set *s, const char *part, int count,
                                     const double **out) {
  return has_part(s, part) ? read_vector(s, part, &count, out, NULL) : SS_OK;
}

// `rows` contact components and nc friction coefficients make the dimension, unless it is said.
static ss_error check_dimension(const set *s, ss_problem *p, int rows) {
  if (p->dim == 0 && p->nc == 0)
    return ssi_fail(s->ctx, SS_ERR_FORMAT,
                    "%s.mu.mtx: no contacts and no comment '%%stickslip dim 2' or '... 3', so the "
                    "dimension is not known",
                    s->prefix);
  if (p->dim == 0) p->dim = rows % p->nc == 0 ? rows / p->nc : 0;
  if ((p->dim == 2 || p->dim == 3) && (int64_t)p->dim * p->nc == rows) return SS_OK;
  return ssi_fail(s->ctx, SS_ERR_FORMAT,
                  "%s.mu.mtx: %d friction coefficients for %d contact components, expected %s%d "
                  "components each",
                  s->prefix, p->nc, rows, p->dim == 0 ? "2 or " : "", p->dim == 2 ? 2 : 3);
}

static ss_error read_friction(const set *s, ss_problem *p) {
  p->nc = -1;
  SS_TRY(read_vector(s, "mu", &p->nc, &p->mu, &p->dim));
  for (int k = 0; k < p->nc; k++)
    if (p->mu[k] < 0)
      return ssi_fail(s->ctx, SS_ERR_FORMAT,
                      "%s.mu.mtx: friction coefficient of contact %d is %g, expected >= 0",
                      s->prefix, k, p->mu[k]);
  return SS_OK;
}

static ss_error read_reduced(const set *s, ss_problem *p) {
  int m = -1;
  SS_TRY(read_vector(s, "q", &m, &p->q, NULL));
  SS_TRY(check_dimension(s, p, m));
  SS_TRY(read_matrix(s, "W", m, m, &p->W));
  if (!has_part(s, "V") && !has_part(s, "R") && !has_part(s, "s")) return SS_OK;
  p->nl = -1;
  SS_TRY(read_vector(s, "s", &p->nl, &p->s, NULL));
  SS_TRY(read_matrix(s, "V", m, p->nl, &p->V));
  return read_matrix(s, "R", p->nl, p->nl, &p->R);
}

static ss_error read_global(const set *s, ss_problem *p) {
  int m = -1;
  p->ndof = -1;
  SS_TRY(read_vector(s, "w", &m, &p->w, NULL));
  SS_TRY(check_dimension(s, p, m));
  SS_TRY(read_vector(s, "f", &p->ndof, &p->f, NULL));
  SS_TRY(read_matrix(s, "M", p->ndof, p->ndof, &p->M));
  SS_TRY(read_matrix(s, "H", m, p->ndof, &p->H));
  if (!has_part(s, "G") && !has_part(s, "b")) return SS_OK;
  p->nl = -1;
  SS_TRY(read_vector(s, "b", &p->nl, &p->b, NULL));
  return read_matrix(s, "G", p->ndof, p->nl, &p->G);
}

static ss_error read_solution(const set *s, const ss_problem *p, ss_solution *out) {
  int m = p->dim * p->nc;
  SS_TRY(read_optional_vector(s, "r", m, &out->r));
  SS_TRY(read_optional_vector(s, "u", m, &out->u));
  if (p->form == SS_GLOBAL) SS_TRY(read_optional_vector(s, "v", p->ndof, &out->v));
  return p->nl > 0 ? read_optional_vector(s, "l", p->nl, &out->l) : SS_OK;
}

static ss_error read_set(set *s, const char *path, ss_problem *p, ss_solution *solution) {
  SS_TRY(find_set(s, path, &p->form));
  SS_TRY(read_friction(s, p));
  SS_TRY(p->form == SS_REDUCED ? read_reduced(s, p) : read_global(s, p));
  return read_solution(s, p, solution);
}

ss_error ssi_read_mtx_set(ss_context *ctx, const char *prefix, ssi_arena *arena, ss_file *out) {
  ssi_arena scratch = {.ctx = ctx};
  set s = {.ctx = ctx, .arena = arena, .scratch = &scratch};
  ss_problem p = {0};
  ss_solution solution = {0};
  ss_error error = read_set(&s, prefix, &p, &solution);
  if (!error && (scratch.failed || arena->failed)) error = no_memory(&s);
  ssi_arena_release(&scratch);
  if (error) return error;
  out->format = SS_FORMAT_MTX;
  out->problem = p;
  out->solution = solution;
  return SS_OK;
}

// ---- writing -----------------------------------------------------------------------------------

typedef struct part {
  const char *name, *comment;
  int rows, cols;
  const ss_sparse *A;  // a matrix, or NULL
  const double *x;     // a vector (rows), or NULL
} part;

typedef struct mtx_parts {
  int count;
  part list[PARTS];
} mtx_parts;

static void add_matrix(mtx_parts *all, const char *name, const char *comment, int rows, int cols,
                       const ss_sparse *A) {
  all->list[all->count++] = (part){name, comment, rows, cols, A, NULL};
}

static void add_vector(mtx_parts *all, const char *name, const char *comment, int rows,
                       const double *x) {
  all->list[all->count++] = (part){name, comment, rows, 1, NULL, x};
}

static void add_optional(mtx_parts *all, const char *name, const char *comment, int rows,
                         const double *x) {
  if (x) add_vector(all, name, comment, rows, x);
}

// The matrix that makes it a set comes last, so that a set cut off by a crash is none.
static void list_parts(const ss_file *what, mtx_parts *all) {
  const ss_problem *p = &what->problem;
  const ss_solution *x = &what->solution;
  const char *reduced = "% stickslip, reduced form: u = W r + V l + q, V^T r + R l + s = 0";
  const char *global =
      "% stickslip, global form: M v + f = H^T r + G l, u = H v + w, G^T v + b = 0";
  const char *comment = p->form == SS_REDUCED ? reduced : global;
  int m = p->dim * p->nc;
  all->count = 0;
  add_vector(all, "mu", p->dim == 2 ? "%stickslip dim 2" : "%stickslip dim 3", p->nc, p->mu);
  add_optional(all, "r", "% stickslip: reactions, normal component first", m, x->r);
  add_optional(all, "u", "% stickslip: relative velocities, normal component first", m, x->u);
  if (p->nl > 0)
    add_optional(all, "l", "% stickslip: multipliers of the bilateral part", p->nl, x->l);
  if (p->form == SS_REDUCED) {
    add_vector(all, "q", comment, m, p->q);
    if (p->nl > 0) {
      add_vector(all, "s", comment, p->nl, p->s);
      add_matrix(all, "V", comment, m, p->nl, &p->V);
      add_matrix(all, "R", comment, p->nl, p->nl, &p->R);
    }
    add_matrix(all, "W", comment, m, m, &p->W);
  } else {
    add_optional(all, "v", "% stickslip: velocities", p->ndof, x->v);
    add_vector(all, "f", comment, p->ndof, p->f);
    add_vector(all, "w", comment, m, p->w);
    if (p->nl > 0) {
      add_vector(all, "b", comment, p->nl, p->b);
      add_matrix(all, "G", comment, p->ndof, p->nl, &p->G);
    }
    add_matrix(all, "H", comment, m, p->ndof, &p->H);
    add_matrix(all, "M", comment, p->ndof, p->ndof, &p->M);
  }
}

static void write_numbers(ssi_output *o, const part *p) {
  ssi_output_text(o, "%%%%MatrixMarket matrix %s real general\n%s\n", p->A ? "coordinate" : "array",
                  p->comment);
  if (!p->A) {
    ssi_output_text(o, "%d 1\n", p->rows);
    for (int i = 0; i < p->rows; i++) {
      ssi_output_number(o, p->x[i]);
      ssi_output_text(o, "\n");
    }
    return;
  }
  int64_t count = ssi_sparse_entries(p->A);
  ssi_output_text(o, "%d %d %lld\n", p->rows, p->cols, (long long)count);
  for (int i = 0; count && i < p->rows; i++)
    for (int64_t k = p->A->ptr[i]; k < p->A->ptr[i + 1]; k++) {
      ssi_output_text(o, "%d %lld ", i + 1, (long long)p->A->col[k] + 1);
      ssi_output_number(o, p->A->x[k]);
      ssi_output_text(o, "\n");
    }
}

// A part of the old set that the new one does not have would be read with it.
static ss_error refuse_leftovers(const set *s, const mtx_parts *all) {
  for (int k = 0; k < PARTS; k++) {
    bool written = false;
    for (int j = 0; j < all->count; j++)
      if (strcmp(part_names[k], all->list[j].name) == 0) written = true;
    if (!written && has_part(s, part_names[k]))
      return ssi_fail(s->ctx, SS_ERR_WRITE,
                      "%s.%s.mtx: is there from another set of this name and would be read as part "
                      "of the new one; remove it or choose another name",
                      s->prefix, part_names[k]);
  }
  return s->scratch->failed ? no_memory(s) : SS_OK;
}

// What is not finite could be written but not read again.
static ss_error check_numbers(const set *s, const part *p) {
  int64_t count = p->A ? ssi_sparse_entries(p->A) : p->rows;
  const double *x = p->A ? p->A->x : p->x;
  if (count > 0 && !x)
    return ssi_fail(s->ctx, SS_ERR_ARGUMENT, "%s.%s.mtx: there are no numbers to write", s->prefix,
                    p->name);
  for (int64_t k = 0; k < count; k++)
    if (!isfinite(x[k]))
      return ssi_fail(s->ctx, SS_ERR_DATA, "%s.%s.mtx: entry %lld is %g, expected a finite number",
                      s->prefix, p->name, (long long)k, x[k]);
  return SS_OK;
}

// Everything is complete on disk, under other names, before the first file takes its name.
static ss_error write_aside(const set *s, const part *p, ssi_aside *a) {
  ssi_output *o;
  const char *path = part_path(s, p->name);
  if (!path) return no_memory(s);
  SS_TRY(check_numbers(s, p));
  SS_TRY(ssi_output_begin(s->ctx, path, &o));
  write_numbers(o, p);
  return ssi_output_close(s->ctx, o, a);
}

static ss_error write_set(const set *s, const mtx_parts *all) {
  ssi_aside aside[PARTS] = {0};
  ss_error error = refuse_leftovers(s, all);
  for (int k = 0; !error && k < all->count; k++) error = write_aside(s, &all->list[k], &aside[k]);
  for (int k = 0; !error && k < all->count; k++) error = ssi_aside_commit(s->ctx, &aside[k]);
  for (int k = 0; k < all->count; k++) ssi_aside_abandon(s->ctx, &aside[k]);
  return error;
}

ss_error ssi_write_mtx_set(ss_context *ctx, const char *prefix, const ss_file *what) {
  ssi_arena scratch = {.ctx = ctx};
  set s = {.ctx = ctx, .scratch = &scratch};
  mtx_parts all;
  if (strcmp(prefix, "-") == 0)
    return ssi_fail(ctx, SS_ERR_WRITE, "standard output: a Matrix Market set is several files");
  ss_error error = strip_ending(&s, prefix);
  if (!error && ssi_is_folder(prefix)) {
    s.prefix = join(&scratch, prefix, strlen(prefix), "/problem");
    if (!s.prefix) error = ssi_fail(ctx, SS_ERR_MEMORY, "%s: no memory", prefix);
  }
  if (!error) {
    list_parts(what, &all);
    error = write_set(&s, &all);
  }
  if (!error && (what->guess_count > 0 || what->normals))
    ssi_log(ctx, SS_LOG_WARN, "%s: guesses and normals have no place in a Matrix Market set",
            s.prefix);
  ssi_arena_release(&scratch);
  return error;
}
