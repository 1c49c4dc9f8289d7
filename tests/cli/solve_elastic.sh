# An elastic block with 61 contacts, to a tight tolerance: sweeps that converge are not handed to momentum, which would throw
# them back (thousands of iterations).
"$STICKSLIP" model pulled-block -p nx=60 -o block.json > /dev/null
"$STICKSLIP" solve block.json -t 1e-10 --json -q > found.json
$PYTHON -c "
import json
d = json.load(open('found.json'))
print(d['status'], 'in few iterations' if d['iterations'] < 400 else d['iterations'])"
