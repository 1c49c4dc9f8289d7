# killed at any moment and resumed: the same file as without
set -- --duration 0.4 -q
"$STICKSLIP" simulate domino "$@" -o whole.h5 > out
grep -c "every step solved" out
for wait in 0.05 0.4 1.3 0.2 2.1; do
  "$STICKSLIP" simulate domino "$@" -o cut.h5 --resume > /dev/null 2>&1 &
  process=$!
  sleep $wait
  kill -9 $process 2> /dev/null
  wait $process 2> /dev/null
done
[ -e cut.h5 ] || "$STICKSLIP" simulate domino "$@" -o cut.h5 --resume > /dev/null
cmp whole.h5 cut.h5 && echo "the same file"
ls -d cut.h5.parts 2> /dev/null
# interrupted: what there is can be looked at, and is not overwritten by mistake
"$STICKSLIP" simulate domino -q -o live.h5 > /dev/null 2>&1 &
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
"$STICKSLIP" simulate domino -q -o whole.h5 --resume
echo "exit $?"
