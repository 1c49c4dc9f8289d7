#ifdef SS_WITH_JANSSON

#include "io/scene_rows.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/error.h"
#include "base/words.h"
#include "io/scene_advice.h"
#include "stickslip/scene.h"

// ---- the tables -------------------------------------------------------------------------------

#define COUNT_OF(rows) (int)(sizeof rows / sizeof *rows)
#define OBJECT(what, table, words)                                                                 \
  const ssi_object ssi_scene_##what = {#what, table, COUNT_OF(table), words, .first_kind = false}

static const char *const overlap_words[] = {"refuse", "push", NULL};
static const ssi_row scene_rows[] = {
    {"title", SSI_TEXT, offsetof(ss_scene, title), .only = 0},
    {"dim", SSI_OTHER, 0, .only = 0},
    {"gravity", SSI_VECTOR, offsetof(ss_scene, gravity), .only = 0},
    {"materials", SSI_OTHER, 0, .only = 0},
    {"laws", SSI_OTHER, 0, .only = 0},
    {"shapes", SSI_OTHER, 0, .only = 0},
    {"bodies", SSI_OTHER, 0, .only = 0},
    {"generators", SSI_OTHER, 0, .only = 0},
    {"externals", SSI_OTHER, 0, .only = 0},
    {"joints", SSI_OTHER, 0, .only = 0},
    {"springs", SSI_OTHER, 0, .only = 0},
    {"dampers", SSI_OTHER, 0, .only = 0},
    {"bushings", SSI_OTHER, 0, .only = 0},
    {"loads", SSI_OTHER, 0, .only = 0},
    {"stepping", SSI_OTHER, 0, .only = 0},
    {"solver", SSI_OTHER, 0, .only = 0},
    {"output", SSI_OTHER, 0, .only = 0},
    {"overlap", SSI_WORD, offsetof(ss_scene, overlap), .words = overlap_words},
};
OBJECT(scene, scene_rows, NULL);

static const ssi_row material_rows[] = {
    {"name", SSI_TEXT, offsetof(ss_material, name), .required = true},
    {"mu", SSI_NUMBER, offsetof(ss_material, mu), .required = true},
    {"restitution", SSI_NUMBER, offsetof(ss_material, restitution), .only = 0},
    {"density", SSI_NUMBER, offsetof(ss_material, density), .only = 0},
};
OBJECT(material, material_rows, NULL);

static const ssi_row law_rows[] = {
    {"between", SSI_OTHER, 0, .required = true},
    {"mu", SSI_NUMBER, offsetof(ss_pair_law, mu), .required = true},
    {"restitution", SSI_NUMBER, offsetof(ss_pair_law, restitution), .only = 0},
};
OBJECT(law, law_rows, NULL);

// disk and polygon are the names of sphere and hull in the plane
static const char *const shape_words[] = {"sphere", "box",   "capsule", "cylinder",
                                          "hull",   "plane", "drum",    "compound",
                                          "funnel", "disk",  "polygon", NULL};
enum {
  SPHERE = 1 << 0 | 1 << 9,
  BOX = 1 << 1,
  CAPSULE = 1 << 2,
  CYLINDER = 1 << 3,
  HULL = 1 << 4 | 1 << 10,
  DRUM = 1 << 6,
  COMPOUND = 1 << 7,
  FUNNEL = 1 << 8
};
#define SHAPE(field) offsetof(ssi_shape_rows, field)
static const ssi_row shape_rows[] = {
    {"name", SSI_TEXT, SHAPE(name), .only = 0},
    {"radius", SSI_NUMBER, SHAPE(radius), SPHERE | CAPSULE | CYLINDER | DRUM, .required = true},
    {"length", SSI_NUMBER, SHAPE(length), CAPSULE | CYLINDER | DRUM, .required = false},
    {"size", SSI_VECTOR, SHAPE(size), BOX, .required = true},
    {"points", SSI_OTHER, 0, HULL, .required = true},
    {"parts", SSI_OTHER, 0, COMPOUND, .required = true},
    {"top", SSI_NUMBER, SHAPE(top), FUNNEL, .required = true},
    {"bottom", SSI_NUMBER, SHAPE(bottom), FUNNEL, .required = true},
    {"height", SSI_NUMBER, SHAPE(height), FUNNEL, .required = true},
    {"thickness", SSI_NUMBER, SHAPE(thickness), FUNNEL, .required = true},
    {"sides", SSI_COUNT, SHAPE(sides), FUNNEL, .required = true},
};
OBJECT(shape, shape_rows, shape_words);

