#include "proof/report_saved.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/pack.h"
#include "base/table.h"
#include "proof/noise_rules.h"

/* Goes up when a member is added, or a page is judged in another way by the same rules. */
enum { SAVED_VERSION = 1 };

enum {
	SAVED_PAGES = 512,
	SAVED_URLS = 1024,
	LEVEL = 1,
	PART_MAX = 1 << 30, /* bytes of a part that is read, uncompressed */
};

/* ---- members ---- */

/* A member of a struct, by MEMBER; times are stored as differences. */
struct saved_field {
	size_t offset;
	enum member_kind member;
	bool is_time;
};

#define PAGE(name)                               \
	{                                        \
		MEMBER(struct report_page, name) \
	}
#define TIME(name)                                                \
	{                                                         \
		MEMBER(struct report_page, name), .is_time = true \
	}

/* All but evidence, origin and cloaked. */
static const struct saved_field PAGE_FIELDS[] = {PAGE(url), PAGE(kind), PAGE(reason), PAGE(rules),
	PAGE(changed_in), PAGE(masked), PAGE(rule_set), PAGE(close_delimited), PAGE(cached),
	PAGE(foreign_times), PAGE(deceit), PAGE(login_box), PAGE(variant), PAGE(rate), PAGE(shape),
	PAGE(weight), PAGE(verdict), PAGE(left_out), PAGE(content), PAGE(composite), PAGE(spoiled),
	PAGE(taken), PAGE(is_told), PAGE(hopeless), PAGE(late), PAGE(usable_visit),
	PAGE(usable_revisit), TIME(visit.start), TIME(visit.end), TIME(visit.modified),
	PAGE(visit.attempts), PAGE(visit.number), PAGE(visit.status), PAGE(visit.made),
	TIME(revisit.start), TIME(revisit.end), TIME(revisit.modified), PAGE(revisit.attempts),
	PAGE(revisit.number), PAGE(revisit.status), PAGE(revisit.made), PAGE(looks),
	TIME(last_look)};

/* A new member belongs into the list; then SAVED_VERSION goes up. */
_Static_assert(sizeof(struct report_page) == 264, "all members are saved");

#undef PAGE
#undef TIME
#define TOTAL(name)                         \
	{                                   \
		MEMBER(struct report, name) \
	}

static const struct saved_field TOTAL_FIELDS[] = {TOTAL(window.from), TOTAL(window.to),
	TOTAL(window.clock_set), TOTAL(window.earlier), TOTAL(window.later), TOTAL(sharp_bytes),
	TOTAL(sharp_normalised), TOTAL(rule_set), TOTAL(learned), TOTAL(gated), TOTAL(gate_cookie),
	TOTAL(on_rule_set_1), TOTAL(changed_inside), TOTAL(variants), TOTAL(cookies),
	TOTAL(sessions), TOTAL(captured), TOTAL(not_captured), TOTAL(out_of_scope),
	TOTAL(rates_differ), TOTAL(unkept), TOTAL(soft_404), TOTAL(vanished), TOTAL(asserted),
	TOTAL(composites.pages), TOTAL(composites.sharp), TOTAL(expected_sharp),
	TOTAL(expected_range.low), TOTAL(expected_range.high), TOTAL(expected_unknown), TOTAL(blur),
	TOTAL(known.best.from), TOTAL(known.best.to), TOTAL(known.best.proven)};

#undef TOTAL
#define DUST(name)                               \
	{                                        \
		MEMBER(struct report_dust, name) \
	}

static const struct saved_field DUST_FIELDS[] = {DUST(rule), DUST(urls), DUST(applied),
	DUST(is_mirror), DUST(site), DUST(of), DUST(agreed), DUST(disagreed), DUST(passed)};

#undef DUST
#define RULE(name)                              \
	{                                       \
		MEMBER(struct acted_rule, name) \
	}

