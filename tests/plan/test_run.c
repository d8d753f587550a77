/*
 * The invariants of plan.h. Scripts name each call and what must come of it; then random captures
 * of every strategy are followed by a model of what plan.h promises, call by call, and their logs
 * replayed.
 */
#include "plan/plan.h"

#include <stdio.h>

#include "base/vec.h"
#include "graphs.h"

static struct plan_run *run_new(const struct plan_params *params)
{
	struct err err = {0};
	struct plan_run *run = plan_run_new(params, &err);

	if (!CHECK(run))
		tap_note("%s", err.text);
	return run;
}

/*
 * A script is a line of words, P being the digit of a page:
 *	+P                      plan_discovered, with a rate that grows with P
 *	vP rP lP                plan_next orders the page: visit, revisit, late; vP:A in attempt A
 *	wait end                plan_next answers so
 *	okP retryP failP backP  plan_done with PLAN_OK, RETRY, FAILED, RETURNED
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

/* What a page is doing, by what plan.h promises. */
enum stage {
	UNKNOWN,
	WAITING,
	FLYING,
	OVER, /* nothing more is to happen to it */
};

struct model_page {
	enum stage stage;
	enum plan_leg leg; /* the one it waits or flies in */
	unsigned attempts; /* in that leg */
	bool returned;     /* its last order was not carried out */
	bool put_off;      /* to the late leg */
	bool seen;         /* had an order before, so hopeless is known */
	bool hopeless;
};

enum call_kind { DISCOVERED, NEXT, DONE, END_VISITS, CANCEL };

struct call {
	enum call_kind kind;
	double begin, end; /* NEXT: now in end */
	enum plan_step step;
	enum plan_outcome outcome;
	struct plan_order order; /* DISCOVERED: its page */
};

VEC_DECLARE(call_log, struct call);

enum { FLIGHTS_MAX = 8 };

struct flight {
	struct plan_order order;
	double begin;
	bool links_told;
};

struct world {
	struct rng rng;
	struct graph graph;
	uint32_t early; /* links to pages from here on appear at the revisit only */
	struct plan_params params;
	unsigned limit; /* of attempts */
	double trouble; /* probability that an order does not go well */
	size_t parallel;
	bool may_cut, may_cancel;

	struct plan_run *run;
	double now;
	struct flight flights[FLIGHTS_MAX];
	size_t flying;
	struct call_log log;

	struct model_page *pages;
	struct plan_progress want;
	size_t cut_pages; /* given up by the cut: counted at the barrier at the latest */
	bool visits_over, cut, cancelled, ended;
	bool ok;
};

static bool has_revisits(const struct world *w)
{
	return w->params.strategy->revisits && !w->params.single;
}

/* How many pages of the leg wait, without those that only wait for a retry if so wanted. */
static size_t waiting_in(const struct world *w, enum plan_leg leg, bool fresh)
{
	size_t count = 0;

	for (size_t i = 0; i < w->graph.n; i++) {
		const struct model_page *p = &w->pages[i];

		count += p->stage == WAITING && p->leg == leg && !(fresh && p->attempts);
	}
	return count;
}

static size_t returned_count(const struct world *w)
{
	size_t count = 0;

	for (size_t i = 0; i < w->graph.n; i++)
		count += w->pages[i].stage == WAITING && w->pages[i].returned;
	return count;
}

/* The first leg in which something is still to do; past the last when all is done. */
static enum plan_leg present_leg(const struct world *w)
{
	enum plan_leg leg = PLAN_LATE + 1;

	for (size_t i = 0; i < w->graph.n; i++) {
		const struct model_page *p = &w->pages[i];

		if ((p->stage == WAITING || p->stage == FLYING) && p->leg < leg)
			leg = p->leg;
	}
	return leg;
}

static void note_call(struct world *w, struct call call)
{
	if (call_log_push(&w->log, call))
		abort();
}

static void check_progress(struct world *w)
{
	struct plan_progress p = plan_progress(w->run);
	bool ok = CHECK_INT(p.known, w->want.known);

	ok &= CHECK_INT(p.visited, w->want.visited);
	ok &= CHECK_INT(p.revisited, w->want.revisited);
	ok &= CHECK_INT(p.late, w->want.late);
	ok &= CHECK_INT(p.in_flight, w->flying);
	ok &= CHECK(p.failed <= w->want.failed && p.failed + w->cut_pages >= w->want.failed);
	ok &= CHECK(p.size >= (double)p.known);
	ok &= CHECK(p.leg == PLAN_VISIT || has_revisits(w));
	if (w->ended && !w->cancelled)
		ok &= CHECK_INT(p.visited + p.late + p.failed, p.known);
	w->ok &= ok;
}

