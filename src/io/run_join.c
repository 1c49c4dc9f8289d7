// Joins the parts of a run, table by table and some megabytes at a time, since a run may be larger than
// the memory. libhdf5 writes the file itself here, and when the disk is full it can neither finish nor
// forget it: so that is done in a child process, which leaves without its exit handlers.
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/error.h"
#include "io/confine.h"
#include "io/run_derived.h"
#include "io/run_join.h"
#include "io/run_part.h"

enum { BLOCK = SSI_RUN_BLOCK, CHUNK = 256 << 10 };  // bytes of a chunk in the file

typedef struct joint {
  ss_context *ctx;
  ssi_run_parts *parts;
  const char *only;  // in place of the parts: this file
  bool drop_frame;   // without its last frame
  const ssi_run_table *tables;
  const ss_scene *scene;  // of a run that is finished; NULL: a part is made
  const ss_simulation *sim;
  bool here;  // without a child
  hid_t file;
  int64_t total[SSI_RUN_TABLE_COUNT];
} joint;

static int source_count(const joint *j) {
  return j->only ? 1 : j->parts->count;
}

static ss_error open_source(joint *j, int k, ssi_run_part *p) {
  SS_TRY(ssi_run_part_open(p, j->ctx, j->only ? j->only : ssi_run_parts_name(j->parts, k)));
  return j->drop_frame ? ssi_run_part_drop_frame(p) : SS_OK;
}

// Shuffled and lightly compressed; chunks depend on the shape of the whole table only, so that the file
// does not tell where the run was cut.
static hid_t creation_of(const ssi_run_table *t, int64_t rows) {
  hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  hsize_t dims[3];
  int64_t per_chunk = CHUNK / (int64_t)t->row_bytes;
  if (per_chunk > rows) per_chunk = rows;  // libhdf5 refuses larger ones
  int rank = ssi_run_dims(t, per_chunk > 0 ? (hsize_t)per_chunk : 1, dims);
  bool ok = creation >= 0 && H5Pset_obj_track_times(creation, false) >= 0;
  if (ok && rows > 0) {
    ok = H5Pset_chunk(creation, rank, dims) >= 0;
    if (ok && H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0)
      ok = H5Pset_shuffle(creation) >= 0 && H5Pset_deflate(creation, 1) >= 0;
  }
  if (ok || creation < 0) return creation;
  H5Pclose(creation);
  return H5I_INVALID_HID;
}

static ss_error library_failed(ss_context *ctx, const char *what) {
  return ssi_fail(ctx, SS_ERR_WRITE, "%s: libhdf5 cannot write it (is the disk full?)", what);
}

ss_error ssi_run_file_create(ss_context *ctx, hid_t file, const ssi_run_table *t, int64_t rows,
                             hid_t *set) {
  hsize_t dims[3];
  int rank = ssi_run_dims(t, (hsize_t)rows, dims);
  hid_t group = H5Gopen2(file, t->group, H5P_DEFAULT);
  hid_t space = H5Screate_simple(rank, dims, NULL), creation = creation_of(t, rows);
  *set = group < 0 || space < 0 || creation < 0
             ? H5I_INVALID_HID
             : H5Dcreate2(group, t->name, ssi_run_stored(t->type), space, H5P_DEFAULT, creation,
                          H5P_DEFAULT);
  if (creation >= 0) H5Pclose(creation);
  if (space >= 0) H5Sclose(space);
  if (group >= 0) H5Gclose(group);
  return *set < 0 ? library_failed(ctx, t->name) : SS_OK;
}

ss_error ssi_run_file_leave(ss_context *ctx, hid_t set, const char *name, ss_error e) {
  return H5Dclose(set) < 0 && !e ? library_failed(ctx, name) : e;
}

// `count` rows from `from` of a dataset, and memory of their size; both negative where libhdf5 fails.
static hid_t select_rows(hid_t set, const ssi_run_table *t, int64_t from, int64_t count,
                         hid_t *memory) {
  hsize_t size[3], start[3] = {(hsize_t)from, 0, 0};
  int rank = ssi_run_dims(t, (hsize_t)count, size);
  hid_t space = H5Dget_space(set);
  *memory = H5Screate_simple(rank, size, NULL);
  if (space >= 0 && *memory >= 0 &&
      H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, size, NULL) >= 0)
    return space;
  if (*memory >= 0) H5Sclose(*memory);
  if (space >= 0) H5Sclose(space);
  return *memory = H5I_INVALID_HID;
}

ss_error ssi_run_file_write(ss_context *ctx, hid_t set, const ssi_run_table *t, int64_t from,
                            int64_t count, const void *rows) {
  hid_t memory, space = select_rows(set, t, from, count, &memory);
  bool ok =
      space >= 0 && H5Dwrite(set, ssi_run_native(t->type), memory, space, H5P_DEFAULT, rows) >= 0;
  if (space >= 0) H5Sclose(memory), H5Sclose(space);
  return ok ? SS_OK : library_failed(ctx, t->name);
}

