// A folder as a page without a script: what is in it, newest first, runs that are going on before all others.
#define _POSIX_C_SOURCE 200809L
#include "serve/listing.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "report/page_write.h"
#include "report/svg.h"

typedef enum listed_kind { GOING_ON, FOLDER, RUN, RESULT, PICTURE, PLAIN, LINK } listed_kind;

typedef struct listed_file {
  char name[256];
  listed_kind kind;
  struct stat st;
  int parts;  // of a run that is going on
} listed_file;

typedef struct listed_files {
  listed_file *rows;
  size_t count, room;
  bool failed, cut;
} listed_files;

enum { MOST = 5000, LOOKED_INTO = 500 };

// ---- names -----------------------------------------------------------------------------------

// Of a character of UTF-8 that is not seen, or turns the direction of writing: its number and its bytes; 0: of another.
static int unseen(const unsigned char *c, int *bytes) {
  *bytes = 1;
  if (c[0] < 0x20 || c[0] == 0x7f) return c[0];
  if (c[0] == 0xd8 && c[1] == 0x9c) return *bytes = 2, 0x61c;
  if (c[0] == 0xef && c[1] == 0xbb && c[2] == 0xbf) return *bytes = 3, 0xfeff;
  if (c[0] != 0xe2 || (c[1] != 0x80 && c[1] != 0x81) || c[2] < 0x80 || c[2] > 0xbf) return 0;
  int code = 0x2000 | (c[1] & 0x3f) << 6 | (c[2] & 0x3f);
  bool is = (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
            (code >= 0x2060 && code <= 0x2069);
  return *bytes = is ? 3 : 1, is ? code : 0;
}

// A name as text: escaped, what is not seen named, kept apart from the text around it.
static void put_name(ssi_svg *to, const char *name) {
  ssi_svg_raw(to, "<bdi class=\"said\">");
  for (const unsigned char *c = (const unsigned char *)name; *c;) {
    const unsigned char *from = c;
    int code = 0, bytes = 1;
    while (*c && !(code = unseen(c, &bytes))) c++;
    char part[256];
    snprintf(part, sizeof part, "%.*s", (int)(c - from), (const char *)from);
    ssi_svg_escaped(to, part);
    if (!code) continue;
    snprintf(part, sizeof part, "[U+%04X]", (unsigned)code);
    ssi_svg_raw(to, part);
    c += bytes;
  }
  ssi_svg_raw(to, "</bdi>");
}

// Every byte but letters, digits, '-', '_', '~' and '.' as %XX; slashes stay.
static void put_encoded(ssi_svg *to, const char *path) {
  for (const unsigned char *c = (const unsigned char *)path; *c; c++) {
    char text[4] = {(char)*c};
    bool plain = *c < 0x80 && (isalnum(*c) || strchr("-_~./", *c));
    if (!plain) snprintf(text, sizeof text, "%%%02X", *c);
    ssi_svg_raw(to, text);
  }
}

static void put_link(ssi_svg *to, const char *what, const char *path, const char *name) {
  ssi_svg_put(to, "<a href=\"/%s", what);
  if (*path) ssi_svg_raw(to, "/"), put_encoded(to, path);
  if (name) ssi_svg_raw(to, "/"), put_encoded(to, name);
  ssi_svg_raw(to, "\">");
}

// ---- what is there ---------------------------------------------------------------------------

static bool ends_in(const char *name, const char *ending) {
  size_t n = strlen(name), m = strlen(ending);
  return n > m && strcasecmp(name + n - m, ending) == 0;
}

// Whether a JSON file may be the result of a command: those name it.
static bool names_a_command(int folder, const char *name) {
  char head[8192];
  int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  ssize_t n = fd < 0 ? -1 : read(fd, head, sizeof head - 1);
  if (fd >= 0) close(fd);
  head[n > 0 ? n : 0] = 0;
  return strstr(head, "\"command\"") != NULL;
}

static int count_parts(int folder, const char *name) {
  int fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), count = 0;
  DIR *d = fd < 0 ? NULL : fdopendir(fd);
  if (!d && fd >= 0) close(fd);
  for (struct dirent *at; d && (at = readdir(d));)
    count += isdigit((unsigned char)at->d_name[0]) && ends_in(at->d_name, ".h5");
  if (d) closedir(d);
  return count;
}

