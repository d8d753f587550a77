/* One capture: legs, barrier, retries, late discoveries. The invariants are in plan.h. */
#include "plan/run.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plan/heat.h"
#include "plan/size.h"

static int check_params(const struct plan_params *p, struct err *err)
{
	if (!p->strategy)
		return err_set(err, ERR_USAGE, "no strategy");
	if (!isfinite(p->delay) || p->delay < 0)
		return err_set(err, ERR_RANGE, "delay must be a number that is not negative");
	if (!isfinite(p->tau) || p->tau < 0 || p->tau > 1)
		return err_set(err, ERR_RANGE, "tau must lie between 0 and 1");
	if (p->attempts > UINT8_MAX)
		return err_set(err, ERR_RANGE, "at most %d attempts", UINT8_MAX);
	return 0;
}

struct plan_run *plan_run_new(const struct plan_params *params, struct err *err)
{
	struct plan_run *run;

	if (check_params(params, err))
		return NULL;
	run = calloc(1, sizeof *run);
	if (!run) {
		(void)err_code(err, ERR_NOMEM);
		return NULL;
	}
	run->params = *params;
	if (!run->params.attempts)
		run->params.attempts = PLAN_ATTEMPTS;
	run->visits = params->strategy->visits;
	run->budget.left = INFINITY;
	if (run_add_server(run)) {
		plan_run_free(run);
		(void)err_code(err, ERR_NOMEM);
		return NULL;
	}
	plan_set_size(run, params->size);
	return run;
}

/* Where there are several servers, each gets its share when it is asked (run_look_at_size). */
void plan_set_size(struct plan_run *run, uint32_t size)
{
	run->params.size = size;
	run->servers.ptr[0].site.growth.given = run->params.strategy->offline ? 0 : size;
}

void plan_run_free(struct plan_run *run)
{
	if (!run)
		return;
	run_release_servers(run);
	survivals_release(&run->survival);
	weights_release(&run->weight);
	plan_pages_release(&run->pages);
	u32_vec_release(&run->server_of);
	group_edges_release(&run->groups);
	u32_vec_release(&run->edge_before);
	u32_vec_release(&run->edge_of);
	weights_release(&run->worth.placed);
	u32_vec_release(&run->worth.visits.pages);
	free(run);
}

/* Makes room for page, all arrays alike. */
static int grow(struct plan_run *run, uint32_t page)
{
	size_t len = run->pages.len, more = page < len ? 0 : page + (size_t)1 - len;
	int rc = survivals_try_reserve(&run->survival, more);

	if (rc == 0)
		rc = weights_try_reserve(&run->weight, more);
	if (rc == 0)
		rc = plan_pages_try_reserve(&run->pages, more);
	if (rc)
		return rc;
	for (size_t i = len; i < len + more; i++) { /* groups may know a page before it is found */
		run->pages.ptr[i] = (struct plan_page){.state = UNKNOWN};
		run->survival.ptr[i] = (struct survival){0};
		run->weight.ptr[i] = 0;
	}
	run->survival.len = run->weight.len = run->pages.len = len + more;
	return run->worth.placed.len > 0 ? run_place_weights(run) : 0;
}

int plan_discovered(struct plan_run *run, uint32_t page, struct survival survival, float weight)
{
	bool in_time = run->leg == PLAN_VISIT && !run->visits_ended;
	struct run_server *s = run_server(run, page);
	int rc;

	if (!survival_valid(survival) || !isfinite(weight) || weight < 0 || page == UINT32_MAX)
		return ERR_RANGE;
	if (page < run->pages.len && run->pages.ptr[page].state != UNKNOWN)
		return 0;
	rc = grow(run, page);
	if (!rc)
		rc = u32_vec_try_reserve(&run->batched, 1);
	if (!rc)
		rc = u32_vec_try_reserve(&run->arrived, 1);
	if (!rc && in_time)
		rc = u32_vec_try_push(&s->batch, page);
	else if (!rc && has_late_leg(run))
		rc = line_push(&s->late, page);
	if (rc)
		return rc;
	run->survival.ptr[page] = survival;
	run->weight.ptr[page] = weight;
	if (page < run->worth.placed.len && run->pages.ptr[page].users == 0)
		run->worth.placed.ptr[page] = weight;
	run->pages.ptr[page].found_late = !in_time;
	run->pages.ptr[page].state = in_time || has_late_leg(run) ? WAITING : GIVEN_UP;
	run->progress.failed += run->pages.ptr[page].state == GIVEN_UP;
	run->progress.unasked += run->pages.ptr[page].state == GIVEN_UP;
	if (s->batch.len == 1 || s->batch.len == 2)
		run->batched.ptr[run->batched.len++] = (uint32_t)(s - run->servers.ptr);
	if (s->arrived == 0)
		run->arrived.ptr[run->arrived.len++] = (uint32_t)(s - run->servers.ptr);
	s->site.known++;
	s->found++;
	s->arrived++;
	run_note_size(run, s);
	run_touch(run, s);
	run->progress.known++;
	run->barrier.stale = true;
	return 0;
}

