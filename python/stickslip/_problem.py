"""The discrete Coulomb friction problem, in arrays that are NumPy's, SciPy's or the library's own."""
from __future__ import annotations

from typing import Any, Dict, Optional, Tuple

import numpy as np
import scipy.sparse

from ._calls import ArgumentError, Context, ffi, lib, numbers, text, vector, view
from ._shown import Shown

_MATRICES = ("W", "V", "R", "M", "H", "G")


def _as_rows(A: Any, name: str) -> scipy.sparse.csr_matrix:
    """A as CSR with increasing columns, doubles and 32-bit columns: A itself where it is that already."""
    if not scipy.sparse.issparse(A):
        A = np.atleast_2d(np.asarray(A, np.float64))
        if A.ndim != 2:
            raise ArgumentError(f"{name}: found {A.ndim} dimensions, expected a matrix")
        A = scipy.sparse.csr_matrix(A)
    A = A.tocsr()
    if not A.has_canonical_format:
        A = A.copy()
        A.sum_duplicates()
    return A


def _borrow(A: scipy.sparse.csr_matrix, out: Any) -> list:
    """The ss_sparse of A; what is returned must live as long as it."""
    if max(A.shape) >= 2**31:
        raise ArgumentError(f"a matrix of {A.shape[0]} x {A.shape[1]}, expected less than 2^31 rows and columns")
    kept = [np.ascontiguousarray(A.indptr, np.int64), np.ascontiguousarray(A.indices, np.int32),
            np.ascontiguousarray(A.data, np.float64)]
    out.rows, out.cols = A.shape
    out.ptr = ffi.from_buffer("int64_t[]", kept[0])
    out.col = ffi.from_buffer("int[]", kept[1])
    out.x = ffi.from_buffer("double[]", kept[2])
    return kept