ss_error ssi_run_file_rows(ss_context *ctx, hid_t file, const ssi_run_table *t, int64_t from,
                           int64_t count, void *out) {
  if (count == 0) return SS_OK;
  char path[64];
  snprintf(path, sizeof path, "%s/%s", t->group, t->name);
  hid_t set = H5Dopen2(file, path, H5P_DEFAULT), memory = H5I_INVALID_HID;
  hid_t space = set < 0 ? H5I_INVALID_HID : select_rows(set, t, from, count, &memory);
  bool ok =
      space >= 0 && H5Dread(set, ssi_run_native(t->type), memory, space, H5P_DEFAULT, out) >= 0;
  if (space >= 0) H5Sclose(memory), H5Sclose(space);
  if (set >= 0) H5Dclose(set);
  return ok ? SS_OK : library_failed(ctx, path);
}

static ss_error copy_part(joint *j, int part, int id, hid_t set, int64_t *at, void *block) {
  const ssi_run_table *t = &j->tables[id];
  ssi_run_part p;
  ss_error e = open_source(j, part, &p);
  int64_t most = BLOCK / (int64_t)t->row_bytes;
  if (most < 1) most = 1;
  for (int64_t from = 0; !e && from < p.rows[id]; from += most) {
    int64_t count = p.rows[id] - from < most ? p.rows[id] - from : most;
    e = ssi_run_part_rows(&p, id, from, count, block);
    if (!e) e = ssi_run_file_write(j->ctx, set, t, *at, count, block);
    *at += count;
  }
  ssi_run_part_close(&p);
  return e;
}

static ss_error join_table(joint *j, int id) {
  const ssi_run_table *t = &j->tables[id];
  if (t->row_bytes == 0) return SS_OK;
  hid_t set;
  SS_TRY(ssi_run_file_create(j->ctx, j->file, t, j->total[id], &set));
  void *block = ssi_alloc(j->ctx, t->row_bytes > BLOCK ? t->row_bytes : BLOCK, 1);
  ss_error e = block ? SS_OK : ssi_fail(j->ctx, SS_ERR_MEMORY, "%s: no memory", t->name);
  int64_t at = 0;
  for (int k = 0; !e && k < source_count(j); k++) e = copy_part(j, k, id, set, &at, block);
  ssi_release(j->ctx, block);
  return ssi_run_file_leave(j->ctx, set, t->name, e);
}

// What the parts have in common, from the last one, and its checkpoint.
static ss_error put_head(joint *j, const char *end) {
  ssi_run_part p;
  ssi_arena scratch = {.ctx = j->ctx};
  const void *bytes = NULL;
  size_t size = 0;
  ss_error e = open_source(j, source_count(j) - 1, &p);
  if (!e) e = ssi_run_part_checkpoint(&p, &scratch, &bytes, &size);
  if (!e) {
    ssi_image w = {.ctx = j->ctx, .name = p.name, .file = j->file};
    w.creation = H5Pcreate(H5P_DATASET_CREATE);
    if (w.creation >= 0) H5Pset_obj_track_times(w.creation, false);
    hsize_t length = size;
    ssi_run_put_head(&w, &p.counts, p.scene_text, p.last_frame);
    ssi_image_put(&w, w.file, "checkpoint", H5T_STD_U8LE, H5T_NATIVE_UCHAR, 1, &length, bytes);
    ssi_image_text(&w, w.file, "end", end);
    if (j->scene) ssi_run_put_names(&w, j->scene, j->sim);
    if (w.creation >= 0) H5Pclose(w.creation);
    e = w.error;
  }
  ssi_run_part_close(&p);
  ssi_arena_release(&scratch);
  return e;
}

static ss_error count_rows(joint *j) {
  for (int k = 0; k < source_count(j); k++) {
    ssi_run_part p;
    ss_error e = open_source(j, k, &p);
    for (int id = 0; !e && id < SSI_RUN_TABLE_COUNT; id++) j->total[id] += p.rows[id];
    ssi_run_part_close(&p);
    SS_TRY(e);
  }
  return SS_OK;
}

static ss_error join(joint *j, const char *path, const char *end) {
  SS_TRY(count_rows(j));
  j->file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  if (j->file < 0) return library_failed(j->ctx, "the joined file");
  SS_TRY(put_head(j, end));
  for (int k = 0; k < SSI_RUN_TABLE_COUNT; k++) SS_TRY(join_table(j, k));
  if (j->scene) SS_TRY(ssi_run_put_derived(j->ctx, j->file, j->sim, j->tables, j->total));
  return H5Fclose(j->file) < 0 ? library_failed(j->ctx, "the joined file") : SS_OK;
}

// In the child: the error's number and message go through the pipe.
static void work(joint *j, const char *path, const char *end, int pipe_end) {
  ss_context ctx = {0};
  j->ctx = &ctx;
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  int e = join(j, path, end);
  ssize_t sent = write(pipe_end, &e, sizeof e);
  if (sent == sizeof e) sent = write(pipe_end, ctx.message, sizeof ctx.message);
  _exit(sent > 0 ? 0 : 1);
}

