// io/msh*: Gmsh files become the meshes that they were written from; what is wrong is named with its line.
#include "harness.h"

#include "stickslip/mesh.h"

typedef struct text {
  char *at;
  size_t used, room;
} text;

static void say(text *t, const char *format, ...) {
  va_list list;
  if (t->room - t->used < 400) t->at = realloc(t->at, t->room = 2 * t->room + 4000);
  va_start(list, format);
  t->used += (size_t)vsnprintf(t->at + t->used, t->room - t->used, format, list);
  va_end(list);
}

static const int gmsh_type[] = {15, 1, 8, 2, 9, 3, 10, 4, 5};

static ss_mesh *grid(int dim, ss_element_kind kind) {
  static ss_context ctx;
  ss_zone zone = {1, 2, 1};
  ss_grid g = {.dim = dim, .kind = kind, .axis = {{0, 1, &zone}, {0, 1, &zone}, {0, 1, &zone}}};
  ss_mesh *m = NULL;
  if (ss_mesh_grid(&ctx, &g, &m)) fail_msg("%s", ctx.message);
  return m;
}

// One entity per boundary and one of elements; tags of nodes are 7, 9, 11, ... The first boundary's entity is
// in a second group, too. A node that no element has stands at the end.
static text as_msh(const ss_mesh *m) {
  text t = {0};
  const ss_cells *s = &m->sides, *e = &m->elements;
  int d = m->dim, groups = s->group_count;
  say(&t, "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Comments\nanything $at 1 all\n$EndComments\n");
  say(&t, "$PhysicalNames\n%d\n", groups + 1);
  for (int k = 0; k < groups; k++) say(&t, "%d %d \"%s\"\n", d - 1, k + 1, s->name[k]);
  say(&t, "%d 1 \"the body\"\n$EndPhysicalNames\n$Entities\n0 ", d);
  if (d == 2)
    say(&t, "%d 1 0\n", groups);
  else
    say(&t, "0 %d 1\n", groups);
  for (int k = 0; k < groups; k++)
    say(&t, "%d 0 0 0 1 1 1 %d %d%s 2 1 -1\n", k + 1, k ? 1 : 2, k + 1, k ? "" : " 77");
  say(&t, "1 0 0 0 1 1 1 1 1 %d", groups);
  for (int k = 0; k < groups; k++) say(&t, " %d", k + 1);
  say(&t, "\n$EndEntities\n$Nodes\n2 %d 1 999\n", m->nodes + 1);
  say(&t, "%d 1 0 %d\n", d, m->nodes);
  for (int k = 0; k < m->nodes; k++) say(&t, "%d\n", 7 + 2 * k);
  for (int k = 0; k < m->nodes; k++)
    say(&t, "%.17g %.17g %.17g\n", m->x[k * d], m->x[k * d + 1], d == 3 ? m->x[k * d + 2] : 0.25);
  say(&t, "0 9 0 1\n5\n3 4 5\n$EndNodes\n$Elements\n%d %d 1 999\n", s->count + e->count,
      s->count + e->count);
  int tag = 1;
  for (int which = 0; which < 2; which++) {
    const ss_cells *c = which ? e : s;
    for (int k = 0; k < c->count; k++) {
      say(&t, "%d %d %d 1\n%d", which ? d : d - 1, which ? 1 : c->group[k] + 1,
          gmsh_type[c->kind[k]], tag++);
      for (int p = c->first[k]; p < c->first[k + 1]; p++) say(&t, " %d", 7 + 2 * c->node[p]);
      say(&t, "\n");
    }
  }
  say(&t, "$EndElements\n");
  return t;
}

static ss_mesh *parse(const text *t) {
  static ss_context ctx;
  ss_mesh *m = NULL;
  if (ss_mesh_parse(&ctx, "a.msh", t->at, t->used, &m)) fail_msg("%s", ctx.message);
  if (ss_mesh_check(&ctx, m)) fail_msg("%s", ctx.message);
  return m;
}