static listed_kind kind_of(int folder, const listed_file *e, int *looked) {
  static const char *const pictures[] = {".html", ".svg", ".png", NULL};
  if (S_ISLNK(e->st.st_mode)) return LINK;
  if (S_ISDIR(e->st.st_mode)) return ends_in(e->name, ".parts") ? GOING_ON : FOLDER;
  if (ends_in(e->name, ".h5") || ends_in(e->name, ".hdf5")) return RUN;
  if (ends_in(e->name, ".json") && ++*looked <= LOOKED_INTO && names_a_command(folder, e->name))
    return RESULT;
  for (int k = 0; pictures[k]; k++)
    if (ends_in(e->name, pictures[k])) return PICTURE;
  return PLAIN;
}

static void add_entry(listed_files *all, int folder, const char *name, int *looked) {
  listed_file e = {0};
  snprintf(e.name, sizeof e.name, "%s", name);
  if (fstatat(folder, name, &e.st, AT_SYMLINK_NOFOLLOW) != 0) return;  // gone in the meantime
  if (!S_ISREG(e.st.st_mode) && !S_ISDIR(e.st.st_mode) && !S_ISLNK(e.st.st_mode)) return;
  e.kind = kind_of(folder, &e, looked);
  if (e.kind == GOING_ON) {
    e.parts = count_parts(folder, name);
    e.name[strlen(e.name) - strlen(".parts")] = 0;
  }
  if (!ssi_grow(NULL, &all->rows, &all->room, all->count + 1, all->count, sizeof e))
    all->failed = true;
  else
    all->rows[all->count++] = e;
}

