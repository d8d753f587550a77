/* Verdicts: the whole table of docs/quality.md, by every pair of kinds of observation. */
#include "proof/verdict.h"

#include "proof/legs.h"
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
		.key = {.has_state = kinds[kind].state != 0,
			.state = {.kind = DIGEST_SHA256,
				.bytes = {(unsigned char)kinds[kind].state}}},
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
	[NOT_MADE] = {'x', VERDICT_UNVISITED, "not visited"},
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
	if (expected[revisit].failed == VERDICT_BLOCKED)
		return revisit == TOO_MANY ? "blocked: HTTP 429" : "blocked: HTTP 403";
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
	CHECK((j.evidence != SAME_NOT) == (j.verdict == VERDICT_SHARP));
	if (j.verdict == VERDICT_SHARP)
		CHECK(visit.whole && revisit.whole && visit.key.has_state &&
			revisit.key.has_state && visit.status == revisit.status &&
			digest_eq(&visit.key.state, &revisit.key.state));
}

static void test_pairs(void)
{
	for (int v = 0; v < KIND_COUNT; v++) {
		tap_case("pairs: visit %s", kinds[v].label);
		for (int r = 0; r < KIND_COUNT; r++)
			check_pair((enum kind)v, (enum kind)r);
	}
}

/* Bytes differ: what else is known of the two looks, and whether that proves them the same. */
static void test_normalised(void)
{
	static const struct {
		const char *label;
		char a, b; /* classes; 0: none */
		bool sharp;
	} rows[] = {
		{"one is of the other's class", 0, 'a', true},
		{"both are of a third one's class", 'c', 'c', true},
		{"other classes", 'c', 'd', false},
		{"no class", 0, 0, false},
		{"the class of another state", 0, 'd', false},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows) * 2; i++) {
		struct observation o[] = {make(OK_A, 100, 200), make(OK_B, 300, 400)};
		char classes[] = {rows[i / 2].a, rows[i / 2].b};
		struct judgement j;

		for (size_t k = 0; k < 2; k++) {
			struct same_key *key = &o[k ^ (i & 1)].key;

			key->has_class = classes[k] != 0;
			key->class = classes[k] == 'a' ? o[i & 1].key.state
						       : (struct digest){DIGEST_SHA256,
								 {(unsigned char)classes[k], 1}};
		}
		tap_case("normalised: %s%s", rows[i / 2].label, i & 1 ? ", the visit" : "");
		j = judge(&o[0], &o[1], JUDGED_PAIR);
		CHECK_INT(j.verdict, rows[i / 2].sharp ? VERDICT_SHARP : VERDICT_CHANGED);
		CHECK_INT(j.evidence, rows[i / 2].sharp ? SAME_RULES : SAME_NOT);
		/* Equal bytes need no rules. */
		o[1].key.state = o[0].key.state;
		j = judge(&o[0], &o[1], JUDGED_PAIR);
		CHECK_INT(j.evidence, SAME_BYTES);
		/* Another status is another page, whatever the digests say. */
		o[1].key.state = (struct digest){DIGEST_SHA256, {'B'}};
		o[1].status = 203;
		j = judge(&o[0], &o[1], JUDGED_PAIR);
		CHECK_INT(j.verdict, VERDICT_CHANGED);
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
			CHECK((j.evidence != SAME_NOT) == (j.verdict == VERDICT_SHARP));
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

/* ---- several attempts of a leg ---- */

enum { ATTEMPTS_MAX = 5 };

/* An attempt, as a letter: A, B: 200 in that state; N: 404; e: 500; a: 404 with another body. */
static struct observation shown_of(char letter, int64_t start)
{
	enum kind kind = letter == 'A'   ? OK_A
			 : letter == 'B' ? OK_B
			 : letter == 'e' ? ERROR
					 : NOT_FOUND;
	struct observation o = make(kind, start, start + 5);

	o.key.state.bytes[1] = letter == 'a';
	return o;
}

/* The attempts, each a leg (v, r, l; c: a canary) and a letter, from that numbered by turn on. */
static struct judgement judge_attempts(const char *attempts, size_t turn)
{
	struct legs_terms terms = {.window = {.from = 100, .to = 200}};
	unsigned numbers[ATTEMPT_LEGS] = {0};
	struct attempt list[ATTEMPTS_MAX];
	struct observation shown[ATTEMPTS_MAX];
	size_t count = 0;
	struct legs l = {0};

	for (const char *at = attempts; *at; at += at[2] ? 3 : 2, count++) {
		enum attempt_leg leg = at[0] == 'v'   ? ATTEMPT_VISIT
				       : at[0] == 'c' ? ATTEMPT_PROBE
				       : at[0] == 'r' ? ATTEMPT_REVISIT
						      : ATTEMPT_LATE;
		bool before = leg == ATTEMPT_VISIT || leg == ATTEMPT_PROBE;
		int64_t start = (before ? 10 : 200) + (int64_t)count * 10;

		list[count] = (struct attempt){.leg = leg, .number = ++numbers[leg]};
		if (leg == ATTEMPT_PROBE)
			list[count].purpose = SLICE("canary");
		shown[count] = shown_of(at[1], start);
	}
	for (size_t i = 0; i < count; i++)
		legs_add(&l, &list[(i + turn) % count], &shown[(i + turn) % count]);
	return legs_judge(&l, &terms);
}

/* The last usable attempt of a leg counts, in whatever order attempts come. */
static void test_attempts(void)
{
	static const struct {
		const char *attempts;
		enum verdict verdict;
		const char *reason;
	} rows[] = {
		{"vA rA", VERDICT_SHARP, ""},
		{"ve vA rA", VERDICT_SHARP, ""},
		{"vA ve rA", VERDICT_SHARP, ""},
		{"vA ve ve rA", VERDICT_SHARP, ""},
		{"vA ve rB", VERDICT_CHANGED, ""},
		{"vA vB rA", VERDICT_CHANGED, ""},
		{"vA vB ve rB", VERDICT_SHARP, ""},
		{"vA ve", VERDICT_UNCONFIRMED, "not revisited: the capture is not finished"},
		{"ve ve", VERDICT_FAILED, "HTTP 500"},
		{"vA re rA", VERDICT_SHARP, ""},
		{"vA rA re", VERDICT_SHARP, ""},
		{"vA re re", VERDICT_UNCONFIRMED, "HTTP 500"},
		{"vA rB rA", VERDICT_UNCONFIRMED, "its revisits differ"},
		{"vA rA rB", VERDICT_CHANGED, ""},
		{"vA rN rA", VERDICT_UNCONFIRMED, "its revisits differ"},
		{"vA rB re rA", VERDICT_UNCONFIRMED, "its revisits differ"},
		{"vN rA rN", VERDICT_UNCONFIRMED, "its revisits differ"},
		{"vN ve rN ra", VERDICT_ABSENT, ""},
		{"ve lA", VERDICT_SINGLE, ""},
		{"vA lA", VERDICT_SINGLE, ""},
		{"vA le rA", VERDICT_SHARP, ""},
		{"ve le", VERDICT_FAILED, "HTTP 500"},
		{"le", VERDICT_FAILED, "HTTP 500"},
		{"vA cA rA", VERDICT_SHARP, ""},
		{"vA cB rA", VERDICT_CHANGED, ""},
		{"vA cB cA rA", VERDICT_CHANGED, ""},
		{"vA cB cB vB rB", VERDICT_SHARP, ""},
		{"vA ce rA", VERDICT_SHARP, ""},
		{"vA cN rA", VERDICT_CHANGED, ""},
		{"vN cA rN", VERDICT_CHANGED, ""},
		{"vN ca rN", VERDICT_ABSENT, ""},
		{"", VERDICT_UNVISITED, "the capture is not finished"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		tap_case("attempts: %s", rows[i].attempts[0] ? rows[i].attempts : "none");
		for (size_t turn = 0; turn < ATTEMPTS_MAX; turn++) {
			struct judgement j = judge_attempts(rows[i].attempts, turn);

			CHECK_STR(verdict_name(j.verdict), verdict_name(rows[i].verdict));
			CHECK_SLICE(j.reason, slice_str(rows[i].reason));
		}
	}
}

/* Attempts that ended before their request was sent. */
static void test_unsent(void)
{
	static const struct {
		const char *failure;
		enum catalog_end limit;
		enum verdict verdict;
	} rows[] = {
		{"slow: it was not complete when the revisits had to begin", CATALOG_END_TIME,
			VERDICT_UNVISITED},
		{"aborted: the time limit was over before it was complete", CATALOG_END_TIME,
			VERDICT_UNVISITED},
		{"slow: it held up the other pages", CATALOG_END_NONE, VERDICT_FAILED},
		{"dns: there is no such name", CATALOG_END_TIME, VERDICT_FAILED},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct legs_terms terms = {.state = CATALOG_CUT, .ended_by = rows[i].limit};
		struct legs l = {.visit = {.made = true, .failure = slice_str(rows[i].failure)},
			.visits = 1};

		tap_case("unsent: %s", rows[i].failure);
		CHECK_INT(legs_judge(&l, &terms).verdict, rows[i].verdict);
	}
}

/* Why a page was not asked for, or not again. */
static void test_unasked(void)
{
	static const struct {
		enum catalog_state state;
		enum catalog_end limit;
		const char *unvisited, *unrevisited;
	} rows[] = {
		{CATALOG_RUNNING, CATALOG_END_NONE, "the capture is not finished",
			"not revisited: the capture is not finished"},
		{CATALOG_RUNNING, CATALOG_END_BYTES, "byte limit",
			"not revisited: the capture is not finished"},
		{CATALOG_FINISHED, CATALOG_END_NONE, "not visited", "not revisited"},
		{CATALOG_CUT, CATALOG_END_TIME, "time limit", "not revisited: time limit"},
		{CATALOG_CUT, CATALOG_END_BYTES, "byte limit", "not revisited: byte limit"},
		{CATALOG_CUT, CATALOG_END_NONE, "a limit", "not revisited: a limit"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct legs_terms terms = {.state = rows[i].state, .ended_by = rows[i].limit};
		struct legs none = {0}, once = {.visit = make(OK_A, 100, 200), .visits = 1};

		tap_case("unasked: %s", rows[i].unrevisited);
		CHECK_INT(legs_judge(&none, &terms).verdict, VERDICT_UNVISITED);
		CHECK_SLICE(legs_judge(&none, &terms).reason, slice_str(rows[i].unvisited));
		CHECK_INT(legs_judge(&once, &terms).verdict, VERDICT_UNCONFIRMED);
		CHECK_SLICE(legs_judge(&once, &terms).reason, slice_str(rows[i].unrevisited));
	}
}

/* docs/quality.md: all but excluded, unvisited, failed and blocked. */
static void test_captured(void)
{
	unsigned captured = 0;

	for (int i = 0; i < VERDICT_COUNT; i++)
		captured |= (unsigned)verdict_is_captured((enum verdict)i) << i;
	CHECK_INT(captured, 1 << VERDICT_SHARP | 1 << VERDICT_ABSENT | 1 << VERDICT_CHANGED |
				    1 << VERDICT_APPEARED | 1 << VERDICT_GONE |
				    1 << VERDICT_UNCONFIRMED | 1 << VERDICT_SINGLE |
				    1 << VERDICT_SHELL);
}

static void test_names(void)
{
	CHECK_STR(verdict_name(VERDICT_SHARP), "sharp");
	CHECK_STR(verdict_name(VERDICT_SINGLE), "single");
	CHECK_STR(verdict_name(VERDICT_UNVISITED), "unvisited");
	CHECK_STR(verdict_name(VERDICT_SHELL), "shell");
	CHECK_INT(VERDICT_COUNT, 12);
}

/* What stands in a page's place is never sharp, however equal it is. */
static void test_stand_ins(void)
{
	static const struct {
		const char *label, *visit, *revisit;
		enum verdict want;
		const char *reason;
	} rows[] = {
		{"both blocked", "blocked: login: password form", "blocked: login: password form",
			VERDICT_BLOCKED, "login: password form"},
		{"a good visit", NULL, "blocked: challenge: captcha", VERDICT_UNCONFIRMED,
			"blocked: challenge: captcha"},
		{"a good revisit", "blocked: challenge: captcha", NULL, VERDICT_BLOCKED,
			"challenge: captcha"},
		{"shells", "shell: filled by scripts", "shell: filled by scripts", VERDICT_SHELL,
			"its content is shown only by scripts"},
		{"a shell at the revisit", NULL, "shell: filled by scripts", VERDICT_SHELL,
			"its content is shown only by scripts"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct observation visit = make(OK_A, 100, 200), revisit = make(OK_A, 300, 400);
		struct judgement j;

		tap_case("stand-ins: %s", rows[i].label);
		visit.stand_in = rows[i].visit ? slice_str(rows[i].visit) : (slice){0};
		revisit.stand_in = rows[i].revisit ? slice_str(rows[i].revisit) : (slice){0};
		j = judge(&visit, &revisit, JUDGED_PAIR);
		CHECK_STR(verdict_name(j.verdict), verdict_name(rows[i].want));
		CHECK_SLICE(j.reason, slice_str(rows[i].reason));
		CHECK_INT(j.evidence, SAME_NOT);
	}
	CHECK(!verdict_is_captured(VERDICT_BLOCKED) && verdict_is_captured(VERDICT_SHELL));
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_pairs();
	TAP_RUN(test_single);
	test_normalised();
	test_window();
	TAP_RUN(test_window_leaves_the_rest);
	test_attempts();
	test_unsent();
	test_unasked();
	TAP_RUN(test_captured);
	TAP_RUN(test_names);
	test_stand_ins();
	return tap_done();
}
