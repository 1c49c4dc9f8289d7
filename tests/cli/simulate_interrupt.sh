# Ctrl-C and SIGTERM: within half a second, whatever the solver is doing (interrupt.py says which moments)
"$PYTHON" -EsB "${0%/*}/interrupt.py" 5 "$STICKSLIP" simulate beads-150 --tol 1e-6 --duration 1 2> /dev/null
# a step that would take for ever is said and left; what was simulated before it is there
endless="--solver aclm --aclm.inner pg --aclm.inner_tol 1e-300 --aclm.inner_max 1000000000 --tol 1e-14"
for signal in INT TERM; do
  timeout --foreground --preserve-status -k 9 -s $signal 2 "$STICKSLIP" simulate wall $endless --json > out 2> said
  echo "exit $?"
  $SHOW status end steps < out
  sed -n 's/\(simulate step=1 taking=\)1[.][0-9] error=[-.e0-9]* iterations=0/\1.../p' said
done
# a limit for one step: not solved, and why; a limit for all of them cuts the one under way short
for what in stop halve go; do
  "$STICKSLIP" simulate wall -q --json --step-limit 0.3 --on-unsolved $what --max-steps 2 $endless > out
  echo "exit $?"
  $SHOW status end steps unsolved_steps halved_steps diagnosis/reason < out | sed 's/error [-.e0-9]*/error .../'
done
"$STICKSLIP" simulate wall -q --json --time-limit 0.5 -o cut.h5 $endless | $SHOW status end steps unsolved_steps output
ls cut.h5.parts
"$STICKSLIP" simulate thrown-ball --scheme events --step-limit 1
echo "exit $?"
