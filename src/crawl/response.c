#include "crawl/response.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/word.h"
#include "crawl/capture.h"
#include "formats/http_date.h"
#include "formats/http_message.h"
#include "formats/links.h"
#include "plan/link_set.h"
#include "proof/legs.h"
#include "proof/noise_rules.h"
#include "proof/verdict.h"

/* ---- comparing ---- */

/* Constant: compared within one process only. */
static const struct hash_key TYPE_KEY = {0x5354494c4c504f49, 0x4e542d5459504553};

static uint64_t comparing_type(const struct attempt *a)
{
	return hash_bytes(TYPE_KEY, a->media_type);
}

static bool is_whole_page(const struct attempt *a)
{
	return a->has_state && !a->truncated && a->status >= 200 && a->status < 300 &&
	       !a->stand_in.ptr;
}

/*
 * Whether the response that was read last can be compared with others; *ret_plain: nothing but its
 * type counts of its head.
 */
static bool may_compare(const struct capture *c, const struct attempt *a, bool *ret_plain)
{
	const struct fields *head = state_fields(c->lane->reading.state);
	unsigned types = 0, others = 0;

	for (size_t i = 0; i < head->items.len; i++) {
		types += word_is(head->items.ptr[i].name, SLICE("Content-Type"));
		others += state_head_counts(head->items.ptr[i].name);
	}
	*ret_plain = others == 0;
	return is_whole_page(a) && types == 1;
}

/* The earlier body may be in the record of another page, whose head is not that of the look. */
static int read_before(struct capture *c, const struct page_visit *before, struct attempt *of,
	struct look *ret, struct err *err)
{
	struct look_source from = {.warc_dir = c->lane->directory->warc};
	struct attempt_original place = {0};
	int rc;

	if (!store_place_of(&c->lane->store, &before->payload, before->coding, &place))
		return ERR_NOTFOUND;
	*of = (struct attempt){.warc = place.file,
		.offset = place.offset,
		.wall.sent = before->date,
		.record_id = slice_str(before->own.text)};
	rc = look_read(ret, &from, of, err);
	if (rc != ERR_SYNTAX || !before->is_plain)
		return rc;
	look_release(ret);
	*err = (struct err){0};
	of->record_id = (slice){0};
	rc = look_read(ret, &from, of, err);
	if (rc == 0) {
		/* What is_plain says of the look's own head. */
		ret->status = before->status;
		ret->types = 1;
		ret->close_delimited = false;
		buf_reset(&ret->location);
		buf_reset(&ret->head);
	}
	return rc;
}

/*
 * Completes an attempt that has been read (rule_set, rules, masked, class, compared). Nothing
 * happens where the two cannot be compared here: when the capture ends, that is tried again
 * (proof/learning.h). 0, ERR_NOMEM, ERR_STOPPED.
 */
static SP_MUST_CHECK int comparing_look(struct capture *c, const struct page_visit *before,
	const struct net_fetch *f, struct attempt *a, struct comparing_room *room, struct err *err)
{
	struct same_key now = same_key_of(a);
	struct pair_terms terms = {.url = a->url, .book = &c->book};
	struct look then = {0}, look = {0};
	struct attempt of;
	struct pair pair = {0};
	bool is_plain;
	int rc;

	if (c->settings->bytes_only || !before->own.text[0] || !may_compare(c, a, &is_plain) ||
		before->type != comparing_type(a) || same_compare(&before->key, &now) != SAME_NOT)
		return 0;
	rc = read_before(c, before, &of, &then, err);
	if (rc == 0)
		rc = look_take(&look,
			&(struct look_message){.head = f->head,
				.body = f->body,
				.spool = f->spool,
				.size = f->body_size,
				.is_framed =
					slice_starts_with(slice_str(f->protocol), SLICE("h2"))},
			a, err);
	if (rc == 0)
		rc = err_code(err, pair_compare(&then, &look, &terms, &pair));
	if (rc == 0 && pair.same_heads && !pair.doubt) {
		room->compared = before->own;
		a->compared = slice_str(room->compared.text);
		a->rule_set = NOISE_RULES_VERSION;
		pair_describe(&pair, room->rules, &a->masked);
		a->rules = slice_str(room->rules);
		a->has_class = pair.explained && pair.proof.duties.len == 0;
		if (a->has_class)
			a->class = *same_class(&before->key);
		else
			a->masked = 0;
	}
	pair_release(&pair);
	look_release(&then);
	look_release(&look);
	if (rc && rc != ERR_NOMEM && rc != ERR_STOPPED) {
		*err = (struct err){0};
		return 0;
	}
	return rc;
}

