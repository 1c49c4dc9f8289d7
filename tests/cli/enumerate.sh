"$STICKSLIP" info --json > info.json
grep -q '"gmp": true' info.json || exit 77  # exact arithmetic
# closed forms of docs/multiplicity.md: a segment at a tie, a square on the ground, three solutions, none
cat > tie.json <<'EOF'
{"dim": 2, "mu": ["3/4"], "M": [["41/25", "12/25"], ["12/25", "9/25"]], "f": ["-1", "-3/4"],
 "H": [[-1, 0], [0, 1]], "w": [0, 0]}
EOF
cat > square.json <<'EOF'
{"dim": 2, "mu": ["1/2", "1/2"], "M": [[1, 0, 0], [0, 1, 0], [0, 0, "1/6"]], "f": [0, 1, 0],
 "H": [[0, 1, "-1/2"], [1, 0, "1/2"], [0, 1, "1/2"], [1, 0, "1/2"]], "w": [0, 0, 0, 0]}
EOF
cat > three.json <<'EOF'
{"dim": 2, "mu": [2], "M": [[1.2, -1], [-1, 1.2]], "f": [-1, 1.5], "H": [[-1, 0], [0, 1]], "w": [0, 0]}
EOF
cat > none.json <<'EOF'
{"dim": 2, "mu": [2], "M": [[1]], "f": ["3/5"], "H": [["3/5"], ["4/5"]], "w": [0, 1]}
EOF
for name in tie square three none; do
  "$STICKSLIP" enumerate $name.json > summary.txt
  echo "$name exit $?"
  grep -v ' work ' summary.txt
  "$STICKSLIP" enumerate --json $name.json |
    $SHOW count complete rigorous exact ties degree degree_sum unique_velocity singular solutions
done
# the same in doubles: the tie is one of tolerance, and said
for name in tie square; do
  "$STICKSLIP" enumerate --arithmetic double --json $name.json |
    $SHOW count complete rigorous exact tie_tolerance
done
"$STICKSLIP" enumerate --arithmetic double tie.json | grep 'ties  '
# doubles as exact numbers: 41/25 and the like are no tie any more
"$STICKSLIP" enumerate --arithmetic rational three.json --json | $SHOW count rigorous exact
"$STICKSLIP" enumerate --max-solutions 1 --json three.json | $SHOW count complete rigorous stopped
# fractions in triplets, out of order; two entries at one place are summed, and taken as doubles
cat > triplets.json <<'EOF'
{"dim": 2, "mu": ["3/4"], "M": {"rows": 2, "cols": 2, "i": [1, 0, 1, 0], "j": [1, 1, 0, 0],
 "x": ["9/25", "12/25", "12/25", "41/25"]}, "f": ["-1", "-3/4"], "H": [[-1, 0], [0, 1]], "w": [0, 0]}
EOF
sed 's/"i": \[1, 0, 1, 0\], "j": \[1, 1, 0, 0\]/"i": [1, 0, 1, 0, 0], "j": [1, 1, 0, 0, 0]/
     s|"41/25"\]|"40/25", "1/25"]|' triplets.json > twice.json
for name in triplets twice; do
  "$STICKSLIP" enumerate --quiet --json $name.json | $SHOW count exact recheck
done
# W nearly singular: doubles miss the one solution, the degree tells, rational arithmetic finds it
cat > near.json <<'EOF'
{"dim": 2, "mu": [3.9231366489608694, 3.657368585049444],
 "W": [[0.922199958551728, 0.9605574575375855, -1.23979960852775, 0.028413219970455494],
       [0.9605574575375855, 1.5812609848312045, -1.141311148279616, 0.8395195896733725],
       [-1.23979960852775, -1.141311148279616, 1.7055511953972529, 0.1714875786962336],
       [0.028413219970455494, 0.8395195896733725, 0.1714875786962336, 1.3531046801125484]],
 "q": [-0.4201295245189165, -0.3832475507732329, 0.2920104515953956, -0.25680651331894944]}
EOF
"$STICKSLIP" enumerate near.json > summary.txt
echo "near exit $?"
grep -v ' work ' summary.txt
for options in "" "--recheck 0" "--arithmetic double"; do
  "$STICKSLIP" enumerate --json near.json $options |
    $SHOW count complete rigorous exact degree recheck recheck_count stopped
done
