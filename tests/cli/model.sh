# a model goes down a pipe, its fractions exact; every default is a problem that reads back
"$STICKSLIP" model alart -p mu=7/3 -p tan_alpha=-2
"$STICKSLIP" model klarbring -p theta_deg=30 -p gap=0.1 --param=f_t=0.5 | $SHOW description mu M f H w
for name in $("$STICKSLIP" model --list --json | "$PYTHON" -c '
import json, sys
print(*[m["name"] for m in json.load(sys.stdin)["models"]])'); do
  "$STICKSLIP" model $name | "$STICKSLIP" info --json - | $SHOW dim contacts dofs form
done
"$STICKSLIP" model painleve -p mu=1/3 -o rod.json --json | $SHOW command model output dim contacts dofs form
"$STICKSLIP" model painleve -p mu=1/3 -o rod.mtx
"$STICKSLIP" model painleve -p mu=1/3 > piped.json
cmp rod.json piped.json && "$STICKSLIP" solve --json rod.json | $SHOW status states
"$STICKSLIP" convert rod.mtx back.json > /dev/null && "$STICKSLIP" solve --json back.json | $SHOW status states