static const struct saved_field RULE_FIELDS[] = {
	RULE(name), RULE(version), RULE(pages), RULE(count)};

#undef RULE

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- writing ---- */

struct saving {
	const struct report *report;
	struct catalog *catalog;
	struct err *err;
	struct buf out, packed;
	int64_t time; /* the last one */
	int rc;       /* the first failure */
};

static void put(struct saving *s, uint64_t value)
{
	(void)pack_number(&s->out, value);
}

static void put_time(struct saving *s, int64_t time)
{
	(void)pack_signed(&s->out, time - s->time);
	s->time = time;
}

/* A zero behind it, since some texts are used as strings. */
static void put_text(struct saving *s, slice text)
{
	(void)pack_optional(&s->out, text);
	if (text.ptr)
		(void)buf_add_char(&s->out, '\0');
}

static void put_double(struct saving *s, double value)
{
	int64_t bits;

	memcpy(&bits, &value, sizeof bits);
	(void)pack_big(&s->out, bits);
}

static void put_field(struct saving *s, const struct saved_field *f, const void *base)
{
	const void *at = (const char *)base + f->offset;

	switch (f->member) {
	case MEMBER_SLICE:
		put_text(s, *(const slice *)at);
		break;
	case MEMBER_BOOL:
		put(s, *(const bool *)at);
		break;
	case MEMBER_U8:
		put(s, *(const uint8_t *)at);
		break;
	case MEMBER_U16:
		put(s, *(const uint16_t *)at);
		break;
	case MEMBER_U32:
		put(s, *(const uint32_t *)at);
		break;
	case MEMBER_U64:
		put(s, *(const uint64_t *)at);
		break;
	case MEMBER_I64:
		if (f->is_time)
			put_time(s, *(const int64_t *)at);
		else
			(void)pack_signed(&s->out, *(const int64_t *)at);
		break;
	case MEMBER_FLOAT:
		put_double(s, (double)*(const float *)at);
		break;
	case MEMBER_DOUBLE:
		put_double(s, *(const double *)at);
		break;
	case MEMBER_NONE:
	case MEMBER_STRING:
		break;
	}
}

static void put_fields(
	struct saving *s, const struct saved_field *fields, size_t count, const void *base)
{
	for (size_t i = 0; i < count; i++)
		put_field(s, &fields[i], base);
}

static void put_intervals(
	struct saving *s, const struct interval_vec *all, uint32_t first, uint32_t count)
{
	put(s, count);
	for (uint32_t i = first; i < first + count; i++) {
		const struct interval *x = &all->ptr[i];

		put_time(s, x->from);
		put_time(s, x->to);
		put(s, x->evidence - 1); /* never SAME_NOT */
		put(s, x->first);
		put(s, x->last);
		put(s, x->status);
	}
}

static void put_page(struct saving *s, uint32_t number)
{
	const struct report *r = s->report;
	const struct report_page *p = report_page_at(r, number);
	const struct known *k = &r->known;
	bool is_known = number < k->pages.len;

	put_fields(s, PAGE_FIELDS, COUNT(PAGE_FIELDS), p);
	put(s, p->evidence);
	put(s, (uint64_t)(p->origin + 1));
	put(s, (uint64_t)(p->cloaked + 1));
	put(s, is_known);
	if (is_known) {
		const struct known_page *known = &k->pages.ptr[number];

		put_intervals(s, &k->proven, known->proven, known->proven_count);
		put_intervals(s, &k->asserted, known->asserted, known->asserted_count);
		put_intervals(s, &k->retired, known->retired, known->retired_count);
		put(s, known->host);
		put(s, known->returned);
	}
}

/* The same in every program: it is stored. */
static uint64_t hash_of(slice bytes)
{
	return hash_bytes((struct hash_key){0}, bytes);
}