/* Appends the batch to the line of pages that the order has no memory for. */
static int line_up_batch(struct run_server *s)
{
	struct waiting_line *l = &s->unordered;

	if (l->head == l->pages.len) { /* needs no memory of its own */
		u32_vec_release(&l->pages);
		*l = (struct waiting_line){.pages = s->batch};
		s->batch = (struct u32_vec){0};
		return 0;
	}
	return u32_vec_add(&l->pages, s->batch.ptr, s->batch.len);
}

/*
 * The first page of one of many servers needs no order, which would take more memory than all else
 * that is known of the server: it is taken out of the batch.
 */
static bool is_alone(const struct plan_run *run, const struct run_server *s)
{
	return run->servers.len > 1 && !run->params.strategy->offline && s->site.known == 1;
}

/* Hands the batch to the visit order; what it cannot take is visited in the order of discovery. */
static void flush_batch(struct plan_run *run, struct run_server *s)
{
	struct u32_vec *b = &s->batch;

	if (b->len == 0 || is_alone(run, s))
		return;
	run_refresh(run, s);
	for (size_t i = 0; i < b->len; i++)
		run->pages.ptr[b->ptr[i]].in_order = true;
	if (run->visits->add(s->state, &s->site, b->ptr, b->len)) {
		run->error = ERR_NOMEM;
		if (line_up_batch(s))
			return; /* it stays as it is until the line is empty */
	}
	u32_vec_release(b); /* the first batch of an offline plan is the whole site */
}

/* Those of all servers. */
static void flush_batches(struct plan_run *run)
{
	size_t kept = 0;

	for (size_t i = 0; i < run->batched.len; i++) {
		struct run_server *s = &run->servers.ptr[run->batched.ptr[i]];

		flush_batch(run, s);
		if (s->batch.len > 0 && !is_alone(run, s))
			run->batched.ptr[kept++] = run->batched.ptr[i];
	}
	run->batched.len = kept;
}

/* The next page in the order of discovery. */
static bool take_unordered(struct run_server *s, uint32_t *ret_page)
{
	if (s->unordered.head == s->unordered.pages.len && s->batch.len > 0)
		(void)line_up_batch(s); /* which cannot fail now */
	return line_pop(&s->unordered, ret_page);
}

int run_order_anew(
	struct plan_run *run, uint32_t page, const struct survival *survival, float placed)
{
	struct run_server *s = run_server(run, page);
	bool removed;

	TRY(u32_vec_try_reserve(&s->unordered.pages, 1));
	run_refresh(run, s);
	removed = run->visits->remove(s->state, &s->site, page);
	run->survival.ptr[page] = *survival;
	if (page < run->worth.placed.len)
		run->worth.placed.ptr[page] = placed;
	else
		run->weight.ptr[page] = placed;
	if (removed && run->visits->add(s->state, &s->site, &page, 1)) {
		run->error = ERR_NOMEM;
		run_touch(run, s);
		return line_push(&s->unordered, page); /* which cannot fail now */
	}
	run_touch(run, s);
	return 0;
}

int plan_update(struct plan_run *run, uint32_t page, struct survival survival, float weight)
{
	float placed = weight;

	if (!survival_valid(survival) || !isfinite(weight) || weight < 0)
		return ERR_RANGE;
	if (page >= run->pages.len || run->pages.ptr[page].state == UNKNOWN)
		return ERR_NOTFOUND;
	/* What a requisite is worth for its pages is found when they are weighed. */
	if (page < run->worth.placed.len && run->pages.ptr[page].users > 0)
		placed = run->worth.placed.ptr[page];
	if (run->leg == PLAN_VISIT && run->visits->remove &&
		run->pages.ptr[page].state == WAITING && !run->pages.ptr[page].ordered)
		TRY(run_order_anew(run, page, &survival, placed));
	run->survival.ptr[page] = survival;
	run->weight.ptr[page] = weight;
	return 0;
}

void run_look_at_size(struct plan_run *run, struct run_server *s)
{
	uint32_t waiting = s->site.known - s->site.visited;
	/* Links of a page that is still out: they count when it is done. */
	bool early = s->visits_done == 0 && s->out > 0;

	for (uint32_t i = 0; i < s->visits_done; i++)
		size_guess_visit(&s->site.growth,
			s->found / s->visits_done + (i < s->found % s->visits_done));
	if (s->found) {
		s->site.quiet = 0;
		s->site.size = size_guess(&s->site.growth, s->site.known, waiting);
		run_note_size(run, s);
	} else {
		s->site.quiet += s->visits_done;
	}
	if (!early)
		s->found = s->visits_done = 0;
}

