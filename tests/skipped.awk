# How much was not tested, from what ctest --output-junit wrote: one line, nothing where all was.
BEGIN { RS = "<testcase" }
NR > 1 { all++ }
/<skipped/ { skipped++ }
/<skipped/ && /\.\.\/shared/ { wanting++ }
END { if (skipped) printf "skipped: %d of %d tests, %d of them for want of ../shared\n", skipped, all, wanting }
