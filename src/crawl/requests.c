#include "crawl/requests.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "crawl/capture.h"
#include "crawl/response.h"

/* ---- the table of requests ---- */

void requests_init(struct requests *q)
{
	*q = (struct requests){0};
}

void requests_release(struct requests *q)
{
	for (size_t i = 0; i < q->list.len; i++)
		free(q->list.ptr[i].url);
	request_vec_release(&q->list);
	*q = (struct requests){0};
}

int requests_take(struct requests *q, const struct request *request, size_t *ret_place)
{
	size_t place = q->list.len;

	if (q->first_free) {
		place = q->first_free - 1;
		q->first_free = q->list.ptr[place].next_free;
		q->list.ptr[place] = *request;
	} else if (request_vec_push(&q->list, *request)) {
		return ERR_NOMEM;
	}
	q->unplanned += request->kind != REQUEST_PAGE;
	*ret_place = place;
	return 0;
}

bool requests_find(const struct requests *q, uint32_t page, size_t *ret_place)
{
	for (size_t i = 0; i < q->list.len; i++) {
		const struct request *r = &q->list.ptr[i];

		if (r->kind == REQUEST_PAGE && r->order.attempt > 0 && r->order.page == page) {
			*ret_place = i;
			return true;
		}
	}
	return false;
}

void requests_free(struct requests *q, size_t place)
{
	struct request *r = &q->list.ptr[place];

	q->unplanned -= r->kind != REQUEST_PAGE;
	free(r->url);
	*r = (struct request){.next_free = q->first_free};
	q->first_free = place + 1;
}

/* ---- what happens to them ---- */

/*
 * Requests of all kinds, from the queue of their server to their response. Politeness and archiving
 * are the same for all; the table KINDS has what differs. A new kind is a row there.
 */

struct kind {
	/* Before it is sent; NULL: it always is. *ret_send false: not now, or not at all. */
	int (*check)(struct capture *c, size_t place, bool *ret_send, struct err *err);

	/*
	 * Its fetch has ended. A kind has one of the two, or its scheduler's: finished stores the
	 * attempt itself; before answered is called, the body was read whole and the attempt
	 * stored.
	 */
	int (*finished)(struct capture *c, const struct request *r, const struct net_fetch *f,
		struct err *err);
	int (*answered)(struct capture *c, const struct answer *a, struct err *err);

	/* It will not be sent; NULL: nothing is to be done then. */
	int (*dropped)(struct capture *c, const struct request *r, enum drop_reason reason,
		struct err *err);
};

/* The scheduler does not know of rules that change and of servers that are down. */
static int page_check(struct capture *c, size_t place, bool *ret_send, struct err *err)
{
	struct request r = c->requests.list.ptr[place];
	bool taken = c->pages.list.ptr[r.order.page].taken;
	bool gone = fetch_is_gone(c, r.host);
	bool stale = !r.checked_robots && robots_fetch_is_stale(c, r.host);
	int rc;

	*ret_send = taken && !gone && !stale;
	if (*ret_send)
		return 0;
	hosts_undo(&c->hosts, r.host);
	if (taken && !gone) {
		/*
		 * Fetches robots.txt again before a page. Only once for each order: if the pause
		 * between two requests is longer than robots.txt is trusted, it is always too old.
		 */
		c->requests.list.ptr[place].checked_robots = true;
		hosts_hold_first(&c->hosts, r.host, place);
		return robots_fetch(c, r.host, true, err);
	}
	rc = c->scheduler->dropped(c, &r.order, taken ? DROP_SERVER_DOWN : DROP_FORBIDDEN, err);
	requests_free(&c->requests, place);
	return rc;
}

static const struct kind KINDS[] = {
	[REQUEST_PAGE] = {.check = page_check},
	[REQUEST_ROBOTS] = {.answered = robots_fetch_answered, .dropped = robots_fetch_dropped},
	[REQUEST_SITEMAP] = {.answered = sitemaps_answered, .dropped = sitemaps_dropped},
	[REQUEST_PROBE] = {.answered = probe_answered},
	[REQUEST_DUST] = {.answered = dust_answered, .dropped = dust_dropped},
	[REQUEST_DUST_DOUBT] = {.answered = dust_doubt_answered, .dropped = dust_doubt_dropped},
	[REQUEST_LOOK] = {.check = probing_check, .finished = response_probed},
	[REQUEST_AGAIN] = {.check = probing_check},
	[REQUEST_LOGIN] = {.answered = login_answered, .dropped = login_dropped},
};

/* ---- waiting ---- */

int fetch_hold(struct capture *c, const struct request *r)
{
	size_t place;

	TRY(requests_take(&c->requests, r, &place));
	(r->first ? hosts_hold_first : hosts_hold)(&c->hosts, r->host, place);
	return 0;
}

