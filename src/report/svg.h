// report/svg.h - SVG as text that grows. Failure is sticky: draw everything, then look at `failed`
// once. Numbers never pass through printf, whose decimal point depends on the locale.
#pragma once

#include "stickslip/base.h"

typedef struct ssi_svg {
  ss_context *ctx;
  char *text;  // zero-terminated; NULL before the first character
  size_t length, room;
  bool failed;  // out of memory
} ssi_svg;

void ssi_svg_raw(ssi_svg *s, const char *text);      // markup, as it is
void ssi_svg_escaped(ssi_svg *s, const char *text);  // character data and attribute values
void ssi_svg_number(ssi_svg *s, double x);           // two decimals at most; pixels
void ssi_svg_whole(ssi_svg *s, int64_t x);

// Markup with these in between: %s escaped, %f a number of pixels, %d; %% is a percent sign.
void ssi_svg_put(ssi_svg *s, const char *format, ...) SS_PRINTF(2, 3);

// Hands the text over. SS_ERR_MEMORY with this message where it failed; nothing is left then.
ss_error ssi_svg_finish(ssi_svg *s, const char *message, char **out);

// <svg ...> with its size, <title> and <style>; ends with ssi_svg_raw "</svg>\n".
void ssi_svg_begin(ssi_svg *s, double width, double height, const char *title, const char *style);

// Elements; `look` is the value of their class attribute.
void ssi_svg_line(ssi_svg *s, const char *look, double x1, double y1, double x2, double y2);
void ssi_svg_rect(ssi_svg *s, const char *look, double x, double y, double width, double height);
void ssi_svg_text(ssi_svg *s, const char *look, double x, double y, const char *text);
// A line of font size `size` (as its class has it), smaller, down to 65 %, where it needs more than `room` pixels, and
// cut with "..." where that is not enough; never half a UTF-8 character.
void ssi_svg_text_fitting(ssi_svg *s, const char *look, double size, double x, double y,
                          double room, const char *text);

// The same piece by piece: <text ...> is left open for the caller to fill, until ssi_svg_raw "</text>".
void ssi_svg_text_begin(ssi_svg *s, const char *look, double x, double y);
// One command of a path's d attribute: 'M' and 'L' take (x, y).
void ssi_svg_point(ssi_svg *s, char command, double x, double y);

// Pixels that a text needs at this font size, for laying out; a little generous.
double ssi_svg_text_width(const char *text, double font_size);
