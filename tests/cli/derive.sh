# smooth, with a solution inside the file, given, and solved for
"$STICKSLIP" derive problems/solved2d.json; echo "exit $?"
"$STICKSLIP" derive problems/slip2d.json -a mu -a q=1; echo "exit $?"
# on the edge of its cone: refused, one-sided either way, kept
echo '{"dim": 2, "mu": [0.5], "W": [[1, 0], [0, 1]], "q": [-1, 0.5]}' > edge.json
echo '{"r": [1, -0.5]}' > r.json
"$STICKSLIP" derive edge.json r.json --along q=1; echo "exit $?"
"$STICKSLIP" derive edge.json r.json --along q=1 --one-sided; echo "exit $?"
"$STICKSLIP" derive edge.json r.json --along q=1 --keep --json | $SHOW status smoothness kinks dr du
# two feet that share the friction as they like
echo '{"dim": 2, "mu": [0.5, 0.5], "M": [[1, 0, 0], [0, 1, 0], [0, 0, 0.2]], "f": [-0.2, 1, 0], "H": [[0, 1, -0.5], [1, 0, 0.5], [0, 1, 0.5], [1, 0, 0.5]], "w": [0, 0, 0, 0]}' > box.json
echo '{"r": [0.4, -0.1, 0.6, -0.1]}' > shared.json
"$STICKSLIP" derive box.json shared.json --along f --json | $SHOW status smoothness loose dv
"$STICKSLIP" derive box.json shared.json --along w=1; echo "exit $?"
# what is wrong is said
for words in "--along nosuch" "--along f" "--along q=2" "--along q=0.5" "--keep --one-sided" "--strict 0"; do
  "$STICKSLIP" derive edge.json r.json $words; echo "exit $?"
done
echo '{"r": [1, 0]}' > wrong.json
"$STICKSLIP" derive edge.json wrong.json; echo "exit $?"
"$STICKSLIP" derive problems/jam2d.json 2> /dev/null; echo "exit $?"
# whether there is one at all
"$STICKSLIP" derive edge.json r.json --json | $SHOW status smoothness reason along
