/* The response to a page: its state, its records, its links, and the outcome for the planner. */
#include <stdio.h>
#include <string.h>

#include "crawl/capture.h"
#include "crawl/comparing.h"
#include "extract/link_kind.h"
#include "http/retry_after.h"
#include "http/served.h"
#include "quality/legs.h"
#include "quality/manner.h"
#include "rate/link_set.h"

static struct attempt_times times_of(const struct net_times *t)
{
	return (struct attempt_times){
		.sent = t->sent, .first_byte = t->first_byte, .last_byte = t->last_byte};
}

/* "timeout: no answer within 30 s" */
static slice failure_of(const struct net_fetch *f, char *out, size_t size)
{
	if (f->failure == NET_FAILURE_NONE)
		return (slice){0};
	(void)snprintf(out, size, "%s%s%s", net_failure_name(f->failure), f->detail[0] ? ": " : "",
		f->detail);
	return slice_str(out);
}

/*
 * Puts the URL of the page that links to this one into text; nothing if there is none. Only the
 * visit records that, and the kind of the link; the revisit does not repeat it.
 */
static int via_of(
	const struct capture *c, const struct plan_order *order, struct buf *text, struct err *err)
{
	uint32_t via = c->pages.list.ptr[order->page].via;

	if (order->leg == PLAN_REVISIT || via == CATALOG_NO_PAGE)
		return 0;
	return pages_url(&c->pages, via, text, err);
}

static slice kind_of(const struct capture *c, const struct plan_order *order)
{
	uint8_t kind = c->pages.list.ptr[order->page].kind;

	if (order->leg == PLAN_REVISIT)
		return (slice){0};
	return slice_str(link_kind_name((enum link_kind)kind));
}

/* A page that is asked by POST is known by another URL than the one that was asked. */
static int set_post(struct capture *c, struct attempt *a, const struct net_fetch *f,
	struct buf *page, struct err *err)
{
	int rc = f->is_post ? pages_url(&c->pages, a->page, page, err) : 0;

	if (rc || !f->is_post ||
		!pages_is_post(&c->pages, a->page, buf_slice(page), &a->target, &a->post))
		return rc;
	a->url = buf_slice(page);
	a->purpose = SLICE(ATTEMPT_BY_POST);
	return 0;
}

static struct attempt describe(const struct capture *c, const struct plan_order *order,
	const struct net_fetch *f, slice via, slice failure)
{
	static const enum attempt_leg LEGS[] = {
		[PLAN_VISIT] = ATTEMPT_VISIT,
		[PLAN_REVISIT] = ATTEMPT_REVISIT,
		[PLAN_LATE] = ATTEMPT_LATE,
	};

	bool is_audit = c->looking && c->looking->purpose == REFRESH_AUDIT;
	bool has_cookies = c->pages.list.ptr[order->page].with_cookies &&
			   request_headers_has_cookies(&c->headers);
	slice gate = cookie_gate_purpose(c, order);

	return (struct attempt){
		.page = order->page,
		.capture = c->row.uuid,
		.url = f->url,
		.kind = kind_of(c, order),
		.via = via,
		.leg = c->looking ? ATTEMPT_LOOK : LEGS[order->leg],
		.purpose = is_audit      ? SLICE(LOOKING_AUDIT)
			   : gate.len    ? gate
			   : has_cookies ? SLICE(SESSIONS_COOKIES)
					 : (slice){0},
		.single = !c->looking && (!c->strategy->revisits || c->settings->single),
		.number = order->attempt,
		.wall = times_of(&f->wall),
		.clock = times_of(&f->monotonic),
		.status = f->status,
		.failure = failure,
		.truncated = f->status > 0 && (f->truncated || f->failure != NET_FAILURE_NONE),
	};
}

/*
 * Over HTTP/2 without a length, only a content coding with an end marker proves that the body is
 * complete (net.h, open_ended).
 */
static bool is_unproven(const struct net_fetch *f, const struct state_result *result)
{
	bool shows_end = f->body_size > 0 && result->coding.len > 0 && result->decoded;

	return f->open_ended && !shows_end;
}

