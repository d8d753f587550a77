/*
 * Proven and asserted intervals, the trust in validators, and the best instant. Times are in
 * seconds. Expected values follow from the definitions in the headers.
 */
#include "proof/intervals.h"

#include <string.h>

#include "base/buf.h"
#include "base/rng.h"
#include "proof/stillpoint.h"
#include "tap.h"

enum { MAX = 1 << 16, LOOKS_MAX = 8 };

static const int64_t SECOND = 1000000000;

/* A look: bytes and normalised are letters, 0 for none. */
struct row_look {
	int begin, end;
	char bytes, normalised;
	int modified; /* Last-Modified, 0 for none */
	const char *etag;
	unsigned status; /* 0 for 200 */
	bool cut, blocked, close_delimited, not_modified, retired;
};

/* clang-format off */
#define LOOK(b, e, bytes_) .begin = (b), .end = (e), .bytes = (bytes_)
#define RETIRED(b, e, bytes_) LOOK(b, e, bytes_), .retired = true
/* clang-format on */

static const struct {
	const char *label;
	struct row_look looks[LOOKS_MAX];
	const char *proven, *bytes; /* "from-to " of each; NULL: as proven */
	const char *asserted;
	unsigned lies; /* of enum validator_lie */
} rows[] = {
	{"no look", {{LOOK(0, 0, 0)}}, "", NULL, "", 0},
	{"one look proves nothing", {{LOOK(10, 11, 'a')}}, "", NULL, "", 0},
	{"two equal looks", {{LOOK(10, 11, 'a')}, {LOOK(20, 21, 'a')}}, "11-20b ", NULL, "", 0},
	{"two different looks", {{LOOK(10, 11, 'a')}, {LOOK(20, 21, 'b')}}, "", NULL, "", 0},
	{"a run is one interval", {{LOOK(10, 11, 'a')}, {LOOK(20, 21, 'a')}, {LOOK(30, 31, 'a')}},
		"11-30b ", NULL, "", 0},
	{"A-B-A: looks in a row only",
		{{LOOK(10, 11, 'a')}, {LOOK(20, 21, 'b')}, {LOOK(30, 31, 'a')}}, "", NULL, "", 0},
	{"A-A-B-B",
		{{LOOK(10, 11, 'a')}, {LOOK(20, 21, 'a')}, {LOOK(30, 31, 'b')},
			{LOOK(40, 41, 'b')}},
		"11-20b 31-40b ", NULL, "", 0},
	{"a failed look is passed over",
		{{LOOK(10, 11, 'a')}, {LOOK(20, 21, 'b'), .cut = true}, {LOOK(30, 31, 'a')}},
		"11-30b ", NULL, "", 0},
	{"a cut look proves nothing", {{LOOK(10, 11, 'a'), .cut = true}, {LOOK(20, 21, 'a')}}, "",
		NULL, "", 0},
	{"a blocked look is passed over",
		{{LOOK(10, 11, 'a')}, {LOOK(20, 21, 'b'), .blocked = true}, {LOOK(30, 31, 'a')}},
		"11-30b ", NULL, "", 0},
	{"blocked twice proves nothing",
		{{LOOK(10, 11, 'a'), .blocked = true}, {LOOK(20, 21, 'a'), .blocked = true}}, "",
		NULL, "", 0},
	{"an error page is passed over",
		{{LOOK(10, 11, 'a')}, {LOOK(20, 21, 'b'), .status = 500}, {LOOK(30, 31, 'a')}},
		"11-30b ", NULL, "", 0},
	{"an absent page is a state",
		{{LOOK(10, 11, 'a')}, {LOOK(20, 21, 'n'), .status = 404},
			{LOOK(30, 31, 'n'), .status = 404}},
		"21-30b ", NULL, "", 0},
	{"an absent page is absent whatever it says",
		{{LOOK(10, 11, 'm'), .status = 404}, {LOOK(20, 21, 'n'), .status = 410},
			{LOOK(30, 31, 'n'), .status = 410}},
		"11-30s ", "21-30b ", "", 0},
	{"a page that was gone in between",
		{{LOOK(10, 11, 'a')}, {LOOK(20, 21, 'n'), .status = 404}, {LOOK(30, 31, 'a')}}, "",
		NULL, "", 0},
	{"noise", {{LOOK(10, 11, 'a'), .normalised = 'x'}, {LOOK(20, 21, 'b'), .normalised = 'x'}},
		"11-20n ", "", "", 0},
	{"change and noise",
		{{LOOK(10, 11, 'a'), .normalised = 'x'}, {LOOK(20, 21, 'b'), .normalised = 'y'}},
		"", NULL, "", 0},
	{"bytes within noise",
		{{LOOK(10, 11, 'a'), .normalised = 'x'}, {LOOK(20, 21, 'a'), .normalised = 'x'},
			{LOOK(30, 31, 'b'), .normalised = 'x'}},
		"11-30n ", "11-20b ", "", 0},
	{"what was not normalised equals what was",
		{{LOOK(10, 11, 'a'), .normalised = 'x'}, {LOOK(20, 21, 'a')},
			{LOOK(30, 31, 'b'), .normalised = 'x'}},
		"11-30n ", "11-20b ", "", 0},
	{"delimited by the end: bytes count",
		{{LOOK(10, 11, 'a'), .normalised = 'x', .close_delimited = true},
			{LOOK(20, 21, 'a'), .normalised = 'x', .close_delimited = true}},
		"11-20b ", NULL, "", 0},
	{"overlapping looks", {{LOOK(10, 20, 'a')}, {LOOK(15, 25, 'a')}}, "", NULL, "", 0},
	{"looks that touch", {{LOOK(10, 20, 'a')}, {LOOK(20, 25, 'a')}}, "20-20b ", NULL, "", 0},
	{"the clock was set back between",
		{{LOOK(10, 11, 'a')}, {LOOK(20, 21, 'a')}, {LOOK(5, 6, 'a')}, {LOOK(9, 9, 'a')}},
		"6-9b 11-20b ", NULL, "", 0},
	{"and the intervals overlap",
		{{LOOK(10, 11, 'a')}, {LOOK(30, 31, 'a')}, {LOOK(15, 16, 'b')},
			{LOOK(20, 21, 'b')}},
		"", NULL, "", 0},
	{"the clock was set back in a look", {{LOOK(10, 3, 'a')}, {LOOK(20, 21, 'a')}}, "10-20b ",
		NULL, "", 0},

	{"Last-Modified", {{LOOK(10, 11, 'a'), .modified = 2}}, "", NULL, "3-10 ", 0},
	{"Last-Modified within the second", {{LOOK(10, 11, 'a'), .modified = 10}}, "", NULL, "", 0},
	{"Last-Modified in the future", {{LOOK(10, 11, 'a'), .modified = 50}}, "", NULL, "", 0},
	{"Last-Modified and proven",
		{{LOOK(10, 11, 'a'), .modified = 2}, {LOOK(20, 21, 'a'), .modified = 2}}, "11-20b ",
		NULL, "3-20 ", 0},
	{"Last-Modified learned later", {{LOOK(10, 11, 'a')}, {LOOK(20, 21, 'a'), .modified = 2}},
		"11-20b ", NULL, "3-20 ", 0},
	{"Last-Modified of both states",
		{{LOOK(10, 11, 'a'), .modified = 2}, {LOOK(20, 21, 'b'), .modified = 15}}, "", NULL,
		"3-10 16-20 ", 0},
	{"touched, not changed",
		{{LOOK(10, 11, 'a'), .modified = 2}, {LOOK(20, 21, 'a'), .modified = 15}},
		"11-20b ", NULL, "3-20 ", 0},
	{"304", {{LOOK(10, 11, 'a')}, {LOOK(20, 21, 0), .status = 304, .not_modified = true}}, "",
		NULL, "11-20 ", 0},
	{"304 and nothing before", {{LOOK(20, 21, 0), .status = 304, .not_modified = true}}, "",
		NULL, "", 0},
	{"304 that nobody asked for", {{LOOK(10, 11, 'a')}, {LOOK(20, 21, 0), .status = 304}}, "",
		NULL, "", 0},
	{"304 proves nothing",
		{{LOOK(10, 11, 'a')}, {LOOK(20, 21, 0), .status = 304, .not_modified = true},
			{LOOK(30, 31, 'b')}},
		"", NULL, "11-20 ", 0},
	{"304 between equal looks",
		{{LOOK(10, 11, 'a')}, {LOOK(20, 21, 0), .status = 304, .not_modified = true},
			{LOOK(30, 31, 'a')}},
		"11-30b ", NULL, "11-30 ", 0},
	{"ETag of two states",
		{{LOOK(10, 11, 'a'), .etag = "\"1\""}, {LOOK(20, 21, 'b'), .etag = "\"2\""}}, "",
		NULL, "", 0},
	{"ETag of a state that comes again",
		{{LOOK(10, 11, 'a'), .etag = "\"1\""}, {LOOK(20, 21, 'b'), .etag = "\"2\"", 0},
			{LOOK(30, 31, 'a'), .etag = "\"1\""}},
		"", NULL, "", 0},

	{"lie: unchanged", {{LOOK(10, 11, 'a'), .modified = 2}, {LOOK(20, 21, 'b'), .modified = 2}},
		"", NULL, NULL, VALIDATOR_MODIFIED_UNCHANGED},
	{"no lie: changed in the second of the look",
		{{LOOK(10, 11, 'a')}, {LOOK(20, 21, 'b'), .modified = 10}}, "", NULL, "11-20 ", 0},
	{"lie: changed before the look", {{LOOK(10, 11, 'a')}, {LOOK(20, 21, 'b'), .modified = 9}},
		"", NULL, "10-20 ", VALIDATOR_MODIFIED_UNCHANGED},
	{"lie: seen only at the second look",
		{{LOOK(10, 11, 'a')}, {LOOK(20, 21, 'b')}, {LOOK(30, 31, 'b'), .modified = 5}},
		"21-30b ", NULL, "6-30 ", VALIDATOR_MODIFIED_UNCHANGED},
	{"no lie: noise",
		{{LOOK(10, 11, 'a'), .normalised = 'x', .modified = 2},
			{LOOK(20, 21, 'b'), .normalised = 'x', .modified = 2}},
		"11-20n ", "", "3-20 ", 0},
	{"lie: a 304 in between",
		{{LOOK(10, 11, 'a')}, {LOOK(20, 21, 0), .status = 304, .not_modified = true},
			{LOOK(30, 31, 'b'), .modified = 15}},
		"", NULL, NULL, VALIDATOR_MODIFIED_UNCHANGED},
	{"lie: backwards", {{LOOK(10, 11, 'a'), .modified = 5}, {LOOK(20, 21, 'a'), .modified = 4}},
		"11-20b ", NULL, "5-20 ", VALIDATOR_MODIFIED_BACK},
	{"lie: ETag reused",
		{{LOOK(10, 11, 'a'), .etag = "\"1\""}, {LOOK(20, 21, 'b'), .etag = "\"1\""}}, "",
		NULL, "", VALIDATOR_ETAG_REUSED},
	{"lie: ETag reused later",
		{{LOOK(10, 11, 'a'), .etag = "\"1\""}, {LOOK(20, 21, 'b'), .etag = "\"2\"", 0},
			{LOOK(30, 31, 'c'), .etag = "\"1\""}},
		"", NULL, "", VALIDATOR_ETAG_REUSED},
	{"no lie: ETag and noise",
		{{LOOK(10, 11, 'a'), .normalised = 'x', .etag = "\"1\""},
			{LOOK(20, 21, 'b'), .normalised = 'x', .etag = "\"1\""}},
		"11-20n ", "", "", 0},
	{"blocked looks are no witnesses",
		{{LOOK(10, 11, 'a'), .modified = 2},
			{LOOK(20, 21, 'b'), .modified = 1, .blocked = true}},
		"", NULL, "3-10 ", 0},
};