class Problem(Shown):
    """M v + f = H^T r + G l, G^T v + b = 0, u = H v + w (global form), or u = W r + V l + q, V^T r + R l + s = 0
    (reduced form), with Coulomb's law at each contact; normal components first.

    Vectors are float64 arrays, matrices SciPy's CSR, dense arrays or lists. Arrays of doubles and CSR matrices with sorted
    columns are used where they lie: do not change them while a Solver has the problem.

    >>> import stickslip
    >>> block = stickslip.Problem(dim=2, mu=0.5, W=[[1, 0], [0, 1]], q=[-1, 2])
    >>> block
    <Problem: 2D, 1 contact, reduced form>
    >>> block.q
    array([-1.,  2.])
    """

    dim: int
    contacts: int
    dofs: int
    bilateral: int
    form: str
    title: Optional[str] = None

    def __init__(self, dim: int, mu: Any, *, W: Any = None, q: Any = None, V: Any = None, R: Any = None, s: Any = None,
                 M: Any = None, H: Any = None, f: Any = None, w: Any = None, G: Any = None, b: Any = None,
                 title: Optional[str] = None) -> None:
        if dim not in (2, 3):
            raise ArgumentError(f"dim: found {dim!r}, expected 2 or 3")
        if (W is None) == (M is None):
            raise ArgumentError("expected either W and q (reduced form), or M, H, f and w (global form)")
        form = {"W": W, "V": V, "R": R} if M is None else {"M": M, "H": H, "G": G}
        other = dict(M=M, H=H, G=G, f=f, w=w, b=b) if M is None else dict(W=W, V=V, R=R, q=q, s=s)
        for name, value in other.items():
            if value is not None:
                raise ArgumentError(f"{name} does not belong to the {'reduced' if M is None else 'global'} form")
        self._matrices: Dict[str, scipy.sparse.csr_matrix] = {k: _as_rows(A, k) for k, A in form.items() if A is not None}
        self._set_vectors(dim, mu, q, s, f, w, b)
        self.title = title
        self._fill()

    def _set_vectors(self, dim: int, mu: Any, q: Any, s: Any, f: Any, w: Any, b: Any) -> None:
        m = self._matrices
        self.form = "reduced" if "W" in m else "global"
        if self.form == "global" and "H" not in m:
            raise ArgumentError("H: found nothing, expected the matrix that gives relative velocities")
        rows = m["W" if self.form == "reduced" else "H"].shape[0]
        self.dim, self.contacts = dim, rows // dim
        self.dofs = m["M"].shape[0] if self.form == "global" else 0
        joints = m.get("V" if self.form == "reduced" else "G")
        self.bilateral = 0 if joints is None else joints.shape[1]
        if rows % dim:
            raise ArgumentError(f"{rows} rows of relative velocities, expected a multiple of dim, {dim}")
        shapes = {"W": (rows, rows), "V": (rows, self.bilateral), "R": (self.bilateral, self.bilateral),
                  "M": (self.dofs, self.dofs), "H": (rows, self.dofs), "G": (self.dofs, self.bilateral)}
        for name, A in m.items():
            if A.shape != shapes[name]:
                found, expected = (f"{r} x {c}" for r, c in (A.shape, shapes[name]))
                raise ArgumentError(f"{name}: found {found}, expected {expected}")
        if np.ndim(mu) == 0:
            mu = np.full(self.contacts, float(mu))
        self._vectors = {"mu": vector(mu, self.contacts, "mu")}
        sizes: Dict[str, Tuple[Any, int]] = (
            {"q": (q, rows), "s": (s, self.bilateral)} if self.form == "reduced"
            else {"f": (f, self.dofs), "w": (np.zeros(rows) if w is None else w, rows), "b": (b, self.bilateral)})
        for name, (value, size) in sizes.items():
            if value is None and size and name in "sb":
                value = np.zeros(size)
            if value is None and name not in "sb":
                raise ArgumentError(f"{name}: found nothing, expected a vector of {size} numbers")
            if value is not None:
                self._vectors[name] = vector(value, size, name)

    def _fill(self) -> None:
        self.c = ffi.new("ss_problem *")
        self.c.form = lib.SS_REDUCED if self.form == "reduced" else lib.SS_GLOBAL
        self.c.dim, self.c.nc, self.c.ndof, self.c.nl = self.dim, self.contacts, self.dofs, self.bilateral
        self._kept = [_borrow(A, getattr(self.c, name)) for name, A in self._matrices.items()]
        self._pointers = {name: numbers(x) for name, x in self._vectors.items()}
        for name, x in self._pointers.items():
            setattr(self.c, name, x)
        self._exact: Any = ffi.NULL

    @classmethod
    def _of(cls, c: Any, owner: Any) -> "Problem":
        """Of an ss_problem whose arrays `owner` holds: seen through NumPy, not copied."""
        self = cls.__new__(cls)
        self.c, self._kept, self._exact = c, [owner], ffi.NULL
        self.dim, self.contacts, self.dofs, self.bilateral = c.dim, c.nc, c.ndof, c.nl
        self.form = "reduced" if c.form == lib.SS_REDUCED else "global"
        sizes = {"mu": c.nc, "q": c.dim * c.nc, "s": c.nl, "f": c.ndof, "w": c.dim * c.nc, "b": c.nl}
        seen = {name: view(getattr(c, name), size, owner) for name, size in sizes.items()}
        self._vectors = {name: x for name, x in seen.items() if x is not None}
        self._matrices = {}
        for name in _MATRICES:
            A = getattr(c, name)
            if A.ptr:
                ptr = view(A.ptr, A.rows + 1, owner, np.int64)
                col, x = view(A.col, int(ptr[-1]), owner, np.int32), view(A.x, int(ptr[-1]), owner)
                self._matrices[name] = _csr(A.rows, A.cols, ptr, col, x)
        return self

    def __getattr__(self, name: str) -> Any:
        """The arrays by their names; None where the problem has none of that name."""
        for arrays in ("_matrices", "_vectors"):
            if name in self.__dict__.get(arrays, ()):
                return self.__dict__[arrays][name]
        if name in _MATRICES or name in ("mu", "q", "s", "f", "w", "b"):
            return None
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")

    @property
    def rows(self) -> int:
        """Components of u and r: dim times contacts."""
        return self.dim * self.contacts

    def validate(self) -> None:
        """Raises DataError where the data is inconsistent, not finite, or M not positive definite.

        >>> import stickslip
        >>> stickslip.Problem(dim=2, mu=-1, W=[[1, 0], [0, 1]], q=[-1, 2]).validate()
        Traceback (most recent call last):
        stickslip.DataError: mu[0] = -1, expected >= 0 and finite
        """
        context = Context()
        context.check(lib.ss_problem_check(context.c, self.c))

    def reduce(self) -> "Problem":
        """The reduced form of a global problem: W = H M^-1 H^T, q = w - H M^-1 f."""
        return _made(lambda context, out: lib.ss_problem_reduce(context, self.c, out))

    def describe(self, dense_limit: int = 0) -> Dict[str, Any]:
        """Sizes, contact graph, rank, conditioning: what the problem looks like before anyone tries to solve it."""
        context, found = Context(), ffi.new("ss_description *")
        context.check(lib.ss_describe(context.c, self.c, dense_limit, found))
        return {name: getattr(found, name) for name, _ in ffi.typeof("ss_description").fields}

    def _title(self) -> str:
        contacts = f"{self.contacts} contact{'s' * (self.contacts != 1)}"
        dofs = f", {self.dofs} degree{'s' * (self.dofs != 1)} of freedom" if self.form == "global" else ""
        return f"{self.title + ': ' if self.title else ''}{self.dim}D, {contacts}{dofs}, {self.form} form"

    def _facts(self) -> Any:
        return [("bilateral constraints", self.bilateral)] if self.bilateral else []


