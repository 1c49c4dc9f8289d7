# docs/cli.md names every option of every command
for command in solve check info convert bench simulate help; do
  "$STICKSLIP" $command --help | grep -o -e '--[a-z][a-z-]*' | sort -u | while read -r option; do
    grep -q -e "$option" "$DOCS/cli.md" || echo "docs/cli.md does not mention $option of $command"
  done
done