/* Why a body is not complete although the transfer succeeded. */
static slice truncation(const struct state_result *result)
{
	if (result->fields_lost)
		return SLICE("truncated: the head has too many fields to tell where the body ends");
	return result->coding_end == CODING_CUT
		       ? SLICE("truncated: the content coding of the body is cut off or damaged")
		       : SLICE("truncated: the body does not end as its head says");
}

/* The body and what it is. */
static void set_body(
	struct attempt *a, const struct state_result *result, slice media_type, uint64_t coding)
{
	a->media_type = media_type;
	a->has_payload = true;
	a->payload = result->payload;
	a->payload_size = result->payload_size;
	a->coding = coding;
}

/* The framing and the bytes must agree that the body is complete. */
static void apply(struct attempt *a, const struct state_result *result, bool unproven)
{
	a->truncated = a->truncated || !result->whole || unproven;
	a->has_state = !a->truncated;
	a->state = result->state;
	a->close_delimited = a->has_state && result->close_delimited;
	if (unproven && !a->failure.ptr)
		a->failure = SLICE("unproven: over HTTP/2 nothing tells whether the body is whole; "
				   "the server is asked over HTTP/1.1 from now on");
	if (a->truncated && !a->failure.ptr)
		a->failure = truncation(result);
}

/* What the head says of its age and origin. served holds the texts. */
static void apply_head(struct attempt *a, const struct served *served, const struct net_fetch *f)
{
	a->modified = served->modified;
	a->etag = served->etag;
	a->age = (struct attempt_age){served->has_age, served->age};
	if (served->caches[0])
		a->caches = slice_str(served->caches);
	if (f->ip[0])
		a->address = slice_str(f->ip);
}

/* A sketch of the page's links, for rates of new ones. */
static void apply_links(struct attempt *a, const struct links *links, struct link_set *set)
{
	size_t count = 0;

	for (size_t i = 0; i < links->list.len; i++)
		count += links->list.ptr[i].kind == LINK_PAGE;
	link_set_init(set, count);
	for (size_t i = 0; i < links->list.len; i++)
		if (links->list.ptr[i].kind == LINK_PAGE)
			link_set_add(set, links->list.ptr[i].ref);
	a->links = link_set_sketch(set);
}

/* What the attempt borrows of the response. */
struct shown {
	struct served served;
	struct link_set links;
	char stand_in[STAND_IN_SIZE];
	struct deceit_signs signs;
	char deceit[DECEIT_LINE_SIZE]; /* a line of deceit_write, or of cloaking_compare */
	struct comparing_room compared;
};

/* Where the page leads browsers, as a URL. */
static void resolve_target(slice document, struct deceit_signs *s)
{
	struct url base, target;

	url_init(&base);
	url_init(&target);
	if (url_parse(&base, document, NULL, NULL) == 0 &&
		url_parse(&target, slice_str(s->target), &base, NULL) == 0 &&
		url_text(&target).len <= DECEIT_TARGET_MAX && url_is_http(&target))
		(void)snprintf(s->target, sizeof s->target, "%.*s", (int)url_text(&target).len,
			url_text(&target).ptr);
	else
		s->redirect = DECEIT_NO_REDIRECT;
	url_release(&target);
	url_release(&base);
}

/* Signs that it wants to deceive; those of error pages mean nothing. */
static void apply_deceit(
	const struct reading *r, const struct net_fetch *f, struct attempt *a, struct shown *shown)
{
	shown->signs = (struct deceit_signs){0};
	if (!r->suspects || a->status >= 300 || !a->has_state)
		return;
	deceit_judge(&r->deceit, &shown->signs);
	if (shown->signs.redirect)
		resolve_target(f->url, &shown->signs);
	deceit_write(&shown->signs, shown->deceit);
	if (shown->deceit[0])
		a->deceit = slice_str(shown->deceit);
}

#define WITHHELD \
	"withheld: the response to a login, or one that repeats a password, is not archived"

/* A response that repeats a password is as good as none. */
static void withhold(struct attempt *a, struct shown *shown)
{
	a->status = 0;
	a->truncated = false;
	a->failure = SLICE(WITHHELD);
	shown->deceit[0] = '\0';
}

/* Reads the response, and completes the attempt. */
static int read_response(struct capture *c, enum reading_for mode, const struct net_fetch *f,
	struct attempt *a, struct shown *shown, struct state_result *result, struct err *err)
{
	struct reading *reading = &c->lane->reading;
	uint32_t host = c->pages.list.ptr[a->page].host;
	bool unproven;
	int rc;

