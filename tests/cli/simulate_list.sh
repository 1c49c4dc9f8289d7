# the scenes that come with the program, and what a name that is none of them is nearest to
"$STICKSLIP" simulate --list
"$STICKSLIP" simulate --list --json | "$PYTHON" -c 'import json, sys; print(len(json.load(sys.stdin)["scenes"]))'
"$STICKSLIP" simulate hoper; echo "exit $?"
"$STICKSLIP" simulate; echo "exit $?"
