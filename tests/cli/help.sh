"$STICKSLIP" help
