# manual pages and completions: the first lines, and what is refused
"$STICKSLIP" help --man solve | head -12 | sed 's/stickslip [0-9.]*"/stickslip VERSION"/'
"$STICKSLIP" help --man | sed -n '/^.SH COMMANDS/,/^.SH METHODS/s/^.BR stickslip.-\([a-z-]*\) .*/\1/p' > pages
"$STICKSLIP" help | sed -n 's/^  \([a-z]*\)  .*/\1/p' | sed '/^auto$/,$d' | cmp - pages && echo "a page for each command"
for shell in bash zsh fish; do "$STICKSLIP" help --completion $shell > script && test "$(wc -l < script)" -gt 100 && echo "$shell: some"; done
"$STICKSLIP" help --completion csh
echo "exit status $?"
"$STICKSLIP" help --completion bash solve
echo "exit status $?"
"$STICKSLIP" help --man nsgs
echo "exit status $?"
"$STICKSLIP" help --man sovle
echo "exit status $?"
