// From the file of a model to the text of a scene.
#define _POSIX_C_SOURCE 200809L

#include "stickslip/import.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "io/reader.h"

const char *ss_import_base_name(ss_import_base b) {
  static const char *const names[] = {"auto", "fixed", "free"};
  return (unsigned)b < sizeof names / sizeof *names ? names[b] : NULL;
}

ss_import_options ss_import_options_default(void) {
  return (ss_import_options){.scale = 1, .density = 1000, .mu = 0.5, .duration = 1};
}

#if defined(SS_WITH_JANSSON) && defined(SS_WITH_XML)

#include "io/import/mesh_file.h"
#include "io/import/model_import.h"

typedef struct imported_owner {
  ss_imported seen;  // first: what the caller holds
  ss_context *ctx;
  ssi_arena arena;
} imported_owner;

static ss_error check_options(ss_context *ctx, const ss_import_options *o) {
  const double positive[] = {o->scale, o->density, o->duration};
  static const char *const names[] = {"scale", "density", "duration"};
  for (int k = 0; k < 3; k++)
    if (!(positive[k] > 0) || !isfinite(positive[k]))
      return ssi_fail(ctx, SS_ERR_ARGUMENT, "%s is %g, expected a number > 0", names[k],
                      positive[k]);
  if (!(o->mu >= 0) || !isfinite(o->mu))
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "mu is %g, expected a number >= 0", o->mu);
  if (!(o->step >= 0) || !isfinite(o->step))
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "step is %g, expected a number >= 0", o->step);
  if (!isfinite(o->ground_height))
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "ground_height is %g, expected a finite number",
                    o->ground_height);
  if (o->position_count && !o->positions) return ssi_missing(ctx, "ss_import");
  return SS_OK;
}

bool ssi_position_of(const ssi_foreign *m, const char *joint, double *out) {
  for (int k = 0; k < m->d.o->position_count; k++)
    if (strcmp(m->d.o->positions[k].joint, joint) == 0)
      return *out = m->d.o->positions[k].value, true;
  return false;
}

// ---- files that models name -----------------------------------------------------------------------

static const char *joined(ssi_arena *arena, const char *folder, size_t length, const char *rest) {
  size_t size = length + strlen(rest) + 2;
  char *path = SSI_TAKE(arena, size, char);
  if (path) snprintf(path, size, "%.*s%s%s", (int)length, folder, length ? "/" : "", rest);
  return path;
}

