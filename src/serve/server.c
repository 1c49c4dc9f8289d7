// HTTP over libmicrohttpd: which requests are answered, and with what.
//
//   /               the folder          /folder/PATH    a folder in it
//   /page/PATH      the page of a run or a result        /file/PATH      a file as it is
#define _GNU_SOURCE  // O_PATH, strcasecmp
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/error.h"
#include "serve/headers.h"
#include "serve/listing.h"
#include "serve/page_jobs.h"
#include "stickslip/serve.h"

struct ss_server {
  ss_context *ctx;
  struct MHD_Daemon *daemon;
  ssi_page_jobs *jobs;
  int root;  // descriptor of the folder
  char root_name[256];
  int port;
  char address[40];
};

enum { CANNOT_BE_SHOWN = 422 };  // libmicrohttpd has two names for it
static const char html[] = "text/html; charset=utf-8";

// ---- answers ---------------------------------------------------------------------------------

// r is taken over.
static enum MHD_Result answer(struct MHD_Connection *c, unsigned status, struct MHD_Response *r) {
  if (!r) return MHD_NO;
  enum MHD_Result done = MHD_queue_response(c, status, r);
  MHD_destroy_response(r);
  return done;
}

// text: of ssi_alloc, taken over.
static enum MHD_Result answer_html(struct MHD_Connection *c, unsigned status, char *text) {
  if (!text) return MHD_NO;
  struct MHD_Response *r =
      MHD_create_response_from_buffer(strlen(text), text, MHD_RESPMEM_MUST_COPY);
  ssi_release(NULL, text);
  if (!r) return MHD_NO;
  ssi_served_headers(r, SSI_POLICY_TEXT, html, NULL);
  if (status == MHD_HTTP_METHOD_NOT_ALLOWED) MHD_add_response_header(r, "Allow", "GET, HEAD");
  if (status == MHD_HTTP_SERVICE_UNAVAILABLE) MHD_add_response_header(r, "Retry-After", "5");
  return answer(c, status, r);
}

static enum MHD_Result refuse(struct MHD_Connection *c, unsigned status, const char *title,
                              const char *text) {
  return answer_html(c, status, ssi_served_message(title, text));
}

static enum MHD_Result not_found(struct MHD_Connection *c) {
  return refuse(c, MHD_HTTP_NOT_FOUND, "Not here",
                "There is no such file in the folder that is served.");
}

static ssize_t no_more(void *user, uint64_t at, char *to, size_t room) {
  (void)user, (void)at, (void)to, (void)room;
  return MHD_CONTENT_READER_END_OF_STREAM;
}

// Headers alone: the content is as it was, or nobody asked for it.
static enum MHD_Result answer_without(struct MHD_Connection *c, unsigned status, ssi_policy policy,
                                      const char *type, const char *version) {
  struct MHD_Response *r =
      status != MHD_HTTP_OK
          ? MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT)
          : MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 4096, no_more, NULL, NULL);
  if (r) ssi_served_headers(r, policy, type, version);
  // else libmicrohttpd 0.9.75 ends what is not there by a chunk of nothing, which the client takes for the next answer
  if (r && status == MHD_HTTP_OK) MHD_add_response_header(r, "Connection", "close");
  return answer(c, status, r);
}

static bool has_it_already(struct MHD_Connection *c, const char *version) {
  const char *known = MHD_lookup_connection_value(c, MHD_HEADER_KIND, "If-None-Match");
  return known && strcmp(known, version) == 0;
}

// ---- files and pages -------------------------------------------------------------------------

static const char *type_of(const char *name) {
  static const struct {
    const char *ending, *type;
  } types[] = {
      {".html", html},
      {".htm", html},
      {".svg", "image/svg+xml"},
      {".png", "image/png"},
      {".csv", "text/plain; charset=utf-8"},
      {".json", "text/plain; charset=utf-8"},
      {".log", "text/plain; charset=utf-8"},
      {".md", "text/plain; charset=utf-8"},
      {".txt", "text/plain; charset=utf-8"},
      {".xml", "text/plain; charset=utf-8"},
  };
  const char *dot = strrchr(name, '.');
  for (size_t k = 0; dot && k < sizeof types / sizeof *types; k++)
    if (strcasecmp(dot, types[k].ending) == 0) return types[k].type;
  return "application/octet-stream";
}

