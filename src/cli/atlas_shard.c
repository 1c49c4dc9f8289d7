// The blocks of an atlas that this run finds, as lines, and what is said of them.
#include <stdlib.h>

#include "cli/atlas_job.h"
#include "cli/interrupt.h"

typedef struct block_finding {
  cli_session *s;
  atlas_job *j;
  int status;
} block_finding;

static int on_block(void *user, const ss_atlas_points *found) {
  block_finding *f = user;
  atlas_job *j = f->j;
  f->status = atlas_lines_add(f->s, j, found);
  if (f->status != CLI_GO_ON) return 1;
  ss_error e = j->o.shard ? SS_OK : ss_atlas_known_add(&f->s->ctx, j->known, found);
  if (e) f->status = cli_fail_library(f->s, j->path, e);
  j->has[found->block] = true;
  j->problems += found->count;
  j->time_s += found->time_s;
  return f->status != CLI_GO_ON;
}

static int count_done(const atlas_job *j, int *ours) {
  int done = 0;
  *ours = 0;
  for (int k = 0; k < j->block_count; k++) {
    if (!cli_shard_has(&j->shard, k)) continue;
    ++*ours;
    done += j->has[k];
  }
  return done;
}

// What a map that is not whole yet ends with; a shard says it itself.
static int stopped(cli_session *s, const atlas_job *j, bool late) {
  int ours, done = count_done(j, &ours);
  if (cli_interrupted())
    return cli_fail(s, CLI_RESOURCES,
                    "atlas: interrupted after %d of %d blocks; --resume goes on from there", done,
                    ours);
  if (late && !j->o.shard)
    return cli_fail(s, CLI_NEGATIVE,
                    "atlas: the time was up after %d of %d blocks; --resume goes on from there",
                    done, ours);
  return CLI_GO_ON;
}

int atlas_run_blocks(cli_session *s, atlas_job *j) {
  block_finding f = {s, j, CLI_GO_ON};
  int *blocks = calloc((size_t)j->block_count + 1, sizeof *blocks), count = 0;
  if (!blocks) return cli_fail(s, CLI_RESOURCES, "out of memory for the blocks");
  for (int k = 0; k < j->block_count; k++)
    if (!j->has[k] && cli_shard_has(&j->shard, k)) blocks[count++] = k;
  ss_atlas_block_list list = {.blocks = blocks, .count = count, .done = on_block, .user = &f};
  char left[600];  // one problem may keep a thread longer than the grace of a signal
  snprintf(left, sizeof left, "%s holds the blocks so far; --resume goes on with it", j->path);
  cli_interrupt_leaves(left);
  ss_error e = atlas_find(s, j, &list);
  free(blocks);
  if (f.status != CLI_GO_ON) return f.status;
  if (e) return cli_source_fail(s, &j->source, e);
  return list.complete ? CLI_GO_ON : stopped(s, j, list.late);
}

int atlas_report_shard(cli_session *s, const atlas_job *j) {
  int ours, done = count_done(j, &ours);
  int status = done == ours ? CLI_DONE : CLI_NEGATIVE;
  if (s->json) {
    ss_atlas plane = {.x = j->a.x, .y = j->a.y, .refine = j->a.refine, .judged = j->o.status};
    cli_atlas c = {.atlas = &plane};
    atlas_fill_caption(j, &c);
    json_t *o = cli_atlas_asked_json(s, &c), *blocks = json_object();
    cli_put(s, blocks, "all", json_integer(j->block_count));
    cli_put(s, blocks, "ours", json_integer(ours));
    cli_put(s, blocks, "done", json_integer(done));
    cli_put(s, o, "blocks", blocks);
    cli_put(s, o, "problems", json_integer(j->problems));
    cli_put(s, o, "complete", json_boolean(done == ours));
    cli_put(s, o, "stopped", cli_text(done == ours ? NULL : "time_limit"));
    cli_put(s, o, "time_s", cli_real(j->time_s));
    cli_put(s, o, "outputs", cli_list_json(s, &j->o.outputs));
    return cli_print_json(s, o, status);
  }
  cli_line(stdout, "blocks", "%d of %d, of %d in all", done, ours, j->block_count);
  cli_line(stdout, "problems", "%lld in %.2f s", (long long)j->problems, j->time_s);
  if (done < ours) cli_line(stdout, "stopped", "at the time limit; --resume goes on from there");
  cli_line(stdout, "written", "%s", j->path);
  return status;
}
