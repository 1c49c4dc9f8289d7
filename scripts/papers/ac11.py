"""[AC11]: existence of solutions, and where criterion (A) applies."""
import published
import rod
from book import item
from pictures import plain, simulated, sketch
from runner import shown

SCENES = {"hopper": ("beads fall from a funnel", "hopper --set /generators/0/count=250"),
          "vibrating-plane": ("beads on a plate that vibrates", "vibrating-plane"),
          "rotating-drum": ("beads in a drum that turns", "rotating-drum")}


plain("AC11", [("Fig. 1", "The unknowns of a contact", "contact", "Two bodies, the normal e, the relative velocity u and the impulse r.")])


@item("AC11", "Fig. 2")
def crushed_ball(e, run):
    e.title = "Penetration cannot be prevented"
    e.claim("A ball between the ground and a plate that comes down: the incremental problem has no solution (2.1).")
    sketch(e, run, "ball", "The ball, and the motion of the upper plate.")
    found = run("stickslip model ball | stickslip certify --json -")
    e.equal("can penetration be prevented, (A')?", False, found["a_prime"]["holds"], found)
    e.equal("is there a solution?", "none", found["verdict"], found)
    e.note("The evidence is a set of normal impulses λ ≥ 0 in equilibrium that do work against the imposed motion: λ = "
           f"{found['a_prime']['lambda']}; `stickslip check` judges it from the raw data.")


@item("AC11", "Fig. 3", "(31) to (34)", "(35), Lemma 7")
def the_rod(e, run):
    e.title = "The rod, solved by hand"
    e.claim("With gravity downwards (g = −1) a solution exists if and only if u₀ ≤ 0, or u₀ > 0 and tan θ > μ (Lemma 7).")
    sketch(e, run, "painleve", "The rod: A moves along the ground with velocity u₀, B may touch it.")
    rod.existence(e, run)


@item("AC11", "Fig. 4", "(36)")
def the_criterion(e, run):
    e.title = "Criterion (A) on the rod"
    e.claim("The line (u₀, 0) + (cos θ, sin θ) v meets the cone exactly where Lemma 7 says that a solution exists.")
    sketch(e, run, "criterion", "The three cases: the line meets the dual cone in the first two.")
    rod.criterion(e, run)


@item("AC11", "Fig. 5", "4.4", quick=False)
def everyday(e, run):
    e.title = "Funnel, vibrating plane, drum"
    e.claim("External objects that move as one rigid body: (A) holds and a solution exists at every time step (4.4).")
    for name, (caption, scene) in SCENES.items():
        ran, made = simulated(run, f"{scene} --tol 1e-3 --max-steps 250 --certify")
        a = ran["criterion_A"]
        e.figure(made, "figure.svg", f"{caption}: {ran['bodies']} bodies, up to {ran['contacts_max']} contacts, after "
                                     f"{ran['time_simulated']:.3g} s.")
        e.equal(f"{caption}: steps at which (A) fails", 0, a["violated"] + a["undecided"], made)
        e.equal(f"{caption}: steps that were not solved, of {ran['steps']}", 0, ran["unsolved_steps"], made)


@item("AC11", "Fig. 6", "4.6")
def two_movers(e, run):
    e.title = "Two external objects that move differently"
    e.claim("(A) cannot be checked once for all: it has to be computed at every step, and may fail (4.6).")
    sketch(e, run, "piston", "Disks between a wall and a piston.")
    lost = run(shown(published.margin_command("times.csv") + ["--json"]))
    rows, touch = published.margins(lost.path("times.csv"))
    a = lost["criterion_A"]
    drawn = run("draw_curves 'margin of criterion (A), two external objects' 'margin (m/s)' figure.svg < margins.csv",
                files={"margins.csv": published.table_text(["step", "margin"], rows)})
    e.figure(drawn, "figure.svg", "The margin of (A) over the steps of `closing-supports`: lost when belt and plate both hold the disk.")
    e.equal("can (A) fail in such a scene?", True, a["violated"] > 0, lost)
    e.equal(f"is it lost when both objects touch (step {touch})?", True, a["lost_step"] in (touch, touch + 1), lost)
    e.note(f"(A) is first lost in step {a['lost_step']} of {a['robust'] + a['boundary'] + a['violated'] + a['undecided']}; least margin "
           f"{a['margin_min']:.3g} m/s.")


