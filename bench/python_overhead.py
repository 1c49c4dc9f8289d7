#!/usr/bin/env python3
"""What a solve costs from Python beside the same C calls: a pile of 1,000 contacts, arrays of NumPy and SciPy.

    PYTHONPATH=build/python /usr/bin/python3 bench/python_overhead.py [ROUNDS]

The same three things in turn, in processor time of this thread: C calls alone (ss_solver_create, ss_solve,
ss_solver_destroy; no callback), stickslip.solve of a Problem that is there, and stickslip.solve of one made anew from its
arrays. Prints the medians, and the cost over C as the median of the ratios within a round. Exit status 1 where that is 5 %
or more."""
import statistics
import sys
import time

import numpy as np
import scipy.sparse

import stickslip
from stickslip._calls import ffi, lib, numbers

rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 41
made = stickslip.pile(1000, dim=3, mu=0.3)
arrays = {"M": scipy.sparse.csr_matrix(made.M, copy=True), "H": scipy.sparse.csr_matrix(made.H, copy=True),
          "f": np.array(made.f), "w": np.array(made.w)}
mu = np.array(made.mu)
problem = stickslip.Problem(3, mu, **arrays)
assert problem.H is arrays["H"] and int(ffi.cast("uintptr_t", problem.c.H.x)) == arrays["H"].data.ctypes.data  # no copy
r, u, v = np.zeros(problem.rows), np.empty(problem.rows), np.empty(problem.dofs)
pointers = [numbers(x) for x in (r, u, v)]
options, info, out = ffi.new("ss_options *", lib.ss_options_default()), ffi.new("ss_info *"), ffi.new("ss_solver **")


def by_c():
    r[:] = 0
    assert not lib.ss_solver_create(ffi.NULL, problem.c, options, out)
    assert not lib.ss_solve(out[0], *pointers, ffi.NULL, info)
    lib.ss_solver_destroy(out[0])
    return info.iterations


def by_solve():
    return stickslip.solve(problem).iterations


def by_arrays():
    return stickslip.solve(stickslip.Problem(3, mu, **arrays)).iterations


calls = (by_c, by_solve, by_arrays)
assert len({call() for call in calls}) == 1, "the three must do the same work"
times = []
for k in range(rounds):
    row = [0.0] * 3
    for i in ((k + j) % 3 for j in range(3)):  # the order turns
        begin = time.thread_time()
        calls[i]()
        row[i] = time.thread_time() - begin
    times.append(row)
c, solve, whole = (statistics.median(row[i] for row in times) for i in range(3))
over = [100 * (statistics.median(row[i] / row[0] for row in times) - 1) for i in (1, 2)]
print(f"{problem.contacts} contacts, {rounds} rounds, medians: C {1e3 * c:.2f} ms, solve {1e3 * solve:.2f} ms "
      f"({over[0]:+.2f} %), from arrays {1e3 * whole:.2f} ms ({over[1]:+.2f} %)")
sys.exit(max(over) >= 5)
