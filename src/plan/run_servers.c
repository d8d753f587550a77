/*
 * Several servers that share one barrier (docs/planning.md). Pages use the slots of their own
 * server only, so each has its own nested schedule, and the best for all is the best for each as
 * long as their visits end together. So the server that needs longest begins first, and the others
 * are held back until what they have left takes as long as what it has left.
 *
 * While pages are discovered nobody knows which of them lead to others. So a server is held back no
 * longer than until the pages that are probably missing must be found, to be visited by then; and
 * only for visits of the others that are certain enough.
 *
 * Where a server has ended all the same, waiting for another one costs its pages; the visits of
 * that one are put off when they are worth less.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "plan/run.h"
#include "plan/size.h"

/* One order more is given out by the same plan for each so many servers. */
enum { KEPT_MAX = 64 };

/* The weight of the last visit in what visits find. */
static const double RECENT = 0.05;

/* Visits may take a little longer than expected. */
static const double MARGIN = 1.02;

/* One server holds up the others when theirs take less than this share of its time. */
static const double ALONE = 0.25;

/* The share of a size told that may be missing when all count as known. */
static const double SETTLED = 0.02;

/* Pages that are put off are lost for certain, what waiting costs is an estimate. */
static const double PATIENCE = 1.5;

/* A pace that differs by less is the same. */
static const double PACE_STEP = 0.01;

/* Instants that differ by this share are the same. */
static const double SAME = 1e-9;

int run_add_server(struct plan_run *run)
{
	struct run_server s = {.state = calloc(1, run->visits->state_size)};
	int rc = s.state ? run_bits_try_reserve(&run->ready, 1) : ERR_NOMEM;
	struct plan_site *site;

	if (rc == 0)
		rc = run_servers_try_push(&run->servers, s);
	if (rc) {
		free(s.state);
		return rc;
	}
	if (run->ready.len * 64 < run->servers.len)
		run->ready.ptr[run->ready.len++] = 0;
	run_touch(run, &run->servers.ptr[run->servers.len - 1]);
	site = &run->servers.ptr[run->servers.len - 1].site;
	site->delay = run->params.delay > 0 ? run->params.delay : 1;
	site->tau = run->params.tau > 0 ? run->params.tau : PLAN_TAU;
	site->fast = run->params.fast;
	return 0;
}

void run_release_servers(struct plan_run *run)
{
	for (size_t i = 0; i < run->servers.len; i++) {
		struct run_server *s = &run->servers.ptr[i];

		run->visits->close(s->state);
		free(s->state);
		u32_vec_release(&s->batch);
		u32_vec_release(&s->returned.pages);
		u32_vec_release(&s->retries.pages);
		u32_vec_release(&s->revisits.pages);
		u32_vec_release(&s->late.pages);
		u32_vec_release(&s->visited);
		u32_vec_release(&s->unordered.pages);
		u32_vec_release(&s->hopeless.pages);
	}
	run_servers_release(&run->servers);
	run_bits_release(&run->ready);
	u32_vec_release(&run->batched);
	u32_vec_release(&run->arrived);
}

/* ---- who may have an order ---- */

void run_touch(struct plan_run *run, struct run_server *s)
{
	size_t at = (size_t)(s - run->servers.ptr);

	run->ready.ptr[at / 64] |= UINT64_C(1) << at % 64;
	if (s->is_held)
		run->barrier.wake = fmin(run->barrier.wake, s->begin);
}

void run_touch_all(struct plan_run *run)
{
	for (size_t i = 0; i < run->servers.len; i++)
		run_touch(run, &run->servers.ptr[i]);
}

void run_rest(struct plan_run *run, const struct run_server *s)
{
	size_t at = (size_t)(s - run->servers.ptr);

	run->ready.ptr[at / 64] &= ~(UINT64_C(1) << at % 64);
}

size_t run_next_ready(const struct plan_run *run, size_t from, size_t to)
{
	size_t word = from / 64;
	uint64_t bits;

	if (from >= to)
		return to;
	bits = run->ready.ptr[word] & (UINT64_MAX << from % 64);
	while (bits == 0 && ++word * 64 < to)
		bits = run->ready.ptr[word];
	from = bits ? word * 64 + (size_t)__builtin_ctzll(bits) : to;
	return from < to ? from : to;
}

