// tests/fuzz/mutate_hdf5.c - FCLIB files changed in structure and content through libhdf5's own
// interface, and now and then in a few bytes, then read in a child process.
//
//   mutate_hdf5 SEED COUNT [FOLDER [all]]      COUNT files, or with "600s" as many as 600 s allow
//
// Whatever the file, the reader must come back with a well-formed problem or with an error and words
// about it, and with all its memory given back. The summary says how many were accepted, refused, and
// crashed libhdf5 or kept it busy for too long. FOLDER keeps the latter and what was answered wrongly,
// or all files, as SEED-NUMBER.hdf5.
#define _DEFAULT_SOURCE
#include <hdf5.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/timer.h"
#include "budget.h"
#include "fclib_sample.h"

__attribute__((visibility("default"))) const char *__asan_default_options(void);

// A crash must look like one from outside. libhdf5 leaks when it meets damage and asks for absurd
// sizes, which malloc refuses; our own memory is counted below.
const char *__asan_default_options(void) {
  return "abort_on_error=1:detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb=4096";
}

enum { MOST_NAMES = 256, NAME_SIZE = 96 };

typedef struct mutant {
  hid_t file;
  ssi_rng g;
  int count;  // of objects below the root
  char names[MOST_NAMES][NAME_SIZE];
} mutant;

static int below(mutant *m, int n) {
  return ssi_rng_below(&m->g, n);
}

// ---- what is there ---------------------------------------------------------------------------

static herr_t list_name(hid_t root, const char *name, const H5L_info_t *info, void *user) {
  (void)root, (void)info;
  mutant *m = user;
  if (m->count < MOST_NAMES && strlen(name) < NAME_SIZE) strcpy(m->names[m->count++], name);
  return 0;
}

static void list_names(mutant *m) {
  m->count = 0;
  H5Lvisit(m->file, H5_INDEX_NAME, H5_ITER_INC, list_name, m);
}

static const char *any_name(mutant *m) {
  return m->count ? m->names[below(m, m->count)] : "nothing";
}

static bool is_dataset(mutant *m, const char *name) {
  hid_t id = H5Oopen(m->file, name, H5P_DEFAULT);
  bool yes = id >= 0 && H5Iget_type(id) == H5I_DATASET;
  if (id >= 0) H5Oclose(id);
  return yes;
}

static const char *any_dataset(mutant *m) {
  for (int k = 0; k < 50; k++) {
    const char *name = any_name(m);
    if (is_dataset(m, name)) return name;
  }
  return "nothing";
}

static hsize_t length_of(mutant *m, const char *name) {
  hid_t set = H5Dopen2(m->file, name, H5P_DEFAULT), space = H5Dget_space(set);
  hssize_t count = H5Sget_simple_extent_npoints(space);
  H5Sclose(space);
  H5Dclose(set);
  return count > 0 ? (hsize_t)count : 0;
}

static hid_t type_of(mutant *m, const char *name) {
  hid_t set = H5Dopen2(m->file, name, H5P_DEFAULT), type = H5Dget_type(set);
  H5Dclose(set);
  return type >= 0 ? type : H5Tcopy(H5T_IEEE_F64LE);
}

static bool has_huge_chunks(hid_t creation) {  // one element would take a whole chunk in the file
  hsize_t chunk[1];
  return creation != H5P_DEFAULT && H5Pget_layout(creation) == H5D_CHUNKED &&
         H5Pget_chunk(creation, 1, chunk) == 1 && chunk[0] > 100000;
}

