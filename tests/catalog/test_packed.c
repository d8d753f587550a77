/*
 * Packed looks read as rows of one observation each do: the same attempts go into two catalogs, one
 * of which packs them, and every reader must see the same in both.
 */
#include "catalog/catalog_packed.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/rng.h"
#include "catalog_sample.h"
#include "tap.h"
#include "warc/compact.h"

enum { TEXT_SIZE = 96, FOLDED_MAX = 4 << 20, PAGES = 12, ATTEMPTS = 1500 };

static const int64_t NOW = INT64_C(1700000000000000000);
static const char UUID[] = "urn:uuid:00000000-0000-4000-8000-000000000001"; /* catalog_sample.c */

/* Strings of an attempt. */
struct texts {
	char url[TEXT_SIZE], etag[TEXT_SIZE], address[TEXT_SIZE];
	struct warc_id id;
};

static struct digest make_digest(unsigned n)
{
	struct digest d = {.kind = n % 5 ? DIGEST_SHA256 : DIGEST_SHA1};

	memset(d.bytes, (int)(n % 251 + 1), digest_size(d.kind));
	return d;
}

/* A look at a page in a leg that finds the given version of it. */
static struct attempt make_look(
	uint32_t page, enum attempt_leg leg, unsigned number, unsigned version, struct texts *t)
{
	int64_t at = NOW + number * INT64_C(86400123456789) + page;
	struct attempt a = {
		.page = page,
		.leg = leg,
		.number = number,
		.capture = slice_str(UUID),
		.wall = {at, at + 20000000 + number, at + 30000000},
		.status = 200,
		.media_type = SLICE("text/html"),
		.has_payload = true,
		.has_state = true,
		.payload = make_digest(version),
		.state = make_digest(version + 1),
		.coding = UINT64_MAX - version,
		.offset = 1 + number * UINT64_C(65536),
		.length = 300 + number % 7,
		.is_revisit = true,
		.is_compact = true,
	};

	a.clock = (struct attempt_times){
		a.wall.sent - NOW + 7, a.wall.first_byte - NOW + 7, a.wall.last_byte - NOW + 7};
	(void)snprintf(t->url, sizeof t->url, "http://site.example/a/path/page-%u", page);
	(void)snprintf(t->etag, sizeof t->etag, "\"%u\"", version);
	a.url = slice_str(t->url);
	a.etag = slice_str(t->etag);
	CHECK_INT(compact_id(&a, &t->id), 0);
	a.record_id = slice_str(t->id.text);
	return a;
}

static struct attempt make_response(
	uint32_t page, enum attempt_leg leg, unsigned number, unsigned version, struct texts *t)
{
	struct attempt a = make_look(page, leg, number, version, t);

	a.is_compact = a.is_revisit = false;
	a.warc = SLICE("stillpoint-20260101000000-00001.warc.gz");
	a.links = SLICE("\0\1\2\377");
	return a;
}

/* Changes what a look may differ in, by the bits of a number. */
static void vary(struct attempt *a, uint64_t bits, struct texts *t)
{
	if (bits & 1)
		a->age = (struct attempt_age){true, (unsigned)(bits % 1000)};
	if (bits & 2) {
		(void)snprintf(t->address, sizeof t->address, "192.0.2.%u", (unsigned)(bits % 9));
		a->address = slice_str(t->address);
	}
	if (bits & 4)
		a->caches = SLICE("x-cache: HIT");
	if (bits & 8) {
		a->rule_set = 1;
		a->rules = bits & 16 ? SLICE("nonces=1:00ff") : SLICE("");
		a->masked = (unsigned)(bits % 1000001);
		a->has_class = bits & 32;
		a->class = make_digest((unsigned)(bits % 3));
	}
	if (bits & 64)
		a->clock.last_byte += 3;
	if (bits & 128)
		a->clock.sent = INT64_MAX;
	if (bits & 256)
		a->is_revisit = false;
	if (bits & 512)
		a->modified = -NOW;
	if (bits & 1024)
		a->etag = !(bits & 2048) ? SLICE("") : (slice){0};
	if (bits & 4096)
		a->record_id = !(bits & 8192) ? SLICE("<urn:foreign>") : (slice){0};
	if (bits & 16384)
		a->stand_in = SLICE("login: a form");
	if ((bits & 0x38000) == 0x38000)
		a->wall = (struct attempt_times){INT64_MIN, INT64_MAX, 0};
	if (bits & 0x40000)
		a->retired = NOW + 5;
}

