// A box lands on a table: contact detection alone, without any time stepping.
//
// Shows ss_shape_*, ss_shape_mass and ss_collide: where two bodies touch, how far apart they are
// there, and that a contact keeps its key from one position to the next.
#include <stdio.h>
#include <stickslip/stickslip.h>

int main(void) {
  ss_context ctx = {0};
  ss_shape *table, *box;
  ss_mass_properties mass;
  if (ss_shape_plane(&ctx, 3, &table) || ss_shape_box(&ctx, 3, (double[]){0.5, 0.25, 0.25}, &box) ||
      ss_shape_mass(&ctx, box, &mass))
    return puts(ctx.message), 1;
  printf("volume %g, moments of inertia %g %g %g\n", mass.volume, mass.principal[0],
         mass.principal[1], mass.principal[2]);

  ss_collider body[2] = {{.shape = table, .pose = ss_pose_identity(), .external = true},
                         {.shape = box, .pose = ss_pose_identity()}};
  ss_collide_options o = ss_collide_options_default();
  o.margin = 0.02;  // contacts from a gap of 0.02 on
  ss_detector *detector;
  if (ss_detector_create(&ctx, 3, &o, &detector)) return puts(ctx.message), 1;

  uint64_t first = 0;
  for (int step = 0; step < 3; step++) {
    body[1].pose.x[2] = 0.28 - 0.015 * step;  // its lower face at 0.03, 0.015, 0
    ss_contacts found;
    if (ss_collide(detector, body, 2, &found)) return puts(ctx.message), 1;
    printf("step %d: %d contacts", step, found.count);
    if (found.count) {
      const ss_contact *c = found.contact;
      if (!first) first = c->key;
      printf(", gap %.3f, normal %g %g %g, at %g %g, %s key", c->gap, c->normal[0], c->normal[1],
             c->normal[2], c->point[0], c->point[1], c->key == first ? "same" : "new");
    }
    printf("\n");
  }
  ss_detector_destroy(detector);
  ss_shape_destroy(box);
  ss_shape_destroy(table);
}
