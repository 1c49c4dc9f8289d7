"""What documentation shows is what happens: docstrings, and the Python of docs/*.md and README.md."""
import doctest
import inspect
import os
import pathlib
import tempfile
import typing
import unittest

import numpy as np
import stickslip

if np.lib.NumpyVersion(np.__version__) >= "2.0.0":  # prints numbers as np.int64(0); pages show 0
    np.set_printoptions(legacy="1.25")
ROOT = pathlib.Path(__file__).resolve().parents[2]
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


class Examples(unittest.TestCase):
    def test_docstrings(self):
        done = doctest.testmod(stickslip, optionflags=FLAGS)
        self.assertEqual(done.failed, 0)
        self.assertGreater(done.attempted, 60)

    def test_every_function_is_documented_and_typed(self):
        for name in stickslip.__all__:
            thing = getattr(stickslip, name)
            self.assertTrue(thing.__doc__, name)
            if inspect.isfunction(thing):
                hints = typing.get_type_hints(thing)
                self.assertEqual(set(inspect.signature(thing).parameters) | {"return"}, set(hints), name)
                if name not in ("methods", "wall", "tower", "read_run", "read_solution", "write_solution", "template"):
                    self.assertIn(">>>", thing.__doc__, name)

    def test_pages(self):
        """Python blocks of a page are one session, in a scratch folder."""
        least = {"docs/python.md": 30}
        texts = {str(path.relative_to(ROOT)): path.read_text() for path in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]}
        texts = {page: text for page, text in texts.items() if "```python\n" in text}
        self.assertGreaterEqual(len(texts), 2)
        for page, text in texts.items():
            blocks = [b.split("```")[0] for b in text.split("```python\n")[1:]]
            session = "\n".join(blocks)
            test = doctest.DocTestParser().get_doctest(session, {}, page, page, 0)
            self.assertGreaterEqual(len(test.examples), least.get(page, 1), page)
            runner = doctest.DocTestRunner(optionflags=FLAGS)
            with tempfile.TemporaryDirectory() as folder:
                before = os.getcwd()
                os.chdir(folder)
                try:
                    os.symlink(ROOT / "examples", "examples")
                    runner.run(test)
                finally:
                    os.chdir(before)
            self.assertEqual(runner.failures, 0, page)


if __name__ == "__main__":
    unittest.main()
