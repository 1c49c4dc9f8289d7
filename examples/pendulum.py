"""An inverted pendulum on a cart that rubs on the ground, held up by a force on the cart.

The pole (0.2 kg, 1 m) leans by 5 degrees; between two steps a controller reads where cart and pole are and sets the
force: u = -(K . state), plus what friction takes away, in the direction in which it wants the cart to go. The ground is
a contact with Coulomb's friction like any other: the cart sticks and slips."""
import math

import stickslip

LEAN = math.radians(5)
K = (-3.1623, -4.6922, -44.3715, -10.9182)  # of x, x', lean, lean': a linear quadratic regulator without friction
FRICTION = 0.1 * 1.2 * 9.81  # mu times the weight of both
STEP = 0.005
pole = [0.5 * math.sin(LEAN), 0.2 + 0.5 * math.cos(LEAN)]
sim = stickslip.Simulation({
    "dim": 2, "materials": [{"name": "m", "mu": 0.1}],
    "bodies": [{"name": "cart", "shape": {"kind": "box", "size": [0.6, 0.2]}, "mass": 1, "position": [0, 0.1]},
               {"name": "pole", "shape": {"kind": "box", "size": [0.05, 1]}, "mass": 0.2, "position": pole,
                "rotation": -5}],
    "joints": [{"kind": "hinge", "a": "pole", "b": "cart", "anchor": [0, 0.2]}],
    "externals": [{"shape": {"kind": "plane"}}],
    "stepping": {"step": STEP, "duration": 10}, "solver": {"tol": 1e-10}})

most_lean = most_way = late_lean = 0.0
unsolved = 0
while not sim.done:
    state = (sim.positions[0, 0], sim.velocities[0, 0], -sim.angles[1], -sim.spins[1, 2])
    force = -sum(k * s for k, s in zip(K, state))
    force += FRICTION * math.tanh(force / 0.5)
    sim.set_load("cart", force=[force, 0])
    unsolved += sim.step().unsolved
    most_lean = max(most_lean, abs(state[2]))
    most_way = max(most_way, abs(state[0]))
    if sim.time > 8:
        late_lean = max(late_lean, abs(state[2]))

print(f"unsolved steps {unsolved}")
print(f"leans by at most {math.degrees(most_lean):.1f} degrees, after 8 s by less than {math.floor(math.degrees(late_lean)) + 1}")
print(f"the cart went less than {math.floor(10 * most_way) + 1} dm")
