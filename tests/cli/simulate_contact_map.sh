# contacts at the end of a step: in the scene or by the option, kept in the run file, needed to resume
"$STICKSLIP" simulate rod -q --json --contact-map implicit | $SHOW contact_map unsolved_steps
"$STICKSLIP" simulate rod -q --json | $SHOW contact_map
"$STICKSLIP" simulate rod -q --contact-map implicit | grep "contacts "
"$STICKSLIP" simulate rod -q --contact-map implicit -o option.h5 > /dev/null
"$STICKSLIP" simulate rod -q --set /stepping/contact_map=implicit -o key.h5 > /dev/null
cmp option.h5 key.h5 && echo "the same file"
export OMP_WAIT_POLICY=passive
"$STICKSLIP" simulate domino -q --duration 0.3 --contact-map implicit -o whole.h5 > /dev/null
"$STICKSLIP" simulate domino -q --duration 0.3 --contact-map implicit --threads 2 -o two.h5 > /dev/null
cmp whole.h5 two.h5 && echo "the same for two threads"
"$STICKSLIP" simulate domino -q --duration 0.3 --contact-map implicit --save-every 0.02 -o cut.h5 > /dev/null 2>&1 &
process=$!
while [ ! -e cut.h5.parts/00000001.h5 ] && [ ! -e cut.h5 ]; do sleep 0.02; done
kill -INT $process
wait $process
if [ ! -e cut.h5 ]; then
  "$STICKSLIP" simulate domino -q --duration 0.3 -o cut.h5 --resume > /dev/null 2>&1
  [ $? = 3 ] || echo "resumed with another map"
  "$STICKSLIP" simulate domino -q --duration 0.3 --contact-map implicit -o cut.h5 --resume > /dev/null
fi
cmp whole.h5 cut.h5 && echo "resumed the same"
# what does not settle is said
cat > turns.json << 'END'
{"dim": 2, "materials": [{"name": "m", "mu": 0}],
 "bodies": [{"shape": {"kind": "box", "size": [2, 0.1]}, "position": [0, 1.6], "rotation": 130, "spin": -70,
             "velocity": [0, -5]}],
 "externals": [{"shape": {"kind": "plane"}}],
 "stepping": {"step": 0.15, "duration": 2, "contact_map": "implicit"}, "solver": {"tol": 1e-10}}
END
"$STICKSLIP" simulate turns.json --json | $SHOW end unsolved_steps
"$STICKSLIP" simulate turns.json --json --on-unsolved halve | $SHOW end unsolved_steps halved_steps
# wrong words, and where it does not belong
"$STICKSLIP" simulate rod --contact-map midway
echo "exit $?"
"$STICKSLIP" simulate rod --set /stepping/contact_map=midway
echo "exit $?"
"$STICKSLIP" simulate belt --contact-map implicit
echo "exit $?"
"$STICKSLIP" simulate rod --scheme events --contact-map implicit
echo "exit $?"
"$STICKSLIP" simulate pulled-block --contact-map implicit
echo "exit $?"
