"""[Jack]: one elastic element at rest and in motion, and two elastic bodies."""
import csv

from book import item
from pictures import plain, sketch

TRACE = ("stickslip trace elastic-blocks -p pressure=0.004 -p shear=0.02 -p pull=0.02 -p lift=0.014 -p curvature=0.2 --over mu=0:8 "
         "--samples 17 --contacts 18,19,20 -o figure.svg --json")


def motion(run, scene, plot, *more):
    return run(" ".join(["stickslip simulate", scene, *more, "--plot", plot, "-o figure.svg --json"]))


def samples(run, scene, *more):
    made = run(" ".join(["stickslip simulate", scene, *more, "--samples 4000 -o samples.csv --json"]))
    return list(csv.DictReader(made.path("samples.csv").open())), made


plain("Jack", [("Fig. 1", "The projectors", "projectors", "P onto (−∞, 0] and onto [−η, η].")])


@item("Jack", "Fig. 2", "(1)")
def element(e, run):
    e.title = "One element on a rigid foundation"
    e.claim("The system (1) is solvable for any load, the solution may not be unique. b = −(λ + 3ν)/2 is printed.")
    sketch(e, run, "static", "One linear element, two of its nodes fixed.")
    loads = [(n, t) for n in (-1, 1) for t in ("-2", "-7/5", "-1/3", "0", "1/2", "3")]
    for mu in ("2/5", "2"):
        made = run(*(f"stickslip model static -p mu={mu} -p f_n={n} -p f_t={t} | stickslip enumerate --json -" for n, t in loads))
        counts = [made.json(k)["count"] for k in range(len(loads))]
        by = (made.commands[0] + f"   and {len(loads) - 1} other loads", made.seconds)
        e.equal(f"b = +6/5, c = 1, F = {mu}: loads without a solution, of {len(loads)}", 0, counts.count(0), by)
        e.equal(f"the same: can there be several (F {'>' if mu == '2' else '<'} b/c)?", mu == "2", max(counts) > 1, by)
    checks = run("tests/errata.py --json")
    found = {c["name"]: c["holds"] for c in checks.json()}
    e.value("b = −6/5 as printed, F = 2/5: solutions for f = (−1, 0)", "at least 1", 0 if found["Jack, b < 0"] else "?",
            "misprint" if found["Jack, b < 0"] else False, checks)
    e.note("With b = −(λ + 3ν)/2 the load (−1, 0) has no solution and (1, 0) has four, against the paper’s own statement; with b > 0, "
           "which agrees with (2), both have one. Rational arithmetic, no solver involved: `tests/errata.py`.")


@item("Jack", "2")
def continuation(e, run):
    e.title = "Continuation over the load"
    e.claim("Path following finds non-unique solutions of (1) when the load moves.")
    made = run("stickslip trace static -p mu=2 -p f_n=1 --over f_t=-4:4 -o figure.svg --json")
    e.figure(made, "figure.svg", "F = 2, f_ν = 1: the path goes back between its two folds.")
    e.equal("does the path fold?", True, len(made["folds"]) == 2, made)
    edges = sorted(f["parameter"] for f in made["folds"])
    e.near("lower fold, f_τ = −F f_ν", -2.0, edges[0], made)
    e.near("upper fold, f_τ = −(b/c) f_ν", -1.2, edges[1], made)


@item("Jack", "Fig. 3")
def two_bodies(e, run):
    e.title = "Two elastic bodies"
    e.claim("n = 1320 degrees of freedom, m = 30 nodes on the contact boundary; on the right the deformation.")
    sketch(e, run, "elastic-blocks", "The two bodies and their mesh.")
    made = run("stickslip simulate scenes/elastic/elastic-blocks.json -o figure.svg --json")
    e.figure(made, "figure.svg", "Deformed, with contact forces. The loads are ours: the paper does not give its own.")
    e.equal("degrees of freedom", 1320, made["dofs"], made)
    e.equal("contact nodes", 30, made["contacts"], made)


