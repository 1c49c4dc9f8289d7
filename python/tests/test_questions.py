"""Existence, multiplicity, status: answers that are known, and pictures."""
import os
import signal
import threading
import unittest
import xml.dom.minidom

import numpy as np

import stickslip


def random_springs(contacts):
    """W = A A^T of random A, friction far above what is unique."""
    A = np.random.default_rng(1).normal(size=(2 * contacts, 2 * contacts))
    return stickslip.Problem(dim=2, mu=1, W=A @ A.T + np.eye(2 * contacts), q=-np.ones(2 * contacts))


class Existence(unittest.TestCase):
    def test_exists(self):
        p = stickslip.wall(3, 3, dim=3)
        c = stickslip.certify(p)
        self.assertTrue(c)
        self.assertEqual((c.verdict, c.jamming), ("exists", []))
        self.assertTrue(stickslip.check(p, c))
        self.assertEqual(c.velocity.size, p.dofs)

    def test_jams(self):
        rod = stickslip.model("painleve", mu=1)
        c = stickslip.certify(rod, margin="exact")
        self.assertFalse(c)
        self.assertAlmostEqual(c.work, -0.75)
        self.assertAlmostEqual(c.impulse[0], 1)
        self.assertIn("(A)", c.explanation)
        other = stickslip.model("painleve", mu=0.1)
        self.assertFalse(stickslip.check(other, c))  # evidence of another problem proves nothing here
        self.assertIn("not proved", repr(stickslip.check(other, c)))

    def test_diagnose(self):
        rod = stickslip.model("painleve", mu=1)
        tried = stickslip.solve(rod, "nsgs")
        self.assertFalse(tried)
        why = stickslip.diagnose(rod, tried)
        self.assertEqual((why.existence, why.proof, why.jamming), ("none", "enumeration", [0]))
        self.assertEqual(why.suggestions, {})
        pile = stickslip.pile(50, dim=2)
        why = stickslip.diagnose(pile, stickslip.solve(pile, "nsgs", tol=1e-8, max_iter=2))
        self.assertEqual(why.existence, "exists")
        self.assertIn("iterations", why.suggestions)
        self.assertIsNone(stickslip.diagnose(pile).solution)

    def test_wrong_words(self):
        with self.assertRaisesRegex(ValueError, "margin"):
            stickslip.certify(stickslip.model("painleve"), margin="x")


