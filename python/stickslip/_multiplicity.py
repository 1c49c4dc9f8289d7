"""How many solutions there are: all of them, critical friction, maps over two parameters, branches over one."""
from __future__ import annotations

import dataclasses
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np

from ._calls import ArgumentError, Context, Family, Watch, copied, ffi, fill, lib, name_of, override, text
from ._problem import Problem
from ._shown import Shown, number
from ._solve import Progress


def _states(c: Any, count: int) -> Optional[List[str]]:
    return [name_of(lib.ss_cell_state_name, c[k]) for k in range(count)] if c else None


# ---- enumerate ------------------------------------------------------------------------------------


@dataclasses.dataclass(repr=False)
class Cell(Shown):
    """A polyhedron of solutions: the convex hull of `vertices` and what goes on for ever along `rays`, each (u, r)."""

    dimension: int
    states: List[str]
    vertices: List[Tuple[np.ndarray, np.ndarray]]
    rays: List[Tuple[np.ndarray, np.ndarray]]

    def _title(self) -> str:
        return f"dimension {self.dimension}, {len(self.vertices)} vertices, {len(self.rays)} rays: {', '.join(self.states)}"


@dataclasses.dataclass(repr=False)
class Component(Shown):
    """One solution, or a continuum of them."""

    isolated: bool
    dimension: int
    states: Optional[List[str]]
    u: Optional[np.ndarray]
    r: Optional[np.ndarray]
    tie: bool
    index: int
    error: float
    cells: List[Cell]

    def _title(self) -> str:
        if self.isolated:
            return ", ".join(self.states or [])
        return f"continuum of dimension {self.dimension} in {len(self.cells)} cells"


@dataclasses.dataclass(repr=False)
class SolutionSet(Shown):
    """Every solution; len() is how many, as connected sets."""

    solutions: List[Component]
    complete: bool
    exact: bool
    rigorous: bool
    certain: bool
    doubtful: bool
    unique_velocity: bool
    ties: int
    singular: bool
    nodes: int
    leaves: int
    time_s: float
    stopped: Optional[str]

    def __len__(self) -> int:
        return len(self.solutions)

    def __getitem__(self, k: int) -> Component:
        return self.solutions[k]

    def _title(self) -> str:
        least = "" if self.complete else "at least "
        return f"{least}{len(self)} solution{'s' * (len(self) != 1)}"

    def _facts(self) -> Any:
        return [(str(k), s._title()) for k, s in zip(range(20), self.solutions)]


def _points(c: Any, count: int, m: int) -> List[Tuple[np.ndarray, np.ndarray]]:
    return [(copied(c[k].u, m), copied(c[k].r, m)) for k in range(count)]


def _component(c: Any, nc: int, m: int) -> Component:
    cells = [Cell(x.dimension, _states(x.states, nc), _points(x.vertices, x.vertex_count, m), _points(x.rays, x.ray_count, m))
             for x in (c.cells[k] for k in range(c.cell_count))]
    return fill(Component, c, states=_states(c.states, nc), u=copied(c.u, m), r=copied(c.r, m), cells=cells)


def enumerate(problem: Problem, *, exact: Optional[bool] = None, rational: bool = False, max_solutions: int = 0,
              time_limit_s: float = 0.0, starts: Optional[int] = None, seed: Optional[int] = None,
              progress: Progress = None) -> SolutionSet:
    """All solutions of a 2D problem, isolated and continua. exact: decide with the numbers as they were written in a file
    or in `model` (None: where there are any); rational: decide for the doubles as they stand.

    >>> import stickslip
    >>> found = stickslip.enumerate(stickslip.model("painleve", mu="1/4"))
    >>> len(found), found.complete, found.exact, found[0].states
    (1, True, True, ['slip+'])
    """
    context, watch, out = Context(), Watch(progress), ffi.new("ss_solution_set **")
    o = ffi.new("ss_enumerate_options *", lib.ss_enumerate_options_default())
    if exact and not problem._exact:
        raise ArgumentError("exact: the problem has no numbers as they were written; expected one of a JSON file or of model()")
    o.exact = ffi.NULL if exact is False else problem._exact
    o.rational, o.max_solutions, o.time_limit_s, o.verify = rational, max_solutions, time_limit_s, True
    override(o, starts=starts, seed=seed)
    o.progress, o.user = lib.python_enumerate_progress, watch.handle
    error = lib.ss_enumerate(context.c, problem.c, o, out)
    c = context.own(out[0], lib.ss_solution_set_destroy) if out[0] else None
    context.check(error, watch)
    return fill(SolutionSet, c, solutions=[_component(c.components[k], c.nc, problem.rows) for k in range(c.count)])


