"""Which contacts part, stick or slip next: status prediction from accelerations."""
from __future__ import annotations

import dataclasses
from typing import Any, List, Optional

import numpy as np

from ._calls import Context, copied, ffi, fill, lib, name_of, numbers, override, vector
from ._problem import Problem
from ._shown import Shown, counted, number
from ._solve import word


@dataclasses.dataclass(repr=False)
class Prediction(Shown):
    """Which contacts part, stick or slip next. `now` and `next` for each contact; forces and accelerations g'' in contact
    frames."""

    solved: bool
    existence: str
    now: List[str]
    next: List[str]
    force: np.ndarray
    slip: np.ndarray
    acceleration: np.ndarray
    error: float
    method: str
    iterations: int
    painleve: int
    count: int
    rigorous: bool

    def __bool__(self) -> bool:
        return self.solved

    def _title(self) -> str:
        return counted(self.next) if self.solved else f"not solved ({self.existence})"

    def _facts(self) -> Any:
        return [("method", self.method), ("error", number(self.error))]


def status(problem: Problem, gap: Any = None, rate: Any = None, *, method: str = "auto", gap_tol: Optional[float] = None,
           rate_tol: Optional[float] = None, count: bool = False) -> Prediction:
    """Status prediction from accelerations. The problem is in global form with accelerations for velocities; gap (contacts)
    and rate (rows, contact frames) are those of now; None: those of the file it was read from, else zero.

    >>> import stickslip
    >>> block = stickslip.Problem(dim=2, mu=0.5, M=[[1, 0], [0, 1]], H=[[0, 1], [1, 0]], f=[-0.8, 1])
    >>> stickslip.status(block).next                # pushed with 0.8, held by at most 0.5
    ['slip']
    """
    context, out = Context(), ffi.new("ss_prediction **")
    o = ffi.new("ss_status_options *", lib.ss_status_options_default())
    o.method, o.count = word(lib.ss_status_method_name, method, "method"), count
    override(o, gap_tol=gap_tol, rate_tol=rate_tol)
    gap, rate = (given if given is not None else getattr(problem, name, None) for name, given in (("gap", gap), ("rate", rate)))
    kept = [problem.c, *(numbers(None if x is None else vector(x, size, name)) for name, x, size in
                         (("gap", gap, problem.contacts), ("rate", rate, problem.rows)))]
    instant = ffi.new("ss_instant *", {"system": kept[0], "gap": kept[1], "rate": kept[2]})
    context.check(lib.ss_status_predict(context.c, instant, o, out))
    c = context.own(out[0], lib.ss_prediction_destroy)
    return fill(Prediction, c, existence=name_of(lib.ss_existence_name, c.existence),
                now=[name_of(lib.ss_persistence_name, c.contacts[k].now) for k in range(c.nc)],
                next=[name_of(lib.ss_state_name, c.contacts[k].next) for k in range(c.nc)],
                force=copied(c.force, problem.rows), slip=copied(c.slip, problem.rows),
                acceleration=copied(c.acceleration, problem.dofs))