static int newest_first(const void *a, const void *b) {
  const listed_file *x = a, *y = b;
  bool first = x->kind <= FOLDER, second = y->kind <= FOLDER;
  if ((first || second) && x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
  if (x->kind == FOLDER) return strcmp(x->name, y->name);
  if (x->st.st_mtim.tv_sec != y->st.st_mtim.tv_sec)
    return x->st.st_mtim.tv_sec > y->st.st_mtim.tv_sec ? -1 : 1;
  return strcmp(x->name, y->name);
}

static listed_files read_folder(int folder) {
  listed_files all = {0};
  int looked = 0, fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *d = fd < 0 ? NULL : fdopendir(fd);
  if (!d && fd >= 0) close(fd);
  for (struct dirent *at; d && (at = readdir(d));) {
    if (at->d_name[0] == '.') continue;
    if (all.count >= MOST)
      all.cut = true;
    else
      add_entry(&all, folder, at->d_name, &looked);
  }
  if (d) closedir(d);
  if (all.count) qsort(all.rows, all.count, sizeof *all.rows, newest_first);
  return all;
}

// ---- the page --------------------------------------------------------------------------------

static void put_head(ssi_svg *to, const char *title) {
  ssi_svg_put(
      to,
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" href=\"data:,\">\n"
      "<title>%s</title>\n<style>",
      title);
  ssi_svg_raw(to, ssi_viewer_style ? ssi_viewer_style : "");
  ssi_svg_raw(to, "</style>\n</head>\n<body>\n<div id=\"page\">\n");
}

static void put_size(ssi_svg *to, const struct stat *st) {
  static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
  double size = (double)st->st_size;
  int unit = 0;
  for (; size >= 999.5 && unit < 4; unit++) size /= 1000;
  char text[40];
  snprintf(text, sizeof text, size < 9.95 && unit ? "%.1f %s" : "%.0f %s", size, units[unit]);
  ssi_svg_raw(to, text);
}

static void put_when(ssi_svg *to, time_t then) {
  char text[64];
  struct tm at;
  double ago = difftime(time(NULL), then);
  if (ago >= 0 && ago < 3600)
    snprintf(text, sizeof text, ago < 100 ? "%.0f s ago" : "%.0f min ago",
             ago < 100 ? ago : ago / 60);
  else if (!localtime_r(&then, &at) || !strftime(text, sizeof text, "%Y-%m-%d %H:%M", &at))
    text[0] = 0;
  ssi_svg_escaped(to, text);
}

static const char *kind_text(listed_kind kind) {
  static const char *const texts[] = {"run, not finished", "folder", "HDF5 file",         "result",
                                      "page or picture",   "file",   "link, not followed"};
  return texts[kind];
}

static void put_row(ssi_svg *to, const char *path, const listed_file *e) {
  bool page = e->kind == GOING_ON || e->kind == RUN || e->kind == RESULT;
  ssi_svg_raw(to, "<tr><td>");
  if (e->kind != LINK)
    put_link(to, page ? "page" : e->kind == FOLDER ? "folder" : "file", path, e->name);
  put_name(to, e->name);
  if (e->kind != LINK) ssi_svg_raw(to, "</a>");
  ssi_svg_raw(to, "</td><td>");
  if (e->kind == GOING_ON)
    ssi_svg_put(to, "<span class=\"chip warn\">%s</span> %d %s", kind_text(e->kind), e->parts,
                e->parts == 1 ? "part" : "parts");
  else
    ssi_svg_put(to, "%s", kind_text(e->kind));
  ssi_svg_raw(to, "</td><td class=\"number\">");
  if (e->kind != FOLDER && e->kind != GOING_ON && e->kind != LINK) {
    if (page) put_link(to, "file", path, e->name);
    put_size(to, &e->st);
    if (page) ssi_svg_raw(to, "</a>");
  }
  ssi_svg_raw(to, "</td><td>");
  put_when(to, e->st.st_mtim.tv_sec);
  ssi_svg_raw(to, "</td></tr>\n");
}

// The way here: every folder above as a link.
static void put_way(ssi_svg *to, const char *path, const char *root_name) {
  char part[SSI_SERVED_PATH];
  ssi_svg_raw(to, "<header class=\"top\"><h1>");
  if (*path) ssi_svg_raw(to, "<a href=\"/\">");
  put_name(to, root_name);
  if (*path) ssi_svg_raw(to, "</a>");
  for (const char *at = path; *at;) {
    size_t length = strcspn(at, "/");
    const char *end = at + length;
    bool last = !*end;
    ssi_svg_raw(to, " / ");
    snprintf(part, sizeof part, "%.*s", (int)(end - path), path);
    if (!last) put_link(to, "folder", part, NULL);
    snprintf(part, sizeof part, "%.*s", (int)length, at);
    put_name(to, part);
    if (!last) ssi_svg_raw(to, "</a>");
    at = *end ? end + 1 : end;
  }
  ssi_svg_put(to, "</h1><p class=\"maker\">stickslip %s</p></header>\n", ss_version());
}

static char *finished(ssi_svg *to) {
  char *text;
  ssi_svg_raw(to, "</div>\n</body>\n</html>\n");
  return ssi_svg_finish(to, "no memory", &text) ? NULL : text;
}

char *ssi_listing(int folder, const char *path, const char *root_name) {
  ssi_svg to = {0};
  listed_files all = read_folder(folder);
  put_head(&to, *path ? path : root_name);
  put_way(&to, path, root_name);
  ssi_svg_raw(&to, "<main><section class=\"card\">\n");
  if (!all.count) ssi_svg_raw(&to, "<p class=\"missing\">Nothing is here yet.</p>\n");
  if (all.count) {
    ssi_svg_raw(&to, "<div class=\"scroll files\" tabindex=\"0\" role=\"region\" "
                     "aria-label=\"Files\"><table>\n<thead><tr>"
                     "<th scope=\"col\">name</th><th scope=\"col\">kind</th><th scope=\"col\" "
                     "class=\"number\">size</th>"
                     "<th scope=\"col\">changed</th></tr></thead>\n<tbody>\n");
    for (size_t k = 0; k < all.count; k++) put_row(&to, path, &all.rows[k]);
    ssi_svg_raw(&to, "</tbody></table></div>\n");
  }
  if (all.cut) ssi_svg_put(&to, "<p>Only the first %d are shown.</p>\n", (int)MOST);
  ssi_svg_raw(&to, "</section></main>\n");
  ssi_release(NULL, all.rows);
  to.failed = to.failed || all.failed;
  return finished(&to);
}

char *ssi_served_message(const char *title, const char *text) {
  ssi_svg to = {0};
  put_head(&to, title);
  ssi_svg_put(&to, "<header class=\"top\"><h1>%s</h1></header>\n<main><section class=\"card\"><p>",
              title);
  put_name(&to, text);
  ssi_svg_raw(&to, "</p><p><a href=\"/\">All files</a></p></section></main>\n");
  return finished(&to);
}