static bool is_there(const char *path) {
  struct stat st;
  return path && access(path, R_OK) == 0 && stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

// rest: NAME/...; looked for in the folder of packages, else in the model's and each above it; then without NAME.
static const char *in_packages(ssi_foreign *m, const char *rest) {
  const char *given = m->d.o->packages, *folder = given ? given : m->path,
             *inner = strchr(rest, '/');
  size_t length = given ? strlen(given) : 0;
  if (!given) {
    const char *slash = strrchr(folder, '/');
    length = slash ? (size_t)(slash - folder) : 0;
  }
  for (;;) {
    const char *whole = joined(m->x.arena, folder, length, rest);
    const char *bare = inner ? joined(m->x.arena, folder, length, inner + 1) : NULL;
    if (is_there(whole)) return whole;
    if (is_there(bare)) return bare;
    if (given || length == 0) return NULL;
    while (length > 0 && folder[--length] != '/') {
    }
  }
}

// A model does not make its reader wait for a pipe or a terminal, "-" for standard input included.
static bool is_file_or_missing(const char *path) {
  struct stat st;
  return strcmp(path, "-") != 0 && (stat(path, &st) != 0 || S_ISREG(st.st_mode));
}

ss_error ssi_foreign_file(ssi_foreign *m, xmlNode *node, const char *named, const char **out) {
  static const char package[] = "package://", file[] = "file://";
  if (strncmp(named, package, strlen(package)) == 0) {
    *out = in_packages(m, named + strlen(package));
    if (m->x.arena->failed) return ssi_scene_draft_no_memory(&m->d);
    if (*out) return SS_OK;
    return ssi_xml_wrong(&m->x, node, "there is no file %.120s; name the folder of its package",
                         named);
  }
  if (strncmp(named, file, strlen(file)) == 0) named += strlen(file);
  const char *slash = strrchr(m->path, '/');
  bool whole = *named == '/' || !slash;
  *out = joined(m->x.arena, m->path, whole ? 0 : (size_t)(slash - m->path), named);
  if (!*out) return ssi_scene_draft_no_memory(&m->d);
  if (is_file_or_missing(*out)) return SS_OK;
  return ssi_xml_wrong(&m->x, node, "%.120s is no file, expected the file of a mesh", named);
}

// ---- kinds ----------------------------------------------------------------------------------------

// The file's name without its folder, or "" where it is no text in UTF-8 and a scene cannot have it.
static const char *name_of_mesh(const ssi_source *in) {
  const char *slash = strrchr(in->name, '/'), *name = slash ? slash + 1 : in->name;
  json_t *text = json_string(name);
  json_decref(text);
  return text ? name : "";
}

static ss_error import_mesh(ssi_foreign *m, const ssi_source *in) {
  const double s = m->d.o->scale, scale[3] = {s, s, s};
  ssi_made_solid solid = {0};
  ssi_link link;
  ss_pose here = ss_pose_identity();
  SS_TRY(ssi_link_begin(&m->d, name_of_mesh(in), &here, &link));
  ss_error e = ssi_made_solid_surface(&m->d, in, scale, &solid);
  if (!e) e = ssi_link_add_part(&m->d, &link, &solid, &here);
  if (!e) e = ssi_link_add_solid(&m->d, &link, &solid, &here, 0, m->d.o->density);
  if (!e) ssi_scene_draft_body(&m->d, &link);
  ssi_link_end(&link);
  ssi_made_solid_release(&solid);
  return e;
}

static ss_error check_positions(ssi_foreign *m) {
  for (int k = 0; k < m->d.o->position_count; k++) {
    const char *name = m->d.o->positions[k].joint;
    bool found = false;
    for (size_t i = 0; i < json_array_size(m->d.joints); i++) {
      const char *known =
          json_string_value(json_object_get(json_array_get(m->d.joints, i), "name"));
      found = found || (known && strcmp(known, name) == 0);
    }
    if (!found)
      return ssi_fail(m->x.ctx, SS_ERR_FORMAT,
                      "%s: there is no joint '%.80s' that moves, to be placed", m->x.name, name);
  }
  return SS_OK;
}

static ss_error import_xml(ssi_foreign *m, const ssi_source *in, const char **kind) {
  SS_TRY(ssi_xml_begin(&m->x, in));
  xmlNode *root = xmlDocGetRootElement(m->x.document);
  bool robot = root && ssi_xml_is(root, "robot"), mujoco = root && ssi_xml_is(root, "mujoco");
  if (!robot && !mujoco)
    return ssi_fail(m->x.ctx, SS_ERR_FORMAT,
                    "%s: the root element is <%.40s>, expected <robot> (URDF) or <mujoco> (MJCF)",
                    in->name, root ? (const char *)root->name : "");
  ssi_xml_seen(root);
  *kind = robot ? "urdf" : "mjcf";
  SS_TRY(robot ? ssi_import_urdf(m, root) : ssi_import_mjcf(m, root));
  ssi_xml_leave_rest(&m->x);
  return check_positions(m);
}

static bool may_be_xml(const ssi_source *in) {
  size_t at = ssi_after_blanks(in);
  return at < in->size && in->bytes[at] == '<';
}

static ss_error read_model(ssi_foreign *m, const ssi_source *in, const char **kind) {
  if (may_be_xml(in)) return import_xml(m, in, kind);
  *kind = ssi_is_stl(in) ? "stl" : "obj";
  if (!ssi_is_stl(in) && !ssi_ends_with(in->name, ".obj") && !ssi_ends_with(in->name, ".OBJ"))
    return ssi_fail(m->x.ctx, SS_ERR_FORMAT,
                    "%s: found no model in it; expected URDF, MJCF, STL or (.obj) OBJ", in->name);
  return import_mesh(m, in);
}

// ---- the result -----------------------------------------------------------------------------------

static ss_error check_scene(ss_context *ctx, const char *name, const char *text) {
  ss_scene *scene = NULL;
  ss_error e = ss_scene_parse(ctx, name, text, strlen(text), &scene);
  ss_scene_close(scene);
  return e ? ssi_fail_within(ctx, e, "the scene that this would be") : SS_OK;
}

static bool keep_files(const json_t *files, imported_owner *o) {
  size_t count = json_array_size(files);
  const char **names = SSI_TAKE(&o->arena, count + 1, const char *);
  for (size_t k = 0; names && k < count; k++) {
    const json_t *name = json_array_get(files, k);
    char *copy = SSI_TAKE(&o->arena, json_string_length(name) + 1, char);
    if (!copy) return false;
    names[k] = strcpy(copy, json_string_value(name));
  }
  o->seen.files = names;
  o->seen.file_count = (int)count;
  return names != NULL;
}

static ss_error keep_result(ssi_foreign *m, imported_owner *o) {
  char *text = NULL;
  SS_TRY(ssi_scene_draft_text(&m->d, &text));
  if (m->x.arena->failed) {
    free(text);
    return ssi_scene_draft_no_memory(&m->d);
  }
  size_t size = strlen(text) + 1;
  char *copy = SSI_TAKE(&o->arena, size + 1, char);
  const char **left = SSI_TAKE(&o->arena, m->x.left_count + 1, const char *);
  bool kept = keep_files(m->d.files, o);
  ss_error e = copy && left && kept ? SS_OK : ssi_scene_draft_no_memory(&m->d);
  if (!e) {
    memcpy(copy, text, size - 1);
    copy[size - 1] = '\n';
    for (size_t k = 0; k < m->x.left_count; k++) left[k] = m->x.left[k];
    o->seen.text = copy;
    o->seen.left = left;
    o->seen.left_count = (int)m->x.left_count;
    o->seen.bodies = (int)json_array_size(m->d.bodies);
    o->seen.externals = (int)json_array_size(m->d.externals);
    o->seen.joints = (int)json_array_size(m->d.joints);
    o->seen.elements = (int)(json_array_size(m->d.springs) + json_array_size(m->d.dampers) +
                             json_array_size(m->d.bushings));
    e = check_scene(m->x.ctx, m->x.name, copy);
  }
  free(text);
  return e;
}

static ss_error import_source(ss_context *ctx, const ssi_source *in, const ss_import_options *o,
                              imported_owner *owner) {
  ssi_foreign m = {.x = {.ctx = ctx, .name = in->name, .arena = &owner->arena},
                   .d = {.ctx = ctx, .name = in->name, .o = o},
                   .path = in->name};
  ss_error e = ssi_scene_draft_begin(&m.d);
  if (!e) e = read_model(&m, in, &owner->seen.kind);
  if (!e) e = keep_result(&m, owner);
  ssi_scene_draft_end(&m.d);
  ssi_xml_end(&m.x);
  return e;
}

// A copy with a zero behind it, which the readers of text stop at.
static ss_error take_bytes(ss_context *ctx, ssi_arena *arena, ssi_source *in) {
  char *copy = in->size < SIZE_MAX ? SSI_TAKE(arena, in->size + 1, char) : NULL;
  if (!copy) return ssi_fail(ctx, SS_ERR_MEMORY, "%s: no memory to import it", in->name);
  if (in->size) memcpy(copy, in->bytes, in->size);
  in->bytes = copy;
  return SS_OK;
}

// in.bytes NULL: the file of that name is read first.
static ss_error import(ss_context *ctx, ssi_source in, const ss_import_options *o,
                       ss_imported **out) {
  *out = NULL;
  ss_import_options options = o ? *o : ss_import_options_default();
  SS_TRY(check_options(ctx, &options));
  ssi_arena arena = {.ctx = ctx};
  imported_owner *owner = SSI_TAKE(&arena, 1, imported_owner);
  if (!owner) return ssi_fail(ctx, SS_ERR_MEMORY, "%s: no memory to import it", in.name);
  owner->ctx = ctx;
  owner->arena = arena;
  ss_error e = in.bytes ? take_bytes(ctx, &owner->arena, &in)
                        : ssi_input_read(ctx, in.name, &owner->arena, &in);
  if (!e) e = import_source(ctx, &in, &options, owner);
  if (e)
    ss_imported_destroy(&owner->seen);
  else
    *out = &owner->seen;
  return e;
}

ss_error ss_import(ss_context *ctx, const char *path, const ss_import_options *o,
                   ss_imported **out) {
  if (!path || !out) return ssi_missing(ctx, "ss_import");
  return import(ctx, (ssi_source){.name = path}, o, out);
}

ss_error ss_import_parse(ss_context *ctx, const char *name, const char *bytes, size_t size,
                         const ss_import_options *o, ss_imported **out) {
  if (!bytes || !out) return ssi_missing(ctx, "ss_import_parse");
  return import(ctx, (ssi_source){name ? name : "model", bytes, size}, o, out);
}

void ss_imported_destroy(ss_imported *i) {
  if (i) ssi_arena_release_home(((imported_owner *)i)->arena);
}

#else

ss_error ss_import(ss_context *ctx, const char *path, const ss_import_options *o,
                   ss_imported **out) {
  (void)o;
  if (out) *out = NULL;
  return ssi_fail(ctx, SS_ERR_UNSUPPORTED,
                  "%s: models of other programs are read with libxml2 and Jansson, and this "
                  "build lacks one of them",
                  path ? path : "");
}

ss_error ss_import_parse(ss_context *ctx, const char *name, const char *bytes, size_t size,
                         const ss_import_options *o, ss_imported **out) {
  (void)bytes, (void)size;
  return ss_import(ctx, name, o, out);
}

void ss_imported_destroy(ss_imported *i) {
  (void)i;
}

#endif

ss_error ss_imported_write(ss_context *ctx, const ss_imported *i, const char *path) {
  if (!i || !i->text || !path) return ssi_missing(ctx, "ss_imported_write");
  ssi_output *out;
  SS_TRY(ssi_output_begin(ctx, path, &out));
  ssi_output_text(out, "%s", i->text);
  return ssi_output_commit(ctx, out);
}
