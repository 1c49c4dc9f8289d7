"""An arm with two servos puts its hand where it is told, by the targets of its joints set between the steps.

Both links are 0.5 m long; a target for the hand becomes two angles, which the servos are led to within a second, with the
rate that this takes. What is left of the way is what carries the weight: stiffness (target - angle) is the moment of the
motor. The last place asks for more than the elbow can bend: it ends at its limit, and its motor presses there with all it
has."""
import math

import stickslip

LINK = 0.5
servo = {"kind": "position", "target": 0, "stiffness": 2000, "damping": 100, "max_force": 60}
bar = {"kind": "box", "size": [LINK, 0.06]}
sim = stickslip.Simulation({
    "dim": 2, "materials": [{"name": "steel", "mu": 0.3}],
    "bodies": [{"name": "upper", "shape": bar, "mass": 2, "position": [0.25, 0]},
               {"name": "fore", "shape": bar, "mass": 1, "position": [0.75, 0]}],
    "joints": [{"name": "shoulder", "kind": "hinge", "a": "upper", "anchor": [0, 0], "motor": servo},
               {"name": "elbow", "kind": "hinge", "a": "fore", "b": "upper", "anchor": [LINK, 0], "low": -2, "high": 2,
                "motor": servo}],
    "stepping": {"step": 0.005, "duration": 8}, "solver": {"tol": 1e-10}})


def angles_for(x, y):
    """Of shoulder and elbow, which is bent downwards: the law of cosines."""
    far = math.hypot(x, y)
    bent = math.acos(far * far / (2 * LINK * LINK) - 1)
    return math.atan2(y, x) + bent / 2, -bent


for place in ((0.8, 0.3), (0.5, 0.6), (0.7, -0.4), (0.3, 0)):
    begin, start, goal = sim.time, sim.coordinates, angles_for(*place)
    while sim.time < begin + 2 - 1e-9:
        part = min(sim.time - begin, 1)
        for k in range(2):
            way = goal[k] - start[k]
            sim.set_target(k, start[k] + way * part * part * (3 - 2 * part), way * 6 * part * (1 - part))
        if not sim.step():
            raise SystemExit(f"t = {sim.time}: not solved")
    shoulder, elbow = sim.joint("shoulder"), sim.joint("elbow")
    hand, _ = sim.point("fore", [LINK / 2, 0])
    print(f"told ({place[0]:.2f}, {place[1]:.2f}), is at ({hand[0]:.3f}, {hand[1]:.3f}); motors {shoulder.motor:.3f} "
          f"and {elbow.motor:.3f} N m, 2000 times what is missing {2000 * (goal[0] - shoulder.coordinate):.3f} and "
          f"{2000 * (goal[1] - elbow.coordinate):.3f}")
print(f"elbow at {elbow.coordinate:.6f}, told {goal[1]:.3f}: its limit holds with {elbow.limit:.3f} N m")