	reading->book = &c->book;
	login_watch(c, reading);
	rc = reading_read(reading, f, mode, result, err);
	if (rc == 0)
		rc = err_code(err, reading_stand_in(reading, result, f->url, shown->stand_in));
	if (rc == 0 && reading->has_secret)
		withhold(a, shown);
	if (rc || reading->has_secret)
		return rc;
	set_body(a, result, reading_field(reading, SLICE("content-type")),
		manner_coding(result->coding, reading_manner(reading)));
	unproven = is_unproven(f, result);
	apply(a, result, unproven);
	reading_served(reading, a->wall.last_byte, &shown->served);
	apply_head(a, &shown->served, f);
	if ((mode == READING_LINKS || mode == READING_TEXT) && f->status < 300 && result->whole)
		apply_links(a, &reading->links, &shown->links);
	apply_deceit(reading, f, a, shown);
	a->sign_set = STAND_IN_VERSION;
	if (shown->stand_in[0])
		a->stand_in = slice_str(shown->stand_in);
	if (unproven)
		c->rules.list.ptr[host].http1 = true;
	response_obey_retry_after(c, host, f->status);
	return 0;
}

static bool is_redirect(unsigned status)
{
	return status >= 300 && status < 400;
}

/* Statuses that may be temporary (RFC 9110 §15, RFC 6585 §4). */
static bool is_transient(unsigned status)
{
	switch (status) {
	case 408:
	case 425:
	case 429:
	case 500:
	case 502:
	case 503:
	case 504:
		return true;
	default:
		return false;
	}
}

static enum plan_outcome outcome_of(const struct attempt *a, const struct net_fetch *f)
{
	struct observation o = legs_observe(a);

	if (observation_is_usable(&o))
		return PLAN_OK;
	if (is_transient(a->status))
		return PLAN_RETRY;
	if (f->failure != NET_FAILURE_NONE)
		return net_failure_is_transient(f->failure) ? PLAN_RETRY : PLAN_FAILED;
	return a->truncated ? PLAN_RETRY : PLAN_FAILED;
}

void response_obey_retry_after(struct capture *c, uint32_t host, unsigned status)
{
	double seconds;

	if ((status == 429 || status == 503) &&
		retry_after_parse(reading_field(&c->lane->reading, SLICE("retry-after")),
			clock_realtime(c->clock), &seconds) == 0)
		hosts_retry_after(&c->hosts, host, lane_now(c->lane), seconds);
}

/* ---- the two observations ---- */

static int compare_visit(
	struct capture *c, const struct page_visit *visit, const struct attempt *a, struct err *err)
{
	double length = capture_seconds(c, a->clock.sent) - visit->end;
	bool is_same = page_visit_is_same(visit, a);
	struct page_prior prior;
	int rc = pages_prior(&c->pages, a->page, &prior, err);

	if (rc)
		return rc;
	counters_add_revisit(&c->counters, survival_at(prior.survival, length > 0 ? length : 0),
		a->status < 400 && is_same);
	c->has_differing = c->has_differing || (!is_same && a->status < 400);
	return probing_revisited(c, a, is_same, err);
}

/* The visit to compare a revisit with; *ret_has is false if a damaged catalog has none. */
static int find_visit(const struct capture *c, const struct plan_order *order,
	struct page_visit *ret, bool *ret_has, struct err *err)
{
	*ret_has = order->leg == PLAN_REVISIT && c->pages.list.ptr[order->page].visited;
	return *ret_has ? pages_visit(&c->pages, order->page, ret, err) : 0;
}

/* Whether the archive has the body already: of the page's own visit, or of any other page. */
static bool find_body(struct capture *c, const struct page_visit *visit, const struct attempt *a,
	struct attempt_original *ret)
{
	if (!a->has_payload || a->truncated)
		return false;
	if (!visit || !visit->record.text[0] || visit->coding != a->coding ||
		!digest_eq(&visit->payload, &a->payload))
		return store_find_body(&c->lane->store, a, ret);
	*ret = (struct attempt_original){.record = slice_str(visit->record.text),
		.date = visit->date,
		.url = attempt_target(a)};
	return true;
}

