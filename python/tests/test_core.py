"""Problems, solve, check: answers, errors, memory that is shared, threads, Ctrl-C."""
import gc
import logging
import os
import signal
import threading
import time
import unittest

import numpy as np
import scipy.sparse

import stickslip
from stickslip._calls import ffi


def block(q=(-1.0, 2.0), mu=0.5):
    return stickslip.Problem(dim=2, mu=mu, W=np.eye(2), q=q)


def address(pointer):
    return int(ffi.cast("uintptr_t", pointer))


class Solve(unittest.TestCase):
    def test_slip_stick_free(self):
        for q, states, r in (((-1, 2), ["slip"], (1, -0.5)), ((-1, 0.3), ["stick"], (1, -0.3)), ((1, 2), ["free"], (0, 0))):
            s = stickslip.solve(block(q), tol=1e-12)
            self.assertTrue(s)
            self.assertEqual(s.states, states)
            np.testing.assert_allclose(s.r, r, atol=1e-11)
            np.testing.assert_allclose(s.u, s.r + q, atol=1e-11)

    def test_both_forms_agree(self):
        p = stickslip.pile(60, dim=3, mu=0.3, seed=3)
        a, b = stickslip.solve(p, tol=1e-10), stickslip.solve(p.reduce(), tol=1e-10)
        self.assertTrue(a and b)
        self.assertTrue(stickslip.check(p, b, tol=1e-8) and stickslip.check(p.reduce(), a, tol=1e-8))
        np.testing.assert_allclose(p.M @ a.v + p.f, p.H.T @ a.r, atol=1e-8 * np.abs(p.f).max())

    def test_bilateral(self):
        # two masses in the plane, joined: what pushes the one slides the other
        H = np.array([[0, 1, 0, 0], [1, 0, 0, 0]])
        G = np.array([[1, 0], [0, 1], [-1, 0], [0, -1]])
        p = stickslip.Problem(dim=2, mu=0.5, M=np.eye(4), H=H, f=[0, 1, -3, 0], G=G)
        s = stickslip.solve(p)
        self.assertTrue(s)
        np.testing.assert_allclose(G.T @ s.v, 0, atol=1e-9)
        np.testing.assert_allclose(p.M @ s.v + p.f, p.H.T @ s.r + p.G @ s.l, atol=1e-8)
        self.assertTrue(stickslip.check(p, s))

    def test_methods_and_options(self):
        p = stickslip.pile(80, dim=2, mu=0.3)
        for method in ("nsgs", "newton"):
            self.assertIn(method, stickslip.methods())
            self.assertTrue(stickslip.solve(p, method, tol=1e-8, max_iter=100000), method)
        seen = []
        s = stickslip.solve(p, "nsgs", tol=1e-30, progress=lambda now: seen.append(now["error"]) or len(seen) >= 3)
        self.assertEqual((s.status, len(seen)), ("cancelled", 3))
        self.assertFalse(s)
        t = stickslip.solve(p, "nsgs", tol=1e-30, max_iter=7)
        self.assertEqual((t.status, t.iterations), ("max_iter", 7))

    def test_many_solves(self):
        p = stickslip.pile(50, dim=3)
        solver = stickslip.Solver(p)
        first = solver.solve()
        again = solver.solve(first)
        self.assertLessEqual(again.iterations, first.iterations)
        q = stickslip.wall(3, 3, dim=2)
        solver.retarget(q)
        self.assertTrue(solver.solve())
        with self.assertRaises(stickslip.ArgumentError):
            solver.update(p)  # another structure
        self.assertIs(solver.problem, q)
        self.assertTrue(solver.solve())

    def test_check(self):
        v = stickslip.check(block(), [1, -0.5])
        self.assertTrue(v)
        np.testing.assert_array_equal(v.u, [0, 1.5])
        self.assertEqual((v.states, v.worst_contact), (["slip"], 0))
        wrong = stickslip.check(block(), [1, 0.5])
        self.assertFalse(wrong)
        self.assertGreater(wrong.error, 0.1)
        self.assertEqual(wrong.errors.shape, (1,))

    def test_no_contacts(self):
        s = stickslip.solve(stickslip.Problem(dim=2, mu=[], M=np.eye(2), H=np.empty((0, 2)), f=[1, 2]))
        np.testing.assert_allclose(s.v, [-1, -2])

    def test_shown(self):
        s = stickslip.solve(block())
        self.assertRegex(repr(s), r"<Solution: solved; error .*, method auto, .*1 slip>")
        self.assertIn("<table>", s._repr_html_())
        p = stickslip.Problem(dim=2, mu=0, W=np.eye(2), q=[0, 0], title="<b>")
        self.assertIn("&lt;b&gt;", p._repr_html_())


