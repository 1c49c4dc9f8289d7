// io/json_kind.c - what a JSON file is, by its keys: a file of another kind than expected is told what to do with it.
#include "base/error.h"
#include "io/json_value.h"

typedef struct kind {
  const char *name, *keys[4];  // any of the keys, which no kind below has
  const char *use;
} kind;

// In this order: what a command printed may hold the keys of anything.
static const kind kinds[] = {
    [SSI_JSON_CERTIFICATE] = {"a certificate",
                              {"criterion_A"},
                              "stickslip check PROBLEM CERTIFICATE"},
    [SSI_JSON_PRINTED] = {"what a command printed", {"command"}, NULL},
    [SSI_JSON_TEMPLATE] = {"a template", {"parameters"}, "stickslip model TEMPLATE -o PROBLEM"},
    [SSI_JSON_BODIES] = {"elastic bodies or a structure", {"kind"}, "stickslip simulate FILE"},
    [SSI_JSON_SCENE] = {"a scene",
                        {"stepping", "bodies", "generators", "externals"},
                        "stickslip simulate SCENE"},
    [SSI_JSON_PROBLEM] = {"a problem", {"mu", "W", "H"}, "stickslip solve PROBLEM"},
    [SSI_JSON_SOLUTION] = {"a solution", {"r", "solutions"}, "stickslip check PROBLEM SOLUTION"},
};

static bool is(const json_t *root, const kind *k) {
  for (int i = 0; i < 4 && k->keys[i]; i++)
    if (json_object_get(root, k->keys[i])) return true;
  return false;
}

ss_error ssi_json_expect(const ssi_json *in, const json_t *root, ssi_json_kind expected) {
  const int count = sizeof kinds / sizeof *kinds;
  int k = 0;
  while (k < count && !is(root, &kinds[k])) k++;
  if (k == count || k == (int)expected) return SS_OK;
  if (k == SSI_JSON_BODIES)
    return SS_OK;  // a static problem; in a scene a key that it does not have
  return ssi_fail(in->ctx, SS_ERR_FORMAT, "%s: this is %s, expected %s%s%s", in->name,
                  kinds[k].name, kinds[expected].name, kinds[k].use ? "; run " : "",
                  kinds[k].use ? kinds[k].use : "");
}