/* What is in s->out, compressed, behind its length and a hash. */
static void add_part(struct saving *s, enum catalog_saved_kind kind, uint32_t number)
{
	size_t bound = ZSTD_compressBound(s->out.len), length = 0;

	buf_reset(&s->packed);
	(void)pack_number(&s->packed, s->out.len);
	(void)pack_big(&s->packed, (int64_t)hash_of(buf_slice(&s->out)));
	(void)buf_reserve(&s->packed, bound);
	if (s->rc == 0 && (s->out.error || s->packed.error))
		s->rc = err_code(s->err, s->out.error ? s->out.error : s->packed.error);
	if (s->rc == 0) {
		length = ZSTD_compress(
			s->packed.ptr + s->packed.len, bound, s->out.ptr, s->out.len, LEVEL);
		if (ZSTD_isError(length))
			mem_end();
		s->packed.len += length;
		s->rc = catalog_put(s->catalog, CATALOG_ROW_SAVED, s->report->capture.id,
			&(struct catalog_saved){kind, number, buf_slice(&s->packed)}, s->err);
	}
	buf_reset(&s->out);
	s->time = 0;
}

/* What the report was computed from: if that is another, so is the report. */
static void put_origin(struct saving *s)
{
	const struct report *r = s->report;
	const struct catalog_capture *c = &r->capture;

	put(s, SAVED_VERSION);
	put(s, NOISE_RULES_VERSION);
	put_text(s, slice_str(STILLPOINT_VERSION));
	put(s, c->state);
	put(s, c->ended_by);
	put(s, c->caveats);
	put_time(s, c->finished);
	put_time(s, c->still_from);
	put_time(s, c->still_to);
	put(s, r->pages.len);
}

static void save_totals(struct saving *s)
{
	const struct report *r = s->report;

	put_origin(s);
	put_fields(s, TOTAL_FIELDS, COUNT(TOTAL_FIELDS), r);
	for (int i = 0; i < VERDICT_COUNT; i++)
		put(s, r->totals[i]);
	for (int i = 0; i < LEFT_OUT_COUNT; i++)
		put(s, r->left_out[i]);
	put_text(s, slice_str(r->ignore));
	put(s, r->rules.len);
	for (size_t i = 0; i < r->rules.len; i++)
		put_fields(s, RULE_FIELDS, COUNT(RULE_FIELDS), &r->rules.ptr[i]);
	put(s, r->dust.len);
	for (size_t i = 0; i < r->dust.len; i++)
		put_fields(s, DUST_FIELDS, COUNT(DUST_FIELDS), &r->dust.ptr[i]);
	put(s, r->known.pages.len);
	put(s, r->known.hosts.len);
	for (size_t i = 0; i < r->known.hosts.len; i++) {
		put(s, r->known.hosts.ptr[i].trust.lies);
		put(s, r->known.hosts.ptr[i].divergent);
	}
	add_part(s, CATALOG_SAVED_TOTALS, 0);
}

static void save_pages(struct saving *s)
{
	uint32_t pages = (uint32_t)s->report->pages.len;

	for (uint32_t i = 0; s->rc == 0 && i < pages; i++) {
		put_page(s, i);
		if ((i + 1) % SAVED_PAGES == 0 || i + 1 == pages)
			add_part(s, CATALOG_SAVED_PAGES, i - i % SAVED_PAGES);
	}
}

static uint32_t url_hash(slice url)
{
	return (uint32_t)(hash_of(url) >> 32);
}

struct hashed {
	uint32_t hash, page;
};

static int by_hash(const void *a, const void *b)
{
	const struct hashed *x = a, *y = b;

	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	return x->page < y->page ? -1 : x->page > y->page;
}

/* A part: how many pages all parts have, where the next part begins, then its own. */
static void save_part_of_urls(
	struct saving *s, const struct hashed *list, size_t count, uint64_t begin, uint64_t end)
{
	uint64_t last = begin;