# ---- critical friction ------------------------------------------------------------------------------


@dataclasses.dataclass(repr=False)
class CriticalValue(Shown):
    """The criterion holds for mu < lower and fails for mu >= upper; mu where both are the same."""

    computed: bool
    exact: bool
    mu: float
    lower: float
    upper: float
    pattern: Optional[List[str]]
    patterns: float

    def _title(self) -> str:
        return f"{self.mu:.10g}" if self.exact else f"in [{self.lower:.6g}, {self.upper:.6g}]"


@dataclasses.dataclass(repr=False)
class Critical(Shown):
    """The friction coefficient at which uniqueness is lost, by criterion."""

    bijective: CriticalValue
    pmatrix: CriticalValue
    andersson: CriticalValue
    simplified: CriticalValue
    contacts: int
    parts: int
    singular: bool
    doubtful: bool
    late: bool

    def _title(self) -> str:
        return "never unique: W is singular" if self.singular else f"critical friction {self.bijective._title()}"

    def _facts(self) -> Any:
        return [(name, getattr(self, name)._title()) for name in _criteria() if getattr(self, name).computed]


def _criteria() -> List[str]:
    return [name_of(lib.ss_criterion_name, k) for k in range(lib.SS_CRITERIA)]


def critical(problem: Problem, criteria: Sequence[str] = (), *, scale_mu: bool = False, effort: Optional[int] = None,
             seed: Optional[int] = None, time_limit_s: Optional[float] = None, progress: Progress = None) -> Critical:
    """For which mu has every load exactly one solution? criteria: of "bijective", "pmatrix", "andersson", "simplified";
    none: all. One common mu; scale_mu: a factor of the problem's own.

    >>> import stickslip
    >>> k = stickslip.Problem(dim=2, mu=0, W=[[1, 0.5], [0.5, 1]], q=[-1, 0])
    >>> round(stickslip.critical(k).bijective.mu, 9)
    2.0
    """
    known, chosen = _criteria(), 0
    for name in criteria:
        if name not in known:
            raise ArgumentError(f"criteria: found {name!r}, expected {', '.join(known)}")
        chosen |= 1 << known.index(name)
    context, watch, out = Context(), Watch(progress), ffi.new("ss_critical **")
    o = ffi.new("ss_critical_options *", lib.ss_critical_options_default())
    o.criteria, o.scale_mu = chosen, scale_mu
    override(o, effort=effort, seed=seed, time_limit_s=time_limit_s)
    o.progress, o.user = lib.python_critical_progress, watch.handle
    error = lib.ss_critical_compute(context.c, problem.c, o, out)
    c = context.own(out[0], lib.ss_critical_destroy) if out[0] else None
    context.check(error, watch)
    values: Dict[str, Any] = {}
    for k, name in zip(range(lib.SS_CRITERIA), known):
        value = c.value[k]
        pattern = [name_of(lib.ss_pattern_state_name, value.pattern[i]) for i in range(c.contacts)] if value.pattern else None
        values[name] = fill(CriticalValue, value, pattern=pattern)
    return fill(Critical, c, **values)


# ---- pictures ---------------------------------------------------------------------------------------


def drawn(call: Callable[[Any, Any], int]) -> str:
    """The text that call(context, out) gives: SVG, CSV."""
    context, out = Context(), ffi.new("char **")
    context.check(call(context.c, out))
    try:
        return ffi.string(out[0]).decode()
    finally:
        lib.ss_text_destroy(context.c, out[0])


def _caption(kind: str, **texts: Any) -> Tuple[Any, Any]:
    kept = {name: ffi.new("char[]", value.encode()) for name, value in texts.items() if value}
    return ffi.new(f"{kind} *", kept), kept


# ---- atlas ----------------------------------------------------------------------------------------


@dataclasses.dataclass(repr=False)
class Kind(Shown):
    """A kind of point of an atlas: how many solutions, and the states of each."""

    label: str
    count: int
    complete: bool
    area: float
    regions: int
    states: List[List[str]]

    def _title(self) -> str:
        return f"{self.label}: {self.count} solution{'s' * (self.count != 1)}, {100 * self.area:.3g} % of the plane"


