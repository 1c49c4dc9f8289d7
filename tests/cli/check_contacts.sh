"$STICKSLIP" check --json -c problems/solved2d.json | $SHOW contact_list worst_contact
