// Geoms of a MuJoCo model. Sizes are halves; a geom with fromto runs from one point to the other along its z.
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "io/import/mjcf.h"
#include "la/vec3.h"

static const char *const kinds = "sphere, capsule, cylinder, box, mesh or plane";

typedef struct geom {
  ssi_mjcf_element at;
  const char *type;
  ss_pose pose;
  ssi_made_solid solid;
  double mu, mass, density;  // mass 0: from the density
  bool touches;
} geom;

static ss_error find_mesh(ssi_mjcf *f, const geom *g, xmlNode **out) {
  const char *name = ssi_mjcf_text(f, &g->at, "mesh");
  if (!name) return ssi_xml_wrong(&f->m->x, g->at.node, "mesh: missing");
  for (xmlNode *n = ssi_xml_child(f->assets, "mesh"); n; n = ssi_xml_next(n)) {
    const char *own = ssi_xml_text(&f->m->x, n, "name"), *file = ssi_xml_text(&f->m->x, n, "file");
    size_t stem =
        file ? strcspn(file, ".") : 0;  // without a name it is the file's, without its ending
    bool same = own ? strcmp(own, name) == 0
                    : file && strlen(name) == stem && memcmp(name, file, stem) == 0;
    if (same) return *out = n, SS_OK;
  }
  return ssi_xml_wrong(&f->m->x, g->at.node, "mesh: there is no mesh '%.80s' in asset", name);
}

static ss_error read_mesh(ssi_mjcf *f, geom *g) {
  xmlNode *mesh = NULL;
  double scale[3] = {1, 1, 1};
  const char *file, *path;
  SS_TRY(find_mesh(f, g, &mesh));
  ssi_mjcf_element e = {mesh, g->at.class};
  SS_TRY(ssi_mjcf_find_class(f, mesh, "class", f->class_count ? 0 : -1, &e.class));
  SS_TRY(ssi_mjcf_numbers(f, &e, "scale", 3, 3, scale, NULL));
  SS_TRY(ssi_xml_needed(&f->m->x, mesh, "file", &file));
  size_t size = strlen(f->mesh_folder) + strlen(file) + 2;
  char *named = SSI_TAKE(f->m->x.arena, size, char);
  if (!named) return ssi_scene_draft_no_memory(&f->m->d);
  snprintf(named, size, "%s%s%s", f->mesh_folder, *f->mesh_folder ? "/" : "", file);
  SS_TRY(ssi_foreign_file(f->m, mesh, named, &path));
  return ssi_made_solid_mesh(&f->m->d, path, scale, &g->solid);
}

// size, and from fromto the pose and the half length.
static ss_error read_size(ssi_mjcf *f, geom *g, int least, double size[3]) {
  double ends[6];
  int given, has_ends;
  bool rod = strcmp(g->type, "capsule") == 0 || strcmp(g->type, "cylinder") == 0;
  bool box = strcmp(g->type, "box") == 0;
  SS_TRY(ssi_mjcf_numbers(f, &g->at, "fromto", 6, 6, ends, &has_ends));
  if (has_ends && !rod && !box)
    return ssi_xml_wrong(&f->m->x, g->at.node,
                         "fromto: of a %s, expected a capsule, cylinder or box", g->type);
  SS_TRY(ssi_mjcf_numbers(f, &g->at, "size", 1, 3, size, &given));
  if (given < (has_ends ? 1 : least))
    return ssi_xml_wrong(&f->m->x, g->at.node, "size: found %d numbers, expected %d", given,
                         has_ends ? 1 : least);
  if (!has_ends) return SS_OK;
  double along[3];
  ssi_sub3(ends, ends + 3, along);
  ssi_add3(ends, 1, ends + 3, g->pose.x);
  ssi_scale3(0.5, g->pose.x, g->pose.x);
  ssi_mjcf_turn_z(along, g->pose.q);
  double half = ssi_norm3(along) / 2;
  if (box) size[1] = size[0], size[2] = half;
  if (rod) size[1] = half;
  return SS_OK;
}

static ss_error read_solid(ssi_mjcf *f, geom *g) {
  ssi_scene_draft *d = &f->m->d;
  double size[3] = {0, 0, 0};
  if (strcmp(g->type, "mesh") == 0) return read_mesh(f, g);
  if (strcmp(g->type, "plane") == 0) {
    ssi_mjcf_text(f, &g->at, "size");  // drawn that large, and endless
    return ssi_made_solid_plane(d, &g->solid);
  }
  SS_TRY(read_size(f, g,
                   strcmp(g->type, "sphere") == 0 ? 1
                   : strcmp(g->type, "box") == 0  ? 3
                                                  : 2,
                   size));
  if (strcmp(g->type, "sphere") == 0) return ssi_made_solid_sphere(d, size[0], &g->solid);
  if (strcmp(g->type, "box") == 0) return ssi_made_solid_box(d, size, &g->solid);
  return ssi_made_solid_rod(d, strcmp(g->type, "capsule") == 0, size[0], size[1], &g->solid);
}