static struct observation look_of(const struct row_look *r)
{
	struct observation look = {.made = true,
		.start = r->begin * SECOND,
		.end = r->end * SECOND,
		.status = r->status ? r->status : 200,
		.whole = !r->cut,
		.stand_in = r->blocked ? SLICE("login: a form") : (slice){0},
		.close_delimited = r->close_delimited,
		.retired = r->retired,
		.not_modified = r->not_modified,
		.key = {.has_state = r->bytes && !r->cut,
			.has_class = r->normalised != 0,
			.state = {DIGEST_SHA256, {(unsigned char)r->bytes}},
			.class = {DIGEST_SHA256, {(unsigned char)r->normalised}}},
		.modified = r->modified * SECOND};

	if (r->etag)
		look.etag = slice_str(r->etag);
	return look;
}

static void check_list(const struct interval_vec *list, const char *want)
{
	static const char LETTERS[] = {'\0', 'b', 'n', 's', '\0', 't'};
	struct buf got;

	buf_init(&got, MAX);
	for (size_t i = 0; i < list->len; i++) {
		const struct interval *here = &list->ptr[i];

		(void)buf_printf(
			&got, "%" PRId64 "-%" PRId64, here->from / SECOND, here->to / SECOND);
		if (LETTERS[here->evidence])
			(void)buf_add_char(&got, LETTERS[here->evidence]);
		(void)buf_add_char(&got, ' ');
		CHECK(intervals_at(list, here->from) == here);
		CHECK(intervals_at(list, here->to) == here);
		CHECK(intervals_at(list, here->from - 1) != here);
		CHECK(intervals_at(list, here->to + 1) != here);
	}
	CHECK_STR(buf_str(&got), want);
	buf_release(&got);
}

