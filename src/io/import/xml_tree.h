// io/import/xml_tree.h - models in XML, read with libxml2: attributes as words and numbers, and a record of what was
// looked at, so that what was not can be listed. Messages: "robot.urdf:12: joint 'elbow': axis: found ..., expected ...".
#pragma once

#include <libxml/tree.h>

#include "base/arena.h"
#include "io/reader.h"

typedef struct ssi_xml {
  ss_context *ctx;
  const char *name;  // of the file
  ssi_arena *arena;
  xmlDoc *document;
  const char **left;  // what was left out                                 (left_count)
  size_t left_count, left_room;
} ssi_xml;

// No network, no entities. The caller ends it, after a failure too.
ss_error ssi_xml_begin(ssi_xml *x, const ssi_source *in);
void ssi_xml_end(ssi_xml *x);

// Elements: the first child called so, the next one called as this is; NULL: none. They count as looked at.
xmlNode *ssi_xml_child(xmlNode *node, const char *name);
xmlNode *ssi_xml_next(xmlNode *node);
bool ssi_xml_is(const xmlNode *node, const char *name);
void ssi_xml_seen(xmlNode *node);  // this element alone

// Attributes: NULL where there is none. The text belongs to the arena.
const char *ssi_xml_text(ssi_xml *x, xmlNode *node, const char *name);
// The name attribute, "" where there is none.
const char *ssi_xml_name(ssi_xml *x, xmlNode *node);
ss_error ssi_xml_needed(ssi_xml *x, xmlNode *node, const char *name, const char **out);

// Numbers of an attribute's text, apart by blanks: at least `least`, at most `most`. *count (may be NULL): how many;
// 0, and nothing is written, where text is NULL.
ss_error ssi_xml_numbers(ssi_xml *x, xmlNode *node, const char *name, const char *text, int least,
                         int most, double *out, int *count);
// Of the element's own attribute.
ss_error ssi_xml_vector(ssi_xml *x, xmlNode *node, const char *name, int length, double *out);

ss_error ssi_xml_wrong(ssi_xml *x, const xmlNode *node, const char *format, ...) SS_PRINTF(3, 4);
// Of what the library says about a shape: where in the model that stands.
ss_error ssi_xml_placed(ssi_xml *x, const xmlNode *node, ss_error e);

// Lists something, with the line of the element.
void ssi_xml_leave(ssi_xml *x, const xmlNode *node, const char *format, ...) SS_PRINTF(3, 4);
// Lists all elements and attributes that were not looked at, each kind once, with their number.
void ssi_xml_leave_rest(ssi_xml *x);
