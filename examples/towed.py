"""Two sleds joined by a rigid bar, pulled along the ground: a bilateral constraint.

In the plane. Sled 1 (mass 1, friction 0.5) is pulled with force 30, sled 2 (mass 2, friction 0.3) follows. Degrees of freedom:
(x, y) of each; the bar asks v_1x = v_2x. Both slip, so over one step h

    v = h (P - (mu_1 m_1 + mu_2 m_2) g) / (m_1 + m_2),      bar impulse = m_2 v + h mu_2 m_2 g

Shows G and its multiplier l:  M v + f = H^T r + G l,  G^T v + b = 0."""
import numpy as np

import stickslip

M1, M2, GRAVITY, STEP, PULL, MU = 1, 2, 9.81, 0.01, 30, (0.5, 0.3)
sleds = stickslip.Problem(
    dim=2, mu=MU, M=np.diag([M1, M1, M2, M2]), f=[-PULL * STEP, M1 * GRAVITY * STEP, 0, M2 * GRAVITY * STEP],
    H=[[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]], G=[[1], [0], [-1], [0]], b=[0])
s = stickslip.solve(sleds, tol=1e-12)
closed = STEP * (PULL - (MU[0] * M1 + MU[1] * M2) * GRAVITY) / (M1 + M2)
print(s.status)
print(f"speed        {s.v[0]:.6f} {s.v[2]:.6f}   closed form {closed:.6f}")
print(f"bar impulse  {abs(s.l[0]):.6f}            closed form {M2 * closed + STEP * MU[1] * M2 * GRAVITY:.6f}")
