# interrupted: what there is can be looked at, and is not overwritten by mistake
"$STICKSLIP" simulate domino -q --duration 0.4 -o whole.h5 > out
grep -c "every step solved" out
"$STICKSLIP" simulate domino -q --save-every 0.1 -o live.h5 > /dev/null 2>&1 &
process=$!
while [ ! -e live.h5.parts/00000001.h5 ]; do sleep 0.1; done
"$STICKSLIP" info --json live.h5 | $SHOW kind finished bodies
kill -INT $process
wait $process
echo "exit $?"
"$STICKSLIP" simulate domino -q -o live.h5
echo "exit $?"
"$STICKSLIP" simulate slope -q -o live.h5 --resume
echo "exit $?"
"$STICKSLIP" simulate domino -q --duration 0.4 -o whole.h5 --resume --json | $SHOW end steps output
echo "exit $?"
"$STICKSLIP" simulate domino -q --duration 0.4 -o whole.h5
echo "exit $?"
# a longer one: the same bytes as if it had been so from the start
"$STICKSLIP" simulate domino -q --duration 0.3 -o longer.h5 > /dev/null
"$STICKSLIP" simulate domino -q --duration 0.4 -o longer.h5 --resume --json | $SHOW steps
cmp whole.h5 longer.h5 && echo the same
# what is no run, or no longer one
echo notes > notes.h5
"$STICKSLIP" simulate domino -q -o notes.h5 --resume
echo "exit $?"
"$STICKSLIP" simulate domino -q -o notes.h5
echo "exit $?"
head -c 20000 whole.h5 > cut.h5
"$STICKSLIP" simulate domino -q -o cut.h5 --resume
echo "exit $?"
"$STICKSLIP" simulate domino -q --duration 0.002 -o notes.h5 --overwrite --json | $SHOW steps
