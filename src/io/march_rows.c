#ifdef SS_WITH_JANSSON

#include "io/march_rows.h"

#define COUNT_OF(rows) (int)(sizeof rows / sizeof *rows)
#define OBJECT(what, table)                                                                        \
  const ssi_object ssi_rows_##what = {.name = #what, .rows = table, .count = COUNT_OF(table)}

static const char *const kind_words[] = {"elastic", "structure", NULL};
static const char *const plane_words[] = {"strain", "stress", NULL};
#define SCENE(field) offsetof(ss_elastic_scene, field)
static const ssi_row elastic_rows[] = {
    {"kind", SSI_OTHER, 0, .required = true, .words = kind_words},
    {"title", SSI_TEXT, SCENE(title), .only = 0},
    {"dim", SSI_OTHER, 0, .only = 0},
    {"plane", SSI_WORD, SCENE(plane), .words = plane_words},
    {"thickness", SSI_NUMBER, SCENE(thickness), .only = 0},
    {"histories", SSI_OTHER, 0, .only = 0},
    {"materials", SSI_OTHER, 0, .only = 0},
    {"bodies", SSI_OTHER, 0, .only = 0},
    {"supports", SSI_OTHER, 0, .only = 0},
    {"loads", SSI_OTHER, 0, .only = 0},
    {"gravity", SSI_OTHER, 0, .only = 0},
    {"obstacles", SSI_OTHER, 0, .only = 0},
    {"pairs", SSI_OTHER, 0, .only = 0},
    {"stepping", SSI_OTHER, 0, .only = 0},
    {"solver", SSI_OTHER, 0, .only = 0},
    {"output", SSI_OTHER, 0, .only = 0},
};
OBJECT(elastic, elastic_rows);

static const ssi_row structure_rows[] = {
    {"kind", SSI_OTHER, 0, .required = true, .words = kind_words},
    {"title", SSI_OTHER, 0, .only = 0},
    {"dim", SSI_OTHER, 0, .only = 0},
    {"histories", SSI_OTHER, 0, .only = 0},
    {"mu", SSI_OTHER, 0, .only = 0},
    {"K", SSI_OTHER, 0, .required = true},
    {"C", SSI_OTHER, 0, .only = 0},
    {"M", SSI_OTHER, 0, .only = 0},
    {"H", SSI_OTHER, 0, .only = 0},
    {"f", SSI_OTHER, 0, .only = 0},
    {"b", SSI_OTHER, 0, .only = 0},
    {"w", SSI_OTHER, 0, .only = 0},
    {"prescribed", SSI_OTHER, 0, .only = 0},
    {"q", SSI_OTHER, 0, .only = 0},
    {"v", SSI_OTHER, 0, .only = 0},
    {"stepping", SSI_OTHER, 0, .only = 0},
    {"solver", SSI_OTHER, 0, .only = 0},
    {"output", SSI_OTHER, 0, .only = 0},
};
OBJECT(structure, structure_rows);

#define MATERIAL(field) offsetof(ss_elastic_material, field)
static const ssi_row material_rows[] = {
    {"name", SSI_TEXT, MATERIAL(name), .required = true},
    {"E", SSI_NUMBER, MATERIAL(E), .required = true},
    {"nu", SSI_NUMBER, MATERIAL(nu), .required = true},
    {"rho", SSI_NUMBER, MATERIAL(rho), .only = 0},
    {"viscosity", SSI_NUMBER, MATERIAL(viscosity), .only = 0},
    {"drag", SSI_NUMBER, MATERIAL(drag), .only = 0},
};
OBJECT(material, material_rows);

static const ssi_row body_rows[] = {
    {"name", SSI_TEXT, offsetof(ss_elastic_body, name), .required = true},
    {"mesh", SSI_OTHER, 0, .required = true},
    {"material", SSI_OTHER, 0, .required = true},
    {"domains", SSI_OTHER, 0, .only = 0},
    {"move", SSI_VECTOR, offsetof(ss_elastic_body, move), .only = 0},
};
OBJECT(body, body_rows);

static const ssi_row mesh_rows[] = {
    {"file", SSI_OTHER, 0, .only = 0},
    {"elements", SSI_OTHER, 0, .only = 0},
    {"axes", SSI_OTHER, 0, .only = 0},
};
OBJECT(mesh, mesh_rows);

static const ssi_row axis_rows[] = {
    {"from", SSI_NUMBER, offsetof(ss_axis, from), .required = true},
    {"zones", SSI_OTHER, 0, .required = true},
};
OBJECT(axis, axis_rows);

static const ssi_row zone_rows[] = {
    {"to", SSI_NUMBER, offsetof(ss_zone, to), .required = true},
    {"cells", SSI_COUNT, offsetof(ss_zone, cells), .required = true},
    {"ratio", SSI_NUMBER, offsetof(ss_zone, ratio), .only = 0},
};
OBJECT(zone, zone_rows);

static const ssi_row support_rows[] = {
    {"on", SSI_TEXT, offsetof(ss_support, boundary), .required = true},
    {"x", SSI_OTHER, 0, .only = 0},
    {"y", SSI_OTHER, 0, .only = 0},
    {"z", SSI_OTHER, 0, .only = 0},
    {"history", SSI_OTHER, 0, .only = 0},
};
OBJECT(support, support_rows);

static const ssi_row load_rows[] = {
    {"on", SSI_TEXT, offsetof(ss_surface_load, boundary), .required = true},
    {"traction", SSI_VECTOR, offsetof(ss_surface_load, traction), .only = 0},
    {"pressure", SSI_NUMBER, offsetof(ss_surface_load, pressure), .only = 0},
    {"history", SSI_OTHER, 0, .only = 0},
};
OBJECT(load, load_rows);