/* Orders have to think again when the delay changes; so it does not for less than this share. */
static const double DELAY_STEP = 0.01;

static void learn_delay(const struct plan_run *run, struct run_server *s)
{
	double mean;

	if (s->is_paced || run->params.delay > 0 || s->downloads < 2 ||
		s->clock_last <= s->clock_first)
		return;
	mean = (s->clock_last - s->clock_first) / (double)(s->downloads - 1);
	if (fabs(mean - s->site.delay) > DELAY_STEP * mean)
		s->site.delay = mean;
}

static void give(struct plan_run *run, uint32_t page)
{
	struct plan_page *p = &run->pages.ptr[page];

	p->state = IN_FLIGHT;
	p->attempts++;
	run->progress.in_flight++;
	run_server(run, page)->out++;
}

/*
 * The next page of a line. One that plan_impose has given out meanwhile is still in it, even if it
 * was put off to the late leg since.
 */
static bool pop_waiting(struct plan_run *run, struct waiting_line *line, uint32_t *ret_page)
{
	while (line_pop(line, ret_page)) {
		const struct plan_page *p = &run->pages.ptr[*ret_page];

		if (p->state == WAITING && !(p->put_off && run->leg == PLAN_VISIT))
			return true;
	}
	return false;
}

/* A page that the plan gives up costs a visit that others need more: they come first. */
static bool defer(struct plan_run *run, struct run_server *s, const struct visit_choice *c)
{
	return c->hopeless && run->params.aim != PLAN_COMPLETE && !run->budget.chosen &&
	       has_late_leg(run) && run_is_short(run) && line_push(&s->hopeless, c->page) == 0;
}

/* The next page of the visit order, or of those that it could not take. */
static bool take_ordered(struct plan_run *run, struct run_server *s, struct visit_choice *ret)
{
	int rc;

	*ret = (struct visit_choice){0};
	rc = run->visits->take(s->state, &s->site, ret);
	if (rc == ERR_NOMEM) { /* the order goes on without its plan */
		run->error = rc;
		rc = run->visits->take(s->state, &s->site, ret);
	}
	if (rc == 0)
		return true;
	*ret = (struct visit_choice){0};
	if (take_unordered(s, &ret->page))
		return true;
	*ret = (struct visit_choice){.hopeless = true};
	return pop_waiting(run, &s->hopeless, &ret->page);
}

/* The next page of a plan that holds. */
static bool run_take_scheduled(struct plan_run *run, uint32_t *ret_page)
{
	return run_is_scheduled(run) && line_pop(&run->worth.visits, ret_page);
}

/* The next page that was never visited. */
static bool take_new(struct plan_run *run, struct run_server *s, uint32_t *ret_page)
{
	struct visit_choice c = {0};

	while (run_take_scheduled(run, &c.page) || take_ordered(run, s, &c)) {
		struct plan_page *p = &run->pages.ptr[c.page];
		bool is_last = p->deferred;

		if (p->state != WAITING || p->ordered)
			continue;
		p->deferred = !is_last && defer(run, s, &c);
		if (p->deferred)
			continue;
		p->hopeless = c.hopeless;
		p->key = c.key;
		p->ordered = true;
		s->site.visited++;
		*ret_page = c.page;
		return true;
	}
	return false;
}

static bool take_visit(struct plan_run *run, struct run_server *s, uint32_t *ret_page)
{
	if (run->visits_ended)
		return false;
	return pop_waiting(run, &s->returned, ret_page) || take_new(run, s, ret_page) ||
	       pop_waiting(run, &s->retries, ret_page);
}

/*
 * Everything still waiting when the visits end has had its chance. The orders are not asked: each
 * of their decisions would cost time in which pages change.
 */
static void drop_waiting(struct plan_run *run)
{
	for (uint32_t page = 0; page < run->pages.len; page++) {
		struct plan_page *p = &run->pages.ptr[page];

		if (p->state != WAITING || p->put_off || p->found_late)
			continue;
		p->state = GIVEN_UP;
		run->progress.failed++;
		run->progress.unasked += p->attempts == 0;
	}
}

static void drop_withdrawn(const struct plan_run *run, struct run_server *s)
{
	struct u32_vec *visited = &s->visited;
	size_t n = 0;

	for (size_t i = 0; i < visited->len; i++)
		if (run->pages.ptr[visited->ptr[i]].state == VISITED)
			visited->ptr[n++] = visited->ptr[i];
	visited->len = n;
}