	put(s, s->report->pages.len);
	put(s, end);
	for (size_t i = 0; i < count; i++) {
		put(s, list[i].hash - last);
		put(s, list[i].page);
		last = list[i].hash;
	}
	add_part(s, CATALOG_SAVED_URLS, (uint32_t)begin);
}

/*
 * Equal hashes are in one part, and the first part begins with 0: so whatever the hash, its part is
 * the last one that does not begin behind it.
 */
static void save_urls(struct saving *s)
{
	size_t pages = s->report->pages.len, first = 0, end = 0;
	struct hashed *list = mem_new(pages + 1, sizeof *list);

	for (size_t i = 0; i < pages; i++)
		list[i] = (struct hashed){url_hash(report_page_at(s->report, i)->url), (uint32_t)i};
	qsort(list, pages, sizeof *list, by_hash);
	for (; s->rc == 0 && first < pages; first = end) {
		while (end < pages &&
			(end < first + SAVED_URLS || list[end].hash == list[end - 1].hash))
			end++;
		save_part_of_urls(s, list + first, end - first, first ? list[first].hash : 0,
			end < pages ? list[end].hash : (uint64_t)1 << 32);
	}
	free(list);
}

int report_save(const struct report *r, struct catalog *catalog, struct err *err)
{
	struct saving s = {.report = r, .catalog = catalog, .err = err};

	buf_init(&s.out, PART_MAX);
	buf_init(&s.packed, PART_MAX);
	for (int kind = CATALOG_SAVED_TOTALS; s.rc == 0 && kind <= CATALOG_SAVED_URLS; kind++)
		s.rc = catalog_drop_saved(
			catalog, r->capture.id, (enum catalog_saved_kind)kind, err);
	if (s.rc == 0) {
		save_totals(&s);
		save_pages(&s);
		save_urls(&s);
	}
	buf_release(&s.out);
	buf_release(&s.packed);
	return s.rc;
}

/* ---- reading ---- */

struct reading {
	struct report *report;
	struct arena *arena; /* of the texts */
	struct unpack from;
	int64_t time;
	bool is_found;
};

static uint64_t get(struct reading *g, uint64_t max)
{
	return unpack_up_to(&g->from, max);
}

static int64_t get_time(struct reading *g)
{
	/* Unsigned, since a damaged part may say anything. */
	g->time = (int64_t)((uint64_t)g->time + (uint64_t)unpack_signed(&g->from));
	return g->time;
}

static slice get_text(struct reading *g)
{
	slice text = unpack_optional(&g->from);

	if (text.ptr && unpack_byte(&g->from) != 0)
		g->from.bad = true;
	return text;
}

static double get_double(struct reading *g)
{
	int64_t bits = unpack_big(&g->from);
	double value;

	memcpy(&value, &bits, sizeof value);
	return value;
}

static void get_field(struct reading *g, const struct saved_field *f, void *base)
{
	void *at = (char *)base + f->offset;

	switch (f->member) {
	case MEMBER_SLICE:
		*(slice *)at = get_text(g);
		break;
	case MEMBER_BOOL:
		*(bool *)at = get(g, 1);
		break;
	case MEMBER_U8:
		*(uint8_t *)at = (uint8_t)get(g, UINT8_MAX);
		break;
	case MEMBER_U16:
		*(uint16_t *)at = (uint16_t)get(g, UINT16_MAX);
		break;
	case MEMBER_U32:
		*(uint32_t *)at = (uint32_t)get(g, UINT32_MAX);
		break;
	case MEMBER_U64:
		*(uint64_t *)at = get(g, UINT64_MAX);
		break;
	case MEMBER_I64:
		*(int64_t *)at = f->is_time ? get_time(g) : unpack_signed(&g->from);
		break;
	case MEMBER_FLOAT:
		*(float *)at = (float)get_double(g);
		break;
	case MEMBER_DOUBLE:
		*(double *)at = get_double(g);
		break;
	case MEMBER_NONE:
	case MEMBER_STRING:
		break;
	}
}

