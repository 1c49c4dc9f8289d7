# The viewer of `stickslip report`: viewer/ is bundled by esbuild into one script and one style sheet, and embedded as
# C text. npm installs what package-lock.json says into the build folder, once for each change of it. Without Node.js or
# npm (or the network, the first time) the build goes on, and `report` says what is missing.
set(STICKSLIP_VIEWER src/report/without_viewer.c)
if(STICKSLIP_PAGES)
  find_program(STICKSLIP_NODE NAMES node nodejs)
  find_program(STICKSLIP_NPM npm)
  if(STICKSLIP_NODE AND STICKSLIP_NPM)
    set(viewer ${CMAKE_CURRENT_SOURCE_DIR}/viewer)
    set(viewer_build ${CMAKE_CURRENT_BINARY_DIR}/viewer)
    file(MAKE_DIRECTORY ${viewer_build})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${viewer}/package-lock.json)
    file(SHA256 ${viewer}/package-lock.json lock)
    string(APPEND lock " tests=${STICKSLIP_TESTS}")
    set(installed "")
    if(EXISTS ${viewer_build}/installed)
      file(READ ${viewer_build}/installed installed)
    endif()
    if(NOT installed STREQUAL lock)
      message(STATUS "Viewer: npm installs its packages")
      configure_file(${viewer}/package.json ${viewer_build}/package.json COPYONLY)
      configure_file(${viewer}/package-lock.json ${viewer_build}/package-lock.json COPYONLY)
      set(omit --omit=dev)  # what only tests need
      if(STICKSLIP_TESTS)
        set(omit "")
      endif()
      # where the registry is out of reach, minutes of retries would help nobody
      execute_process(COMMAND ${STICKSLIP_NPM} ci ${omit} --no-audit --no-fund --loglevel=error --fetch-retries=1
          --fetch-timeout=20000 --fetch-retry-mintimeout=1000 --fetch-retry-maxtimeout=2000
        TIMEOUT 300
        WORKING_DIRECTORY ${viewer_build} RESULT_VARIABLE failed OUTPUT_QUIET ERROR_VARIABLE said)
      if(failed)
        message(STATUS "Viewer: left out, npm failed (${failed}); the next configuration tries again: ${said}")
      else()
        file(WRITE ${viewer_build}/installed ${lock})
        set(installed ${lock})
      endif()
    endif()
    if(installed STREQUAL lock)
      file(GLOB_RECURSE viewer_files CONFIGURE_DEPENDS ${viewer}/src/*)
      set(STICKSLIP_VIEWER ${viewer_build}/viewer.c)
      # the packages are not where the sources are, so the compiler is told
      configure_file(${viewer}/tsconfig.build.json.in ${viewer_build}/tsconfig.json @ONLY)
      add_custom_command(OUTPUT ${STICKSLIP_VIEWER}
        COMMAND ${STICKSLIP_NODE} ${viewer}/build.mjs ${viewer_build}
        DEPENDS ${viewer}/build.mjs ${viewer_files}
        COMMENT "Bundling the viewer" VERBATIM)
    endif()
  else()
    message(STATUS "Viewer: left out; it needs Node.js and npm")
  endif()
endif()