/*
 * Looks that found what is known already, or that and noise, are kept as compact evidence
 * (archive/compact.h), if it is wanted. Of a patch the place of the other body has to be known.
 */
static void choose_form(const struct capture *c, const struct page_visit *visit, struct attempt *a)
{
	bool is_second = a->leg == ATTEMPT_REVISIT || a->leg == ATTEMPT_LOOK;

	if (c->settings->records || !is_second || !a->has_payload || a->truncated || a->post.ptr ||
		!visit || !page_visit_is_same(visit, a))
		return;
	if (!a->is_revisit && visit->record.text[0]) {
		a->original = (struct attempt_original){.record = slice_str(visit->record.text),
			.date = visit->date,
			.url = a->url};
		a->is_compact = store_place_of(
			&c->lane->store, &visit->payload, visit->coding, &a->original);
	} else {
		a->is_compact = a->is_revisit;
	}
}

/* Whether later responses are compared with this one: a visit, or a look that shows another state.
 */
static bool is_to_compare_with(const struct attempt *a, const struct page_visit *visit)
{
	return a->leg == ATTEMPT_VISIT ||
	       (a->leg == ATTEMPT_LOOK && (!visit || !page_visit_is_same(visit, a)));
}

static int save(struct capture *c, struct attempt *a, const struct net_fetch *f,
	const struct page_visit *visit, struct warc_id *ret_record, struct err *err)
{
	struct observation shown = legs_observe(a);
	struct warc_id record = {0};
	int rc;

	a->is_revisit = find_body(c, visit, a, &a->original);
	choose_form(c, visit, a);
	rc = store_attempt(&c->lane->store, c->row.id, a, f, &record, err);
	if (ret_record)
		*ret_record = record;
	if (rc == 0 && is_to_compare_with(a, visit) && observation_is_usable(&shown)) {
		struct page_visit v = comparing_as_visit(c, a, &record);

		rc = pages_set_visit(&c->pages, a->page, &v, err);
	}
	if (rc == 0 && a->leg == ATTEMPT_LOOK)
		looking_saw(
			c, a, observation_is_usable(&shown), visit && page_visit_is_same(visit, a));
	return rc;
}

/* Discovers the links of a page that was not seen before, or has changed since. */
static int find_links(struct capture *c, const struct plan_order *order, const struct attempt *a,
	const struct net_fetch *f, const struct page_visit *v, struct err *err)
{
	struct url document;
	struct state_result again;
	bool leads_on;
	int rc = 0;

	if (f->status < 200 || f->status >= 400)
		return 0;
	if (order->leg == PLAN_REVISIT) {
		if (v && page_visit_is_same(v, a))
			return 0;
		rc = reading_read(&c->lane->reading, f, READING_LINKS, &again, err);
	}
	url_init(&document);
	if (rc == 0)
		rc = url_parse(&document, f->url, NULL, err);
	leads_on = is_redirect(f->status) &&
		   reading_field(&c->lane->reading, SLICE("location")).len > 0;
	if (rc == 0 && leads_on)
		rc = discover_redirect(c, order, &document, err);
	/* Browsers show a list of choices, and what leads nowhere. */
	if (rc == 0 && (!leads_on || f->status == 300))
		rc = discover_links(c, order->page, &document, err);
	url_release(&document);
	return rc;
}

static void report_problem(struct capture *c, const struct attempt *a)
{
	char text[ERR_TEXT_MAX];

	if (a->failure.ptr)
		(void)snprintf(text, sizeof text, "%.*s", (int)a->failure.len, a->failure.ptr);
	else if (stand_in_blocks(a->stand_in))
		(void)snprintf(text, sizeof text, "HTTP %u, blocked: %.*s", a->status,
			(int)a->stand_in.len, a->stand_in.ptr);
	else
		(void)snprintf(text, sizeof text, "HTTP %u", a->status);
	capture_problem(c, a->url, text, CAPTURE_RETRY_ADVICE);
}

/* What is to be read of the response. */
static int choose_mode(struct capture *c, const struct plan_order *order, const struct net_fetch *f,
	enum reading_for *ret, struct err *err)
{
	bool wants_text = false, dust_wants = false;
	int rc = 0;

