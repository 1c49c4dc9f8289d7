# SIGINT and SIGTERM: the last iterate is reported, exit 4
for signal in INT TERM; do
  timeout --foreground --preserve-status -s $signal 2 "$STICKSLIP" solve -q --json --tol 1e-14 --max-iter 2000000000 problems/jam2d.json > out
  echo "exit $?"
  $SHOW status stop_reason < out
done