int fetch_url(struct capture *c, slice text, const struct request *request, bool *ret_held,
	struct err *err)
{
	struct request r = *request;
	struct url url;
	int rc;

	*ret_held = false;
	if (c->stage.cancelled)
		return 0;
	url_init(&url);
	rc = url_parse(&url, text, NULL, NULL);
	if (rc == 0)
		rc = url_is_http(&url) ? capture_find_host(c, &url, &r.host) : ERR_SYNTAX;
	r.url = rc ? NULL : strndup(url_page(&url).ptr, url_page(&url).len);
	if (rc == 0)
		rc = r.url ? fetch_hold(c, &r) : ERR_NOMEM;
	url_release(&url);
	*ret_held = rc == 0;
	if (rc == 0)
		return 0;
	free(r.url);
	return rc == ERR_SYNTAX
		       ? 0
		       : err_set(err, rc, "%.*s: %s", (int)(text.len < 200 ? text.len : 200),
				 text.ptr, err_name(rc));
}

/* ---- not sent ---- */

static int drop(struct capture *c, size_t place, enum drop_reason reason, struct err *err)
{
	struct request r = c->requests.list.ptr[place];

	if (r.kind == REQUEST_PAGE)
		TRY(c->scheduler->dropped(c, &r.order, reason, err));
	else if (KINDS[r.kind].dropped)
		TRY(KINDS[r.kind].dropped(c, &r, reason, err));
	requests_free(&c->requests, place);
	return 0;
}

int fetch_drop_all(struct capture *c, struct err *err)
{
	uint64_t place;

	while (hosts_drop(&c->hosts, &place))
		TRY(drop(c, (size_t)place, DROP_CANCELLED, err));
	STAGE_SET(c, asleep, false);
	return 0;
}

bool fetch_is_down(const struct capture *c, uint32_t host)
{
	double after = c->settings->down_after > 0 ? c->settings->down_after : PACE_DOWN_AFTER;

	return pace_is_down(hosts_pace(&c->hosts, host), lane_now(c->lane), after);
}

bool fetch_is_gone(const struct capture *c, uint32_t host)
{
	return c->rules.list.ptr[host].no_name || fetch_is_down(c, host);
}

/* Drops the requests that wait for a server that is down. */
static int check_server_health(struct capture *c, uint32_t host, struct err *err)
{
	uint64_t place;
	int rc = 0;

	if (fetch_is_down(c, host))
		while (rc == 0 && (rc = lane_check_stop(c->lane, err)) == 0 &&
			hosts_drop_from(&c->hosts, host, &place))
			rc = drop(c, (size_t)place, DROP_SERVER_DOWN, err);
	return rc ? rc : robots_fetch_if_failing(c, host, err);
}

/* ---- sending ---- */

/* For cookies: seconds since 1970. */
static int64_t wall_seconds(const struct capture *c)
{
	return clock_realtime(c->clock) / CLOCK_NS_PER_SECOND;
}

int fetch_start(struct capture *c, size_t place, struct err *err)
{
	struct request r = c->requests.list.ptr[place];
	struct net_request request = {
		.tag = request_tag(c->slot, place),
		.budget = c->settings->max_bytes > 0 ? &c->counters.budget : NULL,
		.http1 = c->rules.list.ptr[r.host].http1,
		.allowed = c->allowed,
	};
	const struct polled *polled = polling_condition(c, &r);
	slice target, post;
	BUF_SCOPED(url, URL_MAX);
	bool is_wanted = true;
	int rc = 0;

	c->counters.last_change = capture_now(c);
	hosts_started(&c->hosts, r.host);
	if (KINDS[r.kind].check)
		rc = KINDS[r.kind].check(c, place, &is_wanted, err);
	if (rc || !is_wanted)
		return rc;
	if (!r.url)
		rc = pages_url(&c->pages, r.order.page, &url, err);
	request.url = r.url ? slice_str(r.url) : buf_slice(&url);
	if (!r.url && pages_is_post(&c->pages, r.order.page, request.url, &target, &post)) {
		request.url = target;
		request.post = post;
		request.http1 = true;
	}
	if (rc == 0)
		rc = request_headers_apply(&c->headers,
			&(struct request_look){
				.fresh_jar = !sessions_send(c, &r, request.url),
				.as_browser = r.purpose == PURPOSE_CLOAKING,
				.etag = polled ? polled->etag : NULL,
				.modified = polled ? polled->modified : NULL,
			},
			&request, wall_seconds(c), err);
	login_apply(c, &r, &request);
	if (rc == 0)
		rc = net_start(c->lane->net, &request, err);
	if (rc == 0 && c->scheduler->sent)
		c->scheduler->sent(c, &r);
	return rc;
}

/* ---- answers ---- */

