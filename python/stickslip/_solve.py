"""Solving a problem, and judging an answer from the raw data."""
from __future__ import annotations

import dataclasses
from typing import Any, Callable, Dict, List, Optional

import numpy as np

from ._calls import ArgumentError, Context, Watch, ffi, lib, name_of, numbers, override, text, vector
from ._problem import Problem
from ._shown import Shown, counted, number

Progress = Optional[Callable[[Dict[str, Any]], Any]]


def word(function: Any, value: Any, what: str) -> int:
    """The number of an enum's word, by the library's own names."""
    k, known = 0, []
    while True:
        name = text(function(k))
        if name is None or name in known or name == "?" or name == "unknown":
            raise ArgumentError(f"{what}: found {value!r}, expected one of {', '.join(known)}")
        if name == value:
            return k
        known.append(name)
        k += 1


@dataclasses.dataclass(repr=False)
class Verdict(Shown):
    """What the raw data say of an answer; u, v, l are recomputed from r."""

    solved: bool
    error: float
    error_fclib: float
    penetration: float
    equality: float
    worst_contact: int
    components: int
    still: int
    states: List[str]
    errors: np.ndarray
    u: np.ndarray
    v: np.ndarray
    l: np.ndarray

    def __bool__(self) -> bool:
        return self.solved

    def _title(self) -> str:
        return "solved" if self.solved else "not solved"

    def _facts(self) -> Any:
        return [("error", number(self.error)), ("fclib", number(self.error_fclib)), ("contacts", counted(self.states))]


def judge(problem: Problem, r: Any, l: Any = None, tol: float = 1e-8, measure: str = "error") -> Verdict:
    context, c, m = Context(), ffi.new("ss_verdict *"), problem.rows
    r, l = vector(r, m, "r"), None if l is None or not problem.bilateral else vector(l, problem.bilateral, "l")
    answer = ffi.new("ss_solution *")
    kept = answer.r, answer.l = numbers(r), numbers(l)
    u, v, multipliers = np.empty(m), np.empty(problem.dofs), np.empty(problem.bilateral)
    contacts = ffi.new("ss_contact_verdict[]", problem.contacts + 1)
    context.check(lib.ss_verify(context.c, problem.c, answer, numbers(u), numbers(v), numbers(multipliers), contacts, c))
    del kept
    bound = lib.ss_verdict_measure(c, word(lib.ss_measure_name, measure, "measure"))
    each = [contacts[k] for k in range(problem.contacts)]
    return Verdict(bool(bound <= tol), c.error, c.error_fclib, c.penetration, c.equality, c.worst_contact, c.components,
                   c.still, [name_of(lib.ss_state_name, x.state) for x in each], np.array([x.error for x in each]),
                   u, v, multipliers)


class Solution(Shown):
    """r, u, v, l as arrays, and how they were found. True where it is solved: verified on the problem's own data.

    `info` has status, iterations, error, error_fclib, time_setup_s, time_solve_s, checks."""

    def __init__(self, problem: Problem, r: np.ndarray, u: np.ndarray, v: np.ndarray, l: np.ndarray, info: Any,
                 method: str, tol: float, untried: List[str]) -> None:
        self.problem, self.r, self.u, self.v, self.l = problem, r, u, v, l
        self.method, self.tol, self.untried = method, tol, untried
        self.status = name_of(lib.ss_status_name, info.status)
        self.iterations, self.error, self.error_fclib = info.iterations, info.error, info.error_fclib
        self.time_s = info.time_setup_s + info.time_solve_s
        self._code, self._states = info.status, None

    def __bool__(self) -> bool:
        return self.status == "solved"

    @property
    def states(self) -> List[str]:
        """'free', 'stick' or 'slip' for each contact."""
        if self._states is None:
            self._states = judge(self.problem, self.r, self.l).states
        return self._states

    def _title(self) -> str:
        return self.status

    def _facts(self) -> Any:
        return [("error", number(self.error)), ("method", self.method), ("iterations", self.iterations),
                ("contacts", counted(self.states))]