class Multiplicity(unittest.TestCase):
    def test_all_solutions_solve(self):
        p = stickslip.model("alart", mu=5, tan_alpha=-4)
        found = stickslip.enumerate(p)
        self.assertTrue(found.complete)
        self.assertGreater(len(found), 1)
        for s in found.solutions:
            if s.isolated:
                self.assertTrue(stickslip.check(p, s), repr(s))

    def test_none_and_continuum(self):
        self.assertEqual(len(stickslip.enumerate(stickslip.model("painleve", mu=1))), 0)
        flat = stickslip.Problem(dim=2, mu=0.5, W=[[1, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 0, 1]], q=[-1, 0, -1, 0])
        found = stickslip.enumerate(flat)
        self.assertEqual((len(found), found[0].isolated), (1, False))
        for cell in found[0].cells:
            for u, r in cell.vertices:
                self.assertTrue(stickslip.check(flat, r))

    def test_exact(self):
        found = stickslip.enumerate(stickslip.model("painleve", mu="1/4"), exact=True)
        self.assertTrue(found.exact)
        with self.assertRaises(stickslip.ArgumentError):
            stickslip.enumerate(stickslip.wall(2, 2, dim=2), exact=True)

    def test_critical(self):
        p = stickslip.Problem(dim=2, mu=0, W=[[1, 0.5], [0.5, 1]], q=[-1, 0])
        c = stickslip.critical(p, ["bijective"])
        self.assertAlmostEqual(c.bijective.mu, 2, 9)  # W_NN = mu |W_NT|
        self.assertFalse(c.pmatrix.computed)
        self.assertEqual(len(c.bijective.pattern), 1)
        with self.assertRaises(ValueError):
            stickslip.critical(p, ["x"])
        late = stickslip.critical(random_springs(12), ["bijective"], time_limit_s=0.0)
        self.assertFalse(late.bijective.exact)

    def test_atlas(self):
        m = stickslip.atlas(lambda mu, theta: stickslip.model("painleve", mu=mu, theta=theta), (0.1, 3), (0.2, 1.4),
                            cells=(8, 8), refine=2, names=("mu", "theta"))
        self.assertEqual(m.cells.shape, (m.kind.size, 4))
        self.assertAlmostEqual(sum(k.area for k in m.kinds), 1)
        middle = m.cells[:, :2].mean(axis=1), m.cells[:, 2:].mean(axis=1)
        for x, y, kind in list(zip(*middle, m.kind))[::37]:
            self.assertEqual(len(stickslip.enumerate(stickslip.model("painleve", mu=x, theta=y))), m.kinds[kind].count)
        xml.dom.minidom.parseString(m.svg())
        self.assertIn("svg", m._repr_html_())
        self.assertEqual(len(m.csv().splitlines()), m.kind.size + 1)
        again = stickslip.atlas(lambda mu, theta: stickslip.model("painleve", mu=mu, theta=theta), (0.1, 3), (0.2, 1.4),
                                cells=(8, 8), refine=2, names=("mu", "theta"), threads=2)
        self.assertEqual(again.csv(), m.csv())

    def test_atlas_of_a_function_that_fails(self):
        with self.assertRaises(ZeroDivisionError):
            stickslip.atlas(lambda x, y: 1 / 0, (0, 1), (0, 1))
        with self.assertRaises(AttributeError):
            stickslip.atlas(lambda x, y: None, (0, 1), (0, 1))

    def test_trace(self):
        block = stickslip.Problem(dim=2, mu=0.5, W=np.eye(2), q=[-1, 2])
        a = stickslip.trace(block, "mu", 0, 4)
        b = stickslip.trace(lambda mu: stickslip.Problem(dim=2, mu=mu, W=np.eye(2), q=[-1, 2]), "mu", 0, 4)
        self.assertEqual(a.csv(), b.csv())
        branch = a.branches[0]
        at = branch.parameter
        np.testing.assert_allclose(branch.r[:, 1], -np.minimum(at, 2), atol=1e-8)
        xml.dom.minidom.parseString(a.svg(components=["r_T"]))
        self.assertIn("svg", a._repr_html_())
        self.assertTrue(stickslip.trace(block, "load", 0.1, 2).complete)
        with self.assertRaises(ValueError):
            stickslip.trace(block, "q", 0, 1)

    def test_what_is_raised_meanwhile_comes_out(self):
        def stop(now):
            raise KeyboardInterrupt(now)

        springs = random_springs(8)
        for call in (lambda: stickslip.critical(springs, progress=stop), lambda: stickslip.enumerate(springs, progress=stop),
                     lambda: stickslip.trace(springs, "mu", 0, 3, progress=stop),
                     lambda: stickslip.certify(stickslip.model("wedge"), margin="exact", progress=stop),
                     lambda: stickslip.atlas(lambda x, y: springs, (0, 1), (0, 1), progress=stop)):
            with self.assertRaises(KeyboardInterrupt):
                call()

    def test_ctrl_c(self):
        timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            stickslip.critical(random_springs(16), ["bijective"], effort=30)
        timer.join()


class Status(unittest.TestCase):
    def block(self, push):
        return stickslip.Problem(dim=2, mu=0.5, M=np.eye(2), H=[[0, 1], [1, 0]], f=[-push, 1])

    def test_block(self):
        for push, state in ((0.4, "stick"), (0.6, "slip")):
            p = stickslip.status(self.block(push))
            self.assertEqual((p.next, p.now), ([state], ["still"]))
            self.assertAlmostEqual(p.acceleration[0], max(push - 0.5, 0))
        sliding = stickslip.status(self.block(0.4), rate=[0, -1])
        self.assertEqual(sliding.now, ["sliding"])
        self.assertAlmostEqual(sliding.force[1], 0.5)
        self.assertEqual(stickslip.status(self.block(0.4), gap=[1.0]).now, ["open"])
        with self.assertRaises(stickslip.DataError):
            stickslip.status(self.block(0.4), rate=[-1, 0])  # an impact


if __name__ == "__main__":
    unittest.main()