	if (order->leg != PLAN_REVISIT)
		rc = err_code(err, traps_page_arrived(c, f, order->page, &wants_text));
	if (rc == 0 && order->leg != PLAN_REVISIT && f->status < 300)
		rc = dust_wants_text(c, order->page, &dust_wants, err);
	if (rc)
		return rc;
	c->lane->reading.gathers_forms = form_queries_are_on(c) && order->leg == PLAN_VISIT;
	c->lane->reading.suspects =
		c->settings->spam != CRAWL_SPAM_OFF && order->leg != PLAN_REVISIT;
	wants_text = cloaking_page_arrives(c, order, f->status) || wants_text || dust_wants ||
		     c->lane->reading.gathers_forms || c->steering.on;
	*ret = order->leg == PLAN_REVISIT ? READING_STATE
	       : wants_text               ? READING_TEXT
					  : READING_LINKS;
	return 0;
}

/* A block, challenge or login page: its links, or where it leads, are not the page's. */
static bool is_in_place(const struct attempt *a)
{
	return stand_in_blocks(a->stand_in);
}

/* What is known of the page that was asked for. */
struct asked {
	struct buf via;                 /* the page that links to it */
	struct buf page;                /* its URL, of a POST */
	const struct page_visit *visit; /* what to compare a revisit with, or NULL */
};

/* With the visit of this capture, or a visit with the look of an earlier one. */
static int compare(struct capture *c, const struct page_visit *visit, const struct net_fetch *f,
	struct attempt *a, struct comparing_room *room, struct err *err)
{
	if (visit)
		return comparing_look(c, visit, f, a, room, err);
	return a->leg == ATTEMPT_VISIT ? comparing_visit(c, f, a, room, err) : 0;
}

static int process(struct capture *c, const struct plan_order *order, const struct net_fetch *f,
	struct asked *asked, enum plan_outcome *ret_outcome, struct err *err)
{
	char text[sizeof f->detail + 32];
	struct attempt a =
		describe(c, order, f, buf_slice(&asked->via), failure_of(f, text, sizeof text));
	const struct page_visit *visit = asked->visit;
	struct state_result result = {0};
	struct shown shown;
	enum reading_for mode = READING_STATE;
	bool follow = true, again = false;
	int rc = choose_mode(c, order, f, &mode, err);

	shown.signs = (struct deceit_signs){0};
	if (rc == 0)
		rc = set_post(c, &a, f, &asked->page, err);
	if (rc == 0 && f->status > 0)
		rc = read_response(c, mode, f, &a, &shown, &result, err);
	if (rc)
		return rc;
	rc = login_page(c, order, &a, &again, err);
	if (rc)
		return rc;
	follow = !c->lane->reading.has_secret;
	again = again || sessions_retry(c, order, &a, visit && page_visit_is_same(visit, &a));
	*ret_outcome = again ? PLAN_RETRY : outcome_of(&a, f);
	if (*ret_outcome == PLAN_OK && f->status > 0)
		rc = compare(c, visit, f, &a, &shown.compared, err);
	if (rc == 0)
		rc = save(c, &a, f, visit, NULL, err);
	if (rc)
		return rc;
	/* In the same batch as the observation, so that the two agree. */
	rc = capture_move_still_point(c, &a) ? capture_store_row(c, err) : 0;
	if (rc == 0 && *ret_outcome == PLAN_OK && visit && !c->looking)
		rc = compare_visit(c, visit, &a, err);
	if (rc == 0 && *ret_outcome == PLAN_OK && order->leg == PLAN_VISIT)
		rc = canaries_visited(c, &a, err);
	if (again) /* what it shows is not the page */
		return rc ? rc : traps_take_deferred(c, err);
	if (rc == 0 && *ret_outcome == PLAN_OK)
		rc = sessions_visited(c, order, &a, f, err);
	if (rc == 0 && *ret_outcome == PLAN_OK && !is_in_place(&a))
		rc = cloaking_visited(c, order->page, f, err);
	if (rc == 0 && *ret_outcome == PLAN_OK && order->leg != PLAN_REVISIT && !is_in_place(&a))
		rc = dust_visited(c, &a, err);
	if (*ret_outcome != PLAN_OK)
		report_problem(c, &a);
	else if (rc == 0 && order->leg != PLAN_REVISIT)
		rc = traps_page_read(c, f, &result, mode == READING_TEXT, &follow, err);
	if (a.has_payload && c->settings->spam == CRAWL_SPAM_SKIP &&
		shown.signs.score >= DECEIT_FLAGGED)
		return rc ? rc : discover_skip_spam(c, order->page, shown.signs.score, err);
	if (rc == 0 && c->steering.on && order->leg == PLAN_VISIT && *ret_outcome == PLAN_OK &&
		mode == READING_TEXT && f->status < 300)
		rc = steering_page(c, order->page, err);
	if (rc == 0 && follow && !is_in_place(&a))
		rc = find_links(c, order, &a, f, visit, err);
	if (rc == 0 && follow && !is_in_place(&a) && *ret_outcome == PLAN_OK)
		rc = form_queries_read(c, order, f, err);
	return rc ? rc : traps_take_deferred(c, err);
}

