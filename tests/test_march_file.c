// Files of elastic bodies and structures: the built-in ones, the schema's agreement with the reader, what is refused
// and where, and what records hold.
#define _POSIX_C_SOURCE 200809L
#include "harness.h"

#include <jansson.h>
#include <unistd.h>

#include "budget.h"
#include "io/march_rows.h"
#include "schema_rows.h"
#include "stickslip/stickslip.h"

static ss_context ctx;

static ss_march_file *parse(const char *name, const char *text) {
  ss_march_file *f = NULL;
  if (ss_march_file_parse(&ctx, name, NULL, text, strlen(text), &f)) fail_msg("%s", ctx.message);
  return f;
}

static void test_builtin(void **state) {
  (void)state;
  const char *name, *about, *text;
  int count = 0;
  for (; (name = ss_march_builtin(count, &about, &text)); count++) {
    assert_true(ss_march_file_is(text));
    ss_march_file *f = parse(name, text);
    assert_string_equal(f->title, about);
    ss_elastic *e = NULL;
    if (f->elastic && ss_elastic_build(&ctx, &f->scene, &e)) fail_msg("%s: %s", name, ctx.message);
    ss_march *m;
    ss_march_info info;
    if (ss_march_create(&ctx, e ? &e->structure : &f->structure, &f->stepping, &m))
      fail_msg("%s: %s", name, ctx.message);
    for (int k = 0; k < 3; k++) {
      assert_int_equal(ss_march_step(m, &info), SS_OK);
      assert_int_equal(info.status, SS_SOLVED);
    }
    ss_march_destroy(m);
    ss_elastic_destroy(e);
    ss_march_file_close(f);
  }
  assert_true(count >= 7);
  for (int k = 0; ss_scene_builtin(k, NULL, &text); k++) assert_false(ss_march_file_is(text));
}

static void test_schema_and_reader_agree(void **state) {
  (void)state;
  json_error_t error;
  json_t *schema = json_load_file(STICKSLIP_TESTS "/../schemas/elastic.schema.json", 0, &error);
  if (!schema) fail_msg("%s:%d: %s", error.source, error.line, error.text);
  const ssi_object *o;
  size_t count = 0;
  json_t *objects = json_object_get(schema, "$defs");
  for (; (o = ssi_march_object((int)count)); count++)
    compare_with_schema(o, json_object_get(objects, o->name));
  assert_int_equal(json_object_size(objects), count + 2);  // and number, vector
  json_decref(schema);
}

// ---- values and errors -------------------------------------------------------------------------------

static void test_values_arrive(void **state) {
  (void)state;
  ss_march_file *f =
      parse("s.json", "{\"kind\":\"structure\",\"dim\":2,\"mu\":[0.25],\"K\":[[2,0],[0,\"3/"
                      "2\"]],\"C\":[[1,0],[0,1]],"
                      "\"H\":[{\"t\":0,\"H\":[[1,0],[0,1]]},{\"t\":2,\"H\":[[0,1],[1,0]]}],"
                      "\"f\":[{\"x\":[1,2],\"history\":{\"sine\":{\"amplitude\":2,\"frequency\":0."
                      "25,\"phase\":90}}}],"
                      "\"b\":[1,0],\"q\":[0.5,0],\"prescribed\":[{\"dof\":1,\"value\":4}],"
                      "\"stepping\":{\"scheme\":\"velocity\",\"step\":0.5,\"duration\":2,\"start\":"
                      "1,\"unsolved\":\"go\"},"
                      "\"solver\":{\"method\":\"nsgs\",\"tol\":1e-6},\"output\":{\"every\":4}}");
  const ss_structure *s = &f->structure;
  assert_int_equal(s->nc, 1);
  assert_int_equal(s->ndof, 2);
  assert_int_equal(s->H_count, 2);
  assert_near(s->H_time[1], 2, 0);
  assert_near(s->K.x[1], 1.5, 0);
  assert_near(ss_history_at(s->loads[0].factor, 0), 2, 1e-15);
  assert_near(ss_history_at(s->loads[0].factor, 1), 0, 1e-15);
  assert_near(s->prescribed[0].value, 4, 0);
  assert_near(s->q[0], 0.5, 0);
  assert_int_equal(f->stepping.scheme, SS_MARCH_VELOCITY);
  assert_true(f->stepping.go_on);
  assert_int_equal(f->every, 4);
  assert_string_equal(f->stepping.solver.method, "nsgs");
  ss_march_file_close(f);
}

