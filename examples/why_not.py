"""A solve that does not end in an answer: is there none, or was it not found?

In the plane. A rod slides in a sleeve at 45 degrees (one degree of freedom, v > 0 upwards), and its tip drags on a belt that
moves with speed 1. Its weight presses it down. With H = (s, s), s = sqrt(1/2), a tip that rests on the belt slips,
r = (1, -mu) r_N, and equilibrium asks s (1 - mu) r_N = s: for mu > 1 there is no such r_N, and nothing else fits either. The
rod jams. With mu < 1 there is a solution, and a solver that stops too early.

Shows `diagnose`: the verdict on existence, what proves it, the contacts to blame, what to try next; and `enumerate`, which counts."""
import math

import stickslip

S = math.sqrt(0.5)
for mu in (1.5, 0.9):
    rod = stickslip.Problem(dim=2, mu=mu, M=[[1]], f=[S], H=[[S], [S]], w=[0, 1])
    tried = stickslip.solve(rod, "admm", max_iter=3)  # far too few
    print(f"mu = {mu:g}: {tried.status}")
    why = stickslip.diagnose(rod, tried)
    print(f"  existence   {why.existence}, by {why.proof}")
    if why.certificate is not None:
        print(f"  criterion   (A) is {why.certificate.criterion_A}, margin {why.margin:.4f}")
    for contact in why.jamming:
        print(f"  jams        contact {contact}")
    print(f"  solutions   {len(stickslip.enumerate(rod).solutions)}")
    print("  rounding    is far below" if why.rounding_floor < 1e-15 else "  rounding    matters")
    for text in why.suggestions.values():
        print(f"  try         {text}")
