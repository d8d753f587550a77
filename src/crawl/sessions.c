#include "crawl/sessions.h"

#include <stdio.h>

#include "base/word.h"
#include "crawl/capture.h"
#include "net/cookie.h"

/* ---- sessions ---- */

enum {
	PLACES_MAX = 4096, /* hosts and directories of which something is known */
	SESSION_NAME_MAX = 2048,
	NEEDED = 2,        /* pages that speak for others */
	SEED_COUNTS = 2,   /* as so many pages */
	TRIED_MAX = 32,    /* pages of a host that were not better with cookies */
	REDIRECTS_MAX = 4, /* the same, if there is one more that redirects */
	PROBES_MAX = 3,    /* pages of a host */
};

/* Of a probe: without cookies, then twice with them. */
enum step { STEP_NONE, STEP_WITHOUT, STEP_WITH, STEP_WITH_AGAIN };

void sessions_init(struct sessions *s)
{
	*s = (struct sessions){0};
	strmap_init(&s->numbers, hash_key_random(), NULL);
	buf_init(&s->name, SESSION_NAME_MAX);
}

void sessions_release(struct sessions *s)
{
	strmap_release(&s->numbers);
	session_places_release(&s->places);
	buf_release(&s->name);
}

/* ---- places ---- */

/* The place of that name, which is added if it is new; NULL when there are too many. */
static struct session_place *place_named(struct sessions *s, slice name)
{
	uint32_t number;

	if (!strmap_get(&s->numbers, name, &number)) {
		number = (uint32_t)s->places.len;
		if (number >= PLACES_MAX || strmap_put(&s->numbers, name, number) ||
			session_places_push(&s->places, (struct session_place){0}))
			return NULL;
	}
	return number < s->places.len ? &s->places.ptr[number] : NULL;
}

/* The host of a URL, or its directory. */
static struct session_place *place_of(struct capture *c, slice text, bool is_host)
{
	struct sessions *s = &c->sessions;
	struct session_place *p = NULL;
	URL_SCOPED(url);
	int rc;
	rc = url_parse(&url, text, NULL, NULL);
	buf_reset(&s->name);
	if (rc == 0)
		rc = buf_add(&s->name, url_part(&url, url.host));
	if (rc == 0 && !is_host) {
		slice path = url_part(&url, url.path);

		while (path.len > 0 && path.ptr[path.len - 1] != '/')
			path.len--;
		rc = buf_add(&s->name, path);
	}
	if (rc == 0)
		p = place_named(s, buf_slice(&s->name));
	return p;
}

static bool is_needed_in(const struct session_place *p)
{
	return p && (p->varies || (p->needed >= NEEDED && p->fine == 0));
}

/* ---- requests ---- */

/* Whether the user wants cookies to be sent wherever they are set. */
static bool is_asked_for(const struct capture *c)
{
	return c->headers.has_given || c->login.with;
}

static bool is_look(enum request_kind kind)
{
	return kind == REQUEST_PAGE || kind >= REQUEST_LOOK;
}

bool sessions_send(struct capture *c, const struct request *r, slice url)
{
	struct crawl_page *page;

	if (!request_headers_has_cookies(&c->headers) || r->purpose == PURPOSE_CLOAKING)
		return false;
	if (r->kind == REQUEST_LOGIN)
		return true;
	if (r->purpose == PURPOSE_SESSION)
		return c->sessions.step != STEP_WITHOUT;
	if (!is_look(r->kind))
		return is_asked_for(c) || is_needed_in(place_of(c, url, true)) ||
		       is_needed_in(place_of(c, url, false));
	page = &c->pages.list.ptr[r->order.page];
	if (r->purpose == PURPOSE_VARIANT)
		return !page->with_cookies;
	if (!page->with_cookies && !page->visited)
		page->with_cookies = is_asked_for(c) || is_needed_in(place_of(c, url, true)) ||
				     is_needed_in(place_of(c, url, false));
	return page->with_cookies;
}

bool sessions_keep(const struct request *r)
{
	return r->purpose != PURPOSE_VARIANT && r->purpose != PURPOSE_CLOAKING &&
	       r->purpose != PURPOSE_SESSION;
}

/* ---- pages that fail without ---- */

static bool is_redirect(unsigned status)
{
	return status >= 300 && status < 400 && status != 304;
}