static bool is_known(const char *type) {
  static const char *const known[] = {"sphere", "capsule", "cylinder", "box", "mesh", "plane"};
  for (size_t k = 0; k < sizeof known / sizeof *known; k++)
    if (strcmp(type, known[k]) == 0) return true;
  return false;
}

static ss_error read_numbers(ssi_mjcf *f, geom *g) {
  double friction[3] = {1, 0, 0}, type = 1, affinity = 1;
  g->density = 1000;
  SS_TRY(ssi_mjcf_numbers(f, &g->at, "friction", 1, 3, friction, NULL));
  SS_TRY(ssi_mjcf_numbers(f, &g->at, "mass", 1, 1, &g->mass, NULL));
  SS_TRY(ssi_mjcf_numbers(f, &g->at, "density", 1, 1, &g->density, NULL));
  SS_TRY(ssi_mjcf_numbers(f, &g->at, "contype", 1, 1, &type, NULL));
  SS_TRY(ssi_mjcf_numbers(f, &g->at, "conaffinity", 1, 1, &affinity, NULL));
  g->mu = friction[0];
  g->touches = type != 0 || affinity != 0;
  if (g->touches && (type != 1 || affinity != 1))
    ssi_xml_leave(&f->m->x, g->at.node, "contype %g, conaffinity %g: it touches everything", type,
                  affinity);
  return SS_OK;
}

// false in *known: of a kind that is not known here, listed.
static ss_error read_geom(ssi_mjcf *f, xmlNode *node, int class, geom *out, bool *known) {
  *out = (geom){.at = {node, class}};
  ssi_xml_name(&f->m->x, node);
  SS_TRY(ssi_mjcf_find_class(f, node, "class", class, &out->at.class));
  out->type = ssi_mjcf_text(f, &out->at, "type");
  if (!out->type) out->type = ssi_mjcf_text(f, &out->at, "mesh") ? "mesh" : "sphere";
  *known = is_known(out->type);
  if (!*known) {
    ssi_xml_leave(&f->m->x, node, "a geom of type %.40s is left out, expected %s", out->type,
                  kinds);
    return SS_OK;
  }
  SS_TRY(ssi_mjcf_pose(f, &out->at, &out->pose));
  SS_TRY(read_numbers(f, out));
  return ssi_xml_placed(&f->m->x, node, read_solid(f, out));
}

static ss_error add_geom(ssi_mjcf *f, const geom *g, const ss_pose *within, bool weighs,
                         ssi_link *link) {
  ss_pose at = ss_pose_times(within, &g->pose);
  if (!ss_shape_is_bounded(g->solid.shape))
    return ssi_xml_wrong(&f->m->x, g->at.node,
                         "a plane of a body that moves, expected one of the world");
  if (link->mu >= 0 && g->touches && link->mu != g->mu)
    ssi_xml_leave(&f->m->x, g->at.node, "friction %g: the body has %g, and one for all of it",
                  g->mu, link->mu);
  if (g->touches && link->mu < 0) link->mu = g->mu;
  if (g->touches) SS_TRY(ssi_link_add_part(&f->m->d, link, &g->solid, &at));
  if (!weighs) return SS_OK;
  double before = link->density;
  SS_TRY(ssi_link_add_solid(&f->m->d, link, &g->solid, &at, g->mass, g->density));
  if (!g->touches || (before == 0 && json_array_size(link->parts) > 1)) link->density = 0;
  return SS_OK;
}

ss_error ssi_mjcf_geoms(ssi_mjcf *f, xmlNode *body, int class, const ss_pose *within, bool weighs,
                        ssi_link *link) {
  for (xmlNode *n = ssi_xml_child(body, "geom"); n; n = ssi_xml_next(n)) {
    geom g;
    bool known = false;
    ss_error e = read_geom(f, n, class, &g, &known);
    if (!e && known) e = add_geom(f, &g, within, weighs, link);
    ssi_made_solid_release(&g.solid);
    if (e) return e;
  }
  return SS_OK;
}

ss_error ssi_mjcf_still_geoms(ssi_mjcf *f, xmlNode *body, int class, const ss_pose *pose) {
  for (xmlNode *n = ssi_xml_child(body, "geom"); n; n = ssi_xml_next(n)) {
    geom g;
    bool known = false;
    ss_pose here = ss_pose_identity();
    ss_error e = read_geom(f, n, class, &g, &known);
    if (!e && known && g.touches) {
      ss_pose at = ss_pose_times(pose, &g.pose);
      ssi_link link;
      e = ssi_link_begin(&f->m->d, ssi_xml_name(&f->m->x, n), &at, &link);
      link.mu = g.mu;
      if (!e) e = ssi_link_add_part(&f->m->d, &link, &g.solid, &here);
      if (!e) ssi_scene_draft_external(&f->m->d, &link);
      ssi_link_end(&link);
    }
    ssi_made_solid_release(&g.solid);
    if (e) return e;
  }
  return SS_OK;
}
