"""A block on an incline: does it stay, and if not, how fast does it go after one time step?

In the plane, mass m = 2, friction 0.4, step h = 0.01. Degrees of freedom: velocity along the normal of the slope and down
the slope, so H = 1. Coulomb's closed form, with theta the angle of the slope:

    tan(theta) <= mu:  it sticks     tan(theta) > mu:  u_T = g h (sin(theta) - mu cos(theta))

Shows the global form, and a Solver that is kept: the matrices stay, the load changes in its own array."""
import math

import numpy as np

import stickslip

# %% The problem, whose load f is set for each angle below
MASS, GRAVITY, STEP, MU = 2, 9.81, 0.01, 0.4
f = np.zeros(2)  # minus the impulse of gravity
slope = stickslip.Problem(dim=2, mu=MU, M=MASS * np.eye(2), H=np.eye(2), f=f)
solver = stickslip.Solver(slope, tol=1e-12)

# %% All angles
print("angle  state   r_N      r_T       u_T       closed form")
for degrees in range(5, 46, 10):
    theta = math.radians(degrees)
    f[:] = MASS * GRAVITY * STEP * math.cos(theta), -MASS * GRAVITY * STEP * math.sin(theta)
    solver.update()
    s = solver.solve()
    closed = GRAVITY * STEP * max(0, math.sin(theta) - MU * math.cos(theta))
    print(f"{degrees:5d}  {s.states[0]:<5}  {s.r[0]:.5f}  {s.r[1]:8.5f}  {abs(s.u[1]):.6f}  {closed:.6f}")
