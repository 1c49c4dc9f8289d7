// la/blas.h - dense kernels with a fixed order of operations: the same bits on every processor, with vectors of any width,
// and under every compiler. They stand behind our own dense factors and, under BLAS's names with ssi_ before them, behind
// SuiteSparse and LAPACK (cmake/linear_algebra.cmake renames the calls in copies of those archives).
//
// Every entry of a product is summed in ascending k, in blocks of fixed length, or in eight partial sums; products and sums
// round separately (-ffp-contract=off). Their order does not depend on the width of vectors. One thread.
//
// As in BLAS, beta = 0 overwrites and alpha = 0 reads nothing; dtrmm takes an infinite entry of B times the zeros of a
// triangle within its blocks of 32 rows.
#pragma once

#include <stddef.h>
#include <stdio.h>

// BLAS and LAPACK by their own interface (column by column, all by address).
void ssi_dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                const double *alpha, const double *A, const int *lda, const double *B,
                const int *ldb, const double *beta, double *C, const int *ldc);
void ssi_dsyrk_(const char *uplo, const char *trans, const int *n, const int *k,
                const double *alpha, const double *A, const int *lda, const double *beta, double *C,
                const int *ldc);
void ssi_dsyr2k_(const char *uplo, const char *trans, const int *n, const int *k,
                 const double *alpha, const double *A, const int *lda, const double *B,
                 const int *ldb, const double *beta, double *C, const int *ldc);
void ssi_dtrsm_(const char *side, const char *uplo, const char *trans, const char *diag,
                const int *m, const int *n, const double *alpha, const double *A, const int *lda,
                double *B, const int *ldb);
void ssi_dtrmm_(const char *side, const char *uplo, const char *trans, const char *diag,
                const int *m, const int *n, const double *alpha, const double *A, const int *lda,
                double *B, const int *ldb);
void ssi_dgemv_(const char *trans, const int *m, const int *n, const double *alpha, const double *A,
                const int *lda, const double *x, const int *incx, const double *beta, double *y,
                const int *incy);
void ssi_dger_(const int *m, const int *n, const double *alpha, const double *x, const int *incx,
               const double *y, const int *incy, double *A, const int *lda);
void ssi_dtrsv_(const char *uplo, const char *trans, const char *diag, const int *n,
                const double *A, const int *lda, double *x, const int *incx);
void ssi_dpotrf_(const char *uplo, const int *n, double *A, const int *lda, int *info);
void ssi_dgetrf_(const int *m, const int *n, double *A, const int *lda, int *pivot, int *info);
void ssi_dlarf1f_(const char *side, const int *m, const int *n, double *v, const int *incv,
                  const double *tau, double *C, const int *ldc, double *work, size_t length);
void ssi_dlarf1l_(const char *side, const int *m, const int *n, double *v, const int *incv,
                  const double *tau, double *C, const int *ldc, double *work, size_t length);

// What Fortran's run time library and C's streams are to these archives.
extern FILE *ssi_no_stdout, *ssi_no_stderr;
#define SSI_SILENT(X)                                                                              \
  X(printf)                                                                                        \
  X(fprintf)                                                                                       \
  X(__printf_chk)                                                                                  \
  X(__fprintf_chk)                                                                                 \
  X(__vfprintf_chk) X(puts) X(fputs) X(putchar) X(fputc) X(putc) X(fwrite) X(fflush)
// Never called: of SUNDIALS without a communicator, of CHOLMOD without nested dissection.
#define SSI_ABSENT(X)                                                                              \
  X(MPI_Abort)                                                                                     \
  X(MPI_Comm_dup)                                                                                  \
  X(MPI_Comm_free)                                                                                 \
  X(MPI_Comm_rank)                                                                                 \
  X(MPI_Comm_size)                                                                                 \
  X(MPI_Op_create)                                                                                 \
  X(MPI_Op_free)                                                                                   \
  X(MPI_Reduce)                                                                                    \
  X(MPI_Type_commit)                                                                               \
  X(MPI_Type_create_resized)                                                                       \
  X(MPI_Type_create_struct)                                                                        \
  X(MPI_Type_free)                                                                                 \
  X(MPI_Type_get_extent)                                                                           \
  X(METIS_NodeND)                                                                                  \
  X(METIS_ComputeVertexSeparator)                                                                  \
  X(SuiteSparse_metis_METIS_NodeND)                                                                \
  X(SuiteSparse_metis_METIS_ComputeVertexSeparator)
#define SSI_SILENT_PROTOTYPE(name) long ssi_no_##name(void);  // whatever the arguments
SSI_SILENT(SSI_SILENT_PROTOTYPE)
SSI_ABSENT(SSI_SILENT_PROTOTYPE)
extern char ssi_no_ompi_mpi_comm_null, ssi_no_ompi_mpi_double, ssi_no_ompi_mpi_long;  // addresses
void ssi_xerbla_(const char *name, const int *argument, size_t length);
void ssi_LAPACKE_xerbla(const char *name, int info);
void ssi_fortran_concat(size_t size, char *out, size_t a_size, const char *a, size_t b_size,
                        const char *b);
