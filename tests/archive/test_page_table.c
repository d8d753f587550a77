#include "archive/page_table.h"

#include "tap.h"

#define SECOND INT64_C(1000000000)

/* Of the same algorithm unless said. */
static listed_digest digest(unsigned version)
{
	return (uint64_t)version << 8 | 1;
}

static struct listed at(int64_t seconds, listed_digest d)
{
	return (struct listed){.url = SLICE_INIT("http://example.org/"),
		.time = seconds * SECOND,
		.digest = d,
		.status = 200};
}

/* Captures as version digits, '-' for no digest, 'x' for another algorithm, at seconds 1, 2, … */
static void test_intervals(void)
{
	static const struct {
		const char *label, *captures;
		uint64_t compared, changes;
		int64_t last_change;
	} ROWS[] = {
		{"one", "1", 0, 0, 0},
		{"the same", "111", 2, 0, 0},
		{"changes", "1223", 3, 2, 4},
		{"back again", "121", 2, 2, 3},
		{"without digests", "---", 0, 0, 0},
		{"one without a digest between", "1-1", 1, 0, 0},
		{"a change across one without", "1-2", 1, 1, 3},
		{"another algorithm between", "1x1", 0, 0, 0},
	};

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		struct rate_intervals intervals = {0};
		struct page_table t;
		struct page_summary s = {0};
		size_t n = strlen(ROWS[i].captures);

		for (int backwards = 0; backwards < 2; backwards++) {
			tap_case("intervals: %s%s", ROWS[i].label,
				backwards ? ", the latest first" : "");
			page_table_init(&t);
			for (size_t k = 0; k < 2 * n; k++) { /* each twice: counts once */
				size_t j = backwards ? (2 * n - 1 - k) / 2 : k / 2;
				char c = ROWS[i].captures[j];
				struct listed o =
					at((int64_t)j + 1, c == '-'   ? LISTED_NO_DIGEST
							   : c == 'x' ? 0x702
								      : digest((unsigned)c));

				CHECK_INT(page_table_add(&t, &o, 4), 0);
			}
			CHECK_INT((int64_t)t.pages.len, 1);
			CHECK_INT((int64_t)t.pages.ptr[0].captures, (int64_t)n);
			s = page_entry_intervals(&t.pages.ptr[0], 0, &intervals);
			CHECK_INT((int64_t)s.compared, (int64_t)ROWS[i].compared);
			CHECK_INT((int64_t)s.changes, (int64_t)ROWS[i].changes);
			CHECK_INT(s.last_change, ROWS[i].last_change * SECOND);
			page_table_release(&t);
		}
		rate_intervals_release(&intervals);
	}
}

static void test_lengths(void)
{
	struct rate_intervals intervals = {0};
	struct page_table t;
	struct listed o[] = {at(100, digest(1)), at(130, digest(1)), at(140, digest(2))};

	page_table_init(&t);
	for (size_t i = 0; i < ARRAY_LEN(o); i++)
		CHECK_INT(page_table_add(&t, &o[i], 4), 0);
	(void)page_entry_intervals(&t.pages.ptr[0], 0, &intervals);
	if (CHECK_INT((int64_t)intervals.len, 2)) {
		CHECK_NEAR(intervals.ptr[0].length, 30, 1e-9);
		CHECK(!intervals.ptr[0].changed);
		CHECK_NEAR(intervals.ptr[1].length, 10, 1e-9);
		CHECK(intervals.ptr[1].changed);
	}
	CHECK_INT(t.pages.ptr[0].sources, 4);
	rate_intervals_release(&intervals);
	page_table_release(&t);
}

