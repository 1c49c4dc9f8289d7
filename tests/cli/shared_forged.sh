# certificates whose reason, criterion or verdict was altered, and which version 0.1.0 accepted
for forged in shared/reproducers/05-forged-*.cert.json; do
  "$STICKSLIP" check -q shared/reproducers/05-rod.json $forged > judged.txt
  echo "exit $?"
  grep "does not hold\|but" judged.txt
done