static void test_rows(void)
{
	static const struct intervals_terms TERMS = {0};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct intervals x;

		tap_case("intervals: %s", rows[i].label);
		intervals_init(&x, &TERMS);
		for (size_t n = 0; n < LOOKS_MAX && rows[i].looks[n].end; n++) {
			struct observation look = look_of(&rows[i].looks[n]);

			intervals_add(&x, &look);
		}
		intervals_finish(&x);
		check_list(&x.proven, rows[i].proven);
		check_list(&x.bytes, rows[i].bytes ? rows[i].bytes : rows[i].proven);
		if (rows[i].asserted)
			check_list(&x.asserted, rows[i].asserted);
		CHECK_INT(x.retired.len, 0);
		CHECK_INT(x.trust.lies, rows[i].lies);
		CHECK(validator_trust_holds(&x.trust) == (rows[i].lies == 0));
		intervals_release(&x);
	}
}

/* Looks whose responses were retired: what they proved once, and what they still deny. */
static void test_retired(void)
{
	static const struct {
		const char *label;
		struct row_look looks[LOOKS_MAX];
		const char *proven, *asserted; /* asserted: NULL for whatever it is */
		unsigned lies;
		const char *retired;
	} RETIRED_ROWS[] = {
		{"retired: a run of them", {{RETIRED(10, 11, 'a')}, {RETIRED(20, 21, 'a')}}, "", "",
			0, "11-20t "},
		{"retired: one look",
			{{RETIRED(10, 11, 'a')}, {LOOK(20, 21, 'b')}, {LOOK(30, 31, 'b')}},
			"21-30b ", "", 0, ""},
		{"retired: another state between equal ones is not forgotten",
			{{LOOK(10, 11, 'a')}, {RETIRED(20, 21, 'b')}, {LOOK(30, 31, 'a')}}, "", "",
			0, ""},
		{"retired: a version between others",
			{{LOOK(10, 11, 'a')}, {LOOK(20, 21, 'a')}, {RETIRED(30, 31, 'b')},
				{RETIRED(40, 41, 'b')}, {LOOK(50, 51, 'c')}, {LOOK(60, 61, 'c')}},
			"11-20b 51-60b ", "", 0, "31-40t "},
		{"retired: the same state is passed over",
			{{LOOK(10, 11, 'a')}, {RETIRED(20, 21, 'a')}, {LOOK(30, 31, 'a')}},
			"11-30b ", "", 0, ""},
		{"retired: normalised versions",
			{{RETIRED(10, 11, 'a'), .normalised = 'x'},
				{RETIRED(20, 21, 'b'), .normalised = 'x'},
				{RETIRED(30, 31, 'c'), .normalised = 'y'}},
			"", "", 0, "11-20t "},
		{"retired: Last-Modified that denies it lies",
			{{RETIRED(10, 11, 'a')}, {LOOK(20, 21, 'b'), .modified = 2}}, "", NULL,
			VALIDATOR_MODIFIED_UNCHANGED, ""},
		{"retired in part: Last-Modified is no lie",
			{{RETIRED(10, 11, 'a')}, {LOOK(20, 21, 'a'), .modified = 2}}, "", "3-20 ",
			0, ""},
	};

	for (size_t i = 0; i < ARRAY_LEN(RETIRED_ROWS); i++) {
		struct intervals x;

		tap_case("%s", RETIRED_ROWS[i].label);
		intervals_init(&x, &(struct intervals_terms){0});
		for (size_t n = 0; n < LOOKS_MAX && RETIRED_ROWS[i].looks[n].end; n++) {
			struct observation look = look_of(&RETIRED_ROWS[i].looks[n]);

			intervals_add(&x, &look);
		}
		intervals_finish(&x);
		check_list(&x.proven, RETIRED_ROWS[i].proven);
		check_list(&x.retired, RETIRED_ROWS[i].retired);
		if (RETIRED_ROWS[i].asserted)
			check_list(&x.asserted, RETIRED_ROWS[i].asserted);
		CHECK_INT(x.trust.lies, RETIRED_ROWS[i].lies);
		intervals_release(&x);
	}
}

