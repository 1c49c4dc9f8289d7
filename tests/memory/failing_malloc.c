// Preloaded into the command: lets the memory that it and its library ask for fail from call number FAILING_CALL on (or
// at that one only, with FAILING_ONCE), and writes to FAILING_REPORT how many calls there were, how many of them failed and
// how many blocks were left at the end. What other libraries ask for themselves does not count: Jansson's parser stops at an
// assertion. Nor do functions at the addresses FAILING_NOT ("from-to from-to ...") of libstickslip.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// glibc's own, under the names that it exports for this.
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void __libc_free(void *block);

// Though the project's symbols are hidden unless they say otherwise.
#define SEEN __attribute__((visibility("default")))

enum { OURS_MAX = 4, SPARED_MAX = 4096, SLOTS = 1 << 20 };

static struct range { uintptr_t begin, end; } ours[OURS_MAX], spared[SPARED_MAX];
static int ours_count, spared_count;
static struct counts {
  long calls, failed;
} * counts;  // shared with forked children: what fails there counts too
static long live, fail_from = -1;
static bool once, watching;
static pid_t watched;
static void *slot[SLOTS];  // the blocks that are live, by address
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

// The program (the first object, which has no name) and libstickslip.
static int note_object(struct dl_phdr_info *o, size_t size, void *first) {
  (void)size;
  bool *is_first = first;
  if ((*is_first || strstr(o->dlpi_name, "libstickslip")) && ours_count < OURS_MAX)
    for (int k = 0; k < o->dlpi_phnum; k++)
      if (o->dlpi_phdr[k].p_type == PT_LOAD && (o->dlpi_phdr[k].p_flags & PF_X)) {
        uintptr_t at = o->dlpi_addr + o->dlpi_phdr[k].p_vaddr;
        ours[ours_count++] = (struct range){at, at + o->dlpi_phdr[k].p_memsz};
      }
  char *list = strstr(o->dlpi_name, "libstickslip") ? getenv("FAILING_NOT") : NULL;
  while (list && *list && spared_count < SPARED_MAX) {
    uintptr_t from = strtoull(list, &list, 16), to = strtoull(list + (*list == '-'), &list, 16);
    spared[spared_count++] = (struct range){o->dlpi_addr + from, o->dlpi_addr + to};
  }
  *is_first = false;
  return 0;
}

__attribute__((constructor)) static void begin(void) {
  const char *call = getenv("FAILING_CALL");
  bool first = true;
  dl_iterate_phdr(note_object, &first);
  if (call) fail_from = atol(call);
  once = getenv("FAILING_ONCE") != NULL;
  watched = getpid();
  counts = mmap(NULL, sizeof *counts, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  watching = counts != MAP_FAILED;
}

__attribute__((destructor)) static void report(void) {
  if (!watching) return;
  watching = false;
  const char *path = getenv("FAILING_REPORT");
  FILE *f = path && getpid() == watched ? fopen(path, "w") : NULL;
  if (!f) return;
  fprintf(f, "%ld %ld %ld\n", counts->calls, counts->failed, live);
  fclose(f);
}

static bool is_ours(const void *caller) {
  for (int k = 0; watching && k < spared_count; k++)
    if ((uintptr_t)caller > spared[k].begin && (uintptr_t)caller <= spared[k].end) return false;
  for (int k = 0; watching && k < ours_count; k++)
    if ((uintptr_t)caller >= ours[k].begin && (uintptr_t)caller < ours[k].end) return true;
  return false;
}

static bool fails(void) {
  long call = __atomic_fetch_add(&counts->calls, 1, __ATOMIC_RELAXED);
  bool now = fail_from >= 0 && (once ? call == fail_from : call >= fail_from);
  if (now) __atomic_fetch_add(&counts->failed, 1, __ATOMIC_RELAXED);
  return now;
}

// Open addressing; a block that goes leaves a mark, so that those behind it are still found.
static char gone;
static size_t place(const void *block) {
  return (size_t)(((uintptr_t)block >> 4) * 0x9E3779B97F4A7C15u >> 44);
}

static void *put(void *block) {
  if (!block) return NULL;
  pthread_mutex_lock(&lock);
  size_t k = place(block);
  while (slot[k] && slot[k] != &gone) k = (k + 1) % SLOTS;
  slot[k] = block;
  live++;
  pthread_mutex_unlock(&lock);
  return block;
}

static bool drop(const void *block) {
  bool found = false;
  pthread_mutex_lock(&lock);
  for (size_t k = place(block); block && slot[k] && !found; k = (k + 1) % SLOTS)
    if ((found = slot[k] == block)) slot[k] = &gone, live--;
  pthread_mutex_unlock(&lock);
  return found;
}

SEEN void *malloc(size_t size) {
  if (!is_ours(__builtin_return_address(0))) return __libc_malloc(size);
  return fails() ? NULL : put(__libc_malloc(size));
}

SEEN void *calloc(size_t count, size_t size) {
  if (!is_ours(__builtin_return_address(0))) return __libc_calloc(count, size);
  return fails() ? NULL : put(__libc_calloc(count, size));
}

SEEN void *realloc(void *block, size_t size) {
  bool mine = is_ours(__builtin_return_address(0));
  if (mine && fails()) return NULL;
  bool known = drop(block);
  void *larger = __libc_realloc(block, size);
  if (known || mine) put(larger ? larger : block);
  return larger;
}

SEEN void free(void *block) {
  drop(block);
  __libc_free(block);
}
