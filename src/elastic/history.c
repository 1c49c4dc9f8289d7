// Factors over time, and sums of vectors that they multiply.
#include <math.h>
#include <string.h>

#include "elastic/march.h"
#include "la/time_table.h"

double ss_history_at(const ss_history *h, double t) {
  double factor = 1;
  if (!h) return 1;
  if (h->rows > 0)
    ssi_table_at(h->table, h->rows, 2, t, &factor);
  else
    factor = h->mean + h->amplitude * sin(2 * 3.14159265358979323846 * h->frequency * t + h->phase);
  return factor;
}

void ssi_terms_at(const ss_history_term *terms, int count, int length, double t, double *out) {
  memset(out, 0, sizeof(double) * (size_t)length);
  for (int k = 0; k < count; k++) {
    double factor = ss_history_at(terms[k].factor, t);
    for (int i = 0; factor != 0 && i < length; i++) out[i] += factor * terms[k].x[i];
  }
}

void ssi_prescribed_at(const ss_structure *s, double t, double *out) {
  memset(out, 0, sizeof(double) * (size_t)s->ndof);
  for (int k = 0; k < s->prescribed_count; k++)
    out[s->prescribed[k].dof] += s->prescribed[k].value * ss_history_at(s->prescribed[k].factor, t);
}
