// io/builtin.h - the scenes that come with the library, embedded by cmake/embed_scenes.cmake.
#pragma once

typedef struct ssi_builtin {
  const char *name, *about, *text;
} ssi_builtin;

extern const ssi_builtin ssi_builtins[];  // name NULL after the last