/* No socket was free: an order goes back to the planner, any other request into its queue. */
static int put_back(struct capture *c, size_t place, struct err *err)
{
	struct request r = c->requests.list.ptr[place];

	hosts_done(&c->hosts, r.host, lane_now(c->lane), 0, PACE_UNKNOWN);
	if (r.kind == REQUEST_PAGE)
		return drop(c, place, DROP_NO_SOCKET, err);
	hosts_hold_first(&c->hosts, r.host, place);
	return 0;
}

/* The response to a login sets the session; any other may repeat the password. */
static bool is_to_withhold(const struct reading *reading, const struct request *r)
{
	return reading->has_secret || (r->kind == REQUEST_LOGIN && r->login_step == LOGIN_SENT);
}

/* Reads the body, stores the attempt and passes it on. */
static int answered(
	struct capture *c, const struct request *r, const struct net_fetch *f, struct err *err)
{
	struct reading *reading = &c->lane->reading;
	struct state_result result = {0};
	bool has_response = f->status > 0;
	int rc = 0;

	buf_reset(&reading->body);
	login_watch(c, reading);
	if (has_response)
		rc = reading_read(reading, f, READING_BODY, &result, err);
	if (rc == 0 && has_response && is_to_withhold(reading, r))
		rc = response_withheld(c, slice_str(r->url), f, err);
	else if (rc == 0 && !login_is_secret(c, slice_str(r->url)))
		rc = response_unplanned(
			c, slice_str(r->url), r->tries + 1U, f, has_response ? &result : NULL, err);
	if (rc)
		return rc;
	response_obey_retry_after(c, r->host, f->status);
	rc = KINDS[r->kind].answered(c, &(struct answer){r, f, &result, reading}, err);
	/* A sitemap may have had 64 MiB. */
	buf_release(&reading->body);
	/* Rows of many large robots.txt may come in one turn of the lane. */
	if (rc == 0 && store_due(&c->lane->store) <= 0)
		rc = store_commit(&c->lane->store, err);
	return rc;
}

/*
 * What a fetch says about its server. An invalid response is an answer, too. In a capture the
 * second failure of a page says nothing new: retries come one after the other, and would hold up
 * the barrier for hours. A watch has no barrier: every failure counts.
 */
static enum pace_outcome outcome_of(
	const struct capture *c, const struct request *r, const struct net_fetch *f)
{
	bool is_first = c->scheduler->endless || r->kind != REQUEST_PAGE || r->order.attempt == 1;

	if (f->status == 429 || f->status == 503)
		return PACE_REFUSED;
	if (f->status > 0 || f->failure == NET_FAILURE_PROTOCOL)
		return PACE_ANSWERED;
	return is_first && net_failure_is_transient(f->failure) ? PACE_FAILED : PACE_UNKNOWN;
}

int fetch_finished(struct capture *c, const struct net_fetch *f, struct err *err)
{
	size_t place = request_tag_place(f->tag);
	struct request r = c->requests.list.ptr[place];
	double seconds = 0;

	if (f->starved)
		return put_back(c, place, err);
	c->counters.last_change = capture_now(c);
	if (f->monotonic.sent)
		seconds = clock_seconds(f->monotonic.last_byte - f->monotonic.sent);
	hosts_done(&c->hosts, r.host, lane_now(c->lane), seconds, outcome_of(c, &r, f));
	if (sessions_keep(&r))
		request_headers_keep_cookies(&c->headers, f, wall_seconds(c));
	if (f->ip[0])
		hosts_set_address(&c->hosts, r.host, slice_str(f->ip));
	if (KINDS[r.kind].answered)
		TRY(answered(c, &r, f, err));
	else
		TRY((KINDS[r.kind].finished ? KINDS[r.kind].finished : c->scheduler->finished)(
			c, &r, f, err));
	requests_free(&c->requests, place);
	STAGE_SET(c, asleep, false);
	return check_server_health(c, r.host, err);
}

bool fetch_location(const struct answer *a, struct url *ret)
{
	slice location = reading_field(a->reading, SLICE("location"));
	URL_SCOPED(base);
	bool good;
	good = location.ptr && url_parse(&base, slice_str(a->request->url), NULL, NULL) == 0 &&
	       url_parse_location(ret, location, &base, NULL) == 0 && url_is_http(ret);
	return good;
}

/* ---- responses that hold up the others ---- */

/*
 * Responses that hold up the others of their capture: a page that comes very slowly, or a server
 * that accepts connections and does not answer. While such a fetch is all that happens, the barrier
 * waits for it, and every interval around the still point grows. So it is ended after a while. A
 * visit is tried once more after the other pages; if it is too slow again, its page is downloaded
 * once after the revisits.
 */

/* A large body that comes at this speed is not slow, but may not hold up the others for longer. */
static const double SPEED_MIN = 2048; /* bytes per second */
static const double PATIENCE_FAST = 600;

