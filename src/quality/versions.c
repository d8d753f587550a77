#include "quality/versions.h"

#include <stdio.h>

#include "base/hash.h"
#include "base/lists.h"
#include "base/word.h"
#include "http/fields.h"
#include "quality/align.h"

enum {
	ARENA_MAX = 128 << 20,
	LINES_MAX = 1 << 20, /* what is longer is compared as bytes */
	FRONT_MAX = 120,     /* bytes in front of the first difference of a text; if more, … */
	FRONT_KEPT = 60,     /* … so many are kept */
	BINARY_PROBE = 8192, /* bytes in which a NUL shows that a text is none */
};

/* ---- rows ---- */

/* Where the two begin to differ, at the beginning of a character. */
static size_t common_length(slice a, slice b)
{
	size_t n = 0;

	while (n < a.len && n < b.len && a.ptr[n] == b.ptr[n])
		n++;
	while (n > 0 && n < a.len && (a.ptr[n] & 0xc0) == 0x80)
		n--;
	return n;
}

static slice trim_character(slice s)
{
	while (s.len && (s.ptr[s.len] & 0xc0) == 0x80)
		s.len--;
	return s;
}

/* A copy of the text, or of what is around the first difference, so that this is seen. */
static int keep_cell(struct versions *v, slice text, size_t common, slice *ret)
{
	size_t from = common > FRONT_MAX ? common - FRONT_KEPT : 0;
	slice part;
	bool cut;
	char *copy;
	int n;

	if (!text.ptr)
		return 0;
	while (from > 0 && from < text.len && (text.ptr[from] & 0xc0) == 0x80)
		from--;
	part = slice_sub(text, from, text.len);
	cut = part.len > VERSIONS_CELL_MAX;
	if (cut)
		part = trim_character((slice){part.ptr, VERSIONS_CELL_MAX});
	copy = arena_alloc(&v->arena, part.len + 2 * sizeof "…", 1);
	if (!copy)
		return ERR_NOMEM;
	n = snprintf(copy, part.len + 2 * sizeof "…", "%s", from ? "…" : "");
	memcpy(copy + n, part.ptr, part.len);
	memcpy(copy + n + part.len, "…", sizeof "…");
	*ret = (slice){copy, (size_t)n + part.len + (cut ? sizeof "…" - 1 : 0)};
	return 0;
}

static int keep_row(struct versions *v, const struct versions_row *row, struct versions_row *ret)
{
	size_t common = row->a.ptr && row->b.ptr ? common_length(row->a, row->b) : 0;
	struct versions_row copy = {.differs = row->differs};
	int rc = keep_cell(v, row->where, 0, &copy.where);

	if (rc == 0)
		rc = keep_cell(v, row->a, row->differs ? common : 0, &copy.a);
	if (rc == 0)
		rc = keep_cell(v, row->b, row->differs ? common : 0, &copy.b);
	*ret = copy;
	return rc;
}

static int add_row(struct versions *v, const struct versions_row *row)
{
	size_t *count = row->differs ? &v->differ_count : &v->equal_count;
	struct versions_row copy;
	int rc;

	if (++*count > VERSIONS_ROWS_MAX)
		return 0;
	rc = keep_row(v, row, &copy);
	return rc ? rc : versions_rows_push(&v->rows, copy);
}

/* ---- what the response says besides the body ---- */

static int add_head_row(struct versions *v, const char *where, slice a, slice b)
{
	if (slice_eq(a, b))
		return 0;
	return add_row(v, &(struct versions_row){.differs = true,
				  .where = slice_str(where),
				  .a = a.len ? a : (slice){0},
				  .b = b.len ? b : (slice){0}});
}

static int add_head(struct versions *v, const struct look *a, const struct look *b)
{
	char status_a[16], status_b[16];
	int rc;

	(void)snprintf(status_a, sizeof status_a, "%u", a->status);
	(void)snprintf(status_b, sizeof status_b, "%u", b->status);
	rc = add_head_row(v, "status", slice_str(status_a), slice_str(status_b));
	if (rc == 0)
		rc = add_head_row(v, "Location", buf_slice(&a->location), buf_slice(&b->location));
	if (rc == 0)
		rc = add_head_row(
			v, "Content-Type", buf_slice(&a->media_type), buf_slice(&b->media_type));
	return rc;
}

/* ---- pages ---- */

/* Two views of a pair under one set of rules, and their rows. */
struct pair {
	struct change_side a, b;
	struct align_rows rows;
};

