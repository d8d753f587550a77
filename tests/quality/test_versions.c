/* The two versions of a page: what remains, what was masked, and what does not count as equal. */
#include "quality/versions.h"

#include <stdio.h>
#include <string.h>

#include "tap.h"

enum { MAX = 1 << 20 };

#define TEXT50  "Fifty characters of text that stay as they are. .. "
#define TEXT400 TEXT50 TEXT50 TEXT50 TEXT50 TEXT50 TEXT50 TEXT50 TEXT50
#define PAGE    "<title>t</title><p>" TEXT400 TEXT400 "</p>"

struct side {
	const char *body;
	const char *type; /* NULL: HTML */
	const char *location;
	unsigned status; /* 0: 200 */
	bool cut, opaque, closed;
};

struct row {
	const char *label;
	struct side a, b;
	const char *without; /* a rule that is off */
	const char *same, *doubt;
	enum versions_form form;
	size_t differ, masked;
	const char *first; /* "where: a -> b" of the first difference, or of the first masked */
};

static const struct row ROWS[] = {
	{"equal", {.body = PAGE}, {.body = PAGE}, .same = "bytes"},
	{"a changed text", {.body = PAGE "<p>1 EUR</p>"}, {.body = PAGE "<p>2 EUR</p>"},
		.differ = 1, .first = "p:nth-child(3): 1 EUR -> 2 EUR"},
	{"a text more", {.body = PAGE}, {.body = PAGE "<p>new</p>"}, .differ = 1,
		.first = "p:nth-child(3): - -> new"},
	{"a comment", {.body = PAGE "<!-- 1 -->"}, {.body = PAGE "<!-- 2 -->"},
		.same = "normalised", .masked = 1, .first = "[comment]:  1  ->  2 "},
	{"a comment, its rule off", {.body = PAGE "<!-- 1 -->"}, {.body = PAGE "<!-- 2 -->"},
		.without = "html-comments", .differ = 1, .first = "[comment]:  1  ->  2 "},
	{"a comment and a text", {.body = PAGE "<!-- 1 --><p>a</p>"},
		{.body = PAGE "<!-- 2 --><p>b</p>"}, .differ = 1, .masked = 1,
		.first = "p:nth-child(3): a -> b"},
	{"another status", {.body = PAGE}, {.body = PAGE, .status = 404}, .differ = 1,
		.first = "status: 200 -> 404"},
	{"another target", {.body = PAGE, .status = 301, .location = "/a"},
		{.body = PAGE, .status = 301, .location = "/b"}, .differ = 1,
		.first = "Location: /a -> /b"},
	{"noise and another status", {.body = PAGE "<!-- 1 -->"},
		{.body = PAGE "<!-- 2 -->", .status = 404}, .differ = 1, .masked = 1,
		.first = "status: 200 -> 404"},
	{"equal, but cut off", {.body = PAGE, .cut = true}, {.body = PAGE},
		.doubt = "a body was cut off: what is missing is not known"},
	{"noise, but cut off", {.body = PAGE "<!-- 1 -->"},
		{.body = PAGE "<!-- 2 -->", .cut = true},
		.doubt = "a body was cut off: what is missing is not known", .masked = 1},
	{"noise, but it may be cut off", {.body = PAGE "<!-- 1 -->"},
		{.body = PAGE "<!-- 2 -->", .closed = true},
		.doubt = "a body ends with its connection, so it may be cut off", .masked = 1},
	{"equal, whatever ends it", {.body = PAGE}, {.body = PAGE, .closed = true},
		.same = "bytes"},
	{"no visible text", {.body = "<script>a=1</script>"}, {.body = "<script>a=2</script>"},
		.doubt = "the page has no visible text: scripts make what it shows", .masked = 1},
	{"too much masked", {.body = "<p>Some words</p><p>Page generated in 0.03 seconds</p>"},
		{.body = "<p>Some words</p><p>Page generated in 0.04 seconds</p>"},
		.doubt = "more than 5 % of the visible text is masked", .masked = 1},
	{"lines", {.body = "a\nb\nc\n", .type = "text/plain"},
		{.body = "a\nx\nc\n", .type = "text/plain"}, .form = VERSIONS_TEXT, .differ = 1,
		.first = "line 2: b -> x"},
	{"lines of JSON", {.body = "{\n\"a\":1}", .type = "application/ld+json"},
		{.body = "{\n\"a\":2}", .type = "application/ld+json"}, .form = VERSIONS_TEXT,
		.differ = 1, .first = "line 2: \"a\":1} -> \"a\":2}"},
	{"an end of line more", {.body = "a\nb", .type = "text/css"},
		{.body = "a\nb\n", .type = "text/css"}, .form = VERSIONS_TEXT,
		.doubt = "they differ in bytes that no row shows"},
	{"equal lines", {.body = "a\n", .type = "text/plain"},
		{.body = "a\n", .type = "text/plain"}, .form = VERSIONS_TEXT, .same = "bytes"},
	{"bytes", {.body = "a", .type = "image/png"}, {.body = "b", .type = "image/png"},
		.form = VERSIONS_BYTES, .differ = 1},
	{"equal bytes", {.body = "a", .type = "image/png"}, {.body = "a", .type = "image/png"},
		.form = VERSIONS_BYTES, .same = "bytes"},
	{"a coding that is not known", {.body = PAGE, .opaque = true},
		{.body = PAGE "x", .opaque = true}, .form = VERSIONS_BYTES, .differ = 1},
	{"another type", {.body = PAGE}, {.body = PAGE, .type = "image/png"},
		.form = VERSIONS_BYTES, .differ = 1,
		.first = "Content-Type: text/html -> image/png"},
};

