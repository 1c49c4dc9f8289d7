// io/import: models that are not what they should be are refused, in time and within their bytes.
#include "harness.h"

#include "stickslip/import.h"

// Of exactly these bytes, nothing behind them. The message of a refusal is in ctx.
static ss_error import_of(ss_context *ctx, const char *name, const char *text, size_t size,
                          ss_imported **out) {
  char *bytes = malloc(size ? size : 1);
  memcpy(bytes, text, size);
  ss_error e = ss_import_parse(ctx, name, bytes, size, NULL, out);
  free(bytes);
  return e;
}

static void is_refused(const char *name, const char *text, ss_error code, const char *says) {
  ss_context ctx = {0};
  ss_imported *made = NULL;
  assert_int_equal(import_of(&ctx, name, text, strlen(text), &made), code);
  if (!strstr(ctx.message, says)) fail_msg("'%s' does not say '%s'", ctx.message, says);
  assert_null(made);
}

// ---- OBJ ------------------------------------------------------------------------------------------

#define TETRAHEDRON "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3"

static void obj_lines_may_be_indented(void **state) {
  (void)state;
  char text[20000] = "";
  size_t used = 0;
  // points that no face names, far more than an array for the lines that begin with v has room for
  const char *points = "  v 0 0 0\n\tv 1 0 0\n v 0 1 0\n   v 0 0 1\n";
  for (int k = 0; k < 200; k++)
    used += (size_t)snprintf(text + used, sizeof text - used, "%s", points);
  snprintf(text + used, sizeof text - used, TETRAHEDRON);
  ss_context ctx = {0};
  ss_imported *made = NULL;
  assert_int_equal(import_of(&ctx, "a.obj", text, strlen(text), &made), SS_OK);
  assert_int_equal(made->bodies, 1);
  ss_imported_destroy(made);
}

// A face of many corners that carriage returns hold apart: each is a triangle, though there is but one space.
static void obj_corners_apart_by_any_blank(void **state) {
  (void)state;
  char text[20000] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1";
  for (int k = 0; k < 3000; k++) strcat(text, k % 2 ? "\r2" : "\r3");
  is_refused("a.obj", text, SS_ERR_FORMAT, "");
}

static void obj_without_end(void **state) {
  (void)state;
  is_refused("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 ", SS_ERR_FORMAT, "three corners");
  is_refused("a.obj", "v 0 0 0\nv 1 0 1", SS_ERR_FORMAT, "no triangles");
  is_refused("a.obj", "v 0 0", SS_ERR_FORMAT, "coordinates of a vertex");
  is_refused("a.obj", "v", SS_ERR_FORMAT, "no triangles");
}

static void stl_without_end(void **state) {
  (void)state;
  is_refused("a.stl", "solid x\nfacet normal 0 0 1", SS_ERR_FORMAT, "outer");
  is_refused("a.stl", "solid x\nendfacet endface", SS_ERR_FORMAT, "endsolid");
}

// ---- models -----------------------------------------------------------------------------------------

#define LINK(inside) "<robot name='r'><link name='a'>" inside "</link></robot>"

static void numbers_that_overflow_are_said_so(void **state) {
  (void)state;
  is_refused("a.urdf",
             LINK("<inertial><origin xyz='1e200 0 0'/><mass value='1e200'/>"
                  "<inertia ixx='1' iyy='1' izz='1'/></inertial>"),
             SS_ERR_FORMAT, "not finite");
  is_refused("a.xml",
             "<mujoco><worldbody><body><freejoint/><geom size='1' pos='1e300 0 0' "
             "xyaxes='1e300 0 0 0 1 0'/></body></worldbody></mujoco>",
             SS_ERR_FORMAT, "");
}

static void meshes_are_files(void **state) {
  (void)state;
  static const char *const names[] = {"-", "/dev/stdin", "/dev/zero", "/", "file:///dev/zero"};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    char text[300];
    snprintf(text, sizeof text,
             LINK("<collision><geometry><mesh filename='%s'/></geometry></collision>"), names[k]);
    is_refused("a.urdf", text, SS_ERR_FORMAT, "is no file");
  }
  is_refused("a.urdf",
             LINK("<collision><geometry><mesh filename='package:///dev/zero'/></geometry>"
                  "</collision>"),
             SS_ERR_FORMAT, "there is no file");
}

// 20,000 kinds: all of them are listed, in the order of the file, and in no time.
static void all_kinds_are_listed(void **state) {
  (void)state;
  enum { KINDS = 20000, ROOM = 40 };
  char *text = malloc((KINDS + 4) * ROOM);
  size_t used = (size_t)sprintf(text, "<mujoco><worldbody><geom type='plane'/></worldbody>");
  for (int k = 0; k < KINDS; k++) used += (size_t)sprintf(text + used, "<e%d/>", KINDS - k);
  used += (size_t)sprintf(text + used, "<e7/></mujoco>");
  ss_context ctx = {0};
  ss_imported *made = NULL;
  assert_int_equal(import_of(&ctx, "m", text, used, &made), SS_OK);
  assert_int_equal(made->left_count, KINDS);
  assert_string_equal(made->left[0], "m:1: e20000");
  assert_string_equal(made->left[KINDS - 7], "m:1: e7 (2 times)");
  ss_imported_destroy(made);
  free(text);
}

static void entities_do_not_grow(void **state) {
  (void)state;
  is_refused(
      "a.xml",
      "<!DOCTYPE r [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;'>"
      "<!ENTITY c '&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;'><!ENTITY d '&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;'>"
      "<!ENTITY e '&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;'><!ENTITY f '&e;&e;&e;&e;&e;&e;&e;&e;&e;&e;'>"
      "<!ENTITY g '&f;&f;&f;&f;&f;&f;&f;&f;&f;&f;'><!ENTITY h '&g;&g;&g;&g;&g;&g;&g;&g;&g;&g;'>"
      "]><mujoco model='&h;'><worldbody/></mujoco>",
      SS_ERR_FORMAT, "no XML");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(obj_lines_may_be_indented),
      cmocka_unit_test(obj_corners_apart_by_any_blank),
      cmocka_unit_test(obj_without_end),
      cmocka_unit_test(stl_without_end),
      cmocka_unit_test(numbers_that_overflow_are_said_so),
      cmocka_unit_test(meshes_are_files),
      cmocka_unit_test(all_kinds_are_listed),
      cmocka_unit_test(entities_do_not_grow),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