static bool fails(const struct attempt *a)
{
	return (a->status >= 400 && a->status <= 403) || is_redirect(a->status) ||
	       (a->stand_in.ptr && !stand_in_is_shell(a->stand_in));
}

/* The page was asked for with cookies because it failed without. */
static void end_trial(struct capture *c, struct crawl_page *page, const struct attempt *a)
{
	struct session_place *host = place_of(c, a->url, true);

	page->tries_cookies = false;
	page->with_cookies = a->status >= 200 && a->status < 400 && !fails(a);
	if (!page->with_cookies)
		return;
	for (int is_host = 0; is_host < 2; is_host++) {
		struct session_place *p = place_of(c, a->url, is_host);

		if (p)
			p->needed += page->is_seed ? SEED_COUNTS : 1;
	}
	if (host)
		host->tried = 0;
}

/* Whether the jar has cookies for the URL. */
static bool has_cookies_for(struct capture *c, slice text)
{
	URL_SCOPED(url);
	bool has;
	has = request_headers_has_cookies(&c->headers) && url_parse(&url, text, NULL, NULL) == 0 &&
	      request_headers_has_cookies_for(
		      &c->headers, &url, clock_realtime(c->clock) / CLOCK_NS_PER_SECOND);
	return has;
}

/* Cookies are a reason to ask for the page again, which will be done. */
static bool may_try(struct capture *c, const struct crawl_page *page, const struct attempt *a)
{
	struct session_place *host;
	unsigned most;

	if (page->with_cookies || page->kind == LINK_FORM || is_asked_for(c) ||
		!request_headers_has_cookies(&c->headers) || c->stage.cancelled)
		return false;
	host = place_of(c, a->url, true);
	most = is_redirect(a->status) ? REDIRECTS_MAX : TRIED_MAX;
	if (!host || (host->tried >= most && host->needed == 0) || !has_cookies_for(c, a->url))
		return false;
	host->tried++;
	return true;
}

/* The response that was read last redirects to another page, which was visited. */
static bool leads_back(struct capture *c, slice text)
{
	slice location = reading_field(&c->lane->reading, SLICE("location"));
	URL_SCOPED(url);
	URL_SCOPED(target);
	uint32_t number;
	bool leads;
	leads = url_parse(&url, text, NULL, NULL) == 0 &&
		url_parse(&target, location, &url, NULL) == 0 &&
		!slice_eq(url_page(&url), url_page(&target)) &&
		pages_find(&c->pages, url_page(&target), &number) &&
		c->pages.list.ptr[number].visited;
	return leads;
}

static void sessions_try(struct capture *c, uint32_t page);

bool sessions_retry(struct capture *c, const struct plan_order *order, const struct attempt *a,
	bool is_as_before)
{
	struct crawl_page *page = &c->pages.list.ptr[order->page];

	if (page->tries_cookies) {
		end_trial(c, page, a);
		return false;
	}
	if (a->status == 0 || page->with_cookies)
		return false;
	if (!fails(a)) {
		if (a->status < 300 && has_cookies_for(c, a->url))
			for (int is_host = 0; is_host < 2; is_host++) {
				struct session_place *p = place_of(c, a->url, is_host);

				if (p)
					p->fine++;
			}
		return false;
	}
	if (is_as_before || order->attempt > 1 || c->settings->attempts == 1 ||
		(is_redirect(a->status) && !leads_back(c, a->url)) || !may_try(c, page, a))
		return false;
	sessions_try(c, order->page);
	return true;
}

/* The page will be asked for with cookies: whether it needs them, its answer tells. */
static void sessions_try(struct capture *c, uint32_t page)
{
	struct crawl_page *p = &c->pages.list.ptr[page];

	p->tries_cookies = !p->with_cookies;
	p->with_cookies = true;
}

/* ---- pages that vary without ---- */

static int probe(struct capture *c, enum step step, struct err *err)
{
	struct sessions *s = &c->sessions;
	bool sent = false;

	TRY(probing_send_session(c, s->page, &sent, err));
	s->step = sent ? (uint8_t)step : STEP_NONE;
	return 0;
}

int sessions_visited(struct capture *c, const struct arrival *p, struct err *err)
{
	const struct attempt *a = &p->a;
	struct sessions *s = &c->sessions;
	struct session_place *host;

	if (p->order->leg != PLAN_VISIT || c->scheduler->endless || a->status != 200 || s->step ||
		!jar_is_set_in(p->fetch->head) || is_asked_for(c) ||
		c->pages.list.ptr[a->page].with_cookies || !has_cookies_for(c, a->url))
		return 0;
	host = place_of(c, a->url, true);
	if (!host || host->varies || host->probed >= PROBES_MAX)
		return 0;
	host->probed++;
	s->page = a->page;
	return probe(c, STEP_WITHOUT, err);
}

