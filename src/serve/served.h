// serve/served.h - what of a folder can be asked for. Private.
//
// The path of a URL is decoded once, checked, and walked name by name with O_NOFOLLOW from the folder's own
// descriptor: neither "..", nor an encoded one, nor a symbolic link anywhere on the way leads out of it, whatever
// is renamed in the meantime.
#pragma once

#include <sys/stat.h>

#include "stickslip/base.h"

enum { SSI_SERVED_PATH = 4096 };

// "/a%20b/c" into "a b/c". false: an escape that is none, a zero byte, a name that is empty or begins with a dot.
// One slash at the end is left out.
bool ssi_served_decode(const char *url, char path[SSI_SERVED_PATH]);

typedef struct ssi_served {
  int folder;  // that holds it: descriptor
  int fd;      // -1: there is only NAME.parts, a run that is not finished
  char name[256];
  struct stat st;    // of fd, or of NAME.parts
  bool parts;        // NAME.parts is there
  char version[80];  // changes with the content; in quotes, as ETag has it
  bool is_folder;
} ssi_served;

// 0, or the errno: ENOENT for whatever is not to be had (no such file, a link, a device). Close in every case.
int ssi_served_open(int root, const char *path, ssi_served *out);
void ssi_served_close(ssi_served *s);