static void add(struct digester *d, const char *text)
{
	CHECK(digester_feed(d, (slice){text, strlen(text) + 1}) == 0);
}

static void make(const struct side *s, struct look *l)
{
	const char *type = s->type ? s->type : "text/html";
	const char *location = s->location ? s->location : "";
	struct digester d = {0};

	*l = (struct look){.status = s->status ? s->status : 200,
		.whole = !s->cut,
		.readable = !s->opaque,
		.close_delimited = s->closed,
		.size = strlen(s->body)};
	buf_init(&l->media_type, MAX);
	buf_init(&l->location, MAX);
	buf_init(&l->body, MAX);
	CHECK(buf_add_str(&l->media_type, type) == 0 && buf_add_str(&l->location, location) == 0 &&
		buf_add_str(&l->body, s->body) == 0);
	CHECK(digester_start(&d, DIGEST_SHA256) == 0);
	add(&d, s->body);
	CHECK(digester_finish(&d, &l->digest) == 0);
	CHECK(digester_start(&d, DIGEST_SHA256) == 0);
	add(&d, s->body);
	add(&d, type);
	add(&d, location);
	CHECK(digester_feed(&d, (slice){(const char *)&l->status, sizeof l->status}) == 0);
	CHECK(digester_finish(&d, &l->state) == 0);
	digester_release(&d);
}

static void print_row(const struct versions_row *r, struct buf *out)
{
	slice a = r->a.ptr ? r->a : SLICE("-"), b = r->b.ptr ? r->b : SLICE("-");

	CHECK(buf_printf(out, "%.*s: %.*s -> %.*s", (int)r->where.len, r->where.ptr, (int)a.len,
		      a.ptr, (int)b.len, b.ptr) == 0);
}

static void find_first(const struct versions *v, struct buf *out)
{
	for (size_t i = 0; i < v->rows.len && out->len == 0; i++)
		if (v->rows.ptr[i].differs)
			print_row(&v->rows.ptr[i], out);
	if (out->len == 0 && v->masked.len)
		print_row(&v->masked.ptr[0].row, out);
}

