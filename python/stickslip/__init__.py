"""Coulomb friction: solve, certify, count, simulate. docs/python.md is the guide; every function has an example."""
from ._calls import (ArgumentError, DataError, Error, FormatError, LinearError, MethodError, OutOfMemory, ReadError,
                     UnsupportedError, WriteError, lib as _lib, text as _text)
from ._derivative import Change, Derivative, Gradient, derivative
from ._existence import Certificate, CertificateReport, Diagnosis, certify, check, diagnose
from ._files import Answer, FileProblem, read, read_solution, template, write, write_solution
from ._multiplicity import (Atlas, Branch, Cell, Component, Critical, CriticalValue, Kind, SolutionSet, Trace, atlas,
                            critical, enumerate, trace)
from ._problem import Problem, model, models, pile, tower, wall
from ._runs import Run, read_run
from ._simulation import Joint, Simulation, Step, scenes, simulate
from ._solve import Solution, Solver, Verdict, methods, solve
from ._status import Prediction, status

__all__ = [
    "ArgumentError", "DataError", "Error", "FormatError", "LinearError", "MethodError", "OutOfMemory", "ReadError",
    "UnsupportedError", "WriteError",
    "Joint", "Prediction", "Run", "Simulation", "Step", "read_run", "scenes", "simulate", "status",
    "Change", "Derivative", "Gradient", "derivative",
    "Certificate", "CertificateReport", "Diagnosis", "certify", "check", "diagnose",
    "Answer", "FileProblem", "read", "read_solution", "template", "write", "write_solution",
    "Atlas", "Branch", "Cell", "Component", "Critical", "CriticalValue", "Kind", "SolutionSet", "Trace", "atlas", "critical",
    "enumerate", "trace",
    "Problem", "model", "models", "pile", "tower", "wall",
    "Solution", "Solver", "Verdict", "methods", "solve",
]

__version__: str = _text(_lib.ss_version()) or ""

for _name in __all__:  # as people see them: stickslip.DataError, not that of the file it is in
    globals()[_name].__module__ = "stickslip"