static void get_fields(
	struct reading *g, const struct saved_field *fields, size_t count, void *base)
{
	for (size_t i = 0; i < count; i++)
		get_field(g, &fields[i], base);
}

/* Uncompressed, in the arena, where texts stay. */
static int open_part(struct reading *g, slice bytes)
{
	struct unpack from = {bytes, false};
	uint64_t length = unpack_up_to(&from, PART_MAX);
	uint64_t hash = (uint64_t)unpack_big(&from);
	char *whole;

	if (from.bad)
		return ERR_IO;
	whole = arena_need(g->arena, (size_t)length, 1);
	if (ZSTD_decompress(whole, (size_t)length, from.left.ptr, from.left.len) != length ||
		hash_of((slice){whole, (size_t)length}) != hash)
		return ERR_IO;
	g->from = (struct unpack){{whole, (size_t)length}, false};
	g->time = 0;
	return 0;
}

/* A number that has to be this one. */
static void expect(struct reading *g, uint64_t value)
{
	if (get(g, UINT64_MAX) != value)
		g->from.bad = true;
}

static void expect_time(struct reading *g, int64_t time)
{
	if (get_time(g) != time)
		g->from.bad = true;
}

/* As put_origin. */
static bool is_origin(struct reading *g)
{
	const struct catalog_capture *c = &g->report->capture;

	expect(g, SAVED_VERSION);
	expect(g, NOISE_RULES_VERSION);
	if (!slice_eq(get_text(g), SLICE(STILLPOINT_VERSION)))
		g->from.bad = true;
	expect(g, c->state);
	expect(g, c->ended_by);
	expect(g, c->caveats);
	expect_time(g, c->finished);
	expect_time(g, c->still_from);
	expect_time(g, c->still_to);
	return !g->from.bad;
}

static void get_lists(struct reading *g)
{
	struct report *r = g->report;

	for (uint64_t n = get(g, g->from.left.len); n > 0; n--) {
		struct acted_rule rule;

		get_fields(g, RULE_FIELDS, COUNT(RULE_FIELDS), &rule);
		acted_rules_push(&r->rules, rule);
	}
	for (uint64_t n = get(g, g->from.left.len); n > 0; n--) {
		struct report_dust dust;

		get_fields(g, DUST_FIELDS, COUNT(DUST_FIELDS), &dust);
		report_dusts_push(&r->dust, dust);
	}
}

static void get_hosts(struct reading *g)
{
	struct known *k = &g->report->known;
	size_t pages = (size_t)get(g, g->report->pages.len);

	k->pages.ptr = mem_new(pages + 1, sizeof *k->pages.ptr);
	k->pages.cap = pages + 1;
	k->pages.len = pages;
	for (uint64_t n = get(g, g->from.left.len); n > 0; n--) {
		struct known_host host = {.trust.lies = (unsigned)get(g, UINT32_MAX)};

		host.divergent = get(g, 1);
		known_hosts_push(&k->hosts, host);
	}
}

static int on_totals(void *context, const struct catalog_saved *part)
{
	struct reading *g = context;
	struct report *r = g->report;
	struct err ignored = {0};
	slice ignore;
	int rc = open_part(g, part->bytes);

	if (rc || !is_origin(g))
		return rc ? rc : ERR_NOTFOUND;
	/* Room for all pages, which the system gives only when it is used. */
	TRY(report_make_pages(r, (size_t)get(g, UINT32_MAX - 1), &ignored));
	get_fields(g, TOTAL_FIELDS, COUNT(TOTAL_FIELDS), r);
	for (int i = 0; i < VERDICT_COUNT; i++)
		r->totals[i] = get(g, UINT64_MAX);
	for (int i = 0; i < LEFT_OUT_COUNT; i++)
		r->left_out[i] = get(g, UINT64_MAX);
	ignore = get_text(g);
	if (ignore.len >= sizeof r->ignore)
		return ERR_IO;
	memcpy(r->ignore, ignore.ptr ? ignore.ptr : "", ignore.len);
	get_lists(g);
	get_hosts(g);
	g->is_found = true;
	return g->from.bad ? ERR_IO : 0;
}