/* A response that was read last and stored, for comparing later ones with it. */
static struct page_visit comparing_as_visit(
	const struct capture *c, const struct attempt *a, const struct warc_id *record)
{
	bool is_plain, may = may_compare(c, a, &is_plain);
	struct page_visit v = {
		.key = same_key_of(a),
		.payload = a->payload,
		.coding = a->coding,
		.type = comparing_type(a),
		.status = (uint16_t)a->status,
		.is_plain = may && is_plain && !a->close_delimited,
		.date = a->wall.sent,
		.own = *record,
		.end = capture_seconds(c, a->clock.last_byte),
	};

	if (!a->is_revisit) { /* no record refers to a revisit record */
		v.record = *record;
	} else if (slice_eq(a->original.url, attempt_target(a)) &&
		   a->original.record.len < sizeof v.record.text) {
		memcpy(v.record.text, a->original.record.ptr, a->original.record.len);
		v.date = a->original.date;
	}
	return v;
}

struct page_visit comparing_restored(const struct attempt *a, double end)
{
	struct page_visit v = {
		.key = same_key_of(a),
		.payload = a->payload,
		.type = comparing_type(a),
		.status = (uint16_t)a->status,
		.coding = a->coding,
		.date = a->wall.sent,
		.end = end,
	};

	if (a->record_id.ptr && a->record_id.len < sizeof v.own.text)
		memcpy(v.own.text, a->record_id.ptr, a->record_id.len);
	if (!a->is_revisit)
		v.record = v.own;
	return v;
}

int response_restored(struct capture *c, const struct attempt *a, struct err *err)
{
	/* Only wall times outlive the process; the planner's clock is 0 when the capture begins. */
	struct page_visit v =
		comparing_restored(a, clock_seconds(a->wall.last_byte - c->row.started));

	return pages_set_visit(&c->pages, a->page, &v, err);
}

/* ---- responses ---- */

/* The response to a page: its state, its records, its links, and the outcome for the planner. */

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
	if (f->is_post)
		TRY(pages_url(&c->pages, a->page, page, err));
	if (!f->is_post ||
		!pages_is_post(&c->pages, a->page, buf_slice(page), &a->target, &a->post))
		return 0;
	a->url = buf_slice(page);
	a->purpose = attempt_purpose_word(PURPOSE_POST);
	return 0;
}

