/* The orders of a site under watch: asking for them, and what came of them. */
#include <math.h>

#include "crawl/capture.h"

enum {
	OUT_MORE = 4, /* orders that wait for their servers, besides two for each job */
	GONE_MAX = 2, /* what the refresh_run tells apart */
};

/* Seconds until the run is asked again although nothing happens: its server may answer then. */
static const double DOWN_INTERVAL = 5, LONGEST_WAIT = 3600;

/* Seconds that requests under way have when the lanes are to end. */
static const double DRAIN_PATIENCE = 0.5;

/* Seconds after which a site looks whether there is a ping, another budget, or an end; and for each
 * site of its lane. */
static const double PULSE = 0.25, PULSE_PER_SITE = 0.01;

static double now_of(const struct capture *c)
{
	return clock_seconds(clock_realtime(c->clock));
}

/* ---- asking ---- */

/* Seconds until a window opens; 0 within one. */
static double until_window(const struct capture *c)
{
	const struct windows *w = &c->looking->terms.windows;
	int64_t now = clock_realtime(c->lane->shared->wall) / CLOCK_NS_PER_SECOND, opening;

	if (w->count == 0)
		return 0;
	opening = windows_opening(w, now);
	return opening == INT64_MAX ? LONGEST_WAIT : (double)(opening - now);
}

/* The server of the site itself, if it is known: pages elsewhere fail one by one. */
static bool find_server(const struct capture *c, uint32_t *ret)
{
	if (c->pages.list.len == 0 || !crawl_page_has_host(&c->pages.list.ptr[0]))
		return false;
	*ret = c->pages.list.ptr[0].host;
	return true;
}

static bool is_down(const struct capture *c)
{
	uint32_t host;

	return find_server(c, &host) && fetch_is_down(c, host);
}

bool looking_is_failing(const struct capture *c)
{
	uint32_t host;

	return find_server(c, &host) && pace_is_failing(hosts_pace(&c->hosts, host));
}

static bool is_idle(const struct capture *c)
{
	return c->looking->out == 0 && c->requests.unplanned == 0 && c->rules.waiting == 0;
}

/* Nothing more is asked for: it ends when nothing is under way. */
static void check_end(struct capture *c)
{
	c->stage.ended = is_idle(c);
}

static void sleep_until(struct capture *c, double until)
{
	struct looking *l = c->looking;
	double now = now_of(c);

	l->next = fmin(fmax(until, now), now + LONGEST_WAIT);
	c->stage.asleep = true;
}

/* Nothing to do now. A watch that is made once ends here, unless only the pace holds it up. */
static void rest(struct capture *c, double until)
{
	struct looking *l = c->looking;

	sleep_until(c, until);
	if (l->once && refresh_due(l->run, now_of(c)) == 0)
		check_end(c);
}

static struct plan_order order_of(const struct capture *c, uint32_t page)
{
	return (struct plan_order){
		.page = page,
		.leg = c->pages.list.ptr[page].visited ? PLAN_REVISIT : PLAN_VISIT,
		.attempt = c->looking->pages.ptr[page].number + 1,
	};
}

/* An order that waits for its server goes first, if the page of the audit has one; one that is
 * under way is the audit as well. */
static bool hurry(struct capture *c, uint32_t page)
{
	size_t place;
	struct request *r;

	if (!requests_find(&c->requests, page, &place))
		return false;
	r = &c->requests.list.ptr[place];
	r->purpose = REFRESH_AUDIT;
	hosts_hurry(&c->hosts, r->host, place);
	return true;
}

static int carry_out(struct capture *c, const struct refresh_order *o, struct err *err)
{
	const struct crawl_page *page = &c->pages.list.ptr[o->page];
	struct request r = {
		.kind = REQUEST_PAGE,
		.host = page->host,
		.order = order_of(c, o->page),
		.purpose = (uint8_t)o->purpose,
		.first = o->purpose == REFRESH_AUDIT,
	};

	if (r.first) {
		budget_hurry(c->lane->shared->watch->budget);
		if (hurry(c, o->page))
			return 0;
	}
	c->looking->out++;
	if (fetch_is_down(c, page->host)) {
		looking_returned(c, &r.order, true);
		return 0;
	}
	return err_code(err, fetch_hold(c, &r));
}

static int ask(struct capture *c, struct err *err)
{
	struct looking *l = c->looking;
	struct refresh_order order;
	double until = INFINITY;

	if (refresh_next(l->run, now_of(c), &order, &until) == REFRESH_WAIT) {
		rest(c, until);
		return 0;
	}
	return carry_out(c, &order, err);
}

