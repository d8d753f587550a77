/* The invariants of plan.h. Scripts name each call and what must come of it. */
#include "plan/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "graphs.h"

/*
 * A script is a line of words, P being the digit of a page:
 *	+P                      plan_discovered, with a rate that grows with P
 *	vP rP lP                plan_next orders the page: visit, revisit, late; vP:A in attempt A
 *	wait end                plan_next answers so
 *	okP retryP failP backP  plan_done with PLAN_OK, RETRY, FAILED, RETURNED
 *	dropP                   plan_withdraw
 *	cut cancel              plan_end_visits, plan_cancel
 *	unaskedN                so many of those that were given up were never carried out
 */
static const struct script {
	const char *label, *strategy;
	bool single;
	const char *words;
	size_t visited, revisited, late, failed; /* in the end */
} scripts[] = {
	{"no page", "bfs-lifo", false, "end end", 0, 0, 0, 0},
	{"one page", "bfs-lifo", false, "+0 v0 wait ok0 r0 wait ok0 end end", 1, 1, 0, 0},
	{"one page, single visit", "bfs", false, "+0 v0 wait ok0 end", 1, 0, 0, 0},
	{"only the visits", "bfs-lifo", true, "+0 +1 v0 ok0 v1 ok1 end", 2, 0, 0, 0},
	{"links while another is out", "bfs-fifo", false,
		"+0 v0 wait +1 v1 wait ok0 wait ok1 r0 r1 ok1 wait ok0 end", 2, 2, 0, 0},
	{"links right after", "bfs-fifo", false, "+0 v0 ok0 +1 v1 ok1 r0 ok0 r1 ok1 end", 2, 2, 0,
		0},
	{"batches, depth first", "dfs", false, "+0 v0 +1 +2 ok0 v1 +3 +4 ok1 v3 v4 v2", 2, 0, 0, 0},
	{"batches of two pages out at once", "dfs", false,
		"+0 +1 v0 v1 +2 +3 ok0 +4 +5 ok1 v4 v5 v2 v3", 2, 0, 0, 0},
	{"found twice", "bfs-fifo", false, "+0 +0 v0 +0 ok0 +0 r0 +0 ok0 +0 end", 1, 1, 0, 0},

	{"retries go behind", "bfs-fifo", false,
		"+0 +1 +2 v0 retry0 v1 v2 v0:2 ok1 ok2 ok0 r1 ok1 r2 ok2 r0 ok0 end", 3, 3, 0, 0},
	{"retries go behind what they make known", "bfs", false,
		"+0 +1 v0 retry0 v1 +2 ok1 v2 v0:2 ok2 ok0 end", 3, 0, 0, 0},
	{"three attempts", "bfs-fifo", false, "+0 v0 retry0 v0:2 retry0 v0:3 retry0 end", 0, 0, 0,
		1},
	{"failed for good", "bfs-fifo", false, "+0 +1 v0 fail0 v1 ok1 r1 ok1 end unasked0", 1, 1, 0,
		1},
	{"attempts of each leg", "bfs-fifo", false,
		"+0 +1 v0 retry0 v1 ok1 v0:2 retry0 v0:3 ok0 r1 retry1 r0 retry0 r1:2 r0:2 ok1 "
		"retry0 r0:3 retry0 end",
		2, 1, 0, 0},
	{"the barrier waits for a retry", "bfs-fifo", false,
		"+0 +1 v0 v1 ok1 wait retry0 v0:2 wait ok0 r1 ok1 r0 ok0 end", 2, 2, 0, 0},

	{"returned comes first", "bfs", false, "+0 +1 +2 v0 v1 back0 v0 ok0 ok1 v2 ok2 end", 3, 0,
		0, 0},
	{"returned is no attempt", "bfs", false,
		"+0 v0 back0 v0 back0 v0 back0 v0 retry0 v0:2 back0 v0:2 retry0 v0:3 ok0 end", 1, 0,
		0, 0},
	{"returned retries come first", "bfs", false,
		"+0 +1 v0 retry0 v1 back1 v1 ok1 v0:2 +2 back0 v0:2 retry0 v2 ok2 v0:3 ok0 end", 3,
		0, 0, 0},
	{"returned revisits", "bfs-fifo", false,
		"+0 +1 v0 ok0 v1 ok1 r0 back0 r0 r1 back1 r1 ok0 ok1 end", 2, 2, 0, 0},

	{"late pages", "bfs-fifo", false,
		"+0 +1 v0 ok0 v1 ok1 r0 +2 +3 ok0 r1 wait ok1 l2 ok2 l3 ok3 end", 2, 2, 2, 0},
	{"late pages of late pages", "bfs-fifo", false,
		"+0 v0 ok0 r0 +1 ok0 l1 +2 ok1 l2 retry2 l2:2 back2 l2:2 fail2 end", 1, 1, 1, 1},
	{"late retries go behind", "bfs-fifo", false,
		"+0 v0 ok0 r0 +1 +2 ok0 l1 retry1 l2 ok2 l1:2 ok1 end", 1, 1, 2, 0},

	{"withdrawn before its visit", "bfs-fifo", false,
		"+0 +1 +2 drop1 v0 ok0 v2 ok2 drop1 r0 ok0 r2 ok2 end unasked1", 2, 2, 0, 1},
	{"withdrawn, the only page", "stillpoint", false, "+0 drop0 end unasked1", 0, 0, 0, 1},
	{"withdrawn while it is out", "bfs-fifo", false,
		"+0 +1 v0 drop0 ok0 v1 ok1 r1 ok1 end unasked0", 2, 1, 0, 0},
	{"withdrawn while it is out, then returned", "bfs-fifo", false,
		"+0 v0 drop0 wait back0 end unasked1", 0, 0, 0, 1},
	{"withdrawn while it is out, then a retry", "bfs-fifo", false,
		"+0 v0 drop0 retry0 end unasked0", 0, 0, 0, 1},
	{"withdrawn before its retry", "bfs-fifo", false,
		"+0 +1 v0 retry0 drop0 v1 ok1 r1 ok1 end unasked0", 1, 1, 0, 1},
	{"withdrawn between visit and barrier", "bfs-fifo", false,
		"+0 +1 v0 ok0 drop0 v1 ok1 r1 ok1 end", 2, 1, 0, 0},
	{"withdrawn before its revisit", "bfs-fifo", false, "+0 +1 v0 ok0 v1 ok1 r0 drop1 ok0 end",
		2, 1, 0, 0},
	{"withdrawn during its revisit", "bfs-fifo", false, "+0 v0 ok0 r0 drop0 retry0 end", 1, 0,
		0, 0},
	{"withdrawn before its late download", "bfs-fifo", false,
		"+0 v0 ok0 r0 +1 +2 drop1 ok0 l2 ok2 end unasked1", 1, 1, 1, 1},
	{"withdrawn after all", "bfs-fifo", false, "+0 v0 ok0 r0 ok0 drop0 end", 1, 1, 0, 0},
	{"withdrawn, then the visits are cut", "bfs-fifo", false,
		"+0 +1 +2 v0 drop1 cut ok0 r0 ok0 end unasked2", 1, 1, 0, 2},

	{"cut", "bfs-fifo", false, "+0 +1 +2 v0 cut wait ok0 r0 ok0 end unasked2", 1, 1, 0, 2},
	{"cut before all", "bfs-fifo", false, "+0 +1 cut end", 0, 0, 0, 2},
	{"cut while a retry waits", "bfs-fifo", false,
		"+0 +1 v0 retry0 v1 cut ok1 r1 ok1 end unasked0", 1, 1, 0, 1},
	{"cut, then a retry", "bfs-fifo", false, "+0 v0 cut retry0 end unasked0", 0, 0, 0, 1},
	{"cut, then returned", "bfs-fifo", false, "+0 v0 cut back0 end unasked1", 0, 0, 0, 1},
	{"cut while an order is back", "bfs-fifo", false, "+0 v0 back0 cut end unasked1", 0, 0, 0,
		1},
	{"found after the cut", "bfs-fifo", false, "+0 v0 cut +1 ok0 r0 ok0 l1 ok1 end", 1, 1, 1,
		0},
	{"cut, single visit", "bfs", false, "+0 +1 v0 cut ok0 end end", 1, 0, 0, 1},
	{"found after the cut, single visit", "bfs-lifo", true, "+0 v0 cut +1 ok0 end unasked1", 1,
		0, 0, 1},
	{"cut after the barrier", "bfs-fifo", false, "+0 +1 v0 ok0 v1 ok1 r0 cut ok0 r1 ok1 end", 2,
		2, 0, 0},

	{"cancel", "bfs-fifo", false, "+0 +1 v0 cancel wait ok0 end end", 1, 0, 0, 0},
	{"cancel, then a retry", "bfs-fifo", false, "+0 v0 cancel retry0 end", 0, 0, 0, 1},
	{"cancel the revisits", "bfs-fifo", false, "+0 +1 v0 ok0 v1 ok1 r0 cancel wait back0 end",
		2, 0, 0, 0},
	{"found after cancelling", "bfs-fifo", false, "+0 v0 ok0 cancel +1 end", 1, 0, 0, 0},

	/* The coldest page would be first if it were known when the plan is made. */
	{"found behind the plan", "sharc-selective-offline", false, "+1 +2 +3 v1 +0 ok1 v2 v3 v0",
		1, 0, 0, 0},
	{"found behind our plan", "stillpoint-offline", false, "+1 +2 +3 v1 +0 ok1 v2 v3 v0", 1, 0,
		0, 0},
	{"several found behind the plan", "solar-offline", false,
		"+2 +3 v2 +1 ok2 v3 +0 ok3 v1 ok1 v0 ok0 r3", 4, 0, 0, 0},
};

