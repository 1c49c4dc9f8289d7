# sweeps by colours, shared by threads: the whole run has the same bits for any number of them
export OMP_WAIT_POLICY=passive
for n in 1 2 4; do
  "$STICKSLIP" simulate beads-150 -q --duration 0.4 --tol 1e-4 --solver nsgs --nsgs.order coloured \
    --threads $n -o $n.h5 --json | $SHOW steps contacts_max unsolved_steps |
    sed 's/max=[2-9][0-9][0-9] /max=hundreds /'
done
cmp 1.h5 2.h5 && cmp 1.h5 4.h5 && echo "the same file"