/* The barrier: all visits are over. */
static void begin_revisits(struct plan_run *run, struct run_server *s, double now)
{
	size_t n;

	run_refresh(run, s);
	drop_withdrawn(run, s);
	n = s->visited.len;
	run->visits->close(s->state); /* its memory is wanted */
	memset(s->state, 0, run->visits->state_size);
	s->site.barrier = now;
	run_limit_revisits(run, s);
	if (run->params.strategy->revisits->arrange(&s->site, s->visited.ptr, n))
		run->error = ERR_NOMEM;
	for (size_t i = 0; i < n; i++) {
		run->pages.ptr[s->visited.ptr[i]].state = WAITING;
		run->pages.ptr[s->visited.ptr[i]].attempts = 0;
	}
	s->revisits = (struct waiting_line){.pages = s->visited};
	s->visited = (struct u32_vec){0};
	s->returned.head = s->returned.pages.len = 0;
	s->retries.head = s->retries.pages.len = 0;
}

/* The next page of the present leg. */
static bool take(struct plan_run *run, struct run_server *s, uint32_t *ret_page)
{
	if (run->leg == PLAN_VISIT)
		return take_visit(run, s, ret_page);
	return pop_waiting(run, &s->returned, ret_page) ||
	       pop_waiting(run, run->leg == PLAN_REVISIT ? &s->revisits : &s->late, ret_page) ||
	       pop_waiting(run, &s->retries, ret_page);
}

/* Goes to the next leg; false after the last. */
static bool next_leg(struct plan_run *run, double now)
{
	if (run->leg == PLAN_VISIT && run->visits_ended)
		drop_waiting(run);
	if (!has_late_leg(run) || run->leg == PLAN_LATE)
		return false;
	run->leg = run->leg == PLAN_VISIT ? PLAN_REVISIT : PLAN_LATE;
	for (size_t i = 0; run->leg == PLAN_REVISIT && i < run->servers.len; i++)
		begin_revisits(run, &run->servers.ptr[i], now);
	run_touch_all(run);
	return true;
}

/* The next page of a server, of the present leg. */
static bool take_from(struct plan_run *run, struct run_server *s, uint32_t *ret_page)
{
	run_refresh(run, s);
	run_look_at_size(run, s);
	run_choose_pages(run, s);
	flush_batch(run, s);
	learn_delay(run, s);
	return !run->cancelled && run_may_take(run, s) && take(run, s, ret_page);
}

/* Of the servers from one on, and before another. */
static bool take_between(struct plan_run *run, size_t from, size_t to, uint32_t *ret_page)
{
	for (size_t i = from; (i = run_next_ready(run, i, to)) < to; i++) {
		struct run_server *s = &run->servers.ptr[i];

		if (take_from(run, s, ret_page)) {
			run->next_server = (i + 1) % run->servers.len;
			return true;
		}
		run_rest(run, s);
	}
	return false;
}

/* Servers in turn, so that all have work. */
static bool take_from_any(struct plan_run *run, double now, uint32_t *ret_page)
{
	size_t first = run->next_server;

	run_weigh_groups(run, now);
	run_plan_barrier(run, now);
	return !run->cancelled && (take_between(run, first, run->servers.len, ret_page) ||
					  take_between(run, 0, first, ret_page));
}

/*
 * Whether a server was held back that will give an order later. The lines of servers may have pages
 * that plan_impose has given out: when all visits are over, there is none.
 */
static bool is_held_back(const struct plan_run *run)
{
	const struct plan_progress *p = &run->progress;
	bool are_over = run->leg == PLAN_VISIT && p->visited + p->failed == p->known;

	return !run->cancelled && !are_over && isfinite(plan_wake(run));
}

/* Takes the next page out of its line, of the next leg if need be. */
static enum plan_step choose(struct plan_run *run, double now, uint32_t *ret_page)
{
	do {
		if (take_from_any(run, now, ret_page))
			return PLAN_ORDER;
		if (run->progress.in_flight || is_held_back(run))
			return PLAN_WAIT;
	} while (!run->cancelled && next_leg(run, now));
	return PLAN_END;
}

enum plan_step plan_next(struct plan_run *run, double now, struct plan_order *ret_order)
{
	uint32_t page;
	enum plan_step step = choose(run, now, &page);

	if (step != PLAN_ORDER)
		return step;
	give(run, page);
	*ret_order = (struct plan_order){
		.page = page,
		.leg = run->leg,
		.attempt = run->pages.ptr[page].attempts,
		.hopeless = run->pages.ptr[page].hopeless,
		.put_off = run->leg == PLAN_VISIT &&
			   (run->rest_put_off || run_server(run, page)->is_cut),
	};
	return PLAN_ORDER;
}

