// What was looked at is marked in `_private`, which libxml2 leaves to its users.
#include "io/import/xml_tree.h"

#include <libxml/parser.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/error.h"

static char seen;

static ss_error no_memory(const ssi_xml *x) {
  return ssi_fail(x->ctx, SS_ERR_MEMORY, "%s: no memory to read it", x->name);
}

ss_error ssi_xml_begin(ssi_xml *x, const ssi_source *in) {
  xmlParserCtxt *parser = xmlNewParserCtxt();
  if (!parser) return no_memory(x);
  if (in->size > INT32_MAX) {
    xmlFreeParserCtxt(parser);
    return ssi_fail(x->ctx, SS_ERR_FORMAT, "%s: %zu bytes of XML, expected less than 2^31",
                    in->name, in->size);
  }
  x->document = xmlCtxtReadMemory(parser, in->bytes, (int)in->size, NULL, NULL,
                                  XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
  ss_error e = SS_OK;
  if (!x->document) {
    const xmlError *last = xmlCtxtGetLastError(parser);
    char text[200];
    snprintf(text, sizeof text, "%s", last && last->message ? last->message : "cannot be read");
    text[strcspn(text, "\n")] = '\0';
    e = ssi_fail(x->ctx, SS_ERR_FORMAT, "%s:%d: no XML: %s", in->name, last ? last->line : 1, text);
  }
  xmlFreeParserCtxt(parser);
  return e;
}

void ssi_xml_end(ssi_xml *x) {
  if (x->document) xmlFreeDoc(x->document);
  ssi_release(x->ctx, x->left);
  x->document = NULL;
  x->left = NULL;
}

// ---- elements ---------------------------------------------------------------------------------

bool ssi_xml_is(const xmlNode *node, const char *name) {
  return node->type == XML_ELEMENT_NODE && strcmp((const char *)node->name, name) == 0;
}

void ssi_xml_seen(xmlNode *node) {
  node->_private = &seen;
}

static xmlNode *first_called(xmlNode *from, const char *name) {
  for (; from; from = from->next)
    if (ssi_xml_is(from, name)) {
      ssi_xml_seen(from);
      return from;
    }
  return NULL;
}

xmlNode *ssi_xml_child(xmlNode *node, const char *name) {
  return node ? first_called(node->children, name) : NULL;
}

xmlNode *ssi_xml_next(xmlNode *node) {
  return first_called(node->next, (const char *)node->name);
}

// ---- attributes -------------------------------------------------------------------------------

const char *ssi_xml_text(ssi_xml *x, xmlNode *node, const char *name) {
  xmlAttr *attribute = node ? xmlHasProp(node, (const xmlChar *)name) : NULL;
  if (!attribute || attribute->type != XML_ATTRIBUTE_NODE) return NULL;
  attribute->_private = &seen;
  xmlChar *value = xmlGetProp(node, (const xmlChar *)name);
  if (!value) {  // it is there, so there was no memory
    x->arena->failed = true;
    return NULL;
  }
  size_t size = strlen((const char *)value) + 1;
  char *copy = SSI_TAKE(x->arena, size, char);
  if (copy) memcpy(copy, value, size);
  xmlFree(value);
  return copy;
}

const char *ssi_xml_name(ssi_xml *x, xmlNode *node) {
  const char *name = ssi_xml_text(x, node, "name");
  return name ? name : "";
}

ss_error ssi_xml_needed(ssi_xml *x, xmlNode *node, const char *name, const char **out) {
  *out = ssi_xml_text(x, node, name);
  if (x->arena->failed) return no_memory(x);
  return *out && **out ? SS_OK : ssi_xml_wrong(x, node, "%s: missing", name);
}

static const char *blanks(const char *at) {
  return at + strspn(at, " \t\r\n");
}

ss_error ssi_xml_numbers(ssi_xml *x, xmlNode *node, const char *name, const char *text, int least,
                         int most, double *out, int *count) {
  int found = 0;
  if (x->arena->failed) return no_memory(x);
  if (count) *count = 0;
  if (!text) return SS_OK;
  for (const char *at = blanks(text); *at; at = blanks(at)) {
    double sign = *at == '-' ? -1 : 1, value;
    const char *end = found < most ? ssi_decimal(at + (*at == '-' || *at == '+'), &value) : NULL;
    if (!end || !isfinite(value) || (*end && end == blanks(end))) {
      found = -1;
      break;
    }
    out[found++] = sign * value;
    at = end;
  }
  if (found >= least) return count ? *count = found : 0, SS_OK;
  if (least == most)
    return ssi_xml_wrong(x, node, "%s: found '%.60s', expected %d number%s", name, text, most,
                         most == 1 ? "" : "s");
  return ssi_xml_wrong(x, node, "%s: found '%.60s', expected %d to %d numbers", name, text, least,
                       most);
}

ss_error ssi_xml_vector(ssi_xml *x, xmlNode *node, const char *name, int length, double *out) {
  return ssi_xml_numbers(x, node, name, ssi_xml_text(x, node, name), length, length, out, NULL);
}

// ---- messages ---------------------------------------------------------------------------------

// "joint 'elbow'", or "joint".
static void say_element(const xmlNode *node, char *out, size_t size) {
  xmlChar *name = xmlGetProp(node, (const xmlChar *)"name");
  snprintf(out, size, name ? "%.60s '%.60s'" : "%.60s", (const char *)node->name,
           (const char *)name);
  xmlFree(name);
}

ss_error ssi_xml_wrong(ssi_xml *x, const xmlNode *node, const char *format, ...) {
  char what[300], element[140];
  va_list args;
  va_start(args, format);
  vsnprintf(what, sizeof what, format, args);
  va_end(args);
  say_element(node, element, sizeof element);
  return ssi_fail(x->ctx, SS_ERR_FORMAT, "%s:%ld: %s: %s", x->name, xmlGetLineNo(node), element,
                  what);
}

ss_error ssi_xml_placed(ssi_xml *x, const xmlNode *node, ss_error e) {
  if (!e || e == SS_ERR_FORMAT || e == SS_ERR_MEMORY || !x->ctx) return e;
  return ssi_xml_wrong(x, node, "%.250s", x->ctx->message);
}

static void keep(ssi_xml *x, const char *text) {
  size_t size = strlen(text) + 1;
  char *copy = SSI_TAKE(x->arena, size, char);
  if (!copy || !ssi_grow(x->ctx, &x->left, &x->left_room, x->left_count + 1, x->left_count,
                         sizeof *x->left)) {
    x->arena->failed = true;
    return;
  }
  memcpy(copy, text, size);
  x->left[x->left_count++] = copy;
}

void ssi_xml_leave(ssi_xml *x, const xmlNode *node, const char *format, ...) {
  char what[300], element[140], text[700];
  va_list args;
  va_start(args, format);
  vsnprintf(what, sizeof what, format, args);
  va_end(args);
  say_element(node, element, sizeof element);
  snprintf(text, sizeof text, "%s:%ld: %s: %s", x->name, xmlGetLineNo(node), element, what);
  keep(x, text);
}

// ---- what was not looked at ---------------------------------------------------------------------

typedef struct rest {
  char path[160];  // "link/visual", "joint/limit@effort"
  long line;
  size_t found;  // after so many others
  int count;
} rest;

typedef struct rests {
  ssi_xml *x;
  rest *list;
  size_t count, room;
} rests;

static void note(rests *r, const xmlNode *element, const char *attribute) {
  char path[160];
  const xmlNode *parent = element->parent;
  bool inner = parent && parent->type == XML_ELEMENT_NODE && parent->parent &&
               parent->parent->type == XML_ELEMENT_NODE;  // below the root
  snprintf(path, sizeof path, "%.50s%s%.50s%s%.50s", inner ? (const char *)parent->name : "",
           inner ? "/" : "", (const char *)element->name, attribute ? "@" : "",
           attribute ? attribute : "");
  if (!ssi_grow(r->x->ctx, &r->list, &r->room, r->count + 1, r->count, sizeof *r->list)) {
    r->x->arena->failed = true;
    return;
  }
  rest *new = r->list + r->count;
  memcpy(new->path, path, sizeof path);
  new->line = xmlGetLineNo(element);
  new->found = r->count++;
  new->count = 1;
}

static int by_finding(const void *left, const void *right) {
  const rest *a = left, *b = right;
  return (a->found > b->found) - (a->found < b->found);
}

static int by_path(const void *left, const void *right) {
  int order = strcmp(((const rest *)left)->path, ((const rest *)right)->path);
  return order ? order : by_finding(left, right);
}

// Each kind once, where it was found first. By sorting: a file may have as many kinds as elements.
static void merge_kinds(rests *r) {
  size_t kinds = 0;
  if (r->count) qsort(r->list, r->count, sizeof *r->list, by_path);
  for (size_t k = 0; k < r->count; k++) {
    if (kinds && strcmp(r->list[kinds - 1].path, r->list[k].path) == 0)
      r->list[kinds - 1].count++;
    else
      r->list[kinds++] = r->list[k];
  }
  r->count = kinds;
  if (kinds) qsort(r->list, kinds, sizeof *r->list, by_finding);
}

// libxml2 gives up on trees deeper than 256, so this may call itself.
static void walk(rests *r, const xmlNode *node) {
  for (; node; node = node->next) {
    if (node->type != XML_ELEMENT_NODE) continue;
    if (node->_private != &seen) {
      note(r, node, NULL);
      continue;
    }
    for (const xmlAttr *a = node->properties; a; a = a->next)
      if (a->_private != &seen) note(r, node, (const char *)a->name);
    walk(r, node->children);
  }
}

void ssi_xml_leave_rest(ssi_xml *x) {
  rests r = {.x = x};
  walk(&r, xmlDocGetRootElement(x->document));
  merge_kinds(&r);
  for (size_t k = 0; k < r.count; k++) {
    char text[700], times[40] = "";
    if (r.list[k].count > 1) snprintf(times, sizeof times, " (%d times)", r.list[k].count);
    snprintf(text, sizeof text, "%s:%ld: %s%s", x->name, r.list[k].line, r.list[k].path, times);
    keep(x, text);
  }
  ssi_release(x->ctx, r.list);
}