/* Spellings of a URL are one page; what is no page counts nowhere. */
static void test_pages(void)
{
	static const char *const URLS[] = {"http://example.org/a", "HTTP://Example.ORG:80/a#x",
		"http://example.org/b", "http://example.org/./a", "mailto:x", "::"};
	struct page_table t;
	struct listed o = at(1, digest(1));
	uint32_t page;

	page_table_init(&t);
	for (size_t i = 0; i < ARRAY_LEN(URLS); i++) {
		o.url = slice_str(URLS[i]);
		o.time += SECOND;
		CHECK_INT(page_table_add(&t, &o, 1), 0);
	}
	o.url = SLICE("http://example.org/moved");
	o.status = 301;
	CHECK_INT(page_table_add(&t, &o, 1), 0);
	CHECK_INT((int64_t)t.pages.len, 2);
	CHECK_INT((int64_t)t.pages.ptr[0].captures, 3);
	CHECK_INT((int64_t)t.bad_urls, 2);
	CHECK_INT((int64_t)t.other_status, 1);
	CHECK_INT(page_table_get(&t, SLICE("http://EXAMPLE.org/b"), &page, NULL), 0);
	CHECK_INT(page, 1);
	CHECK_INT(page_table_get(&t, SLICE("here"), &page, NULL), ERR_SYNTAX);
	page_table_release(&t);
}

/* However many captures a page has, what is kept is bounded and the time unchanged is exact. */
static void test_bounds(void)
{
	enum { MANY = 20000 };
	static const struct {
		const char *label;
		int64_t period; /* captures between two changes */
	} ROWS[] = {{"never", MANY}, {"now and then", 1000}, {"always", 1}};

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		struct rate_intervals intervals = {0};
		struct page_table t;
		struct page_summary s;
		double sum = 0;

		tap_case("bounds: a page that changes %s", ROWS[i].label);
		page_table_init(&t);
		for (int64_t k = 0; k < MANY; k++) {
			struct listed o = at(k + 1, digest((unsigned)(k / ROWS[i].period)));

			CHECK_INT(page_table_add(&t, &o, 1), 0);
		}
		CHECK(t.pages.ptr[0].len <= PAGE_TABLE_KEEP);
		CHECK_INT((int64_t)t.pages.ptr[0].captures, MANY);
		s = page_entry_intervals(&t.pages.ptr[0], 0, &intervals);
		CHECK_INT((int64_t)s.changes, (MANY - 1) / ROWS[i].period);
		for (size_t k = 0; k < intervals.len; k++)
			sum += intervals.ptr[k].length;
		if (ROWS[i].period > 1)
			CHECK_NEAR(sum, MANY - 1, 1e-6);
		rate_intervals_release(&intervals);
		page_table_release(&t);
	}
}

/* A sitemap and captures of one time: what says more stays, and captures alone are counted. */
static void test_one_time(void)
{
	static const struct {
		const char *label;
		struct {
			unsigned version; /* 0: a sitemap */
			int64_t modified;
		} seen[3];
		int64_t captures, modified;
		bool has_digest;
	} ROWS[] = {
		{"a lastmod, then none", {{0, 5}, {0, 0}, {0, 0}}, 0, 5, false},
		{"none, then a lastmod", {{0, 0}, {0, 5}, {0, 0}}, 0, 5, false},
		{"two lastmods", {{0, 5}, {0, 6}, {0, 0}}, 0, 6, false},
		{"a lastmod, then a capture", {{0, 5}, {1, 0}, {0, 0}}, 1, 0, true},
		{"a capture, then a lastmod", {{1, 0}, {0, 5}, {0, 6}}, 1, 0, true},
		{"never a lastmod", {{0, 0}, {0, 0}, {0, 0}}, 1, 0, false},
	};

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		struct page_table t;

		tap_case("of one time: %s", ROWS[i].label);
		page_table_init(&t);
		for (size_t k = 0; k < ARRAY_LEN(ROWS[i].seen); k++) {
			unsigned version = ROWS[i].seen[k].version;
			struct listed o = at(9, version ? digest(version) : LISTED_NO_DIGEST);

			o.modified = ROWS[i].seen[k].modified;
			CHECK_INT(page_table_add(&t, &o, 4), 0);
		}
		CHECK_INT(t.pages.ptr[0].len, 1);
		CHECK_INT((int64_t)t.pages.ptr[0].captures, ROWS[i].captures);
		CHECK_INT(t.pages.ptr[0].seen[0].modified, ROWS[i].modified);
		CHECK((t.pages.ptr[0].seen[0].digest != LISTED_NO_DIGEST) == ROWS[i].has_digest);
		page_table_release(&t);
	}
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_intervals();
	TAP_RUN(test_lengths);
	TAP_RUN(test_pages);
	test_bounds();
	test_one_time();
	return tap_done();
}
