"""A problem to a file and back: every number survives to the last bit. And what an error looks like."""
import os
import tempfile

import numpy as np

import stickslip

W, q = np.array([[1 / 3, 0.1], [0.1, 0.7]]), np.array([-1e-3, 2e-17])
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "one_contact.json")
    stickslip.write(path, stickslip.Problem(dim=2, mu=0.3, W=W, q=q))
    again = stickslip.read(path)
same = ["yes" if np.array_equal(a, b) else "no" for a, b in ((again.W.toarray(), W), (again.q, q))]
print(f"format {again.format}, {again.contacts} contact, same W: {same[0]}, same q: {same[1]}")
try:
    stickslip.read("/no/such/file.json")
except stickslip.ReadError as error:
    print(f"a missing file: {type(error).__name__}")