static int compare(const struct look *a, const struct look *b, struct versions *v)
{
	return versions_compare(a, b, &(struct change_terms){.book = rulebook_default()}, v);
}

static void check_row(const struct row *row)
{
	struct rulebook book = *rulebook_default();
	enum noise_rule rule;
	struct look a, b;
	struct versions v;
	struct buf first;

	buf_init(&first, MAX);
	make(&row->a, &a);
	make(&row->b, &b);
	if (row->without && CHECK(noise_rule_find(slice_str(row->without), &rule)))
		book.set &= ~(1U << rule);
	CHECK_INT(versions_compare(&a, &b, &(struct change_terms){.book = &book}, &v), 0);
	CHECK_STR(change_same_name(v.same), row->same);
	CHECK_STR(v.doubt, row->doubt);
	CHECK_INT(v.form, row->form);
	CHECK_INT((int64_t)v.differ_count, (int64_t)row->differ);
	CHECK_INT((int64_t)v.masked_count, (int64_t)row->masked);
	find_first(&v, &first);
	if (row->first)
		CHECK_STR(buf_str(&first), row->first);
	versions_release(&v);
	look_release(&a);
	look_release(&b);
	buf_release(&first);
}

/* The difference is seen, however far behind it is, and no character is cut in two. */
static void test_long_texts_are_shown_around_their_difference(void)
{
	struct buf body_a, body_b;
	struct versions v;
	struct look a, b;

	buf_init(&body_a, MAX);
	buf_init(&body_b, MAX);
	for (size_t i = 0; i < 3000; i++)
		CHECK(buf_add_str(&body_a, "ä") == 0);
	CHECK(buf_add(&body_b, buf_slice(&body_a)) == 0);
	CHECK(buf_add_str(&body_a, "old") == 0 && buf_add_str(&body_b, "new") == 0);
	make(&(struct side){.body = buf_str(&body_a), .type = "text/html; charset=utf-8"}, &a);
	make(&(struct side){.body = buf_str(&body_b), .type = "text/html; charset=utf-8"}, &b);
	CHECK_INT(compare(&a, &b, &v), 0);
	if (CHECK(v.rows.len == 1)) {
		slice shown = v.rows.ptr[0].a;

		CHECK(slice_starts_with(shown, SLICE("…ä")));
		CHECK(slice_ends_with(shown, SLICE("äold")));
		CHECK(slice_ends_with(v.rows.ptr[0].b, SLICE("änew")));
		CHECK(shown.len < 100);
	}
	buf_release(&body_a);
	buf_release(&body_b);
	versions_release(&v);
	look_release(&a);
	look_release(&b);
}

static void test_more_rows_than_are_kept(void)
{
	static char body_a[128 << 10], body_b[128 << 10];
	struct versions v;
	struct look a, b;

	for (size_t i = 0, n = 0; i < VERSIONS_ROWS_MAX + 100; i++) {
		(void)snprintf(body_a + n, sizeof body_a - n, "a%05zu\n", i);
		(void)snprintf(body_b + n, sizeof body_b - n, "b%05zu\n", i);
		n += 7;
	}
	make(&(struct side){.body = body_a, .type = "text/plain"}, &a);
	make(&(struct side){.body = body_b, .type = "text/plain"}, &b);
	CHECK_INT(compare(&a, &b, &v), 0);
	CHECK_INT((int64_t)v.differ_count, VERSIONS_ROWS_MAX + 100);
	CHECK_INT((int64_t)v.rows.len, VERSIONS_ROWS_MAX);
	versions_release(&v);
	look_release(&a);
	look_release(&b);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		tap_case("versions: %s", ROWS[i].label);
		check_row(&ROWS[i]);
	}
	TAP_RUN(test_long_texts_are_shown_around_their_difference);
	TAP_RUN(test_more_rows_than_are_kept);
	return tap_done();
}
