# folders are searched for problems; what is none is skipped and said; what was named must be one
exec 3>&2
exec 2> said
mkdir -p deep/er/still deep/.hidden
cp problems/slip2d.json deep/b.json
cp problems/stick2d.json deep/er/still/a.json
cp problems/slip2d.json deep/.hidden/c.json
echo '{"dim": 2}' > deep/not.json
echo 'text' > deep/notes.txt
ln -s ../.. deep/er/round
ln -s ../b.json deep/er/link.json
ln -s nowhere.json deep/gone.json
"$STICKSLIP" convert -q problems/slip3d.json deep/set.mtx
list() { "$PYTHON" -c 'import json, sys; print(*[r["file"] for r in json.load(sys.stdin)["rows"]])'; }
"$STICKSLIP" bench deep --json --solvers nsgs -o deep/results.json | list
"$STICKSLIP" bench deep/er deep/b.json deep/er/still/a.json deep/b.json --json --solvers nsgs | list
try() { "$STICKSLIP" bench --solvers nsgs "$@"; echo "exit $?: $*"; }
try deep/not.json deep/b.json
try missing.json
try deep/.hidden/none
mkdir empty
try empty
try -
grep -v "^bench " said >&3  # no progress, which a slow machine has
