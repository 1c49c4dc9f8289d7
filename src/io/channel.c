#include "io/channel.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/timer.h"

// ---- bytes ---------------------------------------------------------------------------------

void ssi_channel_send(ssi_channel *c, const void *data, size_t size) {
  const char *at = data;
  while (size && !c->broken) {
    ssize_t done = write(c->fd, at, size);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) {
      c->broken = true;
      return;
    }
    at += done, size -= (size_t)done;
  }
}

// Waits until there is something to read or the time is over.
static bool wait_for_bytes(ssi_channel *c) {
  for (;;) {
    double left = c->deadline - ssi_now_s();
    if (left <= 0) return c->late = true, false;
    struct pollfd p = {.fd = c->fd, .events = POLLIN};
    int ready = poll(&p, 1, left < 1000 ? (int)(left * 1000) + 1 : 1000000);
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
}

void ssi_channel_receive(ssi_channel *c, void *data, size_t size) {
  char *at = data;
  while (size && !c->broken) {
    ssize_t done = wait_for_bytes(c) ? read(c->fd, at, size) : 0;
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) {
      c->broken = true;
      c->ended = !c->late;
      return;
    }
    at += done, size -= (size_t)done;
  }
}

static void move_bytes(ssi_channel *c, void *data, size_t size) {
  if (c->sending)
    ssi_channel_send(c, data, size);
  else
    ssi_channel_receive(c, data, size);
}

// ---- fields --------------------------------------------------------------------------------

static void require(ssi_channel *c, bool condition) {
  if (!condition) c->broken = true;
}

void ssi_channel_int(ssi_channel *c, int *x, int low, int high) {
  move_bytes(c, x, sizeof *x);
  require(c, *x >= low && *x <= high);
  if (c->broken && !c->sending) *x = low;
}

static void *take(ssi_channel *c, size_t count, size_t size) {
  require(c, count <= c->budget / size);
  if (c->broken) return NULL;
  c->budget -= count * size;
  void *mem = ssi_arena_take(c->arena, count, size);
  if (!mem) c->no_memory = c->broken = true;
  return mem;
}

// An array that may be absent; its length is known on both sides.
static const void *move_array(ssi_channel *c, const void *data, int64_t count, size_t size) {
  int present = data != NULL;
  ssi_channel_int(c, &present, 0, 1);
  if (!present || c->broken) return NULL;
  if (c->sending) {
    ssi_channel_send(c, data, (size_t)count * size);
    return data;
  }
  void *mem = take(c, (size_t)count, size);
  if (mem) ssi_channel_receive(c, mem, (size_t)count * size);
  return c->broken ? NULL : mem;
}

static const char *move_text(ssi_channel *c, const char *text) {
  int length = text ? (int)(strlen(text) < INT_MAX ? strlen(text) : INT_MAX - 1) : -1;
  ssi_channel_int(c, &length, -1, INT_MAX - 1);
  if (length < 0 || c->broken) return NULL;
  if (c->sending) {
    ssi_channel_send(c, text, (size_t)length);
    return text;
  }
  char *mem = take(c, (size_t)length + 1, 1);  // zeroed, so it ends
  if (mem) ssi_channel_receive(c, mem, (size_t)length);
  return mem;
}

static bool well_formed(const ss_sparse *A) {
  for (int i = 0; i < A->rows; i++)
    for (int64_t k = A->ptr[i]; k < A->ptr[i + 1]; k++)
      if (A->col[k] < 0 || A->col[k] >= A->cols || (k > A->ptr[i] && A->col[k] <= A->col[k - 1]))
        return false;
  return true;
}

static bool pointers_grow(const ss_sparse *A) {
  for (int i = 0; i < A->rows; i++)
    if (A->ptr[i + 1] < A->ptr[i]) return false;
  return A->ptr[0] == 0;
}