static void refuse(const char *text, const char *expected) {
  ss_context own = {0};
  ss_march_file *f = NULL;
  ss_error e = ss_march_file_parse(&own, "s.json", NULL, text, strlen(text), &f);
  assert_null(f);
  if (!e || !strstr(own.message, expected)) fail_msg("%s", own.message);
}

#define STEPPING ",\"stepping\":{\"step\":1,\"duration\":1}}"
#define MATERIAL "{\"kind\":\"elastic\",\"materials\":[{\"name\":\"m\",\"E\":1,\"nu\":0.3}],"
static void test_wrong_files(void **state) {
  (void)state;
  refuse("{\"kind\":\"rubber\"" STEPPING, "/kind: expected \"elastic\" or \"structure\"");
  refuse(MATERIAL "\"body\":[]" STEPPING, "unknown key \"body\"");
  refuse(MATERIAL
         "\"bodies\":[{\"name\":\"b\",\"mesh\":{\"file\":\"no.msh\"},\"material\":\"n\"}]" STEPPING,
         "no.msh");
  refuse(MATERIAL "\"bodies\":[{\"name\":\"b\",\"mesh\":{\"elements\":\"quad5\",\"axes\":[]},"
                  "\"material\":\"m\"}]" STEPPING,
         "/bodies/0/mesh/elements: unknown word \"quad5\"; the nearest known one is \"quad4\"");
  refuse(MATERIAL "\"bodies\":[{\"name\":\"b\",\"mesh\":{\"elements\":\"quad4\",\"axes\":[{"
                  "\"from\":0,\"zones\":[{\"to\":-1,\"cells\":2}]},"
                  "{\"from\":0,\"zones\":[{\"to\":1,\"cells\":2}]}]},\"material\":\"m\"}]" STEPPING,
         "/bodies/0/mesh: grid: axis 0: zone 0 ends at -1, expected > 0");
  refuse(MATERIAL "\"supports\":[{\"on\":\"top\",\"z\":0}]" STEPPING,
         "/supports/0/z: there is no such axis in 2D");
  refuse(MATERIAL "\"supports\":[{\"on\":\"top\",\"history\":\"ramp\"}]" STEPPING,
         "/supports/0/history: there is no history \"ramp\"");
  refuse("{\"kind\":\"structure\",\"K\":[[1]],\"mu\":[0.5]" STEPPING, "/H: missing");
  refuse("{\"kind\":\"structure\",\"K\":[[1]],\"f\":[1,2]" STEPPING, "/f");
  refuse("{\"kind\":\"structure\",\"K\":[[1]]}", "/stepping: missing");
}

// ---- records -----------------------------------------------------------------------------------------

static void test_records(void **state) {
  (void)state;
  const char *text = NULL, *name;
  for (int k = 0; (name = ss_march_builtin(k, NULL, &text)); k++)
    if (strcmp(name, "elastic-square") == 0) break;
  ss_march_file *f = parse(name, text);
  ss_elastic *e;
  ss_march *m;
  ss_march_record *r;
  ss_march_info info;
  assert_int_equal(ss_elastic_build(&ctx, &f->scene, &e), SS_OK);
  assert_int_equal(ss_march_create(&ctx, &e->structure, &f->stepping, &m), SS_OK);
  assert_int_equal(ss_march_record_create(&ctx, &e->structure, e, &r), SS_OK);
  for (int k = 0; k < 4; k++) {
    assert_int_equal(ss_march_step(m, &info), SS_OK);
    assert_int_equal(ss_march_record_append(r, m, &info), SS_OK);
  }
  char folder[] = "/tmp/stickslip-march-XXXXXX", path[128], line[4000];
  assert_non_null(mkdtemp(folder));
  static const struct {
    const char *file;
    int lines;
  } texts[] = {{"run.csv", 5}, {"run-contacts.csv", 1 + 4 * 9}, {"run.pvd", 3 + 2 * 4 + 2}};
  snprintf(path, sizeof path, "%s/run.csv", folder);
  if (ss_march_record_write(&ctx, path, r)) fail_msg("%s", ctx.message);
  snprintf(path, sizeof path, "%s/run.pvd", folder);
  if (ss_march_record_write(&ctx, path, r)) fail_msg("%s", ctx.message);
  for (int k = 0; k < 3; k++) {
    snprintf(path, sizeof path, "%s/%s", folder, texts[k].file);
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    int lines = 0;
    while (fgets(line, sizeof line, in)) lines++;
    fclose(in);
    assert_int_equal(lines, texts[k].lines);
    remove(path);
  }
  for (int k = 0; k < 4; k++) {
    snprintf(path, sizeof path, "%s/run/bodies_%06d.vtu", folder, k);
    assert_int_equal(remove(path), 0);
    snprintf(path, sizeof path, "%s/run/contacts_%06d.vtu", folder, k);
    assert_int_equal(remove(path), 0);
  }
  snprintf(path, sizeof path, "%s/run", folder);
  assert_int_equal(rmdir(path), 0);
  snprintf(path, sizeof path, "%s/run.h5", folder);
  ss_error error = ss_march_record_write(&ctx, path, r);
  assert_true(error == SS_OK || error == SS_ERR_UNSUPPORTED);
  remove(path);
  snprintf(path, sizeof path, "%s/run.txt", folder);
  assert_int_equal(ss_march_record_write(&ctx, path, r), SS_ERR_ARGUMENT);
  assert_int_equal(rmdir(folder), 0);
  ss_march_record_destroy(r);
  ss_march_destroy(m);
  ss_elastic_destroy(e);
  ss_march_file_close(f);
}

