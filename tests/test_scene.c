// Scene files: the built-in ones, the schema's agreement with the reader, and what is refused and where.
#include "harness.h"

#include <jansson.h>

#include "schema_rows.h"
#include "stickslip/stickslip.h"

static ss_context ctx;

static ss_error parse(const char *text, ss_scene **out) {
  return ss_scene_parse(&ctx, "scene", text, strlen(text), out);
}

static void test_builtin_scenes_are_accepted(void **state) {
  (void)state;
  const char *name, *about, *text;
  int count = 0;
  for (; (name = ss_scene_builtin(count, &about, &text)); count++) {
    ss_scene *scene;
    ss_simulation *sim;
    ss_error e = parse(text, &scene);
    if (e) fail_msg("%s: %s", name, ctx.message);
    assert_string_equal(about, scene->title);
    e = ss_simulation_create(&ctx, scene, &sim);
    if (e) fail_msg("%s: %s", name, ctx.message);
    ss_simulation_destroy(sim);
    ss_scene_close(scene);
  }
  assert_int_equal(count, 20);
  assert_null(ss_scene_builtin(-1, NULL, NULL));
}

// ---- the schema -------------------------------------------------------------------------------

static void test_schema_and_reader_agree(void **state) {
  (void)state;
  json_error_t error;
  json_t *schema = json_load_file(STICKSLIP_TESTS "/../schemas/scene.schema.json", 0, &error);
  if (!schema) fail_msg("%s:%d: %s", error.source, error.line, error.text);
  const ssi_object *o;
  size_t count = 0;
  for (; (o = ssi_scene_object((int)count)); count++)
    compare_with_schema(o, count == 0 ? schema
                                      : json_object_get(json_object_get(schema, "$defs"), o->name));
  // what is not an object of its own in the reader: number, vector, spin, rotation
  assert_int_equal(json_object_size(json_object_get(schema, "$defs")), count - 1 + 4);
  json_decref(schema);
}

// ---- what is read -----------------------------------------------------------------------------

#define STEPPING "\"stepping\":{\"step\":0.01,\"duration\":1}"
#define MATERIAL "\"materials\":[{\"name\":\"m\",\"mu\":0.5}]"
#define BALL     "{\"kind\":\"sphere\",\"radius\":1}"

static void test_values_arrive(void **state) {
  (void)state;
  ss_scene *s;
  const char *text =
      "{\"dim\":2,\"gravity\":[1,\"-1/2\"],"
      "\"materials\":[{\"name\":\"a\",\"mu\":0.5,\"restitution\":0.25,\"density\":3},"
      "{\"name\":\"b\",\"mu\":0.1}],\"laws\":[{\"between\":[\"b\",\"a\"],\"mu\":2}],"
      "\"shapes\":[{\"name\":\"d\",\"kind\":\"disk\",\"radius\":0.5}],"
      "\"bodies\":[{\"name\":\"x\",\"shape\":\"d\",\"material\":\"b\",\"density\":2,"
      "\"position\":[1,2],\"rotation\":90,\"velocity\":[3,4],\"spin\":5}],"
      "\"generators\":[{\"kind\":\"stack\",\"name\":\"s\",\"shape\":\"d\",\"count\":3,"
      "\"spacing\":[0,1]}],"
      "\"externals\":[{\"name\":\"e\",\"shape\":{\"kind\":\"plane\"},\"motion\":{\"kind\":"
      "\"table\","
      "\"table\":[[0,0,0,0],[1,2,3,4]]}}],"
      "\"joints\":[{\"kind\":\"hinge\",\"a\":\"s.2\",\"b\":\"e\",\"anchor\":[7,8]}],"
      "\"loads\":[{\"body\":\"x\",\"moment\":6,\"factor\":[[0,1],[2,3]]}],"
      "\"stepping\":{\"step\":0.5,\"duration\":2,\"drift\":\"none\",\"unsolved\":\"halve\"},"
      "\"solver\":{\"method\":\"nsgs\",\"tol\":1e-3,\"options\":{\"omega\":1.25}},"
      "\"output\":{\"every\":4,\"contacts\":false}}";
  if (parse(text, &s)) fail_msg("%s", ctx.message);
  assert_near(s->gravity[1], -0.5, 0);
  assert_int_equal(s->material_count, 2);
  assert_int_equal(s->laws[0].a, 1);
  assert_near(s->laws[0].mu, 2, 0);
  assert_near(s->bodies[0].mass, 2 * 3.14159265358979323846 / 4, 1e-15);
  assert_int_equal(s->bodies[0].material, 1);
  assert_near(s->bodies[0].pose.q[3], sqrt(0.5), 1e-15);
  assert_near(s->bodies[0].spin[2], 5, 0);
  assert_near(s->externals[0].motion.table[7 + 6], 4, 0);
  assert_int_equal(s->joints[0].a, 3);
  assert_int_equal(s->joints[0].b, SS_EXTERNAL);
  assert_near(s->loads[0].moment[2], 6, 0);
  assert_int_equal(s->loads[0].rows, 2);
  assert_int_equal(s->stepping.drift, SS_DRIFT_NONE);
  assert_int_equal(s->stepping.unsolved, SS_UNSOLVED_HALVE);
  assert_string_equal(s->solver.settings[0].key, "omega");
  assert_string_equal(s->solver.settings[0].value, "1.25");
  assert_int_equal(s->output.every, 4);
  assert_false(s->output.contacts);
  ss_scene_close(s);
}

