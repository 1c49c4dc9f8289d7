"""A random pile of spheres: make it, look at it, solve it, check the answer independently.

Shows `pile`, the progress callback, and `check`, which recomputes everything from the problem's own data and knows nothing
of the solver."""
import stickslip

# %% The problem
pile = stickslip.pile(dim=3, contacts=100, mu=0.3, seed=7)
about = pile.describe()


def say(what, true):
    print(f"{what + ':':<24} {'yes' if true else 'no'}")


say("about 100 contacts", 90 <= pile.contacts <= 110)
say("M is block-diagonal", about["bodies"] > 0)
say("hangs together", about["largest_component"] > pile.contacts / 2)

# %% The answer, and somebody else's opinion of it
errors = []
s = stickslip.solve(pile, tol=1e-6, progress=lambda now: errors.append(now["error"]))  # true would cancel the solve
verdict = stickslip.check(pile, s, tol=1e-6)
say("every contact judged", len(verdict.states) == pile.contacts)
print(f"{'status:':<24} {s.status}")
say("error at most 1e-6", verdict.error <= 1e-6)
say("progress was reported", errors)