/* The server's clock may be ahead: what it asserts begins that much later. */
static void test_slack(void)
{
	static const struct intervals_terms TERMS = {.slack = 3 * SECOND};
	struct row_look row = {LOOK(10, 11, 'a'), .modified = 2};
	struct observation look = look_of(&row);
	struct intervals x;

	intervals_init(&x, &TERMS);
	intervals_add(&x, &look);
	intervals_finish(&x);
	check_list(&x.asserted, "6-10 ");
	intervals_release(&x);
}

static void test_trust(void)
{
	struct validator_trust host = {0};
	struct validator_trust honest = {0}, lied = {VALIDATOR_MODIFIED_BACK};

	validator_trust_join(&host, &honest);
	CHECK(validator_trust_holds(&host));
	validator_trust_join(&host, &lied);
	validator_trust_join(&host, &honest);
	CHECK(!validator_trust_holds(&host));
	CHECK_INT(host.lies, VALIDATOR_MODIFIED_BACK);
	CHECK_STR(same_by_name(SAME_RULES), "normalised");
}

static const struct {
	const char *label;
	struct row_look looks[LOOKS_MAX];
	bool want;
} returns[] = {
	{"A-A", {{LOOK(1, 2, 'a')}, {LOOK(3, 4, 'a')}}, false},
	{"A-B", {{LOOK(1, 2, 'a')}, {LOOK(3, 4, 'b')}}, false},
	{"A-B-A", {{LOOK(1, 2, 'a')}, {LOOK(3, 4, 'b')}, {LOOK(5, 6, 'a')}}, true},
	{"A-B-C-A", {{LOOK(1, 2, 'a')}, {LOOK(3, 4, 'b')}, {LOOK(5, 6, 'c')}, {LOOK(7, 8, 'a')}},
		true},
	{"A-B-A with noise",
		{{LOOK(1, 2, 'a'), .normalised = 'x'}, {LOOK(3, 4, 'b'), .normalised = 'y'},
			{LOOK(5, 6, 'c'), .normalised = 'x'}},
		true},
	{"noise alone",
		{{LOOK(1, 2, 'a'), .normalised = 'x'}, {LOOK(3, 4, 'b'), .normalised = 'x'},
			{LOOK(5, 6, 'a'), .normalised = 'x'}},
		false},
	{"a blocked look between",
		{{LOOK(1, 2, 'a')}, {LOOK(3, 4, 'b'), .blocked = true}, {LOOK(5, 6, 'a')}}, false},
};