/* ---- comparing readers ---- */

/* Packed looks that differ by noise have short digests: so much counts of what is no revisit. */
static struct attempt shorten(const struct attempt *a)
{
	struct attempt x = *a;

	if (!x.is_revisit) {
		digest_shorten(&x.state);
		digest_shorten(&x.payload);
	}
	return x;
}

static int fold(void *context, const struct attempt *shown)
{
	const struct attempt x = shorten(shown), *a = &x;
	struct buf *out = context;
	char state[DIGEST_SIZE_MAX] = {0}, payload[DIGEST_SIZE_MAX] = {0};
	char normal[DIGEST_SIZE_MAX] = {0};
	const slice texts[] = {a->url, a->media_type, a->failure, a->rules, a->purpose, a->stand_in,
		a->etag, a->caches, a->address, a->links, a->warc, a->record_id,
		{state, sizeof state}, {payload, sizeof payload}, {normal, sizeof normal}};
	const int64_t numbers[] = {a->page, a->leg, a->number, a->wall.sent, a->wall.first_byte,
		a->wall.last_byte, a->clock.sent, a->clock.first_byte, a->clock.last_byte,
		a->status, a->truncated, a->close_delimited, a->rule_set, a->masked, a->modified,
		a->age.known, a->age.seconds, a->is_revisit, (int64_t)a->coding, (int64_t)a->offset,
		(int64_t)a->length, a->retired, a->has_state, a->has_payload, a->has_class};
	int rc = 0;

	if (a->has_state)
		memcpy(state, a->state.bytes, digest_size(a->state.kind));
	if (a->has_payload)
		memcpy(payload, a->payload.bytes, digest_size(a->payload.kind));
	if (a->has_class)
		memcpy(normal, a->class.bytes, digest_size(a->class.kind));
	for (size_t i = 0; rc == 0 && i < ARRAY_LEN(numbers); i++)
		rc = pack_signed(out, numbers[i]);
	for (size_t i = 0; rc == 0 && i < ARRAY_LEN(texts); i++)
		rc = pack_optional(out, texts[i]);
	return rc;
}

static int fold_body(void *context, const struct attempt *shown)
{
	const struct attempt x = shorten(shown), *a = &x;
	struct buf *out = context;
	int rc = pack_number(out, a->page);

	if (rc == 0)
		rc = pack_number(out, a->is_revisit + 2U * a->truncated + 4U * a->has_payload);
	if (rc == 0 && a->has_payload)
		rc = buf_add(
			out, (slice){(const char *)a->payload.bytes, digest_size(a->payload.kind)});
	if (rc == 0)
		rc = pack_big(out, (int64_t)a->coding);
	return rc ? rc : pack_number(out, a->offset);
}

/* All that the readers see, as bytes. */
static void fold_all(struct catalog *c, struct buf *out)
{
	struct err err = {0};

	CHECK_INT(catalog_each_observation(c, 1, fold, out, &err), 0);
	CHECK_INT(catalog_each_body(c, 1, fold_body, out, &err), 0);
	for (uint32_t page = 0; page < PAGES; page++)
		CHECK_INT(catalog_page_observations(c, 1, page, fold, out, &err), 0);
	if (err.text[0])
		tap_note("%s", err.text);
}

static void check_same(struct catalog *packed, struct catalog *rows)
{
	struct buf a, b;

	buf_init(&a, FOLDED_MAX);
	buf_init(&b, FOLDED_MAX);
	fold_all(packed, &a);
	fold_all(rows, &b);
	CHECK(a.len > 0 && slice_eq(buf_slice(&a), buf_slice(&b)));
	buf_release(&a);
	buf_release(&b);
}

static struct catalog *new_catalog(void)
{
	char path[SAMPLE_PATH_SIZE];
	struct catalog *c = sample_open(sample_path(path), CATALOG_CREATE);
	struct err err = {0};
	uint32_t capture = 0;

	CHECK_INT(sample_add_capture(c, 1, &capture, &err), 0);
	for (uint32_t i = 0; i < PAGES; i++) {
		char url[TEXT_SIZE];
		struct catalog_page page = {
			.number = i, .via = CATALOG_NO_PAGE, .taken = true, .weight = 1};

		(void)snprintf(url, sizeof url, "http://site.example/a/path/page-%u", i);
		page.url = slice_str(url);
		CHECK_INT(catalog_put(c, CATALOG_ROW_ADD_PAGE, capture, &page, &err), 0);
	}
	return c;
}