class Errors(unittest.TestCase):
    def test_messages_are_the_librarys(self):
        with self.assertRaisesRegex(stickslip.DataError, "q: entry 1 is nan"):
            stickslip.solve(block((0, float("nan"))))
        with self.assertRaisesRegex(stickslip.MethodError, "unknown method 'ngss'"):
            stickslip.solve(block(), "ngss")
        with self.assertRaisesRegex(stickslip.ArgumentError, "omega"):
            stickslip.solve(block(), "nsgs", settings={"omega": "x"})
        with self.assertRaisesRegex(stickslip.DataError, "positive definite"):
            stickslip.Problem(dim=2, mu=0, M=-np.eye(2), H=np.eye(2), f=[0, 0]).validate()

    def test_kinds(self):
        self.assertTrue(issubclass(stickslip.DataError, ValueError))
        self.assertTrue(issubclass(stickslip.ReadError, OSError))
        self.assertTrue(issubclass(stickslip.OutOfMemory, MemoryError))
        with self.assertRaises(stickslip.Error) as caught:
            stickslip.read("/nowhere.json")
        self.assertLess(caught.exception.code, 0)

    def test_arguments(self):
        cases = ({"W": np.eye(2)}, {"W": np.eye(2), "q": [1]}, {"W": np.eye(2), "q": [1, 2], "M": np.eye(2)}, {},
                 {"M": np.eye(2), "f": [0, 0]}, {"W": np.eye(2), "q": [1, 2], "f": [1]},
                 {"W": np.eye(3), "q": np.zeros(3)}, {"W": np.ones((2, 3)), "q": [1, 2]},
                 {"M": np.eye(3), "H": np.ones((2, 2)), "f": np.zeros(3)},
                 {"W": np.eye(2), "q": [1, 2], "V": [[1], [1]], "R": np.eye(2)},
                 {"W": np.zeros((2, 2, 2)), "q": [1, 2]}, {"W": np.eye(2), "q": [[1, 2]]})
        for arguments in cases:
            with self.assertRaises(stickslip.ArgumentError, msg=str(arguments)):
                stickslip.Problem(dim=2, mu=0.5, **arguments)
        for call in (lambda: stickslip.Problem(dim=4, mu=0, W=[[1]], q=[1]), lambda: stickslip.solve(block(), measure="x"),
                     lambda: stickslip.check(block(), [1]), lambda: stickslip.solve(block(), guess=[1, 2, 3]),
                     lambda: stickslip.pile(10, rows=3)):
            with self.assertRaises(ValueError):
                call()
        with self.assertRaises(AttributeError):
            block().no_such_thing

    def test_remarks_are_logged(self):
        W = np.array([[1, 0.01], [0, 1]])
        with self.assertLogs("stickslip", logging.WARNING) as said:
            stickslip.solve(stickslip.Problem(dim=2, mu=0.5, W=W, q=[-1, 2]))
        self.assertIn("not symmetric", said.output[0])


