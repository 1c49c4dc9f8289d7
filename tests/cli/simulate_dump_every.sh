"$STICKSLIP" info --json | grep '"hdf5": true' > /dev/null || { echo "no HDF5 in this build"; exit 77; }
# the problems of every second step as a collection: names, guesses and answers, read by check, info and bench
"$STICKSLIP" simulate slope -q --max-steps 6 --dump-every 2 all --json | $SHOW status collection
ls all
for file in all/*; do "$STICKSLIP" check "$file" --tol 1e-8 --json | $SHOW file status contacts; done
"$STICKSLIP" info --json all/slope-step-000004-contacts-4.hdf5 | $SHOW title description solution guesses
"$STICKSLIP" bench all -q --solvers nsgs --json | $PYTHON -c 'import json, sys; print(*[(r["file"], r["solved"]) for r in json.load(sys.stdin)["rows"]], sep="\n")'
# step 4 of the collection is what --dump-step writes, but for its texts
"$STICKSLIP" simulate slope -q --max-steps 6 --dump-step 4:one.json > out
"$STICKSLIP" convert -q all/slope-step-000004-contacts-4.hdf5 four.json > out && $SAME one.json four.json title description
# nothing is replaced, and nothing is mixed with what is there
cksum all/* > before
"$STICKSLIP" simulate slope -q --max-steps 6 --dump-every 2 all > out; echo "exit $?"
mkdir other; touch other/mine.txt
"$STICKSLIP" simulate slope -q --max-steps 6 --dump-every 1:other > out; echo "exit $?"
cksum all/* | cmp before - && ls other
# a run that goes on has the same collection as one that was not cut short
"$STICKSLIP" simulate slope -q --time-limit 0.000001 --duration 0.1 -o run.h5 --dump-every 3 parts > out
"$STICKSLIP" simulate slope -q --duration 0.1 -o run.h5 --resume --dump-every 3 parts > out
"$STICKSLIP" simulate slope -q --duration 0.1 --dump-every 3 whole > out
diff -r parts whole && ls whole | wc -l
# steps without a contact have no problem
"$STICKSLIP" simulate thrown-ball -q --max-steps 60 --dump-every 1 air | grep -A1 collection
for args in "slope --dump-every 2" "--dump-every 2 -n 1 slope" "slope --dump-every 0 d" "slope --dump-every 2: d" "slope --dump-every 2.5 d" "slope --dump-every" "slope --dump-every 2 nowhere/d" "slope --dump-every 1 before" "one-element --dump-every 1 d" "belt --dump-every 1 d"; do
  "$STICKSLIP" simulate -q $args > out; echo "exit $?: $args"
done
