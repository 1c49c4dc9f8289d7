"$STICKSLIP" info --json | grep '"hdf5": true' > /dev/null || { echo "no HDF5 in this build"; exit 77; }
# an output that cannot be finished: exit 4, what was there stays, and the answer is still reported
"$PYTHON" - > many.json <<'PY'
n = 2000
row = list(range(2 * n))
one = ",".join(["1"] * 2 * n)
print('{"dim":2,"mu":[%s],"W":{"rows":%d,"cols":%d,"i":%s,"j":%s,"x":[%s]},"q":[%s]}'
      % (",".join(["0.3"] * n), 2 * n, 2 * n, row, row, one, ",".join(["-0.123456789012345"] * 2 * n)))
PY
echo old > answer.json
cp answer.json answer.hdf5
ulimit -f 4
"$STICKSLIP" solve -o answer.json many.json > out
echo "exit $?"
grep -v -e solver -e error -e worst out
"$STICKSLIP" solve --json -o answer.hdf5 many.json > out
echo "exit $?"
$SHOW status output states message < out
"$STICKSLIP" solve -q --json -n 1 --tol 1e-300 --dump-on-failure dump.json many.json > out
echo "exit $?"
$SHOW status message < out
cat answer.json answer.hdf5
ls -A | grep part
true