class Memory(unittest.TestCase):
    def test_arrays_are_used_where_they_lie(self):
        q, mu = np.array([-1.0, 2.0]), np.array([0.5])
        W = scipy.sparse.csr_matrix(np.eye(2))
        p = stickslip.Problem(dim=2, mu=mu, W=W, q=q)
        self.assertIs(p.q, q)
        self.assertIs(p.W, W)
        for pointer, array in ((p.c.q, q), (p.c.mu, mu), (p.c.W.x, W.data), (p.c.W.col, W.indices)):
            self.assertEqual(address(pointer), array.ctypes.data)

    def test_64_bit_row_starts_too(self):
        W = scipy.sparse.csr_matrix(np.eye(2))
        W.indptr = W.indptr.astype(np.int64)
        p = stickslip.Problem(dim=2, mu=0.5, W=W, q=[-1, 2])
        self.assertEqual(address(p.c.W.ptr), p.W.indptr.ctypes.data)

    def test_what_must_be_converted_is(self):
        W = scipy.sparse.coo_matrix(([1, 0.5, 0.5, 1], ([0, 0, 0, 1], [1, 0, 0, 1])))  # a duplicate, not sorted, not CSR
        loose = scipy.sparse.csr_matrix((np.array([0.0, 1, 1]), np.array([1, 0, 1]), np.array([0, 2, 3])), (2, 2))
        columns = loose.indices.copy()
        p = stickslip.Problem(dim=2, mu=0.5, W=loose, q=np.array([-1, 2], np.int64))
        self.assertTrue(stickslip.solve(p))
        np.testing.assert_array_equal(loose.indices, columns)  # the caller's matrix is not sorted behind his back
        np.testing.assert_array_equal(stickslip.Problem(dim=2, mu=0, W=W, q=[0, 0]).W.toarray(), [[1, 1], [0, 1]])
        p = stickslip.Problem(dim=2, mu=0.5, W=np.eye(2, dtype=np.float32), q=np.arange(4.0)[::2])
        np.testing.assert_array_equal(p.q, [0, 2])

    def test_views_outlive_their_owner(self):
        H = stickslip.pile(200, dim=3).H
        f = stickslip.pile(200, dim=3).f
        gc.collect()
        again = stickslip.pile(200, dim=3)
        np.testing.assert_array_equal(H.data, again.H.data)
        np.testing.assert_array_equal(f, again.f)
        with self.assertRaises(ValueError):
            f[0] = 1  # C's memory is not to be written to

    def test_the_librarys_arrays_are_seen(self):
        p = stickslip.pile(100, dim=2)
        for name in ("mu", "f", "w"):
            self.assertEqual(getattr(p, name).ctypes.data, address(getattr(p.c, name)))
        for name in ("M", "H"):
            self.assertEqual(getattr(p, name).data.ctypes.data, address(getattr(p.c, name).x))
            self.assertEqual(getattr(p, name).indices.ctypes.data, address(getattr(p.c, name).col))

    def test_nothing_leaks(self):
        def grown():
            for _ in range(30):
                stickslip.solve(p).states
                stickslip.pile(2000, dim=2)
                stickslip.certify(p)
            gc.collect()
            with open("/proc/self/statm") as file:
                return int(file.read().split()[1])

        p = stickslip.wall(4, 4, dim=2)
        grown()
        before = grown()
        self.assertLess(grown() - before, 500)  # pages; one pile is some 300


class Threads(unittest.TestCase):
    def test_same_bits_at_once(self):
        problems = [stickslip.pile(150, dim=3, seed=k) for k in range(4)]
        alone = [stickslip.solve(p).r for p in problems]
        found = [None] * 4

        def work(k):
            for _ in range(5):
                found[k] = stickslip.solve(problems[k]).r

        threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
        [t.start() for t in threads]
        [t.join() for t in threads]
        for a, b in zip(alone, found):
            np.testing.assert_array_equal(a, b)

    def test_others_run_meanwhile(self):
        span, stamps = [], []

        def work():  # one call into C that never calls back
            span.append(time.monotonic())
            stickslip.pile(20000, dim=3)
            span.append(time.monotonic())

        thread = threading.Thread(target=work)
        thread.start()
        while thread.is_alive():
            stamps.append(time.monotonic())
            time.sleep(0.002)
        middle = [t for t in stamps if span[0] + 0.2 * (span[1] - span[0]) < t < span[0] + 0.8 * (span[1] - span[0])]
        self.assertGreater(len(middle), 5)


class CtrlC(unittest.TestCase):
    def interrupted(self, call):
        timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        begin = time.monotonic()
        try:
            with self.assertRaises(KeyboardInterrupt):
                call()
                time.sleep(5)  # it came to an end by itself: the signal comes here, and the test fails below
        finally:
            timer.join()
        return time.monotonic() - begin

    def test_a_solve_that_never_ends(self):
        p = stickslip.pile(300, dim=3)
        self.interrupted(lambda: stickslip.solve(p, "nsgs", tol=1e-300, max_iter=2**31 - 1))
        self.assertTrue(stickslip.solve(p))  # and all is well afterwards

    def test_what_a_callback_raises_comes_out(self):
        def progress(now):
            raise RuntimeError("enough")

        with self.assertRaisesRegex(RuntimeError, "enough"):
            stickslip.solve(stickslip.pile(300, dim=3), "nsgs", tol=1e-300, progress=progress)


if __name__ == "__main__":
    unittest.main()