static uint64_t hash_item(struct hash_key key, const struct view *v, const struct view_item *item)
{
	uint64_t parts[3] = {
		hash_bytes(key, view_item_text(v, item)),
		item->kind,
		item->attr ? hash_bytes(key, slice_str(item->attr)) : 0,
	};

	return hash_bytes(key, (slice){(const char *)parts, sizeof parts});
}

static int list_items(struct hash_key key, const struct view *v, struct align_items *out)
{
	int rc = align_items_reserve(out, v->items.len);

	for (size_t i = 0; rc == 0 && i < v->items.len; i++)
		rc = align_items_push(out, (struct align_item){hash_item(key, v, &v->items.ptr[i]),
						   (uint32_t)v->items.ptr[i].kind});
	return rc;
}

static int pair_read(struct pair *p, const struct look *a, const struct look *b,
	const struct change_terms *terms)
{
	struct hash_key key = hash_key_random();
	struct align_items items_a = {0}, items_b = {0};
	int rc = change_side_read(&p->a, buf_slice(&a->body), buf_slice(&a->media_type), terms);
	int again = change_side_read(&p->b, buf_slice(&b->body), buf_slice(&b->media_type), terms);

	p->rows = (struct align_rows){0};
	if (rc == 0)
		rc = again;
	if (rc == 0)
		rc = list_items(key, &p->a.view, &items_a);
	if (rc == 0)
		rc = list_items(key, &p->b.view, &items_b);
	if (rc == 0)
		rc = align(&items_a, &items_b, &p->rows);
	align_items_release(&items_a);
	align_items_release(&items_b);
	return rc;
}

static void pair_release(struct pair *p)
{
	change_side_release(&p->a);
	change_side_release(&p->b);
	align_rows_release(&p->rows);
}

static bool same_item(const struct pair *p, struct align_row at)
{
	const struct view_item *a, *b;

	if (at.a == ALIGN_NONE || at.b == ALIGN_NONE)
		return false;
	a = &p->a.view.items.ptr[at.a];
	b = &p->b.view.items.ptr[at.b];
	return a->kind == b->kind &&
	       (a->attr == b->attr || (a->attr && b->attr && strcmp(a->attr, b->attr) == 0)) &&
	       slice_eq(view_item_text(&p->a.view, a), view_item_text(&p->b.view, b));
}

/* The place is put into a buffer, which must stay; that of a row without a difference is empty. */
static int describe(
	const struct pair *p, struct align_row at, struct buf *place, struct versions_row *ret)
{
	const struct view *v = at.a == ALIGN_NONE ? &p->b.view : &p->a.view;
	const struct view_item *item = &v->items.ptr[at.a == ALIGN_NONE ? at.b : at.a];
	int rc = 0;

	*ret = (struct versions_row){.differs = !same_item(p, at)};
	if (at.a != ALIGN_NONE)
		ret->a = view_item_text(&p->a.view, &p->a.view.items.ptr[at.a]);
	if (at.b != ALIGN_NONE)
		ret->b = view_item_text(&p->b.view, &p->b.view.items.ptr[at.b]);
	buf_reset(place);
	if (ret->differs)
		rc = view_place(v, item, place);
	if (rc == 0 && ret->differs && place->len == 0)
		rc = buf_add_str(place, view_kind_name(item->kind));
	ret->where = place->len ? buf_slice(place) : SLICE("");
	return rc == ERR_LIMIT ? 0 : rc;
}

/* Rows that differ under all rules: by their texts, so that they are told from masked ones. */
struct known {
	struct strmap rows;
	struct arena arena;
};

/* Number of a row's texts: what is the same on both sides is one row, wherever it stands. */
static slice row_name(const struct versions_row *row, struct hash_key key, uint64_t out[2])
{
	out[0] = row->a.ptr ? hash_bytes(key, row->a) : 0;
	out[1] = row->b.ptr ? hash_bytes(key, row->b) : 0;
	return (slice){(const char *)out, 2 * sizeof out[0]};
}

static int know(struct known *k, const struct versions_row *row)
{
	uint64_t name[2];
	int rc = strmap_put(&k->rows, row_name(row, k->rows.key, name), 0);

	return rc == ERR_EXISTS ? 0 : rc;
}

static bool is_known(const struct known *k, const struct versions_row *row)
{
	uint64_t name[2];

	return strmap_get(&k->rows, row_name(row, k->rows.key, name), NULL);
}