/* A planner with more patience than ours went on with a page that we had given up. */
static int revive(struct plan_run *run, const struct plan_order *order)
{
	struct plan_page *p = &run->pages.ptr[order->page];
	int rc;

	if (p->state != GIVEN_UP || p->withdrawn || run->leg != PLAN_VISIT ||
		order->leg != PLAN_VISIT || run->visits_ended)
		return 0;
	rc = line_push(&run_server(run, order->page)->retries, order->page);
	if (rc == 0) {
		run_touch(run, run_server(run, order->page));
		p->state = WAITING;
		run->progress.failed--;
		run->barrier.stale = true;
	}
	return rc;
}

int plan_retry(struct plan_run *run, uint32_t page)
{
	if (page >= run->pages.len || run->pages.ptr[page].state == UNKNOWN)
		return ERR_NOTFOUND;
	if (run->pages.ptr[page].attempts == UINT8_MAX)
		return 0;
	return revive(run, &(struct plan_order){.page = page, .leg = PLAN_VISIT});
}

static bool may_be_ordered(const struct plan_run *run, const struct plan_order *order)
{
	const struct plan_page *p = &run->pages.ptr[order->page];

	return !run->cancelled && order->leg == run->leg && p->state == WAITING &&
	       p->attempts < UINT8_MAX && order->attempt == p->attempts + 1U;
}

int plan_impose(struct plan_run *run, const struct plan_order *order, double now)
{
	struct plan_page *p;
	uint32_t page;
	int rc = 0;

	if (order &&
		(order->page >= run->pages.len || run->pages.ptr[order->page].state == UNKNOWN))
		return ERR_STATE;
	if (order)
		rc = revive(run, order);
	if (rc == 0 && choose(run, now, &page) == PLAN_ORDER && (!order || page != order->page)) {
		rc = line_unpop(&run_server(run, page)->returned, page);
		run_touch(run, run_server(run, page));
	}
	if (rc || !order)
		return rc;
	if (!may_be_ordered(run, order))
		return ERR_STATE;
	p = &run->pages.ptr[order->page];
	if (run->leg == PLAN_VISIT && !p->ordered)
		run_server(run, order->page)->site.visited++;
	p->ordered = true;
	p->hopeless = order->hopeless;
	run->barrier.moved = run->barrier.moved || run_server(run, order->page)->is_held;
	give(run, order->page);
	return 0;
}

static void succeeded(struct plan_run *run, const struct plan_order *order, double end)
{
	struct plan_page *p = &run->pages.ptr[order->page];
	struct run_server *s = run_server(run, order->page);

	p->state = DONE;
	switch (order->leg) {
	case PLAN_VISIT:
		run->progress.visited++;
		s->visits_done++;
		run_note_visit(run);
		p->visit_end = end;
		if (!has_late_leg(run) || p->withdrawn)
			break;
		p->state = VISITED;
		if (u32_vec_try_push(&s->visited, order->page)) {
			run->error = ERR_NOMEM;
			p->state = DONE;
		}
		break;
	case PLAN_REVISIT:
		run->progress.revisited++;
		break;
	case PLAN_LATE:
		run->progress.late++;
		run->progress.failed -= p->put_off;
		break;
	}
}

static void gave_up(struct plan_run *run, const struct plan_order *order)
{
	struct plan_page *p = &run->pages.ptr[order->page];

	p->state = GIVEN_UP;
	if (order->leg == PLAN_REVISIT || p->put_off)
		return;
	run->progress.failed++;
	run->progress.unasked += p->attempts == 0;
}

/* Counts as failed until it is downloaded: the visits go on without it. */
static void put_off(struct plan_run *run, const struct plan_order *order)
{
	struct plan_page *p = &run->pages.ptr[order->page];

	gave_up(run, order);
	if (order->leg != PLAN_VISIT || !has_late_leg(run) || run->cancelled || p->withdrawn ||
		p->attempts == UINT8_MAX ||
		line_push(&run_server(run, order->page)->late, order->page))
		return;
	p->put_off = true;
	p->state = WAITING;
}

/* Whether the page waits for a leg in which it counts as failed when it is given up. */
static bool waits_for_first(const struct plan_run *run, const struct plan_page *p)
{
	if (p->state != WAITING || p->put_off)
		return false;
	return run->leg != PLAN_REVISIT || !p->ordered;
}

