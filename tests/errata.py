"""Every counter-example of docs/errata.md, in rational (or 60-digit) arithmetic; no solver involved. --json prints each one and
whether it holds."""
import itertools
import json
import sys
from decimal import Decimal, getcontext
from fractions import Fraction as Q

getcontext().prec = 60
checks = []  # (name, whether it holds)


def expect(name, truth):
    checks.append((name, bool(truth)))


def solve(A, b):
    """x with A x = b by Gauss-Jordan; None if A is singular."""
    n = len(A)
    rows = [list(map(Q, A[i])) + [Q(b[i])] for i in range(n)]
    for k in range(n):
        pivot = next((i for i in range(k, n) if rows[i][k]), None)
        if pivot is None:
            return None
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [x / rows[k][k] for x in rows[k]]
        for i in range(n):
            if i != k:
                rows[i] = [x - rows[i][k] * y for x, y in zip(rows[i], rows[k])]
    return [row[n] for row in rows]


def det(A):
    if not A:
        return Q(1)
    minor = lambda j: [row[:j] + row[j + 1:] for row in A[1:]]
    return sum((-1) ** j * Q(A[0][j]) * det(minor(j)) for j in range(len(A)))


def coulomb(u, r, mu):
    """(u, r) in C(mu), 2D, normal first."""
    if abs(r[1]) > mu * r[0] or u[0] < 0:
        return False
    if r[0] == 0:
        return True
    return u[0] == 0 and (u[1] == 0 or r[1] == (-mu if u[1] > 0 else mu) * r[0])


# --- the rod (R), s = c * t; s, c rational: t = 3/4
def rod(g, u0, s, c, r_x, r_y):
    v = c * r_x + s * r_y + g * s
    return v, (u0 + c * v, s * v)


def rod_count(g, u0, s, c, mu):
    """Solutions of (R), g != 0 and u0 > 0: take-off, and slip towards +x."""
    t, count = s / c, 0
    count += coulomb(rod(g, u0, s, c, 0, 0)[1][::-1], (0, 0), mu)
    if t != mu:
        r_y = -g * t / (t - mu)
        count += r_y > 0 and coulomb(rod(g, u0, s, c, -mu * r_y, r_y)[1][::-1], (r_y, -mu * r_y), mu)
    return count


s, c = Q(3, 5), Q(4, 5)
expect("frictionless slip", coulomb((0, 1), (1, 0), 0))
expect("4.7 at t = mu", rod_count(1, 1, s, c, Q(3, 4)) == 1)
expect("4.7 for t > mu", rod_count(1, 1, s, c, Q(1, 2)) == 1)
expect("4.7, 5.3 for t < mu", rod_count(1, 1, s, c, Q(2)) == 2)
# theta = 45 degrees: s = c = 1/sqrt(2); s c = s s = 1/2, so u is rational though v is not
for r_x, r_y, u in ((0, 0, (Q(3, 2), Q(1, 2))), (-2, 1, (1, 0))):
    root2_v = r_x + r_y + 1
    expect("5.3 in numbers", (1 + Q(root2_v, 2), Q(root2_v, 2)) == u)
    expect("5.3 is Coulomb", coulomb(u[::-1], (r_y, r_x), 2))

# --- AC11 (31): the u of (32) is H v + w with w = (u0, 0), and not with (1, u0) as printed
for r_x, r_y in ((0, 0), (Q(1, 2), 1), (-3, Q(7, 3))):
    v, u = rod(-1, 2, s, c, r_x, r_y)
    expect("(31)", u == (c * v + 2, s * v) and u != (c * v + 1, s * v + 2))

# --- AC11 (27), (28): e = (3/5, 4/5), tangent (4/5, -3/5)
e, t = (Q(3, 5), Q(4, 5)), (Q(4, 5), Q(-3, 5))
project = lambda x: tuple(x[i] - e[i] * (e[0] * x[0] + e[1] * x[1]) for i in range(2))
expect("(27)", 1 - (e[0] * e[0] + e[1] * e[1]) == 0 and project(e) == (0, 0) and project(t) == t)

