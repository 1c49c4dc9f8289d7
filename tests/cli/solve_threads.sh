# the number of threads changes no bit of the answer
for n in 1 2 4 0; do
  "$STICKSLIP" solve -q problems/slip3d.json --solver nsgs --nsgs.order coloured --tol 1e-6 --threads $n -o r$n.json > out || echo "exit $?"
  cmp r1.json r$n.json && echo "$n threads: same"
done
"$STICKSLIP" solve --json -q problems/stick2d.json --threads 2 | $SHOW status settings/threads
"$STICKSLIP" solve problems/stick2d.json --threads -1
echo "exit $?"
"$STICKSLIP" solve problems/stick2d.json --threads 2000
echo "exit $?"