static void world_discover(struct world *w, uint32_t page)
{
	struct model_page *p = &w->pages[page];
	bool known = p->stage != UNKNOWN;
	/* What is said of a page that is known already must not matter. */
	double rate = known ? power_between(&w->rng, -6, 2) : w->graph.rate[page];

	note_call(w, (struct call){.kind = DISCOVERED, .order = {.page = page}, .begin = rate});
	w->ok &= CHECK_INT(plan_discovered(w->run, page, survival_poisson(rate), 1), 0);
	if (!known) {
		w->want.known++;
		p->stage = WAITING;
		p->leg = w->visits_over ? PLAN_LATE : PLAN_VISIT;
		if (w->visits_over && !has_revisits(w)) {
			p->stage = OVER;
			w->want.failed++;
		}
	}
	check_progress(w);
}

/* All links that the page shows in this leg, some of them twice. */
static void world_discover_links(struct world *w, const struct plan_order *o)
{
	const struct graph *g = &w->graph;

	for (size_t i = g->from[o->page]; i < g->from[o->page + 1]; i++) {
		if (g->links[i] >= w->early && o->leg == PLAN_VISIT)
			continue;
		world_discover(w, g->links[i]);
		if (rng_below(&w->rng, 8) == 0)
			world_discover(w, g->links[i]);
	}
}

static void check_order(struct world *w, const struct plan_order *o)
{
	struct model_page *p = &w->pages[o->page];
	bool ok = CHECK(o->page < w->graph.n) && CHECK_INT(p->stage, WAITING);

	ok &= CHECK(!w->cancelled);
	ok &= CHECK_INT(o->leg, present_leg(w)); /* the barrier, seen from both sides */
	ok &= CHECK_INT(o->leg, p->leg);
	ok &= CHECK_INT(o->attempt, p->attempts + 1);
	ok &= CHECK(o->attempt <= w->limit + p->put_off); /* once more */
	if (returned_count(w) > 0)
		ok &= CHECK(p->returned);
	else if (p->attempts > 0 && !p->put_off)
		ok &= CHECK_INT(waiting_in(w, o->leg, true), 0);
	if (p->seen)
		ok &= CHECK_INT(o->hopeless, p->hopeless);
	w->ok &= ok;
	p->stage = FLYING;
	p->attempts++;
	p->returned = false;
	p->seen = true;
	p->hopeless = o->hopeless;
}

static enum plan_step world_next(struct world *w)
{
	struct plan_order o = {0};
	enum plan_step step = plan_next(w->run, w->now, &o);

	note_call(w, (struct call){.kind = NEXT, .end = w->now, .step = step, .order = o});
	switch (step) {
	case PLAN_ORDER:
		check_order(w, &o);
		w->flights[w->flying++] = (struct flight){.order = o, .begin = w->now};
		w->visits_over |= o.leg != PLAN_VISIT;
		break;
	case PLAN_WAIT:
		w->ok &= CHECK(w->flying > 0);
		w->ok &= CHECK(w->cancelled || waiting_in(w, present_leg(w), false) == 0);
		break;
	case PLAN_END:
		w->ok &= CHECK_INT(w->flying, 0);
		w->ok &= CHECK(w->cancelled || present_leg(w) > PLAN_LATE);
		w->ended = true;
		break;
	}
	check_progress(w);
	if (step == PLAN_ORDER && w->ok && rng_below(&w->rng, 4) == 0) {
		world_discover_links(w, &o);
		w->flights[w->flying - 1].links_told = true;
	}
	return step;
}

static void model_give_up(struct world *w, struct model_page *p)
{
	p->stage = OVER;
	w->want.failed += p->leg != PLAN_REVISIT && !p->put_off;
}

static void model_put_off(struct world *w, struct model_page *p)
{
	bool later = p->leg == PLAN_VISIT && has_revisits(w) && !w->cancelled;

	model_give_up(w, p);
	if (!later)
		return;
	p->put_off = true;
	p->stage = WAITING;
	p->leg = PLAN_LATE;
}

static void model_ok(struct world *w, struct model_page *p)
{
	p->stage = OVER;
	switch (p->leg) {
	case PLAN_VISIT:
		w->want.visited++;
		if (has_revisits(w)) {
			p->stage = WAITING;
			p->leg = PLAN_REVISIT;
			p->attempts = 0;
		}
		break;
	case PLAN_REVISIT:
		w->want.revisited++;
		break;
	case PLAN_LATE:
		w->want.late++;
		w->want.failed -= p->put_off;
		break;
	}
}