static void test_up_turns_the_last_axis(void **state) {
  (void)state;
  ss_scene *s;
  const char *text = "{" MATERIAL "," STEPPING ",\"externals\":["
                     "{\"shape\":{\"kind\":\"plane\"},\"rotation\":{\"up\":[3,0,4]}},"
                     "{\"shape\":{\"kind\":\"plane\"},\"rotation\":{\"up\":[0,0,-2]}}]}";
  if (parse(text, &s)) fail_msg("%s", ctx.message);
  double R[9];
  ss_rotation(s->externals[0].pose.q, R);
  assert_near(R[2], 0.6, 1e-15);
  assert_near(R[8], 0.8, 1e-15);
  ss_rotation(s->externals[1].pose.q, R);
  assert_near(R[8], -1, 1e-15);
  ss_scene_close(s);
}

// ---- what is refused --------------------------------------------------------------------------

typedef struct refusal {
  const char *text;
  const char *expected[2];  // parts of the message; the first is the place
} refusal;

#define BODY(more)     "{" MATERIAL "," STEPPING ",\"bodies\":[{\"shape\":" BALL more "}]}"
#define WITH(more)     "{" MATERIAL "," STEPPING "," more "}"
#define EXTERNAL(more) WITH("\"externals\":[{\"shape\":{\"kind\":\"plane\"}" more "}]")
#define STEP(more)     "{\"stepping\":{\"step\":0.01,\"duration\":1," more "}}"

#define ANCHOR "\"anchor_b\":[0,0,9]"
#define SPRUNG(list, keys)                                                                         \
  WITH("\"bodies\":[{\"name\":\"x\",\"shape\":" BALL "}],\"" list "\":[{\"a\":\"x\"," keys "}]")
