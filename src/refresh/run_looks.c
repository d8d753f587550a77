/* What looks and announcements tell: changes, births, deaths, what sources and audits are worth. */
#include <math.h>

#include "refresh/allocate.h"
#include "refresh/run_state.h"

enum {
	TRIES_MAX = PAGE_TRIES >> PAGE_TRIES_SHIFT,
	DOUBLED_MAX = 12,     /* times that a pause doubles */
	REST_OF_CONFIRM = 16, /* first pause of a dead page, in times of confirmation */
};

/* Pauses double with every try. */
static double pause_of(struct refresh_run *run, uint32_t page, double first)
{
	struct wheel_item *item = item_of(run, page);
	unsigned tries = (item->mark & PAGE_TRIES) >> PAGE_TRIES_SHIFT;

	if (tries < TRIES_MAX)
		item->mark = (uint16_t)(item->mark + (1 << PAGE_TRIES_SHIFT));
	return ldexp(first, (int)(tries < DOUBLED_MAX ? tries : DOUBLED_MAX));
}

static void forget_tries(struct refresh_run *run, uint32_t page)
{
	item_of(run, page)->mark &= (uint16_t)~PAGE_TRIES;
}

void refresh_audited(struct refresh_run *run, uint32_t page, bool fresh)
{
	double weight = (double)run->pages.ptr[page].weight;
	struct audited *sums = &run->audited[fresh];

	run->audits++;
	sums->weights += weight;
	sums->squares += weight * weight;
}

/* Without an answer nobody knows whether the copy is current, unless there is none. */
static void judge(
	struct refresh_run *run, const struct refresh_order *order, const struct refresh_look *look)
{
	bool has_copy = !isinf(run->pages.ptr[order->page].since);
	bool is_known = look->outcome != REFRESH_FAILED || !has_copy;

	if (order->purpose == REFRESH_AUDIT && look->outcome != REFRESH_RETURNED && is_known)
		refresh_audited(run, order->page, has_copy && look->outcome == REFRESH_SAME);
}

/* A source without pages of its own speaks of all. */
static bool is_responsible(const struct refresh_run *run, unsigned source, uint32_t page)
{
	const struct refresh_source *s = &run->sources[source];

	return source == source_of(run, page) ||
	       (run->source_pages[source] == 0 && s->announced_changed + s->announced_same > 0);
}

static void learn_sources(struct refresh_run *run, uint32_t page, bool changed)
{
	unsigned announcer = run->pages.ptr[page].announcer;

	run->pages.ptr[page].announcer = 0;
	if (announcer)
		refresh_source_learn(&run->sources[announcer], true, changed);
	for (unsigned s = 1; changed && s < REFRESH_SOURCES; s++)
		if (s != announcer && is_responsible(run, s, page))
			refresh_source_learn(&run->sources[s], false, true);
}

static void learn(
	struct refresh_run *run, const struct refresh_order *order, const struct refresh_look *look)
{
	struct watched *w = &run->pages.ptr[order->page];
	bool changed = look->outcome != REFRESH_SAME, again = !isinf(w->since);
	double since = w->since;

	run->looks++;
	run->changes += again && changed;
	if (again) {
		learn_sources(run, order->page, changed);
		refresh_hubs_seen(
			&run->hubs, order->page, look->born, look->time - since, look->time);
	}
	w->since = look->time;
	groups_learn(run, order, look, since);
}

/* A page that answered. Without memory it waits outside the market: looked at by chance only. */
static void lives(struct refresh_run *run, uint32_t page, double rate)
{
	run_leave_market(run, page);
	if (refresh_number_ok(rate))
		run_set_rate(run, page, rate);
	run_set_state(run, page, PAGE_LIVING);
	forget_tries(run, page);
	(void)run_enter_market(run, page);
	run_schedule(run, page);
}

