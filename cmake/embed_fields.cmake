# The names of the fields that a command prints with --json, from its schema, as a table of C strings that ends with NULL.
# Made when configuring; a changed schema configures again.
function(stickslip_embed_fields schema table output)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${schema})
  file(READ ${schema} text)
  string(JSON count LENGTH "${text}" properties)
  math(EXPR last "${count} - 1")
  set(rows "")
  foreach(k RANGE ${last})
    string(JSON name MEMBER "${text}" properties ${k})
    string(APPEND rows "    \"${name}\",\n")
  endforeach()
  file(CONFIGURE OUTPUT ${output} @ONLY CONTENT
"// Made from the schema of its output by cmake/embed_fields.cmake.
#include \"cli/sweep.h\"

const char *const @table@[] = {
@rows@    0,
};
")
endfunction()
