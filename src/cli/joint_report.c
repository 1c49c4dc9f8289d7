#include "cli/joint_report.h"

enum { SHOWN = 8 };

static json_t *vector(const double x[3]) {
  return cli_doubles_json(x, 3);
}

json_t *cli_joints_json(cli_session *s, const ss_simulation *sim, int count) {
  json_t *list = json_array();
  for (int k = 0; k < count; k++) {
    ss_sim_joint j;
    json_t *row = json_object();
    if (ss_simulation_joint(sim, k, &j)) j = (ss_sim_joint){0};
    cli_put(s, row, "name", cli_text(j.name));
    cli_put(s, row, "kind", json_string(ss_joint_kind_name(j.kind)));
    cli_put(s, row, "coordinate", j.moves ? cli_real(j.coordinate) : json_null());
    cli_put(s, row, "rate", j.moves ? cli_real(j.rate) : json_null());
    cli_put(s, row, "motor", cli_real(j.motor));
    cli_put(s, row, "limit", cli_real(j.limit));
    cli_put(s, row, "force", vector(j.force));
    cli_put(s, row, "moment", vector(j.moment));
    cli_append(s, list, row);
  }
  return list;
}

void cli_joints_print(FILE *to, const ss_simulation *sim, const ss_scene *scene) {
  int shown = 0;
  for (int k = 0; k < scene->joint_count; k++) {
    const ss_joint *from = scene->joints + k;
    ss_sim_joint j;
    bool driven = from->motor.kind != SS_MOTOR_NONE || from->has_low || from->has_high;
    if (!driven || ss_simulation_joint(sim, k, &j)) continue;
    if (shown++ >= SHOWN) continue;
    char number[32];
    snprintf(number, sizeof number, "joint %d", k);
    cli_line(to, shown == 1 ? "joints" : "", "%.40s at %.6g, rate %.3g: motor %.4g, limit %.4g",
             j.name ? j.name : number, j.coordinate, j.rate, j.motor, j.limit);
  }
  if (shown > SHOWN) cli_line(to, "", "and %d more with motors or limits", shown - SHOWN);
}