static const ssi_row part_rows[] = {
    {"shape", SSI_OTHER, 0, .required = true},
    {"position", SSI_VECTOR, offsetof(ss_pose, x), .only = 0},
    {"rotation", SSI_OTHER, 0, .only = 0},
};
OBJECT(part, part_rows, NULL);

static const ssi_row body_rows[] = {
    {"name", SSI_TEXT, offsetof(ss_body, name), .only = 0},
    {"shape", SSI_OTHER, 0, .required = true},
    {"material", SSI_OTHER, 0, .only = 0},
    {"mass", SSI_NUMBER, offsetof(ss_body, mass), .only = 0},
    {"density", SSI_OTHER, 0, .only = 0},
    {"inertia", SSI_OTHER, 0, .only = 0},
    {"centre", SSI_VECTOR, offsetof(ss_body, centre), .only = 0},
    {"collide", SSI_OTHER, 0, .only = 0},
    {"position", SSI_VECTOR, offsetof(ss_body, pose.x), .only = 0},
    {"rotation", SSI_OTHER, 0, .only = 0},
    {"velocity", SSI_VECTOR, offsetof(ss_body, velocity), .only = 0},
    {"spin", SSI_SPIN, offsetof(ss_body, spin), .only = 0},
};
OBJECT(body, body_rows, NULL);

static const char *const motion_words[] = {"fixed", "constant", "harmonic", "table", NULL};
enum { CONSTANT = 1 << 1, HARMONIC = 1 << 2, TABLE = 1 << 3 };
static const ssi_row motion_rows[] = {
    {"velocity", SSI_VECTOR, offsetof(ss_motion, velocity), CONSTANT, .required = false},
    {"spin", SSI_SPIN, offsetof(ss_motion, spin), CONSTANT, .required = false},
    {"amplitude", SSI_VECTOR, offsetof(ss_motion, velocity), HARMONIC, .required = false},
    {"swing", SSI_SPIN, offsetof(ss_motion, spin), HARMONIC, .required = false},
    {"frequency", SSI_NUMBER, offsetof(ss_motion, frequency), HARMONIC, .required = true},
    {"phase", SSI_NUMBER, offsetof(ss_motion, phase), HARMONIC, .required = false},
    {"table", SSI_OTHER, 0, TABLE, .required = true},
    {"centre", SSI_VECTOR, offsetof(ss_motion, centre), .only = 0},
    {"start", SSI_NUMBER, offsetof(ss_motion, start), .only = 0},
    {"stop", SSI_NUMBER, offsetof(ss_motion, stop), .only = 0},
};
OBJECT(motion, motion_rows, motion_words);

static const ssi_row external_rows[] = {
    {"name", SSI_TEXT, offsetof(ss_external, name), .only = 0},
    {"shape", SSI_OTHER, 0, .required = true},
    {"material", SSI_OTHER, 0, .only = 0},
    {"position", SSI_VECTOR, offsetof(ss_external, pose.x), .only = 0},
    {"rotation", SSI_OTHER, 0, .only = 0},
    {"motion", SSI_OTHER, 0, .only = 0},
    {"surface_velocity", SSI_VECTOR, offsetof(ss_external, surface), .only = 0},
};
OBJECT(external, external_rows, NULL);

static const char *const generator_words[] = {"packing", "grid",  "wall", "stack",
                                              "arch",    "cards", NULL};