/* Of a requisite of many pages no more edges are kept than show that it has many. */
static int add_requisite(struct plan_run *run, uint32_t page, uint32_t requisite)
{
	int rc = page == requisite ? 0 : grow(run, requisite);

	if (rc || page == requisite || run->pages.ptr[requisite].users > GROUP_SHARED_MAX ||
		run_has_edge(run, page, requisite))
		return rc;
	rc = run_add_edge(run, page, requisite);
	if (rc == 0)
		rc = run_place_weights(run);
	if (rc)
		return rc;
	run->pages.ptr[requisite].users++;
	run_note_user(run, page, requisite);
	return 0;
}

int plan_group(struct plan_run *run, uint32_t page, const uint32_t *requisites, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (requisites[i] == UINT32_MAX)
			return ERR_RANGE;
	for (size_t i = 0; i < count && !run->params.apart; i++)
		TRY(add_requisite(run, page, requisites[i]));
	return 0;
}

int plan_withdraw(struct plan_run *run, uint32_t page)
{
	struct plan_page *p;

	if (page >= run->pages.len || run->pages.ptr[page].state == UNKNOWN)
		return ERR_NOTFOUND;
	p = &run->pages.ptr[page];
	p->withdrawn = run->barrier.stale = true;
	run->barrier.moved = run->barrier.moved || run_server(run, page)->is_held;
	if (waits_for_first(run, p)) {
		run->progress.failed++;
		run->progress.unasked += p->attempts == 0;
		if (run->leg == PLAN_VISIT && !p->ordered) {
			p->ordered = true; /* it does not wait any longer */
			run_server(run, page)->site.visited++;
		}
	}
	if (p->state == WAITING || p->state == VISITED)
		p->state = GIVEN_UP; /* lines and orders skip it */
	return 0;
}

/* Puts an order back into a line, or gives its page up. */
static void again(struct plan_run *run, const struct plan_order *order, struct waiting_line *line)
{
	bool over = run->cancelled || run->pages.ptr[order->page].withdrawn ||
		    (order->leg == PLAN_VISIT && run->visits_ended);

	if (over || line_push(line, order->page))
		gave_up(run, order);
	else
		run->pages.ptr[order->page].state = WAITING;
}

static void note_times(struct run_server *s, double begin, double end)
{
	if (s->downloads == 0 || begin < s->clock_first)
		s->clock_first = begin;
	if (s->downloads == 0 || end > s->clock_last)
		s->clock_last = end;
	s->downloads++;
}

bool plan_is_out(const struct plan_run *run, const struct plan_order *order)
{
	return order->page < run->pages.len && run->pages.ptr[order->page].state == IN_FLIGHT &&
	       order->leg == run->leg && order->attempt == run->pages.ptr[order->page].attempts;
}

void plan_done(struct plan_run *run, const struct plan_order *order, enum plan_outcome outcome,
	double begin, double end)
{
	struct plan_page *p = &run->pages.ptr[order->page];
	struct run_server *s = run_server(run, order->page);

	assert(plan_is_out(run, order));
	flush_batches(run);
	run->progress.in_flight--;
	run->barrier.stale = true;
	s->out--;
	if (outcome != PLAN_RETURNED)
		note_times(s, begin, end);
	switch (outcome) {
	case PLAN_OK:
		succeeded(run, order, end);
		break;
	case PLAN_RETRY:
		if (order->attempt < run->params.attempts && !p->put_off)
			again(run, order, &s->retries);
		else
			gave_up(run, order);
		break;
	case PLAN_FAILED:
		gave_up(run, order);
		break;
	case PLAN_RETURNED:
		p->attempts--;
		again(run, order, &s->returned);
		break;
	case PLAN_PUT_OFF:
		put_off(run, order);
		break;
	}
	run_let_go(run, s);
	run_touch(run, s);
}

void plan_end_visits(struct plan_run *run)
{
	run->visits_ended = true;
	run_touch_all(run);
}

void plan_cancel(struct plan_run *run)
{
	run->cancelled = true;
}

struct plan_progress plan_progress(const struct plan_run *run)
{
	struct plan_progress p = run->progress;

	p.leg = run->leg;
	p.size = run->sizes;
	return p;
}

static double expect_server(
	const struct plan_run *run, const struct run_server *s, double now, bool weighted)
{
	double sum = 0;

	for (size_t i = 0; i < s->visited.len; i++) {
		uint32_t page = s->visited.ptr[i];
		double age = now - run->pages.ptr[page].visit_end;

		if (run->pages.ptr[page].withdrawn)
			continue;
		sum += (weighted ? (double)run->weight.ptr[page] : 1) *
		       survival_at(run->survival.ptr[page], age > 0 ? 2 * age : 0);
	}
	return sum;
}

double plan_expected(const struct plan_run *run, double now, bool weighted)
{
	double sum = 0;

	for (size_t i = 0; i < run->servers.len; i++)
		sum += expect_server(run, &run->servers.ptr[i], now, weighted);
	return sum;
}

