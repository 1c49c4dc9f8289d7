// io/confine.h - what a child process may do that works on bytes nobody vouches for.
#pragma once

#include <stddef.h>
#include <sys/types.h>

// The child ends when its parent does, also where that was before this call.
void ssi_die_with(pid_t parent);

// From here on this process, which `parent` has forked, has no descriptor but /dev/null and `fd`, and a library that
// a damaged file has taken over can do nothing with it but compute, say something through `fd` and end: no new
// privileges, no other file, socket, process or signal to one (seccomp, where the system has it), no more than so
// many seconds of processor time, no core dump, no memory beyond what the parent had, 4 GiB, and 64 bytes for each of `size`.
void ssi_confine(pid_t parent, int fd, double seconds, size_t size);
