# Tests of the whole: what is written about the project, and what is installed of it.

# The counter-examples of docs/errata.md.
add_test(NAME errata COMMAND ${STICKSLIP_PYTHON} -EsB ${CMAKE_CURRENT_SOURCE_DIR}/errata.py)

# The figures in docs/: no page mixes commits, no mark names what nothing measures.
add_test(NAME measured_pages COMMAND ${STICKSLIP_PYTHON} -EsB ${PROJECT_SOURCE_DIR}/bench/measure.py --check)

# Installed elsewhere, found by CMake and by pkg-config. Sanitised libraries need sanitised programs.
if(NOT STICKSLIP_SANITIZE AND NOT STICKSLIP_FUZZ)
  set(kinds static)
  if(BUILD_SHARED_LIBS)
    list(APPEND kinds shared)
  endif()
  foreach(kind ${kinds})
    add_test(NAME install_${kind} COMMAND ${STICKSLIP_PYTHON} -EsB ${CMAKE_CURRENT_SOURCE_DIR}/install/run.py
      ${kind} ${CMAKE_COMMAND} ${CMAKE_GENERATOR} ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
    set_tests_properties(install_${kind} PROPERTIES TIMEOUT 300)
  endforeach()

  # README.md and docs/tutorial.md are always true: their commands are run, listings and links checked.
  add_test(NAME readme COMMAND ${STICKSLIP_PYTHON} -EsB ${CMAKE_CURRENT_SOURCE_DIR}/readme.py ${PROJECT_BINARY_DIR})
  set_tests_properties(readme PROPERTIES TIMEOUT 300)

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
    endif()
  endforeach()
endif()
