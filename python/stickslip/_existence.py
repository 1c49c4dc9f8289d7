"""Does a solution exist, and who jams: certificates, their check, and why a problem was not solved."""
from __future__ import annotations

import dataclasses
from typing import Any, Dict, List, Optional

import numpy as np

from ._calls import Context, Watch, copied, ffi, fill, inside, lib, name_of, numbers, override, text, tristate, vector, view
from ._problem import Problem
from ._shown import Shown, number
from ._solve import Progress, Solution, judge


@dataclasses.dataclass(repr=False)
class Certificate(Shown):
    """A verdict on existence with its evidence (docs/existence.md); arrays are None where they prove nothing."""

    verdict: str
    reason: str
    explanation: str
    criterion_A: str
    margin: float
    margin_low: float
    margin_high: float
    margin_exact: bool
    attained: Optional[bool]
    for_every_w: Optional[bool]
    a_prime: Optional[bool]
    path: Optional[str]
    iterations: int
    velocity: Optional[np.ndarray]
    direction: Optional[np.ndarray]
    impulse: Optional[np.ndarray]
    impulse_l: Optional[np.ndarray]
    work: float
    jamming: List[int]
    lambda_: Optional[np.ndarray]
    residuals: Dict[str, float]
    time_s: float
    c: Any = dataclasses.field(compare=False)

    def __bool__(self) -> bool:
        return self.verdict == "exists"

    def _title(self) -> str:
        return {"exists": "a solution exists", "none": "no solution exists"}.get(self.verdict, "undecided")

    def _facts(self) -> Any:
        facts = [("reason", self.reason), ("criterion (A)", self.criterion_A), ("margin", number(self.margin))]
        return facts + ([("jamming", self.jamming)] if self.jamming else [])


def certificate_of(problem: Problem, c: Any, owner: Any) -> Certificate:
    """Of an ss_certificate that `owner` holds."""
    m, nl = problem.rows, problem.bilateral
    names = [name for name, _ in ffi.typeof("ss_certificate_residuals").fields]
    return fill(
        Certificate, c, verdict=name_of(lib.ss_existence_name, c.verdict), c=inside(c, owner),
        reason=name_of(lib.ss_existence_reason_name, c.reason), explanation=name_of(lib.ss_existence_reason_text, c.reason),
        criterion_A=name_of(lib.ss_criterion_state_name, c.criterion_A), attained=tristate(c.attained),
        for_every_w=tristate(c.for_every_w), a_prime=tristate(c.a_prime),
        velocity=view(c.velocity, c.velocity_size, owner), direction=view(c.direction, c.velocity_size, owner),
        impulse=view(c.impulse, m, owner), impulse_l=view(c.impulse_l, nl, owner),
        jamming=[c.jamming[k] for k in range(c.jamming_count)], lambda_=view(getattr(c, "lambda"), problem.contacts, owner),
        residuals={name: getattr(c.residuals, name) for name in names})


def certify(problem: Problem, *, tol: Optional[float] = None, rank_tol: Optional[float] = None, margin: str = "auto",
            max_iter: Optional[int] = None, time_limit_s: float = 0.0, progress: Progress = None) -> Certificate:
    """Existence by criterion (A), its margin and its dual. margin: "auto", "exact" or "bound".

    >>> import stickslip
    >>> c = stickslip.certify(stickslip.model("painleve", mu=1))
    >>> c.verdict, c.criterion_A, c.jamming
    ('undecided', 'violated', [0])
    >>> stickslip.check(stickslip.model("painleve", mu=1), c).holds
    True
    """
    context, watch, out = Context(), Watch(progress), ffi.new("ss_certificate **")
    o = ffi.new("ss_certify_options *", lib.ss_certify_options_default())
    wishes = {"auto": lib.SS_MARGIN_AUTO, "exact": lib.SS_MARGIN_EXACT, "bound": lib.SS_MARGIN_BOUND}
    if margin not in wishes:
        raise ValueError(f"margin: found {margin!r}, expected one of {', '.join(wishes)}")
    o.margin, o.time_limit_s = wishes[margin], time_limit_s
    override(o, tol=tol, rank_tol=rank_tol, max_iter=max_iter)
    o.progress, o.user = lib.python_certify_progress, watch.handle
    error = lib.ss_certify(context.c, problem.c, o, out)
    owner = context.own(out[0], lib.ss_certificate_destroy) if out[0] else None
    context.check(error, watch)
    return certificate_of(problem, owner, owner)


