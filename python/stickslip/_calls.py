"""Calls into the C library: contexts, errors, callbacks, memory that C and NumPy share."""
from __future__ import annotations

import dataclasses
import logging
import os
from typing import Any, Callable, Optional

import numpy as np

from ._library import ffi, lib

log = logging.getLogger("stickslip")


class Error(Exception):
    """The library could not do its job; the text is its message: file, place, found, expected."""

    code = 0


class ArgumentError(Error, ValueError):
    """An argument outside its documented range."""


class DataError(Error, ValueError):
    """Problem data that is inconsistent or not finite."""


class MethodError(Error, ValueError):
    """An unknown method, or one that does not accept this problem."""


class LinearError(Error, ArithmeticError):
    """Linear algebra failed."""


class ReadError(Error, OSError):
    """A file that cannot be opened or read."""


class FormatError(Error, ValueError):
    """A file whose content is not what its format asks for."""


class WriteError(Error, OSError):
    """A file that cannot be written."""


class UnsupportedError(Error, NotImplementedError):
    """Not available in this build."""


class OutOfMemory(Error, MemoryError):
    """No memory."""


_KINDS = {
    lib.SS_ERR_MEMORY: OutOfMemory, lib.SS_ERR_ARGUMENT: ArgumentError, lib.SS_ERR_DATA: DataError,
    lib.SS_ERR_METHOD: MethodError, lib.SS_ERR_LINEAR: LinearError, lib.SS_ERR_READ: ReadError,
    lib.SS_ERR_FORMAT: FormatError, lib.SS_ERR_WRITE: WriteError, lib.SS_ERR_UNSUPPORTED: UnsupportedError,
}
_LEVELS = {lib.SS_LOG_ERROR: logging.ERROR, lib.SS_LOG_WARN: logging.WARNING, lib.SS_LOG_INFO: logging.INFO,
           lib.SS_LOG_DEBUG: logging.DEBUG}


def text(chars: Any) -> Optional[str]:
    """A C string; None for NULL."""
    return ffi.string(chars).decode("utf-8", "replace") if chars else None


def path_bytes(path: Any) -> bytes:
    return os.fsencode(path)


class Context:
    """An ss_context: one for each thing that is made, so that threads never share one. Remarks go to logging."""

    def __init__(self) -> None:
        self.c = ffi.new("ss_context *")
        self.c.log = lib.python_log

    def fail(self, error: int) -> Error:
        failure = _KINDS.get(error, Error)(text(lib.ss_error_detail(self.c, error)))
        failure.code = error
        return failure

    def check(self, error: int, watch: Optional["Watch"] = None) -> None:
        """Raises what a callback raised (Ctrl-C), else what the library says."""
        if watch is not None:
            watch.check()
        if error:
            raise self.fail(error)

    def own(self, pointer: Any, destroy: Callable[[Any], None]) -> Any:
        """The pointer, destroyed when nobody has it any more, and not later than this context."""
        return ffi.gc(pointer, _Release(destroy, self))


class _Release:
    def __init__(self, destroy: Callable[[Any], None], context: Context) -> None:
        self.destroy, self.context = destroy, context

    def __call__(self, pointer: Any) -> None:
        self.destroy(pointer)


class _Keep:
    """Called when what looks into `owner` dies; holds it until then."""

    def __init__(self, owner: Any) -> None:
        self.owner = owner

    def __call__(self, pointer: Any) -> None:
        self.owner = None


def inside(pointer: Any, owner: Any) -> Any:
    """A pointer into what `owner` holds, which lives as long as the pointer."""
    return ffi.gc(pointer, _Keep(owner))


# ---- memory ---------------------------------------------------------------------------------------


def view(pointer: Any, count: int, owner: Any, dtype: Any = np.float64) -> Optional[np.ndarray]:
    """C's memory as an array that cannot be written to and keeps `owner` alive; None for NULL."""
    if not pointer:
        return None
    kept = inside(pointer, owner)
    array = np.frombuffer(ffi.buffer(kept, count * np.dtype(dtype).itemsize), dtype)
    array.flags.writeable = False
    return array


def copied(pointer: Any, count: int, dtype: Any = np.float64) -> Optional[np.ndarray]:
    return np.frombuffer(ffi.buffer(pointer, count * np.dtype(dtype).itemsize), dtype).copy() if pointer else None