void run_note_size(struct plan_run *run, struct run_server *s)
{
	double size = fmax(s->site.size, s->site.known);

	run->sizes += size - s->counted;
	s->counted = size;
}

void run_refresh(const struct plan_run *run, struct run_server *s)
{
	s->site.survival = run->survival.ptr;
	s->site.weight = run->leg == PLAN_VISIT && run->worth.placed.len > 0 ? run->worth.placed.ptr
									     : run->weight.ptr;
	s->site.page = run->pages.ptr;
	s->site.pages = run->pages.len;
	s->site.edges = run->groups.ptr;
	s->site.edge_count = run->groups.len;
}

static int add_servers(struct plan_run *run, uint32_t server)
{
	TRY(server < PLAN_SERVERS_MAX ? 0 : ERR_RANGE);
	while (run->servers.len <= server)
		TRY(run_add_server(run));
	return 0;
}

int plan_place(struct plan_run *run, uint32_t page, uint32_t server)
{
	int rc;

	if (page < run->pages.len && run->pages.ptr[page].state != UNKNOWN)
		return ERR_STATE;
	if (page == UINT32_MAX)
		return ERR_RANGE;
	rc = add_servers(run, server);
	if (server == 0 && page >= run->server_of.len)
		return rc;
	while (rc == 0 && run->server_of.len <= page)
		rc = u32_vec_try_push(&run->server_of, 0);
	if (rc == 0)
		run->server_of.ptr[page] = server;
	return rc;
}

int plan_pace(struct plan_run *run, uint32_t server, double delay)
{
	struct run_server *s;

	TRY(delay > 0 && isfinite(delay) ? add_servers(run, server) : ERR_RANGE);
	s = &run->servers.ptr[server];
	/* Orders think again when it changes: so it does not for little. */
	if (!s->is_paced || fabs(delay - s->site.delay) > PACE_STEP * delay) {
		s->site.delay = delay;
		run->barrier.stale = true;
	}
	s->is_paced = true;
	return 0;
}

/* ---- when to begin ---- */

/* What visits find on a server, after those in which nothing was found there. */
static double arrivals(const struct plan_run *run, const struct run_server *s)
{
	return s->arrivals > 0
		       ? s->arrivals * pow(1 - RECENT, (double)(run->visits_over - s->averaged))
		       : 0;
}

void run_note_visit(struct plan_run *run)
{
	for (size_t i = 0; i < run->arrived.len; i++) {
		struct run_server *s = &run->servers.ptr[run->arrived.ptr[i]];

		s->arrivals = arrivals(run, s);
		s->arrivals += RECENT * ((double)s->arrived - s->arrivals);
		s->arrived = 0;
		s->averaged = run->visits_over + 1;
	}
	run->arrived.len = 0;
	run->visits_over++;
}

static size_t waiting(const struct run_server *s)
{
	return s->site.known - s->site.visited + (s->retries.pages.len - s->retries.head) +
	       (s->returned.pages.len - s->returned.head);
}

/* Of many servers most have few pages: what their orders hold is more than all the rest. */
void run_let_go(const struct plan_run *run, struct run_server *s)
{
	if (run->servers.len == 1 || run->leg != PLAN_VISIT || s->out > 0 || waiting(s) > 0 ||
		s->batch.len > 0)
		return;
	run->visits->close(s->state);
	memset(s->state, 0, run->visits->state_size);
}

double run_unknown(const struct plan_run *run, const struct run_server *s)
{
	double own = size_unknown(&s->site, s->site.known - s->site.visited);

	if (run->params.strategy->offline)
		return 0;
	if (run->params.size > 0)
		return own;
	return fmax(own, fmin(arrivals(run, s) * run->barrier.waiting / 2, s->site.known));
}

/*
 * How long the visits of a server still take after the next one, which may begin at once. Pages
 * that are to be found are a guess: so many standard deviations of their number more.
 */