int response_read_again(
	struct capture *c, const struct attempt *a, const struct net_fetch *f, struct err *err)
{
	struct plan_order order = {.page = a->page, .leg = PLAN_VISIT, .attempt = a->number};
	struct reading *reading = &c->lane->reading;
	struct state_result result;
	struct err problem = {0};
	int rc;

	if (is_in_place(a))
		return 0;
	reading->gathers_forms = form_queries_are_on(c) && a->leg == ATTEMPT_VISIT;
	reading->suspects = false;
	reading->book = &c->book;
	reading->sentinel = (slice){0};
	rc = reading_read(reading, f,
		reading->gathers_forms || c->steering.on ? READING_TEXT : READING_LINKS, &result,
		&problem);
	if (rc == ERR_SYNTAX) /* no HTTP head: no links either */
		return 0;
	if (rc)
		return err_copy(err, &problem);
	rc = find_links(c, &order, a, f, NULL, err);
	if (rc == 0 && reading->gathers_forms)
		rc = form_queries_read(c, &order, f, err);
	return rc ? rc : traps_take_deferred(c, err);
}

/* The last attempt at a visit failed, but an earlier one was usable: that one counts. */
static bool has_good_visit(
	const struct capture *c, const struct plan_order *order, enum plan_outcome outcome)
{
	unsigned attempts = c->settings->attempts ? c->settings->attempts : PLAN_ATTEMPTS;
	bool is_last =
		outcome == PLAN_FAILED || (outcome == PLAN_RETRY && order->attempt >= attempts);

	return order->leg == PLAN_VISIT && is_last && c->pages.list.ptr[order->page].visited;
}

int response_finished(struct capture *c, const struct plan_order *order, const struct net_fetch *f,
	enum plan_outcome *ret_outcome, struct err *err)
{
	struct page_visit visit;
	struct asked asked = {0};
	bool has_visit;
	int rc = find_visit(c, order, &visit, &has_visit, err);

	buf_init(&asked.via, URL_MAX);
	buf_init(&asked.page, URL_MAX);
	asked.visit = has_visit ? &visit : NULL;
	if (rc == 0)
		rc = via_of(c, order, &asked.via, err);
	if (rc == 0)
		rc = process(c, order, f, &asked, ret_outcome, err);
	if (rc == 0 && has_good_visit(c, order, *ret_outcome))
		*ret_outcome = PLAN_OK;
	buf_release(&asked.via);
	buf_release(&asked.page);
	return rc;
}