enum { SCRIPT_PAGES = 10 };

struct reading {
	struct plan_run *run;
	struct plan_order order[SCRIPT_PAGES]; /* by page: the last one */
	double now;
};

static void expect_order(struct reading *r, const char *word)
{
	static const char legs[] = "vrl";
	uint32_t page = (uint32_t)(word[1] - '0');
	struct plan_order o = {0};

	if (!CHECK_INT(plan_next(r->run, r->now, &o), PLAN_ORDER))
		return;
	CHECK_INT(o.page, page);
	CHECK_INT(o.leg, strchr(legs, word[0]) - legs);
	CHECK_INT(o.attempt, word[2] == ':' ? word[3] - '0' : 1);
	r->order[page] = o;
}

static bool report(struct reading *r, const char *word)
{
	static const struct {
		const char *word;
		enum plan_outcome outcome;
	} outcomes[] = {
		{"ok", PLAN_OK},
		{"retry", PLAN_RETRY},
		{"fail", PLAN_FAILED},
		{"back", PLAN_RETURNED},
	};

	for (size_t i = 0; i < ARRAY_LEN(outcomes); i++) {
		size_t len = strlen(outcomes[i].word);

		if (strncmp(word, outcomes[i].word, len) == 0) {
			plan_done(r->run, &r->order[word[len] - '0'], outcomes[i].outcome, r->now,
				r->now + 0.5);
			return true;
		}
	}
	return false;
}