static enum MHD_Result give_file(struct MHD_Connection *c, ssi_served *file) {
  if (file->fd < 0 || file->is_folder) return not_found(c);
  const char *type = type_of(file->name);
  if (has_it_already(c, file->version))
    return answer_without(c, MHD_HTTP_NOT_MODIFIED, SSI_POLICY_FILE, type, file->version);
  struct MHD_Response *r = MHD_create_response_from_fd64((uint64_t)file->st.st_size, file->fd);
  if (!r) return MHD_NO;
  file->fd = -1;  // the response closes it
  ssi_served_headers(r, SSI_POLICY_FILE, type, file->version);
  return answer(c, MHD_HTTP_OK, r);
}

static enum MHD_Result give_job(struct MHD_Connection *c, const ssi_page_job *job) {
  int status;
  const char *message = ssi_page_job_message(job, &status);
  struct MHD_Response *page = ssi_page_job_page(job);
  if (page) return MHD_queue_response(c, MHD_HTTP_OK, page);
  bool bad_file = status == 3;  // as docs/cli.md has it
  return refuse(c, bad_file ? CANNOT_BE_SHOWN : MHD_HTTP_INTERNAL_SERVER_ERROR,
                "No page of this file", message);
}

static enum MHD_Result give_page(ss_server *s, struct MHD_Connection *c, const ssi_served *file,
                                 bool head, void **kept) {
  if (file->is_folder) return not_found(c);
  bool same = has_it_already(c, file->version), ready;
  if (same || head)
    return answer_without(c, same ? MHD_HTTP_NOT_MODIFIED : MHD_HTTP_OK, SSI_POLICY_PAGE, html,
                          file->version);
  ssi_page_job *job = ssi_page_job_join(s->jobs, file, c, &ready);
  if (!job)
    return refuse(c, MHD_HTTP_SERVICE_UNAVAILABLE, "Busy",
                  "Too many pages are being made; try again in a moment.");
  *kept = job;
  return ready ? give_job(c, job) : MHD_YES;
}

// ---- requests --------------------------------------------------------------------------------

typedef struct host_check {
  int port, hosts;
  bool good;
} host_check;

static enum MHD_Result see_host(void *user, enum MHD_ValueKind kind, const char *key,
                                const char *value) {
  static const char *const names[] = {"127.0.0.1", "localhost"};
  host_check *h = user;
  (void)kind;
  if (strcasecmp(key, "Host") != 0) return MHD_YES;
  bool good = false;
  for (int k = 0; value && k < 2; k++) {
    char with_port[40];
    snprintf(with_port, sizeof with_port, "%s:%d", names[k], h->port);
    good = good || strcasecmp(value, with_port) == 0 ||
           (h->port == 80 && strcasecmp(value, names[k]) == 0);
  }
  h->good = good;
  h->hosts++;
  return MHD_YES;
}

// A name of somebody else that was made to point here says so in the Host header.
static bool meant_for_us(const ss_server *s, struct MHD_Connection *c) {
  host_check h = {.port = s->port};
  MHD_get_connection_values(c, MHD_HEADER_KIND, see_host, &h);
  return h.hosts == 1 && h.good;
}

// What a page of another origin puts into itself; to follow a link to here is fine.
static bool from_elsewhere(struct MHD_Connection *c) {
  const char *site = MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Sec-Fetch-Site");
  const char *mode = MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Sec-Fetch-Mode");
  return site && strcmp(site, "cross-site") == 0 && !(mode && strcmp(mode, "navigate") == 0);
}