/* Enough orders wait for their servers; audits do not wait. */
static bool is_full(const struct capture *c)
{
	return c->looking->out >= 2U * c->settings->jobs + OUT_MORE;
}

/* Whether the run may be asked now; else until when not. */
static bool may_ask(struct capture *c)
{
	struct looking *l = c->looking;
	double closed = until_window(c), now = now_of(c);
	bool down = is_down(c);

	if (c->stage.ended || (is_full(c) && refresh_audit_at(l->run) > now))
		return false;
	if (closed > 0 || down) {
		rest(c, now + (closed > 0 ? closed : DOWN_INTERVAL));
		if (l->once)
			check_end(c);
		return false;
	}
	return !c->stage.asleep || fmin(l->next, refresh_audit_at(l->run)) <= now;
}

/* Sitemaps and feeds wait for windows and servers as pages do. */
static bool may_poll(const struct capture *c)
{
	return !c->stage.ended && !atomic_load(&c->lane->shared->watch->drain) &&
	       until_window(c) <= 0 && !is_down(c);
}

/*
 * The lanes are to end, and all sites wait for it: a server that does not answer must not hold up
 * the others. Pages that wait for its robots.txt, and what is given up, are asked for again when
 * the site is opened anew.
 */
static int drain(struct capture *c, struct err *err)
{
	struct looking *l = c->looking;
	int rc = fetch_drop_all(c, err);

	if (l->drained == 0)
		l->drained = now_of(c) + DRAIN_PATIENCE;
	if (rc == 0 && now_of(c) >= l->drained)
		slow_cancel_all(c);
	sleep_until(c, l->drained);
	c->stage.ended = l->out == 0 && c->requests.unplanned == 0;
	return rc;
}

int looking_dispatch(struct capture *c, struct err *err)
{
	bool is_draining = atomic_load(&c->lane->shared->watch->drain);
	int rc = is_draining ? drain(c, err) : robots_fetch_due(c, err);

	if (rc == 0)
		rc = looking_adopt(c, err);
	if (rc == 0)
		rc = looking_weigh(c, err);
	if (rc == 0)
		rc = looking_hear(c, err);
	if (rc == 0 && may_poll(c))
		rc = polling_dispatch(c, err);
	while (rc == 0 && !atomic_load(&c->lane->shared->watch->drain) && may_ask(c)) {
		rc = lane_check_stop(c->lane, err);
		c->stage.asleep = false;
		if (rc == 0)
			rc = ask(c, err);
		if (rc == 0)
			rc = lane_start_ready(c->lane, err);
	}
	if (rc == 0 && c->stage.ended && c->looking->once)
		rc = looking_renew(c, err);
	looking_report(c, c->stage.ended);
	return rc ? rc : polling_store_pings(c, err);
}

double looking_pulse(const struct capture *c)
{
	return fmax(PULSE, PULSE_PER_SITE * (double)c->lane->captures.len);
}

double looking_wait(const struct capture *c)
{
	const struct looking *l = c->looking;
	double next = is_full(c) ? fmax(l->next, refresh_audit_at(l->run)) : l->next;
	double wait = fmax(0, next - now_of(c));

	wait = fmin(wait, looking_pulse(c));
	return may_poll(c) ? fmin(wait, polling_wait(c)) : wait;
}

/* ---- what came of them ---- */

static void report_done(struct capture *c, const struct plan_order *order,
	enum refresh_purpose purpose, const struct refresh_look *look)
{
	struct looking *l = c->looking;

	l->out--;
	c->stage.asleep = false;
	refresh_done(l->run, &(struct refresh_order){order->page, purpose}, look);
}

void looking_returned(struct capture *c, const struct plan_order *order, bool is_down_now)
{
	struct refresh_look look = {
		.outcome = is_down_now ? REFRESH_FAILED : REFRESH_RETURNED, .time = now_of(c)};

	report_done(c, order, REFRESH_LOOK, &look);
	if (is_down_now) /* nothing was sent */
		refresh_spend(c->looking->run, -1);
}

