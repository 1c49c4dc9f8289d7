// stickslip/io.h - problem and solution files. docs/formats.md describes each format.
#pragma once

#include "stickslip/certify.h"
#include "stickslip/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ss_format {
  SS_FORMAT_AUTO,     // by content when reading, by the name's ending when writing
  SS_FORMAT_FCLIB,    // HDF5, local or global       .hdf5 .h5        read, write
  SS_FORMAT_SICONOS,  // text of the Siconos project  .dat             read, write
  SS_FORMAT_MTX,      // Matrix Market set  NAME.M.mtx, NAME.H.mtx ... read, write
  SS_FORMAT_JSON,     //                              .json            read, write
} ss_format;
SS_API const char *ss_format_name(ss_format f);  // "auto", "fclib", "siconos", "mtx", "json"

typedef enum ss_form_hint { SS_FORM_ANY, SS_FORM_LOCAL, SS_FORM_GLOBAL } ss_form_hint;

typedef struct ss_read_options {
  ss_format format;
  ss_form_hint form;  // overrides the reader's own guess where a file does not say (.dat)
  bool isolate;       // read HDF5 in a child process, so that a crash inside libhdf5 is an error
  bool check;         // refuse what ss_problem_check refuses, and say what it says
} ss_read_options;

// A problem with its owner and what came with it. Released as a whole by ss_file_close.
typedef struct ss_file {
  ss_format format;
  ss_problem problem;
  ss_solution solution;        // arrays NULL where the file has none
  const ss_solution *guesses;  // (guess_count)
  int guess_count;
  const double
      *normals;  // unit normals in world axes, or NULL: frames are the contacts' own (dim nc)
  // An instant (status.h), accelerations for velocities: gaps and their rates. NULL: none in the file.
  const double *gap;             // (nc)
  const double *rate;            // contact frames                              (dim nc)
  const struct ss_exact *exact;  // (enumerate.h) JSON is written with these texts; NULL: none
  const char *title, *description, *math_info;  // NULL where absent
  void *memory;                                 // owner of every array above
} ss_file;

// path "-" is standard input. What was accepted but deserves a word (duplicates summed, unsorted
// entries) is said through ctx->log at SS_LOG_WARN. Problem data is checked for sizes, index ranges
// and finiteness here; ss_problem_check, or `check`, does the rest.
SS_API ss_error ss_file_open(ss_context *ctx, const char *path, const ss_read_options *o,
                             ss_file **out);
SS_API void ss_file_close(ss_file *f);  // NULL allowed

// Every contact's part of x (dim nc) from its own frame to world axes, in place; nothing without normals.
SS_API void ss_file_to_world(const ss_file *f, double *x);

// Writes aside, then renames: a failed write leaves what was there before. "-" is standard output
// (JSON only). memory and format of `what` are ignored.
SS_API ss_error ss_file_write(ss_context *ctx, const char *path, ss_format format,
                              const ss_file *what);

// The same as Siconos text with its matrices in one of the format's storages. SPARSE, which ss_file_write uses, keeps zeros
// that are stored. Bilateral constraints have no place there: SS_ERR_ARGUMENT.
typedef enum ss_siconos_storage {  // as the file says it
  SS_SICONOS_DENSE,
  SS_SICONOS_BLOCKS,  // one for two contacts (local); bodies, or a body and a contact (global)
  SS_SICONOS_SPARSE
} ss_siconos_storage;
SS_API ss_error ss_siconos_write(ss_context *ctx, const char *path, ss_siconos_storage storage,
                                 const ss_file *what);

// A solution of `problem`: JSON {"r":[], "u":[], ...} (a "solutions" array: its first), or the
// /solution group of an FCLIB file. With normals, world axes in a JSON file and contact frames here;
// FCLIB is always in contact frames.
// A file written by `stickslip certify` gives a certificate instead; to be checked, not believed.
// What such a file says beside the certificate itself.
typedef struct ss_certificate_said {
  int dim, contacts, dofs, bilateral;  // of the problem; -1: not said
  int form;                            // ss_form; -1: not said
  ss_tristate jams;  // the impulses are called a jamming mode (SS_YES), or only limiting

  bool settled;  // trying all states decided what the certificate leaves open:
  bool by_enumeration, by_all_states;  // the reason that is given says so,
  ss_existence verdict;                // this is the verdict,
  int count;                           // the number of solutions; -1: not said
  ss_tristate exact;                   // and whether it was found in rational arithmetic;
  int cells;                           // or the cells that were excluded, -1: not said,
  double reach;                        // for reactions up to this; NAN: not said

  ss_certificate_report check;  // what a check found; NAN, contacts -2: not said

  ss_every_mu every_mu;  // what for_every_mu and every_mu say
  bool assumed;          // assumptions are said
  ss_assumptions assumptions;

  bool mu_range;  // criterion (A) holds at the first of these common coefficients and fails at the
  double mu_from, mu_to, holds_at, fails_at;  // second, both within from .. to; NAN: not said
} ss_certificate_said;

typedef struct ss_solution_file {
  ss_solution solution;
  const ss_certificate *certificate;  // NULL: the file holds a solution
  const ss_certificate_said *said;    // with a certificate
  void *memory;
} ss_solution_file;
SS_API ss_error ss_solution_open(ss_context *ctx, const char *path, const ss_read_options *o,
                                 const ss_file *problem, ss_solution_file **out);
SS_API void ss_solution_close(ss_solution_file *f);  // NULL allowed
SS_API ss_error ss_solution_write(ss_context *ctx, const char *path, ss_format format,
                                  const ss_file *problem, const ss_solution *solution);

// Removes the files that a write under way in this process has made aside and given a name. For a handler of signals that
// ends the process: it takes no lock and no memory. What was there before, and what is complete, stays.
SS_API void ss_unfinished_remove(void);

#ifdef __cplusplus
}
#endif