// The rest of the URL behind /WORD; NULL: it is another.
static const char *behind(const char *url, const char *word) {
  size_t n = strlen(word);
  return strncmp(url, word, n) == 0 && (url[n] == '/' || !url[n]) ? url + n : NULL;
}

static enum MHD_Result give(ss_server *s, struct MHD_Connection *c, const char *url, bool head,
                            void **kept) {
  const char *folder = strcmp(url, "/") == 0 ? url : behind(url, "/folder");
  const char *page = behind(url, "/page"), *file = behind(url, "/file");
  const char *rest = folder ? folder : page ? page : file;
  char path[SSI_SERVED_PATH];
  if (strcmp(url, "/favicon.ico") == 0)
    return answer_without(c, MHD_HTTP_NO_CONTENT, SSI_POLICY_TEXT, html, NULL);
  if (!rest || !ssi_served_decode(*rest ? rest : "/", path)) return not_found(c);
  ssi_served found;
  int failed = ssi_served_open(s->root, path, &found);
  enum MHD_Result done;
  if (failed == EMFILE || failed == ENFILE || failed == ENOMEM)
    done = refuse(c, MHD_HTTP_SERVICE_UNAVAILABLE, "Busy",
                  "Too many files are open; try again in a moment.");
  else if (failed)
    done = not_found(c);
  else if (page)
    done = give_page(s, c, &found, head, kept);
  else if (file)
    done = give_file(c, &found);
  else if (!found.is_folder)
    done = not_found(c);
  else
    done = answer_html(c, MHD_HTTP_OK, ssi_listing(found.fd, path, s->root_name));
  ssi_served_close(&found);
  return done;
}

// What a request is until its job is known: to answer before all of it is here would end the connection.
static char begun;

static enum MHD_Result on_request(void *user, struct MHD_Connection *c, const char *url,
                                  const char *method, const char *version, const char *upload,
                                  size_t *upload_size, void **kept) {
  ss_server *s = user;
  (void)version, (void)upload;
  bool head = strcmp(method, MHD_HTTP_METHOD_HEAD) == 0;
  if (!head && strcmp(method, MHD_HTTP_METHOD_GET) != 0)
    return refuse(c, MHD_HTTP_METHOD_NOT_ALLOWED, "Not allowed",
                  "This server only shows what is there: GET and HEAD.");
  if (!*kept) return *kept = &begun, MHD_YES;
  if (*upload_size) return *upload_size = 0, MHD_YES;  // a body means nothing here
  if (*kept != &begun) return give_job(c, *kept);      // it was waited for
  if (!meant_for_us(s, c) || from_elsewhere(c))
    return refuse(c, MHD_HTTP_FORBIDDEN, "Not for this address",
                  "This server answers to its own address only; use the one that it printed.");
  return give(s, c, url, head, kept);
}

static void on_end(void *user, struct MHD_Connection *c, void **kept,
                   enum MHD_RequestTerminationCode why) {
  ss_server *s = user;
  (void)c, (void)why;
  if (*kept && *kept != &begun) ssi_page_job_leave(s->jobs, *kept);
  *kept = NULL;
}

// Paths are decoded by served.c, which sees a zero byte.
static size_t leave_escapes(void *user, struct MHD_Connection *c, char *text) {
  (void)user, (void)c;
  return strlen(text);
}

// ---- its life --------------------------------------------------------------------------------

const char *ss_server_missing(void) {
  return NULL;
}

static ss_error check(ss_context *ctx, const ss_server_options *o) {
  if (o->port < 0 || o->port > 65535)
    return ssi_fail(ctx, SS_ERR_ARGUMENT, "serve: port %d, expected one from 0 to 65535", o->port);
  if (!(o->idle_s >= 1 && o->idle_s <= 86400) || !(o->page_s > 0))
    return ssi_fail(ctx, SS_ERR_ARGUMENT,
                    "serve: times %g s and %g s, expected 1 to 86400, and more than 0", o->idle_s,
                    o->page_s);
  return SS_OK;
}

