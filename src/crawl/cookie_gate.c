#include "crawl/cookie_gate.h"

#include <stdio.h>

#include "base/word.h"
#include "crawl/capture.h"
#include "net/cookie.h"

void cookie_gate_release(struct cookie_gate *g)
{
	cookie_gate_steps_release(&g->steps);
}

static unsigned attempts_of(const struct capture *c)
{
	return c->settings->attempts ? c->settings->attempts : PLAN_ATTEMPTS;
}

/* Keeps the name of the first cookie that a head sets; false if there is none. */
static bool note_cookie(struct cookie_gate *g, const struct fields *head)
{
	for (size_t i = 0; i < head->items.len; i++) {
		struct cookie cookie;
		size_t len = 0;

		if (!word_is(head->items.ptr[i].name, SLICE("set-cookie")) ||
			cookie_parse(head->items.ptr[i].value, 0, &cookie))
			continue;
		while (len < cookie.name.len && len < COOKIE_GATE_NAME_MAX &&
			cookie.name.ptr[len] > ' ' && cookie.name.ptr[len] < 0x7f)
			len++;
		(void)snprintf(g->purpose, sizeof g->purpose, ATTEMPT_COOKIE "%.*s", (int)len,
			cookie.name.ptr);
		return true;
	}
	return false;
}

static const struct cookie_gate_step *find_step(const struct cookie_gate *g, uint32_t from)
{
	for (size_t i = 0; i < g->steps.len; i++)
		if (g->steps.ptr[i].from == from)
			return &g->steps.ptr[i];
	return NULL;
}

static int visit_again(struct capture *c, struct cookie_gate_step *step, struct err *err)
{
	uint32_t host = c->pages.list.ptr[step->from].host;

	if (step->again || !c->pages.list.ptr[step->from].taken || fetch_is_down(c, host))
		return 0;
	step->again = true;
	sessions_try(c, step->from);
	return err_code(err, fetch_hold(c, &(struct request){.kind = REQUEST_AGAIN,
						   .host = host,
						   .order = {.page = step->from,
							   .leg = PLAN_VISIT,
							   .attempt = attempts_of(c) + 1}}));
}

/* Visits all pages again that were sent to the gate, but for the one that closes the circle. */
static int open_gate(struct capture *c, uint32_t gate, uint32_t last, struct err *err)
{
	struct cookie_gate *g = &c->gate;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < g->steps.len; i++) {
		struct cookie_gate_step *step = &g->steps.ptr[i];

		if (step->to == gate && (step->from != last || step->from == gate))
			rc = visit_again(c, step, err);
	}
	return rc;
}

/* Whether redirects lead from a page back to it, and one of them sets a cookie. */
static bool leads_back(const struct cookie_gate *g, uint32_t page)
{
	const struct cookie_gate_step *step = find_step(g, page);
	bool sets = false;

	for (unsigned i = 0; i < COOKIE_GATE_LOOP_MAX && step; i++) {
		sets = sets || step->sets;
		if (step->to == page)
			return sets;
		step = find_step(g, step->to);
	}
	return false;
}

int cookie_gate_redirected(struct capture *c, const struct plan_order *order,
	const struct url *target, struct err *err)
{
	struct cookie_gate *g = &c->gate;
	struct cookie_gate_step step = {.from = order->page};
	const struct cookie_gate_step *next;
	int rc;

	if (c->looking || order->leg != PLAN_VISIT || c->settings->no_cookies)
		return 0;
	if (order->attempt > attempts_of(c)) {
		g->useless++;
		return 0;
	}
	step.sets = note_cookie(g, reading_head(&c->lane->reading));
	if (g->useless >= COOKIE_GATE_USELESS_MAX || g->steps.len >= COOKIE_GATE_STEPS_MAX ||
		find_step(g, order->page) || !pages_find(&c->pages, url_page(target), &step.to))
		return 0;
	rc = err_code(err, cookie_gate_steps_push(&g->steps, step));
	if (rc)
		return rc;
	next = find_step(g, step.to);
	if (next && leads_back(g, step.to))
		return open_gate(c, next->to, step.from, err);
	if (next && next->sets) /* under way before the cookie came */
		return open_gate(c, step.to, step.to, err);
	return step.sets ? open_gate(c, step.from, step.from, err) : 0;
}

slice cookie_gate_purpose(const struct capture *c, const struct plan_order *order)
{
	const struct cookie_gate_step *step = find_step(&c->gate, order->page);
	bool is_again = order->leg == PLAN_VISIT && order->attempt > attempts_of(c);

	return is_again && step && step->again ? slice_str(c->gate.purpose) : (slice){0};
}

bool cookie_gate_allows(const struct capture *c, const struct plan_order *order)
{
	return c->gate.useless < COOKIE_GATE_USELESS_MAX || !cookie_gate_purpose(c, order).len;
}