static ss_error wait_for(ss_context *ctx, const char *path, pid_t child, int pipe_end) {
  struct {
    int error;
    char message[sizeof((ss_context *)0)->message];
  } report = {.error = SS_ERR_WRITE};
  char *at = (char *)&report.error;
  size_t size = 0;
  ssize_t n;
  int error = SS_ERR_WRITE;
  while ((n = read(pipe_end, at + size, sizeof report - size)) > 0 || (n < 0 && errno == EINTR))
    size += n > 0 ? (size_t)n : 0;
  if (size >= sizeof error) error = report.error;
  int status;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (size < sizeof error || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
    return ssi_fail(ctx, SS_ERR_WRITE, "%s: joining the parts of the run ended in a crash", path);
  report.message[sizeof report.message - 1] = 0;
  if (error) return ssi_fail(ctx, (ss_error)error, "%s: %s", path, report.message);
  return SS_OK;
}

static ss_error in_child(joint *j, const char *path, const char *aside, const char *end) {
  int ends[2];
  if (pipe(ends) != 0)
    return ssi_fail(j->ctx, SS_ERR_MEMORY, "%s: no pipe: %s", path, strerror(errno));
  fflush(NULL);
  pid_t parent = getpid(), child = fork();
  if (child == 0) {
    ssi_die_with(parent);  // it must not go on writing where the resumed run will write
    close(ends[0]);
    work(j, aside, end, ends[1]);
  }
  close(ends[1]);
  ss_error e = child < 0
                   ? ssi_fail(j->ctx, SS_ERR_MEMORY, "%s: no child: %s", path, strerror(errno))
                   : wait_for(j->ctx, path, child, ends[0]);
  close(ends[0]);
  return e;
}

// Where no process may be forked (MPI): a disk that is full then leaves libhdf5 with a file that it cannot close.
static ss_error in_this_process(joint *j, const char *path, const char *aside, const char *end) {
  char text[sizeof j->ctx->message];
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  ss_error e = join(j, aside, end);
  if (!e) return SS_OK;
  memcpy(text, j->ctx->message, sizeof text);
  return ssi_fail(j->ctx, e, "%s: %.400s", path, text);
}

static int sync_and_rename(const char *from, const char *to) {
  int fd = open(from, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return errno;
  int failure = fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP ? 0 : errno;
  close(fd);
  if (!failure && rename(from, to) != 0) failure = errno;
  return failure;
}

// libhdf5 wants a file with a name: it is made among the parts, and goes with them if all else fails.
static ss_error make(joint *j, const char *path, const char *end) {
  char *aside = ssi_alloc(j->ctx, j->parts->room, 1);
  if (!aside) return ssi_fail(j->ctx, SS_ERR_MEMORY, "%s: no memory", path);
  snprintf(aside, j->parts->room, "%s/joining.h5", j->parts->folder);
  unlink(aside);  // of a join that was killed; libhdf5 refuses a file that somebody still has open
  ss_error e = j->here ? in_this_process(j, path, aside, end) : in_child(j, path, aside, end);
  int failure = e ? 0 : sync_and_rename(aside, path);
  if (failure)
    e = ssi_fail(j->ctx, SS_ERR_WRITE, "%s: cannot be written: %s", path, strerror(failure));
  if (e) unlink(aside);
  ssi_release(j->ctx, aside);
  return e;
}

ss_error ssi_run_join(ss_context *ctx, const char *path, ssi_run_parts *parts,
                      const ssi_run_table tables[SSI_RUN_TABLE_COUNT], const ss_scene *scene,
                      const ss_simulation *sim, bool here) {
  joint j = {ctx, parts, .tables = tables, .scene = scene, .sim = sim, .file = H5I_INVALID_HID};
  j.here = here;
  return make(&j, path, ss_simulation_end(sim));
}

// Under a second name where nothing changes and the file system allows it: a run may be large.
ss_error ssi_run_reopen(ss_context *ctx, const char *path, ssi_run_parts *parts,
                        const ssi_run_table tables[SSI_RUN_TABLE_COUNT], bool drop_frame,
                        bool here) {
  joint j = {.ctx = ctx, .parts = parts, .tables = tables, .file = H5I_INVALID_HID};
  j.here = here;
  j.only = path, j.drop_frame = drop_frame;
  char *first = ssi_alloc(ctx, parts->room, 1);
  if (!first) return ssi_fail(ctx, SS_ERR_MEMORY, "%s: no memory", path);
  strcpy(first, ssi_run_parts_name(parts, 0));
  ss_error e = SS_OK;
  if (drop_frame || link(path, first) != 0) e = make(&j, first, NULL);
  if (!e) parts->count = 1;
  ssi_release(ctx, first);
  return e;
}
