# SIGTERM ends every command within half a second, with exit status 4
"$STICKSLIP" simulate wall -q --set /generators/0/columns=100 --max-steps 1 --dump-step 1:wall.hdf5 > /dev/null
"$PYTHON" -EsB "${0%/*}/sigterm.py" "$STICKSLIP"
