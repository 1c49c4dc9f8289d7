# SuiteSparse, LAPACK, ARKODE and elementary functions, as lists for target_link_libraries: stickslip_linear_algebra and
# stickslip_elementary.
#
# STICKSLIP_BLAS=own: the static archives become part of the library and call the BLAS of src/la/blas.c, whose order of
# operations is fixed: the same bits on every x86-64. Debian compiles these archives for any x86-64, without fused
# multiply-add and without a choice of kernels at run time. Copies of them are changed in their symbols only:
#   - the routines that src/la replaces get our names (dgemm_ becomes ssi_dgemm_);
#   - they print nothing: printf() becomes ssi_no_printf(), and its relatives alike; stdout and stderr become null
#     pointers, since code that is not compiled for shared libraries cannot refer to them;
#   - SUNDIALS' calls of MPI become calls of nothing, and no library of MPI is linked.
# STICKSLIP_BLAS=system: the shared libraries and the elementary functions as they are installed. The last bits then depend
# on the processor.
# A static library of ours always takes the system's: whoever links it chooses.
set(STICKSLIP_BLAS AUTO CACHE STRING "own (same bits on every x86-64), system (shared BLAS), or AUTO: own where the archives are found")
set_property(CACHE STICKSLIP_BLAS PROPERTY STRINGS AUTO own system)

find_package(SuiteSparse REQUIRED)  # cmake/FindSuiteSparse.cmake: headers, and the shared CHOLMOD and UMFPACK
find_path(LAPACKE_INCLUDE_DIR lapacke.h REQUIRED)
find_library(LAPACKE_LIBRARY lapacke REQUIRED)

# NAME:MEMBER,...: members of the archive that src/la stands in for.
set(archives umfpack cholmod:cholmod_metis_wrapper.c amd colamd ccolamd camd suitesparseconfig lapacke:lapacke_xerbla
  lapack:dpotrf,dgetrf,dlarf1f,dlarf1l,xerbla blas:dgemm,dsyrk,dsyr2k,dtrsm,dtrmm,dgemv,dger,dtrsv,xerbla)
set(optional_archives sundials_arkode sundials_nvecserial sundials_core)
set(replaced dgemm_ dsyrk_ dsyr2k_ dtrsm_ dtrmm_ dgemv_ dger_ dtrsv_ dpotrf_ dgetrf_ dlarf1f_ dlarf1l_ xerbla_
  LAPACKE_xerbla)

# SUNDIALS from version 7 on may be compiled with MPI; without a communicator it calls none of these.
set(message_passing MPI_Abort MPI_Comm_dup MPI_Comm_free MPI_Comm_rank MPI_Comm_size MPI_Op_create MPI_Op_free MPI_Reduce
  MPI_Type_commit MPI_Type_create_resized MPI_Type_create_struct MPI_Type_free MPI_Type_get_extent
  ompi_mpi_comm_null ompi_mpi_double ompi_mpi_long)

# CHOLMOD's nested dissection, which we do not ask for. From SuiteSparse 6 on it has a METIS of its own, with thread-local
# variables that cannot go into a shared library.
set(metis METIS_NodeND METIS_ComputeVertexSeparator
  SuiteSparse_metis_METIS_NodeND SuiteSparse_metis_METIS_ComputeVertexSeparator)

set(stickslip_linear_algebra "")
set(lacking "")
foreach(entry ${archives} ${optional_archives})
  string(REGEX REPLACE ":.*" "" name ${entry})
  find_library(STICKSLIP_ARCHIVE_${name} lib${name}.a PATH_SUFFIXES ${name})
  mark_as_advanced(STICKSLIP_ARCHIVE_${name})
  set(found "${STICKSLIP_ARCHIVE_${name}}")
  if(found)
    get_filename_component(found "${found}" REALPATH)
  endif()
  if((NOT found OR found MATCHES "/(openblas[^/]*|atlas|blis[^/]*|mkl)/") AND entry IN_LIST archives)
    list(APPEND lacking lib${name}.a)
  endif()
endforeach()
find_package(OpenMP COMPONENTS C QUIET)  # CHOLMOD's archive calls it
if(NOT OpenMP_C_FOUND)
  list(APPEND lacking OpenMP)
endif()
if(NOT BUILD_SHARED_LIBS)
  list(APPEND lacking "a shared library of ours")
endif()
if(NOT CMAKE_OBJCOPY)
  list(APPEND lacking objcopy)
endif()

if(NOT STICKSLIP_BLAS MATCHES "^(AUTO|own|system)$")
  message(FATAL_ERROR "STICKSLIP_BLAS is ${STICKSLIP_BLAS}, expected own, system or AUTO")