int response_probed(struct capture *c, const struct plan_order *order, const char *purpose,
	const struct net_fetch *f, struct err *err)
{
	char text[sizeof f->detail + 32];
	struct attempt a = {
		.page = order->page,
		.capture = c->row.uuid,
		.url = f->url,
		.leg = ATTEMPT_PROBE,
		.purpose = slice_str(purpose),
		.number = order->attempt,
		.wall = times_of(&f->wall),
		.clock = times_of(&f->monotonic),
		.status = f->status,
		.failure = failure_of(f, text, sizeof text),
		.truncated = f->status > 0 && (f->truncated || f->failure != NET_FAILURE_NONE),
	};
	bool is_cloaking = strcmp(purpose, CLOAKING_PURPOSE) == 0;
	bool is_session = strcmp(purpose, SESSIONS_PROBE) == 0;
	struct state_result result = {0};
	struct observation looked;
	struct page_visit before;
	struct warc_id record = {0};
	bool has_before = false;
	struct shown shown;
	int rc = 0;

	c->lane->reading.gathers_forms = c->lane->reading.suspects = false;
	if (f->status > 0)
		rc = read_response(
			c, is_cloaking ? READING_TEXT : READING_STATE, f, &a, &shown, &result, err);
	if (rc == 0 && is_cloaking && cloaking_compare(c, &a, shown.deceit))
		a.deceit = slice_str(shown.deceit);
	if (rc)
		return rc;
	looked = legs_observe(&a);
	if (observation_is_usable(&looked) && is_session)
		rc = sessions_before(c, &before, &has_before, err);
	else if (observation_is_usable(&looked) && !is_cloaking && strcmp(purpose, "noise") != 0)
		rc = canaries_before(c, &a, &before, &has_before, err);
	if (rc == 0 && has_before)
		rc = comparing_look(c, &before, f, &a, &shown.compared, err);
	if (rc == 0)
		rc = save(c, &a, f, NULL, &record, err);
	if (rc)
		return rc;
	before = comparing_as_visit(c, &a, &record);
	if (is_session)
		return sessions_looked(c, &a, &before, err);
	if (strcmp(purpose, "canary") != 0)
		return 0;
	return canaries_looked(c, &a, &before, observation_is_usable(&looked), err);
}

int response_skipped(
	struct capture *c, const struct plan_order *order, const char *failure, struct err *err)
{
	struct net_fetch nothing = {.spool = -1};
	struct buf url, via, page;
	slice target, post;
	int rc;

	buf_init(&url, URL_MAX);
	buf_init(&page, URL_MAX);
	buf_init(&via, URL_MAX);
	rc = pages_url(&c->pages, order->page, &url, err);
	if (rc == 0)
		rc = via_of(c, order, &via, err);
	nothing.url = buf_slice(&url);
	nothing.is_post =
		rc == 0 && pages_is_post(&c->pages, order->page, nothing.url, &target, &post);
	nothing.monotonic.last_byte = clock_monotonic(c->clock);
	nothing.wall.last_byte = nothing.monotonic.last_byte + clock_offset(c->clock);
	if (rc == 0) {
		struct attempt a =
			describe(c, order, &nothing, buf_slice(&via), slice_str(failure));

		report_problem(c, &a);
		rc = set_post(c, &a, &nothing, &page, err);
		if (rc == 0)
			rc = store_attempt(&c->lane->store, c->row.id, &a, NULL, NULL, err);
	}
	buf_release(&url);
	buf_release(&via);
	buf_release(&page);
	return rc;
}

int response_unplanned(struct capture *c, slice url, unsigned tries, const struct net_fetch *f,
	const struct state_result *result, struct err *err)
{
	char text[sizeof f->detail + 32];
	struct attempt a = {
		.page = CATALOG_NO_PAGE,
		.capture = c->row.uuid,
		.url = url,
		.leg = ATTEMPT_SIDE,
		.number = tries,
		.wall = times_of(&f->wall),
		.clock = times_of(&f->monotonic),
		.status = f->status,
		.failure = failure_of(f, text, sizeof text),
		.truncated = f->status > 0 && (f->truncated || (result && !result->whole)),
	};

	if (result)
		set_body(&a, result, reading_field(&c->lane->reading, SLICE("content-type")), 0);
	if (result && a.truncated && !a.failure.ptr)
		a.failure = truncation(result);
	return store_attempt(&c->lane->store, c->row.id, &a, f, NULL, err);
}

int response_withheld(struct capture *c, slice url, const struct net_fetch *f, struct err *err)
{
	struct attempt a = {
		.page = CATALOG_NO_PAGE,
		.capture = c->row.uuid,
		.url = url,
		.leg = ATTEMPT_SIDE,
		.number = 1,
		.wall = times_of(&f->wall),
		.clock = times_of(&f->monotonic),
		.failure = SLICE(WITHHELD),
	};

	if (login_is_secret(c, url))
		return 0; /* of such a URL nothing is kept, nor the request */
	return store_attempt(&c->lane->store, c->row.id, &a, f, NULL, err);
}