class Atlas(Shown):
    """A map of the solution sets over a plane of two parameters. `cells` has a row (x_low, x_high, y_low, y_high) each,
    `kind` the number of its kind."""

    def __init__(self, c: Any, names: Tuple[str, str]) -> None:
        self._c, self.names = c, names
        self.problems, self.unsettled, self.late, self.time_s = c.problems, c.unsettled, c.late, c.time_s
        self.kinds = [self._kind(c.kinds[k]) for k in range(c.kind_count)]
        self.kind = np.array([c.cells[k].kind for k in range(c.cell_count)], int)
        self.cells = np.empty((c.cell_count, 4))
        for k in range(c.cell_count):
            lib.ss_atlas_bounds(c, ffi.addressof(c.cells[k]), ffi.from_buffer("double[]", self.cells[k]))

    @staticmethod
    def _kind(c: Any) -> Kind:
        states = [_states(s.states, c.nc * s.cell_count) or [] for s in (c.solutions[k] for k in range(c.count))]
        return fill(Kind, c, label=text(c.label), states=states)

    def svg(self, title: str = "") -> str:
        """The map with its legend."""
        caption, kept = _caption("ss_atlas_caption", title=title, x_name=self.names[0], y_name=self.names[1])
        return drawn(lambda context, out: lib.ss_atlas_svg(context, self._c, caption, out))

    def csv(self) -> str:
        """One row for each cell."""
        caption, kept = _caption("ss_atlas_caption", x_name=self.names[0], y_name=self.names[1])
        return drawn(lambda context, out: lib.ss_atlas_csv(context, self._c, caption, out))

    def _title(self) -> str:
        return f"map over {self.names[0]} and {self.names[1]}, {self.problems} problems"

    def _facts(self) -> Any:
        return [(k.label, f"{k.count} solutions, {100 * k.area:.3g} %") for k in self.kinds]

    def _drawing(self) -> Optional[str]:
        return self.svg()


def atlas(problem_at: Callable[[float, float], Problem], x: Tuple[float, float], y: Tuple[float, float], *,
          cells: Tuple[int, int] = (24, 24), refine: int = 3, names: Tuple[str, str] = ("x", "y"), threads: int = 1,
          time_limit_s: float = 0.0, progress: Progress = None) -> Atlas:
    """Where in the rectangle x, y the problem that problem_at(x, y) returns has how many solutions, and in which states.

    >>> import stickslip
    >>> rods = stickslip.atlas(lambda mu, theta: stickslip.model("painleve", mu=mu, theta=theta), (0.1, 3), (0.2, 1.4),
    ...                        cells=(6, 6), refine=1, names=("mu", "theta"))
    >>> sorted(k.count for k in rods.kinds)
    [0, 1]
    """
    context, family, out = Context(), Family(problem_at, progress), ffi.new("ss_atlas **")
    o = ffi.new("ss_atlas_options *", lib.ss_atlas_options_default())
    for axis, (low, high), count in ((o.x, x, cells[0]), (o.y, y, cells[1])):
        axis.to, axis.cells = high, count
        setattr(axis, "from", low)
    o.refine, o.threads, o.time_limit_s = refine, threads, time_limit_s
    o.progress, o.user = lib.python_atlas_progress, family.handle
    error = lib.ss_atlas_create(context.c, o, lib.python_atlas_problem, family.handle, out)
    c = context.own(out[0], lib.ss_atlas_destroy) if out[0] else None
    context.check(error, family)
    return Atlas(c, names)


# ---- trace ----------------------------------------------------------------------------------------


@dataclasses.dataclass(repr=False)
class Branch(Shown):
    """A branch of solutions: parameter (n), u and r (n, rows), states (n lists), and why it ends at either end."""

    parameter: np.ndarray
    u: np.ndarray
    r: np.ndarray
    states: List[List[str]]
    error: np.ndarray
    ends: Tuple[str, str]
    folds: int
    changes: int

    def __len__(self) -> int:
        return self.parameter.size

    def _title(self) -> str:
        return f"{len(self)} points, parameter {number(self.parameter.min())} to {number(self.parameter.max())}"

    def _facts(self) -> Any:
        return [("ends", " and ".join(self.ends)), ("folds", self.folds), ("changes of state", self.changes)]


