# what people type by mistake, and the message that each gets
"$PYTHON" -EsB "${0%/*}/mistakes.py" "$STICKSLIP" "${0%/*}/mistakes.txt"
