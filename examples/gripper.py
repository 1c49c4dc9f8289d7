"""A gripper with two fingers lifts a ball, by forces set between the steps.

The palm slides up and down, the fingers slide in the palm, each with a motor. The fingers close with 12 N until the
contacts say that both press on the ball with 10 N or more; then the palm goes up by 0.3 m in one second and stays.
0.3 s later the fingers open, and the ball falls. Nothing but friction (mu = 0.6) holds the ball of 1 kg."""
import stickslip

GRIP, LIFT, STEP, MASS, WEIGHT = 12.0, 0.3, 0.005, 2.0, 9.81  # MASS: of palm, fingers and ball
box = {"kind": "box", "size": [0.04, 0.08, 0.12]}
sim = stickslip.Simulation({
    "materials": [{"name": "m", "mu": 0.6}],
    "bodies": [{"name": "ball", "shape": {"kind": "sphere", "radius": 0.1}, "mass": 1, "position": [0, 0, 0.1]},
               {"name": "left", "shape": box, "mass": 0.2, "position": [-0.13, 0, 0.1]},
               {"name": "right", "shape": box, "mass": 0.2, "position": [0.13, 0, 0.1]},
               {"name": "palm", "shape": {"kind": "box", "size": [0.4, 0.1, 0.04]}, "mass": 0.6,
                "position": [0, 0, 0.3]}],
    "joints": [{"kind": "slider", "a": "left", "b": "palm", "anchor": [-0.13, 0, 0.3], "axis": [1, 0, 0]},
               {"kind": "slider", "a": "right", "b": "palm", "anchor": [0.13, 0, 0.3], "axis": [1, 0, 0]},
               {"kind": "slider", "a": "palm", "anchor": [0, 0, 0.3], "axis": [0, 0, 1]}],
    "externals": [{"shape": {"kind": "plane"}}],
    "stepping": {"step": STEP, "duration": 2}, "solver": {"tol": 1e-10}})
BALL, LEFT, RIGHT, PALM = range(4)


def pressed(finger):
    """What the contacts measure: how hard a finger presses on the ball."""
    return abs(sim.contact_force(BALL, finger)[0])


lifted_at = opened_at = None
while not sim.done:
    if lifted_at is None and min(pressed(LEFT), pressed(RIGHT)) >= 10:
        lifted_at = sim.time
        print(f"t = {sim.time:.3f}: both fingers press, the palm goes up")
    if lifted_at is not None and opened_at is None and sim.time >= lifted_at + 1.3:
        opened_at = sim.time
        slipped = sim.positions[BALL, 2] - (sim.positions[PALM, 2] - 0.2)
        print(f"t = {sim.time:.3f}: the ball is {sim.positions[BALL, 2] - 0.1:.3f} m up, slipped by {1e3 * abs(slipped):.2f} mm; "
              f"pressed by {pressed(LEFT):.2f} and {pressed(RIGHT):.2f} N: let go")
    share = 0 if lifted_at is None else min((sim.time - lifted_at) / 1.0, 1)
    height = 0.3 + LIFT * share * share * (3 - 2 * share)
    grip = GRIP if opened_at is None else -GRIP / 10
    carried = MASS if opened_at is None and lifted_at is not None else MASS - 1
    sim.set_load("left", force=[grip, 0, 0])
    sim.set_load("right", force=[-grip, 0, 0])
    push = 400 * (height - sim.positions[PALM, 2]) - 60 * sim.velocities[PALM, 2] + carried * WEIGHT
    sim.set_load("palm", force=[0, 0, push])
    if not sim.step():
        raise SystemExit(f"t = {sim.time}: not solved")

print(f"t = {sim.time:.3f}: the ball lies on the ground again, {abs(sim.positions[BALL, 2] - 0.1) * 1e3:.1f} mm from where it was")
