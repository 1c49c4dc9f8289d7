# Manual pages and completions, as the command itself prints them: COMMAND help --man, help --completion.
#
#   cmake -DCOMMAND=stickslip -DFOLDER=share -P manual.cmake
#
# writes FOLDER/man/man1/*.1 and FOLDER/completions/*; the commands are those that the program's page names.
function(print file)
  execute_process(COMMAND ${COMMAND} help ${ARGN} OUTPUT_FILE ${FOLDER}/${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${FOLDER})  # the page of a command that is gone
file(MAKE_DIRECTORY ${FOLDER}/man/man1 ${FOLDER}/completions)
print(man/man1/stickslip.1 --man)
file(READ ${FOLDER}/man/man1/stickslip.1 page)
string(REGEX MATCHALL "stickslip\\\\-[a-z-]+ \\(1\\)" pages "${page}")
list(REMOVE_DUPLICATES pages)
if(NOT pages)
  message(FATAL_ERROR "the page of the program names no command")
endif()
foreach(page ${pages})
  string(REGEX REPLACE "stickslip\\\\-([a-z-]+) .*" "\\1" command "${page}")
  print(man/man1/stickslip-${command}.1 --man ${command})
endforeach()
print(completions/stickslip --completion bash)
print(completions/_stickslip --completion zsh)
print(completions/stickslip.fish --completion fish)