def vector(x: Any, size: Optional[int], name: str) -> np.ndarray:
    """x as doubles side by side: x itself where it is that already."""
    array = np.ascontiguousarray(x, np.float64)
    if array.ndim != 1 or (size is not None and array.size != size):
        expected = "a vector" if size is None else f"a vector of {size} numbers"
        raise ArgumentError(f"{name}: found shape {array.shape}, expected {expected}")
    return array


def numbers(array: Optional[np.ndarray]) -> Any:
    """The address of a vector, for C."""
    return ffi.NULL if array is None else ffi.from_buffer("double[]", array)


# ---- plain results --------------------------------------------------------------------------------

_names: dict = {}


def name_of(function: Any, value: int) -> str:
    """ss_..._name(value), asked once."""
    key = (function, value)
    if key not in _names:
        _names[key] = text(function(value))
    return _names[key]


def tristate(value: int) -> Optional[bool]:
    return {lib.SS_NO: False, lib.SS_YES: True}.get(value)


def fill(kind: type, c: Any, /, **given: Any) -> Any:
    """A dataclass whose fields are the numbers, flags and texts of a C struct, but for those that are given."""
    for field in dataclasses.fields(kind):
        if field.name not in given and field.init and hasattr(c, field.name):
            value = getattr(c, field.name)
            given[field.name] = text(value) if isinstance(value, ffi.CData) else value
    return kind(**given)


def override(options: Any, **values: Any) -> Any:
    """Options with these values where they are given, the library's own where they are None."""
    for name, value in values.items():
        if value is not None:
            setattr(options, name, value)
    return options


# ---- callbacks ------------------------------------------------------------------------------------


class Watch:
    """What a long call reports to, and how it is stopped: by the caller's function, or by Ctrl-C.

    C calls back now and then; Python runs its signal handlers there. What is raised then, or by the caller's function,
    makes the callback answer "stop", and is raised again when the call has come back."""

    def __init__(self, progress: Optional[Callable[..., Any]] = None) -> None:
        self.progress, self.raised = progress, None
        self.handle = ffi.new_handle(self)

    def ask(self, *now: Any) -> int:
        return int(bool(self.progress(*now))) if self.progress is not None else 0

    def check(self) -> None:
        if self.raised is not None:
            raised, self.raised = self.raised, None
            raise raised


class Family(Watch):
    """Problems that a Python function makes: build(x, ...) gives a Problem."""

    def __init__(self, build: Callable[..., Any], progress: Optional[Callable[..., Any]] = None) -> None:
        super().__init__(progress)
        self.build = build

    def make(self, context: Any, out: Any, *at: float) -> int:
        problem = self.build(*at)
        return lib.ss_problem_copy(context, problem.c, out)


def _keep_exception(kind: Any, value: Any, traceback: Any) -> None:
    watch = ffi.from_handle(traceback.tb_frame.f_locals["user"])
    if watch.raised is None:
        watch.raised = value


def _progress(fields: str) -> Callable[[Any, Any], int]:
    """A callback (user, now) that tells the caller's function the fields of *now as a dict."""
    wanted = fields.split()

    def called(user: Any, now: Any) -> int:
        watch = ffi.from_handle(user)
        return watch.ask({k: getattr(now, k) for k in wanted}) if watch.progress is not None else 0

    return called


def _define(name: str, function: Callable[..., int], error: int) -> None:
    ffi.def_extern(name=name, error=error, onerror=_keep_exception)(function)


_define("python_solve_progress", _progress("iterations error error_fclib time_solve_s"), 1)
_define("python_enumerate_progress", _progress("nodes leaves fraction cells time_s"), 1)
_define("python_critical_progress", _progress("criterion done total upper"), 1)
_define("python_atlas_progress", _progress("done wanted round time_s"), 1)
_define("python_trace_progress", _progress("branches points parameter time_s"), 1)


def _certify_progress(user: Any, iteration: int, low: float, high: float) -> int:
    return ffi.from_handle(user).ask({"iteration": iteration, "low": low, "high": high})


_define("python_certify_progress", _certify_progress, 1)
_define("python_stop", lambda user: ffi.from_handle(user).ask(), 1)
_define("python_atlas_problem", lambda user, ctx, x, y, out: ffi.from_handle(user).make(ctx, out, x, y),
        lib.SS_ERR_ARGUMENT)
_define("python_trace_problem", lambda user, ctx, p, out: ffi.from_handle(user).make(ctx, out, p), lib.SS_ERR_ARGUMENT)


@ffi.def_extern()
def python_log(user: Any, level: int, words: Any) -> None:
    log.log(_LEVELS.get(level, logging.INFO), "%s", text(words))