static void test_returns(void)
{
	static const struct intervals_terms TERMS = {0};

	for (size_t i = 0; i < ARRAY_LEN(returns); i++) {
		struct intervals x;

		tap_case("returned: %s", returns[i].label);
		intervals_init(&x, &TERMS);
		for (size_t n = 0; n < LOOKS_MAX && returns[i].looks[n].end; n++) {
			struct observation look = look_of(&returns[i].looks[n]);

			intervals_add(&x, &look);
		}
		CHECK(x.returned == returns[i].want);
		intervals_release(&x);
	}
}

/* Far more states and ETags than are remembered. */
static void test_many_states(void)
{
	static const struct intervals_terms TERMS = {0};
	struct intervals x;
	char etag[INTERVALS_ETAG_SIZE_MAX];

	memset(etag, 'x', sizeof etag);
	intervals_init(&x, &TERMS);
	for (int i = 0; i < 5 * INTERVALS_STATES_MAX; i++) {
		struct row_look row = {LOOK(2 * i, 2 * i + 1, 'a'), .normalised = 'b'};
		struct observation look = look_of(&row);

		memcpy(look.key.state.bytes, &i, sizeof i);
		memcpy(look.key.class.bytes, &i, sizeof i);
		look.key.class.bytes[8] = 1;
		memcpy(etag, &i, sizeof i);
		look.etag = (slice){etag, sizeof etag};
		intervals_add(&x, &look);
	}
	intervals_finish(&x);
	CHECK(!x.returned && validator_trust_holds(&x.trust) && x.proven.len == 0);
	intervals_release(&x);
}