static struct attempt describe(const struct capture *c, const struct plan_order *order,
	bool is_audit, const struct net_fetch *f, slice via, slice failure)
{
	bool has_cookies = c->pages.list.ptr[order->page].with_cookies &&
			   request_headers_has_cookies(&c->headers);
	slice gate = cookie_gate_purpose(c, order);

	return (struct attempt){
		.page = order->page,
		.capture = c->row.uuid,
		.url = f->url,
		.kind = kind_of(c, order),
		.via = via,
		.leg = c->scheduler->legs[order->leg],
		.purpose = is_audit      ? attempt_purpose_word(PURPOSE_AUDIT)
			   : gate.len    ? gate
			   : has_cookies ? attempt_purpose_word(PURPOSE_COOKIES)
					 : (slice){0},
		.single = !c->scheduler->endless && (!c->strategy->revisits || c->settings->single),
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

/* What the attempt borrows of the response. */
struct attempt_room {
	struct served served;
	struct link_set links;
	char stand_in[STAND_IN_SIZE];
	struct deceit_signs signs;
	char deceit[DECEIT_LINE_SIZE]; /* a line of deceit_write, or of cloaking_compare */
	struct comparing_room compared;
};

#define WITHHELD \
	"withheld: the response to a login, or one that repeats a password, is not archived"

/* Reads the response, and completes the attempt. */
static int read_response(struct capture *c, enum reading_for mode, const struct net_fetch *f,
	struct attempt *a, struct attempt_room *shown, struct state_result *result, struct err *err)
{
	struct reading *reading = &c->lane->reading;
	uint32_t host = c->pages.list.ptr[a->page].host;
	bool unproven;

	reading->book = &c->book;
	login_watch(c, reading);
	TRY(reading_read(reading, f, mode, result, err));
	TRY(err_code(err, reading_stand_in(reading, result, f->url, shown->stand_in)));
	if (reading->has_secret) {
		/* A response that repeats a password is as good as none. */
		a->status = 0;
		a->truncated = false;
		a->failure = SLICE(WITHHELD);
		shown->deceit[0] = '\0';
		return 0;
	}
	set_body(a, result, reading_field(reading, SLICE("content-type")),
		manner_coding(result->coding, reading_manner(reading)));
	unproven = is_unproven(f, result);
	/* The framing and the bytes must agree that the body is complete. */
	a->truncated = a->truncated || !result->whole || unproven;
	a->has_state = !a->truncated;
	a->state = result->state;
	a->close_delimited = a->has_state && result->close_delimited;
	if (unproven && !a->failure.ptr)
		a->failure = SLICE("unproven: over HTTP/2 nothing tells whether the body is whole; "
				   "the server is asked over HTTP/1.1 from now on");
	if (a->truncated && !a->failure.ptr)
		a->failure = truncation(result);
	reading_served(reading, a->wall.last_byte, &shown->served);
	/* What the head says of its age and origin. served holds the texts. */
	a->modified = shown->served.modified;
	a->etag = shown->served.etag;
	a->age = (struct attempt_age){shown->served.has_age, shown->served.age};
	if (shown->served.caches[0])
		a->caches = slice_str(shown->served.caches);
	if (f->ip[0])
		a->address = slice_str(f->ip);
	if ((mode == READING_LINKS || mode == READING_TEXT) && f->status < 300 && result->whole) {
		size_t count = 0;

		/* A sketch of the page's links, for rates of new ones. */
		for (size_t i = 0; i < reading->links.list.len; i++)
			count += reading->links.list.ptr[i].kind == LINK_PAGE;
		link_set_init(&shown->links, count);
		for (size_t i = 0; i < reading->links.list.len; i++)
			if (reading->links.list.ptr[i].kind == LINK_PAGE)
				link_set_add(&shown->links, reading->links.list.ptr[i].ref);
		a->links = link_set_sketch(&shown->links);
	}
	/* Signs that it wants to deceive; those of error pages mean nothing. */
	shown->signs = (struct deceit_signs){0};
	if (reading->suspects && a->status < 300 && a->has_state) {
		deceit_judge(&reading->deceit, &shown->signs);
		if (shown->signs.redirect) {
			URL_SCOPED(base);
			URL_SCOPED(target);

			/* Where the page leads browsers, as a URL. */
			if (url_parse(&base, f->url, NULL, NULL) == 0 &&
				url_parse(&target, slice_str(shown->signs.target), &base, NULL) ==
					0 &&
				url_text(&target).len <= DECEIT_TARGET_MAX && url_is_http(&target))
				(void)snprintf(shown->signs.target, sizeof shown->signs.target,
					"%.*s", (int)url_text(&target).len, url_text(&target).ptr);
			else
				shown->signs.redirect = DECEIT_NO_REDIRECT;
		}
		deceit_write(&shown->signs, shown->deceit);
		if (shown->deceit[0])
			a->deceit = slice_str(shown->deceit);
	}
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

/* Whether later responses are compared with this one: a visit, or a look that shows another state.
 */
static bool is_to_compare_with(const struct attempt *a, const struct page_visit *visit)
{
	return a->leg == ATTEMPT_VISIT ||
	       (a->leg == ATTEMPT_LOOK && (!visit || !page_visit_is_same(visit, a)));
}

static int save(struct capture *c, struct attempt *a, const struct net_fetch *f,
	const struct page_visit *visit, struct reading_signs signs, struct warc_id *ret_record,
	struct err *err)
{
	struct observation shown = legs_observe(a);
	struct warc_id record = {0};
	int rc;

	a->is_revisit = find_body(c, visit, a, &a->original);
	bool is_second = a->leg == ATTEMPT_REVISIT || a->leg == ATTEMPT_LOOK;

	/*
	 * Looks that found what is known already, or that and noise, are kept as compact evidence
	 * (warc/compact.h), if it is wanted. Of a patch the place of the other body has to be
	 * known.
	 */
	if (c->settings->compact && is_second && a->has_payload && !a->truncated && !a->post.ptr &&
		visit && page_visit_is_same(visit, a)) {
		if (!a->is_revisit && page_visit_has_body(visit)) {
			a->original =
				(struct attempt_original){.record = slice_str(visit->record.text),
					.date = visit->date,
					.url = a->url};
			a->is_compact = store_place_of(
				&c->lane->store, &visit->payload, visit->coding, &a->original);
		} else {
			a->is_compact = a->is_revisit;
		}
	}
	rc = store_attempt(&c->lane->store, c->row.id, a, f, &record, err);
	if (ret_record)
		*ret_record = record;
	if (rc == 0 && is_to_compare_with(a, visit) && observation_is_usable(&shown)) {
		struct page_visit v = comparing_as_visit(c, a, &record);

		v.signs = signs;
		rc = pages_set_visit(&c->pages, a->page, &v, err);
	}
	return rc;
}

/* Discovers the links of a page that was not seen before, or has changed since. */
static int find_links(struct capture *c, const struct plan_order *order, const struct attempt *a,
	const struct net_fetch *f, const struct page_visit *v, bool are_read, struct err *err)
{
	const struct url *document;
	struct state_result again;
	bool leads_on;

	if (f->status < 200 || f->status >= 400)
		return 0;
	if (!are_read) {
		if (v && page_visit_is_same(v, a))
			return 0;
		TRY(reading_read(&c->lane->reading, f, READING_LINKS, &again, err));
	}
	document = reading_url(&c->lane->reading, f->url);
	if (!document)
		return err_set(err, ERR_SYNTAX, "a page's own URL cannot be read");
	leads_on = is_redirect(f->status) &&
		   reading_field(&c->lane->reading, SLICE("location")).len > 0;
	if (leads_on)
		TRY(discover_redirect(c, order, document, err));
	/* Browsers show a list of choices, and what leads nowhere. */
	if (!leads_on || f->status == 300)
		TRY(discover_links(c, order->page, document, err));
	return 0;
}

/* nginx answers 400 (Bad Request) to who has no certificate, IIS 403. */
static bool is_for_certified(const struct net_fetch *f)
{
	return f->wants_cert && (f->status == 400 || f->status == 403);
}

static void report_problem(struct capture *c, const struct attempt *a, const struct net_fetch *f)
{
	char text[ERR_TEXT_MAX];

	if (a->failure.ptr)
		(void)snprintf(text, sizeof text, "%.*s", (int)a->failure.len, a->failure.ptr);
	else if (stand_in_blocks(a->stand_in))
		(void)snprintf(text, sizeof text, "HTTP %u, blocked: %.*s", a->status,
			(int)a->stand_in.len, a->stand_in.ptr);
	else
		(void)snprintf(text, sizeof text, "HTTP %u%s", a->status,
			is_for_certified(f) ? ": " NET_NO_CERTIFICATE : "");
	capture_problem(c, a->url, text, CAPTURE_RETRY_ADVICE);
}

/* A block, challenge or login page: its links, or where it leads, are not the page's. */
static bool is_in_place(const struct attempt *a)
{
	return stand_in_blocks(a->stand_in);
}

/* Reads the response and compares it with the visit, or a visit with the look before. */
static int read_page(struct capture *c, struct arrival *p, struct err *err)
{
	const struct plan_order *order = p->order;
	const struct net_fetch *f = p->fetch;
	struct reading *reading = p->reading;
	const struct page_visit *visit = p->visit;
	struct attempt *a = &p->a;
	struct reading_known known = {0};
	bool wants_text = false;
	int rc = 0;

	for (const struct crawl_feature *x = CRAWL_FEATURES; x->name; x++)
		if (x->wants)
			TRY(x->wants(c, p, &wants_text, err));
	reading->suspects = c->settings->spam != CRAWL_SPAM_OFF && order->leg != PLAN_REVISIT;
	p->mode = order->leg == PLAN_REVISIT ? READING_STATE
		  : wants_text               ? READING_TEXT
					     : READING_LINKS;
	if (visit)
		known = (struct reading_known){visit->payload, visit->coding, visit->signs};
	reading->known = &known;
	if (f->status > 0)
		rc = read_response(c, p->mode, f, a, p->room, &p->result, err);
	reading->known = NULL;
	TRY(rc);
	if (f->status > 0)
		p->signs = reading_signs(reading);
	TRY(login_page(c, p, &p->again, err));
	p->follow = !reading->has_secret;
	p->again = p->again || sessions_retry(c, order, a, visit && page_visit_is_same(visit, a));
	p->outcome = p->again ? PLAN_RETRY : outcome_of(a, f);
	if (p->outcome != PLAN_OK || f->status == 0)
		return 0;
	if (visit)
		TRY(comparing_look(c, visit, f, a, &p->room->compared, err));
	else if (a->leg == ATTEMPT_VISIT) {
		struct page_visit before;

		/*
		 * Compares a visit with the look of an earlier capture, if there is one: noise is
		 * no change from capture to capture either. As comparing_look; what differs
		 * otherwise is not recorded.
		 */
		if (earlier_has_look(c, a->page)) {
			TRY(pages_earlier(&c->pages, a->page, &before, err));
			TRY(comparing_look(c, &before, f, a, &p->room->compared, err));
			if (!a->has_class) {
				a->rule_set = 0;
				a->rules = a->compared = (slice){0};
			}
		}
	}
	/* Rates of new links need those of every look that found a change. */
	if (c->scheduler->endless && visit && !page_visit_is_same(visit, a)) {
		p->mode = READING_LINKS;
		TRY(read_response(c, p->mode, f, a, p->room, &p->result, err));
	}
	return 0;
}

/* Its records, and what goes into the same batch as the observation, so that they agree. */
static int save_page(struct capture *c, struct arrival *p, struct err *err)
{
	const struct page_visit *visit = p->visit;
	struct attempt *a = &p->a;

	TRY(save(c, a, p->fetch, visit, p->signs, NULL, err));
	if (capture_move_still_point(c, a))
		capture_store_row(c);
	return c->scheduler->stored(c, p, err);
}

/* What the page that came tells of its site. */
static int learn(struct capture *c, struct arrival *p, struct err *err)
{
	const struct plan_order *order = p->order;
	const struct net_fetch *f = p->fetch;
	bool has_text = p->mode == READING_TEXT;

	if (p->outcome != PLAN_OK) {
		report_problem(c, &p->a, f);
	} else {
		for (const struct crawl_feature *x = CRAWL_FEATURES; x->name; x++)
			if (x->visited)
				TRY(x->visited(c, p, err));
		if (order->leg != PLAN_REVISIT)
			TRY(traps_page_read(c, p, &p->follow, err));
	}
	if (p->a.has_payload && c->settings->spam == CRAWL_SPAM_SKIP &&
		p->room->signs.score >= DECEIT_FLAGGED) {
		p->follow = false;
		discover_skip_spam(c, order->page, p->room->signs.score);
	} else if (p->outcome == PLAN_OK && has_text && c->steering.on &&
		   order->leg == PLAN_VISIT && f->status < 300) {
		steering_page(c, order->page, &p->reading->text);
	}
	return 0;
}

/* Where it leads. */
static int follow(struct capture *c, const struct arrival *p, struct err *err)
{
	const struct net_fetch *f = p->fetch;

	if (!p->follow || is_in_place(&p->a))
		return 0;
	TRY(find_links(c, p->order, &p->a, f, p->visit, p->mode != READING_STATE, err));
	return p->outcome == PLAN_OK ? form_queries_read(c, p->order, p->reading, f, err) : 0;
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
	rc = find_links(c, &order, a, f, NULL, true, err);
	if (rc == 0 && reading->gathers_forms)
		rc = form_queries_read(c, &order, reading, f, err);
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

int response_finished(struct capture *c, const struct request *r, const struct net_fetch *f,
	enum plan_outcome *ret_outcome, struct err *err)
{
	const struct plan_order *order = &r->order;
	char failure[sizeof f->detail + 32];
	BUF_SCOPED(via, URL_MAX);
	BUF_SCOPED(page, URL_MAX);
	struct attempt_room room;
	struct page_visit visit;
	struct arrival p = {.order = order,
		.fetch = f,
		.reading = &c->lane->reading,
		.room = &room,
		.follow = true};

	room.signs = (struct deceit_signs){0};
	/* A damaged catalog may have none. */
	if (order->leg == PLAN_REVISIT && c->pages.list.ptr[order->page].visited) {
		TRY(pages_visit(&c->pages, order->page, &visit, err));
		p.visit = &visit;
	}
	TRY(via_of(c, order, &via, err));
	p.a = describe(c, order, r->refresh == REFRESH_AUDIT, f, buf_slice(&via),
		failure_of(f, failure, sizeof failure));
	TRY(set_post(c, &p.a, f, &page, err));
	TRY(read_page(c, &p, err));
	TRY(save_page(c, &p, err));
	if (!p.again) { /* what it shows is the page */
		TRY(learn(c, &p, err));
		TRY(follow(c, &p, err));
	}
	TRY(traps_take_deferred(c, err));
	*ret_outcome = has_good_visit(c, order, p.outcome) ? PLAN_OK : p.outcome;
	return 0;
}

int response_probed(
	struct capture *c, const struct request *r, const struct net_fetch *f, struct err *err)
{
	char text[sizeof f->detail + 32];
	struct attempt a = {
		.page = r->order.page,
		.capture = c->row.uuid,
		.url = f->url,
		.leg = ATTEMPT_PROBE,
		.purpose = attempt_purpose_word(r->purpose),
		.number = r->order.attempt,
		.wall = times_of(&f->wall),
		.clock = times_of(&f->monotonic),
		.status = f->status,
		.failure = failure_of(f, text, sizeof text),
		.truncated = f->status > 0 && (f->truncated || f->failure != NET_FAILURE_NONE),
	};
	struct reading *reading = &c->lane->reading;
	bool is_cloaking = r->purpose == PURPOSE_CLOAKING;
	bool is_session = r->purpose == PURPOSE_SESSION;
	struct state_result result = {0};
	struct observation looked;
	struct page_visit before;
	struct warc_id record = {0};
	bool has_before = false;
	struct attempt_room shown;

	reading->gathers_forms = reading->suspects = false;
	if (f->status > 0)
		TRY(read_response(c, is_cloaking ? READING_TEXT : READING_STATE, f, &a, &shown,
			&result, err));
	if (is_cloaking && cloaking_compare(c, &a, &reading->text, shown.deceit))
		a.deceit = slice_str(shown.deceit);
	looked = legs_observe(&a);
	if (observation_is_usable(&looked) && is_session)
		TRY(sessions_before(c, &before, &has_before, err));
	else if (observation_is_usable(&looked) && !is_cloaking && r->purpose != PURPOSE_NOISE)
		TRY(canaries_before(c, &a, &before, &has_before, err));
	if (has_before)
		TRY(comparing_look(c, &before, f, &a, &shown.compared, err));
	TRY(save(c, &a, f, NULL, (struct reading_signs){0}, &record, err));
	before = comparing_as_visit(c, &a, &record);
	if (is_session)
		return sessions_looked(c, &a, &before, err);
	if (r->purpose != PURPOSE_CANARY)
		return 0;
	return canaries_looked(c, &a, &before, observation_is_usable(&looked), err);
}

int response_skipped(struct capture *c, const struct plan_order *order,
	enum attempt_failure failure, const char *why, struct err *err)
{
	char text[ERR_TEXT_MAX];
	struct net_fetch nothing = {.spool = -1};
	BUF_SCOPED(page, URL_MAX);
	BUF_SCOPED(via, URL_MAX);
	BUF_SCOPED(url, URL_MAX);
	slice target, post;
	int rc;
	rc = pages_url(&c->pages, order->page, &url, err);
	if (rc == 0)
		rc = via_of(c, order, &via, err);
	nothing.url = buf_slice(&url);
	nothing.is_post =
		rc == 0 && pages_is_post(&c->pages, order->page, nothing.url, &target, &post);
	(void)snprintf(text, sizeof text, "%s: %s", attempt_failure_word(failure).ptr, why);
	nothing.monotonic.last_byte = clock_monotonic(c->clock);
	nothing.wall.last_byte = nothing.monotonic.last_byte + clock_offset(c->clock);
	if (rc == 0) {
		struct attempt a =
			describe(c, order, false, &nothing, buf_slice(&via), slice_str(text));

		report_problem(c, &a, &nothing);
		rc = set_post(c, &a, &nothing, &page, err);
		if (rc == 0)
			rc = store_attempt(&c->lane->store, c->row.id, &a, NULL, NULL, err);
	}
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
