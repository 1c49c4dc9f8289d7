"""What is true of a small problem, in exact rational arithmetic and by nothing but the definitions: every
combination of contact states, and linear programs by Fourier-Motzkin elimination. Shares no code with the
library. 2D, or 3D where the second tangent of every contact neither moves nor is coupled (embed)."""
from fractions import Fraction as F
from itertools import product

INF = float("inf")


def exact(x):
    return [exact(y) for y in x] if isinstance(x, list) else F(x)


def bounds(equalities, inequalities, width):
    """Of variable 0, all others eliminated; None: there is no point. Rows mean row . (x, 1) = 0 or >= 0."""
    rows = substitute(equalities, inequalities, width)
    if rows is None:
        return None
    for at in range(1, width):
        plus = [r for r in rows if r[at] > 0]
        minus = [r for r in rows if r[at] < 0]
        rows = [r for r in rows if r[at] == 0]
        seen = {tuple(r) for r in rows}
        for p, m in product(plus, minus):
            new = [p[k] * -m[at] + m[k] * p[at] for k in range(width + 1)]
            size = max((abs(x) for x in new), default=0)
            if size:
                new = [x / size for x in new]
            if tuple(new) not in seen:
                seen.add(tuple(new))
                rows.append(new)
    low, high = -INF, INF
    for r in rows:
        if r[0] > 0:
            low = max(low, -r[width] / r[0])
        elif r[0] < 0:
            high = min(high, -r[width] / r[0])
        elif r[width] < 0:
            return None
    return (low, high) if low <= high else None


def substitute(equalities, inequalities, width):
    """The inequalities with the equalities put in; what these say of variable 0 alone is two more of them.
    None: they contradict each other."""
    order = list(range(1, width)) + [0]
    swap = lambda row: [row[k] for k in order] + [row[width]]
    back = {k: i for i, k in enumerate(order)}
    rows, eqs = [swap(r) for r in inequalities], [swap(e) for e in equalities]
    left = []
    while eqs:
        row = eqs.pop()
        at = next((k for k in range(width - 1) if row[k]), None)
        if at is None:
            if row[width - 1]:
                left += [row, [-x for x in row]]
            elif row[width]:
                return None
            continue
        for other in eqs + rows + left:
            if other[at]:
                factor = other[at] / row[at]
                for k in range(width + 1):
                    other[k] -= factor * row[k]
    return [[r[back[k]] for k in range(width)] + [r[width]] for r in rows + left]