int plan_error(const struct plan_run *run)
{
	return run->error;
}

/*
 * Hours in which nothing may be downloaded (docs/planning.md). A page that is visited before them
 * and revisited after them had all that time to change. So when the pages visited so far can just
 * be revisited before the hours are over, two ways are compared:
 *
 *   - the visits end here: those pages are revisited at once, and the others are put off;
 *   - the visits go on, and all pages are revisited when they are over, whatever lies in between.
 */

/* Revisits may take a little longer than expected; those that come too late wait for a night. */
static const double MARGIN = 1.05;

double plan_hours_until(const struct plan_hours *h, double open)
{
	if (open <= h->left)
		return open;
	return open + h->closed * (1 + floor((open - h->left) / h->open));
}

/* Weight expected sharp of the pages that were visited, if the visits still take so long. */
static double expect_visited(
	const struct plan_run *run, const struct plan_hours *h, double now, double visits)
{
	size_t later = run->progress.visited;
	double sum = 0;

	for (size_t i = 0; i < run->servers.len; i++) {
		const struct u32_vec *visited = &run->servers.ptr[i].visited;

		for (size_t k = 0; k < visited->len; k++) {
			uint32_t page = visited->ptr[k];
			double behind = (double)(visited->len - 1 - k) * h->pace * (double)later /
					(double)visited->len;
			double length = now - run->pages.ptr[page].visit_end +
					plan_hours_until(h, 2 * visits + behind);

			sum += (double)run->weight.ptr[page] *
			       survival_at(run->survival.ptr[page], fmax(0, length));
		}
	}
	return sum;
}

static bool is_waiting(const struct plan_page *p)
{
	return p->state == WAITING && !p->put_off && !p->found_late;
}

/* The same of the pages that wait: the hottest of them around the barrier. 0 or ERR_NOMEM. */
static int expect_waiting(
	const struct plan_run *run, const struct plan_hours *h, double visits, double *ret_sum)
{
	uint32_t *pages = malloc((run->pages.len + 1) * sizeof *pages);
	size_t n = 0;
	int rc = pages ? 0 : ERR_NOMEM;

	*ret_sum = 0;
	for (uint32_t i = 0; rc == 0 && i < run->pages.len; i++)
		if (is_waiting(&run->pages.ptr[i]))
			pages[n++] = i;
	if (rc == 0)
		rc = heat_sort(run->survival.ptr, pages, n);
	for (size_t k = 0; rc == 0 && k < n; k++) {
		double from = visits * (double)k / (double)n;
		double length =
			plan_hours_until(h, visits + from) - plan_hours_until(h, visits - from);

		*ret_sum += (double)run->weight.ptr[pages[k]] *
			    survival_at(run->survival.ptr[pages[k]], length);
	}
	free(pages);
	return rc;
}

/* Of known pages, and of those that are probably still to be found. */
static double visits_left(const struct plan_run *run)
{
	double sum = (double)run->progress.known -
		     (double)(run->progress.visited + run->progress.failed);

	for (size_t i = 0; i < run->servers.len; i++)
		sum += run_unknown(run, &run->servers.ptr[i]);
	return fmax(0, sum);
}

bool plan_hours(struct plan_run *run, double now, const struct plan_hours *h)
{
	size_t visited = run->progress.visited, out = run->progress.in_flight;
	double visits = visits_left(run) * h->pace, go_on = 0;

	if (run->leg != PLAN_VISIT || run->visits_ended || run->rest_put_off ||
		!has_late_leg(run) || run->params.aim == PLAN_COMPLETE || visited == 0)
		return false;
	if (now < run->hours_weighed || h->left > MARGIN * h->pace * (double)(visited + out + 1) ||
		plan_hours_until(h, 2 * visits + (double)visited * h->pace) <= h->left)
		return false;
	run->hours_weighed = now + h->left;
	if (expect_waiting(run, h, visits, &go_on)) {
		run->error = ERR_NOMEM;
		return false;
	}
	return expect_visited(run, h, now, 0) > go_on + expect_visited(run, h, now, visits);
}

void plan_put_off_rest(struct plan_run *run)
{
	run->rest_put_off = true;
	run_touch_all(run);
}

/*
 * Groups while pages are discovered, when few pages are left and all of them are known
 * (docs/planning.md). Weights of single pages do not see that everything may hang on one group, so
 * the order of these visits is searched as a whole (group.h).
 */

/* A problem over the waiting pages, and those that were visited and share a group with them. */
struct few {
	struct assign_problem p;
	size_t waiting;
	uint32_t *number; /* of the page, by index: waiting pages first */
	uint32_t *index_of;
	struct survival *survival;
	float *weight;
	double *length;
	uint32_t *page_of;
	struct group_edges edges;
};

