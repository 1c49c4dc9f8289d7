# one table per tolerance: times, the fastest, why not solved, scores
"$STICKSLIP" bench problems/slip3d.json problems --solvers nsgs,nsgs:omega=0.5 --tol 1e-4,1e-8 --max-iter 50 -q > table
sed -E 's/ +[0-9.]+ (us|ms|s)\*?/ TIME/g; s/^(  fastest|  time.best).*/\1/' table
echo "rows with a fastest solver: $(grep -c '[0-9] [mu]*s\*' table)"