// ---- memory ------------------------------------------------------------------------------------------

// Everything from the text to a picture; with each piece of memory refused in turn it fails, and holds nothing.
static ss_error whole_run(ss_context *on, const char *text) {
  ss_march_file *f = NULL;
  ss_elastic *e = NULL;
  ss_march *m = NULL;
  ss_march_record *r = NULL;
  ss_march_info info;
  ss_march_view v;
  char *picture = NULL;
  ss_error error = ss_march_file_parse(on, "s", NULL, text, strlen(text), &f);
  if (!error) error = ss_elastic_build(on, &f->scene, &e);
  if (!error) error = ss_march_create(on, &e->structure, &f->stepping, &m);
  if (!error) error = ss_march_record_create(on, &e->structure, e, &r);
  for (int k = 0; !error && k < 2; k++) error = ss_march_step(m, &info);
  if (!error) error = ss_march_record_append(r, m, &info);
  if (!error) {
    ss_march_look(m, &v);
    error = ss_deformation_svg(on, e, &v, f->title, &picture);
  }
  if (!error) assert_non_null(strstr(picture, "class=\"stick\""));
  ss_text_destroy(on, picture);
  ss_march_record_destroy(r);
  ss_march_destroy(m);
  ss_elastic_destroy(e);
  ss_march_file_close(f);
  return error;
}

static void test_memory(void **state) {
  (void)state;
  static const char text[] =
      "{\"kind\":\"elastic\",\"title\":\"t\",\"materials\":[{\"name\":\"m\",\"E\":1,\"nu\":0.3}],"
      "\"histories\":{\"h\":{\"table\":[[0,0],[1,1]]}},"
      "\"bodies\":[{\"name\":\"b\",\"material\":\"m\",\"mesh\":{\"elements\":\"quad4\",\"axes\":["
      "{\"from\":0,\"zones\":[{\"to\":1,\"cells\":2}]},{\"from\":0,\"zones\":[{\"to\":1,\"cells\":"
      "2}]}]}}],"
      "\"supports\":[{\"on\":\"top\",\"x\":0,\"y\":-0.1,\"history\":\"h\"}],"
      "\"obstacles\":[{\"on\":\"bottom\",\"normal\":[0,1],\"mu\":0.9}],"
      "\"stepping\":{\"scheme\":\"velocity\",\"step\":0.5,\"duration\":1}}";
  for (int most = 0;; most++) {
    budget b = {.left = most};
    ss_context on = on_budget(&b);
    ss_error e = whole_run(&on, text);
    assert_int_equal(b.held, 0);
    if (!e) break;
    assert_int_equal(e, SS_ERR_MEMORY);
    assert_true(most < 2000);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_builtin),       cmocka_unit_test(test_schema_and_reader_agree),
      cmocka_unit_test(test_values_arrive), cmocka_unit_test(test_wrong_files),
      cmocka_unit_test(test_records),       cmocka_unit_test(test_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