static const ssi_row gravity_rows[] = {
    {"acceleration", SSI_VECTOR, offsetof(ss_gravity, acceleration), .required = true},
    {"history", SSI_OTHER, 0, .only = 0},
};
OBJECT(gravity, gravity_rows);

#define OBSTACLE(field) offsetof(ss_obstacle, field)
static const ssi_row obstacle_rows[] = {
    {"name", SSI_TEXT, OBSTACLE(name), .only = 0},
    {"on", SSI_TEXT, OBSTACLE(boundary), .required = true},
    {"point", SSI_VECTOR, OBSTACLE(point), .only = 0},
    {"normal", SSI_VECTOR, OBSTACLE(normal), .required = true},
    {"curvature", SSI_NUMBER, OBSTACLE(curvature), .only = 0},
    {"reach", SSI_NUMBER, OBSTACLE(reach), .only = 0},
    {"mu", SSI_NUMBER, OBSTACLE(mu), .required = true},
    {"motions", SSI_OTHER, 0, .only = 0},
};
OBJECT(obstacle, obstacle_rows);

static const ssi_row motion_rows[] = {
    {"displacement", SSI_VECTOR, offsetof(ss_obstacle_motion, displacement), .required = true},
    {"history", SSI_OTHER, 0, .only = 0},
};
OBJECT(motion, motion_rows);

static const char *const pairing_words[] = {"nodes", "segments", NULL};
#define PAIR(field) offsetof(ss_contact_pair, field)
static const ssi_row pair_rows[] = {
    {"name", SSI_TEXT, PAIR(name), .only = 0},
    {"slave", SSI_TEXT, PAIR(slave), .required = true},
    {"master", SSI_TEXT, PAIR(master), .required = true},
    {"pairing", SSI_WORD, PAIR(pairing), .words = pairing_words},
    {"normal", SSI_VECTOR, PAIR(normal), .only = 0},
    {"reach", SSI_NUMBER, PAIR(reach), .only = 0},
    {"mu", SSI_NUMBER, PAIR(mu), .required = true},
    {"point", SSI_VECTOR, PAIR(point), .only = 0},
    {"curvature", SSI_NUMBER, PAIR(curvature), .only = 0},
};
OBJECT(pair, pair_rows);

static const ssi_row history_rows[] = {
    {"table", SSI_OTHER, 0, .only = 0},
    {"sine", SSI_OTHER, 0, .only = 0},
};
OBJECT(history, history_rows);

static const ssi_row sine_rows[] = {
    {"mean", SSI_NUMBER, offsetof(ss_history, mean), .only = 0},
    {"amplitude", SSI_NUMBER, offsetof(ss_history, amplitude), .required = true},
    {"frequency", SSI_NUMBER, offsetof(ss_history, frequency), .required = true},
    {"phase", SSI_DEGREES, offsetof(ss_history, phase), .only = 0},
};
OBJECT(sine, sine_rows);

static const char *const scheme_words[] = {"velocity", "position", "moreau", NULL};
static const char *const unsolved_words[] = {"stop", "go", NULL};
#define STEPPING(field) offsetof(ssi_stepping_rows, o.field)
static const ssi_row stepping_rows[] = {
    {"scheme", SSI_WORD, STEPPING(scheme), .words = scheme_words},
    {"start", SSI_NUMBER, STEPPING(start), .only = 0},
    {"step", SSI_NUMBER, STEPPING(step), .required = true},
    {"duration", SSI_NUMBER, STEPPING(duration), .required = true},
    {"theta", SSI_NUMBER, STEPPING(theta), .only = 0},
    {"unsolved", SSI_WORD, offsetof(ssi_stepping_rows, unsolved), .words = unsolved_words},
    {"redistribute_mass", SSI_FLAG, offsetof(ssi_stepping_rows, redistribute_mass), .only = 0},
};
OBJECT(stepping, stepping_rows);

static const ssi_row output_rows[] = {{"every", SSI_COUNT, 0, .only = 0}};
OBJECT(output, output_rows);

static const ssi_row term_rows[] = {
    {"x", SSI_OTHER, 0, .required = true},
    {"history", SSI_OTHER, 0, .only = 0},
};
OBJECT(term, term_rows);

static const ssi_row prescribed_rows[] = {
    {"dof", SSI_COUNT, offsetof(ss_prescribed, dof), .required = true},
    {"value", SSI_NUMBER, offsetof(ss_prescribed, value), .only = 0},
    {"history", SSI_OTHER, 0, .only = 0},
};
OBJECT(prescribed, prescribed_rows);

static const ssi_row frame_rows[] = {
    {"t", SSI_OTHER, 0, .required = true},
    {"H", SSI_OTHER, 0, .required = true},
};
OBJECT(frame, frame_rows);

const ssi_object *ssi_march_object(int index) {
  static const ssi_object *const all[] = {
      &ssi_rows_elastic, &ssi_rows_structure, &ssi_rows_material,   &ssi_rows_body,
      &ssi_rows_mesh,    &ssi_rows_axis,      &ssi_rows_zone,       &ssi_rows_support,
      &ssi_rows_load,    &ssi_rows_gravity,   &ssi_rows_obstacle,   &ssi_rows_motion,
      &ssi_rows_pair,    &ssi_rows_history,   &ssi_rows_sine,       &ssi_rows_stepping,
      &ssi_rows_output,  &ssi_rows_term,      &ssi_rows_prescribed, &ssi_rows_frame};
  return index < COUNT_OF(all) ? all[index] : NULL;
}

#endif