class Truth:
    def __init__(self, problem):
        self.dim, self.mu = problem["dim"], exact(problem["mu"])
        self.n = len(self.mu)
        rows = [i for i in range(self.dim * self.n) if i % self.dim < 2]  # 3D: the embedded plane
        self.form = "global" if "M" in problem else "local"
        if self.form == "global":
            self.M, self.f = exact(problem["M"]), exact(problem["f"])
            self.H = [exact(problem["H"])[i] for i in rows]
            self.w = [exact(problem["w"])[i] for i in rows]
            self.G, self.b = exact(problem.get("G", [])), exact(problem.get("b", []))
        else:
            W = exact(problem["W"])
            self.W = [[W[i][j] for j in rows] for i in rows]
            self.w = [exact(problem["q"])[i] for i in rows]
            self.H, self.G, self.b = self.W, [], []
        self.dofs, self.joints = len(self.H[0]) if self.H else 0, len(self.b)
        self.contradictory = self.joints > 0 and self.find_motion([]) is None
        self.margin = -INF if self.contradictory else self.find_margin(self.mu)
        self.parting = -INF if self.contradictory else self.find_margin([F(0)] * self.n)
        self.exists, self.points = self.find_solutions()
        self.rest = self.find_rest()
        self.definite = self.form == "global" or self.is_semidefinite()

    def find_margin(self, mu):
        """s* = min { w.r + b.l : H^T r + G l = 0, r in K, sum r_N = 1 }: variables t, (a, c) per contact, l."""
        n, width = self.n, 1 + 2 * self.n + self.joints
        column = lambda i: [[F(1), mu[i]], [F(1), -mu[i]]]  # r = a (1, mu) + c (1, -mu)
        equalities = []
        for d in range(self.dofs):
            row = [F(0)] * (width + 1)
            for i in range(n):
                for g, r in enumerate(column(i)):
                    row[1 + 2 * i + g] = self.H[2 * i][d] * r[0] + self.H[2 * i + 1][d] * r[1]
            for k in range(self.joints):
                row[1 + 2 * n + k] = self.G[d][k]
            equalities.append(row)
        total = [F(0)] + [F(1)] * (2 * n) + [F(0)] * self.joints + [F(-1)]
        work = [F(-1)] + [F(0)] * (width - 1) + [F(0)]
        for i in range(n):
            for g, r in enumerate(column(i)):
                work[1 + 2 * i + g] = self.w[2 * i] * r[0] + self.w[2 * i + 1] * r[1]
        for k in range(self.joints):
            work[1 + 2 * n + k] = self.b[k]
        signs = [[F(int(k == 1 + j)) for k in range(width)] + [F(0)] for j in range(2 * n)]
        found = bounds(equalities + [total, work], signs, width)
        return INF if found is None else found[0]

    def find_motion(self, extra):
        """Some v with G^T v + b = 0 and the rows `extra`, or None."""
        width = 1 + self.dofs
        rows = [[F(0)] + [self.G[d][k] for d in range(self.dofs)] + [self.b[k]]
                for k in range(self.joints)]
        return bounds(rows + extra, [], width)

    def find_rest(self):
        rows = [[F(0)] + list(self.H[i]) + [self.w[i]] for i in range(2 * self.n)
                if i % 2 == 0 or self.mu[i // 2] > 0]
        return self.find_motion(rows) is not None

    def unknowns(self):
        """u and the equations of motion as rows over (dummy, v, r, l) or (dummy, r)."""
        m = 2 * self.n
        if self.form == "local":
            u = [[F(0)] + list(self.W[i]) + [self.w[i]] for i in range(m)]
            r = [[F(int(k == 1 + i)) for k in range(1 + m)] + [F(0)] for i in range(m)]
            return 1 + m, [], u, r
        d = self.dofs
        width = 1 + d + m + self.joints
        motion = []
        for i in range(d):
            row = [F(0)] * (width + 1)
            for j in range(d):
                row[1 + j] = self.M[i][j]
            for j in range(m):
                row[1 + d + j] = -self.H[j][i]
            for k in range(self.joints):
                row[1 + d + m + k] = -self.G[i][k]
            row[width] = self.f[i]
            motion.append(row)
        for k in range(self.joints):
            motion.append([F(0)] + [self.G[i][k] for i in range(d)] + [F(0)] * (m + self.joints) +
                          [self.b[k]])
        u = [[F(0)] + list(self.H[j]) + [F(0)] * (m + self.joints) + [self.w[j]] for j in range(m)]
        r = [[F(int(k == 1 + d + j)) for k in range(width)] + [F(0)] for j in range(m)]
        return width, motion, u, r

    def find_solutions(self):
        """Whether there is one; the different points, or None where some pattern has more than one."""
        width, motion, u, r = self.unknowns()
        minus = lambda row: [-x for x in row]
        join = lambda a, x, b, y: [p * x + q * y for p, q in zip(a, b)]
        exists, points = False, set()
        for states in product(("free", "stick", "+", "-"), repeat=self.n):
            equal, least = list(motion), []
            for i, s in enumerate(states):
                un, ut, rn, rt, mu = u[2 * i], u[2 * i + 1], r[2 * i], r[2 * i + 1], self.mu[i]
                if s == "free":
                    equal += [rn, rt]
                    least += [un]
                elif s == "stick":
                    equal += [un, ut]
                    least += [join(rn, mu, rt, 1), join(rn, mu, rt, -1), rn]
                else:
                    sign = 1 if s == "+" else -1
                    equal += [un, join(rt, 1, rn, sign * mu)]
                    least += [rn, [sign * x for x in ut]]
            if bounds(equal, least, width) is None:
                continue
            exists = True
            point = self.only_point(equal, least, width, u + r)
            points = None if points is None or point is None else points | {point}
        return exists, points

    def only_point(self, equal, least, width, rows):
        out = []
        for row in rows:
            tied = [F(-1)] + row[1:]  # variable 0 is this component
            found = bounds(equal + [tied], least, width)
            if found is None or found[0] != found[1]:
                return None
            out.append(found[0])
        return tuple(out)

    def is_semidefinite(self):
        """Symmetric elimination: pivots >= 0, and rows of zero pivots are zero."""
        A = [[(self.W[i][j] + self.W[j][i]) / 2 for j in range(2 * self.n)] for i in range(2 * self.n)]
        for k in range(len(A)):
            if A[k][k] < 0 or (A[k][k] == 0 and any(A[k][j] for j in range(k + 1, len(A)))):
                return False
            for i in range(k + 1, len(A)):
                if A[k][k]:
                    factor = A[i][k] / A[k][k]
                    A[i] = [x - factor * y for x, y in zip(A[i], A[k])]
        return True

    @property
    def criterion(self):
        return "robust" if self.margin > 0 else "boundary" if self.margin == 0 else "violated"

    @property
    def for_every_w(self):
        return self.margin == INF


def embed(problem):
    """The same problem in 3D: a second tangent that nothing moves."""
    out = dict(problem, dim=3)
    for key, zero in (("H", [0] * len(problem.get("M", []))), ("w", 0), ("q", 0)):
        if key in problem:
            out[key] = [x for i in range(0, len(problem[key]), 2) for x in (*problem[key][i:i + 2], zero)]
    if "W" in problem:
        m = len(problem["W"])
        pad = lambda row: [x for i in range(0, m, 2) for x in (*row[i:i + 2], 0)]
        out["W"] = [row for i in range(0, m, 2)
                    for row in (pad(problem["W"][i]), pad(problem["W"][i + 1]), [0] * (3 * m // 2))]
    return out