static void get_intervals(
	struct reading *g, struct interval_vec *to, uint32_t *ret_first, uint32_t *ret_count)
{
	uint32_t count = (uint32_t)get(g, g->from.left.len);

	*ret_first = (uint32_t)to->len;
	*ret_count = count;
	for (; count > 0; count--) {
		struct interval x = {.from = get_time(g), .to = 0};

		x.to = get_time(g);
		x.evidence = (enum same_by)(get(g, SAME_TOMBSTONE - 1) + 1);
		x.first = (uint32_t)get(g, UINT32_MAX);
		x.last = (uint32_t)get(g, UINT32_MAX);
		x.status = (unsigned)get(g, UINT32_MAX);
		interval_vec_push(to, x);
	}
}

static void get_known(struct reading *g, struct known *k, uint32_t number)
{
	struct known_page known = {0};

	get_intervals(g, &k->proven, &known.proven, &known.proven_count);
	get_intervals(g, &k->asserted, &known.asserted, &known.asserted_count);
	get_intervals(g, &k->retired, &known.retired, &known.retired_count);
	known.host = (uint32_t)get(g, UINT32_MAX);
	known.returned = get(g, 1);
	if (known.host >= k->hosts.len || number >= k->pages.len)
		g->from.bad = true;
	else
		k->pages.ptr[number] = known;
}

static void get_page(struct reading *g, uint32_t number, struct report_page *p)
{
	get_fields(g, PAGE_FIELDS, COUNT(PAGE_FIELDS), p);
	p->evidence = (uint8_t)get(g, SAME_TOMBSTONE);
	p->origin = (int8_t)((int)get(g, 2) - 1);
	p->cloaked = (int8_t)((int)get(g, 2) - 1);
	if (get(g, 1))
		get_known(g, &g->report->known, number);
	if (!p->url.ptr || p->verdict >= VERDICT_COUNT || p->left_out >= LEFT_OUT_COUNT)
		g->from.bad = true;
}

/* The texts of a page, of which those that many share are stored once. */
static void keep_texts(struct report *r, struct report_page *p)
{
	p->url = arena_keep(&r->arena, p->url);
	p->deceit = arena_keep(&r->arena, p->deceit);
	p->kind = words_copy(&r->words, p->kind);
	p->reason = words_copy(&r->words, p->reason);
	p->rules = words_copy(&r->words, p->rules);
	p->changed_in = words_copy(&r->words, p->changed_in);
}

static int get_pages(struct reading *g, const struct catalog_saved *part)
{
	size_t end = (size_t)part->number + SAVED_PAGES, all = g->report->pages.len;

	TRY(part->number % SAVED_PAGES ? ERR_IO : open_part(g, part->bytes));
	for (size_t i = part->number; i < end && i < all; i++) {
		struct report_page *p = report_page_at(g->report, i);

		get_page(g, (uint32_t)i, p);
		if (g->from.bad)
			return ERR_IO;
		keep_texts(g->report, p);
	}
	return 0;
}

/* One part after another in the same memory. */
static int on_pages(void *context, const struct catalog_saved *part)
{
	struct reading *g = context;
	struct arena *texts = g->arena, whole;
	int rc;

	arena_init(&whole, PART_MAX);
	g->arena = &whole;
	rc = get_pages(g, part);
	g->arena = texts;
	arena_release(&whole);
	return rc;
}

