# text from outside is printed, never obeyed
mkdir here; cd here
"$PYTHON" -EsB "${0%/*}/hostile_text.py" "$STICKSLIP"