@item("Jack", "Fig. 4", "Fig. 5", quick=False)
def paths(e, run):
    e.title = "Solution paths of three neighbours over friction"
    e.claim("Nodes 19, 20 and 21: three branches, with no contact (solid), stick (dashed) and slip (dash-dotted); on the right of Fig. 4 "
            "the adaptive step of the algorithm. Shape, loads and constants of the bodies are not given ([4] of the paper).")
    made = run(TRACE)
    e.figure(made, "figure.svg", "Our two bodies of the same discretisation, under loads of our own: tangential displacement of three "
                                 "neighbours, and the step.")
    ends = run("stickslip trace elastic-blocks --over mu=0:1 --from 0 --contacts 19,20,21 -o figure.svg --json")
    e.figure(ends, "figure.svg", "The same bodies pressed and pulled, μ from 0 to 1: one path.")
    single = [s for c in made["changes"] for s in (*c["from"], *c["to"])]
    kinds = {s.rstrip("+-") for s in single}
    e.equal("are there several branches over friction, one of them folding back?", True,
            len(made["branches"]) > 1 and len(made["folds"]) > 0, made)
    e.equal("no contact, stick and slip along them?", True, {"free", "stick", "slip"} <= kinds, made)
    e.value("number of branches at node 19", "three", len(made["branches"]), "unconfirmed", made, "other loads")
    e.note(f"The path folds at μ = {made['folds'][0]['parameter']:.4g}: above it three solutions, one below. The picture of the paper "
           "cannot be repeated without its loads.")


@item("Jack", "Fig. 6", "Example 4.1")
def contact_only(e, run):
    e.title = "Contact only: the phase plot"
    e.claim("a = 1, b = −1.2, c = 1, F = 0.4, f_ν = 1.3, ω = 1/6, ten periods: the instrument rests on the foundation for all time; x₄ = 0 "
            "is stick.")
    made = motion(run, "jack-plane", "x4:x3,x4", "--samples 3000")
    e.figure(made, "figure.svg", "x₄ over x₃, and x₄ over t.")
    e.equal("time simulated, ten periods of the load", f"{10 * 2 * 3.141592653589793 * 6:.6f}", f"{made['time_simulated']:.6f}", made)
    e.equal("times it lifts off", 0, sum(ev["to"] == "free" for ev in made["events"]), made)
    e.equal("does it stick and slip?", True, {ev["to"] for ev in made["events"]} >= {"stick", "slip+", "slip-"}, made)
    e.value("run time, event-driven", "2.3 s", f"{made.seconds:.2g} s", "measured", made, then="2.3 s", now=f"{made.seconds:.2g} s")
    e.note(f"{made['counts']['events']} events; the energy balance closes to {made['energy_balance']['closure']:.0e}.")


@item("Jack", "Fig. 7")
def contact_forces(e, run):
    e.title = "Contact only: forces"
    e.claim("λ_ν(t) < 0 for all t.")
    e.figure(motion(run, "jack-plane", "lambda_nu,lambda_tau"), "figure.svg", "λ_ν and λ_τ over t.")
    rows, made = samples(run, "jack-plane")
    e.equal("is the contact pressed at all samples?", True, all(float(r["r_N"]) > 0 for r in rows), made)
    e.note(f"The least pressure is {min(float(r['r_N']) for r in rows):.4f} (−λ_ν), over {len(rows)} samples.")


@item("Jack", "Fig. 8", "Example 4.2")
def lifting(e, run):
    e.title = "Contact and no contact: phase plots"
    e.claim("F = 0.3, f_ν = 0.5: the instrument is lifted from the foundation for particular periods, and bounces; x₁ ≤ 0, an impact at x₁ "
            "= 0.")
    made = motion(run, "jack-plane-4.2", "x2:x1,x4:x3", "--samples 3000")
    e.figure(made, "figure.svg", "x₂ over x₁, and x₄ over x₃.")
    e.equal("does it lift off and land?", True, {"free"} < {ev["from"] for ev in made["events"]}, made)
    rows, sampled = samples(run, "jack-plane-4.2")
    e.equal("is x₁ ≤ 0 at all samples?", True, max(float(r["x1"]) for r in rows) <= 1e-9, sampled)
    flights = sum(ev["to"] == "free" for ev in made["events"])
    e.note(f"{flights} flights in ten periods, {made['counts']['impacts']} impacts. The law of landing is not stated in the paper; here x₂ "
           "becomes 0 and x₄ is kept; `--impact coulomb` lets the impulse obey Coulomb’s law.")