endif()
if(STICKSLIP_BLAS STREQUAL own AND lacking)
  list(JOIN lacking ", " lacking)
  message(FATAL_ERROR "STICKSLIP_BLAS=own: not found: ${lacking} (libsuitesparse-dev, liblapack-dev, libblas-dev, liblapacke-dev)")
endif()
set(STICKSLIP_OWN_BLAS OFF)
if(STICKSLIP_BLAS STREQUAL system OR lacking)
  find_package(BLAS REQUIRED)
  find_package(LAPACK REQUIRED)
  set(stickslip_linear_algebra SuiteSparse::SuiteSparse ${LAPACKE_LIBRARY} LAPACK::LAPACK BLAS::BLAS)
  if(lacking)
    list(JOIN lacking ", " lacking)
    message(STATUS "BLAS: the system's, so the last bits depend on the processor; not found for our own: ${lacking}")
  endif()
else()
  set(STICKSLIP_OWN_BLAS ON)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/archives)
  set(symbols "stdout ssi_no_stdout\nstderr ssi_no_stderr\n_gfortran_concat_string ssi_fortran_concat\n")
  foreach(name printf fprintf __printf_chk __fprintf_chk __vfprintf_chk puts fputs putchar fputc putc fwrite fflush
      ${message_passing} ${metis})
    string(APPEND symbols "${name} ssi_no_${name}\n")
  endforeach()
  foreach(name ${replaced})
    string(APPEND symbols "${name} ssi_${name}\n")
  endforeach()
  file(WRITE ${folder}/symbols "${symbols}")
  # Their symbols stay inside of what they are linked into; an archive with our objects gives up those that they call.
  set(stickslip_linear_algebra -Wl,--exclude-libs,ALL -Wl,--undefined=ssi_xerbla_)
  foreach(entry ${optional_archives} ${archives})
    string(REGEX MATCH "^[^:]*" name ${entry})
    set(original ${STICKSLIP_ARCHIVE_${name}})
    if(NOT original)
      continue()
    endif()
    set(copy ${folder}/lib${name}.a)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${original})
    # Packages keep the dates of their files, so a newer archive may look older than its copy.
    file(SHA256 ${original} made_from)
    string(APPEND made_from " ${entry} ${symbols}")
    set(before "")
    if(EXISTS ${copy} AND EXISTS ${copy}.from)
      file(READ ${copy}.from before)
    endif()
    if(NOT made_from STREQUAL before)
      execute_process(COMMAND ${CMAKE_OBJCOPY} --enable-deterministic-archives --redefine-syms=${folder}/symbols
        ${original} ${copy}.new COMMAND_ERROR_IS_FATAL ANY)
      if(entry MATCHES ":(.*)")
        string(REPLACE "," ".o;" members "${CMAKE_MATCH_1}.o")
        execute_process(COMMAND ${CMAKE_AR} dD ${copy}.new ${members} COMMAND_ERROR_IS_FATAL ANY)
      endif()
      file(RENAME ${copy}.new ${copy})
      file(WRITE ${copy}.from "${made_from}")
    endif()
    list(APPEND stickslip_linear_algebra ${copy})
  endforeach()
  list(APPEND stickslip_linear_algebra ${OpenMP_C_LIBRARIES})
endif()

# Calls of sin() go to __wrap_sin() in src/la/elementary.c, and so on.
set(stickslip_elementary "")
set(STICKSLIP_SAME_BITS OFF)
include(CheckCSourceCompiles)
set(CMAKE_REQUIRED_LIBRARIES m)
check_c_source_compiles("#if defined(__x86_64__)
typedef __float128 quad;
#else
typedef long double quad;
_Static_assert(__LDBL_MANT_DIG__ == 113, \"quadruple precision\");
#endif
quad sinf128(quad), powf128(quad, quad);
int main(int count, char **words) { return (int)powf128(sinf128(count), **words); }" STICKSLIP_QUADRUPLE)
unset(CMAKE_REQUIRED_LIBRARIES)
if(STICKSLIP_OWN_BLAS AND STICKSLIP_QUADRUPLE)
  set(STICKSLIP_SAME_BITS ON)
  foreach(name sin cos tan acos atan atan2 sincos exp exp2 log logf log2 log10 pow cbrt hypot)
    list(APPEND stickslip_elementary -Wl,--wrap=${name})
  endforeach()
  list(APPEND stickslip_linear_algebra ${stickslip_elementary} -Wl,--undefined=__wrap_pow)
elseif(STICKSLIP_OWN_BLAS)
  message(STATUS "Elementary functions: the C library's, so the last bits depend on the processor; it has none in quadruple precision")
endif()