# --- LSCM03 (10), third line: lambda = proj(lambda - rho x) onto the disk of radius 1, x the velocity (zero) or the acceleration (1, 0)
in_disk = lambda z: z if z[0] ** 2 + z[1] ** 2 <= 1 else tuple(float(k) / float(z[0] ** 2 + z[1] ** 2) ** 0.5 for k in z)
expect("LSCM (10)", in_disk((0 - 0, 0)) == (0, 0) and in_disk((0 - 1, 0)) != (0, 0))

# --- the margin of criterion (A) for one contact with H v + w = (u0 + c v, a, s v), to 60 digits
def margin(v, u0, a, mu):
    number = lambda x: Decimal(Q(x).numerator) / Decimal(Q(x).denominator)
    tangent = number((u0 + c * v) ** 2 + a ** 2).sqrt()
    return number(s * v) - number(mu) * tangent


# 5.1: t = mu = 3/4, u0 = 0: always negative, and tending to zero like -mu a^2 / (2 c v)
for v in (Q(10) ** k for k in range(1, 12)):
    expect("5.1", -1 < margin(v, 0, 1, Q(3, 4)) * int(v) < 0)

# --- 4.3: t = 3/4, mu = 1, u0 = 3, a = 4, rho = 5
mu, u0, a, rho, g = Q(1), Q(3), Q(4), Q(5), -1
r_N = -g * (s / c) / (s / c - mu * u0 / rho)
r_T = (-mu * r_N * u0 / rho, -mu * r_N * a / rho)
expect("4.3 reaction", r_N == 5 and c * r_T[0] + s * r_N + g * s == 0)
best = Decimal(-3 * 3) / 4 - 4 * (1 - Decimal(9) / 16).sqrt()  # -t u0 - |a| sqrt(mu^2 - t^2)
sampled = max(margin(Q(k, 100), u0, a, mu) for k in range(-2000, 2000))
expect("4.3 criterion fails", best - Decimal("1e-3") < sampled <= best < 0)

# --- Agwa (45), (47)
k_nn, k_nt, k_tt, alpha = Q(7), Q(-3), Q(5), Q(11)
for sign in (1, -1):
    m = sign * Q(2)
    J = [[k_nn + alpha, k_nt, -1, 0], [k_nt + m * alpha, k_tt, -m, 0], [-1, 0, 0, 0],
         [-m, 0, m / alpha, -1 / alpha]]
    expect("(45), (47)", det(J) == (k_tt - m * k_nt) / alpha)

# --- Agwa 7.2: K of the particle at theta = 0, where k_tt - mu k_nt is said to be negative
particle = lambda s, c: [[1 + c * c, s * c], [s * c, s * s]]
expect("7.2 at theta = 0", [particle(0, 1)[1][1] - m * particle(0, 1)[0][1] for m in (Q(1, 10), 1, 5)] == [0, 0, 0])

# --- Agwa (30): a free particle, K u = f. With c - d = u_t, a = mu r_n + r_t, b = mu r_n - r_t the pairs (a, c), (b, d) stay
# complementary when tau is added to both c and d: a ray of its solutions, one (u, r)
u_n, u_t = solve(particle(s, c), [1, 2])
for tau in (Q(0), Q(1), Q(7, 2)):
    c_, d_, a_, b_ = max(u_t, 0) + tau, max(-u_t, 0) + tau, Q(0), Q(0)
    expect("(30)", u_n < 0 and c_ - d_ == u_t and min(c_, d_) >= 0 and a_ * c_ == 0 == b_ * d_)

# --- Agwa (58) as printed: r_t u_t < 0 with F = K^-1 of one contact, F_nt != 0
F_nt, F_tt = Q(1), Q(2)
expect("(58)", 1 * (F_nt * -3 + F_tt * 1) < 0)