static void move_sparse(ssi_channel *c, ss_sparse *A, int rows, int cols) {
  ssi_channel_int(c, &A->rows, 0, INT_MAX);
  ssi_channel_int(c, &A->cols, 0, INT_MAX);
  A->ptr = move_array(c, A->ptr, (int64_t)A->rows + 1, sizeof *A->ptr);
  if (c->broken || !A->ptr) {
    require(c, c->broken || (A->rows == 0 && A->cols == 0));  // absent
    *A = (ss_sparse){0};
    return;
  }
  require(c, A->rows == rows && A->cols == cols && pointers_grow(A));
  int64_t count = c->broken ? 0 : A->ptr[A->rows];
  A->col = move_array(c, A->col, count, sizeof *A->col);
  A->x = move_array(c, A->x, count, sizeof *A->x);
  require(c, c->sending || (A->col && A->x && !c->broken && well_formed(A)));
}

static void move_solution(ssi_channel *c, ss_solution *s, const ss_problem *p) {
  int64_t m = (int64_t)p->dim * p->nc;
  s->r = move_array(c, s->r, m, sizeof(double));
  s->u = move_array(c, s->u, m, sizeof(double));
  s->v = move_array(c, s->v, p->ndof, sizeof(double));
  s->l = move_array(c, s->l, p->nl, sizeof(double));
}

static void move_problem(ssi_channel *c, ss_problem *p) {
  int form = (int)p->form;
  ssi_channel_int(c, &form, SS_REDUCED, SS_GLOBAL);
  p->form = (ss_form)form;
  ssi_channel_int(c, &p->dim, 2, 3);
  ssi_channel_int(c, &p->nc, 0, INT_MAX / 3);
  ssi_channel_int(c, &p->ndof, 0, INT_MAX - 1);
  ssi_channel_int(c, &p->nl, 0, INT_MAX - 1);
  int m = p->dim * p->nc;
  p->mu = move_array(c, p->mu, p->nc, sizeof(double));
  move_sparse(c, &p->W, m, m);
  move_sparse(c, &p->V, m, p->nl);
  move_sparse(c, &p->R, p->nl, p->nl);
  p->q = move_array(c, p->q, m, sizeof(double));
  p->s = move_array(c, p->s, p->nl, sizeof(double));
  move_sparse(c, &p->M, p->ndof, p->ndof);
  move_sparse(c, &p->H, m, p->ndof);
  move_sparse(c, &p->G, p->ndof, p->nl);
  p->f = move_array(c, p->f, p->ndof, sizeof(double));
  p->w = move_array(c, p->w, m, sizeof(double));
  p->b = move_array(c, p->b, p->nl, sizeof(double));
}

static void move_guesses(ssi_channel *c, ss_file *f) {
  ssi_channel_int(c, &f->guess_count, 0, INT_MAX);
  if (f->guess_count == 0 || c->broken) {
    f->guesses = NULL;
    return;
  }
  ss_solution *received = c->sending ? NULL : take(c, (size_t)f->guess_count, sizeof(ss_solution));
  for (int k = 0; k < f->guess_count && !c->broken; k++) {
    ss_solution guess = c->sending ? f->guesses[k] : (ss_solution){0};
    move_solution(c, &guess, &f->problem);
    if (received) received[k] = guess;
  }
  if (!c->sending) f->guesses = received;
}

void ssi_channel_file(ssi_channel *c, ss_file *f) {
  int format = (int)f->format;
  ssi_channel_int(c, &format, SS_FORMAT_AUTO, SS_FORMAT_JSON);
  f->format = (ss_format)format;
  move_problem(c, &f->problem);
  move_solution(c, &f->solution, &f->problem);
  move_guesses(c, f);
  f->normals = move_array(c, f->normals, (int64_t)f->problem.dim * f->problem.nc, sizeof(double));
  f->title = move_text(c, f->title);
  f->description = move_text(c, f->description);
  f->math_info = move_text(c, f->math_info);
  f->memory = NULL;
}