static void read_word(struct reading *r, const char *word)
{
	struct plan_order o;

	if (word[0] == '+') {
		struct survival s = survival_poisson(1e-3 * (1 + word[1] - '0'));

		CHECK_INT(plan_discovered(r->run, (uint32_t)(word[1] - '0'), s, 1), 0);
	} else if (strcmp(word, "wait") == 0) {
		CHECK_INT(plan_next(r->run, r->now, &o), PLAN_WAIT);
	} else if (strcmp(word, "end") == 0) {
		CHECK_INT(plan_next(r->run, r->now, &o), PLAN_END);
	} else if (strncmp(word, "drop", strlen("drop")) == 0) {
		CHECK_INT(plan_withdraw(r->run, (uint32_t)(word[strlen("drop")] - '0')), 0);
	} else if (strcmp(word, "cut") == 0) {
		plan_end_visits(r->run);
	} else if (strcmp(word, "cancel") == 0) {
		plan_cancel(r->run);
	} else if (strncmp(word, "unasked", strlen("unasked")) == 0) {
		CHECK_INT(plan_progress(r->run).unasked, word[strlen("unasked")] - '0');
	} else if (!report(r, word)) {
		expect_order(r, word);
	}
}

/* Whether all words were as they should be; stops at the first that was not. */
static void read_script(struct reading *r, const char *words)
{
	char word[16];
	int len;

	while (sscanf(words, "%15s%n", word, &len) == 1) {
		struct plan_progress before = plan_progress(r->run), after;

		r->now += 1;
		read_word(r, word);
		after = plan_progress(r->run);
		CHECK(after.leg >= before.leg && after.known >= before.known);
		words += len;
	}
}

