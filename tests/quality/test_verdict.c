/* Verdicts: the whole table of docs/quality.md, by every pair of kinds of observation. */
#include "quality/verdict.h"

#include "tap.h"

/* Kinds of observation, one of each; A and B are states. */
#define KINDS(X)                                                             \
	X(NOT_MADE, "not made", 0, false, 0, "")                             \
	X(OK_A, "200 A", 200, true, 'A', "")                                 \
	X(OK_B, "200 B", 200, true, 'B', "")                                 \
	X(OK_STATELESS, "200 without a state", 200, true, 0, "")             \
	X(OK_CUT, "200 truncated", 200, false, 'A', "reset: peer is gone")   \
	X(OK_CUT_SILENT, "200 truncated, not said why", 200, false, 'A', "") \
	X(MOVED_A, "301 A", 301, true, 'A', "")                              \
	X(MOVED_B, "301 B", 301, true, 'B', "")                              \
	X(PARTIAL, "206 A", 206, true, 'A', "")                              \
	X(NOT_MODIFIED, "304 A", 304, true, 'A', "")                         \
	X(NOT_FOUND, "404", 404, true, 'N', "")                              \
	X(GONE, "410", 410, true, 'G', "")                                   \
	X(NOT_FOUND_CUT, "404 truncated", 404, false, 'N', "timeout: x")     \
	X(FORBIDDEN, "403", 403, true, 'F', "")                              \
	X(FORBIDDEN_CUT, "403 truncated", 403, false, 'F', "timeout: x")     \
	X(TOO_MANY, "429", 429, true, 'T', "")                               \
	X(ERROR, "500", 500, true, 'E', "")                                  \
	X(TEAPOT, "418", 418, true, 'P', "")                                 \
	X(SWITCHING, "101", 101, true, 'S', "")                              \
	X(NO_ANSWER, "no answer", 0, false, 0, "dns: no such host")          \
	X(NO_REASON, "no answer, not said why", 0, false, 0, "")

enum kind {
#define X(name, label, status, whole, state, failure) name,
	KINDS(X)
#undef X
		KIND_COUNT
};

static const struct {
	const char *label;
	unsigned status;
	bool whole;
	char state;
	const char *failure;
} kinds[] = {
#define X(name, label, status, whole, state, failure) {label, status, whole, state, failure},
	KINDS(X)
#undef X
};

static struct observation make(enum kind kind, int64_t start, int64_t end)
{
	struct observation o = {
		.made = kind != NOT_MADE,
		.status = kinds[kind].status,
		.whole = kinds[kind].whole,
		.has_state = kinds[kind].state != 0,
		.state = {.kind = DIGEST_SHA256, .bytes = {(unsigned char)kinds[kind].state}},
		.start = start,
		.end = end,
	};

	if (kinds[kind].failure[0])
		o.failure = slice_str(kinds[kind].failure);
	return o;
}

/* What the table says, written down kind by kind: the classes that matter, and their reasons. */
static const struct {
	char class; /* A, B: present in that state; s: present, unknown; N: absent; x: unusable */
	enum verdict failed; /* of an unusable visit */
	const char *reason;  /* the same, and of an unusable revisit */
} expected[] = {
	[NOT_MADE] = {'x', VERDICT_FAILED, "not visited"},
	[OK_A] = {'A', VERDICT_COUNT, NULL},
	[OK_B] = {'B', VERDICT_COUNT, NULL},
	[OK_STATELESS] = {'s', VERDICT_COUNT, NULL},
	[OK_CUT] = {'x', VERDICT_FAILED, "reset: peer is gone"},
	[OK_CUT_SILENT] = {'x', VERDICT_FAILED, "truncated"},
	[MOVED_A] = {'a', VERDICT_COUNT, NULL},
	[MOVED_B] = {'b', VERDICT_COUNT, NULL},
	[PARTIAL] = {'x', VERDICT_FAILED, "HTTP 206"},
	[NOT_MODIFIED] = {'x', VERDICT_FAILED, "HTTP 304"},
	[NOT_FOUND] = {'N', VERDICT_COUNT, NULL},
	[GONE] = {'N', VERDICT_COUNT, NULL},
	[NOT_FOUND_CUT] = {'x', VERDICT_FAILED, "timeout: x"},
	[FORBIDDEN] = {'x', VERDICT_BLOCKED, "HTTP 403"},
	[FORBIDDEN_CUT] = {'x', VERDICT_BLOCKED, "HTTP 403"},
	[TOO_MANY] = {'x', VERDICT_BLOCKED, "HTTP 429"},
	[ERROR] = {'x', VERDICT_FAILED, "HTTP 500"},
	[TEAPOT] = {'x', VERDICT_FAILED, "HTTP 418"},
	[SWITCHING] = {'x', VERDICT_FAILED, "HTTP 101"},
	[NO_ANSWER] = {'x', VERDICT_FAILED, "dns: no such host"},
	[NO_REASON] = {'x', VERDICT_FAILED, "no answer"},
};

static enum verdict want_of_usable(char before, char after)
{
	if (after == 'x')
		return VERDICT_UNCONFIRMED;
	if (before == 'N')
		return after == 'N' ? VERDICT_ABSENT : VERDICT_APPEARED;
	if (after == 'N')
		return VERDICT_GONE;
	if (before == 's' || after == 's')
		return VERDICT_UNCONFIRMED;
	return before == after ? VERDICT_SHARP : VERDICT_CHANGED;
}

