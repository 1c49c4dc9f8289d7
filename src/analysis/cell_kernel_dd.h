// analysis/cell_kernel_dd.h - the part of cell_kernel.h that makes cells of more than one point,
// by the double description method on its cone (2). Included by it alone.

// value[g] = row . ray g, and its sign with the tolerance relative to its terms.
static int dd_sign(kernel *k, int g) {
  double size = 0;
  num_zero(k->dd_value + g);
  for (int j = 0; j < k->dd_width; j++) {
    num_set(k->sum, k->row + j);
    num_mul(k->sum, at(k->dd, k->dd_width, g, j));
    size += num_size(k->sum);
    num_add(k->dd_value + g, k->sum);
  }
  int sign = num_sign(&k->kit, k->dd_value + g, fmax(size, num_ray_scale));
  if (!sign) num_zero(k->dd_value + g);
  return sign;
}

static bool adjacent(const kernel *k, int a, int b) {
  bits common = k->tight[a] & k->tight[b];
  for (int g = 0; g < k->dd_count; g++)
    if (g != a && g != b && (k->tight[g] & common) == common) return false;
  return true;
}

// value_a ray_b - value_b ray_a, for value_a > 0 > value_b, divided by its sum.
static void dd_combine(kernel *k, int a, int b, num *out) {
  num_zero(k->part);
  for (int j = 0; j < k->dd_width; j++) {
    num_set(out + j, at(k->dd, k->dd_width, b, j));
    num_mul(out + j, k->dd_value + a);
    num_submul(&k->kit, out + j, k->dd_value + b, at(k->dd, k->dd_width, a, j));
    num_add(k->part, out + j);
  }
  for (int j = 0; j < k->dd_width; j++) num_div(out + j, k->part);
}

// Room for `count` rays, of which the present ones are kept.
static bool dd_grow(kernel *k, ssi_arena *arena, int count) {
  if (count <= k->dd_room) return true;
  int room = count < 16 ? 16 : 2 * count;
  size_t numbers = (size_t)room * (size_t)(k->m + 1);
  num *dd = num_array(&k->kit, numbers), *next = num_array(&k->kit, numbers);
  num *value = num_array(&k->kit, (size_t)room);
  bits *tight = SSI_TAKE(arena, room, bits), *tight_next = SSI_TAKE(arena, room, bits);
  if (!dd || !next || !value || !tight || !tight_next) return false;
  for (int j = 0; j < k->dd_count * k->dd_width; j++) num_swap(dd + j, k->dd + j);
  for (int g = 0; g < k->dd_count; g++) tight[g] = k->tight[g];
  k->dd = dd, k->dd_next = next, k->dd_value = value;
  k->tight = tight, k->tight_next = tight_next;
  k->dd_room = room;
  return true;
}

// Intersects the cone with { row . y >= 0 }, inequality number `which`. *fits = false: too many
// rays, or no time.
static ss_error dd_cut(kernel *k, ssi_arena *arena, int which, bool *fits) {
  signed char sign[DD_RAYS];
  bits bit = (bits)1 << which;
  int next = 0, width = k->dd_width, count[3] = {0};
  for (int g = 0; g < k->dd_count; g++) {
    if (is_late(k)) return *fits = false, SS_OK;
    sign[g] = (signed char)dd_sign(k, g);
    count[1 + sign[g]]++;
  }
  if (!count[0] && !count[1]) return SS_OK;
  int64_t most = count[1] + count[2] + (int64_t)count[0] * count[2];
  if (most > DD_RAYS) most = DD_RAYS;
  num *value = k->dd_value;
  if (!dd_grow(k, arena, (int)most)) return SS_ERR_MEMORY;
  if (value != k->dd_value)
    for (int g = 0; g < k->dd_count; g++) num_swap(k->dd_value + g, value + g);
  for (int g = 0; g < k->dd_count; g++) {
    if (sign[g] < 0) continue;
    for (int j = 0; j < width; j++) num_set(at(k->dd_next, width, next, j), at(k->dd, width, g, j));
    k->tight_next[next++] = k->tight[g] | (sign[g] == 0 ? bit : 0);
  }
  for (int a = 0; a < k->dd_count; a++)
    for (int b = 0; sign[a] > 0 && b < k->dd_count; b++) {
      if (sign[b] >= 0 || !adjacent(k, a, b)) continue;
      if (next == DD_RAYS || is_late(k)) return *fits = false, SS_OK;
      dd_combine(k, a, b, at(k->dd_next, width, next, 0));
      k->tight_next[next++] = (k->tight[a] & k->tight[b]) | bit;
    }
  num *rays = k->dd;
  bits *tight = k->tight;
  k->dd = k->dd_next, k->dd_next = rays;
  k->tight = k->tight_next, k->tight_next = tight;
  k->dd_count = next;
  return SS_OK;
}

// row of (2) for x_j: a_j tau - sum B_jt x_t. j: place after the elimination, < rank.
static void dd_row_unknown(kernel *k, int j, int rank, int d) {
  num_set(k->row, at(k->A, d + 1, j, d));
  for (int t = rank; t < d; t++) {
    num_set(k->row + 1 + t - rank, at(k->A, d + 1, j, t));
    num_negate(k->row + 1 + t - rank);
  }
}

