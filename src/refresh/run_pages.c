/* The pages of a watch: what is known of them, and when each is due. */
#include <math.h>

#include "refresh/allocate.h"
#include "refresh/run_state.h"

#define RECALL_MAX  0.99 /* silence is never proof */
#define RECALL_TOLD 0.8  /* from here on a page waits for its announcement, under harmonic */

enum { SOONER = 16 }; /* part of the time around an instant */

uint32_t run_tick(const struct refresh_run *run, double time)
{
	double tick = floor((time - run->base) / run->tick);

	if (run_time(run, tick + 1) <= time) /* lost by rounding */
		tick++;
	if (!(tick > 0))
		return 0;
	return tick < (double)(UINT32_MAX - 1) ? (uint32_t)tick : UINT32_MAX - 1;
}

void run_due(struct refresh_run *run, uint32_t page, double time)
{
	wheel_remove(&run->pauses, page);
	wheel_put(&run->wheel, page, run_tick(run, time));
}

void run_pause(struct refresh_run *run, uint32_t page, double time)
{
	wheel_remove(&run->wheel, page);
	wheel_put(&run->pauses, page, run_tick(run, time));
}

void run_unschedule(struct refresh_run *run, uint32_t page)
{
	wheel_remove(&run->wheel, page);
	wheel_remove(&run->pauses, page);
}

/* A number from 0 up to 1 that stays with the page. */
static double draw_of(uint32_t page)
{
	uint64_t state = page;

	return (double)(rng_splitmix64(&state) >> 11) * 0x1p-53;
}

struct market_page run_traded(const struct refresh_run *run, uint32_t page)
{
	const struct watched *w = &run->pages.ptr[page];

	return (struct market_page){
		w->rate, w->weight, (item_of(run, page)->mark & PAGE_TOLD) != 0};
}

static bool is_on_market(unsigned state)
{
	return state == PAGE_LIVING || state == PAGE_SUSPECT;
}

void run_set_state(struct refresh_run *run, uint32_t page, unsigned state)
{
	struct wheel_item *item = item_of(run, page);

	run->states[item->mark & PAGE_STATE]--;
	run->states[state]++;
	item->mark = (uint16_t)((item->mark & ~PAGE_STATE) | state);
}

/* Group sums follow the market: what is on it counts in both. */
void run_leave_market(struct refresh_run *run, uint32_t page)
{
	const struct watched *w = &run->pages.ptr[page];

	if (!is_on_market(state_of(run, page)))
		return;
	market_remove(&run->market, run_traded(run, page));
	run->groups.ptr[w->group].rate -= (double)w->rate;
	run->unsettled++;
}

int run_enter_market(struct refresh_run *run, uint32_t page)
{
	const struct watched *w = &run->pages.ptr[page];

	run->groups.ptr[w->group].rate += (double)w->rate;
	run->unsettled++;
	return market_add(&run->market, run_traded(run, page));
}

/* sharp, two looks around an instant: from the instant to either. Pages are spread over the time
 * that the looks at all of them take. */
static double half_pair(const struct refresh_run *run, uint32_t page)
{
	return run->aim.gap * market_place(&run->market, run_traded(run, page), draw_of(page));
}

/* The next of them behind a time. A first look that is late may miss the instant, which costs the
 * pair, while one that is early costs little: so all of these are due somewhat sooner. */
static double next_of_pair(const struct refresh_run *run, uint32_t page, double since)
{
	double grid = run->aim.grid, half = half_pair(run, page);
	double instant = ceil(since / grid) * grid;
	double first = instant - half - run->aim.gap / SOONER;

	/* The first look is never earlier. */
	return since >= first - 2 * run->tick ? instant + half : first;
}

double run_wanted(const struct refresh_run *run, uint32_t page)
{
	const struct watched *w = &run->pages.ptr[page];

	if (run->params.site_level && run->params.policy == &REFRESH_HACS && w->group)
		return run->params.policy->demand(
			&run->aim, fmax(0, run->groups.ptr[w->group].rate), 1, 1);
	return market_demand(&run->market, run_traded(run, page), draw_of(page));
}

/* When the policy wants the next look; infinite: never. */
double run_due_time(const struct refresh_run *run, uint32_t page)
{
	double since = run->pages.ptr[page].since, f;

	if (!run->params.policy->demand || run_traded(run, page).announced)
		return INFINITY;
	f = run_wanted(run, page);
	if (f <= 0)
		return INFINITY;
	if (run->params.policy == &REFRESH_SHARP && refresh_sharp_pairs(&run->aim, f))
		return next_of_pair(run, page, since);
	return since + 1 / f;
}