static double time_left(const struct plan_run *run, struct run_server *s, double deviations)
{
	double pages = (double)(waiting(s) + s->out), unknown = run_unknown(run, s);

	run_refresh(run, s);
	unknown = fmax(0, unknown + deviations * sqrt(unknown));
	return fmax(0, pages + unknown - 1) * s->site.delay;
}

/* A size that was given is that of all servers: each has its share of what is known. */
static void share_size(const struct plan_run *run, struct run_server *s)
{
	double known = (double)run->progress.known, size = fmax(run->params.size, known);

	if (run->params.size > 0 && !run->params.strategy->offline && known > 0)
		s->site.growth.given = (uint32_t)lround(size * (double)s->site.known / known);
}

/* When its next visit may begin: a pause after the last one. */
static double next_visit(const struct run_server *s, double now)
{
	return s->downloads > 0 ? fmax(now, s->clock_last + s->site.delay) : now;
}

/* ---- whether to wait ---- */

/* Weight that waiting so long for one server costs the pages that were visited on the others. */
static double cost_of_waiting(
	const struct plan_run *run, const struct run_server *slow, double now, double time)
{
	double sum = 0;

	for (size_t i = 0; i < run->servers.len; i++) {
		const struct run_server *s = &run->servers.ptr[i];

		for (size_t k = 0; s != slow && k < s->visited.len; k++) {
			uint32_t page = s->visited.ptr[k];
			struct survival life = run->survival.ptr[page];
			double length = 2 * fmax(0, now - run->pages.ptr[page].visit_end);

			sum += (double)run->weight.ptr[page] *
			       (survival_at(life, length) - survival_at(life, length + time));
		}
	}
	return sum;
}

/* Weight that may be expected sharp of what a server has left, on intervals of that length. */
static double worth_of_rest(
	const struct plan_run *run, const struct run_server *slow, double length)
{
	double sum = 0;

	for (uint32_t page = 0; page < run->pages.len; page++) {
		const struct plan_page *p = &run->pages.ptr[page];

		if (p->state == WAITING && !p->put_off && run_server(run, page) == slow)
			sum += (double)run->weight.ptr[page] *
			       survival_at(run->survival.ptr[page], length);
	}
	return sum;
}

/* Whether some part of the wait is worth more than it costs; its pages lie on nested intervals. */
static bool is_worth_it(const struct plan_run *run, const struct run_server *slow, double now)
{
	double pause = slow->site.delay, all = (double)waiting(slow);

	for (size_t pages = waiting(slow); pages > 0; pages /= 2) {
		double k = (double)pages;

		if (PATIENCE * k / all * worth_of_rest(run, slow, (k - 1) * pause) >=
			cost_of_waiting(run, slow, now, k * pause))
			return true;
	}
	return false;
}

/* The server that the others wait for, or will soon; NULL when there is none. */
static struct run_server *find_slow(struct plan_run *run)
{
	struct run_server *slow = &run->servers.ptr[0];
	double longest = 0, second = 0;

	for (size_t i = 0; i < run->servers.len; i++) {
		struct run_server *s = &run->servers.ptr[i];
		double time = (double)waiting(s) * s->site.delay;

		second = fmax(second, fmin(time, longest));
		if (time > longest)
			slow = s;
		longest = fmax(longest, time);
	}
	return second < ALONE * longest ? slow : NULL;
}

/*
 * Whether what is left is known: pages that may lead to others are no reason to end. Where no size
 * was told, what late visits found tells: less than half a page.
 */
static bool is_settled(const struct plan_run *run)
{
	double missing = 0;

	for (size_t i = 0; i < run->servers.len; i++)
		missing += run_unknown(run, &run->servers.ptr[i]);
	return missing < (run->params.size > 0 ? SETTLED * (double)run->progress.known : 0.5);
}

static void weigh_waiting(struct plan_run *run, double now)
{
	struct run_server *slow = find_slow(run);
	size_t left = slow ? waiting(slow) : 0;

	/* Weighed again when an eighth of it is done, or more has come. */
	if (left == 0 || run->visits_ended || slow->is_cut || !is_settled(run) ||
		(left <= run->barrier.weighed && 8 * left > 7 * run->barrier.weighed))
		return;
	run->barrier.weighed = left;
	slow->is_cut = !is_worth_it(run, slow, now);
	slow->is_held = slow->is_held && !slow->is_cut;
	run_touch(run, slow);
}