static const char *want_reason(enum kind visit, enum kind revisit, enum verdict want)
{
	if (expected[visit].class == 'x')
		return expected[visit].reason;
	if (want != VERDICT_UNCONFIRMED)
		return "";
	if (revisit == NOT_MADE)
		return "not revisited";
	return expected[revisit].reason ? expected[revisit].reason : "its state was not recorded";
}

static void check_pair(enum kind v, enum kind r)
{
	struct observation visit = make(v, 100, 200), revisit = make(r, 300, 400);
	struct judgement j = judge(&visit, &revisit, JUDGED_PAIR);
	enum verdict want = expected[v].class == 'x'
				    ? expected[v].failed
				    : want_of_usable(expected[v].class, expected[r].class);

	CHECK_STR(verdict_name(j.verdict), verdict_name(want));
	CHECK_SLICE(j.reason, slice_str(want_reason(v, r, want)));
	CHECK((j.evidence != NULL) == (j.verdict == VERDICT_SHARP));
	if (j.verdict == VERDICT_SHARP)
		CHECK(visit.whole && revisit.whole && visit.has_state && revisit.has_state &&
			visit.status == revisit.status && digest_eq(&visit.state, &revisit.state));
}

static void test_pairs(void)
{
	for (int v = 0; v < KIND_COUNT; v++) {
		tap_case("pairs: visit %s", kinds[v].label);
		for (int r = 0; r < KIND_COUNT; r++)
			check_pair((enum kind)v, (enum kind)r);
	}
}

static void test_single(void)
{
	struct observation none = {0};

	for (int v = 0; v < KIND_COUNT; v++) {
		struct observation visit = make((enum kind)v, 100, 200);
		struct judgement j = judge(&visit, &none, JUDGED_SINGLE);

		CHECK_INT(
			j.verdict, expected[v].class == 'x' ? expected[v].failed : VERDICT_SINGLE);
		CHECK(observation_is_usable(&visit) == (expected[v].class != 'x'));
	}
}

/* A page is sharp, or absent, only where its interval contains the whole still point. */
static void test_window(void)
{
	static const struct {
		const char *label;
		struct stillpoint window;
		const char *reason;
	} rows[] = {
		{"inside", {.from = 220, .to = 280}, ""},
		{"the whole interval", {.from = 200, .to = 300}, ""},
		{"an instant", {.from = 250, .to = 250}, ""},
		{"too early", {.from = 199, .to = 280},
			"interval does not contain the still point"},
		{"too late", {.from = 220, .to = 301}, "interval does not contain the still point"},
		{"none", {.from = 0, .to = 0}, "the capture has no still point"},
		{"no revisits", {.from = 220, .to = 0}, "the capture has no still point"},
		{"inside, but nobody knows when that was",
			{.from = 220, .to = 280, .clock_set = true},
			"the wall clock was set during the capture"},
		{"inside out", {.from = 280, .to = 220}, "the capture has no still point"},
	};
	static const enum kind sorts[] = {OK_A, MOVED_A, NOT_FOUND};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		tap_case("window: %s", rows[i].label);
		for (size_t k = 0; k < ARRAY_LEN(sorts); k++) {
			struct observation v = make(sorts[k], 100, 200);
			struct observation r = make(sorts[k], 300, 400);
			struct judgement plain = judge(&v, &r, JUDGED_PAIR);
			struct judgement j = judge_in_window(&v, &r, JUDGED_PAIR, &rows[i].window);
			bool ok = rows[i].reason[0] == '\0';

			CHECK_INT(j.verdict, ok ? plain.verdict : VERDICT_UNCONFIRMED);
			CHECK_SLICE(j.reason, slice_str(rows[i].reason));
			CHECK((j.evidence != NULL) == (j.verdict == VERDICT_SHARP));
		}
	}
}

/* What is not a claim about the interval is not touched by the window. */
static void test_window_leaves_the_rest(void)
{
	struct stillpoint none = {0};

	for (int v = 0; v < KIND_COUNT; v++) {
		for (int r = 0; r < KIND_COUNT; r++) {
			struct observation a = make((enum kind)v, 100, 200);
			struct observation b = make((enum kind)r, 300, 400);
			struct judgement plain = judge(&a, &b, JUDGED_PAIR);
			struct judgement j = judge_in_window(&a, &b, JUDGED_PAIR, &none);
			bool claims =
				plain.verdict == VERDICT_SHARP || plain.verdict == VERDICT_ABSENT;

			CHECK_INT(j.verdict, claims ? VERDICT_UNCONFIRMED : plain.verdict);
		}
	}
}

static void test_names(void)
{
	CHECK_STR(verdict_name(VERDICT_SHARP), "sharp");
	CHECK_STR(verdict_name(VERDICT_SINGLE), "single");
	CHECK_INT(VERDICT_COUNT, 10);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_pairs();
	TAP_RUN(test_single);
	test_window();
	TAP_RUN(test_window_leaves_the_rest);
	TAP_RUN(test_names);
	return tap_done();
}
