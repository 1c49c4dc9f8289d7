# words of other tools are answered with ours
"$PYTHON" -EsB "${0%/*}/aliases.py" "$STICKSLIP"
