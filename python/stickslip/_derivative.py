"""How a solution changes with the data of its problem: products with its derivative, and with the transpose."""
from __future__ import annotations

import dataclasses
from typing import Any, Dict, Iterable, Optional

import numpy as np
import scipy.sparse

from ._calls import ArgumentError, Context, ffi, lib, name_of, numbers, override, vector
from ._problem import Problem
from ._shown import Shown, number

_DATA = {"reduced": ("mu", "W", "V", "R", "q", "s"), "global": ("mu", "M", "H", "G", "f", "w", "b")}


@dataclasses.dataclass(repr=False)
class Change(Shown):
    """The direction of a solution: what r, u, v and l change by for one unit of a direction of the data."""

    r: np.ndarray
    u: np.ndarray
    v: np.ndarray
    l: np.ndarray

    def _title(self) -> str:
        return "direction of a solution"

    def _facts(self) -> Any:
        return [(f"|d{name}|", number(float(np.linalg.norm(getattr(self, name))))) for name in "ruvl" if getattr(self, name).size]


class Gradient(Dict[str, Any]):
    """The gradient with respect to the data, by name: vectors, and CSR matrices with the problem's own patterns."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"no gradient with respect to {name!r}; there are {', '.join(self)}") from None


class Derivative(Shown):
    """The derivative of a solution with respect to the data of its problem, for products (docs/derivatives.md).

    `smoothness` is "smooth"; "motion": only u and v are differentiable, reactions of the contacts in `loose` (and joints in
    `loose_joints`) are not unique; "kinks": contacts whose `places` are "edge" or "graze" could go on in more than one state, and only
    `one_sided` is there (or `keep=True`); "singular": none. True where it is smooth.

    `margin` is how far the contact `nearest` is from a kink, relative to the velocities. The arrays of the problem must stay as they are.

    >>> import stickslip
    >>> block = stickslip.Problem(dim=2, mu=0.5, W=[[1, 0], [0, 1]], q=[-1, 2])
    >>> d = stickslip.derivative(block, stickslip.solve(block))
    >>> d
    <Derivative: smooth; places 1 slip, margin 0.5>
    >>> d.forward(mu=1).u                      # more friction: r_T = -mu r_N, u_T falls as fast
    array([ 0., -1.])
    >>> g = d.adjoint(u=[0, 1])                # of u_T
    >>> g.mu, g.q
    (array([-1.]), array([0.5, 1. ]))
    >>> g.W.toarray()
    array([[ 0.5, 0. ],
           [ 0. , -0.5]])
    """

    def __init__(self, problem: Problem, solution: Any, *, strict: Optional[float] = None, rank: Optional[float] = None,
                 tol: Optional[float] = None, keep: bool = False) -> None:
        self.problem, self._context = problem, Context()
        r, l = getattr(solution, "r", solution), getattr(solution, "l", None)
        r = vector(r, problem.rows, "r")
        l = vector(l, problem.bilateral, "l") if l is not None and problem.bilateral else None
        answer, out = ffi.new("ss_solution *"), ffi.new("ss_derivative **")
        kept = answer.r, answer.l = numbers(r), numbers(l)
        o = ffi.new("ss_derivative_options *", lib.ss_derivative_options_default())
        override(o, strict=strict, rank=rank, tol=tol)
        o.keep = keep
        self._context.check(lib.ss_derivative_create(self._context.c, problem.c, answer, o, out))
        del kept
        self._c = self._context.own(out[0], lib.ss_derivative_destroy)
        self._read(lib.ss_derivative_summary(self._c))

    def _read(self, info: Any) -> None:
        n, places, loose = self.problem.contacts, lib.ss_derivative_places(self._c), lib.ss_derivative_loose(self._c)
        self.smoothness = name_of(lib.ss_smoothness_name, info.smoothness)
        self.places = [name_of(lib.ss_rate_place_name, places[k]) for k in range(n)]
        self.loose = [k for k in range(n) if loose[k]]
        self.loose_joints = [k for k in range(self.problem.bilateral) if loose[n + k]]
        self.margin, self.nearest, self.strict = info.margin, info.nearest, info.strict
        self.unknowns, self.time_s = info.unknowns, info.time_s

    def __bool__(self) -> bool:
        return self.smoothness == "smooth"

    def forward(self, **directions: Any) -> Change:
        """The direction of the solution for directions of the data, by name: mu (a number: of all contacts), f, w, b, M, H, G, or
        q, s, W, V, R. Matrices are given as such, within the problem's pattern, or by their stored entries."""
        return self._move(lib.ss_derivative_forward, directions)

    def one_sided(self, **directions: Any) -> Change:
        """The same for a step in this direction only, at kinks too: contacts there choose how they go on.

        >>> import stickslip
        >>> edge = stickslip.Problem(dim=2, mu=0.5, W=[[1, 0], [0, 1]], q=[-1, 0.5])
        >>> d = stickslip.derivative(edge, [1, -0.5])
        >>> d.smoothness, d.places
        ('kinks', ['edge'])
        >>> d.one_sided(q=[0, 1]).u, d.one_sided(q=[0, -1]).u        # pulled it slips, let go it sticks
        (array([0., 1.]), array([0., 0.]))
        >>> d.forward(q=[0, 1])
        Traceback (most recent call last):
        stickslip.MethodError: no derivative at a kink: contact 0 sticks, or begins to slip, ...
        """
        return self._move(lib.ss_derivative_one_sided, directions)

    def adjoint(self, r: Any = None, u: Any = None, v: Any = None, l: Any = None, *,
                wrt: Optional[Iterable[str]] = None) -> Gradient:
        """The gradient of a number with respect to the data (those named in `wrt`, or all), from that with respect to r, u, v, l."""
        p = self.problem
        sizes = {"r": p.rows, "u": p.rows, "v": p.dofs, "l": p.bilateral}
        given = {"r": r, "u": u, "v": v, "l": l}
        seed, kept = ffi.new("ss_solution *"), []
        for name, value in given.items():
            if value is not None:
                kept.append(numbers(vector(value, sizes[name], name)))
                setattr(seed, name, kept[-1])
        out, found = ffi.new("ss_data_gradient *"), {}
        for name in self._names() if wrt is None else wrt:
            found[name] = np.zeros(self._entries(name).size)
            kept.append(numbers(found[name]))
            setattr(out, name, kept[-1])
        self._context.check(lib.ss_derivative_adjoint(self._c, seed, out))
        return Gradient({name: self._shaped(name, x) for name, x in found.items()})

    def jacobian(self, of: str, wrt: str) -> np.ndarray:
        """The derivative of r, u, v or l with respect to a vector of the data (or the stored entries of a matrix), as an array.

        >>> import stickslip
        >>> block = stickslip.Problem(dim=2, mu=0.5, W=[[1, 0], [0, 1]], q=[-1, 2])
        >>> stickslip.derivative(block, [1, -0.5]).jacobian("u", "q")
        array([[0. , 0. ],
               [0.5, 1. ]])
        """
        p = self.problem
        sizes = {"r": p.rows, "u": p.rows, "v": p.dofs, "l": p.bilateral}
        if of not in sizes:
            raise ArgumentError(f"of: found {of!r}, expected one of r, u, v, l")
        rows, cols = sizes[of], self._entries(wrt).size
        J = np.empty((rows, cols))
        for k in range(min(rows, cols)):
            unit = np.zeros(cols if cols <= rows else rows)
            unit[k] = 1
            if cols <= rows:
                J[:, k] = getattr(self.forward(**{wrt: unit}), of)
            else:
                x = self.adjoint(**{of: unit}, wrt=(wrt,))[wrt]
                J[k] = x.data if scipy.sparse.issparse(x) else x
        return J

    # ---- the data by name

    def _names(self) -> Iterable[str]:
        p = self.problem
        return [name for name in _DATA[p.form] if name in p._matrices or name in p._vectors]

    def _entries(self, name: str) -> np.ndarray:
        p = self.problem
        if name not in self._names():
            raise ArgumentError(f"{name!r}: expected one of {', '.join(self._names())}")
        return p._matrices[name].data if name in p._matrices else p._vectors[name]

    def _shaped(self, name: str, x: np.ndarray) -> Any:
        A = self.problem._matrices.get(name)
        return x if A is None else scipy.sparse.csr_matrix((x, A.indices, A.indptr), A.shape)

    def _direction(self, name: str, value: Any) -> np.ndarray:
        size = self._entries(name).size
        if name == "mu" and np.ndim(value) == 0:
            return np.full(size, float(value))
        A = self.problem._matrices.get(name)
        if A is None or (not scipy.sparse.issparse(value) and np.ndim(value) == 1):
            return vector(value, size, name)
        X = value.tocsr() if scipy.sparse.issparse(value) else np.asarray(value, np.float64)
        if X.shape != A.shape:
            raise ArgumentError(f"{name}: found {X.shape[0]} x {X.shape[1]}, expected {A.shape[0]} x {A.shape[1]}")
        rows = np.repeat(np.arange(A.shape[0]), np.diff(A.indptr))
        x = np.ascontiguousarray(np.asarray(X[rows, A.indices], np.float64).ravel())
        if np.count_nonzero(x) != (X != 0).sum():
            raise ArgumentError(f"{name}: entries outside of the pattern of the problem's {name}, expected only stored ones")
        return x

    def _move(self, call: Any, directions: Dict[str, Any]) -> Change:
        p, c, kept = self.problem, ffi.new("ss_data_direction *"), []
        for name, value in directions.items():
            kept.append(numbers(self._direction(name, value)))
            setattr(c, name, kept[-1])
        change = Change(np.zeros(p.rows), np.zeros(p.rows), np.zeros(p.dofs), np.zeros(p.bilateral))
        self._context.check(call(self._c, c, numbers(change.r), numbers(change.u), numbers(change.v), numbers(change.l)))
        return change

    def _title(self) -> str:
        return self.smoothness

    def _facts(self) -> Any:
        counts = ", ".join(f"{self.places.count(k)} {k}" for k in dict.fromkeys(self.places))
        loose = [("loose", self.loose)] if self.loose else []
        return [("places", counts or "none"), ("margin", number(self.margin)), *loose]


def derivative(problem: Problem, solution: Any, *, strict: Optional[float] = None, rank: Optional[float] = None,
               tol: Optional[float] = None, keep: bool = False) -> Derivative:
    """The derivative of a solution (a Solution, or r) with respect to mu, loads and entries of the matrices.

    strict: contacts nearer to a kink than that are at it; rank: what counts as singular; tol: largest error of the solution; keep:
    contacts at kinks keep their states, for a gradient that an optimiser can use (docs/derivatives.md).

    >>> import stickslip
    >>> push = stickslip.Problem(dim=2, mu=0.5, M=[[1, 0], [0, 1]], H=[[0, 1], [1, 0]], f=[-0.8, 1])
    >>> d = stickslip.derivative(push, stickslip.solve(push, tol=1e-12))
    >>> d.adjoint(v=[1, 0], wrt=["mu", "f"])          # of the speed
    {'mu': array([-1.]), 'f': array([-1. , -0.5])}
    """
    return Derivative(problem, solution, strict=strict, rank=rank, tol=tol, keep=keep)