enum { PACKING = 1, GRID = 2, WALL = 4, STACK = 8, ARCH = 16, CARDS = 32 };
#define GENERATOR(field) offsetof(ss_generator, field)
static const ssi_row generator_rows[] = {
    {"name", SSI_TEXT, GENERATOR(name), .only = 0},
    {"shape", SSI_OTHER, 0, PACKING | GRID | STACK, .required = true},
    {"material", SSI_OTHER, 0, .only = 0},
    {"count", SSI_COUNT, GENERATOR(count), PACKING | STACK | ARCH, .required = true},
    {"storeys", SSI_COUNT, GENERATOR(count), CARDS, .required = true},
    {"columns", SSI_COUNT, GENERATOR(cells[0]), WALL, .required = true},
    {"rows", SSI_COUNT, GENERATOR(cells[1]), WALL, .required = true},
    {"cells", SSI_OTHER, 0, GRID, .required = true},
    {"region", SSI_OTHER, 0, PACKING, .required = true},
    {"at", SSI_VECTOR, GENERATOR(low), GRID | WALL | STACK | ARCH | CARDS, .required = false},
    {"spacing", SSI_VECTOR, GENERATOR(spacing), GRID | STACK, .required = true},
    {"length", SSI_NUMBER, GENERATOR(size[0]), WALL | CARDS, .required = true},
    {"height", SSI_NUMBER, GENERATOR(size[1]), WALL, .required = true},
    {"inner", SSI_NUMBER, GENERATOR(size[0]), ARCH, .required = true},
    {"thickness", SSI_NUMBER, GENERATOR(size[1]), ARCH | CARDS, .required = true},
    {"depth", SSI_NUMBER, GENERATOR(size[2]), WALL | ARCH | CARDS, .required = false},
    {"degrees", SSI_DEGREES, GENERATOR(angle), ARCH | CARDS, .required = true},
    {"spread", SSI_NUMBER, GENERATOR(spread), PACKING, .required = false},
    {"speed", SSI_NUMBER, GENERATOR(speed), PACKING, .required = false},
    {"turned", SSI_FLAG, GENERATOR(turned), PACKING, .required = false},
    {"seed", SSI_SEED, GENERATOR(seed), PACKING, .required = false},
    {"mass", SSI_NUMBER, GENERATOR(mass), .only = 0},
    {"mass_ratio", SSI_NUMBER, GENERATOR(mass_ratio), STACK, .required = false},
    {"velocity", SSI_VECTOR, GENERATOR(velocity), .only = 0},
    {"spin", SSI_SPIN, GENERATOR(spin), .only = 0},
};
OBJECT(generator, generator_rows, generator_words);

static const char *const joint_words[] = {"ball", "hinge", "slider", "fixed", NULL};
static const ssi_row joint_rows[] = {
    {"name", SSI_TEXT, offsetof(ss_joint, name), .only = 0},
    {"a", SSI_OTHER, 0, .required = true},
    {"b", SSI_OTHER, 0, .only = 0},
    {"anchor", SSI_VECTOR, offsetof(ss_joint, anchor), .required = true},
    {"axis", SSI_VECTOR, offsetof(ss_joint, axis), 1 << 1 | 1 << 2, .required = false},
    {"collide", SSI_FLAG, offsetof(ss_joint, collide), .only = 0},
    {"low", SSI_NUMBER, offsetof(ss_joint, low), .only = 0},
    {"high", SSI_NUMBER, offsetof(ss_joint, high), .only = 0},
    {"motor", SSI_OTHER, 0, .only = 0},
};
OBJECT(joint, joint_rows, joint_words);

static const char *const motor_words[] = {"velocity", "position", NULL};
enum { VELOCITY = 1, POSITION = 2 };
static const ssi_row motor_rows[] = {
    {"target", SSI_NUMBER, offsetof(ss_motor, target), .only = 0},
    {"table", SSI_OTHER, 0, .only = 0},
    {"stiffness", SSI_NUMBER, offsetof(ss_motor, stiffness), POSITION, .required = true},
    {"damping", SSI_NUMBER, offsetof(ss_motor, damping), .only = 0},
    {"max_force", SSI_NUMBER, offsetof(ss_motor, max_force), .only = 0},
};
OBJECT(motor, motor_rows, motor_words);

static const char *const spring_words[] = {"linear", "torsional", NULL};
enum { LINEAR = 1, TORSIONAL = 2 };
#define SPRING(field) offsetof(ss_spring, field)
#define SPRING_ENDS                                                                                \
  {"name", SSI_TEXT, SPRING(name), .only = 0}, {"a", SSI_OTHER, 0, .required = true},              \
      {"b", SSI_OTHER, 0, .only = 0},                                                              \
      {"anchor_a", SSI_VECTOR, SPRING(anchor_a), LINEAR, .required = false},                       \
      {"anchor_b", SSI_VECTOR, SPRING(anchor_b), LINEAR, .required = false}, {                     \
    "axis", SSI_VECTOR, SPRING(axis), TORSIONAL, .required = false                                 \
  }
