// report/frame.c - see frame.h.
#include "report/frame.h"

#include <math.h>

#include "report/axes.h"

static const char *const common =
    "text{font-family:'Liberation Sans',Arial,Helvetica,sans-serif;fill:#222}\n"
    ".back{fill:#fff}\n"
    ".title{font-size:18px;font-weight:bold}\n"
    ".subtitle{font-size:12px;fill:#555}\n"
    ".tick{font-size:11px;fill:#444}\n"
    ".name{font-size:14px;font-style:italic}\n"
    ".key{font-size:12px}\n"
    ".mid{text-anchor:middle}.end{text-anchor:end}\n"
    ".sub{font-size:75%}.upright{font-style:normal}\n"
    ".grid{stroke:#ececec;stroke-width:1}\n"
    ".zero{stroke:#bdbdbd;stroke-width:1}\n"
    ".frame{fill:none;stroke:#444;stroke-width:1}\n";

double ssi_frame_x(const ssi_frame *f, double x) {
  return f->left + (f->right - f->left) * ((x - f->x_from) / (f->x_to - f->x_from));
}

double ssi_frame_y(const ssi_frame *f, double y) {
  return f->bottom - (f->bottom - f->top) * ((y - f->y_from) / (f->y_to - f->y_from));
}

static void draw_x_axis(ssi_svg *s, const ssi_frame *f) {
  ssi_marks m = ssi_marks_choose(f->x_from, f->x_to, 7);
  for (int64_t k = m.first; k <= m.last; k++) {
    double x = ssi_frame_x(f, (double)k * m.step);
    ssi_svg_line(s, k ? "grid" : "zero", x, f->top, x, f->bottom);
    ssi_svg_text_begin(s, "tick mid", x, f->bottom + 17);
    ssi_marks_number(s, &m, (double)k * m.step);
    ssi_svg_raw(s, "</text>\n");
  }
  ssi_svg_text_begin(s, "name mid", (f->left + f->right) / 2, f->bottom + 38);
  ssi_axis_title(s, f->x_name, m.power);
  ssi_svg_raw(s, "</text>\n");
}

// Pixels from the axis to its name: beyond the widest number.
static double room_for_numbers(const ssi_frame *f, const ssi_marks *m) {
  double size = fmax(fabs(f->y_from), fabs(f->y_to)) / pow(10, m->power);
  int digits = size >= 10 ? 1 + (int)floor(log10(size)) : 1;
  bool minus = m->first < 0;
  double width = 6.2 * (digits + minus + m->places) + (m->places ? 3.1 : 0);
  return fmax(50, width + 20);
}

static void draw_y_axis(ssi_svg *s, const ssi_frame *f) {
  ssi_marks m = ssi_marks_choose(f->y_from, f->y_to, 7);
  for (int64_t k = m.first; k <= m.last; k++) {
    double y = ssi_frame_y(f, (double)k * m.step);
    ssi_svg_line(s, k ? "grid" : "zero", f->left, y, f->right, y);
    ssi_svg_text_begin(s, "tick end", f->left - 7, y + 4);
    ssi_marks_number(s, &m, (double)k * m.step);
    ssi_svg_raw(s, "</text>\n");
  }
  ssi_svg_put(s, "<g transform=\"translate(%f,%f) rotate(-90)\">",
              f->left - room_for_numbers(f, &m), (f->top + f->bottom) / 2);
  ssi_svg_text_begin(s, "name mid", 0, 0);
  ssi_axis_title(s, f->y_name, m.power);
  ssi_svg_raw(s, "</text></g>\n");
}

void ssi_frame_draw(ssi_svg *s, const ssi_frame *f) {
  draw_x_axis(s, f);
  draw_y_axis(s, f);
  ssi_svg_rect(s, "frame", f->left, f->top, f->right - f->left, f->bottom - f->top);
}

void ssi_frame_begin(ssi_svg *s, double width, double height, const char *name, const char *style) {
  ssi_svg_begin(s, width, height, name, "<style>\n");
  ssi_svg_raw(s, common);
  ssi_svg_raw(s, style);
  ssi_svg_raw(s, "</style>\n");
  ssi_svg_rect(s, "back", 0, 0, width, height);
}

double ssi_frame_titles(ssi_svg *s, double left, double right, const char *title,
                        const char *subtitle) {
  double y = 30, room = right - left;
  if (title) ssi_svg_text_fitting(s, "title", 18, left, y, room, title), y += 20;
  if (subtitle) ssi_svg_text_fitting(s, "subtitle", 12, left, y, room, subtitle), y += 22;
  return y;
}