static int add_items(struct versions *v, const struct pair *p, struct known *known)
{
	struct versions_row row;
	struct buf place;
	int rc = 0;

	buf_init(&place, VIEW_PLACE_MAX * 2);
	for (size_t i = 0; rc == 0 && i < p->rows.len; i++) {
		rc = describe(p, p->rows.ptr[i], &place, &row);
		if (rc == 0)
			rc = add_row(v, &row);
		if (rc == 0 && row.differs)
			rc = know(known, &row);
	}
	buf_release(&place);
	return rc;
}

/* Rows that differ when this rule is off, and do not when it is on. */
static int add_masked(struct versions *v, const struct pair *p, const struct known *known,
	const struct change_rule *rule)
{
	size_t kept = 0;
	struct buf place;
	int rc = 0;

	buf_init(&place, VIEW_PLACE_MAX * 2);
	for (size_t i = 0; rc == 0 && i < p->rows.len; i++) {
		struct versions_mask mask = {.rule = rule->rule, .name = rule->name};
		struct versions_row row;

		rc = describe(p, p->rows.ptr[i], &place, &row);
		if (rc || !row.differs || is_known(known, &row))
			continue;
		v->masked_count++;
		if (kept++ >= VERSIONS_MASKED_MAX)
			continue;
		rc = keep_row(v, &row, &mask.row);
		if (rc == 0)
			rc = versions_masks_push(&v->masked, mask);
	}
	buf_release(&place);
	return rc;
}

/* Why items without a difference prove nothing. */
static const char *find_doubt(const struct versions *v, const struct pair *p)
{
	const struct view *a = &p->a.view, *b = &p->b.view;

	if (a->cut || b->cut)
		return "the page is beyond the limits of the reader";
	if (a->visible <= a->noise.tally.masked || b->visible <= b->noise.tally.masked)
		return "the page has no visible text: scripts make what it shows";
	if (v->change.masked_visible > CHANGE_MASKED_MAX)
		return "more than 5 % of the visible text is masked";
	return NULL;
}

static int compare_page(struct versions *v, const struct look *a, const struct look *b,
	const struct change_terms *terms)
{
	struct known known;
	struct pair pair;
	int rc = pair_read(&pair, a, b, terms);

	arena_init(&known.arena, ARENA_MAX);
	strmap_init(&known.rows, hash_key_random(), &known.arena);
	if (rc == 0)
		rc = add_items(v, &pair, &known);
	if (rc == 0)
		v->doubt = find_doubt(v, &pair);
	pair_release(&pair);
	for (size_t i = 0; rc == 0 && i < v->change.rule_count; i++) {
		const struct change_rule *rule = &v->change.rules[i];
		struct change_room room;
		struct change_terms without = change_without(terms, rule->rule, &room);

		rc = pair_read(&pair, a, b, &without);
		if (rc == 0)
			rc = add_masked(v, &pair, &known, rule);
		pair_release(&pair);
	}
	strmap_release(&known.rows);
	arena_release(&known.arena);
	return rc;
}

/* ---- lines ---- */

/* Whether documents of this type are read line by line. */
static bool versions_is_text(slice media_type)
{
	static const char *const TYPES[] = {"application/json", "application/javascript",
		"application/x-javascript", "application/ecmascript", "application/xml",
		"application/sql", "application/yaml", "application/toml", "application/x-sh"};
	slice type = fields_media_type(media_type);

	if (word_is(slice_sub(type, 0, 5), SLICE("text/")))
		return true;
	for (size_t i = 0; i < sizeof TYPES / sizeof TYPES[0]; i++)
		if (word_is(type, slice_str(TYPES[i])))
			return true;
	return word_ends(type, SLICE("+xml")) || word_ends(type, SLICE("+json"));
}

static int list_lines(
	struct hash_key key, slice text, struct slice_vec *lines, struct align_items *items)
{
	int rc = 0;

	while (rc == 0 && text.len) {
		slice line = slice_take(&text, '\n');

		if (lines->len == LINES_MAX)
			return ERR_LIMIT;
		rc = slice_vec_push(lines, line);
		if (rc == 0)
			rc = align_items_push(
				items, (struct align_item){.key = hash_bytes(key, line)});
	}
	return rc;
}

static int add_lines(struct versions *v, const struct align_rows *rows,
	const struct slice_vec *lines_a, const struct slice_vec *lines_b)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < rows->len; i++) {
		struct align_row at = rows->ptr[i];
		struct versions_row row = {.differs = true};
		char where[32];

		if (at.a < lines_a->len && lines_a->ptr)
			row.a = lines_a->ptr[at.a];
		if (at.b < lines_b->len && lines_b->ptr)
			row.b = lines_b->ptr[at.b];
		row.differs = !row.a.ptr || !row.b.ptr || !slice_eq(row.a, row.b);
		(void)snprintf(
			where, sizeof where, "line %u", (at.a != ALIGN_NONE ? at.a : at.b) + 1);
		row.where = row.differs ? slice_str(where) : SLICE("");
		rc = add_row(v, &row);
	}
	return rc;
}

