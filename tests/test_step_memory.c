// Memory of a simulation: a step that was done before takes nothing, and each allocation may fail once.
#include "counted_memory.h"
#include "scene_run.h"

static const char *const pile =
    "{'materials':[{'name':'m','mu':0.4,'restitution':0.3}],"
    "'generators':[{'kind':'packing','shape':{'kind':'sphere','radius':0.1},'count':30,"
    "'region':[[-0.3,-0.3,0.1],[0.3,0.3,2]],'seed':1}],"
    "'bodies':[{'shape':{'kind':'hull','points':[[0,0,0],[0.2,0,0],[0,0.2,0],[0,0,0.2]]},"
    "'position':[0.1,0,2.5]}],'externals':[{'shape':{'kind':'plane'}}],"
    "'stepping':{'step':0.01,'duration':10,'drift':'%s'},'solver':{'tol':1e-6}}";

static const char *const chain =
    "{'dim':2,'materials':[{'name':'m','mu':0.4}],"
    "'bodies':[{'name':'x','shape':{'kind':'box','size':[1,0.2]},'position':[0.5,0.5],'spin':1},"
    "{'name':'y','shape':{'kind':'box','size':[1,0.2]},'position':[1.5,0.5]}],"
    "'joints':[{'kind':'hinge','a':'x','anchor':[0,0.5]},"
    "{'kind':'slider','a':'x','b':'y','anchor':[1,0.5],'axis':[1,0]}],"
    "'externals':[{'shape':{'kind':'plane'}}],"
    "'stepping':{'step':0.005,'duration':10,'drift':'%s'},'solver':{'tol':1e-8}}";

static const char *const sprung =
    "{'materials':[{'name':'m','mu':0.4}],'bodies':[{'name':'x','shape':{'kind':'box','size':[1,0."
    "4,0.2]},"
    "'position':[0,0,0.12],'spin':[0.1,0,0]},{'name':'y','shape':{'kind':'box','size':[1,0.2,0.2]},"
    "'position':[1.5,0,0.15]}],'externals':[{'shape':{'kind':'plane'}}],"
    "'springs':[{'a':'x','b':'y','anchor_a':[0.4,0.1,0.1],'stiffness':2000,'rest_length':0.5}],"
    "'bushings':[{'a':'y','anchor':[1.5,0,0.1],'stiffness':[9,9,9],'rotational_stiffness':[1,2,3]}]"
    ","
    "'stepping':{'step':0.005,'duration':10,'drift':'%s'},'solver':{'tol':1e-8}}";

static const char *const driven =
    "{'dim':2,'materials':[{'name':'m','mu':0.4}],"
    "'bodies':[{'name':'x','shape':{'kind':'box','size':[1,0.2]},'position':[0.5,0.5]},"
    "{'name':'y','shape':{'kind':'box','size':[1,0.2]},'position':[1.5,0.5]}],"
    "'joints':[{'kind':'hinge','a':'x','anchor':[0,0.5],'low':-0.3,'motor':{'kind':'velocity',"
    "'target':1,'max_force':5}},{'kind':'slider','a':'x','b':'y','anchor':[1,0.5],'axis':[1,0],"
    "'motor':{'kind':'position','target':0.1,'stiffness':100,'damping':5}}],"
    "'externals':[{'shape':{'kind':'plane'}}],"
    "'stepping':{'step':0.005,'duration':10,'drift':'%s'},'solver':{'tol':1e-8}}";

static void count_memory(void) {
  ctx = (ss_context){.alloc = take, .release = give};
  taken = live = 0;
  fail_at = -1;
}

static void second_step_takes_nothing(const char *scene, const char *drift, int before) {
  count_memory();
  run r = begin(scene, drift);
  for (int i = 0; i < before; i++) step(&r);
  const void *bytes;
  size_t size;
  assert_int_equal(ss_simulation_save(r.sim, &bytes, &size), SS_OK);
  unsigned char *saved = malloc(size);
  memcpy(saved, bytes, size);
  step(&r);
  assert_true(before < 20 || r.info.contacts > 0);
  assert_int_equal(ss_simulation_load(r.sim, saved, size), SS_OK);
  int first = taken;
  step(&r);
  assert_int_equal(taken - first, 0);
  free(saved);
  end(&r);
  assert_int_equal(live, 0);
}

static void test_second_step_takes_nothing(void **state) {
  (void)state;
  for (int drift = SS_DRIFT_GAP; drift <= SS_DRIFT_NONE; drift++) {
    second_step_takes_nothing(pile, ss_drift_name((ss_drift)drift), 0);
    second_step_takes_nothing(pile, ss_drift_name((ss_drift)drift), 60);
    second_step_takes_nothing(chain, ss_drift_name((ss_drift)drift), 120);
    second_step_takes_nothing(sprung, ss_drift_name((ss_drift)drift), 60);
    second_step_takes_nothing(driven, ss_drift_name((ss_drift)drift), 120);
  }
}

// What is at rest goes on with the memory that it has.
static void test_rest_takes_nothing(void **state) {
  (void)state;
  count_memory();
  run r = begin_builtin("wall");
  build(&r);
  for (int i = 0; i < 12; i++) step(&r);
  int first = taken;
  for (int i = 0; i < 5; i++) step(&r);
  assert_int_equal(taken - first, 0);
  end(&r);
  assert_int_equal(live, 0);
}

// The allocations of a simulation and its first steps fail, from one of them on, one after the other: an error, a
// message, no leak, and a step that failed is done again once there is memory.
static void each_allocation_fails(const char *scene, const char *drift) {
  count_memory();
  run r = begin(scene, drift);
  ss_simulation_destroy(r.sim);
  int failed_steps = 0;
  bool reached = true;
  for (int k = 0; reached; k += 1 + k / 16) {
    lasting = true;
    fail_at = taken + k;
    ss_error e = ss_simulation_create(&ctx, r.scene, &r.sim);
    if (e) assert_int_equal(e, SS_ERR_MEMORY);
    for (int i = 0; !e && i < 3; i++) {
      ss_error stepped = ss_simulation_step(r.sim, &r.info);
      if (!stepped) continue;
      failed_steps++;
      assert_int_equal(stepped, SS_ERR_MEMORY);
      assert_non_null(strstr(ctx.message, "memory"));
      lasting = false;
      fail_at = taken - 1;
      assert_int_equal(ss_simulation_step(r.sim, &r.info), SS_OK);
    }
    reached = taken > fail_at;
    lasting = false;
    if (!e) ss_simulation_destroy(r.sim);
  }
  fail_at = -1;
  ss_scene_close(r.scene);
  assert_int_equal(live, 0);
  assert_true(failed_steps > 0);
}

static void test_each_allocation_fails(void **state) {
  (void)state;
  each_allocation_fails(pile, "gap");
  each_allocation_fails(chain, "projection");
  each_allocation_fails(sprung, "gap");
  each_allocation_fails(driven, "projection");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_second_step_takes_nothing),
      cmocka_unit_test(test_rest_takes_nothing),
      cmocka_unit_test(test_each_allocation_fails),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
