# outputs that cannot be written: exit 4, said before the work where it can be known
try() { "$STICKSLIP" "$@" > stdout; echo "exit $?"; cat stdout; }
try solve -o missing/out.json problems/slip2d.json
mkdir folder
try solve -o folder problems/slip2d.json
try solve -o /dev/null problems/slip2d.json
try convert problems/slip2d.json missing/out.json
try solve --dump-on-failure missing/out.json problems/jam2d.json
find . -type f | sort