static void test_scripts(void)
{
	for (size_t i = 0; i < ARRAY_LEN(scripts); i++) {
		const struct script *s = &scripts[i];
		struct plan_params params = {
			.strategy = plan_strategy_find(s->strategy, false),
			.delay = 1,
			.single = s->single,
		};
		struct reading r = {.now = 0};
		struct plan_progress p;

		tap_case("script: %s", s->label);
		r.run = run_new(&params);
		if (!r.run)
			continue;
		read_script(&r, s->words);
		p = plan_progress(r.run);
		CHECK_INT(p.visited, s->visited);
		CHECK_INT(p.revisited, s->revisited);
		CHECK_INT(p.late, s->late);
		CHECK_INT(p.failed, s->failed);
		CHECK_INT(plan_error(r.run), 0);
		plan_run_free(r.run);
	}
}

static void test_bad_pages(void)
{
	static const struct {
		const char *label;
		uint32_t page;
		double rate, shape;
		float weight;
		int want;
	} rows[] = {
		{"good", 0, 1, 0, 1, 0},
		{"never changes, worth nothing", 0, 0, 0, 0, 0},
		{"uncertain rate", 0, 1, 2, 1, 0},
		{"negative rate", 0, -1, 0, 1, ERR_RANGE},
		{"rate not a number", 0, NAN, 0, 1, ERR_RANGE},
		{"infinite rate", 0, INFINITY, 0, 1, ERR_RANGE},
		{"negative shape", 0, 1, -1, 1, ERR_RANGE},
		{"infinite shape", 0, 1, INFINITY, 1, ERR_RANGE},
		{"negative weight", 0, 1, 0, -1, ERR_RANGE},
		{"weight not a number", 0, 1, 0, NAN, ERR_RANGE},
		{"infinite weight", 0, 1, 0, INFINITY, ERR_RANGE},
		{"no page number", UINT32_MAX, 1, 0, 1, ERR_RANGE},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct plan_params params = {.strategy = plan_strategy_find("bfs", true)};
		struct plan_run *run = run_new(&params);
		struct survival s = {.rate = rows[i].rate, .shape = rows[i].shape};
		struct plan_order o;

		tap_case("page: %s", rows[i].label);
		CHECK_INT(plan_discovered(run, rows[i].page, s, rows[i].weight), rows[i].want);
		CHECK_INT(plan_progress(run).known, rows[i].want == 0);
		CHECK_INT(plan_next(run, 0, &o), rows[i].want == 0 ? PLAN_ORDER : PLAN_END);
		plan_run_free(run);
	}
}

