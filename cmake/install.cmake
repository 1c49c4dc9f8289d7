# Install and export: the library, its headers, the command, find_package(stickslip), pkg-config; manual pages,
# completions, documents, schemas, examples. Two components: runtime, and dev, which only those need who compile.
include(CMakePackageConfigHelpers)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME runtime)

set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/stickslip)
install(TARGETS stickslip EXPORT stickslip
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} NAMELINK_COMPONENT dev
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY include/stickslip DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev
  FILES_MATCHING PATTERN "*.h")
install(EXPORT stickslip NAMESPACE stickslip:: FILE stickslip-targets.cmake DESTINATION ${config_dir}
  COMPONENT dev)

# The prefix may still change at install time (cmake --install --prefix), so everything below is
# written relative to where it ends up.
file(RELATIVE_PATH to_lib /prefix/${CMAKE_INSTALL_BINDIR} /prefix/${CMAKE_INSTALL_LIBDIR})
file(RELATIVE_PATH to_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
if(TARGET stickslip_cli)
  set_target_properties(stickslip_cli PROPERTIES INSTALL_RPATH "$ORIGIN/${to_lib}")
  install(TARGETS stickslip_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

if(TARGET stickslip_mpi)  # has the library inside
  install(TARGETS stickslip_mpi RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT mpi)
endif()

# What a static library leaves to its user; a shared one carries its own needs.
get_target_property(library_type stickslip TYPE)
set(pc_requires "")
set(pc_libs "")
if(library_type STREQUAL STATIC_LIBRARY)
  set(static ON)
  if(JANSSON_FOUND)
    list(APPEND pc_requires jansson)
  endif()
  if(CCD_FOUND)
    list(APPEND pc_requires ccd)
  endif()
  if(QHULL_FOUND)
    list(APPEND pc_requires qhull_r)
  endif()
  # By the library: what else their files name (TLS, lzma) a static one would need, which is not asked for.
  if(LIBXML_FOUND)
    list(APPEND pc_libs -lxml2)
  endif()
  if(MICROHTTPD_FOUND)
    list(APPEND pc_libs -lmicrohttpd)
  endif()
  list(JOIN pc_requires " " pc_requires)
  foreach(library ${SuiteSparse_LIBRARIES} ${LAPACKE_LIBRARY} ${LAPACK_LIBRARIES} ${BLAS_LIBRARIES}
          ${HDF5_C_LIBRARIES} ${OpenMP_C_LIBRARIES} m)
    if(IS_ABSOLUTE "${library}" OR library MATCHES "^-")
      list(APPEND pc_libs "${library}")
    else()
      list(APPEND pc_libs "-l${library}")
    endif()
  endforeach()
  list(REMOVE_DUPLICATES pc_libs)
  list(JOIN pc_libs " " pc_libs)
  install(FILES cmake/FindSuiteSparse.cmake DESTINATION ${config_dir} COMPONENT dev)
else()
  set(static OFF)
endif()

configure_package_config_file(cmake/stickslip-config.cmake.in ${PROJECT_BINARY_DIR}/stickslip-config.cmake
  INSTALL_DESTINATION ${config_dir} NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/stickslip-config-version.cmake
  COMPATIBILITY SameMinorVersion)
configure_file(stickslip.pc.in ${PROJECT_BINARY_DIR}/stickslip.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/stickslip-config.cmake ${PROJECT_BINARY_DIR}/stickslip-config-version.cmake
  DESTINATION ${config_dir} COMPONENT dev)
install(FILES ${PROJECT_BINARY_DIR}/stickslip.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)

# The command prints its own manual pages and completions, from the tables of its options. Not where it cannot run here.
if(TARGET stickslip_cli AND NOT CMAKE_CROSSCOMPILING)
  set(share ${PROJECT_BINARY_DIR}/share)
  add_custom_command(OUTPUT ${share}/man/man1/stickslip.1
    COMMAND ${CMAKE_COMMAND} -DCOMMAND=$<TARGET_FILE:stickslip_cli> -DFOLDER=${share}
      -P ${PROJECT_SOURCE_DIR}/cmake/manual.cmake
    DEPENDS stickslip_cli stickslip ${PROJECT_SOURCE_DIR}/cmake/manual.cmake COMMENT "Manual pages and completions" VERBATIM)
  add_custom_target(stickslip_manual ALL DEPENDS ${share}/man/man1/stickslip.1)
  install(DIRECTORY ${share}/man/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
  install(FILES ${share}/completions/stickslip DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${share}/completions/_stickslip DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
  install(FILES ${share}/completions/stickslip.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()

# Documents keep the folders they have here, so that links from one to another lead somewhere.
if(PROJECT_IS_TOP_LEVEL)
  install(FILES README.md CHANGELOG.md CITATION.cff LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
  install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR})
  install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR} PATTERN CMakeLists.txt EXCLUDE)
  install(DIRECTORY schemas scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/stickslip)
endif()

if(PROJECT_IS_TOP_LEVEL)
  include(cmake/deb.cmake)
endif()
