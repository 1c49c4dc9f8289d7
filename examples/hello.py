"""The smallest problem: a block pushed along the ground, in the plane."""
import numpy as np

import stickslip

block = stickslip.Problem(dim=2, mu=0.5, W=np.eye(2), q=[-1, 2])
s = stickslip.solve(block)  # r = (1, -0.5), u = (0, 1.5): it slips
print(f"{s.status}: r = ({s.r[0]:g}, {s.r[1]:g}), u = ({s.u[0] + 0:g}, {s.u[1]:g})")