/* ERR_LIMIT: too many lines. */
static int compare_lines(struct versions *v, slice a, slice b)
{
	struct hash_key key = hash_key_random();
	struct slice_vec lines_a = {0}, lines_b = {0};
	struct align_items items_a = {0}, items_b = {0};
	struct align_rows rows = {0};
	int rc = list_lines(key, a, &lines_a, &items_a);

	if (rc == 0)
		rc = list_lines(key, b, &lines_b, &items_b);
	if (rc == 0)
		rc = align(&items_a, &items_b, &rows);
	if (rc == 0)
		rc = add_lines(v, &rows, &lines_a, &lines_b);
	slice_vec_release(&lines_a);
	slice_vec_release(&lines_b);
	align_items_release(&items_a);
	align_items_release(&items_b);
	align_rows_release(&rows);
	return rc;
}

/* ---- all of it ---- */

static bool has_nul(const struct look *l)
{
	slice start = slice_sub(buf_slice(&l->body), 0, BINARY_PROBE);

	return start.len && memchr(start.ptr, 0, start.len);
}

static enum versions_form find_form(const struct look *a, const struct look *b)
{
	slice type_a = buf_slice(&a->media_type), type_b = buf_slice(&b->media_type);

	if (!a->readable || !b->readable)
		return VERSIONS_BYTES;
	if (change_normalises(type_a) && change_normalises(type_b))
		return VERSIONS_PAGE;
	if (!has_nul(a) && !has_nul(b) && (versions_is_text(type_a) || change_normalises(type_a)) &&
		(versions_is_text(type_b) || change_normalises(type_b)))
		return VERSIONS_TEXT;
	return VERSIONS_BYTES;
}

static int add_body(struct versions *v, const struct look *a, const struct look *b,
	const struct change_terms *terms)
{
	int rc = 0;

	if (v->form == VERSIONS_PAGE)
		return compare_page(v, a, b, terms);
	if (v->form == VERSIONS_TEXT)
		rc = compare_lines(v, buf_slice(&a->body), buf_slice(&b->body));
	if (rc == ERR_LIMIT) {
		v->form = VERSIONS_BYTES;
		rc = 0;
	}
	if (rc == 0 && v->form == VERSIONS_BYTES && !digest_eq(&a->digest, &b->digest))
		v->differ_count++;
	return rc;
}

/* Never the same: a body of which a part is missing. */
static void judge(struct versions *v, const struct look *a, const struct look *b, bool head_differs)
{
	bool whole = a->whole && b->whole, ends = !a->close_delimited && !b->close_delimited;
	bool noise_only = !head_differs && v->change.same == CHANGE_NORMALISED;

	v->same = CHANGE_DIFFERENT;
	if (whole && digest_eq(&a->state, &b->state))
		v->same = CHANGE_BYTES;
	else if (whole && ends && noise_only)
		v->same = CHANGE_NORMALISED;
	if (!whole)
		v->doubt = "a body was cut off: what is missing is not known";
	else if (v->same != CHANGE_DIFFERENT || v->differ_count)
		v->doubt = NULL;
	else if (noise_only)
		v->doubt = "a body ends with its connection, so it may be cut off";
	else if (!v->doubt)
		v->doubt = "they differ in bytes that no row shows";
}

int versions_compare(const struct look *a, const struct look *b, const struct change_terms *terms,
	struct versions *ret)
{
	bool head_differs;
	int rc;

	*ret = (struct versions){.form = find_form(a, b)};
	arena_init(&ret->arena, ARENA_MAX);
	rc = change_compare(&(struct change_params){.a = buf_slice(&a->body),
				    .b = buf_slice(&b->body),
				    .media_type = ret->form == VERSIONS_PAGE
							  ? buf_slice(&a->media_type)
							  : SLICE("application/octet-stream"),
				    .terms = *terms},
		&ret->change);
	if (rc == 0 && !digest_eq(&a->state, &b->state))
		rc = add_head(ret, a, b);
	head_differs = ret->differ_count > 0;
	if (rc == 0)
		rc = add_body(ret, a, b, terms);
	if (rc == 0)
		judge(ret, a, b, head_differs);
	return rc;
}

void versions_release(struct versions *v)
{
	change_release(&v->change);
	versions_rows_release(&v->rows);
	versions_masks_release(&v->masked);
	arena_release(&v->arena);
}
