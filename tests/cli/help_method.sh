"$STICKSLIP" help nsgs