void run_schedule(struct refresh_run *run, uint32_t page)
{
	double due = run_due_time(run, page);

	if (isinf(due))
		run_unschedule(run, page);
	else
		run_due(run, page, due);
}

/* Silence of a source that announces most changes means that little has changed. */
static double recall_of(const struct refresh_run *run, uint32_t page)
{
	unsigned source = source_of(run, page);

	return source ? fmin(refresh_recall(&run->sources[source]), RECALL_MAX) : 0;
}

void run_set_rate(struct refresh_run *run, uint32_t page, double rate)
{
	struct wheel_item *item = item_of(run, page);
	double recall = recall_of(run, page);

	item->mark &= (uint16_t)~PAGE_TOLD;
	if (run->params.policy == &REFRESH_HARMONIC && recall >= RECALL_TOLD) {
		item->mark |= PAGE_TOLD;
		recall = 0;
	}
	run->pages.ptr[page].rate = (float)(rate * (1 - recall));
}

static int check_facts(const struct refresh_facts *f)
{
	return refresh_number_ok(f->rate) && refresh_number_ok(f->weight) &&
			       f->source < REFRESH_SOURCES && f->group <= GROUP_MAX
		       ? 0
		       : ERR_RANGE;
}

static int make_room(struct refresh_run *run, uint32_t page, uint32_t group)
{
	int rc = wheel_items_reach(&run->items, page);

	while (rc == 0 && run->pages.len <= page) {
		rc = watched_pages_push(&run->pages, (struct watched){.since = -INFINITY});
		run->states[PAGE_UNKNOWN] += rc == 0;
	}
	return rc ? rc
		  : refresh_group(run, group,
			    group < run->groups.len ? run->groups.ptr[group].parent
						    : REFRESH_NO_GROUP);
}

static void set_facts(struct refresh_run *run, uint32_t page, const struct refresh_facts *facts)
{
	struct wheel_item *item = item_of(run, page);

	run->source_pages[source_of(run, page)] -= state_of(run, page) != PAGE_UNKNOWN;
	run->source_pages[facts->source]++;
	item->mark = (uint16_t)((item->mark & ~PAGE_SOURCE) | facts->source << PAGE_SOURCE_SHIFT);
	run_set_rate(run, page, facts->rate);
	run->pages.ptr[page].weight = (float)facts->weight;
	run->weight_max = fmax(run->weight_max, facts->weight);
}

int refresh_discovered(struct refresh_run *run, uint32_t page, const struct refresh_facts *facts)
{
	int rc = check_facts(facts);
	unsigned state;

	if (rc == 0)
		rc = make_room(run, page, facts->group);
	if (rc)
		return rc;
	state = state_of(run, page);
	if (state == PAGE_UNKNOWN || state == PAGE_WITHDRAWN) {
		if (state == PAGE_UNKNOWN && facts->group &&
			(rc = groups_join(run, page, facts->group)))
			return rc;
		set_facts(run, page, facts);
		run_set_state(run, page, PAGE_NEW);
		if (!(item_of(run, page)->mark & PAGE_OUT))
			wheel_queue(&run->wheel, page);
		return 0;
	}
	run_leave_market(run, page);
	set_facts(run, page, facts);
	if (is_on_market(state))
		rc = run_enter_market(run, page);
	if (state == PAGE_LIVING && !(item_of(run, page)->mark & (PAGE_OUT | PAGE_TRIES)))
		run_schedule(run, page);
	return rc;
}

bool refresh_copy(const struct refresh_run *run, uint32_t page, double now, double *ret_weight,
	double *ret_exposure)
{
	unsigned state = page < run->pages.len ? state_of(run, page) : PAGE_UNKNOWN;

	if (state != PAGE_LIVING && state != PAGE_NEW)
		return false;
	*ret_weight = (double)run->pages.ptr[page].weight;
	*ret_exposure = fmax(0, now - run->pages.ptr[page].since) * (1 - recall_of(run, page));
	return true;
}

void refresh_withdraw(struct refresh_run *run, uint32_t page)
{
	run_leave_market(run, page);
	run_unschedule(run, page);
	refresh_hubs_forget(&run->hubs, page);
	run_set_state(run, page, PAGE_WITHDRAWN);
}