static const ssi_row spring_rows[] = {
    SPRING_ENDS,
    {"stiffness", SSI_NUMBER, SPRING(stiffness), .only = 0},
    {"table", SSI_OTHER, 0, .only = 0},
    {"damping", SSI_NUMBER, SPRING(damping), .only = 0},
    {"damping_table", SSI_OTHER, 0, .only = 0},
    {"rest_length", SSI_NUMBER, SPRING(rest), LINEAR, .required = false},
    {"rest_angle", SSI_NUMBER, SPRING(rest), TORSIONAL, .required = false},
};
const ssi_object ssi_scene_spring = {"spring", spring_rows, COUNT_OF(spring_rows), spring_words,
                                     .first_kind = true};

static const ssi_row damper_rows[] = {
    SPRING_ENDS,
    {"damping", SSI_NUMBER, SPRING(damping), .only = 0},
    {"table", SSI_OTHER, 0, .only = 0},
};
const ssi_object ssi_scene_damper = {"damper", damper_rows, COUNT_OF(damper_rows), spring_words,
                                     .first_kind = true};

#define BUSHING(field) offsetof(ss_bushing, field)
static const ssi_row bushing_rows[] = {
    {"name", SSI_TEXT, BUSHING(name), .only = 0},
    {"a", SSI_OTHER, 0, .required = true},
    {"b", SSI_OTHER, 0, .only = 0},
    {"anchor", SSI_VECTOR, BUSHING(frame.x), .required = true},
    {"rotation", SSI_OTHER, 0, .only = 0},
    {"stiffness", SSI_VECTOR, BUSHING(stiffness), .only = 0},
    {"damping", SSI_VECTOR, BUSHING(damping), .only = 0},
    {"rotational_stiffness", SSI_SPIN, BUSHING(rotational_stiffness), .only = 0},
    {"rotational_damping", SSI_SPIN, BUSHING(rotational_damping), .only = 0},
};
OBJECT(bushing, bushing_rows, NULL);

static const ssi_row load_rows[] = {
    {"body", SSI_OTHER, 0, .required = true},
    {"force", SSI_VECTOR, offsetof(ss_load, force), .only = 0},
    {"moment", SSI_SPIN, offsetof(ss_load, moment), .only = 0},
    {"point", SSI_OTHER, 0, .only = 0},
    {"start", SSI_NUMBER, offsetof(ss_load, start), .only = 0},
    {"stop", SSI_NUMBER, offsetof(ss_load, stop), .only = 0},
    {"factor", SSI_OTHER, 0, .only = 0},
    {"frequency", SSI_NUMBER, offsetof(ss_load, frequency), .only = 0},
    {"phase", SSI_NUMBER, offsetof(ss_load, phase), .only = 0},
};
OBJECT(load, load_rows, NULL);

static const char *const drift_words[] = {"gap", "projection", "none", NULL};
static const char *const contact_map_words[] = {"explicit", "implicit", NULL};
static const char *const unsolved_words[] = {"stop", "halve", "go", NULL};
#define STEPPING(field) offsetof(ss_stepping, field)
static const ssi_row stepping_rows[] = {
    {"step", SSI_NUMBER, STEPPING(step), .required = true},
    {"duration", SSI_NUMBER, STEPPING(duration), .required = true},
    {"until_rest", SSI_FLAG, STEPPING(until_rest), .only = 0},
    {"rest_speed", SSI_NUMBER, STEPPING(rest_speed), .only = 0},
    {"rest_steps", SSI_COUNT, STEPPING(rest_steps), .only = 0},
    {"theta", SSI_NUMBER, STEPPING(theta), .only = 0},
    {"drift", SSI_WORD, STEPPING(drift), .words = drift_words},
    {"contact_map", SSI_WORD, STEPPING(contact_map), .words = contact_map_words},
    {"least_norm", SSI_FLAG, STEPPING(least_norm), .only = 0},
    {"recovery", SSI_NUMBER, STEPPING(recovery), .only = 0},
    {"margin", SSI_NUMBER, STEPPING(margin), .only = 0},
    {"unsolved", SSI_WORD, STEPPING(unsolved), .words = unsolved_words},
    {"halvings", SSI_COUNT, STEPPING(halvings), .only = 0},
};
OBJECT(stepping, stepping_rows, NULL);

