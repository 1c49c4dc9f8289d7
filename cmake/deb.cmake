# `cpack -G DEB` in a build folder whose prefix is /usr: see `make deb`. Two packages: stickslip has the command, the
# library, manual pages and documents; libstickslip-dev what compiling against it needs. The library has no package of
# its own while its soname is 0: nothing else may depend on it across versions yet. Where stickslip-mpi is built it is a
# third one, stickslip-mpi, since it brings PETSc and Open MPI.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME stickslip)
set(CPACK_PACKAGE_CONTACT "The stickslip developers <stickslip@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Coulomb friction: solve, certify, count, simulate")
set(CPACK_COMPONENTS_ALL runtime dev)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
  WORLD_READ WORLD_EXECUTE)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/deb_finish.cmake)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME stickslip)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION science)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)  # what the binaries need, by dpkg-shlibdeps
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR})
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/cmake/triggers)  # of ldconfig
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY "=")
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION
"A command and its library for bodies that touch. It finds reactions and
velocities with the exact friction cone, judges any answer from the raw data,
proves that a solution exists or that none does, counts solutions, finds the
friction at which uniqueness is lost, and simulates rigid and elastic bodies
in time.")

set(CPACK_DEBIAN_DEV_PACKAGE_NAME libstickslip-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "stickslip (= ${PROJECT_VERSION}-1)")
set(CPACK_COMPONENT_DEV_DESCRIPTION
"Headers, and what pkg-config and CMake's find_package ask for, to compile
programs with the library of stickslip.")

if(TARGET stickslip_mpi)
  list(APPEND CPACK_COMPONENTS_ALL mpi)
  set(CPACK_DEBIAN_MPI_PACKAGE_NAME stickslip-mpi)
  set(CPACK_DEBIAN_MPI_PACKAGE_SECTION science)
  set(CPACK_DEBIAN_MPI_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_MPI_PACKAGE_DEPENDS "openmpi-bin")
  set(CPACK_COMPONENT_MPI_DESCRIPTION
"One friction problem on several processes, of one machine or of many: sweeps
over domains or alternating directions, and verdicts from the raw data.")
endif()
include(CPack)