def _csr(rows: int, cols: int, ptr: np.ndarray, col: np.ndarray, x: np.ndarray) -> scipy.sparse.csr_matrix:
    """SciPy wants both index arrays of one type: the row starts, which are few, are copied where they fit in 32 bits."""
    if ptr[-1] < 2**31:
        ptr = ptr.astype(np.int32)
    A = scipy.sparse.csr_matrix((x, col, ptr), (rows, cols), copy=False)
    A.has_canonical_format = True
    return A


def _made(build: Any, release: Any = lib.ss_problem_destroy) -> Problem:
    """The problem that build(context, out) makes."""
    context, out = Context(), ffi.new("ss_problem **")
    context.check(build(context.c, out))
    owner = context.own(out[0], release)
    return Problem._of(owner, owner)


# ---- problems that come with the library ------------------------------------------------------------


def settings(values: Dict[str, Any]) -> Tuple[Any, list]:
    """An array of ss_model_setting, and what must live as long."""
    array, kept = ffi.new("ss_model_setting[]", len(values) or 1), []
    for entry, (name, value) in zip(array, values.items()):
        kept.append(ffi.new("char[]", name.encode()))
        entry.name = kept[-1]
        words = value if isinstance(value, str) else repr(value) if isinstance(value, int) else None
        if words is None:
            entry.value = float(value)
        else:
            kept.append(ffi.new("char[]", words.encode()))
            entry.text = kept[-1]
    return array, kept


def models() -> Dict[str, str]:
    """The example problems of the papers: name and summary.

    >>> import stickslip
    >>> "painleve" in stickslip.models()
    True
    """
    found, k = {}, 0
    while lib.ss_model_name(k):
        name = text(lib.ss_model_name(k))
        found[name] = text(lib.ss_model_summary(name.encode()))
        k += 1
    return found


def model(name: str, **parameters: Any) -> Problem:
    """An example problem of the papers. Texts such as "3/4" are kept exact for `enumerate`.

    >>> import stickslip
    >>> stickslip.model("painleve", mu=1)
    <Problem: 2D, 1 contact, 1 degree of freedom, global form>
    >>> stickslip.model("painleve", nu=1)
    Traceback (most recent call last):
    stickslip.ArgumentError: ...
    """
    array, kept = settings(parameters)
    context, out, exact = Context(), ffi.new("ss_problem **"), ffi.new("const ss_exact **")
    context.check(lib.ss_model_build_exact(context.c, name.encode(), array, len(parameters), out, exact))
    owner = context.own(out[0], lib.ss_problem_destroy)
    problem = Problem._of(owner, owner)
    problem._exact = exact[0]
    return problem


def _options(start: Any, values: Dict[str, Any]) -> Any:
    o = ffi.new(f"{ffi.typeof(start).cname} *", start)
    for name, value in values.items():
        if not hasattr(o, name):
            raise ArgumentError(f"unknown option {name!r}, expected one of {', '.join(n for n, _ in ffi.typeof(start).fields)}")
        setattr(o, name, value)
    return o


def pile(contacts: int, dim: int = 3, **options: Any) -> Problem:
    """A random packing of spheres (disks) settled in a box, one step of gravity: mu, radius_spread, gap_tol, mass_ratio,
    agitation, seed.

    >>> import stickslip
    >>> stickslip.pile(100, dim=2, mu=0.3).dim
    2
    """
    o = _options(lib.ss_pile_options_default(), {"contacts": contacts, "dim": dim, **options})
    return _made(lambda context, out: lib.ss_generate_pile(context, o, out))


def wall(rows: int, cols: int, dim: int = 3, **options: Any) -> Problem:
    """A wall of bricks in running bond: mu, push."""
    o = _options(lib.ss_wall_options_default(), {"rows": rows, "cols": cols, "dim": dim, **options})
    return _made(lambda context, out: lib.ss_generate_wall(context, o, out))


def tower(blocks: int, dim: int = 3, ratio: float = 1.0, mu: float = 0.5) -> Problem:
    """A tower of cubes, each `ratio` times as heavy as the one below it."""
    return _made(lambda context, out: lib.ss_generate_tower(context, dim, blocks, ratio, mu, out))
