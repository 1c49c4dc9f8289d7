# nothing touches: a solution exists for every mu, and the certificate of it holds
for rest in '"M": [[1]], "f": [1], "H": [], "w": []' '"W": [], "q": []' \
            '"M": [[1, 0], [0, 1]], "f": [1, 0], "H": [], "w": [], "G": [[1], [1]], "b": [2]'; do
  for dim in 2 3; do
    echo "{\"dim\": $dim, \"mu\": [], $rest}" > empty.json
    "$STICKSLIP" certify -q --json -o certificate.json empty.json | $SHOW verdict for_every_mu
    "$STICKSLIP" check -q empty.json certificate.json | head -1
  done
done