static const struct {
	const char *label;
	struct page_interval list[8]; /* up to one with to = 0 */
	struct planned_instant planned;
	struct best_instant want;
} bests[] = {
	{"one", {{0, 1, 5}}, {1, 0}, {1, 5, 1}},
	{"two that overlap", {{0, 1, 5}, {1, 3, 9}}, {1, 0}, {3, 5, 2}},
	{"two that touch", {{0, 1, 5}, {1, 5, 9}}, {1, 0}, {5, 5, 2}},
	{"most, not longest", {{0, 1, 100}, {1, 200, 203}, {2, 201, 204}}, {1, 0}, {201, 203, 2}},
	{"a page counts once", {{0, 1, 5}, {0, 3, 9}, {1, 8, 9}}, {1, 0}, {8, 9, 2}},
	{"a page has several", {{0, 1, 2}, {0, 5, 9}, {1, 1, 2}, {2, 2, 7}}, {1, 0}, {2, 2, 3}},
	{"tie: the longer", {{0, 1, 3}, {1, 10, 20}}, {1, 0}, {10, 20, 1}},
	{"tie: the earlier", {{0, 1, 3}, {1, 10, 12}}, {1, 0}, {1, 3, 1}},
	{"tie: nearest to the plan", {{0, 1, 3}, {1, 10, 20}}, {4, 5}, {1, 3, 1}},
	{"tie: the plan is in both", {{0, 1, 5}, {1, 6, 20}}, {4, 7}, {6, 20, 1}},
	{"more pages are better than near", {{0, 1, 3}, {1, 90, 99}, {2, 95, 99}}, {2, 2},
		{95, 99, 2}},
	{"nested", {{0, 1, 100}, {1, 10, 90}, {2, 20, 80}, {3, 85, 86}}, {1, 0}, {20, 80, 3}},
};

static void test_best(void)
{
	struct page_interval_vec none = {0};
	struct best_instant untouched = {7, 8, 9};

	for (size_t i = 0; i < ARRAY_LEN(bests); i++) {
		struct page_interval_vec list = {0};
		struct best_instant got = {0};

		tap_case("best instant: %s", bests[i].label);
		for (size_t n = 0; bests[i].list[n].to; n++)
			CHECK_INT(page_interval_vec_push(&list, bests[i].list[n]), 0);
		CHECK(best_instant_find(&list, &bests[i].planned, &got));
		CHECK_INT(got.from, bests[i].want.from);
		CHECK_INT(got.to, bests[i].want.to);
		CHECK_INT((int64_t)got.proven, (int64_t)bests[i].want.proven);
		page_interval_vec_release(&list);
	}
	tap_case("best instant: of nothing");
	CHECK(!best_instant_find(&none, &(struct planned_instant){1, 0}, &untouched));
	CHECK_INT(untouched.from, 7);
}

/* Pages proven at an instant, counted one by one. */
static size_t count_at(const struct page_interval_vec *list, int64_t instant)
{
	size_t count = 0;
	uint32_t last = UINT32_MAX;

	for (size_t i = 0; i < list->len; i++) {
		const struct page_interval *here = &list->ptr[i];

		if (here->from > instant || here->to < instant || here->page == last)
			continue;
		last = here->page;
		count++;
	}
	return count;
}

/*
 * Against counting at every instant: the best one, and not beyond its ends. Ends are even, so that
 * there is an instant between any two.
 */
static void test_best_random(void)
{
	static const struct planned_instant NO_PLAN = {1, 0};
	struct rng rng;

	rng_init(&rng, 12);
	for (size_t round = 0; round < tap_rounds(2000); round++) {
		struct page_interval_vec list = {0};
		struct best_instant got = {0};
		size_t pages = 1 + rng_below(&rng, 12), most = 0;

		for (uint32_t page = 0; page < pages; page++)
			for (uint64_t n = rng_below(&rng, 3) + (page == 0); n > 0; n--) {
				int64_t from = 2 * (int64_t)rng_below(&rng, 40);
				int64_t to = from + 2 * (int64_t)rng_below(&rng, 12);

				CHECK_INT(page_interval_vec_push(
						  &list, (struct page_interval){page, from, to}),
					0);
			}
		CHECK(best_instant_find(&list, &NO_PLAN, &got));
		for (int64_t t = -1; t < 110; t++)
			most = count_at(&list, t) > most ? count_at(&list, t) : most;
		CHECK_INT((int64_t)got.proven, (int64_t)most);
		for (int64_t t = got.from; t <= got.to; t++)
			CHECK_INT((int64_t)count_at(&list, t), (int64_t)most);
		CHECK(count_at(&list, got.from - 1) < most && count_at(&list, got.to + 1) < most);
		page_interval_vec_release(&list);
	}
}