static void test_bad_params(void)
{
	const struct plan_strategy *bfs = plan_strategy_find("bfs", true);
	const struct {
		const char *label;
		struct plan_params params;
		int want;
	} rows[] = {
		{"good", {.strategy = bfs, .delay = 1, .tau = 1, .attempts = 255}, 0},
		{"defaults", {.strategy = bfs}, 0},
		{"no strategy", {.delay = 1}, ERR_USAGE},
		{"negative delay", {.strategy = bfs, .delay = -1}, ERR_RANGE},
		{"delay not a number", {.strategy = bfs, .delay = NAN}, ERR_RANGE},
		{"infinite delay", {.strategy = bfs, .delay = INFINITY}, ERR_RANGE},
		{"negative tau", {.strategy = bfs, .tau = -0.1}, ERR_RANGE},
		{"tau over 1", {.strategy = bfs, .tau = 1.1}, ERR_RANGE},
		{"tau not a number", {.strategy = bfs, .tau = NAN}, ERR_RANGE},
		{"too many attempts", {.strategy = bfs, .attempts = 256}, ERR_RANGE},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct err err = {0};
		struct plan_run *run = plan_run_new(&rows[i].params, &err);

		tap_case("params: %s", rows[i].label);
		CHECK(!run == (rows[i].want != 0));
		CHECK_INT(err.code, rows[i].want);
		CHECK((err.text[0] != '\0') == (rows[i].want != 0));
		plan_run_free(run);
	}
}

/* A size that is told later replaces that of the parameters; 0 takes it back. */
static void test_set_size(void)
{
	static const uint32_t sizes[] = {40, 100, 0};
	struct plan_params params = {
		.strategy = plan_strategy_find("stillpoint-online", false), .delay = 1, .size = 70};

	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		struct err err = {0};
		struct plan_run *run = plan_run_new(&params, &err);
		struct plan_order order;

		tap_case("a size that is told later: %u", sizes[i]);
		plan_set_size(run, sizes[i]);
		CHECK_INT(plan_discovered(run, 0, survival_poisson(1), 1), 0);
		CHECK(plan_next(run, 0, &order) == PLAN_ORDER);
		CHECK_INT((int)plan_progress(run).size, sizes[i] ? (int)sizes[i] : 1);
		plan_run_free(run);
	}
}

enum { GROUP_PAGES = 8 };

static void tell_groups(struct plan_run *run)
{
	for (uint32_t page = 1; page + 1 < GROUP_PAGES; page += 2) {
		uint32_t requisite = page + 1;

		CHECK_INT(plan_group(run, page, &requisite, 1), 0);
	}
}

static void visit_groups(bool groups_first, uint32_t visits[GROUP_PAGES])
{
	struct plan_params params = {
		.strategy = plan_strategy_find("stillpoint-online", false), .delay = 1};
	struct err err = {0};
	struct plan_run *run = plan_run_new(&params, &err);
	struct plan_order order;

	if (groups_first)
		tell_groups(run);
	for (uint32_t i = 0; i < GROUP_PAGES; i++)
		CHECK_INT(plan_discovered(run, i, survival_poisson(0.01 * (i + 1)), 1), 0);
	if (!groups_first)
		tell_groups(run);
	for (int i = 0; i < GROUP_PAGES; i++) {
		CHECK(plan_next(run, i, &order) == PLAN_ORDER);
		visits[i] = order.page;
		plan_done(run, &order, PLAN_OK, i, i + 1);
	}
	plan_run_free(run);
}

/* Leaves memory of all small sizes behind in which no float is a number. */
static void leave_dirt(void)
{
	enum { SIZES = 64, STEP = 16 };
	void *dirt[SIZES];

	for (size_t i = 0; i < SIZES; i++) {
		dirt[i] = need((i + 1), STEP);
		memset(dirt[i], 0xff, (i + 1) * STEP);
	}
	for (size_t i = 0; i < SIZES; i++)
		free(dirt[i]);
}

/* Resume tells which pages belong together before it tells the pages. */
static void test_groups_first(void)
{
	uint32_t first[GROUP_PAGES], last[GROUP_PAGES];

	tap_case("groups that are told before their pages");
	leave_dirt();
	visit_groups(true, first);
	visit_groups(false, last);
	for (int i = 0; i < GROUP_PAGES; i++)
		CHECK_INT(first[i], last[i]);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_scripts();
	test_set_size();
	test_groups_first();
	test_bad_pages();
	test_bad_params();
	return tap_done();
}