static void few_release(struct few *f)
{
	free(f->number);
	free(f->index_of);
	free(f->survival);
	free(f->weight);
	free(f->length);
	free(f->page_of);
	group_edges_release(&f->edges);
}

static int few_init(struct few *f, size_t pages, size_t waiting)
{
	*f = (struct few){
		.waiting = waiting,
		.number = malloc((pages + 1) * sizeof *f->number),
		.index_of = malloc((pages + 1) * sizeof *f->index_of),
		.survival = malloc((pages + 1) * sizeof *f->survival),
		.weight = malloc((pages + 1) * sizeof *f->weight),
		.length = malloc((pages + 1) * sizeof *f->length),
		.page_of = malloc((pages + 1) * sizeof *f->page_of),
	};
	if (!f->number || !f->index_of || !f->survival || !f->weight || !f->length || !f->page_of)
		return ERR_NOMEM;
	for (size_t i = 0; i < pages; i++)
		f->index_of[i] = UINT32_MAX;
	return 0;
}

static void few_add(struct few *f, const struct plan_run *run, uint32_t page, double length)
{
	size_t i = f->p.n++;

	f->number[i] = page;
	f->index_of[page] = f->page_of[i] = (uint32_t)i;
	f->survival[i] = run->survival.ptr[page];
	f->weight[i] = run->weight.ptr[page];
	f->length[i] = length;
}

/* The groups that waiting pages are in, and what was visited of them. */
static int few_add_group(
	struct few *f, const struct plan_run *run, const struct groups *g, size_t group, double now)
{
	double left = run->servers.ptr[0].site.delay * (double)f->waiting;
	const uint32_t *member = g->member + g->from[group];
	size_t size = g->from[group + 1] - g->from[group];
	bool waits = false;

	for (size_t k = 0; k < size; k++)
		waits |= f->index_of[member[k]] < f->waiting;
	for (size_t k = 0; waits && k < size; k++) {
		const struct plan_page *p = &run->pages.ptr[member[k]];
		double age = p->state == VISITED ? fmax(0, now - p->visit_end) : 0;

		if (f->index_of[member[k]] == UINT32_MAX)
			few_add(f, run, member[k], 2 * (age + left));
		if (k > 0)
			TRY(group_edges_try_push(
				&f->edges, (struct group_edge){member[0], member[k]}));
	}
	return 0;
}

static int few_fill(struct few *f, const struct plan_run *run, const struct groups *g,
	const uint32_t *waiting, double now)
{
	const struct plan_site *site = &run->servers.ptr[0].site;

	for (size_t i = 0; i < f->waiting; i++)
		few_add(f, run, waiting[i], plan_pyramid(site, i));
	for (size_t a = 0; a < g->count; a++)
		TRY(few_add_group(f, run, g, a, now));
	f->p.survival = f->survival;
	f->p.weight = f->weight;
	f->p.length = f->length;
	return 0;
}

static int few_solve(struct few *f, size_t pages)
{
	struct groups g = {0};
	int rc = groups_init(&g, &(struct groups_params){.edges = f->edges.ptr,
					 .edge_count = f->edges.len,
					 .index_of = f->index_of,
					 .pages = pages,
					 .weight = f->weight,
					 .n = f->p.n});

	if (rc == 0)
		rc = groups_solve(&g, &f->p, f->waiting, true, f->page_of);
	groups_release(&g);
	return rc;
}

int run_schedule_few(
	struct plan_run *run, const struct groups *g, const uint32_t *waiting, size_t n, double now)
{
	struct waiting_line *visits = &run->worth.visits;
	struct few f;
	int rc = few_init(&f, run->pages.len, n);

	visits->head = visits->pages.len = 0;
	if (rc == 0)
		rc = few_fill(&f, run, g, waiting, now);
	if (rc == 0)
		rc = few_solve(&f, run->pages.len);
	for (size_t j = n; rc == 0 && j-- > 0;) /* the longest interval first */
		rc = u32_vec_try_push(&visits->pages, f.number[f.page_of[j]]);
	run->worth.known = run->progress.known;
	few_release(&f);
	return rc;
}

bool run_are_few(const struct plan_run *run, size_t waiting)
{
	return run->servers.len == 1 && waiting <= GROUP_FEW &&
	       run_unknown(run, &run->servers.ptr[0]) < 0.5;
}

bool run_is_scheduled(const struct plan_run *run)
{
	const struct waiting_line *visits = &run->worth.visits;

	return visits->head < visits->pages.len && run->worth.known == run->progress.known &&
	       run->worth.edges == run->groups.len;
}