/* Adds it to both, packed in one and as a row in the other; both must say the same. */
static void add_both(
	struct catalog *packed, struct catalog *rows, const struct attempt *a, int want)
{
	struct attempt row = *a;
	struct err err = {0};

	row.is_compact = false;
	CHECK_INT(catalog_add_observation(packed, 1, a, &err), want);
	CHECK_INT(catalog_add_observation(rows, 1, &row, &err), want);
}

static int64_t count_rows(struct catalog *c, const char *sql)
{
	sqlite3_stmt *s = NULL;
	int64_t n = -1;

	CHECK_INT(sqlite3_prepare_v2(c->db, sql, -1, &s, NULL), SQLITE_OK);
	if (sqlite3_step(s) == SQLITE_ROW)
		n = sqlite3_column_int64(s, 0);
	(void)sqlite3_finalize(s);
	return n;
}

/* ---- tests ---- */

/* A page that changes now and then, seen by looks, with responses in between. */
static void test_watch(void)
{
	struct catalog *packed = new_catalog(), *rows = new_catalog();
	struct texts t = {0};

	for (unsigned number = 1; number <= 90; number++)
		for (uint32_t page = 0; page < PAGES; page++) {
			unsigned version = number / (7 + page);
			bool fresh = number == 1 || version != (number - 1) / (7 + page);
			struct attempt a = (fresh ? make_response : make_look)(
				page, ATTEMPT_LOOK, number, version, &t);

			add_both(packed, rows, &a, 0);
		}
	CHECK(count_rows(packed, "SELECT count(*) FROM packed") < 300);
	CHECK(count_rows(packed, "SELECT sum(length(looks)) FROM packed") < 90 * PAGES * 30);
	check_same(packed, rows);
	catalog_close(packed);
	catalog_close(rows);
}

/* Whatever the values are, in whatever order they come, and never twice. */
static void test_random(void)
{
	struct catalog *packed = new_catalog(), *rows = new_catalog();
	bool known[PAGES][ATTEMPT_LEGS][64] = {{{false}}};
	struct texts t = {0};
	struct rng rng;

	rng_init(&rng, 17);
	for (int i = 0; i < ATTEMPTS; i++) {
		uint32_t page = (uint32_t)rng_below(&rng, PAGES);
		enum attempt_leg leg = rng_below(&rng, 3) ? ATTEMPT_LOOK : ATTEMPT_REVISIT;
		unsigned number = 1 + (unsigned)rng_below(&rng, 63);
		bool full = rng_below(&rng, 4) == 0;
		struct attempt a = (full ? make_response : make_look)(
			page, leg, number, (unsigned)rng_below(&rng, 4), &t);

		vary(&a, rng_u64(&rng) & (rng_below(&rng, 2) ? UINT64_MAX : 0), &t);
		add_both(packed, rows, &a, known[page][leg][number] ? ERR_EXISTS : 0);
		known[page][leg][number] = true;
	}
	CHECK(count_rows(packed, "SELECT count(*) FROM packed") > 0);
	check_same(packed, rows);
	catalog_close(packed);
	catalog_close(rows);
}

/* What a rollback takes away is gone, and may come again. */
static void test_rollback(void)
{
	struct catalog *packed = new_catalog(), *rows = new_catalog();
	struct err err = {0};
	struct texts t = {0};

	for (unsigned number = 1; number <= 9; number++) {
		struct attempt a = make_look(3, ATTEMPT_LOOK, number, 1, &t);

		CHECK_INT(catalog_commit(packed, &err), 0);
		CHECK_INT(catalog_add_observation(packed, 1, &a, &err), 0);
		catalog_rollback(packed);
		add_both(packed, rows, &a, 0);
	}
	check_same(packed, rows);
	catalog_close(packed);
	catalog_close(rows);
}

static int note_kinds(void *context, const struct attempt *a)
{
	return buf_printf(context, "%d%d%.*s ", a->state.kind == DIGEST_SHORT,
		a->payload.kind == DIGEST_SHORT, (int)a->rules.len, a->rules.ptr);
}

