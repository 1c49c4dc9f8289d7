# a signal while reading or writing: exit 4, said, and nothing of the output stays
"$PYTHON" - > big.json <<'PY'
n = 200000
one = ",".join(["1.1"] * 2 * n)
print('{"dim":2,"mu":[%s],"W":{"rows":%d,"cols":%d,"i":%s,"j":%s,"x":[%s]},"q":[%s]}'
      % (",".join(["0.1"] * n), 2 * n, 2 * n, list(range(2 * n)), list(range(2 * n)), one, one))
PY
mkdir out
met=0
for signal in INT TERM HUP; do
  for name in x.json x.hdf5 x.mtx; do
    for delay in 0.2 0.3; do
      timeout --preserve-status -s $signal $delay "$STICKSLIP" convert big.json out/$name > /dev/null 2> said
      case $? in
        0) ;;                                      # too late
        129 | 130 | 143) ;;                        # too early: before main
        4) met=$((met + 1)) && grep -vx 'stickslip: interrupted' said ;;
        *) echo "$signal $name $delay: exit status wrong" && cat said ;;
      esac
      ls -A out | grep '[.]part'
      rm -rf out
      mkdir out
    done
  done
done
[ $met -gt 0 ] && echo "interrupted in time at least once"
mkfifo never
timeout --preserve-status -s INT 2 "$STICKSLIP" info --json - <> never | $SHOW command status exit_status message
