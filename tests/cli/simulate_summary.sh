# the summary ends with the columns of Table 1 of [ACLM11]
"$STICKSLIP" simulate arch -q --duration 0.1
