"""The friction of a block from where a camera saw it slide: examples/fit_friction.c in Python, and the same numbers.

Each time step is a friction problem; its derivative carries dv/dmu from step to step, and Gauss-Newton's method finds mu."""
import numpy as np

import stickslip

STEP, STEPS, EVERY, G, SPEED, MASS = 0.005, 200, 10, 9.81, 2.0, 3.0


def observe(mu=0.37):
    """x = v t - mu g t^2/2 until it stops, to the millimetre."""
    t = np.minimum(np.arange(1, STEPS // EVERY + 1) * EVERY * STEP, SPEED / (mu * G))
    return np.round(1000 * (SPEED * t - mu * G * t * t / 2)) / 1000


def slide(mu):
    """Positions, and their derivative with respect to mu."""
    f, v, dv, x, dx, seen = np.zeros(2), np.array([SPEED, 0.0]), np.zeros(2), 0.0, 0.0, []
    problem = stickslip.Problem(dim=2, mu=mu, M=np.diag([MASS, MASS]), H=[[0, 1], [1, 0]], f=f)
    solver, s = stickslip.Solver(problem, tol=1e-12), None
    for k in range(1, STEPS + 1):
        f[:] = -MASS * v + [0, STEP * MASS * G]
        solver.update()
        s = solver.solve(s)
        change = stickslip.derivative(problem, s).forward(mu=1, f=-MASS * dv)
        x, dx = x + STEP * (v[0] + s.v[0]) / 2, dx + STEP * (dv[0] + change.v[0]) / 2
        v, dv = s.v, change.v
        if k % EVERY == 0:
            seen.append((x, dx))
    return np.array(seen).T


seen, mu = observe(), 0.1
print(f"{len(seen)} positions, at rest after {seen[-1]:.3f} m")
for _ in range(6):
    x, dx = slide(mu)
    print(f"mu {mu:.6f}: off by {np.sqrt(np.mean((seen - x) ** 2)):.6f} m")
    mu += dx @ (seen - x) / (dx @ dx)
print(f"friction {mu:.4f}")
