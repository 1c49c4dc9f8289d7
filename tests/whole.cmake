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
endif()
