# key=value lines where standard error is not a terminal, about one per second
"$STICKSLIP" solve --json --solver nsgs --time-limit 2.5 --max-iter 2000000000 problems/jam2d.json > out
exit_status=$?
$SHOW stop_reason < out
exit $exit_status
