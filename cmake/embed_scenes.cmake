# Built-in scenes as C text: FOLDER/NAME.json becomes {"NAME", title, text} in the table of that name, in the
# order of names. Made when configuring; a changed scene configures again.
function(stickslip_embed_scenes folder table output)
  file(GLOB files CONFIGURE_DEPENDS ${folder}/*.json)
  list(SORT files)
  set(rows "")
  foreach(file ${files})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    get_filename_component(name ${file} NAME_WE)
    file(READ ${file} text)
    string(JSON title GET "${text}" title)
    # brackets and semicolons mean something to CMake's lists; there are no lists below
    string(REPLACE "\\" "\\\\" text "${text}")
    string(REPLACE "\"" "\\\"" text "${text}")
    string(REPLACE "\n" "\\n\"\n     \"" text "${text}")
    string(APPEND rows "    {\"${name}\", \"${title}\",\n     \"${text}\"},\n")
  endforeach()
  file(CONFIGURE OUTPUT ${output} @ONLY CONTENT
"// Made from *.json by cmake/embed_scenes.cmake.
#include \"io/builtin.h\"

const ssi_builtin @table@[] = {
@rows@    {0, 0, 0},
};
")
endfunction()