static void model_done(struct world *w, struct model_page *p, enum plan_outcome outcome)
{
	bool over = w->cancelled || (p->leg == PLAN_VISIT && w->cut);

	switch (outcome) {
	case PLAN_OK:
		model_ok(w, p);
		break;
	case PLAN_RETRY:
		p->stage = WAITING;
		if (over || p->attempts == w->limit || p->put_off)
			model_give_up(w, p);
		break;
	case PLAN_FAILED:
		model_give_up(w, p);
		break;
	case PLAN_PUT_OFF:
		model_put_off(w, p);
		break;
	case PLAN_RETURNED:
		p->stage = WAITING;
		p->attempts--;
		p->returned = true;
		if (over)
			model_give_up(w, p);
		break;
	}
}

static enum plan_outcome draw_outcome(struct world *w)
{
	static const enum plan_outcome bad[] = {
		PLAN_RETRY, PLAN_RETRY, PLAN_FAILED, PLAN_RETURNED, PLAN_RETURNED, PLAN_PUT_OFF};

	if (rng_double(&w->rng) >= w->trouble)
		return PLAN_OK;
	return bad[rng_below(&w->rng, ARRAY_LEN(bad))];
}

/* One of the orders in flight is done; its links are told before or after that. */
static void world_done(struct world *w)
{
	size_t i = rng_below(&w->rng, w->flying);
	struct flight f = w->flights[i];
	enum plan_outcome outcome = draw_outcome(w);
	bool tell = outcome == PLAN_OK && !f.links_told, before = rng_below(&w->rng, 2);

	w->now += rng_exponential(&w->rng, 1);
	if (tell && before)
		world_discover_links(w, &f.order);
	note_call(w, (struct call){.kind = DONE,
			     .begin = f.begin,
			     .end = w->now,
			     .outcome = outcome,
			     .order = f.order});
	plan_done(w->run, &f.order, outcome, f.begin, w->now);
	w->flights[i] = w->flights[--w->flying];
	model_done(w, &w->pages[f.order.page], outcome);
	check_progress(w);
	if (tell && !before)
		world_discover_links(w, &f.order);
}

static void world_cut(struct world *w)
{
	note_call(w, (struct call){.kind = END_VISITS});
	plan_end_visits(w->run);
	w->cut = w->visits_over = true;
	for (size_t i = 0; i < w->graph.n; i++) {
		struct model_page *p = &w->pages[i];

		if (p->stage == WAITING && p->leg == PLAN_VISIT) {
			model_give_up(w, p);
			w->cut_pages++;
		}
	}
	check_progress(w);
}

static void world_cancel(struct world *w)
{
	note_call(w, (struct call){.kind = CANCEL});
	plan_cancel(w->run);
	w->cancelled = true;
	check_progress(w);
}

static void world_drive(struct world *w)
{
	size_t seeds = w->early;

	if (rng_below(&w->rng, 3) && seeds > 3)
		seeds = 1 + rng_below(&w->rng, 3);
	for (uint32_t i = 0; i < seeds; i++)
		world_discover(w, i);
	/* Attempts are limited and orders come back with a probability below 1/2. */
	for (size_t steps = 0; w->ok && !w->ended && CHECK(steps < 1000 + 100 * w->graph.n);
		steps++) {
		bool wait;

		if (w->may_cut && !w->cut && rng_below(&w->rng, 50) == 0)
			world_cut(w);
		if (w->may_cancel && !w->cancelled && rng_below(&w->rng, 80) == 0)
			world_cancel(w);
		wait = w->flying == w->parallel || (w->flying && rng_below(&w->rng, 2));
		if (wait || (world_next(w) == PLAN_WAIT && w->flying))
			world_done(w);
	}
	if (w->ok && w->ended && !w->cancelled)
		w->ok &= CHECK_INT(plan_progress(w->run).failed, w->want.failed);
	w->ok &= CHECK_INT(plan_error(w->run), 0);
}

static bool same_order(const struct plan_order *a, const struct plan_order *b)
{
	return a->page == b->page && a->leg == b->leg && a->attempt == b->attempt &&
	       a->hopeless == b->hopeless;
}

/* Makes the logged calls again; whether plan_next answered as it did, or plan_impose obeyed. */
static bool replay(struct plan_run *run, const struct call_log *log, bool impose)
{
	bool same = true;

	for (size_t i = 0; i < log->len && same; i++) {
		const struct call *c = &log->ptr[i];
		struct plan_order o = {0};

		switch (c->kind) {
		case DISCOVERED:
			same = CHECK_INT(
				plan_discovered(run, c->order.page, survival_poisson(c->begin), 1),
				0);
			break;
		case NEXT:
			same = impose ? CHECK_INT(plan_impose(run,
							  c->step == PLAN_ORDER ? &c->order : NULL,
							  c->end),
						0)
				      : CHECK_INT(plan_next(run, c->end, &o), c->step) &&
						CHECK(same_order(&o, &c->order));
			break;
		case DONE:
			plan_done(run, &c->order, c->outcome, c->begin, c->end);
			break;
		case END_VISITS:
			plan_end_visits(run);
			break;
		case CANCEL:
			plan_cancel(run);
			break;
		}
	}
	return same;
}