/* Pages of its host are asked for with cookies from now on, this one once more. */
static int note_varies(struct capture *c, slice url, struct err *err)
{
	unsigned attempts = c->settings->attempts ? c->settings->attempts : PLAN_ATTEMPTS;
	struct session_place *host = place_of(c, url, true);
	struct crawl_page *page = &c->pages.list.ptr[c->sessions.page];

	if (!host || c->stage.visits_ended)
		return 0;
	host->varies = true;
	page->with_cookies = true;
	return err_code(err, fetch_hold(c, &(struct request){.kind = REQUEST_AGAIN,
						   .host = page->host,
						   .order = {.page = c->sessions.page,
							   .leg = PLAN_VISIT,
							   .attempt = attempts + 1}}));
}

int sessions_before(struct capture *c, struct page_visit *ret, bool *ret_has, struct err *err)
{
	struct sessions *s = &c->sessions;

	*ret_has = s->step != STEP_WITHOUT || c->pages.list.ptr[s->page].visited;
	if (s->step != STEP_WITHOUT || !*ret_has) {
		*ret = s->before;
		return 0;
	}
	return pages_visit(&c->pages, s->page, ret, err);
}

int sessions_looked(struct capture *c, const struct attempt *a, const struct page_visit *as_visit,
	struct err *err)
{
	struct sessions *s = &c->sessions;
	enum step step = (enum step)s->step;
	bool same;

	s->step = STEP_NONE;
	if (a->status != 200 || !a->has_payload || a->truncated)
		return 0;
	if (step == STEP_WITHOUT)
		TRY(pages_visit(&c->pages, s->page, &s->before, err));
	same = page_visit_is_same(&s->before, a);
	s->before = *as_visit;
	if (step == STEP_WITHOUT)
		return same ? 0 : probe(c, STEP_WITH, err);
	if (step == STEP_WITH)
		return probe(c, STEP_WITH_AGAIN, err);
	return same ? note_varies(c, a->url, err) : 0;
}

void sessions_dropped(struct capture *c)
{
	c->sessions.step = STEP_NONE;
}

/* ---- cookie gates ---- */

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
		(void)snprintf(g->purpose, sizeof g->purpose, "%s%.*s",
			attempt_purpose_word(PURPOSE_COOKIE_GATE).ptr, (int)len, cookie.name.ptr);
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

/* Visits all pages again that were sent to the gate, but for the one that closes the circle. */
static int open_gate(struct capture *c, uint32_t gate, uint32_t last, struct err *err)
{
	struct cookie_gate *g = &c->gate;

	for (size_t i = 0; i < g->steps.len; i++) {
		struct cookie_gate_step *step = &g->steps.ptr[i];
		uint32_t host = c->pages.list.ptr[step->from].host;
		struct request again = {.kind = REQUEST_AGAIN,
			.host = host,
			.order = {.page = step->from,
				.leg = PLAN_VISIT,
				.attempt = attempts_of(c) + 1}};

		if (step->to != gate || (step->from == last && step->from != gate) || step->again ||
			!c->pages.list.ptr[step->from].taken || fetch_is_down(c, host))
			continue;
		step->again = true;
		sessions_try(c, step->from);
		TRY(err_code(err, fetch_hold(c, &again)));
	}
	return 0;
}

/* Whether redirects lead from a page back to it, and one of them sets a cookie. */
static bool gate_leads_back(const struct cookie_gate *g, uint32_t page)
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

	if (c->scheduler->endless || order->leg != PLAN_VISIT || c->settings->no_cookies)
		return 0;
	if (order->attempt > attempts_of(c)) {
		g->useless++;
		return 0;
	}
	step.sets = note_cookie(g, reading_head(&c->lane->reading));
	if (g->useless >= COOKIE_GATE_USELESS_MAX || g->steps.len >= COOKIE_GATE_STEPS_MAX ||
		find_step(g, order->page) || !pages_find(&c->pages, url_page(target), &step.to))
		return 0;
	cookie_gate_steps_push(&g->steps, step);
	next = find_step(g, step.to);
	if (next && gate_leads_back(g, step.to))
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
