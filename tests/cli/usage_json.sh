# with --json a run that fails still prints exactly one object
"$STICKSLIP" solve --json --tolerance 1 problems/stick2d.json | $SHOW command status exit_status message
"$STICKSLIP" solve --json missing.json | $SHOW command file status exit_status message
"$STICKSLIP" info missing.json --json | $SHOW command file status exit_status message
"$STICKSLIP" solv --json problems/stick2d.json | $SHOW command file status exit_status message
"$STICKSLIP" --json solve problems/stick2d.json | $SHOW command status exit_status
