"$STICKSLIP" --version