// row of (2) for u at `w`, times factor +-1: q tau + sum_j W_j x_j.
static void dd_row_velocity(kernel *k, int w, int factor, int rank, int d) {
  num_set(k->row, k->q + w);
  for (int t = rank; t < d; t++)
    num_set(k->row + 1 + t - rank, column_entry(k, w, k->unknown[k->order[t]]));
  for (int j = 0; j < rank; j++) {
    const num *entry = column_entry(k, w, k->unknown[k->order[j]]);
    num_set(k->sum, entry);
    num_mul(k->sum, at(k->A, d + 1, j, d));
    num_add(k->row, k->sum);
    for (int t = rank; t < d; t++)
      num_submul(&k->kit, k->row + 1 + t - rank, entry, at(k->A, d + 1, j, t));
  }
  for (int t = 0; factor < 0 && t < k->dd_width; t++) num_negate(k->row + t);
}

static ss_error dd_all(kernel *k, ssi_arena *arena, const uint8_t *states, int rank, int d,
                       bool *fits) {
  int width = k->dd_width = 1 + d - rank, which = width;
  k->dd_count = 0;
  if (!dd_grow(k, arena, width)) return SS_ERR_MEMORY;
  k->dd_count = width;
  for (int g = 0; g < width; g++) {
    k->tight[g] = (((bits)1 << width) - 1) & ~((bits)1 << g);
    for (int j = 0; j < width; j++) {
      num_zero(at(k->dd, width, g, j));
      if (j == g) num_one(at(k->dd, width, g, j));
    }
  }
  for (int j = 0; j < rank && *fits; j++) {
    dd_row_unknown(k, j, rank, d);
    SS_TRY(dd_cut(k, arena, which++, fits));
  }
  for (int i = 0; i < k->n && *fits; i++) {
    if (states[i] == SS_CELL_STICK) continue;
    int minus = states[i] == SS_CELL_SLIP_MINUS;
    dd_row_velocity(k, 2 * i + (states[i] != SS_CELL_FREE), minus ? -1 : 1, rank, d);
    SS_TRY(dd_cut(k, arena, which++, fits));
  }
  return SS_OK;
}

// x of ray g of (2); false: a direction (tau = 0).
static bool dd_point(kernel *k, int g, int rank, int d) {
  num *ray = at(k->dd, k->dd_width, g, 0);
  bool vertex = num_sign(&k->kit, ray, 1) > 0;
  for (int t = rank; t < d; t++) num_set(k->x + k->order[t], ray + 1 + t - rank);
  for (int j = 0; j < rank; j++) {
    num *x = k->x + k->order[j];
    dd_row_unknown(k, j, rank, d);
    num_zero(x);
    for (int t = vertex ? 0 : 1; t < k->dd_width; t++) {
      num_set(k->sum, k->row + t);
      num_mul(k->sum, ray + t);
      num_add(x, k->sum);
    }
  }
  if (vertex)
    for (int j = 0; j < d; j++) num_div(k->x + j, ray);
  for (int j = 0; j < d; j++)  // rounding only: (2) holds
    if (num_sign(&k->kit, k->x + j, 0) < 0) num_zero(k->x + j);
  return vertex;
}

static int dd_dimension(kernel *k) {
  int sign;
  double least;
  for (int g = 0; g < k->dd_count * k->dd_width; g++) num_set(k->dd_next + g, k->dd + g);
  return reduce_rows(k, k->dd_next, k->dd_count, k->dd_width, k->dd_width, NULL, NULL, &sign,
                     &least) -
         1;
}

static ss_error make_cell(kernel *k, const uint8_t *states, int rank, int d, ssi_cells *out) {
  bool contradicts = false, fits = true, ignored;
  for (int i = rank; i < d; i++) {
    int before = num_ties(&k->kit);
    if (!num_sign(&k->kit, at(k->A, d + 1, i, d), 1)) continue;
    if (num_ties(&k->kit) == before)
      return num_forget_ties(&k->kit), SS_OK;  // (1) contradicts itself
    contradicts = true;
  }
  if (contradicts) return SS_OK;
  SS_TRY(dd_all(k, out->arena, states, rank, d, &fits));
  if (k->late) return out->late = true, SS_OK;
  if (!fits) out->overflow = true;
  if (!fits) return SS_OK;
  bool any = false;
  for (int g = 0; g < k->dd_count && !any; g++)
    any = num_sign(&k->kit, at(k->dd, k->dd_width, g, 0), 1) > 0;
  if (!any) return SS_OK;
  ssi_found *f = ssi_cells_add(out, k->dd_count);
  if (!f) return SS_ERR_MEMORY;
  memcpy(f->states, states, (size_t)k->n);
  for (int pass = 0; pass < 2; pass++)  // vertices first
    for (int g = 0; g < k->dd_count; g++) {
      bool vertex = dd_point(k, g, rank, d);
      if (vertex == (pass == 1)) continue;
      if (!vertex) scale_direction(k, d);
      reactions(k, d);
      judge(k, states, !vertex, &ignored);
      for (int i = 0; i < k->n; i++) k->marks[i] |= (uint8_t)(1 << states[i]);
      int number = remember(k, out, states, !vertex);
      if (number < 0) return SS_ERR_MEMORY;
      f->generators[f->count++] = number;
      f->ray_count += !vertex;
    }
  f->dimension = dd_dimension(k);
  return SS_OK;
}

static ss_error solve_singular(kernel *k, const uint8_t *states, int rank, int d, ssi_cells *out) {
  int before = num_ties(&k->kit), found = out->found_count;
  SS_TRY(make_cell(k, states, rank, d, out));
  bool tied = num_ties(&k->kit) > before;
  if (num_exact && tied) out->doubtful = true;
  if (num_exact && !tied && out->found_count > found) out->certain = true;
  return SS_OK;
}
