# Tests of the whole: what is written about the project, and what is installed of it.

# The counter-examples of docs/errata.md.
add_test(NAME errata COMMAND ${STICKSLIP_PYTHON} -EsB ${CMAKE_CURRENT_SOURCE_DIR}/errata.py)

# The figures in docs/: no page mixes commits, no mark names what nothing measures.
add_test(NAME measured_pages COMMAND ${STICKSLIP_PYTHON} -EsB ${PROJECT_SOURCE_DIR}/bench/measure.py --check)

# The pages as a site: links, navigation, reference; and built, where mkdocs is there.
add_test(NAME site COMMAND ${STICKSLIP_PYTHON} -EsB ${CMAKE_CURRENT_SOURCE_DIR}/site.py ${PROJECT_SOURCE_DIR})
add_test(NAME site_mkdocs COMMAND ${STICKSLIP_PYTHON} -EsB ${CMAKE_CURRENT_SOURCE_DIR}/site.py ${PROJECT_SOURCE_DIR}
  ${CMAKE_CURRENT_BINARY_DIR}/site)
set_tests_properties(site_mkdocs PROPERTIES TIMEOUT 300 SKIP_RETURN_CODE 77)
add_test(NAME version COMMAND ${STICKSLIP_PYTHON} -EsB ${CMAKE_CURRENT_SOURCE_DIR}/version.py ${PROJECT_SOURCE_DIR})

# Installed elsewhere, found by CMake and by pkg-config. Sanitised libraries need sanitised programs.
if(NOT STICKSLIP_SANITIZE AND NOT STICKSLIP_FUZZ)
  set(kinds static)
  if(BUILD_SHARED_LIBS)
    list(APPEND kinds shared)
  endif()
  foreach(kind ${kinds})
    add_test(NAME install_${kind} COMMAND ${STICKSLIP_PYTHON} -EsB ${CMAKE_CURRENT_SOURCE_DIR}/install/run.py
      ${kind} ${CMAKE_COMMAND} ${CMAKE_GENERATOR} ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
    # the static kind compiles the library again: minutes where others use the machine
    set_tests_properties(install_${kind} PROPERTIES TIMEOUT 900)
  endforeach()

  # README.md and docs/tutorial.md are always true: their commands are run, listings and links checked.
  add_test(NAME readme COMMAND ${STICKSLIP_PYTHON} -EsB ${CMAKE_CURRENT_SOURCE_DIR}/readme.py ${PROJECT_BINARY_DIR})
  set_tests_properties(readme PROPERTIES TIMEOUT 300)

  # The library with the method of docs/tutorial-researcher.md in it, by the commands of that page, for its sessions.
  if(BUILD_SHARED_LIBS)
    set(mine ${CMAKE_CURRENT_BINARY_DIR}/tutorial)
    add_custom_command(OUTPUT ${mine}/gradient.c ${mine}/solvers/methods.inc
      COMMAND ${STICKSLIP_PYTHON} -EsB ${CMAKE_CURRENT_SOURCE_DIR}/tutorial_method.py ${PROJECT_SOURCE_DIR} ${mine}
      DEPENDS tutorial_method.py ${PROJECT_SOURCE_DIR}/docs/tutorial-researcher.md
        ${PROJECT_SOURCE_DIR}/src/solvers/methods.inc ${PROJECT_SOURCE_DIR}/CMakeLists.txt)
    add_library(stickslip_tutorial SHARED $<FILTER:$<TARGET_OBJECTS:stickslip>,EXCLUDE,solvers/registry>
      ${PROJECT_SOURCE_DIR}/src/solvers/registry.c ${mine}/gradient.c ${mine}/solvers/methods.inc)
    target_include_directories(stickslip_tutorial PRIVATE ${mine} ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
    target_link_libraries(stickslip_tutorial PRIVATE ${lib_links})
    set_target_properties(stickslip_tutorial PROPERTIES OUTPUT_NAME stickslip SOVERSION 0
      LIBRARY_OUTPUT_DIRECTORY ${mine}/lib)
  endif()

  # And so is every other page that shows a session.
  file(GLOB pages RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/*.md)
  list(REMOVE_ITEM pages docs/tutorial.md)
  foreach(page ${pages})
    file(STRINGS ${PROJECT_SOURCE_DIR}/${page} sessions REGEX "^```console$")
    if(sessions)
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${page})
      get_filename_component(name ${page} NAME_WE)
      add_test(NAME page_${name} COMMAND ${STICKSLIP_PYTHON} -EsB ${CMAKE_CURRENT_SOURCE_DIR}/readme.py
        ${PROJECT_BINARY_DIR} ${page})
      set_tests_properties(page_${name} PROPERTIES TIMEOUT 300)
      if(name STREQUAL tutorial-researcher)
        set_tests_properties(page_${name} PROPERTIES ENVIRONMENT "LD_LIBRARY_PATH=${mine}/lib")
      endif()
    endif()
  endforeach()
endif()