class Trace(Shown):
    """The solutions followed over a parameter: `branches`, and the parameters of `folds`."""

    def __init__(self, c: Any, rows: int, name: str) -> None:
        self._c, self.name = c, name
        self.complete, self.error_max, self.time_s, self.stopped = c.complete, c.error_max, c.time_s, text(c.stopped)
        self.folds = np.array([c.folds[k].parameter for k in range(c.fold_count)])
        self.branches = [self._branch(c.branches[k], c.nc, rows) for k in range(c.branch_count)]

    @staticmethod
    def _branch(c: Any, nc: int, rows: int) -> Branch:
        points = [c.points[k] for k in range(c.point_count)]
        return Branch(np.array([p.parameter for p in points]), np.array([copied(p.u, rows) for p in points]),
                      np.array([copied(p.r, rows) for p in points]), [_states(p.states, nc) or [] for p in points],
                      np.array([p.error for p in points]),
                      (name_of(lib.ss_trace_end_name, c.ends[0]), name_of(lib.ss_trace_end_name, c.ends[1])),
                      c.fold_count, c.change_count)

    def svg(self, title: str = "", components: Sequence[str] = ()) -> str:
        """Panels over the parameter; components: of "u_N", "u_T", "r_N", "r_T"."""
        caption, kept = _caption("ss_trace_caption", title=title, parameter=self.name)
        bits = {"u_N": 1, "u_T": 2, "r_N": 4, "r_T": 8}
        for name in components:
            if name not in bits:
                raise ArgumentError(f"components: found {name!r}, expected {', '.join(bits)}")
            caption.components |= bits[name]
        return drawn(lambda context, out: lib.ss_trace_svg(context, self._c, caption, out))

    def csv(self) -> str:
        """One row for each point."""
        caption, kept = _caption("ss_trace_caption", parameter=self.name)
        return drawn(lambda context, out: lib.ss_trace_csv(context, self._c, caption, out))

    def _title(self) -> str:
        return f"{len(self.branches)} branch{'es' * (len(self.branches) != 1)} over {self.name}"

    def _facts(self) -> Any:
        return [("folds", len(self.folds)), ("complete", self.complete), ("largest error", number(self.error_max))]

    def _drawing(self) -> Optional[str]:
        return self.svg() if self.branches else None


def trace(problem: Any, over: str, start: float, stop: float, *, samples: int = 0, step: Optional[float] = None,
          tol: Optional[float] = None, max_points: Optional[int] = None, time_limit_s: float = 0.0,
          progress: Progress = None) -> Trace:
    """The solutions of a 2D problem followed over a parameter, through folds and branches. `problem`: a Problem with over
    "mu" (friction of all contacts) or "load" (a factor of its load), or a function that returns the Problem at p, with any
    name in `over`.

    >>> import stickslip
    >>> block = stickslip.Problem(dim=2, mu=0.5, W=[[1, 0], [0, 1]], q=[-1, 2])
    >>> t = stickslip.trace(block, "mu", 0, 4)
    >>> len(t.branches), t.complete, t.branches[0].states[0], t.branches[0].states[-1]
    (1, True, ['slip+'], ['stick'])
    """
    context, out = Context(), ffi.new("ss_trace **")
    o = ffi.new("ss_trace_options *", lib.ss_trace_options_default())
    o.to, o.samples, o.time_limit_s = stop, samples, time_limit_s
    setattr(o, "from", start)
    override(o, step=step, tol=tol, max_points=max_points)
    family = Family(problem, progress)
    call, user = lib.python_trace_problem, family.handle
    if isinstance(problem, Problem):
        ready = {"mu": lib.ss_trace_over_mu, "load": lib.ss_trace_over_load}
        if over not in ready:
            raise ArgumentError(f"over: found {over!r}, expected mu or load; or a function that gives the problem")
        call, user = ffi.addressof(lib, f"ss_trace_over_{over}"), problem.c
    o.progress, o.user = lib.python_trace_progress, family.handle
    error = lib.ss_trace_create(context.c, o, call, user, out)
    c = context.own(out[0], lib.ss_trace_destroy) if out[0] else None
    context.check(error, family)
    rows = (problem if isinstance(problem, Problem) else problem(start)).rows
    return Trace(c, rows, over)