static const char *const measure_words[] = {"error", "fclib", "both", NULL};
static const ssi_row solver_rows[] = {
    {"method", SSI_TEXT, offsetof(ss_options, method), .only = 0},
    {"tol", SSI_NUMBER, offsetof(ss_options, tol), .only = 0},
    {"measure", SSI_WORD, offsetof(ss_options, measure), .words = measure_words},
    {"max_iter", SSI_COUNT, offsetof(ss_options, max_iter), .only = 0},
    {"seed", SSI_SEED, offsetof(ss_options, seed), .only = 0},
    {"options", SSI_OTHER, 0, .only = 0},
};
OBJECT(solver, solver_rows, NULL);

static const ssi_row output_rows[] = {
    {"every", SSI_COUNT, offsetof(ss_output, every), .only = 0},
    {"contacts", SSI_FLAG, offsetof(ss_output, contacts), .only = 0},
};
OBJECT(output, output_rows, NULL);

const ssi_object *ssi_scene_object(int index) {
  static const ssi_object *const all[] = {
      &ssi_scene_scene,     &ssi_scene_material, &ssi_scene_law,    &ssi_scene_shape,
      &ssi_scene_part,      &ssi_scene_body,     &ssi_scene_motion, &ssi_scene_external,
      &ssi_scene_generator, &ssi_scene_joint,    &ssi_scene_motor,  &ssi_scene_spring,
      &ssi_scene_damper,    &ssi_scene_bushing,  &ssi_scene_load,   &ssi_scene_stepping,
      &ssi_scene_solver,    &ssi_scene_output};
  return index < COUNT_OF(all) ? all[index] : NULL;
}

// ---- places and messages ----------------------------------------------------------------------

ssi_at ssi_at_key(const ssi_at *at, const char *key) {
  ssi_at out;
  snprintf(out.text, sizeof out.text, "%.200s/%.50s", at->text, key);
  return out;
}

ssi_at ssi_at_index(const ssi_at *at, size_t index) {
  ssi_at out;
  snprintf(out.text, sizeof out.text, "%.200s/%zu", at->text, index);
  return out;
}

ss_error ssi_scene_wrong(const ssi_json *in, const ssi_at *at, const char *format, ...) {
  char text[300];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  return ssi_fail(in->ctx, SS_ERR_FORMAT, "%s: %s: %s", in->name, at->text[0] ? at->text : "/",
                  text);
}

ss_error ssi_scene_vector(const ssi_json *in, const ssi_at *at, const json_t *value, int n,
                          double *out) {
  if (!json_is_array(value) || json_array_size(value) != (size_t)n)
    return ssi_scene_wrong(in, at, "expected an array of %d numbers", n);
  for (int k = 0; k < n; k++) {
    ssi_at here = ssi_at_index(at, (size_t)k);
    SS_TRY(ssi_json_number(in, here.text, json_array_get(value, (size_t)k), out + k));
  }
  return SS_OK;
}

// ---- reading ----------------------------------------------------------------------------------

static ss_error read_word(const ssi_json *in, const ssi_at *at, const json_t *value,
                          const char *const *words, int *out) {
  if (!json_is_string(value))
    return ssi_scene_wrong(in, at, "expected a word: \"%s\", ...", words[0]);
  const char *text = json_string_value(value);
  for (int k = 0; words[k]; k++)
    if (strcmp(words[k], text) == 0) return *out = k, SS_OK;
  char suggested[300];
  ssi_suggest(text, words, suggested, sizeof suggested);
  return ssi_scene_wrong(in, at, "unknown word \"%.40s\"; %s", text, suggested);
}

