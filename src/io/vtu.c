// io/vtu.c - see vtu.h. The VTK file formats are described at https://docs.vtk.org ("VTK XML formats").
#define _POSIX_C_SOURCE 200809L
#include "io/vtu.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "io/reader.h"

enum { VTK_VERTEX = 1, VTK_LINE = 3, VTK_POLYGON = 7 };

typedef struct vtu {
  const ssi_vtu *grid;
  FILE *file;
  uint64_t offset;  // of the next block of appended data
} vtu;

static void declare(vtu *v, const char *type, const char *name, int width, uint64_t bytes) {
  fprintf(v->file,
          "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"appended\" "
          "offset=\"%llu\"/>\n",
          type, name, width, (unsigned long long)v->offset);
  v->offset += sizeof(uint64_t) + bytes;
}

static uint64_t length_of(const ssi_vtu *g, const ssi_vtu_array *a) {
  int rows = a->place == SSI_VTU_POINTS ? g->point_count : g->cell_count;
  return (uint64_t)rows * (uint64_t)a->width;
}

static void declare_arrays(vtu *v, ssi_vtu_place place) {
  for (int k = 0; k < v->grid->array_count; k++) {
    const ssi_vtu_array *a = &v->grid->arrays[k];
    if (a->place != place) continue;
    uint64_t size = a->x ? sizeof(double) : sizeof(int32_t);
    declare(v, a->x ? "Float64" : "Int32", a->name, a->width, length_of(v->grid, a) * size);
  }
}

static uint64_t corner_count(const ssi_vtu *g) {
  return g->first ? (uint64_t)(g->cell_count ? g->first[g->cell_count] : 0)
                  : (uint64_t)g->cell_count;
}

// A string array of VTK: the bytes of all of them, each with its zero.
static void put_names(vtu *v) {
  const ssi_vtu *g = v->grid;
  if (!g->names) return;
  fprintf(v->file,
          "<FieldData>\n<Array type=\"String\" Name=\"names\" NumberOfTuples=\"%d\" "
          "format=\"ascii\">\n",
          g->name_count);
  for (int k = 0; k < g->name_count; k++) {
    for (const char *c = g->names[k]; *c; c++) fprintf(v->file, "%d ", (unsigned char)*c);
    fprintf(v->file, "0\n");
  }
  fprintf(v->file, "</Array>\n</FieldData>\n");
}

static void head(vtu *v) {
  const ssi_vtu *g = v->grid;
  uint16_t one = 1;
  bool little = *(const unsigned char *)&one == 1;
  fprintf(v->file,
          "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" "
          "byte_order=\"%s\" header_type=\"UInt64\">\n<UnstructuredGrid>\n",
          little ? "LittleEndian" : "BigEndian");
  put_names(v);
  fprintf(v->file, "<Piece NumberOfPoints=\"%d\" NumberOfCells=\"%d\">\n", g->point_count,
          g->cell_count);
  fprintf(v->file, "<Points>\n");
  declare(v, "Float64", "Points", 3, 3 * sizeof(double) * (uint64_t)g->point_count);
  fprintf(v->file, "</Points>\n<Cells>\n");
  declare(v, "Int32", "connectivity", 1, sizeof(int32_t) * corner_count(g));
  declare(v, "Int32", "offsets", 1, sizeof(int32_t) * (uint64_t)g->cell_count);
  declare(v, "UInt8", "types", 1, (uint64_t)g->cell_count);
  fprintf(v->file, "</Cells>\n<PointData>\n");
  declare_arrays(v, SSI_VTU_POINTS);
  fprintf(v->file, "</PointData>\n<CellData>\n");
  declare_arrays(v, SSI_VTU_CELLS);
  fprintf(v->file, "</CellData>\n</Piece>\n</UnstructuredGrid>\n"
                   "<AppendedData encoding=\"raw\">\n_");
}

static void block_size(vtu *v, uint64_t bytes) {
  fwrite(&bytes, sizeof bytes, 1, v->file);
}

static void block(vtu *v, const void *data, uint64_t bytes) {
  block_size(v, bytes);
  if (bytes) fwrite(data, 1, bytes, v->file);
}

static void put_cells(vtu *v) {
  const ssi_vtu *g = v->grid;
  block_size(v, sizeof(int32_t) * corner_count(g));
  for (uint64_t k = 0; k < corner_count(g); k++) {
    int32_t corner = g->corner ? g->corner[k] : (int32_t)k;
    fwrite(&corner, sizeof corner, 1, v->file);
  }
  block_size(v, sizeof(int32_t) * (uint64_t)g->cell_count);
  for (int k = 0; k < g->cell_count; k++) {
    int32_t end = g->first ? g->first[k + 1] : k + 1;
    fwrite(&end, sizeof end, 1, v->file);
  }
  block_size(v, (uint64_t)g->cell_count);
  for (int k = 0; k < g->cell_count; k++) {
    int corners = g->first ? g->first[k + 1] - g->first[k] : 1;
    int plain = corners == 1 ? VTK_VERTEX : corners == 2 ? VTK_LINE : VTK_POLYGON;
    fputc(g->type ? g->type[k] : plain, v->file);
  }
}

static void put_arrays(vtu *v, ssi_vtu_place place) {
  for (int k = 0; k < v->grid->array_count; k++) {
    const ssi_vtu_array *a = &v->grid->arrays[k];
    if (a->place != place) continue;
    uint64_t n = length_of(v->grid, a);
    if (a->x)
      block(v, a->x, n * sizeof(double));
    else
      block(v, a->i, n * sizeof(int32_t));
  }
}

static ss_error write_to(ss_context *ctx, const char *aside, const char *path,
                         const ssi_vtu *grid) {
  vtu v = {.grid = grid, .file = fopen(aside, "wb")};
  if (!v.file)
    return ssi_fail(ctx, SS_ERR_WRITE, "%s: cannot be written: %s", path, strerror(errno));
  head(&v);
  block(&v, grid->point, 3 * sizeof(double) * (uint64_t)grid->point_count);
  put_cells(&v);
  put_arrays(&v, SSI_VTU_POINTS);
  put_arrays(&v, SSI_VTU_CELLS);
  fprintf(v.file, "\n</AppendedData>\n</VTKFile>\n");
  bool ok = fflush(v.file) == 0 && !ferror(v.file);
  int reason = errno;
  if (fclose(v.file) != 0 && ok) reason = errno, ok = false;
  if (ok) return SS_OK;
  return ssi_fail(ctx, SS_ERR_WRITE, "%s: cannot be written: %s", path, strerror(reason));
}

ss_error ssi_vtu_write(ss_context *ctx, const char *path, const ssi_vtu *grid) {
  ssi_aside a;
  SS_TRY(ssi_aside_begin(ctx, path, &a));
  ss_error e = write_to(ctx, a.path, path, grid);
  if (!e) return ssi_aside_commit(ctx, &a);
  ssi_aside_abandon(ctx, &a);
  return e;
}
