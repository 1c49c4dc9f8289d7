# no command writes over what it reads, by name, link, stream or set; nor two outputs to one file
mkdir here; cd here
cp ../problems/slip2d.json in.json; "$STICKSLIP" model alart > model.json
cat > template.json <<'END'
{"parameters": {"mu": 0.5, "g": 1}, "dim": 2, "mu": ["=mu"], "W": [[2, 0], [0, 1]], "q": ["=-g", 1]}
END
cat > scene.json <<'END'
{"materials": [{"name": "m", "mu": 0.3}], "externals": [{"shape": {"kind": "plane"}}], "stepping":
 {"step": 0.01, "duration": 0.02}, "bodies": [{"shape": {"kind": "sphere", "radius": 0.1}, "position": [0, 0, 0.2]}]}
END
ln in.json hard.json; ln -s in.json soft.json; ln scene.json scene.h5; ln scene.json scene.csv; mkdir set
"$STICKSLIP" convert in.json set -q > out; cp -r . ../kept
try() { "$STICKSLIP" "$@" < /dev/null > out 2> message; echo "$1: exit $?, $(cat message)"; }
for out in in.json ./in.json hard.json soft.json; do try solve in.json -o $out; done
try solve in.json --guess model.json -o model.json
try solve in.json --dump-on-failure in.json
try solve in.json -o a.json --dump-on-failure ./a.json
try solve in.json --history in.json
try certify in.json -o in.json
try convert in.json hard.json
try status scene.json --time 0 -o scene.json
try model template.json -o template.json
try atlas template.json -x mu=0:1 -y g=0:1 -o template.json
try trace template.json --over mu=0:1 -o template.json
try critical template.json -x g=0:1 -o template.json
try simulate scene.json --dump-step 1:scene.json
try simulate scene.json --dump-when "step>=1:scene.json"
try simulate scene.json --dump-when "step>=1:a.json" --dump-step 1:a.json
try simulate scene.json --times scene.csv
try simulate scene.json -o scene.h5
try simulate scene.json --scheme events -o scene.csv
try bench in.json -o in.json
try bench . -s nsgs -o in.json
"$STICKSLIP" solve - -o in.json < in.json; echo "solve: exit $?"
"$STICKSLIP" convert in.json - -q >> in.json; echo "convert: exit $?"
try convert set set/problem.mtx
rm message && diff -r -x out . ../kept && echo nothing was changed