static ss_error read_seed(const ssi_json *in, const ssi_at *at, const json_t *value,
                          uint64_t *out) {
  double x = json_is_number(value) ? json_number_value(value) : -1;
  if (!(x >= 0 && x <= 9007199254740992.0 && x == floor(x)))
    return ssi_scene_wrong(in, at, "expected a whole number in 0 .. 2^53");
  *out = (uint64_t)x;
  return SS_OK;
}

static ss_error read_row(const ssi_json *in, const ssi_at *at, const json_t *value, int dim,
                         const ssi_row *row, void *to) {
  switch (row->kind) {
  case SSI_NUMBER:
    return ssi_json_number(in, at->text, value, to);
  case SSI_DEGREES:
    SS_TRY(ssi_json_number(in, at->text, value, to));
    *(double *)to *= 3.14159265358979323846 / 180;
    return SS_OK;
  case SSI_VECTOR:
    return ssi_scene_vector(in, at, value, dim, to);
  case SSI_SPIN:
    if (dim == 2) return ssi_json_number(in, at->text, value, (double *)to + 2);
    return ssi_scene_vector(in, at, value, 3, to);
  case SSI_COUNT:
    return ssi_json_count(in, at->text, value, 0, INT32_MAX, to);
  case SSI_SEED:
    return read_seed(in, at, value, to);
  case SSI_FLAG:
    if (!json_is_boolean(value)) return ssi_scene_wrong(in, at, "expected true or false");
    *(bool *)to = json_is_true(value);
    return SS_OK;
  case SSI_TEXT:
    return ssi_json_text(in, at->text, value, to);
  case SSI_WORD:
    return read_word(in, at, value, row->words, to);
  case SSI_OTHER:
    break;
  }
  return SS_OK;
}

static bool applies(const ssi_row *row, int kind) {
  return !row->only || row->only & 1u << kind;
}

// Where a word alone would mislead.
static ss_error advise(const ssi_json *in, const ssi_at *at, const json_t *value,
                       const ssi_object *object, const char *const *known) {
  const char *key;
  json_t *ignored;
  json_object_foreach((json_t *)(uintptr_t)value, key, ignored) {
    const char *text = ssi_scene_advice(object->name, key);
    for (int k = 0; text && known[k]; k++)
      if (strcmp(known[k], key) == 0) text = NULL;
    if (text) return ssi_scene_wrong(in, at, "unknown key \"%s\"; %s", key, text);
  }
  return SS_OK;
}

static ss_error check_keys(const ssi_json *in, const ssi_at *at, const json_t *value,
                           const ssi_object *object, int kind) {
  const char *known[40];
  int n = 0;
  if (object->kinds) known[n++] = "kind";
  for (int k = 0; k < object->count; k++)
    if (applies(object->rows + k, kind)) known[n++] = object->rows[k].key;
  known[n] = NULL;
  SS_TRY(advise(in, at, value, object, known));
  return ssi_json_keys(in, at->text[0] ? at->text : "/", value, known);
}

ss_error ssi_rows_read(const ssi_json *in, const ssi_at *at, const json_t *value, int dim,
                       const ssi_object *object, int *kind, void *out) {
  int which = 0;
  if (!json_is_object(value)) return ssi_scene_wrong(in, at, "expected an object");
  if (object->kinds) {
    ssi_at here = ssi_at_key(at, "kind");
    const json_t *word = json_object_get(value, "kind");
    if (!word && json_object_get(value, "type"))
      return ssi_scene_wrong(in, at, "unknown key \"type\"; the nearest known one is \"kind\"");
    if (!word && !object->first_kind) return ssi_scene_wrong(in, &here, "missing");
    if (word) SS_TRY(read_word(in, &here, word, object->kinds, &which));
  }
  SS_TRY(check_keys(in, at, value, object, which));
  for (int k = 0; k < object->count; k++) {
    const ssi_row *row = object->rows + k;
    if (!applies(row, which)) continue;
    ssi_at here = ssi_at_key(at, row->key);
    const json_t *found = json_object_get(value, row->key);
    if (!found && row->required) return ssi_scene_wrong(in, &here, "missing");
    if (found) SS_TRY(read_row(in, &here, found, dim, row, (char *)out + row->offset));
  }
  if (kind) *kind = which;
  return SS_OK;
}

#endif