@item("AC11", "Fig. 6, beads", quick=False)
def two_movers_beads(e, run):
    e.title = "A belt and a paddle, beads between them"
    e.claim("The criterion is computed at every step “with the help of existing optimisation software” (4.6, 5.2).")
    ran, made = simulated(run, "two-movers --tol 1e-3 --certify")
    e.figure(made, "figure.svg", f"{ran['bodies']} beads, up to {ran['contacts_max']} contacts.")
    a = ran["criterion_A"]
    e.equal("steps at which (A) could not be decided", 0, a["undecided"], made, now=f"{1000 * a['time_s'] / ran['steps']:.0f} ms a step")


@item("AC11", "4.1")
def frictionless(e, run):
    e.title = "Without friction"
    e.claim("For μ = 0 criterion (A) is necessary and sufficient: it and (A') hold or fail together (4.1).")
    for V, holds in ((1, False), (0, True), (-1, True)):
        found = run(f"stickslip model ball -p mu1=0 -p mu2=0 -p V={V} | stickslip certify --json -")
        e.equal(f"closing speed {V}: does (A') hold?", holds, found["a_prime"]["holds"], found)
        e.equal(f"closing speed {V}: does (A) hold?", holds, found["verdict"] == "exists", found)


@item("AC11", "4.5", "2.1")
def deformable(e, run):
    e.title = "Deformable solids"
    e.claim("Where contacts occur at nodes, each of them once, a solution exists for any value of μ (4.5).")
    for name in ("elastic-square", "pulled-block", "block"):
        found = run(f"stickslip model {name} | stickslip certify --json -")
        e.equal(f"{name}: a solution for every μ?", True, found["for_every_mu"], found)
    found = run("stickslip model painleve | stickslip certify --json -")
    e.equal("the rod, with one degree of freedom: a solution for every μ?", False, found["for_every_mu"], found)


@item("AC11", "Remark 9")
def not_necessary(e, run):
    e.title = "(A) is not necessary"
    e.claim("The rod with θ < arctan μ and gravity upwards: (A) fails, and a solution exists (Remark 9).")
    certified = run(f"{rod.model(1, 1, 1)} | stickslip certify --json -")
    e.equal("does (A) fail?", "violated", certified["criterion_A"], certified)
    e.equal("is there a solution?", "exists", certified["verdict"], certified)


@item("AC11", "(37), (38)")
def pulled_up(e, run):
    e.title = "The rod pulled up: two solutions"
    e.claim("With g = 1, u₀ = 1 the problem has exactly one solution if tan θ > μ, “and exactly two solutions otherwise” (4.7).")
    for mu, printed, otherwise in (("1/2", 1, False), ("3/4", 2, "misprint"), ("1", 2, False)):
        found = rod.enumerate_rod(run, 1, 1, mu)
        e.equal(f"solutions, {rod.SIDE[mu]}", printed, found["count"], found, otherwise=otherwise)
    found = rod.enumerate_rod(run, 1, 1, 1)
    e.near("r_y of the one that slips, μ = 1", 3.0, max(r[0] for r in rod.reactions(found)), found, formula="−tan θ/(tan θ − μ)")
    e.note("At tan θ = μ slip means (tan θ − μ) r_y = −tan θ, which has no solution: take-off alone is left.")


@item("AC11", "(39)", quick=False)
def conic_program(e, run):
    e.title = "The criterion as a linear or conic program"
    e.claim("In 2D (39) is a linear program, “conceivable” for “tens or hundreds of thousand” variables; in 3D a second-order cone program "
            "that “can be solved quickly up to a few hundreds or thousands of variables” (5.2). No times are printed.")
    flat = run("stickslip model piston -p n=60 | stickslip certify --json -")
    decided(e, "2D", "a linear program, solved efficiently", flat)
    e.value("2D, tens or hundreds of thousand variables", "conceivable", "not tried", "unconfirmed", flat)
    deep = run("stickslip simulate two-movers --tol 1e-3 --dump-when 'contacts>=200:step.hdf5' --json", "stickslip certify step.hdf5 --json")
    decided(e, "3D", "a conic program, solved quickly", deep)


def decided(e, dim, printed, found):
    e.value(f"{dim}, {found['contacts']} contacts, {found['dofs']} velocities: decided?", printed, f"(A) {found['criterion_A']}",
            found["criterion_A"] != "undecided", found, now=f"{1000 * found['time_s']:.3g} ms")