/* Short digests are for patches of the class of the look before. */
static void test_noise(void)
{
	static const char *const RULES[] = {"nonces=2:1a2b", "nonces=2:1a2c",
		"nonces=2:1a2c x=1:ab", "", "nonces=2:1a2d", "\x01", "nonces=2:1a2e"};
	struct catalog *c = new_catalog();
	struct err err = {0};
	struct texts t = {0};
	struct buf out;

	buf_init(&out, 1 << 12);
	for (unsigned i = 0; i < ARRAY_LEN(RULES); i++) {
		/* The last but one is another base: the row before it is read without its own. */
		bool is_base = i == 0 || i + 2 == ARRAY_LEN(RULES);
		struct attempt a =
			(is_base ? make_response : make_look)(1, ATTEMPT_LOOK, i + 1, i, &t);

		a.rule_set = 1;
		a.has_class = true;
		a.class = make_digest(i == 4 ? 8 : 7);
		a.rules = slice_str(RULES[i]);
		a.is_revisit = i == 3;
		a.is_compact = !is_base;
		CHECK_INT(catalog_add_observation(c, 1, &a, &err), 0);
	}
	CHECK_INT(catalog_page_observations(c, 1, 1, note_kinds, &out, &err), 0);
	CHECK_STR(buf_str(&out), "00nonces=2:1a2b 11nonces=2:1a2c 11nonces=2:1a2c x=1:ab 00 "
				 "00nonces=2:1a2d 00\x01 11nonces=2:1a2e ");
	catalog_close(c);
	buf_release(&out);
}

/* Retires some looks, and makes others responses. */
static int edit(void *context, struct attempt *a)
{
	(void)context;
	if (a->number % 3 == 1) {
		a->retired = NOW;
		a->record_id = a->warc = a->media_type = a->etag = (slice){0};
		a->offset = a->length = 0;
		a->is_revisit = a->is_compact = false;
	} else if (a->number % 5 == 0) {
		a->is_revisit = a->is_compact = false;
		a->warc = SLICE("new.warc.gz");
		a->offset = a->number;
	}
	return 0;
}

/* Looks are changed alike, packed or not; so are those that others are stored against. */
static void test_edit(void)
{
	struct catalog *packed = new_catalog(), *rows = new_catalog();
	struct err err = {0};
	struct texts t = {0};
	struct attempt a;

	for (unsigned number = 1; number <= 60; number++) {
		a = (number % 20 == 1 ? make_response : make_look)(
			4, ATTEMPT_LOOK, number, number / 20, &t);
		vary(&a, number * UINT64_C(0x9e3779b9) & 7, &t);
		add_both(packed, rows, &a, 0);
	}
	CHECK_INT(catalog_edit_page(packed, 1, 4, edit, NULL, &err), 0);
	CHECK_INT(catalog_edit_page(rows, 1, 4, edit, NULL, &err), 0);
	CHECK_INT(catalog_edit_page(rows, 1, 5, edit, NULL, &err), 0); /* it has none */
	check_same(packed, rows);
	a = make_look(4, ATTEMPT_LOOK, 61, 3, &t);
	add_both(packed, rows, &a, 0);
	check_same(packed, rows);
	catalog_close(packed);
	catalog_close(rows);
}

static int on_replaced(void *context, const struct catalog_replaced *r)
{
	CHECK_SLICE(r->name, SLICE("old.warc.gz"));
	CHECK_SLICE(r->new_name, SLICE("old-r1.warc.gz"));
	*(int *)context += r->done ? 10 : 1;
	return 0;
}

static int on_place(void *context, const struct attempt *a)
{
	struct buf *out = context;

	return buf_printf(out, "%.*s@%u ", (int)a->warc.len, a->warc.ptr, (unsigned)a->offset);
}

