// Blocks of several runs (shards of one atlas) put together: what is mapped is what the first file says, the others
// must say the same, and no block may be missing.
#include <stdio.h>
#include <string.h>

#include "cli/atlas_job.h"
#include "cli/json_lines.h"

static int not_blocks(cli_session *s, const char *path) {
  return cli_fail(s, CLI_INPUT, "%s: found no head, expected blocks of an atlas (.jsonl)", path);
}

// The head of a file, which stays in j->head: names and texts of the job are its own.
static int read_head(cli_session *s, atlas_job *j, atlas_place *at) {
  FILE *from = fopen(at->path, "r");
  if (!from) return cli_fail(s, CLI_INPUT, "%s: cannot be read", at->path);
  cli_line_reader r = {.from = from};
  int broken = 0;  // line of a head that is no JSON; one that was cut off may have another below it
  char fault[sizeof r.fault];
  while (!j->head && cli_line_read(&r)) {
    if (r.head && !r.value) broken = r.number, memcpy(fault, r.fault, sizeof fault);
    if (atlas_is_head(r.value)) j->head = json_incref(r.value), at->line = r.number;
  }
  cli_line_reader_end(&r);
  fclose(from);
  if (j->head) return CLI_GO_ON;
  return broken ? atlas_broken_head(s, &(atlas_place){at->path, broken}, fault)
                : not_blocks(s, at->path);
}

// The template may have changed since, and so may the library.
static int check_head(cli_session *s, atlas_job *j, const atlas_place *at) {
  json_t *written = j->head;
  int status = atlas_make_head(s, j);
  if (status == CLI_GO_ON) status = atlas_check_head(s, j, at, written, j->source.name);
  if (j->head != written) json_decref(j->head);
  j->head = written;  // the job's names and texts are in there
  return status;
}

static int check_blocks(cli_session *s, const atlas_job *j) {
  int missing = 0, first = 0;
  for (int k = j->block_count - 1; k >= 0; k--)
    if (!j->has[k]) missing++, first = k;
  if (!missing) return CLI_GO_ON;
  return cli_fail(s, CLI_INPUT,
                  "these files lack %d of %d blocks, the first is block %d; --shard with --resume "
                  "finds them",
                  missing, j->block_count, first);
}

static int read_blocks(cli_session *s, atlas_job *j, const char *path, const char *first) {
  FILE *from = fopen(path, "r");
  if (!from) return cli_fail(s, CLI_INPUT, "%s: cannot be read", path);
  int status = atlas_lines_read(s, j, from, path, first);
  fclose(from);
  return status;
}

int atlas_merge(cli_session *s, atlas_job *j, char *const *paths, int count) {
  atlas_place at = {.path = paths[0]};
  int status = read_head(s, j, &at);
  if (status == CLI_GO_ON) status = atlas_take_head(s, j, &at);
  if (status == CLI_GO_ON) status = check_head(s, j, &at);
  if (status == CLI_GO_ON) status = atlas_check_parameters(s, j, &at);
  if (status == CLI_GO_ON) status = atlas_begin_blocks(s, j);
  for (int k = 0; k < count && status == CLI_GO_ON; k++)
    status = read_blocks(s, j, paths[k], paths[0]);
  return status == CLI_GO_ON ? check_blocks(s, j) : status;
}
