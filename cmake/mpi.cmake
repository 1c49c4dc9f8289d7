# stickslip-mpi: the library's objects once more in an archive, so that the program can reach what the shared library
# hides, and MPI stays out of the library. Debian's parallel HDF5 has symbol versions of its own and lives in one process
# with the serial one that the objects of src/io use.
set(STICKSLIP_MPI_FOUND FALSE)
if(STICKSLIP_MPI AND STICKSLIP_COMMAND AND JANSSON_FOUND AND NOT STICKSLIP_SANITIZE AND NOT STICKSLIP_SANITIZE_THREADS
    AND NOT STICKSLIP_FUZZ)
  find_package(PkgConfig)
  find_package(MPI COMPONENTS C)
  if(PkgConfig_FOUND)
    pkg_check_modules(PETSC IMPORTED_TARGET PETSc)
    pkg_check_modules(HDF5_OPENMPI IMPORTED_TARGET hdf5-openmpi)
  endif()
  if(MPI_C_FOUND AND PETSC_FOUND AND HDF5_OPENMPI_FOUND)
    set(STICKSLIP_MPI_FOUND TRUE)
  elseif(STICKSLIP_MPI STREQUAL "ON")
    message(FATAL_ERROR "STICKSLIP_MPI=ON needs PETSc, Open MPI and its HDF5 (scripts/setup mpi installs them)")
  endif()
endif()
if(STICKSLIP_MPI_FOUND)
  add_library(stickslip_objects STATIC $<TARGET_OBJECTS:stickslip>)
  get_target_property(objects_links stickslip LINK_LIBRARIES)
  target_link_libraries(stickslip_objects PUBLIC ${objects_links})
  add_executable(stickslip_mpi
    src/cli/args.c
    src/cli/interrupt.c
    src/cli/outputs.c
    src/cli/printed.c
    src/cli/progress.c
    src/cli/results.c
    src/cli/scene_text.c
    src/cli/session.c
    src/mpi/crowd.c
    src/mpi/crowd_checkpoint.c
    src/mpi/crowd_frames.c
    src/mpi/crowd_ghosts.c
    src/mpi/crowd_local.c
    src/mpi/crowd_order.c
    src/mpi/crowd_part.c
    src/mpi/crowd_run.c
    src/mpi/crowd_scout.c
    src/mpi/crowd_solve.c
    src/mpi/crowd_step.c
    src/mpi/crowd_sum.c
    src/mpi/crowd_system.c
    src/mpi/main_mpi.c
    src/mpi/mpi_commands.c
    src/mpi/mpi_dumps.c
    src/mpi/mpi_interrupt.c
    src/mpi/mpi_job.c
    src/mpi/mpi_simulate.c
    src/mpi/mpi_solve.c
    src/mpi/ranks.c
    src/mpi/ranks_hdf5.c
    src/mpi/scotch_order.c
    src/mpi/share_admm.c
    src/mpi/share_build.c
    src/mpi/share_exact.c
    src/mpi/share_forest.c
    src/mpi/share_general.c
    src/mpi/share_general_blocks.c
    src/mpi/share_general_motion.c
    src/mpi/share_hearing.c
    src/mpi/share_judge.c
    src/mpi/share_load.c
    src/mpi/share_masses.c
    src/mpi/share_matrix.c
    src/mpi/share_meet.c
    src/mpi/share_order.c
    src/mpi/share_parts.c
    src/mpi/share_penalised.c
    src/mpi/share_pile.c
    src/mpi/share_read.c
    src/mpi/share_rigid.c
    src/mpi/share_rows.c
    src/mpi/share_saddle.c
    src/mpi/share_same.c
    src/mpi/share_sweep.c
    src/mpi/share_vector.c
    src/mpi/share_velocities.c
    src/mpi/share_wall.c
    src/mpi/share_write.c
  )
  set_target_properties(stickslip_mpi PROPERTIES OUTPUT_NAME stickslip-mpi)
  # before the serial HDF5, whose header has the same name
  target_include_directories(stickslip_mpi BEFORE PRIVATE ${HDF5_OPENMPI_INCLUDE_DIRS})
  target_include_directories(stickslip_mpi PRIVATE src include)
  target_include_directories(stickslip_mpi SYSTEM PRIVATE ${PETSC_INCLUDE_DIRS} ${MPI_C_INCLUDE_DIRS})
  find_path(SCOTCH_INCLUDE_DIR scotch.h PATH_SUFFIXES scotch)  # comes with PETSc
  find_library(SCOTCH_LIBRARY scotch)
  find_library(SCOTCHERR_LIBRARY scotcherr)
  if(SCOTCH_INCLUDE_DIR AND SCOTCH_LIBRARY AND SCOTCHERR_LIBRARY)
    include(CheckSymbolExists)
    include(CMakePushCheckState)
    cmake_push_check_state(RESET)
    set(CMAKE_REQUIRED_INCLUDES ${SCOTCH_INCLUDE_DIR})
    set(CMAKE_REQUIRED_LIBRARIES ${SCOTCH_LIBRARY} ${SCOTCHERR_LIBRARY})
    check_symbol_exists(SCOTCH_contextThreadImport1 "stdio.h;scotch.h" SCOTCH_HAS_CONTEXTS)  # from 7 on
    cmake_pop_check_state()
  endif()
  if(SCOTCH_HAS_CONTEXTS)
    set_property(SOURCE src/mpi/scotch_order.c APPEND PROPERTY COMPILE_DEFINITIONS SS_WITH_SCOTCH)
    target_include_directories(stickslip_mpi SYSTEM PRIVATE ${SCOTCH_INCLUDE_DIR})
    target_link_libraries(stickslip_mpi PRIVATE ${SCOTCH_LIBRARY} ${SCOTCHERR_LIBRARY})
  endif()
  target_link_options(stickslip_mpi PRIVATE LINKER:--as-needed)
  target_link_libraries(stickslip_mpi PRIVATE stickslip_objects ${PETSC_LINK_LIBRARIES} ${HDF5_OPENMPI_LINK_LIBRARIES}
    MPI::MPI_C PkgConfig::JANSSON ${CMAKE_DL_LIBS} m)
endif()
