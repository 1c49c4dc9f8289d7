# what a scene starts with: overlap is refused with names, depth and energy unless it is meant; slips are said
scene() {
  echo "{\"materials\": [{\"name\": \"m\", \"mu\": 0.3}, {\"name\": \"n\", \"mu\": 0.5}], \"externals\": [{\"name\": \"floor\"," \
       "\"shape\": {\"kind\": \"plane\"}}], \"stepping\": {\"step\": 0.01, \"duration\": 0.05}, $*}"
}
box() { echo "{\"name\": \"$1\", \"shape\": {\"kind\": \"box\", \"size\": [$2, $2, $2]}, \"position\": [$3]}"; }
scene "\"bodies\": [$(box lower 1 0,0,0.5), $(box upper 1 0,0,1.4)]" > boxes.json
scene "\"bodies\": [$(box half 1 0,0,0)]" > ground.json
scene "\"bodies\": [$(box part 1 0,0,0.5), $(box millimetres 1000 0,0,1.5)]" > units.json
scene "\"bodies\": [$(box part 1 0,0,0.5), $(box large 1000 2000,0,500), $(box other 1 5,5,0.5)]" > large.json
for name in boxes ground units; do
  "$STICKSLIP" simulate -q $name.json; echo "exit $?"
  "$STICKSLIP" simulate -q $name.json --check --json | $SHOW status overlaps
  "$STICKSLIP" info -q $name.json > /dev/null; echo "info: exit $?"
  # whether half a kilometre of overlap is pushed apart within five steps depends on the last bit
  [ $name = units ] || "$STICKSLIP" simulate -q $name.json --set /overlap=push --json | $SHOW steps unsolved_steps
done
scene "\"overlap\": \"push\", \"bodies\": [$(box lower 1 0,0,0.5), $(box upper 1 0,0,1.4)]" > meant.json
"$STICKSLIP" simulate -q meant.json --check > summary; echo "exit $?"; grep -E "overlaps|masses|extents|pairs|gap" summary
"$STICKSLIP" info wall -q --json | $SHOW status kind bodies contacts overlaps step
"$STICKSLIP" simulate large.json --max-steps 1 > /dev/null
scene "\"bodies\": []" > empty.json; "$STICKSLIP" simulate empty.json > /dev/null
scene "\"bodies\": [{\"shape\": {\"kind\": \"sphere\", \"radius\": 0.1}, \"position\": [0, 0, 2]}, {\"shape\": {\"kind\":" \
      "\"sphere\", \"radius\": 0.1}}], \"overlap\": \"push\"" > origin.json
"$STICKSLIP" simulate origin.json > /dev/null
# refused
try() { scene "$@" > bad.json; "$STICKSLIP" simulate -q bad.json; echo "exit $?"; }
sphere='"shape": {"kind": "sphere", "radius": 1}, "position": [0, 0, 2]'
try "\"bodies\": [{$sphere, \"inertia\": [1, 1, 3]}]"
try "\"bodies\": [{$sphere}], \"laws\": [{\"between\": [\"m\", \"n\"], \"mu\": 0.1}, {\"between\": [\"n\", \"m\"], \"mu\": 0.2}]"
try "\"bodies\": [{$sphere}], \"loads\": [{\"body\": 0, \"force\": [1, 0, 0], \"start\": 2, \"stop\": 1}]"
try "\"overlap\": \"shove\", \"bodies\": [{$sphere}]"
# each of a stack twice as heavy as the one below, with its mass from the density
scene "\"generators\": [{\"kind\": \"stack\", \"shape\": {\"kind\": \"box\", \"size\": [1, 1, 1]}, \"count\": 3," \
      "\"at\": [0, 0, 0.5], \"spacing\": [0, 0, 1], \"mass_ratio\": 2}]" > stack.json
"$STICKSLIP" info -q stack.json --json | $SHOW mass
