/* What sites say of their last change, against what captures show. */
#include "archive/page_table.h"

#include "tap.h"

#define SECOND INT64_C(1000000000)
#define DAY    (86400 * SECOND)

/* At which day, which version (0: a sitemap), and when it says that it was modified (0: silent). */
struct row_seen {
	double day;
	unsigned version;
	double modified;
};

static const struct {
	const char *label;
	struct row_seen seen[6];
	unsigned lies;
} LIES[] = {
	{"silent", {{10, 1, 0}, {20, 2, 0}}, 0},
	{"honest", {{10, 1, 5}, {20, 2, 15}, {30, 2, 15}}, 0},
	{"denies a change that was seen", {{10, 1, 5}, {20, 2, 5}}, PAGE_WORD_HTTP},
	{"asserts a change where nothing changed", {{10, 1, 5}, {20, 1, 15}}, PAGE_WORD_HTTP},
	{"always now", {{10, 1, 10}, {20, 1, 20}}, PAGE_WORD_HTTP},
	{"goes back", {{10, 1, 9}, {20, 2, 15}, {30, 3, 12}}, PAGE_WORD_HTTP},
	{"in the future: says nothing", {{10, 1, 50}, {20, 1, 60}}, 0},
	{"an honest sitemap", {{10, 1, 0}, {12, 0, 3}, {20, 2, 0}, {22, 0, 15}}, 0},
	{"a sitemap that denies a change", {{10, 1, 0}, {20, 2, 0}, {22, 0, 3}}, PAGE_WORD_SITEMAP},
	{"a sitemap that asserts one", {{10, 1, 0}, {20, 0, 15}, {30, 1, 0}}, PAGE_WORD_SITEMAP},
	{"a sitemap by the day", {{10, 1, 0}, {20, 2, 0}, {22, 0, 9.5}}, 0},
	{"both", {{10, 1, 5}, {20, 2, 5}, {22, 0, 3}}, PAGE_WORD_HTTP | PAGE_WORD_SITEMAP},
};

static void add(struct page_table *t, const struct row_seen *seen, size_t max)
{
	for (size_t i = 0; i < max && seen[i].day > 0; i++) {
		struct listed o = {.url = SLICE_INIT("http://example.org/"),
			.time = (int64_t)(seen[i].day * (double)DAY),
			.digest = seen[i].version ? (uint64_t)seen[i].version << 8 | 1 : 0,
			.modified = (int64_t)(seen[i].modified * (double)DAY)};

		CHECK_INT(page_table_add(t, &o, 1), 0);
	}
}

static void test_lies(void)
{
	for (size_t i = 0; i < ARRAY_LEN(LIES); i++) {
		struct page_table t;

		tap_case("lies: %s", LIES[i].label);
		page_table_init(&t);
		add(&t, LIES[i].seen, ARRAY_LEN(LIES[i].seen));
		CHECK_INT(page_entry_lies(&t.pages.ptr[0]), LIES[i].lies);
		page_table_release(&t);
	}
}

static const struct {
	const char *label;
	struct row_seen seen[6];
	unsigned trusted;
	size_t count;
	struct rate_interval want[4]; /* days */
} INTERVALS[] = {
	{"not trusted", {{10, 1, 5}, {20, 2, 15}}, 0, 1, {{10, true, false}}},
	{"the time of a change", {{10, 1, 5}, {20, 2, 15}}, PAGE_WORD_HTTP, 2,
		{{5, false, false}, {5, true, true}}},
	{"changed just now", {{10, 1, 10}, {20, 2, 20}}, PAGE_WORD_HTTP, 2,
		{{0, false, false}, {0.5 / 86400, true, true}}},
	{"unchanged: captures say it, too", {{10, 1, 0}, {20, 1, 5}}, PAGE_WORD_HTTP, 1,
		{{10, false, false}}},
	{"a sitemap in between: unchanged until then", {{10, 1, 0}, {20, 0, 5}, {30, 2, 0}},
		PAGE_WORD_SITEMAP, 2, {{10, false, false}, {10, true, false}}},
	{"a sitemap that tells of a change", {{10, 1, 0}, {20, 0, 16}, {30, 2, 0}},
		PAGE_WORD_SITEMAP, 1, {{4, true, true}}},
	{"a sitemap too near to tell", {{10, 1, 0}, {20, 0, 10.2}, {30, 1, 0}}, PAGE_WORD_SITEMAP,
		1, {{20, false, false}}},
	{"a change before the first look", {{10, 1, 5}, {20, 1, 5}},
		PAGE_WORD_HTTP | PAGE_WORD_FIRST, 2, {{5, true, true}, {10, false, false}}},
	{"a sitemap alone tells an age", {{20, 0, 5}}, PAGE_WORD_SITEMAP, 1, {{15, false, false}}},
};

static void test_intervals(void)
{
	for (size_t i = 0; i < ARRAY_LEN(INTERVALS); i++) {
		struct rate_intervals got = {0};
		struct page_table t;

		tap_case("intervals: %s", INTERVALS[i].label);
		page_table_init(&t);
		add(&t, INTERVALS[i].seen, ARRAY_LEN(INTERVALS[i].seen));
		(void)page_entry_intervals(&t.pages.ptr[0], INTERVALS[i].trusted, &got);
		CHECK_INT((int64_t)got.len, (int64_t)INTERVALS[i].count);
		for (size_t k = 0; k < got.len && k < INTERVALS[i].count; k++) {
			const struct rate_interval *want = &INTERVALS[i].want[k];

			CHECK_NEAR(got.ptr[k].length / 86400, want->length, 2e-5); /* a second */
			CHECK(!got.ptr[k].changed || got.ptr[k].length > 0);
			CHECK_INT(got.ptr[k].changed, want->changed);
			CHECK_INT(got.ptr[k].exact, want->exact);
		}
		rate_intervals_release(&got);
		page_table_release(&t);
	}
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_lies();
	test_intervals();
	return tap_done();
}