// Makes `name` anew with this type, shape and layout, filled with random bytes if that is cheap and
// the type holds no pointers. Consumes type, space and creation.
static void remake(mutant *m, const char *name, hid_t type, hid_t space, hid_t creation) {
  H5Ldelete(m->file, name, H5P_DEFAULT);
  hid_t set = H5Dcreate2(m->file, name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
  size_t size = H5Tget_size(type);
  hssize_t count = H5Sget_simple_extent_npoints(space);
  bool pointers = H5Tdetect_class(type, H5T_VLEN) > 0 || H5Tis_variable_str(type) > 0 ||
                  H5Tdetect_class(type, H5T_REFERENCE) > 0;
  bool cheap = count > 0 && count < 4096 && size < 4096 && !has_huge_chunks(creation);
  if (set >= 0 && !pointers && cheap && below(m, 4)) {
    unsigned char *data = calloc((size_t)count, size);
    for (size_t k = 0; k < (size_t)count * size; k++)
      data[k] = (unsigned char)(below(m, 3) ? 0 : below(m, 256));
    H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
    free(data);
  }
  if (set >= 0) H5Dclose(set);
  H5Tclose(type);
  H5Sclose(space);
  if (creation != H5P_DEFAULT) H5Pclose(creation);
}

static hid_t line(hsize_t count) {
  return H5Screate_simple(1, &count, NULL);
}

// ---- mutations -------------------------------------------------------------------------------

static void remove_link(mutant *m) {
  H5Ldelete(m->file, any_name(m), H5P_DEFAULT);
}

static void rename_link(mutant *m) {
  static const char *const others[] = {"W",  "M", "H",  "G",       "V",  "R", "x", "p", "vectors/s",
                                       "mu", "f", "nz", "fclib_x", "\n", "1", "2", "l"};
  const char *from = any_name(m), *slash = strrchr(from, '/');
  char to[2 * NAME_SIZE];
  snprintf(to, sizeof to, "%.*s%s", slash ? (int)(slash - from) + 1 : 0, from,
           others[below(m, (int)(sizeof others / sizeof *others))]);
  H5Lmove(m->file, from, m->file, to, H5P_DEFAULT, H5P_DEFAULT);
}

static void exchange_links(mutant *m) {
  const char *a = any_name(m), *b = any_name(m);
  H5Lmove(m->file, a, m->file, "aside", H5P_DEFAULT, H5P_DEFAULT);
  H5Lmove(m->file, b, m->file, a, H5P_DEFAULT, H5P_DEFAULT);
  H5Lmove(m->file, "aside", m->file, b, H5P_DEFAULT, H5P_DEFAULT);
}

static void add_hard_link(mutant *m) {  // also a group into itself
  const char *from = any_name(m), *to = any_name(m);
  char inside[2 * NAME_SIZE];
  snprintf(inside, sizeof inside, "%s/%s", from, "loop");
  if (below(m, 3) == 0) {
    H5Lcreate_hard(m->file, from, m->file, inside, H5P_DEFAULT, H5P_DEFAULT);
  } else {
    H5Ldelete(m->file, to, H5P_DEFAULT);
    H5Lcreate_hard(m->file, from, m->file, to, H5P_DEFAULT, H5P_DEFAULT);
  }
}

static void make_soft_link(mutant *m) {
  const char *name = any_name(m), *target = any_name(m);
  char full[2 * NAME_SIZE];
  snprintf(full, sizeof full, "/%s", below(m, 3) ? target : below(m, 2) ? name : "dangling");
  H5Ldelete(m->file, name, H5P_DEFAULT);
  H5Lcreate_soft(full, m->file, name, H5P_DEFAULT, H5P_DEFAULT);
}

static void make_external_link(mutant *m) {
  const char *name = any_name(m);
  H5Ldelete(m->file, name, H5P_DEFAULT);
  H5Lcreate_external(below(m, 2) ? "/dev/zero" : "missing.hdf5", "/x", m->file, name, H5P_DEFAULT,
                     H5P_DEFAULT);
}

static hid_t compound(void) {
  hid_t t = H5Tcreate(H5T_COMPOUND, 16), s = H5Tcopy(H5T_C_S1);
  H5Tset_size(s, 4);
  H5Tinsert(t, "x", 0, H5T_IEEE_F64LE);
  H5Tinsert(t, "i", 8, H5T_STD_I32LE);
  H5Tinsert(t, "s", 12, s);
  H5Tclose(s);
  return t;
}

static hid_t odd_float(void) {  // IEEE layout but for one field
  hid_t t = H5Tcopy(H5T_IEEE_F64LE);
  H5Tset_ebias(t, 1000);
  return t;
}

static hid_t odd_int(void) {  // 32 bits, of which 20 count
  hid_t t = H5Tcopy(H5T_STD_I32LE);
  H5Tset_precision(t, 20);
  H5Tset_offset(t, 5);
  return t;
}

static hid_t enumeration(void) {
  hid_t t = H5Tenum_create(H5T_STD_I32LE);
  H5Tenum_insert(t, "ZERO", &(int){0});
  H5Tenum_insert(t, "ONE", &(int){1});
  return t;
}

static hid_t text(size_t size) {
  hid_t t = H5Tcopy(H5T_C_S1);
  H5Tset_size(t, size);
  return t;
}

static hid_t any_type(mutant *m) {
  switch (below(m, 20)) {
  case 0:
    return H5Tcopy(H5T_STD_I8LE);
  case 1:
    return H5Tcopy(H5T_STD_I32BE);
  case 2:
    return H5Tcopy(H5T_STD_I64LE);
  case 3:
    return H5Tcopy(H5T_STD_U32LE);
  case 4:
    return H5Tcopy(H5T_IEEE_F32LE);
  case 5:
    return H5Tcopy(H5T_IEEE_F64BE);
  case 6:
    return H5Tcopy(H5T_IEEE_F64LE);
  case 7:
    return H5Tcopy(H5T_STD_I32LE);
  case 8:
    return text(7);
  case 9:
    return text(H5T_VARIABLE);
  case 10:
    return H5Tvlen_create(H5T_STD_I32LE);
  case 11:
    return compound();
  case 12:
    return H5Tarray_create2(H5T_STD_I32LE, 2, (hsize_t[]){3, 2});
  case 13:
    return enumeration();
  case 14:
    return H5Tcreate(H5T_OPAQUE, 8);
  case 15:
    return H5Tcopy(H5T_STD_B32LE);
  case 16:
    return H5Tcopy(H5T_STD_REF_OBJ);
  case 17:
    return H5Tcopy(H5T_STD_REF_DSETREG);
  case 18:
    return odd_float();
  default:
    return odd_int();
  }
}

static void change_type(mutant *m) {
  const char *name = any_dataset(m);
  hsize_t count = length_of(m, name);
  remake(m, name, any_type(m), line(count), H5P_DEFAULT);
}

static void change_length(mutant *m) {
  const char *name = any_dataset(m);
  hsize_t count = length_of(m, name);
  hsize_t sizes[] = {
      count + 1,   count ? count - 1 : 0, 0, 1, 2 * count, 1 << 20, 1 << 28, (hsize_t)1 << 31,
      3000000000u, (hsize_t)1 << 59};
  remake(m, name, type_of(m, name), line(sizes[below(m, 10)]), H5P_DEFAULT);
}

static void change_rank(mutant *m) {
  const char *name = any_dataset(m);
  hsize_t count = length_of(m, name), sizes[32] = {count, 1, 1};
  for (int k = 3; k < 32; k++) sizes[k] = 1;
  int rank = below(m, 4);
  hid_t space = rank == 0   ? H5Screate(H5S_NULL)
                : rank == 1 ? H5Screate(H5S_SCALAR)
                            : H5Screate_simple(rank == 2 ? 2 : 32, sizes, NULL);
  remake(m, name, type_of(m, name), space, H5P_DEFAULT);
}

static void change_ints(mutant *m, hid_t set, hsize_t count) {
  const int odd[] = {-1, 0, 1, 2, 3, -2, -3, 7, INT_MAX, INT_MIN, 1 << 16, (int)count};
  int *x = calloc(count + 1, sizeof *x);
  H5Dread(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, x);
  for (int k = 1 + below(m, 3); k > 0; k--) x[below(m, (int)count)] = odd[below(m, 12)];
  H5Dwrite(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, x);
  free(x);
}

static void change_doubles(mutant *m, hid_t set, hsize_t count) {
  const double odd[] = {NAN, INFINITY, -INFINITY, -0.0, 1e308, -1, 4.9e-324};
  double *x = calloc(count + 1, sizeof *x);
  H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x);
  for (int k = 1 + below(m, 3); k > 0; k--) x[below(m, (int)count)] = odd[below(m, 7)];
  H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x);
  free(x);
}

