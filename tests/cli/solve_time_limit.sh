"$STICKSLIP" solve -q --json --time-limit 0.2 --max-iter 2000000000 problems/jam2d.json > out
echo "exit $?"
$SHOW status stop_reason settings/time_limit_s < out
