# What Debian wants of a package's files beyond what `make install` does: run by CPack on each component's folder.
if(NOT CPACK_GENERATOR STREQUAL DEB)
  return()
endif()
string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC)  # or SOURCE_DATE_EPOCH
file(GLOB packages LIST_DIRECTORIES TRUE ${CPACK_TEMPORARY_DIRECTORY}/*)
foreach(package ${packages})
  set(share ${package}/usr/share)
  set(name stickslip)
  if(package MATCHES "/dev$")
    set(name libstickslip-dev)
  elseif(package MATCHES "/mpi$")
    set(name stickslip-mpi)
  endif()
  file(GLOB pages ${share}/man/man1/*.1)
  if(EXISTS ${share}/doc/stickslip/CHANGELOG.md)
    file(RENAME ${share}/doc/stickslip/CHANGELOG.md ${share}/doc/stickslip/changelog)
    file(REMOVE ${share}/doc/stickslip/LICENSE)
    list(APPEND pages ${share}/doc/stickslip/changelog)
  endif()
  file(WRITE ${share}/doc/${name}/changelog.Debian
"stickslip (${CPACK_PACKAGE_VERSION}-1) unstable; urgency=medium

  * Built from the sources by make deb; see the changelog of stickslip.

 -- ${CPACK_PACKAGE_CONTACT}  ${now}
")
  list(APPEND pages ${share}/doc/${name}/changelog.Debian)
  foreach(page ${pages})
    execute_process(COMMAND gzip -9nf ${page} COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
  file(WRITE ${share}/doc/${name}/copyright
"Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: stickslip
Comment: The library contains parts of SuiteSparse (UMFPACK and CHOLMOD's
 Supernodal module are GPL-2+), LAPACK, LAPACKE, BLAS and SUNDIALS, as Debian
 compiled them: libsuitesparse-dev, liblapack-dev, liblapacke-dev, libblas-dev
 and libsundials-dev have their licences. As a whole it is under the GPL,
 version 3.

Files: *
Copyright: 2026, The stickslip developers
License: Apache-2.0
 On Debian systems the text of the Apache License, version 2.0, is in
 /usr/share/common-licenses/Apache-2.0.
")
endforeach()
