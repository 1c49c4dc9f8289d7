# texts of a file are shown line by line, and cannot steer the terminal
printf '{"title":"two\\n\\n lines \\u001b[31mred","description":"","dim":2,"mu":[0.5],"W":[[1,0],[0,1]],"q":[-1,2]}' > texts.json
"$STICKSLIP" info texts.json | head -5