/* Seconds between two looks at a large body. */
static const double LOOK_INTERVAL = 1;

/* For robots.txt and sitemaps: all depends on them, and some servers generate them slowly. */
static const double PATIENCE_UNPLANNED = 60, PATIENCE_OF_LIMIT = 0.5;

static double page_patience(const struct capture *c)
{
	return counters_patience(&c->counters, capture_now(c), c->settings->time_limit);
}

static double patience_unplanned(const struct capture *c)
{
	double limit = c->settings->time_limit;

	return limit > 0 ? fmin(PATIENCE_UNPLANNED, PATIENCE_OF_LIMIT * limit) : PATIENCE_UNPLANNED;
}

/* Pages of the present leg that no order has been given for. */
static bool others_wait(const struct capture *c, const struct plan_progress *p)
{
	if (hosts_held(&c->hosts) > 0)
		return true;
	return p->leg == PLAN_VISIT ? p->visited + p->failed + p->in_flight < p->known
				    : c->stage.revisits_ordered < p->visited;
}

/* Whether anything is held up by what is under way. */
static bool is_held_up(const struct capture *c, const struct plan_progress *p)
{
	if (p->in_flight == 0 || c->stage.cancelled || !c->strategy->revisits ||
		c->settings->single)
		return false;
	if (p->leg == PLAN_VISIT)
		return p->visited > 0 || others_wait(c, p);
	return p->leg == PLAN_REVISIT && others_wait(c, p);
}

struct choice {
	const struct capture *capture;
	double patience, speed;
	bool all;              /* however fast */
	bool pages, unplanned; /* which of them */
};

static bool choose(void *context, const struct net_running *f)
{
	const struct choice *choice = context;

	const struct capture *c = choice->capture;
	double patience = choice->patience;
	enum request_kind kind;

	if (request_tag_slot(f->tag) != c->slot)
		return false;
	kind = c->requests.list.ptr[request_tag_place(f->tag)].kind;
	if (!(kind == REQUEST_PAGE ? choice->pages : choice->unplanned))
		return false;
	if (choice->all || f->seconds >= PATIENCE_FAST)
		return true;
	/* Without it nothing can be captured, so no time limit is saved by giving it up. */
	if (kind == REQUEST_ROBOTS)
		patience = PATIENCE_UNPLANNED;
	return f->seconds >= patience && (double)f->bytes < choice->speed * f->seconds;
}

void slow_check(struct capture *c)
{
	struct plan_progress p = plan_progress(c->plan);
	double quiet = capture_now(c) - c->counters.last_change;
	struct choice pages = {
		.capture = c,
		.patience = page_patience(c),
		.speed = c->settings->bandwidth
				 ? fmin(SPEED_MIN, (double)c->settings->bandwidth / 16)
				 : SPEED_MIN,
		.all = p.leg == PLAN_VISIT && p.visited > 0 && limit_wants_revisits(c),
		.pages = true,
	};
	struct choice others = {
		.capture = c,
		.patience = patience_unplanned(c),
		.speed = pages.speed,
		.unplanned = true,
	};

	if (is_held_up(c, &p) && (quiet >= pages.patience || pages.all))
		net_cancel_some(c->lane->net, choose, &pages, NET_FAILURE_SLOW,
			pages.all ? "it was not complete when the revisits had to begin"
				  : "it held up the other pages");
	if (c->requests.unplanned > 0 && !c->stage.cancelled && quiet >= others.patience)
		net_cancel_some(c->lane->net, choose, &others, NET_FAILURE_TIMEOUT,
			"it was so slow that it held up the capture");
}

void slow_cancel_all(struct capture *c)
{
	struct choice choice = {.capture = c, .all = true, .pages = true, .unplanned = true};

	net_cancel_some(c->lane->net, choose, &choice, NET_FAILURE_ABORTED, c->scheduler->given_up);
}

double slow_wait(const struct capture *c)
{
	struct plan_progress p = plan_progress(c->plan);
	bool pages = is_held_up(c, &p);
	double left;

	if (!pages && (c->requests.unplanned == 0 || c->stage.cancelled))
		return INFINITY;
	left = c->counters.last_change + (pages ? page_patience(c) : patience_unplanned(c)) -
	       capture_now(c);
	return left > 0 ? left : LOOK_INTERVAL;
}

enum plan_outcome slow_outcome(const struct capture *c, const struct plan_order *order)
{
	struct plan_progress p = plan_progress(c->plan);
	bool again = order->attempt == 1 && c->settings->attempts != 1 && !c->stage.visits_ended &&
		     others_wait(c, &p);

	if (order->leg == PLAN_REVISIT)
		return PLAN_RETRY;
	return again ? PLAN_RETRY : PLAN_PUT_OFF;
}
