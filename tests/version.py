"""One version: CMake, the header, the Python package, CITATION.cff and the newest heading of CHANGELOG.md agree, and a
version that is tagged has its date there.

usage: version.py SOURCE [COMMAND]"""
import pathlib
import re
import subprocess
import sys

source = pathlib.Path(sys.argv[1])
PLACES = {
    "CMakeLists.txt": r"^project\(stickslip VERSION (\S+)",
    "include/stickslip/base.h": r'^#define SS_VERSION "(.*)"',
    "pyproject.toml": r'^version = "(.*)"',
    "CITATION.cff": r"^version: (\S+)",
    "CHANGELOG.md": r"^## (\S+) \((?:unreleased|\d{4}-\d\d-\d\d)\)$",
}
found = {}
for place, pattern in PLACES.items():
    match = re.search(pattern, (source / place).read_text(), re.M)
    found[place] = match.group(1) if match else None
if len(sys.argv) > 2:
    found["--version"] = subprocess.run([sys.argv[2], "--version"], capture_output=True, text=True).stdout.split()[-1]
if len(set(found.values())) != 1 or None in found.values():
    sys.exit(f"versions differ: {found}")

tags = subprocess.run(["git", "-C", str(source), "tag"], capture_output=True, text=True).stdout.split()
changes = (source / "CHANGELOG.md").read_text()
for version in re.findall(r"^## (\S+) \(unreleased\)", changes, re.M):
    if f"v{version}" in tags:
        sys.exit(f"v{version} is tagged, CHANGELOG.md says that it is unreleased")
released = re.findall(r"^date-released: (\S+)", (source / "CITATION.cff").read_text(), re.M)
newest = re.search(PLACES["CHANGELOG.md"], changes, re.M).group(0)
if released and f"({released[0].strip(chr(34))})" not in newest:
    sys.exit(f"CITATION.cff was released on {released[0]}, CHANGELOG.md says {newest}")