/* By that strategy, which may be another one: then the orders of the log are imposed. */
static void world_replay(struct world *w, const struct plan_strategy *strategy, bool impose)
{
	struct plan_params params = w->params;
	struct plan_progress a = plan_progress(w->run), b;
	struct plan_run *again;

	params.strategy = strategy;
	again = run_new(&params);
	w->ok &= replay(again, &w->log, impose);
	b = plan_progress(again);
	w->ok &= CHECK(a.leg == b.leg && a.known == b.known && a.visited == b.visited &&
		       a.revisited == b.revisited && a.late == b.late && a.failed == b.failed &&
		       a.in_flight == b.in_flight &&
		       (a.size == b.size || strategy != w->params.strategy));
	plan_run_free(again);
}

static void world_init(struct world *w, const struct plan_strategy *strategy, uint64_t seed)
{
	static const double trouble[] = {0, 0.1, 0.5};
	static const double sizes[] = {0, 0.5, 1, 2};
	size_t n;

	*w = (struct world){.ok = true};
	rng_init(&w->rng, seed);
	n = rng_below(&w->rng, 40);
	w->graph = graph_random(&w->rng, n, rng_below(&w->rng, 2 * n + 1));
	graph_set_rates(&w->graph, &w->rng, (enum rates)rng_below(&w->rng, RATES_KINDS));
	w->early = (uint32_t)(n - rng_below(&w->rng, n / 2 + 1));
	w->pages = need(n, sizeof *w->pages);
	w->params = (struct plan_params){
		.strategy = strategy,
		.delay = rng_below(&w->rng, 2) ? power_between(&w->rng, -2, 2) : 0,
		.size = (uint32_t)(sizes[rng_below(&w->rng, 4)] * (double)n),
		.attempts = (unsigned)rng_below(&w->rng, 4),
		.single = rng_below(&w->rng, 5) == 0,
		.fast = rng_below(&w->rng, 2),
	};
	w->limit = w->params.attempts ? w->params.attempts : PLAN_ATTEMPTS;
	w->trouble = trouble[rng_below(&w->rng, ARRAY_LEN(trouble))];
	w->parallel = 1 + rng_below(&w->rng, FLIGHTS_MAX);
	w->may_cut = rng_below(&w->rng, 4) == 0;
	w->may_cancel = rng_below(&w->rng, 6) == 0;
	w->run = run_new(&w->params);
}

static void world_release(struct world *w)
{
	plan_run_free(w->run);
	graph_release(&w->graph);
	free(w->pages);
	call_log_release(&w->log);
}

/* What the random captures of a strategy have come through: nothing is proven by what never was. */
struct coverage {
	size_t revisits, late, failed, cut, cancelled;
};

static void cover(struct coverage *c, const struct world *w)
{
	c->revisits += w->want.revisited;
	c->late += w->want.late;
	c->failed += w->want.failed - w->cut_pages;
	c->cut += w->cut_pages;
	c->cancelled += w->cancelled;
}

/* One of the others, with as many legs; itself where there is none. */
static const struct plan_strategy *another(const struct plan_strategy *s, size_t seed)
{
	const struct plan_strategy *other = plan_strategy_at(seed % 20);

	return other && !other->revisits == !s->revisits ? other : s;
}

static void test_worlds(void)
{
	enum { WORLDS = 120 };
	const struct plan_strategy *s;

	for (size_t i = 0; (s = plan_strategy_at(i)); i++) {
		struct coverage seen = {0};

		tap_case("random captures: %s", s->name);
		for (uint64_t seed = 1; seed <= WORLDS; seed++) {
			struct world w;
			bool ok;

			world_init(&w, s, seed);
			world_drive(&w);
			world_replay(&w, s, false);
			world_replay(&w, s, true);
			world_replay(&w, another(s, seed), true);
			cover(&seen, &w);
			ok = w.ok;
			world_release(&w);
			if (!ok) {
				tap_note("seed %d", (int)seed);
				break;
			}
		}
		CHECK(seen.failed > 20 && seen.cut > 20 && seen.cancelled > 5);
		CHECK(!s->revisits || (seen.revisits > 500 && seen.late > 50));
	}
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_scripts();
	test_bad_pages();
	test_bad_params();
	test_worlds();
	return tap_done();
}