/* Whatever is wrong with what is saved, the report can be computed. */
static int read_totals(struct reading *g, struct catalog *catalog)
{
	uint32_t id = g->report->capture.id, pages;

	if (g->report->capture.state == CATALOG_RUNNING ||
		catalog_each_saved(catalog, id, CATALOG_SAVED_TOTALS, on_totals, g, NULL) ||
		!g->is_found || catalog_count_pages(catalog, id, &pages, NULL) ||
		pages != g->report->pages.len)
		return ERR_NOTFOUND;
	return 0;
}

int report_read_saved(struct report *r, struct catalog *catalog)
{
	struct reading g = {.report = r, .arena = &r->arena};
	uint32_t id = r->capture.id;

	TRY(read_totals(&g, catalog));
	if (catalog_each_saved(catalog, id, CATALOG_SAVED_PAGES, on_pages, &g, NULL))
		return ERR_NOTFOUND;
	/* Parts may be missing, at the end, too. */
	if (r->pages.len && !r->pages.ptr[r->pages.len - 1].url.ptr)
		return ERR_NOTFOUND;
	for (size_t i = 0; i < r->pages.len; i += SAVED_PAGES)
		if (!report_page_at(r, i)->url.ptr)
			return ERR_NOTFOUND;
	return requisites_load(&r->requisites, catalog, id, r->pages.len, NULL) ? ERR_NOTFOUND : 0;
}

static int read_page(struct reading *g, struct catalog *catalog, uint32_t page)
{
	int rc = 0;

	if (page >= g->report->pages.len)
		return ERR_NOTFOUND;
	if (!g->report->pages.ptr[page].url.ptr)
		rc = catalog_saved_around(catalog, g->report->capture.id, CATALOG_SAVED_PAGES, page,
			on_pages, g, NULL);
	return rc == 0 && !g->report->pages.ptr[page].url.ptr ? ERR_NOTFOUND : rc;
}

int report_read_saved_page(struct report *r, struct catalog *catalog, uint32_t page)
{
	struct reading g = {.report = r, .arena = &r->arena};
	struct requisites_search search;
	int rc = 0;

	TRY(read_totals(&g, catalog));
	if (read_page(&g, catalog, page) || requisites_load_page(&r->requisites, catalog,
						    r->capture.id, r->pages.len, page, NULL))
		return ERR_NOTFOUND;
	requisites_search_init(&search, &r->requisites);
	requisites_find(&r->requisites, page, &search);
	for (size_t i = 0; rc == 0 && i < search.parts.len; i++)
		rc = read_page(&g, catalog, search.parts.ptr[i]);
	requisites_search_release(&search);
	return rc ? ERR_NOTFOUND : 0;
}

/* ---- checking ---- */

struct checking {
	struct reading reading;
	const struct report *computed;
	report_on_difference *call;
	void *context;
};

static bool is_proven(const struct report_page *p)
{
	return p->verdict == VERDICT_SHARP || p->verdict == VERDICT_ABSENT;
}

/* What it claims; what rates and later captures have a part in may differ. */
static bool claims_same(const struct report_page *a, const struct report_page *b)
{
	return slice_eq(a->url, b->url) && a->verdict == b->verdict &&
	       (!is_proven(a) || a->evidence == b->evidence) && a->visit.start == b->visit.start &&
	       a->visit.end == b->visit.end && a->revisit.start == b->revisit.start &&
	       a->revisit.end == b->revisit.end;
}

static bool totals_same(const struct report *a, const struct report *b)
{
	return memcmp(a->totals, b->totals, sizeof a->totals) == 0 &&
	       a->sharp_bytes == b->sharp_bytes && a->sharp_normalised == b->sharp_normalised &&
	       a->captured == b->captured && a->window.from == b->window.from &&
	       a->window.to == b->window.to;
}