/* The page's rate after a look, and what else is known of it. */
static void learn(struct looking *l, uint32_t page, const struct attempt *a, bool is_same)
{
	struct looked *k = &l->pages.ptr[page];
	bool is_gone = a->status == 404 || a->status == 410;
	int64_t begin = a->wall.sent ? a->wall.sent : a->wall.last_byte;

	if (k->last && !is_gone && !k->gone)
		site_rates_observe(&l->rates, &k->memory,
			(struct rate_interval){
				.length = clock_seconds(begin - k->last), .changed = !is_same});
	if (k->last && looking_crossed(l, clock_seconds(k->last), clock_seconds(begin)))
		k->enclosing = (float)clock_seconds(begin - k->last);
	l->changes += k->last && !is_same;
	k->gone = !is_gone ? 0 : k->gone < GONE_MAX ? (uint8_t)(k->gone + 1) : GONE_MAX;
	k->last = a->wall.last_byte;
	l->outcome = is_gone ? REFRESH_GONE : is_same ? REFRESH_SAME : REFRESH_CHANGED;
}

void looking_saw(struct capture *c, const struct attempt *a, bool is_usable, bool is_same)
{
	struct looking *l = c->looking;

	l->looks++;
	l->pages.ptr[a->page].number = a->number;
	l->outcome = REFRESH_FAILED;
	if (is_usable)
		learn(l, a->page, a, is_same);
}

/* A feed may be a page, too: when a look found it changed, what it announces is asked for. */
static int note_feed(struct capture *c, uint32_t page, struct err *err)
{
	struct buf url;
	int rc;

	if (c->looking->outcome != REFRESH_CHANGED || c->sitemaps.feeds == 0)
		return 0;
	buf_init(&url, URL_MAX);
	rc = pages_url(&c->pages, page, &url, err);
	if (rc == 0)
		(void)polling_hurry(c, buf_slice(&url));
	buf_release(&url);
	return rc;
}

int looking_finished(
	struct capture *c, const struct request *r, const struct net_fetch *f, struct err *err)
{
	struct looking *l = c->looking;
	size_t known = c->pages.taken;
	struct refresh_look look;
	enum plan_outcome ignored;
	int rc;

	l->outcome = REFRESH_FAILED;
	l->purpose = (enum refresh_purpose)r->purpose;
	rc = response_finished(c, &r->order, f, &ignored, err);
	if (rc)
		return rc;
	looking_fit(c);
	look = (struct refresh_look){
		.outcome = l->outcome,
		.time = now_of(c),
		.rate = looking_rate(c, r->order.page),
		.born = (uint32_t)(c->pages.taken > known ? c->pages.taken - known : 0),
	};
	report_done(c, &r->order, l->purpose, &look);
	if (l->once) /* and never again, until looking_renew */
		refresh_withdraw(l->run, r->order.page);
	return note_feed(c, r->order.page, err);
}

static int64_t wall_seconds(int64_t wall)
{
	return wall / CLOCK_NS_PER_SECOND;
}

void looking_sent(struct capture *c, const struct request *r)
{
	c->looking->requests++;
	budget_spend(c->lane->shared->watch->budget, clock_realtime(c->clock));
	if (r->kind != REQUEST_PAGE)
		refresh_spend(c->looking->run, 1);
}

/* ---- after a restart ---- */

void looking_count(struct capture *c, const struct attempt *a)
{
	struct looking *l = c->looking;

	if (!a->wall.sent)
		return;
	if (l->counts)
		budget_count(c->lane->shared->watch->budget, wall_seconds(a->wall.sent));
	if (wall_seconds(a->wall.sent) > l->sent)
		l->sent = wall_seconds(a->wall.sent);
}

void looking_carry_over(struct capture *c, int64_t now, double surplus)
{
	struct looking *l = c->looking;

	if (l->sent)
		refresh_accrue(
			l->run, (budget_idle(l->sent, now) + surplus) * l->terms.budget, l->once);
}

/* As refresh_done judges an audit. */
static void restore_audit(struct looked *k, bool is_usable, bool is_same)
{
	if ((k->last && !is_usable) || k->audits == UINT8_MAX)
		return;
	k->audits++;
	k->fresh = (uint8_t)(k->fresh + (k->last && is_same));
}

int looking_restore(
	struct capture *c, const struct attempt *a, bool is_usable, bool is_same, struct err *err)
{
	struct looking *l = c->looking;
	int rc = 0;

	if (a->page == CATALOG_NO_PAGE || a->leg != ATTEMPT_LOOK)
		return 0;
	rc = looking_reserve(c, a->page);
	if (rc == 0)
		rc = looking_start_rates(c, a->page, err);
	if (rc)
		return rc;
	if (slice_eq(a->purpose, SLICE(LOOKING_AUDIT)))
		restore_audit(&l->pages.ptr[a->page], is_usable, is_same);
	looking_saw(c, a, is_usable, is_same);
	return 0;
}
