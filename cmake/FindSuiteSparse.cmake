# CHOLMOD and UMFPACK of SuiteSparse, as SuiteSparse::SuiteSparse.
find_path(SuiteSparse_INCLUDE_DIR cholmod.h PATH_SUFFIXES suitesparse)
foreach(part cholmod umfpack suitesparseconfig)
  find_library(SuiteSparse_${part}_LIBRARY ${part})
  list(APPEND SuiteSparse_LIBRARIES ${SuiteSparse_${part}_LIBRARY})
endforeach()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(SuiteSparse DEFAULT_MSG SuiteSparse_INCLUDE_DIR
  SuiteSparse_cholmod_LIBRARY SuiteSparse_umfpack_LIBRARY SuiteSparse_suitesparseconfig_LIBRARY)
if(SuiteSparse_FOUND AND NOT TARGET SuiteSparse::SuiteSparse)
  add_library(SuiteSparse::SuiteSparse INTERFACE IMPORTED)
  set_target_properties(SuiteSparse::SuiteSparse PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${SuiteSparse_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES "${SuiteSparse_LIBRARIES}")
endif()