static void check_kind(int dim, ss_element_kind kind) {
  ss_mesh *a = grid(dim, kind);
  text t = as_msh(a);
  ss_mesh *b = parse(&t);
  assert_int_equal(b->dim, dim);
  assert_int_equal(b->nodes, a->nodes);
  for (int k = 0; k < dim * a->nodes; k++) assert_true(a->x[k] == b->x[k]);
  assert_int_equal(b->elements.count, a->elements.count);
  for (int p = 0; p < a->elements.first[a->elements.count]; p++)
    assert_int_equal(a->elements.node[p], b->elements.node[p]);
  assert_string_equal(b->elements.name[0], "the body");
  assert_int_equal(b->sides.group_count, a->sides.group_count + 1);
  int first = 0;
  for (int k = 0; k < a->sides.count; k++) first += a->sides.group[k] == 0;
  assert_int_equal(b->sides.count, a->sides.count + first);
  for (int k = 0; k < a->sides.group_count; k++)
    assert_true(ss_mesh_boundary(b, a->sides.name[k]) >= 0);
  assert_true(ss_mesh_boundary(b, "group 77") >= 0);
  assert_int_equal(ss_mesh_boundary(b, "nothing"), -1);
  ss_mesh_destroy(a);
  ss_mesh_destroy(b);
  free(t.at);
}

static void test_round_trip(void **state) {
  (void)state;
  check_kind(2, SS_TRIANGLE3);
  check_kind(2, SS_TRIANGLE6);
  check_kind(2, SS_QUAD4);
  check_kind(2, SS_QUAD9);
  check_kind(3, SS_TET4);
  check_kind(3, SS_HEX8);
}

static void refuse(const char *content, const char *expected) {
  ss_context ctx = {0};
  ss_mesh *m = NULL;
  ss_error e = ss_mesh_parse(&ctx, "a.msh", content, strlen(content), &m);
  assert_null(m);
  if (e != SS_ERR_FORMAT || !strstr(ctx.message, expected)) fail_msg("%s", ctx.message);
}

#define HEAD  "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
#define NODES "$Nodes\n1 3 1 3\n2 1 0 3\n1\n2\n3\n0 0 0\n1 0 0\n0 1 0\n$EndNodes\n"
static void test_wrong_files(void **state) {
  (void)state;
  refuse("", "expected '$MeshFormat'");
  refuse("$MeshFormat\n2.2 0 8\n", "a.msh:2: version 2.2, expected 4.1");
  refuse("$MeshFormat\n4.1 1 8\n", "a.msh:2: a binary file");
  refuse(HEAD NODES, "no section $Elements");
  refuse(HEAD "$Nodes\n1 3 1 3\n2 1 0 3\n1\n2\n3\n0 0 0\n1 nan 0\n",
         "a.msh:11: found 'nan', expected");
  refuse(HEAD NODES "$Elements\n1 1 1 1\n2 1 2 1\n1 1 2 4\n$EndElements\n",
         "a.msh:17: there is no node 4");
  refuse(HEAD NODES "$Elements\n1 1 1 1\n2 1 26 1\n1 1 2 3\n$EndElements\n", "found type 26");
  refuse(HEAD NODES "$Elements\n1 1 1 1\n2 1 2 2\n1 1 2 3\n$EndElements\n",
         "more elements than said");
  refuse(HEAD NODES "$Elements\n1 1 1 1\n1 1 1 1\n1 1 2\n$EndElements\n", "no triangles");
  refuse(HEAD "$Nodes\n1 9999999 1 3\n", "ends too soon");
  refuse(HEAD "$Other\n1 2 3\n", "the section $Other has no $EndOther");
  refuse(HEAD "$Nodes\n1 2 1 3\n2 1 0 2\n1\n1\n0 0 0\n1 0 0\n$EndNodes\n"
              "$Elements\n1 1 1 1\n2 1 2 1\n1 1 1 1\n$EndElements\n",
         "node 1 is there twice");
}

// Cut anywhere, and with any byte replaced: an error or a mesh, never more.
static void test_damaged_files(void **state) {
  (void)state;
  ss_mesh *a = grid(2, SS_TRIANGLE3);
  text t = as_msh(a);
  char *copy = malloc(t.used + 1);
  for (size_t k = 0; k < t.used; k++)
    for (int way = 0; way < 3; way++) {
      ss_context ctx = {0};
      ss_mesh *m = NULL;
      memcpy(copy, t.at, t.used + 1);
      size_t size = way == 0 ? k : t.used;
      if (way) copy[k] = way == 1 ? '9' : '-';
      copy[size] = '\0';
      if (!ss_mesh_parse(&ctx, "a.msh", copy, size, &m)) ss_mesh_check(&ctx, m);
      ss_mesh_destroy(m);
    }
  free(copy);
  free(t.at);
  ss_mesh_destroy(a);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_round_trip),
      cmocka_unit_test(test_wrong_files),
      cmocka_unit_test(test_damaged_files),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
