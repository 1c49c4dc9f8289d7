"""Derivatives from Python: against differences, adjoint against forward, matrices by pattern, what is refused."""
import gc
import unittest

import numpy as np
import scipy.sparse

import stickslip


def solved(problem, guess=None):
    s = stickslip.solve(problem, tol=1e-14, guess=guess)
    assert s.error < 1e-12, s
    return s


def moved(problem, name, x, h):
    """The problem with h times x added to what is called `name`."""
    names = ("mu", "M", "H", "f", "w", "G", "b", "W", "q", "V", "R", "s")
    data = {k: getattr(problem, k) for k in names if getattr(problem, k) is not None}
    data[name] = data[name] + h * x
    return stickslip.Problem(dim=problem.dim, **data)


def hinged():
    """Two bodies, a joint, three contacts in 3D, all of its numbers from one seed."""
    g = np.random.default_rng(5)
    A = g.normal(size=(12, 12))
    return stickslip.Problem(dim=3, mu=[0.3, 0.5, 0.8], M=A @ A.T + 12 * np.eye(12), H=g.normal(size=(9, 12)),
                             f=g.normal(size=12), w=0.1 * g.normal(size=9), G=g.normal(size=(12, 2)), b=[0.1, -0.2])


class Derivatives(unittest.TestCase):
    def compare(self, problem):
        s = solved(problem)
        d = stickslip.derivative(problem, s)
        self.assertEqual(d.smoothness, "smooth", d)
        g, h = np.random.default_rng(1), 1e-5
        for name in d._names():
            x = g.normal(size=d._entries(name).size)
            if name == "M":
                x = d._shaped(name, x)
                x = (x + x.T).tocsr()
            elif name in "WVRHG":
                x = d._shaped(name, x)
            found = d.forward(**{name: x})
            if scipy.sparse.issparse(x):
                dense = d.forward(**{name: x.toarray()})
                np.testing.assert_array_equal(found.u, dense.u)
            after, before = (solved(moved(problem, name, x, k * h), s) for k in (1, -1))
            for what in "ruvl":
                expected = (getattr(after, what) - getattr(before, what)) / (2 * h)
                np.testing.assert_allclose(getattr(found, what), expected, atol=1e-6, rtol=1e-6, err_msg=f"d{what}/d{name}")

    def test_differences(self):
        problem = hinged()
        self.compare(problem)
        self.compare(problem.reduce())

    def test_adjoint_is_the_transpose(self):
        problem = hinged()
        d, g = stickslip.derivative(problem, solved(problem)), np.random.default_rng(2)
        seed = {"r": g.normal(size=9), "u": g.normal(size=9), "v": g.normal(size=12), "l": g.normal(size=2)}
        gradient = d.adjoint(**seed)
        self.assertEqual(set(gradient), {"mu", "M", "H", "G", "f", "w", "b"})
        for name in gradient:
            x = g.normal(size=d._entries(name).size)
            change = d.forward(**{name: x})
            forward = sum(seed[k] @ getattr(change, k) for k in "ruvl")
            back = gradient[name]
            back = back.data if scipy.sparse.issparse(back) else back
            self.assertAlmostEqual(forward, back @ x, delta=1e-12 * max(1, np.abs(back) @ np.abs(x)), msg=name)

    def test_jacobian_both_ways(self):
        problem = hinged()
        d = stickslip.derivative(problem, solved(problem))
        for of, wrt in (("v", "mu"), ("l", "f"), ("r", "M")):   # by columns, by rows
            J = d.jacobian(of, wrt)
            x = np.random.default_rng(3).normal(size=J.shape[1])
            np.testing.assert_allclose(J @ x, getattr(d.forward(**{wrt: x}), of), atol=1e-12)
        with self.assertRaisesRegex(stickslip.ArgumentError, "expected one of r, u, v, l"):
            d.jacobian("x", "mu")

    def test_least_norm_box(self):
        """Two feet that stick share the friction as they like."""
        feet = [[0, 1, -0.5], [1, 0, 0.5], [0, 1, 0.5], [1, 0, 0.5]]
        box = stickslip.Problem(dim=2, mu=0.5, M=np.diag([1, 1, 1 / 6]), H=feet, f=[-0.2, 1, 0])
        d = stickslip.derivative(box, [0.4, -0.1, 0.6, -0.1])
        self.assertEqual((d.smoothness, d.loose, bool(d)), ("motion", [0, 1], False))
        np.testing.assert_allclose(d.forward(f=[1, 2, 3]).v, 0, atol=1e-9)
        self.assertAlmostEqual(d.adjoint(r=[0, 1, 0, 1]).f[0], 1, places=9)
        with self.assertRaisesRegex(stickslip.MethodError, "not unique"):
            d.adjoint(r=[0, 1, 0, 0])
        with self.assertRaisesRegex(stickslip.MethodError, "contradict"):
            d.forward(w=[0, 1, 0, 0])

    def test_kept_states(self):
        edge = stickslip.Problem(dim=2, mu=0.5, W=np.eye(2), q=[-1, 0.5])
        d = stickslip.derivative(edge, [1, -0.5], keep=True)
        self.assertEqual(d.smoothness, "kinks")
        np.testing.assert_allclose(d.forward(q=[0, 1]).r, [0, -1], atol=1e-12)   # as if it went on sticking
        with self.assertRaisesRegex(stickslip.ArgumentError, "keep their states"):
            d.one_sided(q=[0, 1])

    def test_refused(self):
        block = stickslip.Problem(dim=2, mu=0.5, W=np.eye(2), q=[-1, 2])
        with self.assertRaisesRegex(stickslip.DataError, "no solution to differentiate"):
            stickslip.derivative(block, [1, 0.5])
        d = stickslip.derivative(block, [1, -0.5])
        for wrong, text in (({"f": [1]}, "'f': expected one of mu, W, q"), ({"q": [1]}, "q: found shape"),
                            ({"W": [[0, 1], [0, 0]]}, "outside of the pattern"), ({"W": np.eye(3)}, "W: found 3 x 3"),
                            ({"q": [np.nan, 0]}, "direction of q is not finite")):
            with self.assertRaisesRegex(stickslip.ArgumentError, text):
                d.forward(**wrong)
        with self.assertRaises(AttributeError):
            d.adjoint(u=[0, 1], wrt=["q"]).mu

    def test_outlives_its_names(self):
        problem = hinged()
        d = stickslip.derivative(problem, solved(problem))
        expected = d.forward(mu=1).v
        del problem
        gc.collect()
        np.testing.assert_array_equal(d.forward(mu=1).v, expected)


if __name__ == "__main__":
    unittest.main()
