// io/confine.c - see confine.h.
#define _GNU_SOURCE  // RLIMIT_AS, SYS_close_range, NSIG
#include "io/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#ifdef __linux__
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define WITH_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer) ||                         \
    __has_feature(thread_sanitizer)
#define WITH_SANITIZER 1
#endif
#endif

void ssi_die_with(pid_t parent) {
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
  if (getppid() != parent) _exit(1);
}

// ---- what it has open ----------------------------------------------------------------------------

static void close_from(int first, int last) {
  if (first > last) return;
#ifdef SYS_close_range
  if (syscall(SYS_close_range, (unsigned)first, (unsigned)last, 0u) == 0) return;
#endif
  long most = sysconf(_SC_OPEN_MAX);
  if (most < 0 || most > 65536) most = 65536;
  for (int fd = first; fd <= last && fd < most; fd++) close(fd);
}

static void close_others(int fd) {
  int null = open("/dev/null", O_RDWR);
  for (int k = STDIN_FILENO; null >= 0 && k <= STDERR_FILENO; k++) dup2(null, k);
  close_from(STDERR_FILENO + 1, fd - 1);
  close_from(fd + 1, INT32_MAX);
}

// ---- limits --------------------------------------------------------------------------------------

// Hard ones: it cannot raise them again.
static void limit(int which, rlim_t soft, rlim_t hard) {
  struct rlimit now;
  if (getrlimit(which, &now) != 0) return;
  if (now.rlim_max != RLIM_INFINITY && hard > now.rlim_max) hard = now.rlim_max;
  if (soft > hard) soft = hard;
  setrlimit(which, &(struct rlimit){soft, hard});
}

// Room for every array of the file and libhdf5's work on them. Sanitizers map far more than that for themselves.
static void limit_memory(size_t size) {
#ifndef WITH_SANITIZER
  long pages = 0;
  FILE *f = fopen("/proc/self/statm", "r");
  if (f) {
    if (fscanf(f, "%ld", &pages) != 1) pages = 0;
    fclose(f);
  }
  rlim_t most = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + ((rlim_t)4 << 30);
  if (pages > 0 && size < SIZE_MAX / 128)
    limit(RLIMIT_AS, most + 64 * (rlim_t)size, most + 64 * (rlim_t)size);
#else
  (void)size;
#endif
}

// ---- what it may ask the system for ----------------------------------------------------------------

#if defined(__x86_64__) && defined(SECCOMP_MODE_FILTER)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__) && defined(SECCOMP_MODE_FILTER)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#ifdef ARCHITECTURE

#define WORD(field) (uint32_t) offsetof(struct seccomp_data, field)
#define LOW(k)      (WORD(args) + 8 * (k))  // both processors keep the low half first

// A call is answered by the first row that says so.
#define LOAD(at)     BPF_STMT(BPF_LD | BPF_W | BPF_ABS, at)
#define ANSWER(what) BPF_STMT(BPF_RET | BPF_K, what)
#define ALLOW(call)  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 1), ANSWER(SECCOMP_RET_ALLOW)
#define REFUSE       (SECCOMP_RET_ERRNO | EPERM)

// Memory that cannot be executed: bit PROT_EXEC of the third argument is not set.
#define ALLOW_DATA(call)                                                                           \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 4), LOAD(LOW(2)),                             \
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 1, 0), ANSWER(SECCOMP_RET_ALLOW),            \
      ANSWER(REFUSE)

// To itself: abort and raise send a signal.
#define ALLOW_TO(call, process)                                                                    \
  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 4), LOAD(LOW(0)),                             \
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, process, 0, 1), ANSWER(SECCOMP_RET_ALLOW),               \
      ANSWER(REFUSE)

static void filter_calls(void) {
  uint32_t self = (uint32_t)getpid();
  // clang-format off
  struct sock_filter rows[] = {
      LOAD(WORD(arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
      ANSWER(REFUSE),
      LOAD(WORD(nr)),
      ALLOW(read), ALLOW(write), ALLOW(close), ALLOW(exit), ALLOW(exit_group), ALLOW(futex),
      ALLOW(brk), ALLOW(munmap), ALLOW(mremap), ALLOW(madvise),
      ALLOW_DATA(mmap), ALLOW_DATA(mprotect),
      ALLOW(getpid), ALLOW(gettid), ALLOW(clock_gettime), ALLOW(gettimeofday),
      ALLOW(rt_sigprocmask), ALLOW(rt_sigaction), ALLOW(rt_sigreturn),
      ALLOW(sigaltstack),  // sanitizers look at it wherever they end
      ALLOW_TO(tgkill, self),
      ANSWER(REFUSE),
  };
  // clang-format on
  struct sock_fprog program = {.len = sizeof rows / sizeof *rows, .filter = rows};
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);  // a system without it goes on without
}

#else
static void filter_calls(void) {}
#endif

void ssi_confine(pid_t parent, int fd, double seconds, size_t size) {
  for (int s = 1; s < NSIG; s++) signal(s, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  ssi_die_with(parent);
  close_others(fd);
  limit_memory(size);  // looks at a file, which what follows forbids
  limit(RLIMIT_CORE, 0, 0);
  limit(RLIMIT_CPU, (rlim_t)seconds + 1, (rlim_t)seconds + 2);  // the hard one kills without a word
  limit(RLIMIT_FSIZE, 0, 0);
  limit(RLIMIT_NOFILE, 0, 0);
#ifdef __linux__
  limit(RLIMIT_NPROC, 0, 0);
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
#endif
  filter_calls();
}
