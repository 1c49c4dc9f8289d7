# a full standard output or a reader that went away is never passed over
try() { "$STICKSLIP" "$@" > /dev/full; echo "exit $?"; }
try solve problems/slip2d.json
try solve --json problems/slip2d.json
try solve -q -o - problems/slip2d.json
try check problems/solved2d.json
try info
try info --json problems/slip2d.json
try convert -q problems/slip2d.json -
try help
try --version
{ sleep 1; "$STICKSLIP" info --json; echo "exit $?" >&2; } | true
"$STICKSLIP" info problems/slip2d.json >&-
echo "exit $?"