static const refusal refusals[] = {
    {"{", {"scene:1:", "not valid JSON"}},
    {"[1]", {"scene: ", "expected an object"}},
    {"{\"dim\":4," STEPPING "}", {"/dim", "2 .. 3"}},
    {"{" MATERIAL "}", {"/stepping", "missing"}},
    {"{\"stepping\":{\"duration\":1}}", {"/stepping/step", "missing"}},
    {STEP("\"stpe\":1"), {"/stepping", "\"step\""}},
    {WITH("\"bodis\":[]"), {"/: unknown key \"bodis\"", "\"bodies\""}},
    {"{\"materials\":[{\"mu\":0.5}]," STEPPING "}", {"/materials/0/name", "missing"}},
    {"{\"materials\":[{\"name\":\"m\"}]," STEPPING "}", {"/materials/0/mu", "missing"}},
    {"{\"materials\":[{\"name\":\"m\",\"mu\":-1}]," STEPPING "}", {"/materials/0/mu", ">= 0"}},
    {"{\"materials\":[{\"name\":\"m\",\"mu\":1,\"restitution\":2}]," STEPPING "}",
     {"/materials/0/restitution", "0 .. 1"}},
    {"{\"materials\":[{\"name\":\"m\",\"mu\":1,\"density\":0}]," STEPPING "}",
     {"/materials/0/density", "> 0"}},
    {"{\"materials\":[{\"name\":\"m\",\"mu\":1},{\"name\":\"m\",\"mu\":1}]," STEPPING "}",
     {"/materials/1/name", "another"}},
    {WITH("\"laws\":[{\"between\":[\"m\",\"x\"],\"mu\":1}]"), {"/laws/0/between/1", "nearest"}},
    {WITH("\"laws\":[{\"between\":[\"m\"],\"mu\":1}]"), {"/laws/0/between", "two"}},
    {WITH("\"bodies\":[{}]"), {"/bodies/0/shape", "missing"}},
    {WITH("\"bodies\":{}"), {"/bodies", "array"}},
    {WITH("\"bodies\":[{\"shape\":\"egg\"}]"), {"/bodies/0/shape", "no shape \"egg\""}},
    {WITH("\"bodies\":[{\"shape\":{\"kind\":\"sphre\",\"radius\":1}}]"),
     {"/bodies/0/shape/kind", "\"sphere\""}},
    {WITH("\"bodies\":[{\"shape\":{\"kind\":\"sphere\"}}]"), {"/bodies/0/shape/radius", "missing"}},
    {WITH("\"bodies\":[{\"shape\":{\"kind\":\"box\",\"size\":[1,1,1],\"radius\":1}}]"),
     {"/bodies/0/shape", "unknown key \"radius\""}},
    {WITH("\"bodies\":[{\"shape\":{\"kind\":\"box\",\"size\":[1,1]}}]"),
     {"/bodies/0/shape/size", "3 numbers"}},
    {WITH("\"bodies\":[{\"shape\":{\"kind\":\"sphere\",\"radius\":-1}}]"),
     {"/bodies/0/shape", "radius"}},
    {WITH("\"bodies\":[{\"shape\":{\"kind\":\"plane\"}}]"), {"/bodies/0/shape", "external"}},
    {WITH("\"bodies\":[{\"shape\":{\"kind\":\"hull\",\"points\":[[0,0,0],[1,0,0],[0,1,0],"
          "[1,1,0]]}}]"),
     {"/bodies/0/shape/points", "plane"}},
    {WITH("\"bodies\":[{\"shape\":{\"kind\":\"compound\",\"parts\":[{\"shape\":\"q\"}]}}]"),
     {"/bodies/0/shape/parts/0/shape", "q"}},
    {"{" STEPPING ",\"bodies\":[{\"shape\":" BALL "}]}", {"/materials", "none"}},
    {BODY(",\"material\":\"mm\""), {"/bodies/0/material", "\"m\""}},
    {BODY(",\"mass\":\"heavy\""), {"/bodies/0/mass", "number"}},
    {BODY(",\"mass\":-2"), {"/bodies/0/mass", "> 0"}},
    {BODY(",\"mass\":1,\"density\":1"), {"/bodies/0/density", "only one"}},
    {BODY(",\"rotation\":[1,1,0,0]"), {"/bodies/0/rotation", "quaternion"}},
    {BODY(",\"rotation\":{\"axis\":[0,0,0],\"degrees\":1}"),
     {"/bodies/0/rotation/axis", "direction"}},
    {BODY(",\"position\":[0,0,null]"), {"/bodies/0/position/2", "number"}},
    {WITH("\"generators\":[{\"kind\":\"packing\",\"shape\":" BALL
          ",\"count\":9,\"region\":[[0,0,0],[3,3,3]]}]"),
     {"/generators/0/region", "only 1 of 9"}},
    {WITH("\"generators\":[{\"kind\":\"packing\",\"shape\":" BALL
          ",\"count\":0,\"region\":[[0,0,0],[9,9,9]]}]"),
     {"/generators/0", "no bodies"}},
    {WITH(
         "\"generators\":[{\"kind\":\"wall\",\"rows\":2,\"columns\":2,\"length\":1,\"height\":1}]"),
     {"/generators/0/depth", "> 0"}},
    {EXTERNAL(",\"motion\":{\"kind\":\"harmonic\",\"frequency\":-1}"),
     {"/externals/0/motion/frequency", "> 0"}},
    {EXTERNAL(",\"motion\":{\"kind\":\"table\",\"table\":[[1,0,0,0,0,0,0],[1,0,0,0,0,0,0]]}"),
     {"/externals/0/motion/table", "row 1"}},
    {EXTERNAL(",\"motion\":{\"kind\":\"constant\",\"frequency\":1}"),
     {"/externals/0/motion", "unknown key \"frequency\""}},
    {WITH("\"joints\":[{\"kind\":\"ball\",\"a\":\"x\",\"anchor\":[0,0,0]}]"),
     {"/joints/0/a", "no body \"x\""}},
    {WITH("\"bodies\":[{\"name\":\"x\",\"shape\":" BALL "}],\"joints\":[{\"kind\":\"hinge\","
          "\"a\":\"x\",\"anchor\":[0,0,0]}]"),
     {"/joints/0/axis", "direction"}},
    {WITH("\"bodies\":[{\"name\":\"x\",\"shape\":" BALL "}],\"joints\":[{\"kind\":\"ball\","
          "\"a\":\"x\",\"b\":0,\"anchor\":[0,0,0]}]"),
     {"/joints/0/b", "itself"}},
    {WITH("\"loads\":[{\"body\":7}]"), {"/loads/0/body", "no body 7"}},
    {SPRUNG("springs", "\"b\":\"y\",\"stiffness\":1"), {"/springs/0/b", "no body \"y\""}},
    {SPRUNG("springs", "\"b\":\"x\",\"stiffness\":1"), {"/springs/0/b", "itself"}},
    {SPRUNG("springs", "\"stiffness\":1"), {"/springs/0/anchor_b", "missing"}},
    {SPRUNG("springs", ANCHOR), {"/springs/0/stiffness", "missing; or a table"}},
    {SPRUNG("springs", ANCHOR ",\"stiffness\":-1"), {"/springs/0/stiffness", ">= 0"}},
    {SPRUNG("springs", ANCHOR ",\"stiffness\":1,\"table\":[[0,0]]"),
     {"/springs/0/table", "only one"}},
    {SPRUNG("springs", ANCHOR ",\"table\":[[0,0],[0,1]]"), {"/springs/0/table", "row 1"}},
    {SPRUNG("springs", ANCHOR ",\"table\":[[0,0],[1]]"), {"/springs/0/table/1", "2 numbers"}},
    {SPRUNG("springs", ANCHOR ",\"stiffness\":1,\"rest_length\":-1"),
     {"/springs/0/rest_length", ">= 0"}},
    {SPRUNG("springs", ANCHOR ",\"stifness\":1"), {"/springs/0", "\"stiffness\""}},
    {SPRUNG("springs", "\"kind\":\"torsional\",\"stiffness\":1"), {"/springs/0/axis", "direction"}},
    {SPRUNG("springs", "\"kind\":\"spiral\",\"stiffness\":1"), {"/springs/0/kind", "spiral"}},
    {SPRUNG("springs", "\"kind\":\"torsional\",\"anchor_a\":[0,0,0]"), {"/springs/0", "anchor_a"}},
    {SPRUNG("dampers", ANCHOR), {"/dampers/0/damping", "missing"}},
    {SPRUNG("dampers", ANCHOR ",\"table\":[[1,0],[0,1]]"), {"/dampers/0/table", "row 1"}},
    {SPRUNG("dampers", ANCHOR ",\"stiffness\":1"), {"/dampers/0", "unknown key"}},
    {SPRUNG("bushings", "\"stiffness\":[1,1,1]"), {"/bushings/0/anchor", "missing"}},
    {SPRUNG("bushings", "\"anchor\":[0,0,0],\"stiffness\":1"),
     {"/bushings/0/stiffness", "3 numbers"}},
    {SPRUNG("bushings", "\"anchor\":[0,0,0],\"damping\":[1,-1,1]"),
     {"/bushings/0/damping", ">= 0"}},
    {STEP("\"theta\":0.2"), {"/stepping/theta", "1/2 .. 1"}},
    {STEP("\"drift\":\"gab\""), {"/stepping/drift", "\"gap\""}},
    {STEP("\"until_rest\":1"), {"/stepping/until_rest", "true or false"}},
    {"{\"stepping\":{\"step\":0,\"duration\":1}}", {"/stepping/step", "> 0"}},
    {"{\"stepping\":{\"step\":1,\"duration\":1e999}}", {"scene:1:", "not valid JSON"}},
    {"{" STEPPING ",\"solver\":{\"method\":\"magic\"}}", {"/solver/method", "magic"}},
    {"{" STEPPING ",\"solver\":{\"tol\":0}}", {"/solver/tol", "> 0"}},
    {"{" STEPPING ",\"output\":{\"every\":0}}", {"/output/every", ">= 1"}},
    {"{" STEPPING ",\"gravity\":[0,0]}", {"/gravity", "3 numbers"}},
    {"{" STEPPING "," STEPPING "}", {"scene:1:", "duplicate"}},
};