static void is_gone(struct refresh_run *run, uint32_t page, double time)
{
	if (state_of(run, page) == PAGE_NEW || state_of(run, page) == PAGE_LIVING) {
		if (state_of(run, page) == PAGE_NEW) /* its demand counts until it is confirmed */
			(void)run_enter_market(run, page);
		run_set_state(run, page, PAGE_SUSPECT);
		forget_tries(run, page);
		run_pause(run, page, time + run->params.confirm);
		return;
	}
	if (state_of(run, page) == PAGE_SUSPECT) {
		run_leave_market(run, page);
		refresh_hubs_forget(&run->hubs, page);
		run_set_state(run, page, PAGE_DEAD);
	}
	run_pause(run, page, time + pause_of(run, page, run->params.confirm * REST_OF_CONFIRM));
}

static void report(
	struct refresh_run *run, const struct refresh_order *order, const struct refresh_look *look)
{
	uint32_t page = order->page;

	run_advance(run, look->time);
	if (state_of(run, page) == PAGE_WITHDRAWN)
		return;
	judge(run, order, look);
	switch (look->outcome) {
	case REFRESH_RETURNED:
		run_due(run, page, run->base); /* what has passed is due at once */
		break;
	case REFRESH_FAILED:
		run_pause(run, page, look->time + pause_of(run, page, run->params.confirm));
		break;
	case REFRESH_GONE:
		learn(run, order, look);
		is_gone(run, page, look->time);
		break;
	default:
		learn(run, order, look);
		lives(run, page, look->rate);
	}
}

void refresh_done(
	struct refresh_run *run, const struct refresh_order *order, const struct refresh_look *look)
{
	struct wheel_item *item = item_of(run, order->page);

	run->out -= (item->mark & PAGE_OUT) != 0;
	item->mark &= (uint16_t)~PAGE_OUT;
	if (look->outcome == REFRESH_RETURNED)
		refresh_pace_spend(&run->pace, -1);
	report(run, order, look);
}

void refresh_seen(struct refresh_run *run, uint32_t page, const struct refresh_look *look)
{
	if (!(item_of(run, page)->mark & PAGE_OUT))
		report(run, &(struct refresh_order){page, REFRESH_LOOK}, look);
}

/* As if so much time had passed without a look that a change is as likely as the source is right.
 * An earlier announcement, by a source that is right less often, counts with it. */
static void make_older(struct refresh_run *run, uint32_t page, double precision, double earlier)
{
	struct watched *w = &run->pages.ptr[page];

	if (w->rate > 0) {
		w->since += (log1p(-precision) - log1p(-earlier)) / (double)w->rate;
		run_schedule(run, page);
	} else {
		run_due(run, page, run->now);
	}
}

int refresh_signal(struct refresh_run *run, uint32_t page, unsigned source, double now)
{
	double precision, earlier = 0;
	struct watched *w;

	if (page >= run->pages.len || source == 0 || source >= REFRESH_SOURCES ||
		state_of(run, page) == PAGE_UNKNOWN)
		return ERR_NOTFOUND;
	run_advance(run, now);
	w = &run->pages.ptr[page];
	precision = refresh_precision(&run->sources[source]);
	if (w->announcer)
		earlier = refresh_precision(&run->sources[w->announcer]);
	if (precision <= earlier)
		return 0; /* it says no more than what was said already */
	w->announcer = source & 15;
	if (!is_free(run, page) || state_of(run, page) != PAGE_LIVING)
		return 0;
	if (!run_traded(run, page).announced)
		make_older(run, page, precision, earlier);
	else if (rng_double(&run->rng) < run_wanted(run, page))
		run_due(run, page, now);
	return 0;
}

struct refresh_source refresh_source(const struct refresh_run *run, unsigned source)
{
	return run->sources[source];
}

void refresh_set_source(
	struct refresh_run *run, unsigned source, const struct refresh_source *worth)
{
	run->sources[source] = *worth;
}