class Solver:
    """One solver for many solves: of the same problem with other numbers (`update`), or of others (`retarget`).

    >>> import numpy as np, stickslip
    >>> q = np.array([-1.0, 2.0])
    >>> problem = stickslip.Problem(dim=2, mu=0.5, W=[[1, 0], [0, 1]], q=q)
    >>> solver = stickslip.Solver(problem, tol=1e-10)
    >>> solver.solve().states
    ['slip']
    >>> q[1] = 0.1                       # the array is the problem's own: nothing was copied
    >>> solver.update()
    >>> solver.solve().states
    ['stick']
    """

    def __init__(self, problem: Problem, method: str = "auto", tol: float = 1e-8, measure: str = "error", max_iter: int = 0,
                 time_limit_s: float = 0.0, check_every: int = 0, seed: Optional[int] = None, threads: int = 1,
                 settings: Optional[Dict[str, Any]] = None, progress: Progress = None) -> None:
        self.problem, self.method, self.tol = problem, method, tol
        self._context, self._watch = Context(), Watch(progress)
        o = ffi.new("ss_options *", lib.ss_options_default())
        name = ffi.new("char[]", method.encode())
        o.method, o.tol, o.measure = name, tol, word(lib.ss_measure_name, measure, "measure")
        o.max_iter, o.time_limit_s, o.check_every, o.threads = max_iter, time_limit_s, check_every, threads
        override(o, seed=seed)
        texts = [(ffi.new("char[]", key.encode()), ffi.new("char[]", str(value).encode()))
                 for key, value in (settings or {}).items()]
        chosen = ffi.new("ss_setting[]", len(texts) or 1)
        for entry, (key, value) in zip(chosen, texts):
            entry.key, entry.value = key, value
        o.settings, o.setting_count = chosen, len(texts)
        o.progress, o.user = lib.python_solve_progress, self._watch.handle
        out = ffi.new("ss_solver **")
        self._context.check(lib.ss_solver_create(self._context.c, problem.c, o, out), self._watch)
        self._c = self._context.own(out[0], lib.ss_solver_destroy)

    def update(self, problem: Optional[Problem] = None) -> None:
        """New numbers, in the same arrays (no argument) or in those of a problem with the same patterns."""
        self._change(lib.ss_solver_update, problem)

    def retarget(self, problem: Problem) -> None:
        """Another problem of any size; what can be used again is."""
        self._change(lib.ss_solver_retarget, problem)

    def _change(self, call: Any, problem: Optional[Problem]) -> None:
        problem = problem or self.problem
        self._context.check(call(self._c, problem.c), self._watch)
        self.problem = problem

    def solve(self, guess: Any = None) -> Solution:
        """From the guess (r, or a Solution), or from zero."""
        p = self.problem
        if isinstance(guess, Solution):
            guess = guess.r
        r = np.zeros(p.rows) if guess is None else vector(guess, p.rows, "guess").copy()
        u, v, l = np.empty(p.rows), np.empty(p.dofs), np.empty(p.bilateral)
        info = ffi.new("ss_info *")
        error = lib.ss_solve(self._c, numbers(r), numbers(u), numbers(v), numbers(l), info)
        self._context.check(error, self._watch)
        untried = [] if info.status == lib.SS_SOLVED else [m for m in methods() if not lib.ss_solver_tried(self._c, m.encode())]
        return Solution(p, r, u, v, l, info, self.method, self.tol, untried)


def solve(problem: Problem, method: str = "auto", *, guess: Any = None, **options: Any) -> Solution:
    """Solves a problem; the answer is 'solved' only after it was verified on the problem's own data.

    Options are those of Solver: tol, measure, max_iter, time_limit_s, check_every, seed, threads, settings (of the method),
    progress (called with a dict now and then; true stops it).

    >>> import stickslip
    >>> s = stickslip.solve(stickslip.Problem(dim=2, mu=0.5, W=[[1, 0], [0, 1]], q=[-1, 2]))
    >>> s.status, s.states
    ('solved', ['slip'])
    >>> [round(float(x), 9) for x in s.r]
    [1.0, -0.5]
    """
    return Solver(problem, method, **options).solve(guess)


def methods() -> Dict[str, str]:
    """The methods of `solve`: name and summary."""
    found: Dict[str, str] = {}
    while lib.ss_method_name(len(found)):
        name = text(lib.ss_method_name(len(found)))
        found[name] = text(lib.ss_method_summary(name.encode()))
    return found