/* ---- both ---- */

/*
 * Whether the last plan still holds: nothing has happened since. With hundreds of servers it is
 * kept for some orders more, since it costs as much as there are servers.
 */
static bool is_recent(struct plan_run *run, double now)
{
	if (!run->barrier.stale)
		return true;
	if (run->barrier.kept < run->servers.len / KEPT_MAX && run->barrier.wake > now) {
		run->barrier.kept++;
		return true;
	}
	run->barrier.kept = 0;
	return false;
}

/*
 * A begin once planned is firm while nothing happens. Computed anew it might move along with the
 * time, as long as the server that the others wait for does not answer.
 */
static void begin_visits(struct plan_run *run, double now)
{
	run->barrier.wake = INFINITY;
	run->barrier.moved = false;
	for (size_t i = 0; i < run->servers.len; i++) {
		struct run_server *s = &run->servers.ptr[i];
		bool was_held = s->is_held;

		s->is_held = was_held && s->begin > now;
		if (s->is_held && waiting(s) > 0)
			run->barrier.wake = fmin(run->barrier.wake, s->begin);
		else if (was_held)
			run_touch(run, s);
	}
}

/* When the visits end, as far as that is certain. */
static double find_end(struct plan_run *run, double now)
{
	double end = now;

	for (size_t i = 0; i < run->servers.len; i++) {
		struct run_server *s = &run->servers.ptr[i];

		if ((double)(waiting(s) + s->out) + run_unknown(run, s) >= 0.5)
			end = fmax(end, next_visit(s, now) + time_left(run, s, -1));
	}
	return end;
}

/* How long before the end the pages that are still to be found must be known. */
static double time_for_unknown(const struct plan_run *run)
{
	double time = 0;

	for (size_t i = 0; i < run->servers.len; i++) {
		const struct run_server *s = &run->servers.ptr[i];

		time = fmax(time, run_unknown(run, s) * s->site.delay);
	}
	return time;
}

static void plan_begins(struct plan_run *run, double now)
{
	double end = find_end(run, now), latest = end - time_for_unknown(run);

	for (size_t i = 0; i < run->servers.len; i++) {
		struct run_server *s = &run->servers.ptr[i];

		s->begin = fmin(latest, end - MARGIN * time_left(run, s, 1));
		if (s->is_held)
			run_touch(run, s);
		s->is_held = next_visit(s, now) < s->begin - SAME * fmax(1, fabs(s->begin)) &&
			     !s->is_cut;
	}
}

void run_plan_barrier(struct plan_run *run, double now)
{
	bool anew;

	if (run->servers.len == 1 || run->leg != PLAN_VISIT)
		return;
	anew = !is_recent(run, now);
	if (anew) {
		run->barrier.stale = false;
		run->barrier.waiting = 0;
		for (size_t i = 0; i < run->servers.len; i++)
			run->barrier.waiting += (double)waiting(&run->servers.ptr[i]);
		for (size_t i = 0; i < run->servers.len; i++) {
			run_look_at_size(run, &run->servers.ptr[i]);
			share_size(run, &run->servers.ptr[i]);
		}
		if (!run->params.eager && has_late_leg(run)) {
			plan_begins(run, now);
			weigh_waiting(run, now);
		}
	}
	if (anew || run->barrier.moved || now >= run->barrier.wake)
		begin_visits(run, now);
}

bool run_may_take(const struct plan_run *run, const struct run_server *s)
{
	if (run->params.orders && s->out >= run->params.orders)
		return false;
	if (run->servers.len == 1)
		return true;
	return run->leg != PLAN_VISIT || run->visits_ended || run->rest_put_off || !s->is_held;
}

double plan_wake(const struct plan_run *run)
{
	bool waits = run->servers.len > 1 && run->leg == PLAN_VISIT && !run->visits_ended;

	return waits && !run->cancelled && !run->rest_put_off ? run->barrier.wake : INFINITY;
}
