# both spellings, options after the file, -- before it
"$STICKSLIP" solve --json --solver nsgs --nsgs.omega 1.25 problems/slip2d.json | $SHOW status settings/nsgs.omega 2>&1 | head -1
"$STICKSLIP" solve problems/slip2d.json --json --tol=1e-5 --seed=18446744073709551615 | $SHOW tolerance
"$STICKSLIP" solve --json -t1e-4 -m fclib -- problems/slip2d.json | $SHOW tolerance measure
"$STICKSLIP" solve --json --repeat 3 problems/slip2d.json | $SHOW status settings/repeat
