# killed at any moment and resumed: the same file as without (kill.py says which moments)
"$PYTHON" -EsB "${0%/*}/kill.py" "$STICKSLIP" simulate domino -q --duration 0.4
