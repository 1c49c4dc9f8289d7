// io/certificate_values.h - reading a certificate's file: the kinds of value in it, shared by certificate_json.c (the
// certificate itself) and certificate_said.c (what stands beside it).
#pragma once

#include "io/json_value.h"
#include "io/reader.h"

#define SSI_CERT_CONTACT_ROWS "dim times the number of contacts"
#define SSI_CERT_JOINTS       "the bilateral constraints"

typedef struct ssi_cert_reading {
  const ssi_json *in;
  const ss_file *f;
  int m;
  ss_certificate_said *said;
} ssi_cert_reading;

// An object with known keys, or nothing.
ss_error ssi_cert_keys(const ssi_json *in, const char *at, const json_t *value,
                       const char *const *known);

// One of `count` words, from name(0) on.
ss_error ssi_cert_word(const ssi_json *in, const json_t *root, const char *key, int count,
                       const char *(*name)(int), int *out);
const char *ssi_cert_existence(int k);

// true, false, or null and absent.
ss_error ssi_cert_tristate(const ssi_json *in, const char *at, const json_t *value,
                           ss_tristate *out);
ss_error ssi_cert_flag(const ssi_json *in, const char *at, const json_t *value, bool *out);

// A number, "inf" or "-inf"; null and absent give `otherwise`.
ss_error ssi_cert_extended(const ssi_json *in, const char *at, const json_t *value,
                           double otherwise, double *out);

// A vector of `length`; absent, null and empty ones stay NULL.
ss_error ssi_cert_vector(const ssi_json *in, const char *at, const json_t *value, int length,
                         const char *why, double **out);

// v, or z of the reduced form, whose first part is in the axes of the contacts.
ss_error ssi_cert_velocity(const ssi_cert_reading *r, const char *at, const json_t *value, int size,
                           const double **out);

// certificate_said.c
ss_error ssi_cert_read_said(const ssi_cert_reading *r, json_t *root);
ss_error ssi_cert_read_every_mu(const ssi_cert_reading *r, const json_t *root);