static void name_root(ss_server *s, const char *folder) {
  char *real = realpath(folder, NULL);
  const char *slash = real ? strrchr(real, '/') : NULL;
  snprintf(s->root_name, sizeof s->root_name, "%s",
           slash && slash[1] ? slash + 1
           : real            ? real
                             : folder);
  free(real);
}

// Every connection may have a file open.
static unsigned most_connections(void) {
  struct rlimit files;
  rlim_t most = getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur != RLIM_INFINITY
                    ? files.rlim_cur
                    : 65536;
  return most > 4200 ? 2000 : most > 200 ? (unsigned)(most - 100) / 2 : 50;
}

static ss_error begin(ss_server *s, const ss_server_options *o) {
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)o->port)};
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  sigset_t all, before;
  sigfillset(&all);  // signals are for the threads of the caller
  pthread_sigmask(SIG_SETMASK, &all, &before);
  errno = 0;
  s->daemon = MHD_start_daemon(
      MHD_USE_AUTO | MHD_USE_INTERNAL_POLLING_THREAD | MHD_ALLOW_SUSPEND_RESUME, (uint16_t)o->port,
      NULL, NULL, on_request, s, MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&at,
      MHD_OPTION_NOTIFY_COMPLETED, on_end, s, MHD_OPTION_UNESCAPE_CALLBACK, leave_escapes, NULL,
      MHD_OPTION_CONNECTION_LIMIT, most_connections(), MHD_OPTION_CONNECTION_TIMEOUT,
      (unsigned)ceil(o->idle_s), MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)16384,
      MHD_OPTION_LISTEN_BACKLOG_SIZE, 1024u, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
  int reason = errno;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  const union MHD_DaemonInfo *info =
      s->daemon ? MHD_get_daemon_info(s->daemon, MHD_DAEMON_INFO_BIND_PORT) : NULL;
  if (!info)
    return ssi_fail(s->ctx, SS_ERR_WRITE, "serve: port %d of 127.0.0.1: %s", o->port,
                    reason ? strerror(reason) : "cannot be had");
  s->port = info->port;
  snprintf(s->address, sizeof s->address, "http://127.0.0.1:%d/", s->port);
  return SS_OK;
}

ss_error ss_server_start(ss_context *ctx, const char *folder, const ss_server_options *o,
                         ss_server **out) {
  if (out) *out = NULL;
  if (!folder || !o || !o->program || !out) return ssi_missing(ctx, "ss_server_start");
  SS_TRY(check(ctx, o));
  int root = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (root < 0)
    return ssi_fail(ctx, SS_ERR_READ, "%s: is no folder that can be read: %s", folder,
                    strerror(errno));
  ss_server *s = ssi_alloc(ctx, 1, sizeof *s);
  if (!s) return close(root), ssi_fail(ctx, SS_ERR_MEMORY, "%s: no memory", folder);
  *s = (ss_server){.ctx = ctx, .root = root, .jobs = ssi_page_jobs_create(o->program, o->page_s)};
  name_root(s, folder);
  ss_error e =
      s->jobs ? begin(s, o) : ssi_fail(ctx, SS_ERR_MEMORY, "%s: no memory or no threads", folder);
  if (e)
    ss_server_stop(s);
  else
    *out = s;
  return e;
}

const char *ss_server_address(const ss_server *s) {
  return s ? s->address : NULL;
}

void ss_server_stop(ss_server *s) {
  if (!s) return;
  // no new ones; those that wait for a page must be awake before the daemon can end
  MHD_socket listening = s->daemon ? MHD_quiesce_daemon(s->daemon) : MHD_INVALID_SOCKET;
  if (s->jobs) ssi_page_jobs_stop(s->jobs);
  if (s->daemon) MHD_stop_daemon(s->daemon);
  if (listening != MHD_INVALID_SOCKET) close(listening);
  ssi_page_jobs_destroy(s->jobs);
  close(s->root);
  ssi_release(s->ctx, s);
}
