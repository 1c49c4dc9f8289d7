# small shared problems, hyperstatic ones among them: least norm, verified, the same velocities
"$PYTHON" "$DOCS/../tests/least_norm_shared.py" "$STICKSLIP" shared 'Box_Stacks-i0*' '*-i1000-137-4*' 'Rover*' 'GFC3D*' '2d_mu3*' '*2d/*.dat' \
  > out.txt; echo "exit $?"
grep -c ': ok: ' out.txt
