// io/builtin.h - the scenes that come with the library, embedded by cmake/embed_scenes.cmake.
#pragma once

typedef struct ssi_builtin {
  const char *name, *about, *text;
} ssi_builtin;

// Name NULL after the last.
extern const ssi_builtin ssi_builtin_scenes[];      // of rigid bodies: scenes/*.json
extern const ssi_builtin ssi_builtin_structures[];  // elastic: scenes/elastic/*.json

const char *ssi_builtin_at(const ssi_builtin *table, int index, const char **about,
                           const char **text);