/* One part after another in the same memory. */
static int on_checked(void *context, const struct catalog_saved *part)
{
	struct checking *k = context;
	struct reading *g = &k->reading;
	struct known *known = &g->report->known;
	int rc;

	arena_reset(g->arena);
	known->proven.len = known->asserted.len = known->retired.len = 0;
	rc = open_part(g, part->bytes);
	for (size_t i = part->number, n = 0;
		rc == 0 && n < SAVED_PAGES && i < k->computed->pages.len; i++, n++) {
		struct report_page p = {0};

		get_page(g, (uint32_t)i, &p);
		if (g->from.bad)
			return ERR_IO;
		if (!claims_same(&p, &k->computed->pages.ptr[i]))
			k->call(k->context, &k->computed->pages.ptr[i], &p);
	}
	return rc;
}

void report_check_saved(const struct report *computed, struct catalog *catalog,
	report_on_difference *call, void *context)
{
	struct report saved = {.capture = computed->capture};
	struct arena parts;
	struct checking k = {.reading = {.report = &saved, .arena = &saved.arena},
		.computed = computed,
		.call = call,
		.context = context};
	int rc;

	arena_init(&saved.arena, PART_MAX);
	arena_init(&parts, PART_MAX);
	words_init(&saved.words, &saved.arena);
	known_init(&saved.known);
	rc = read_totals(&k.reading, catalog);
	if (rc == 0 && !totals_same(&saved, computed))
		call(context, NULL, NULL);
	k.reading.arena = &parts;
	if (rc == 0) /* what is damaged is passed over */
		(void)!catalog_each_saved(
			catalog, saved.capture.id, CATALOG_SAVED_PAGES, on_checked, &k, NULL);
	arena_release(&parts);
	report_release(&saved);
}

/* ---- URLs ---- */

struct seeking {
	struct catalog *catalog;
	uint32_t capture;
	slice url;
	uint32_t hash, page;
	uint64_t pages; /* that were saved */
	bool is_found;
};

static int on_candidate(void *context, const struct catalog_page *p)
{
	struct seeking *s = context;

	if (slice_eq(p->url, s->url)) {
		s->page = p->number;
		s->is_found = true;
	}
	return 0;
}

static int on_urls(void *context, const struct catalog_saved *part)
{
	struct seeking *s = context;
	struct arena arena;
	struct reading g = {.arena = &arena};
	uint64_t hash = part->number;
	int rc;

	arena_init(&arena, PART_MAX);
	rc = open_part(&g, part->bytes);
	if (rc == 0) {
		s->pages = get(&g, UINT32_MAX);
		/* A part is missing: this one cannot say that there is no such URL. */
		if (get(&g, (uint64_t)1 << 32) <= s->hash)
			rc = ERR_IO;
	}
	while (rc == 0 && !s->is_found && g.from.left.len > 0 && hash <= s->hash) {
		uint32_t page;

		hash += get(&g, UINT32_MAX);
		page = (uint32_t)get(&g, UINT32_MAX);
		if (g.from.bad)
			rc = ERR_IO;
		else if (hash == s->hash)
			rc = catalog_get_page(s->catalog, s->capture, page, on_candidate, s, NULL);
	}
	arena_release(&arena);
	return rc;
}

int report_find_page(
	struct catalog *catalog, uint32_t capture, slice url, uint32_t *ret, struct err *err)
{
	struct seeking s = {
		.catalog = catalog, .capture = capture, .url = url, .hash = url_hash(url)};
	uint32_t pages = 0;
	int rc = catalog_saved_around(
		catalog, capture, CATALOG_SAVED_URLS, s.hash, on_urls, &s, NULL);

	if (rc == 0)
		rc = catalog_count_pages(catalog, capture, &pages, NULL);
	/* A capture that went on has pages that are not among these. */
	if (rc || pages == 0 || s.pages != pages)
		return catalog_find_page(catalog, capture, url, ret, err);
	if (!s.is_found)
		return err_set(err, ERR_NOTFOUND, "%.*s: the capture has no such page",
			(int)(url.len < ERR_TEXT_MAX ? url.len : ERR_TEXT_MAX), url.ptr);
	*ret = s.page;
	return 0;
}