def agwa_solutions(K, f, mu):
    """All (u, r) by enumeration of free, stick, slip+, slip- over the contacts; regular patterns only."""
    n, found = len(f) // 2, set()
    for pattern in itertools.product("fd+-", repeat=n):
        # unknowns: u (2n), then r (2n)
        A = [list(row) + [-(i == j) for j in range(2 * n)] for i, row in enumerate(K)]
        b = list(f)
        unit = lambda k: [int(j == k) for j in range(4 * n)]
        for p, state in enumerate(pattern):
            un, ut, rn, rt = 2 * p, 2 * p + 1, 2 * n + 2 * p, 2 * n + 2 * p + 1
            slip = [x - (mu if state == "+" else -mu) * y for x, y in zip(unit(rt), unit(rn))]
            A += {"f": [unit(rn), unit(rt)], "d": [unit(un), unit(ut)]}.get(state, [unit(un), slip])
            b += [0, 0]
        x = solve(A, b)
        if x is None:
            continue
        pairs = [(x[2 * p], x[2 * p + 1], x[2 * n + 2 * p], x[2 * n + 2 * p + 1]) for p in range(n)]
        # their signs: u_n <= 0, r_n <= 0 and r_t along u_t times r_n; ours: (-u_n, u_t), (-r_n, r_t)
        if all(coulomb((-un, ut), (-rn, rt), mu) for un, ut, rn, rt in pairs):
            found.add(tuple(x))
    return found


K = [[23, 1, -4, -11], [1, 16, -4, 3], [-4, -4, 9, -8], [-11, 3, -8, 22]]
f = [Q(-35, 3), Q(4, 3), Q(35, 3), Q(-5650, 479)]
expect("(59) witness", len(agwa_solutions(K, f, Q(860, 479))) == 3)


def bound59(K):
    """Smallest mu > 0 at which det(K_tt - mu Sigma K_nt) = 0 over sub-patterns stick, slip+, slip-."""
    n, least = len(K) // 2, None
    sub = lambda rows, cols: [[Q(K[i][j]) for j in cols] for i in rows]
    for pattern in itertools.product((0, 1, -1), repeat=n):
        P = [p for p in range(n) if pattern[p]]
        if not P:
            continue
        tt, nt = sub([2 * p + 1 for p in P], [2 * p + 1 for p in P]), sub([2 * p for p in P], [2 * p + 1 for p in P])
        D = lambda m: det([[tt[i][j] - m * pattern[P[i]] * nt[i][j] for j in range(len(P))] for i in range(len(P))])
        grid = [Q(k, 1000) for k in range(0, 4000)]
        root = next((m for m in grid if D(m) <= 0), None)  # first sign change, to 1e-3
        if root is not None and (least is None or root < least):
            least = root
    return least


expect("(59) bound", abs(bound59(K) - Q(2048, 1000)) <= Q(1, 1000))


def jack_count(b, c, F, f_n, f_t):
    """Solutions of (1) of [Jack]: b u_n - c u_t = f_n + l_n, -c u_n + b u_t = f_t + l_t."""
    return len(agwa_solutions([[b, -c], [-c, b]], [f_n, f_t], F))


def kp_solvable(f, w):
    """M = 0, H = 1, no friction: M v + f = r, 0 <= v + w, r >= 0, r (v + w) = 0."""
    return any(r >= 0 and v + w >= 0 and r * (v + w) == 0 for r, v in [(f, -w)])


for f, w in itertools.product((-1, 0, 1), (-1, 0, 2)):
    holds = all(f * v >= 0 for v in (0, 1))  # on the rays of the pairs: v >= 0, r = 0
    printed = all(f * v <= 0 for v in (0, 1))
    expect(f"Klarbring and Pang, f = {f}, w = {w}", kp_solvable(f, w) == holds and (f == 0 or printed != holds))

expect("Jack, b < 0", [jack_count(Q(-6, 5), 1, Q(2, 5), f, 0) for f in (-1, 1)] == [0, 4])
expect("Jack, b > 0", [jack_count(Q(6, 5), 1, Q(2, 5), f, 0) for f in (-1, 1)] == [1, 1])
expect("Jack, F > b/c", jack_count(Q(6, 5), 1, Q(2), 1, Q(-3, 2)) == 3)

if "--json" in sys.argv[1:]:
    print(json.dumps([{"name": name, "holds": holds} for name, holds in checks]))
sys.exit("\n".join(f"not confirmed: {name}" for name, holds in checks if not holds) or 0)