@dataclasses.dataclass(repr=False)
class CertificateReport(Shown):
    """What the independent check finds: `holds`, or the first claim that its evidence does not prove."""

    holds: bool
    failure: str
    unit: float
    margin_low: float
    margin_high: float
    penetration: float

    def __bool__(self) -> bool:
        return self.holds

    def _title(self) -> str:
        return "the certificate holds" if self.holds else f"not proved: {self.failure}"


def check(problem: Problem, answer: Any, *, tol: float = 1e-8, measure: str = "error") -> Any:
    """Judges an answer found anywhere from the raw data: reactions r, a Solution, or a Certificate.

    >>> import stickslip
    >>> block = stickslip.Problem(dim=2, mu=0.5, W=[[1, 0], [0, 1]], q=[-1, 2])
    >>> bool(stickslip.check(block, [1, -0.5])), bool(stickslip.check(block, [1, 0]))
    (True, False)
    >>> stickslip.check(block, [1, -0.5])
    <Verdict: solved; error 0, fclib 0, contacts 0 free, 0 stick, 1 slip>
    """
    if isinstance(answer, Certificate):
        context, out = Context(), ffi.new("ss_certificate_report *")
        context.check(lib.ss_certificate_check(context.c, problem.c, answer.c, out))
        return fill(CertificateReport, out, failure=text(out.failure))
    r = getattr(answer, "r", answer)
    return judge(problem, r, getattr(answer, "l", None), tol, measure)


@dataclasses.dataclass(repr=False)
class Diagnosis(Shown):
    """Whether a problem has a solution at all, who jams, and what to try next."""

    existence: str
    proof: str
    contradictory: bool
    certificate: Optional[Certificate]
    failure: str
    margin: float
    jamming: List[int]
    solution: Optional[np.ndarray]
    rounding_floor: float
    suggestions: Dict[str, str]

    def _title(self) -> str:
        return {"exists": "a solution exists", "none": "no solution exists"}.get(self.existence, "undecided")

    def _facts(self) -> Any:
        return [("proof", self.proof), ("jamming", self.jamming), ("try", list(self.suggestions))]


def diagnose(problem: Problem, tried: Optional[Solution] = None, *, time_limit_s: float = 0.0,
             stop: Any = None) -> Diagnosis:
    """Why a problem was not solved; `tried` is what `solve` gave. stop(): asked now and then, true gives up.

    >>> import stickslip
    >>> rod = stickslip.model("painleve", mu=1)
    >>> s = stickslip.solve(rod)
    >>> why = stickslip.diagnose(rod, s)
    >>> bool(s), why.existence, why.proof, why.jamming
    (False, 'none', 'enumeration', [0])
    """
    context, watch, out = Context(), Watch(stop), ffi.new("ss_diagnosis **")
    o = ffi.new("ss_diagnose_options *", {"exact": problem._exact, "time_limit_s": time_limit_s, "stop": lib.python_stop,
                                          "user": watch.handle})
    attempt, kept = ffi.NULL, []
    if tried is not None:
        kept = [ffi.new("char[]", name.encode()) for name in [tried.method, *tried.untried]]
        untried = ffi.new("const char *[]", [*kept[1:], ffi.NULL])
        kept += [untried, numbers(vector(tried.r, problem.rows, "r"))]
        attempt = ffi.new("ss_attempt *", {"method": kept[0], "status": tried._code, "tol": tried.tol, "untried": untried,
                                           "r": kept[-1]})
    error = lib.ss_diagnose(context.c, problem.c, attempt, o, out)
    owner = context.own(out[0], lib.ss_diagnosis_destroy) if out[0] else None
    context.check(error, watch)
    c = owner
    names = {name_of(lib.ss_suggestion_name, k): name_of(lib.ss_suggestion_text, k)
             for k in range(lib.SS_SUGGESTION_COUNT) if c.suggests[k]}
    met = copied(c.settlement.r, problem.rows) if c.settlement else None
    return fill(Diagnosis, c, existence=name_of(lib.ss_existence_name, c.existence), proof=name_of(lib.ss_proof_name, c.proof),
                certificate=certificate_of(problem, c.certificate, owner) if c.certificate else None,
                failure=text(c.failure), jamming=[c.jamming[k] for k in range(c.jamming_count)], solution=met,
                suggestions=names)
