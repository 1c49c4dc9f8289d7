# every command, success or failure, help and version: command, version, status come first
cp problems/slip2d.json p.json; cp problems/jam2d.json jam.json
try() {
  "$STICKSLIP" "$@" --json < /dev/null > out.json 2> /dev/null; code=$?
  "$PYTHON" - "$code" "$*" <<'END'
import json, sys
found = json.load(open("out.json"))
print(f"{sys.argv[2]}: exit {sys.argv[1]}:", *list(found)[:3], found["command"], found["status"])
assert found["version"].count(".") == 2
END
  $SHOW status < out.json > /dev/null || echo "not as its schema"
}
for command in solve check derive certify enumerate critical status info model trace atlas convert bench simulate report import sweep serve; do
  try $command --help; try $command --nosuch; try $command missing.json
done
try --version; try nosuch; try solve p.json; try solve jam.json -s nsgs --max-iter 5; try certify p.json; try certify jam.json
try derive p.json --along mu; try derive jam.json; try enumerate p.json; try critical p.json; try info p.json; try info; try model alart -o out.hdf5; try model --list
try convert p.json out2.json; try bench p.json -s nsgs; try simulate slope --duration 0.02; try simulate slope --check
try simulate --list; try simulate jack-plane --duration 0.01; try atlas alart -x mu=0:1:2 -y tan_alpha=0:1:2
try trace alart --over mu=0:1; try model alart --svg model.svg; try simulate slope --duration 0.02 --certify
try simulate slope --duration 0.02 --solver aclm --tol 1e-16 --aclm.stop 1
# numbers that no computer holds: said on standard error, and standard output is JSON alone
echo '{"dim": 2, "mu": [0.5], "M": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "f": [0, 1, 0], "H": [[0, 1, 0], [1, 0, 0]], "w": [0, 0], "G": [[1e155], [0], [1]], "b": [0]}' > huge.json
try solve huge.json