static void change_values(mutant *m) {
  const char *name = any_dataset(m);
  hsize_t count = length_of(m, name);
  if (count == 0 || count > 100000) return;
  hid_t set = H5Dopen2(m->file, name, H5P_DEFAULT), type = H5Dget_type(set);
  hid_t creation = H5Dget_create_plist(set);
  H5T_class_t kind = has_huge_chunks(creation) ? H5T_NO_CLASS : H5Tget_class(type);
  H5Pclose(creation);
  if (kind == H5T_INTEGER) change_ints(m, set, count);
  if (kind == H5T_FLOAT) change_doubles(m, set, count);
  H5Tclose(type);
  H5Dclose(set);
}

static void group_for_dataset(mutant *m) {
  const char *name = any_name(m);
  H5Ldelete(m->file, name, H5P_DEFAULT);
  hid_t g = H5Gcreate2(m->file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  if (g >= 0) H5Gclose(g);
}

static void dataset_for_group(mutant *m) {
  remake(m, any_name(m), any_type(m), line((hsize_t)below(m, 5)), H5P_DEFAULT);
}

static void type_for_object(mutant *m) {
  const char *name = any_name(m);
  hid_t type = any_type(m);
  H5Ldelete(m->file, name, H5P_DEFAULT);
  H5Tcommit2(m->file, name, type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  H5Tclose(type);
}

static void named_type(mutant *m) {
  const char *name = any_dataset(m);
  hid_t type = type_of(m, name), own = H5Tcopy(type);
  hsize_t count = length_of(m, name);
  H5Tcommit2(m->file, "a type", own, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  H5Tclose(type);
  remake(m, name, own, line(count), H5P_DEFAULT);
}

static void add_filters(mutant *m, hid_t creation) {
  if (below(m, 2)) H5Pset_shuffle(creation);
  switch (below(m, 5)) {
  case 0:
    H5Pset_deflate(creation, (unsigned)below(m, 10));
    break;
  case 1:
    H5Pset_nbit(creation);
    break;
  case 2:
    H5Pset_scaleoffset(creation, H5Z_SO_INT, 0);
    break;
  case 3:
    H5Pset_szip(creation, H5_SZIP_NN_OPTION_MASK, 8);
    break;
  default:
    break;
  }
  if (below(m, 2)) H5Pset_fletcher32(creation);
  if (below(m, 5) == 0)
    H5Pset_filter(creation, 32000, H5Z_FLAG_OPTIONAL, 2, (unsigned[]){1, 2});  // of nobody
}

static void change_chunks(mutant *m) {
  const char *name = any_dataset(m);
  hsize_t count = length_of(m, name), most = H5S_UNLIMITED;
  hsize_t chunks[] = {1, 2, 3, count ? count : 1, 1 << 12, 1 << 28, 4294967295u};
  hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(creation, 1, &chunks[below(m, 7)]);
  add_filters(m, creation);
  hsize_t long_one = (hsize_t)1 << (20 + below(m, 30));
  if (below(m, 4) == 0) count = long_one;
  remake(m, name, type_of(m, name), H5Screate_simple(1, &count, &most), creation);
}

static void change_storage(mutant *m) {
  const char *name = any_dataset(m);
  hsize_t count = length_of(m, name);
  hid_t creation = H5Pcreate(H5P_DATASET_CREATE), type = type_of(m, name), space = line(count);
  switch (below(m, 4)) {
  case 0:
    H5Pset_layout(creation, H5D_COMPACT);
    break;
  case 1:
    H5Pset_external(creation, "/etc/passwd", 0, H5F_UNLIMITED);
    break;
  case 2:
    H5Pset_virtual(creation, space, "other.hdf5", "/x", space);
    break;
  default:
    H5Pset_fill_value(creation, H5T_NATIVE_DOUBLE, &(double){NAN});
    break;
  }
  remake(m, name, type, space, creation);
}

static void add_references(mutant *m) {
  const char *name = any_dataset(m), *target = any_name(m);
  hobj_ref_t reference = 0;
  H5Rcreate(&reference, m->file, target, H5R_OBJECT, -1);
  H5Ldelete(m->file, name, H5P_DEFAULT);
  hid_t space = line(1);
  hid_t set =
      H5Dcreate2(m->file, name, H5T_STD_REF_OBJ, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  if (set >= 0) {
    H5Dwrite(set, H5T_STD_REF_OBJ, H5S_ALL, H5S_ALL, H5P_DEFAULT, &reference);
    H5Dclose(set);
  }
  H5Sclose(space);
}

static void add_attributes(mutant *m) {
  hid_t object = H5Oopen(m->file, any_name(m), H5P_DEFAULT);
  if (object < 0) return;
  int count = below(m, 2) ? 1 : 40;  // dense storage beyond 8
  for (int k = 0; k < count; k++) {
    char name[32];
    snprintf(name, sizeof name, "attribute %d", k);
    hid_t type = any_type(m), space = line((hsize_t)below(m, 100));
    hid_t a = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    if (a >= 0) H5Aclose(a);
    H5Sclose(space);
    H5Tclose(type);
  }
  H5Oclose(object);
}

static void add_links(mutant *m) {  // many: the group's index grows
  hid_t object = H5Oopen(m->file, any_name(m), H5P_DEFAULT);
  if (object >= 0 && H5Iget_type(object) == H5I_GROUP)
    for (int k = 0; k < 600; k++) {
      char name[32];
      snprintf(name, sizeof name, "%d", k * 7919 % 1000);
      H5Lcreate_soft("/x", object, name, H5P_DEFAULT, H5P_DEFAULT);
    }
  if (object >= 0) H5Oclose(object);
}

static void (*const mutations[])(mutant *m) = {
    remove_link,        rename_link,   exchange_links,    add_hard_link,   make_soft_link,
    make_external_link, change_type,   change_length,     change_rank,     change_values,
    change_values,      change_values, group_for_dataset, type_for_object, dataset_for_group,
    named_type,         change_chunks, change_chunks,     change_storage,  add_references,
    add_attributes,     add_links,
};

// ---- the whole file --------------------------------------------------------------------------

// The same content in the newest format libhdf5 writes, perhaps behind a user block.
static void repack(mutant *m, const char *path) {
  char other[256];
  snprintf(other, sizeof other, "%s.new", path);
  hid_t access = H5Pcreate(H5P_FILE_ACCESS), creation = H5Pcreate(H5P_FILE_CREATE);
  H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
  if (below(m, 3) == 0) H5Pset_userblock(creation, 512);
  if (below(m, 3) == 0) H5Pset_link_creation_order(creation, H5P_CRT_ORDER_TRACKED);
  hid_t from = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  hid_t to = H5Fcreate(other, H5F_ACC_TRUNC, creation, access);
  H5G_info_t info;
  H5Gget_info(from, &info);
  for (hsize_t k = 0; k < info.nlinks; k++) {
    char name[NAME_SIZE];
    H5Lget_name_by_idx(from, "/", H5_INDEX_NAME, H5_ITER_INC, k, name, sizeof name, H5P_DEFAULT);
    H5Ocopy(from, name, to, name, H5P_DEFAULT, H5P_DEFAULT);
  }
  H5Fclose(from);
  H5Fclose(to);
  H5Pclose(access);
  H5Pclose(creation);
  rename(other, path);
}

static void change_bytes(mutant *m, char *bytes, size_t *size) {
  if (below(m, 5) == 0) *size = (size_t)(ssi_rng_uniform(&m->g) * (double)*size);
  for (int k = below(m, 2) ? 1 : 1 + below(m, 20); k > 0 && *size > 0; k--) {
    size_t at = (size_t)(ssi_rng_uniform(&m->g) * (double)*size);
    static const unsigned char odd[] = {0, 1, 0x7f, 0x80, 0xff};
    bytes[at] = (char)(below(m, 2) ? odd[below(m, 5)] : below(m, 256));
  }
}

static void make_base(mutant *m, const char *path) {
  static const ssi_storage storages[] = {SSI_TRIPLET, SSI_CSC, SSI_CSR};
  ss_context ctx = {0};
  ssi_arena arena = {.ctx = &ctx};
  sample_shape s = {(ss_form)below(m, 2), 2 + below(m, 2), below(m, 5), 1 + below(m, 8),
                    below(m, 2) * 2,      below(m, 3),     below(m, 2), below(m, 2)};
  if (s.form == SS_REDUCED) s.ndof = 0;
  ss_file f = sample_file(&arena, ssi_rng_next(&m->g), &s);
  ssi_storage as = storages[below(m, 3)], as_H = storages[below(m, 3)];
  if (ssi_write_fclib_as(&ctx, path, &f, NULL, as, as_H)) {
    fprintf(stderr, "%s\n", ctx.message);
    exit(1);
  }
  ssi_arena_release(&arena);
}

static ssi_source make_mutant(uint64_t seed, const char *path) {
  mutant m = {.g = {seed}};
  make_base(&m, path);
  if (below(&m, 3) == 0) repack(&m, path);
  m.file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  for (int k = below(&m, 2) ? 0 : below(&m, 4); k >= 0; k--) {
    list_names(&m);
    mutations[below(&m, (int)(sizeof mutations / sizeof *mutations))](&m);
  }
  H5Fclose(m.file);
  ssi_source in = sample_load(path, "mutant");
  if (in.bytes && below(&m, 4) == 0) change_bytes(&m, (char *)(uintptr_t)in.bytes, &in.size);
  return in;
}

// ---- the reader's answer ---------------------------------------------------------------------

typedef struct tally {
  int count, accepted, refused, crashed, late, wrong;
  double longest_s;
} tally;

static int *verdict(tally *t, ss_error e, const char *message) {
  if (!e) return &t->accepted;
  if (e != SS_ERR_FORMAT || !message[0]) return &t->wrong;
  if (strstr(message, "crashed") || strstr(message, "without a result")) return &t->crashed;
  return strstr(message, "did not finish") ? &t->late : &t->refused;
}

// Whether it was an ordinary answer.
static bool judge(const ssi_source *in, tally *t) {
  budget memory = {.left = INT_MAX};
  ss_context ctx = on_budget(&memory);
  ssi_arena arena = {.ctx = &ctx};
  ss_file f;
  double start = ssi_now_s();
  ss_error e = ssi_read_fclib_isolated(&ctx, in, &arena, &f);
  t->longest_s = fmax(t->longest_s, ssi_now_s() - start);
  if (!e) e = ssi_check_structure(&ctx, SS_ERR_FORMAT, in->name, &f);
  int *into = verdict(t, e, ctx.message);
  ssi_arena_release(&arena);
  if (memory.held) {
    fprintf(stderr, "%s: %d blocks of memory not released\n", in->name, memory.held);
    into = &t->wrong;
  }
  t->count++, ++*into;
  bool ordinary = into == &t->accepted || into == &t->refused;
  if (!ordinary) fprintf(stderr, "%s: error %d: %s\n", in->name, (int)e, ctx.message);
  return ordinary;
}

static void keep(const ssi_source *in, const char *folder) {
  char path[512];
  snprintf(path, sizeof path, "%s/%s.hdf5", folder, in->name);
  FILE *f = fopen(path, "wb");
  bool ok = f && fwrite(in->bytes, 1, in->size, f) == in->size;
  if (!f || fclose(f) != 0 || !ok) {
    perror(path);
    exit(1);
  }
}

static int usage(void) {
  fprintf(stderr, "usage: mutate_hdf5 SEED COUNT|SECONDSs [FOLDER [all]]\n");
  return 2;
}

int main(int argc, char **argv) {
  char *end = NULL;
  uint64_t seed = argc > 2 ? strtoull(argv[1], NULL, 10) : 0;
  long most = argc > 2 ? strtol(argv[2], &end, 10) : 0;
  bool timed = end && strcmp(end, "s") == 0;
  if (most <= 0 || (*end && !timed)) return usage();
  double stop = timed ? ssi_now_s() + (double)most : INFINITY;
  bool keep_all = argc > 4 && strcmp(argv[4], "all") == 0;
  tally t = {0};
  char path[64], name[64];
  snprintf(path, sizeof path, "mutate_hdf5_%ld.hdf5", (long)getpid());
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);  // many mutations do not apply; that is fine
  while (timed ? ssi_now_s() < stop : t.count < most) {
    snprintf(name, sizeof name, "%llu-%d", (unsigned long long)seed, t.count);
    ssi_source in = make_mutant(seed * 1000003 + (uint64_t)t.count, path);
    in.name = name;
    bool ordinary = judge(&in, &t);
    if (argc > 3 && (keep_all || !ordinary)) keep(&in, argv[3]);
    free((void *)(uintptr_t)in.bytes);
  }
  remove(path);
  printf("%d mutants: %d accepted, %d refused, %d crashed libhdf5, %d late, %d wrong; longest "
         "%.3f s\n",
         t.count, t.accepted, t.refused, t.crashed, t.late, t.wrong, t.longest_s);
  return t.wrong || t.late || t.accepted == 0 || t.refused == 0;
}
