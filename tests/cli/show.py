"""Prints chosen fields of the one JSON object on standard input, numbers to 6 digits and exact zero
for what is below 1e-9, so that golden files do not depend on the last bits.

usage: show.py status states/free r ..."""
import json, sys

import schema


def text(x):
    if isinstance(x, bool) or x is None or isinstance(x, str):
        return json.dumps(x)
    if isinstance(x, (int, float)):
        return "0" if abs(x) < 1e-9 else f"{x:.6g}"
    if isinstance(x, list):
        return "[" + ", ".join(map(text, x)) + "]"
    return "{" + ", ".join(f"{k}: {text(v)}" for k, v in x.items()) + "}"


def reject(constant):
    sys.exit(f"not JSON: {constant}")


root = json.loads(sys.stdin.read(), parse_constant=reject)  # one object, nothing after it
wrong = schema.complaint(root)
if wrong:
    sys.exit(wrong)
line = []
for path in sys.argv[1:]:
    value = root
    for key in path.split("/"):
        value = value[key] if key in value else "(missing)"
    line.append(f"{path}={text(value)}")
print(*line)
