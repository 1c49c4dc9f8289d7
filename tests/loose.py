"""Compares what a program prints with what it should, numbers by value.

    loose.py EXPECTED PROGRAM [ARGUMENT...]    runs the program; its status must be 0

White space counts only as a separator. Numbers may differ by 1e-6 of their size, or by 1e-9 where
they are smaller than that; times (a number with a unit of time, or the value of a time key) count
only as numbers."""
import re
import subprocess
import sys

NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w.]*\w)")
TIME = re.compile(r"""(time\w*["']?\s*[:=]?\s*)[-+\d.eE]+|(?<![\w.])[-+\d.eE]+(?=\s*(?:s|ms|us|ns|min)\b)""")


def pieces(text):
    """(words, numbers): the text with every number replaced by #, times by #t; and the numbers."""
    text = TIME.sub(lambda m: (m.group(1) or "") + "#t", text)
    numbers = [float(x) for x in NUMBER.findall(text)]
    return NUMBER.sub("#", text).split(), numbers


def difference(found, expected):
    """None if alike, else what differs."""
    found_words, found_numbers = pieces(found)
    words, numbers = pieces(expected)
    for i, (a, b) in enumerate(zip(found_words, words)):
        if a != b:
            return f"word {i}: found {a!r}, expected {b!r} (after {' '.join(words[max(0, i - 5):i])!r})"
    if len(found_words) != len(words):
        return f"found {len(found_words)} words, expected {len(words)}"
    for i, (a, b) in enumerate(zip(found_numbers, numbers)):
        if not abs(a - b) <= max(1e-9, 1e-6 * abs(b)):
            return f"number {i}: found {a!r}, expected {b!r}"
    return None


if __name__ == "__main__":
    run = subprocess.run(sys.argv[2:], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    with open(sys.argv[1]) as file:
        wrong = difference(run.stdout, file.read())
    if run.returncode or wrong:
        print(run.stdout, run.stderr, sep="")
        sys.exit(wrong or f"exit status {run.returncode}")
