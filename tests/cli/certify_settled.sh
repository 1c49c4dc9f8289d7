# the rod of [AC11] and [ACLM11]: criterion (A) fails, which proves nothing; trying the states does
for u0 in 1 -1; do
  "$STICKSLIP" model painleve -q -p u0=$u0 -p theta=0.5 -p mu=0.8 -p g=-1 -o rod.json
  "$STICKSLIP" certify -q --json rod.json > verdict.json
  echo "certify: exit $?"
  $SHOW verdict reason criterion_A < verdict.json
  "$STICKSLIP" check -q rod.json verdict.json | head -1
  "$STICKSLIP" solve -q --json rod.json > solve.json
  echo "solve: exit $?"
  $SHOW status < solve.json
done
"$STICKSLIP" model painleve -q -p u0=1 -p theta=0.5 -p mu=0.8 -p g=-1 -o rod.json
"$STICKSLIP" certify -q --json rod.json | $SHOW certificate/verdict enumeration/count enumeration/exact jamming/contacts
"$STICKSLIP" solve -q --json rod.json | $SHOW diagnosis/existence diagnosis/jamming_contacts