/*
 * A page that changes at known times, on an honest server: whatever is proven or asserted is true,
 * and nobody is accused of lying. The server looks at the page at any instant of a look.
 */
enum { VERSIONS = 5 };

struct truth {
	int64_t since[VERSIONS + 1]; /* when each version appeared; the last is the end of time */
};

static unsigned version_at(const struct truth *t, int64_t instant)
{
	unsigned v = 0;

	while (v + 1 < VERSIONS && t->since[v + 1] <= instant)
		v++;
	return v;
}

static void check_true(const struct truth *t, const struct interval_vec *list)
{
	for (size_t i = 0; i < list->len; i++) {
		unsigned v = version_at(t, list->ptr[i].from);

		CHECK(list->ptr[i].from <= list->ptr[i].to);
		CHECK(list->ptr[i].to < t->since[v + 1]);
		CHECK(i == 0 || list->ptr[i - 1].to < list->ptr[i].from);
	}
}

static struct observation look_at(const struct truth *t, struct rng *rng, int64_t begin, int last)
{
	int64_t end = begin + (int64_t)rng_below(rng, 3 * (uint64_t)SECOND);
	unsigned v = version_at(t, begin + (int64_t)rng_below(rng, (uint64_t)(end - begin) + 1));
	struct observation look = {
		.made = true, .start = begin, .end = end, .status = 200, .whole = true};

	if (rng_below(rng, 8) == 0)
		look.status = 500;
	look.not_modified = (int)v == last && rng_below(rng, 3) == 0;
	if (look.not_modified)
		look.status = 304;
	look.key.has_state = true;
	look.key.state.kind = look.key.class.kind = DIGEST_SHA256;
	look.key.state.bytes[0] = (unsigned char)(v * 2 + rng_below(rng, 2)); /* noise */
	look.key.has_class = true;
	look.key.class.bytes[0] = (unsigned char)v;
	look.key.class.bytes[1] = 1;
	look.modified = rng_below(rng, 2) == 0 ? t->since[v] / SECOND * SECOND : 0;
	return look;
}

static void test_truth(void)
{
	static const struct intervals_terms TERMS = {0};
	struct rng rng;
	size_t proven = 0, asserted = 0;

	rng_init(&rng, 21);
	for (size_t round = 0; round < tap_rounds(5000); round++) {
		struct truth t = {{0}};
		struct intervals x;
		int64_t now = SECOND;
		int last = -1;

		for (unsigned v = 1; v < VERSIONS; v++)
			t.since[v] = t.since[v - 1] + 1 +
				     (int64_t)rng_below(&rng, 30 * (uint64_t)SECOND);
		t.since[VERSIONS] = INT64_MAX;
		intervals_init(&x, &TERMS);
		for (unsigned n = 0; n < 12; n++) {
			struct observation look = look_at(&t, &rng, now, last);

			intervals_add(&x, &look);
			if (look.status == 200)
				last = look.key.class.bytes[0];
			now = look.end + (int64_t)rng_below(&rng, 9 * (uint64_t)SECOND);
		}
		intervals_finish(&x);
		CHECK(validator_trust_holds(&x.trust) && !x.returned);
		check_true(&t, &x.bytes);
		check_true(&t, &x.proven);
		check_true(&t, &x.asserted);
		proven += x.proven.len;
		asserted += x.asserted.len;
		intervals_release(&x);
	}
	CHECK(proven > 0 && asserted > 0);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_rows();
	test_retired();
	test_returns();
	TAP_RUN(test_many_states);
	TAP_RUN(test_truth);
	TAP_RUN(test_slack);
	TAP_RUN(test_trust);
	test_best();
	TAP_RUN(test_best_random);
	return tap_done();
}
