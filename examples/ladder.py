"""A ladder leans on a smooth wall: at which angle does its foot slip?

In the plane, a uniform rod of length 2 a, mass m, wall without friction, floor with mu = 0.5. Degrees of freedom (v_x, v_y,
omega) at the centre; the wall is x = 0, the foot is at x > 0. At rest the foot carries the weight and the wall pushes with
m g / (2 tan(angle)), so it holds while

    tan(angle) >= 1 / (2 mu)                                        (45 degrees for mu = 0.5)

and below that, from rest over one step h, with s = sin(angle), c = cos(angle), I = m a^2 / 3,

    omega = m g h a (c - 2 mu s) / (I + m a^2 (1 - 2 mu s c))

Shows two contacts with different friction, and the state of each."""
import math

import numpy as np

import stickslip

A, MASS, GRAVITY, STEP, MU = 1.5, 10, 9.81, 1e-3, np.array([0.5, 0])
INERTIA = MASS * A * A / 3

print("angle  foot   wall   omega     closed form")
for degrees in range(60, 29, -6):
    s, c = math.sin(math.radians(degrees)), math.cos(math.radians(degrees))
    H = [[0, 1, A * c],   # foot: normal up
         [1, 0, A * s],   # foot: tangent along +x
         [1, 0, -A * s],  # top:  normal along +x
         [0, -1, A * c]]  # top:  tangent down
    ladder = stickslip.Problem(dim=2, mu=MU, M=np.diag([MASS, MASS, INERTIA]), H=H, f=[0, MASS * GRAVITY * STEP, 0])
    found = stickslip.solve(ladder, tol=1e-12)
    foot, wall = found.states
    closed = MASS * GRAVITY * STEP * A * max(0, c - 2 * MU[0] * s) / (INERTIA + MASS * A * A * (1 - 2 * MU[0] * s * c))
    print(f"{degrees:5d}  {foot:<5}  {wall:<5}  {abs(found.v[2]):.6f}  {closed:.6f}")