/* A WARC file that takes the place of another. */
static void test_replace(void)
{
	static const struct catalog_move MOVES[] = {
		{0, 0, 5, false}, {100, 50, 9, true}, {300, 70, 11, false}};
	struct catalog_warc warc = {.name = SLICE("old.warc.gz"), .size = 400, .complete = true};
	struct catalog_looks looks = {1, SLICE("old.warc.gz"), 300, 40}, at = {0};
	struct catalog *c = new_catalog();
	struct err err = {0};
	struct texts t = {0};
	struct arena arena;
	struct buf out;
	int seen = 0;

	arena_init(&arena, 1 << 16);
	buf_init(&out, 1 << 16);
	CHECK_INT(catalog_put(c, CATALOG_ROW_WARC, 0, &warc, &err), 0);
	CHECK_INT(catalog_put(c, CATALOG_ROW_LOOKS, 0, &looks, &err), 0);
	for (unsigned i = 1; i <= 4; i++) {
		struct attempt a = make_response(i, ATTEMPT_VISIT, 1, 1, &t);

		a.warc = i == 4 ? SLICE("other.warc.gz") : SLICE("old.warc.gz");
		a.offset = i == 2 ? 300 : 100;
		CHECK_INT(catalog_add_observation(c, 1, &a, &err), 0);
	}
	CHECK_INT(catalog_add_replaced(c, warc.name, SLICE("old-r1.warc.gz"), &err), 0);
	CHECK_INT(catalog_each_replaced(c, on_replaced, &seen, &err), 0);
	CHECK_INT(seen, 1);
	warc.name = SLICE("old-r1.warc.gz");
	CHECK_INT(catalog_replace_warc(c, SLICE("old.warc.gz"), &warc, MOVES, 3, &err), 0);
	CHECK_INT(catalog_each_replaced(c, on_replaced, &seen, &err), 0);
	CHECK_INT(seen, 11);
	CHECK_INT(catalog_each_observation(c, 1, on_place, &out, &err), 0);
	CHECK_STR(buf_str(&out), "old-r1.warc.gz@50 old-r1.warc.gz@70 old-r1.warc.gz@50 "
				 "other.warc.gz@100 ");
	CHECK_INT(catalog_get_looks(c, 1, &arena, &at, &err), 0);
	CHECK_SLICE(at.warc, warc.name);
	CHECK(at.offset == 70 && at.length == 11);
	CHECK_INT(catalog_drop_replaced(c, SLICE("old.warc.gz"), &err), 0);
	CHECK_INT(catalog_each_replaced(c, on_replaced, &seen, &err), 0);
	CHECK_INT(seen, 11);
	CHECK_INT(
		catalog_replace_warc(c, SLICE("old.warc.gz"), &warc, MOVES, 3, &err), ERR_NOTFOUND);
	catalog_close(c);
	buf_release(&out);
	arena_release(&arena);
}

static int count(void *context, const struct attempt *a)
{
	*(uint64_t *)context += a->number;
	return 0;
}

/* Bytes that no writer of ours wrote are ERR_IO, whatever they are. */
static void test_damage(void)
{
	static const struct {
		const char *label, *sql;
	} ROWS[] = {
		{"nothing", "UPDATE packed SET looks = x''"},
		{"cut", "UPDATE packed SET looks = substr(looks, 1, length(looks) - 1)"},
		{"a number without end", "UPDATE packed SET looks = x'ffffffffffffffffffffff'"},
		{"fields of a later version",
			"UPDATE packed SET looks = x'00010202020202808080808080808001'"},
		{"a word that is not there", "UPDATE packed SET looks = x'0001020202020208ff7f'"},
		{"no base", "DELETE FROM observation"},
		{"a leg", "UPDATE packed SET leg = 16"},
		{"a page", "UPDATE packed SET page = 0xffffffff"},
		{"looks twice", "UPDATE packed SET first = first + 100; INSERT INTO packed SELECT"
				" capture, page, leg, first - 100, looks FROM packed"},
	};

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		struct catalog *c = new_catalog();
		struct err err = {0};
		struct texts t = {0};
		uint64_t n = 0;

		tap_case("damage: %s", ROWS[i].label);
		for (unsigned number = 1; number <= 5; number++) {
			struct attempt a = (number == 1 ? make_response : make_look)(
				2, ATTEMPT_LOOK, number, 1, &t);

			CHECK_INT(catalog_add_observation(c, 1, &a, &err), 0);
		}
		CHECK_INT(catalog_each_observation(c, 1, count, &n, &err), 0);
		CHECK_INT(n, 15);
		CHECK_INT(sqlite3_exec(c->db, ROWS[i].sql, NULL, NULL, NULL), SQLITE_OK);
		n = 0;
		CHECK_INT(catalog_each_observation(c, 1, count, &n, &err), ERR_IO);
		CHECK(strstr(err.text, "is damaged") != NULL);
		catalog_close(c);
	}
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_watch);
	TAP_RUN(test_random);
	TAP_RUN(test_rollback);
	TAP_RUN(test_noise);
	TAP_RUN(test_edit);
	TAP_RUN(test_replace);
	test_damage();
	return tap_done();
}