static void test_malformed_scenes_are_refused_with_the_place(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof refusals / sizeof *refusals; k++) {
    ss_scene *scene;
    ss_simulation *sim = NULL;
    ss_error e = parse(refusals[k].text, &scene);
    if (!e) e = ss_simulation_create(&ctx, scene, &sim);  // what only shows when it is built
    if (!e) fail_msg("accepted: %s", refusals[k].text);
    for (int i = 0; i < 2; i++)
      if (!strstr(ctx.message, refusals[k].expected[i]))
        fail_msg("%s: \"%s\" is not in \"%s\"", refusals[k].text, refusals[k].expected[i],
                 ctx.message);
    ss_simulation_destroy(sim);
    ss_scene_close(scene);
  }
}

// Every prefix of a scene is an error, and none crashes.
static void test_truncated_scenes(void **state) {
  (void)state;
  const char *text = refusals[40].text;
  for (size_t size = 0; size < strlen(text); size++) {
    ss_scene *scene;
    assert_int_not_equal(ss_scene_parse(&ctx, "scene", text, size, &scene), SS_OK);
    assert_null(scene);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_builtin_scenes_are_accepted),
      cmocka_unit_test(test_schema_and_reader_agree),
      cmocka_unit_test(test_values_arrive),
      cmocka_unit_test(test_up_turns_the_last_axis),
      cmocka_unit_test(test_malformed_scenes_are_refused_with_the_place),
      cmocka_unit_test(test_truncated_scenes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
