// A problem to a file and back: every number survives to the last bit.
//
// Shows ss_file_write, ss_file_open and what an error message looks like.
#include <stdio.h>
#include <stdlib.h>
#include <stickslip/stickslip.h>
#include <string.h>

int main(void) {
  const int64_t ptr[] = {0, 2, 4};
  const int col[] = {0, 1, 0, 1};
  const double W[] = {1.0 / 3, 0.1, 0.1, 0.7}, q[] = {-1e-3, 2e-17}, mu[] = {0.3};
  ss_file out = {
      .problem =
          {.form = SS_REDUCED, .dim = 2, .nc = 1, .mu = mu, .q = q, .W = {2, 2, ptr, col, W}},
      .title = "one contact"};
  ss_context ctx = {0};
  const char *folder = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
  char path[1000];
  snprintf(path, sizeof path, "%s/stickslip-example-files.json", folder);
  if (ss_file_write(&ctx, path, SS_FORMAT_AUTO, &out)) return puts(ctx.message), 1;

  ss_file *in;
  if (ss_file_open(&ctx, path, &(ss_read_options){0}, &in)) return puts(ctx.message), 1;
  printf("format %s, %d contact, same W: %s, same q: %s\n", ss_format_name(in->format),
         in->problem.nc, memcmp(in->problem.W.x, W, sizeof W) ? "no" : "yes",
         memcmp(in->problem.q, q, sizeof q) ? "no" : "yes");
  ss_file_close(in);
  remove(path);

  ss_error e = ss_file_open(&ctx, "/no/such/file.json", &(ss_read_options){0}, &in);
  printf("a missing file: %s\n", ss_error_text(e));
}
