"""Exit 1 unless two JSON problems are the same to the last bit, apart from the keys named after them.

usage: same.py A.json B.json KEY ..."""
import json, sys

a, b = ({k: v for k, v in json.load(open(f)).items() if k not in sys.argv[3:]} for f in sys.argv[1:3])
sys.exit(0 if json.dumps(a) == json.dumps(b) else f"{sys.argv[1]} and {sys.argv[2]} differ")
