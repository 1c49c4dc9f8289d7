// support/schema_rows.h - do the tables of a reader (io/scene_rows.h) and a JSON schema say the same?
#pragma once

#include <jansson.h>

#include "harness.h"
#include "io/scene_rows.h"

static inline bool has_row(const ssi_object *o, const char *key) {
  if (o->kinds && strcmp(key, "kind") == 0) return true;
  for (int k = 0; k < o->count; k++)
    if (strcmp(o->rows[k].key, key) == 0) return true;
  return false;
}

static inline bool is_required(const json_t *object, const char *key) {
  size_t k;
  json_t *each;
  json_array_foreach(json_object_get(object, "required"), k, each) {
    if (strcmp(json_string_value(each), key) == 0) return true;
  }
  return false;
}

static inline void compare_words(const ssi_object *o, const char *key, const char *const *words,
                                 const json_t *property) {
  const json_t *list = json_object_get(property, "enum");
  size_t count = 0;
  while (words[count]) count++;
  if (json_array_size(list) != count) fail_msg("%s.%s: the schema has other words", o->name, key);
  for (size_t k = 0; k < count; k++)
    assert_string_equal(json_string_value(json_array_get(list, k)), words[k]);
}

static inline void compare_with_schema(const ssi_object *o, const json_t *object) {
  const json_t *properties = json_object_get(object, "properties");
  if (!properties) fail_msg("the schema has no object %s", o->name);
  assert_true(json_is_false(json_object_get(object, "additionalProperties")));
  const char *key;
  json_t *each;
  json_object_foreach((json_t *)properties, key, each) {
    if (!has_row(o, key)) fail_msg("%s.%s: in the schema, not in the reader", o->name, key);
  }
  if (o->kinds) compare_words(o, "kind", o->kinds, json_object_get(properties, "kind"));
  for (int k = 0; k < o->count; k++) {
    const ssi_row *row = o->rows + k;
    const json_t *property = json_object_get(properties, row->key);
    if (!property) fail_msg("%s.%s: in the reader, not in the schema", o->name, row->key);
    if (row->words) compare_words(o, row->key, row->words, property);
    if (!row->only && is_required(object, row->key) != row->required &&
        strcmp(row->key, "stepping") != 0)
      fail_msg("%s.%s: required in one of schema and reader only", o->name, row->key);
  }
}
