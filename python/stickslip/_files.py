"""Problem, solution and certificate files: FCLIB, Siconos, Matrix Market, JSON (docs/formats.md)."""
from __future__ import annotations

import dataclasses
from typing import Any, List, Optional, Union

import numpy as np

from ._calls import Context, ffi, lib, numbers, path_bytes, text, vector, view
from ._existence import Certificate, certificate_of
from ._problem import Problem, settings
from ._shown import Shown
from ._solve import Solution, word


@dataclasses.dataclass(repr=False)
class Answer(Shown):
    """A candidate answer from a file; arrays that it does not have are None."""

    r: Optional[np.ndarray]
    u: Optional[np.ndarray]
    v: Optional[np.ndarray]
    l: Optional[np.ndarray]

    def _title(self) -> str:
        return ", ".join(f"{name} ({x.size})" for name, x in vars(self).items() if x is not None) or "empty"


class FileProblem(Problem):
    """A problem from a file, and what came with it."""

    format: str
    description: Optional[str]
    solution: Optional[Answer]
    guesses: List[Answer]
    normals: Optional[np.ndarray]
    gap: Optional[np.ndarray]
    rate: Optional[np.ndarray]


def _answer(problem: Problem, c: Any, owner: Any) -> Answer:
    m = problem.rows
    return Answer(view(c.r, m, owner), view(c.u, m, owner), view(c.v, problem.dofs, owner), view(c.l, problem.bilateral, owner))


def _read_options(format: str, form: str, isolate: bool, check: bool) -> Any:
    forms = {"any": lib.SS_FORM_ANY, "local": lib.SS_FORM_LOCAL, "global": lib.SS_FORM_GLOBAL}
    if form not in forms:
        raise ValueError(f"form: found {form!r}, expected one of {', '.join(forms)}")
    return ffi.new("ss_read_options *", {"format": word(lib.ss_format_name, format, "format"), "form": forms[form],
                                         "isolate": isolate, "check": check})


def problem_of_file(context: Context, file: Any) -> FileProblem:
    owner = context.own(file, lib.ss_file_close)
    problem = FileProblem._of(ffi.addressof(owner, "problem"), owner)
    m = problem.rows
    problem._exact, problem._file = owner.exact, owner
    problem.format, problem.title, problem.description = text(lib.ss_format_name(owner.format)), text(owner.title), text(owner.description)
    problem.solution = _answer(problem, owner.solution, owner) if owner.solution.r else None
    problem.guesses = [_answer(problem, owner.guesses[k], owner) for k in range(owner.guess_count)]
    problem.normals, problem.rate = view(owner.normals, m, owner), view(owner.rate, m, owner)
    problem.gap = view(owner.gap, problem.contacts, owner)
    return problem


def read(path: Any, *, format: str = "auto", form: str = "any", isolate: bool = True, check: bool = True) -> FileProblem:
    """Reads a problem file. Arrays are the reader's memory, not copied. isolate: HDF5 is read in a child process, so
    that a crash inside libhdf5 is an error; check: refuse what Problem.validate refuses.

    >>> import stickslip
    >>> stickslip.read("missing.json")
    Traceback (most recent call last):
    stickslip.ReadError: missing.json: cannot be opened: No such file or directory
    """
    context, out = Context(), ffi.new("ss_file **")
    context.check(lib.ss_file_open(context.c, path_bytes(path), _read_options(format, form, isolate, check), out))
    return problem_of_file(context, out[0])


def _file_of(problem: Problem) -> Any:
    """An ss_file for the writers, which look at neither its memory nor its format."""
    source = getattr(problem, "_file", None) if isinstance(problem, FileProblem) else None
    file = ffi.new("ss_file *", source[0] if source is not None else {})
    file.problem = problem.c[0]
    file.exact = problem._exact
    return file


def write(path: Any, problem: Problem, solution: Any = None, *, format: str = "auto") -> None:
    """Writes a problem, with a solution where one is given; the format by the name's ending (.json, .hdf5, .h5, .mtx, .dat).

    >>> import os, stickslip, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "block.json")
    ...     stickslip.write(path, stickslip.Problem(dim=2, mu=0.5, W=[[1, 0], [0, 1]], q=[-1, 2]))
    ...     stickslip.read(path).q
    array([-1.,  2.])
    """
    context, file = Context(), _file_of(problem)
    kept = _solution_into(file.solution, problem, solution) if solution is not None else ()
    title = ffi.new("char[]", problem.title.encode()) if problem.title else ffi.NULL
    file.title = title
    context.check(lib.ss_file_write(context.c, path_bytes(path), word(lib.ss_format_name, format, "format"), file))
    del kept


def _solution_into(c: Any, problem: Problem, solution: Any) -> list:
    sizes = {"r": problem.rows, "u": problem.rows, "v": problem.dofs, "l": problem.bilateral}
    kept = []
    for name, size in sizes.items():
        x = getattr(solution, name, solution if name == "r" and not hasattr(solution, "r") else None)
        if x is not None and size:
            kept.append(numbers(vector(x, size, name)))
            setattr(c, name, kept[-1])
    return kept


def read_solution(path: Any, problem: Problem, *, format: str = "auto", isolate: bool = True) -> Union[Answer, Certificate]:
    """A solution of the problem, or a certificate that `stickslip certify -o` wrote: to be checked, not believed."""
    context, out = Context(), ffi.new("ss_solution_file **")
    options = _read_options(format, "any", isolate, False)
    context.check(lib.ss_solution_open(context.c, path_bytes(path), options, _file_of(problem), out))
    owner = context.own(out[0], lib.ss_solution_close)
    if owner.certificate:
        return certificate_of(problem, owner.certificate, owner)
    return _answer(problem, owner.solution, owner)


def write_solution(path: Any, problem: Problem, solution: Union[Solution, Answer, Any], *, format: str = "auto") -> None:
    """Writes r (an array, a Solution, an Answer), with u, v, l where they are there, to .json or .hdf5."""
    context, c = Context(), ffi.new("ss_solution *")
    kept = _solution_into(c, problem, solution)
    context.check(lib.ss_solution_write(context.c, path_bytes(path), word(lib.ss_format_name, format, "format"),
                                        _file_of(problem), c))
    del kept


def template(path: Any, **parameters: Any) -> FileProblem:
    """A JSON problem with parameters of its own (docs/formats-json.md), filled in with these."""
    context, out, array_kept = Context(), ffi.new("ss_template **"), settings(parameters)
    context.check(lib.ss_template_open(context.c, path_bytes(path), out))
    opened, file = context.own(out[0], lib.ss_template_close), ffi.new("ss_file **")
    filled = Context()
    filled.check(lib.ss_template_fill(filled.c, opened, array_kept[0], len(parameters), file))
    return problem_of_file(filled, file[0])
