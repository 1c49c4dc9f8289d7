# the rate problem at a state: on the edge of the cone, grazing, and what is wrong with it
"$STICKSLIP" model klarbring -p tan_theta=3/4 -p mu=1/2 -p f_n=1 -p f_t=1/2 > edge.json
echo '{"r": [1, -0.5]}' > edge_r.json
"$STICKSLIP" enumerate edge.json --rate '{"f": [0, -1]}' --state edge_r.json
"$STICKSLIP" enumerate edge.json --rate '{"f": [0, 1]}' --state edge_r.json
"$STICKSLIP" enumerate edge.json --rate '{"mu": [1]}' --state edge_r.json
"$STICKSLIP" model klarbring -p tan_theta=3/4 -p mu=3/2 -p f_n=0 -p f_t=0 > rest.json
echo '{"r": [0, 0]}' > rest_r.json
echo '{"f": [-1, -1.2]}' > rate.json
"$STICKSLIP" enumerate -q rest.json --rate rate.json --state rest_r.json --json |
  $SHOW command law places grazing edges patterns count complete degenerate axes ways
# slipping: the evolution may stop at once, the increment only where the slip is undone
"$STICKSLIP" model klarbring -p tan_theta=3/4 -p mu=1/2 -p f_n=1 -p f_t=3/5 > slip.json
"$STICKSLIP" solve -q slip.json -o slip_r.json > /dev/null
for law in evolution increment; do
  "$STICKSLIP" enumerate -q slip.json --rate '{"f": [0, 1]}' --state slip_r.json --law $law --json | $SHOW law places patterns ways
done
try() { "$STICKSLIP" enumerate "$@" > out; echo "exit $?"; }
echo '{"r": [1.1, -0.5]}' > wrong_r.json
try edge.json --rate '{"f": [0, 1]}' --state wrong_r.json
try edge.json --rate '{"f": [0, 1]}'
try edge.json --rate '{"g": [0, 1]}' --state edge_r.json
try edge.json --rate '{"f": [0]}' --state edge_r.json
try edge.json --rate '{"f": [0, "a"]}' --state edge_r.json
try edge.json --rate '{"f": [0, 1}' --state edge_r.json
try edge.json --rate nowhere.json --state edge_r.json
try edge.json --state edge_r.json
try problems/slip3d.json --rate '{"f": [0]}'
