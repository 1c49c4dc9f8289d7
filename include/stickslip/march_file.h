// stickslip/march_file.h - files of elastic bodies and of structures given by their matrices, and what their
// runs leave behind. docs/elastic.md has the formats.
#pragma once

#include "stickslip/elastic.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ss_march_file {
  const char *title;       // NULL: none
  bool elastic;            // "kind": "elastic", the scene; else "structure", the matrices
  ss_elastic_scene scene;  // its stepping is that of the file
  ss_structure structure;
  ss_march_options stepping;
  int every;  // steps between saved states
} ss_march_file;

// Does the text hold "kind": "elastic" or "structure"?
SS_API bool ss_march_file_is(const char *text);

// Errors name file and JSON pointer: "s.json: /bodies/0/mesh/kind: ...". Mesh files are looked for in
// `folder` (NULL: here). SS_ERR_UNSUPPORTED in a build without JSON.
SS_API ss_error ss_march_file_parse(ss_context *ctx, const char *name, const char *folder,
                                    const char *text, size_t size, ss_march_file **out);
SS_API void ss_march_file_close(ss_march_file *f);  // NULL allowed

// The models that come with the library: name, one line about it, its JSON text. NULL past the last.
SS_API const char *ss_march_builtin(int index, const char **about, const char **text);

// ---- records ---------------------------------------------------------------------------------------

typedef struct ss_march_record ss_march_record;

// bodies: the model the march is of, for meshes and contacts' places; NULL: there is none. Both must outlive it.
SS_API ss_error ss_march_record_create(ss_context *ctx, const ss_structure *s,
                                       const ss_elastic *bodies, ss_march_record **out);
SS_API void ss_march_record_destroy(ss_march_record *r);  // NULL allowed
SS_API ss_error ss_march_record_append(ss_march_record *r, const ss_march *m,
                                       const ss_march_info *info);

// By the ending: FILE.csv (steps) with FILE-contacts.csv beside it; FILE.h5, all of it; FILE.pvd with a
// folder of .vtu files (displacement, stress, contacts) for ParaView. Written aside, then renamed.
SS_API ss_error ss_march_record_write(ss_context *ctx, const char *path, const ss_march_record *r);

#ifdef __cplusplus
}
#endif
