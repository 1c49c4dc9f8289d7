# Install and export: the library, its headers, the command, find_package(stickslip), pkg-config.
include(CMakePackageConfigHelpers)

set(config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/stickslip)
install(TARGETS stickslip EXPORT stickslip
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY include/stickslip DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(EXPORT stickslip NAMESPACE stickslip:: FILE stickslip-targets.cmake DESTINATION ${config_dir})

# The prefix may still change at install time (cmake --install --prefix), so everything below is
# written relative to where it ends up.
file(RELATIVE_PATH to_lib /prefix/${CMAKE_INSTALL_BINDIR} /prefix/${CMAKE_INSTALL_LIBDIR})
file(RELATIVE_PATH to_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
if(TARGET stickslip_cli)
  set_target_properties(stickslip_cli PROPERTIES INSTALL_RPATH "$ORIGIN/${to_lib}")
  install(TARGETS stickslip_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
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
  if(LIBXML_FOUND)
    list(APPEND pc_requires libxml-2.0)
  endif()
  if(MICROHTTPD_FOUND)  # by its library: its own needs (TLS) are of a static libmicrohttpd, which is not asked for
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
  install(FILES cmake/FindSuiteSparse.cmake DESTINATION ${config_dir})
else()
  set(static OFF)
endif()

configure_package_config_file(cmake/stickslip-config.cmake.in ${PROJECT_BINARY_DIR}/stickslip-config.cmake
  INSTALL_DESTINATION ${config_dir} NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/stickslip-config-version.cmake
  COMPATIBILITY SameMinorVersion)
configure_file(stickslip.pc.in ${PROJECT_BINARY_DIR}/stickslip.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/stickslip-config.cmake ${PROJECT_BINARY_DIR}/stickslip-config-version.cmake
  DESTINATION ${config_dir})
install(FILES ${PROJECT_BINARY_DIR}/stickslip.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