@item("Jack", "Fig. 9")
def lifting_forces(e, run):
    e.title = "Contact and no contact: forces"
    e.figure(motion(run, "jack-plane-4.2", "lambda_nu,lambda_tau"), "figure.svg", "λ_ν and λ_τ over t; both vanish in flight.")
    rows, made = samples(run, "jack-plane-4.2")
    e.claim("λ_ν = λ_τ = 0 where there is no contact (6), (7).")
    e.equal("do both vanish in flight?", True, all(float(r["r_N"]) == 0 == float(r["r_T"]) for r in rows if r["mode"] == "free"), made)


@item("Jack", "Example 5.3", "5", quick=False)
def run_times(e, run):
    e.title = "Run times"
    e.claim("dt = 0.001, ten periods: the mid-point rule took 2495.6 s, the stabilised one 64.84 s, the event-driven algorithm 2.3 s.")
    for name, command, then in (("mid-point rule", "jack-plane-5.3 --scheme midpoint", 2495.6),
                                ("stabilised mid-point rule", "jack-plane-5.3 --scheme midpoint-stabilized", 64.841882),
                                ("event-driven", "jack-plane", 2.3)):
        made = run(f"stickslip simulate {command} --json")
        e.value(name, f"{then:g} s", f"{made.seconds:.2g} s", "measured", made, f"{then / made.seconds:.0f} times faster",
                then=f"{then:g} s", now=f"{made.seconds:.2g} s")
    e.note("Their MATLAB of 2016 or so beside our C: what agrees is the order. Processor time.")


@item("Jack", "Fig. 10", quick=False)
def midpoint(e, run):
    e.title = "The mid-point rule"
    e.claim("The numerical solution oscillates between contact-slip and contact-stick; otherwise it looks much like the event-driven one.")
    e.figure(motion(run, "jack-plane-5.3", "x4", "--scheme midpoint --duration 8"), "figure.svg", "x₄ over t, 0 ≤ t ≤ 8.")
    exact, made = run("stickslip simulate jack-plane --json"), run("stickslip simulate jack-plane-5.3 --scheme midpoint --json")
    n, m = made["counts"]["events"], exact["counts"]["events"]
    e.equal("does it oscillate (many more changes of mode than there are)?", True, n > 100 * m, made)
    e.note(f"{n} changes of mode, where the event-driven algorithm has {m}. The scheme is not written out in the paper; ours takes contact "
           "and friction at the middle of the step.")


@item("Jack", "Fig. 11", quick=False)
def stabilised(e, run):
    e.title = "The stabilised mid-point rule"
    e.claim("Setting x₄ = 0 in stick remedies it; on the right the periodic limit set, 250 ≤ t ≤ 350.")
    e.figure(motion(run, "jack-plane-5.3", "x4", "--scheme midpoint-stabilized --duration 9"), "figure.svg", "x₄ over t, 0 ≤ t ≤ 9.")
    e.figure(motion(run, "jack-plane-5.3", "x4", "--scheme midpoint-stabilized --from 250 --duration 350"), "figure.svg",
             "The limit set, 250 ≤ t ≤ 350.")
    exact, made = run("stickslip simulate jack-plane --json"), run("stickslip simulate jack-plane-5.3 --scheme midpoint-stabilized --json")
    e.equal("changes of mode, beside the event-driven algorithm", exact["counts"]["events"], made["counts"]["events"], made)
    period = 12 * 3.141592653589793
    late = [ev["time"] for ev in exact["events"] if ev["time"] > 250]
    gaps = [min(abs(t + period - x) for x in late) for t in late if t + period < 376]
    e.equal("is the limit set periodic (events return after 2π/ω, to 1e-6)?", True, max(gaps) < 1e-6, exact)
