#include "replay/server.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/mem.h"
#include "base/word.h"
#include "formats/percent.h"
#include "formats/url_canonical.h"
#include "replay/access.h"
#include "replay/answers.h"
#include "replay/asked.h"
#include "warc/cdxj.h"
#include "warc/warc_request.h"

/*
 * What a browser may do with our answers (docs/replay.md, "Security"). Archived pages are hostile:
 *
 *   (1) Nothing of the content origin connects to anything but the content origin. A policy (CSP)
 *       confines requests, frames and forms; Connection-Allowlist also what that leaves open:
 *       navigation, WebRTC, hints.
 *   (2) Nothing of the content origin reads the control origin, frames it, or opens it: no CORS,
 *       frame-ancestors 'none', Cross-Origin-Resource-Policy.
 *   (3) Raw mementos load nothing, run nothing and send nothing.
 *   (4) Archived pages run in a sandbox without top navigation; no service worker is ever served.
 */

/* Of answers that the HTTP server makes without us. */
#define POLICY_REFUSAL "default-src 'none'; frame-ancestors 'none'; sandbox"

/* The frame of our own page has fewer: no windows. Those of a page that stands alone inherit these.
 */
#define SANDBOX                                                                          \
	"sandbox allow-scripts allow-same-origin allow-forms allow-modals allow-popups " \
	"allow-downloads allow-pointer-lock allow-orientation-lock allow-presentation"

/* Names that Chromium does not know any more make it complain on every page. */
#define NO_DEVICES                                                                          \
	"camera=(), microphone=(), geolocation=(), display-capture=(), usb=(), serial=(), " \
	"hid=(), "                                                                          \
	"midi=(), payment=(), publickey-credentials-get=(), idle-detection=(), "            \
	"local-fonts=(), browsing-topics=()"

static void content_policy(struct asked *a)
{
	answer_header(a, "Content-Security-Policy",
		"default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:; "
		"frame-src 'self' data: blob:; worker-src 'self' data: blob:; object-src 'self'; "
		"base-uri 'self'; form-action 'self'; frame-ancestors 'self' %s; " SANDBOX,
		a->control);
	answer_header(a, "Connection-Allowlist", "(response-origin)");
	answer_header(a, "X-DNS-Prefetch-Control", "off");
	answer_header(a, "Permissions-Policy", NO_DEVICES);
	answer_header(a, "Referrer-Policy", "same-origin");
	answer_header(a, "Cross-Origin-Resource-Policy", "same-origin");
	answer_header(a, "Origin-Agent-Cluster", "?1");
}

static void our_policy(struct asked *a)
{
	answer_header(a, "Content-Security-Policy",
		"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
		"connect-src 'self'; frame-src %s; form-action 'self'; base-uri 'none'; "
		"frame-ancestors 'none'",
		a->content);
}

/* Bytes as they were archived: a browser may show them, and load nothing for them. */
static void raw_policy(struct asked *a)
{
	answer_header(a, "Content-Security-Policy",
		"default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; "
		"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox");
	answer_header(a, "Connection-Allowlist", "()");
	answer_header(a, "X-DNS-Prefetch-Control", "off");
	answer_header(a, "Permissions-Policy", NO_DEVICES);
}

static void control_policy(struct asked *a)
{
	if (a->route.kind == ROUTE_MEMENTO && a->route.form == ROUTE_RAW)
		raw_policy(a);
	else
		our_policy(a);
	answer_header(a, "X-Frame-Options", "DENY");
	answer_header(a, "X-Content-Type-Options", "nosniff");
	answer_header(a, "Referrer-Policy", "no-referrer");
	answer_header(a, "Cross-Origin-Resource-Policy", "same-origin");
	answer_header(a, "Cross-Origin-Opener-Policy", "same-origin");
}

/* Adds the fields that every answer of the origin carries, errors too. The only place that does. */
static void policy_add(struct asked *a)
{
	if (a->on_content)
		content_policy(a);
	else
		control_policy(a);
}

/* Whether a browser asks for the script of a service worker; the answer is given then. */
static bool policy_refuses(struct asked *a)
{
	if (!httpd_request_field(a->request, "Service-Worker"))
		return false;
	answer_error(a, STATUS_FORBIDDEN, "archived pages have no service workers");
	return true;
}

/*
 * Requests that strayed: a script built "/img/x.png", and the browser asked our content origin for
 * it. The page or style sheet that asked (Referer) tells which site's and time's that is.
 */

enum { LOCATION_MAX = 64 << 10 };

/* What the browser wants it for: mp_ and so on, as far as it tells (Sec-Fetch-Dest). */
static enum route_form asked_form(const struct asked *a)
{
	static const struct {
		slice destination;
		enum route_form form;
	} FORMS[] = {
		{SLICE_INIT("script"), ROUTE_SCRIPT},
		{SLICE_INIT("worker"), ROUTE_SCRIPT},
		{SLICE_INIT("sharedworker"), ROUTE_SCRIPT},
		{SLICE_INIT("style"), ROUTE_STYLE},
		{SLICE_INIT("image"), ROUTE_IMAGE},
		{SLICE_INIT("font"), ROUTE_IMAGE},
		{SLICE_INIT("audio"), ROUTE_IMAGE},
		{SLICE_INIT("video"), ROUTE_IMAGE},
		{SLICE_INIT("track"), ROUTE_IMAGE},
	};
	const char *field = httpd_request_field(a->request, "Sec-Fetch-Dest");

	for (size_t i = 0; field && i < sizeof FORMS / sizeof FORMS[0]; i++)
		if (word_is(slice_str(field), FORMS[i].destination))
			return FORMS[i].form;
	return ROUTE_PAGE;
}

/* The memento that asked, if it is one of the content origin. */
static bool read_referrer(const struct asked *a, struct route *ret)
{
	const char *field = httpd_request_field(a->request, "Referer");
	slice referrer = slice_str(field ? field : ""), origin = slice_str(a->content);

	if (!slice_starts_with(referrer, origin))
		return false;
	referrer = slice_sub(referrer, origin.len, referrer.len);
	/* Without a name the answer would begin with two slashes, which lead to another host. */
	return referrer.len && referrer.ptr[0] == '/' && route_parse(referrer, ret, NULL) == 0 &&
	       ret->kind == ROUTE_MEMENTO && ret->url.len && ret->name.len;
}

static int add_location(const struct asked *a, const struct route *from, struct buf *out)
{
	struct url base, url;
	int rc;

	url_init(&base);
	url_init(&url);
	rc = url_parse(&base, from->url, NULL, NULL);
	if (rc == 0)
		rc = url_parse(&url, a->request->target, &base, NULL);
	if (rc == 0) {
		buf_printf(out, "/%.*s/%.*s%s/", (int)from->name.len, from->name.ptr,
			(int)from->digits.len, from->digits.ptr, route_form_name(asked_form(a)));
		rc = buf_add(out, url_text(&url));
	}
	url_release(&base);
	url_release(&url);
	return rc;
}

/* Redirects a request of the content origin to the memento it is about; false if that is unknown.
 */
static bool answer_stray(struct asked *a)
{
	struct route from = {0};
	struct buf location;
	bool found;

	if (!a->on_content || !read_referrer(a, &from))
		return false;
	buf_init(&location, LOCATION_MAX);
	found = add_location(a, &from, &location) == 0;
	if (found) {
		a->response->status = STATUS_TEMPORARY;
		answer_header(a, "Location", "%s", buf_str(&location));
	}
	buf_release(&location);
	return found;
}

enum {
	BODY_MAX = 1 << 20, /* bytes of a POST that are looked at */
	NAME_TRIES = 1000,
};

/* One of the two origins. */
struct origin {
	struct server *server;
	bool is_content;
	struct httpd *httpd;
};

struct server {
	struct replay replay;
	struct origin control, content;
	char control_address[HTTPD_ADDRESS_SIZE], content_address[HTTPD_ADDRESS_SIZE];
};

/* ---- a request ---- */

static struct collection *find_collection(const struct replay *r, slice escaped)
{
	struct collection *found = NULL;
	struct buf name;

	buf_init(&name, escaped.len + 1);
	if (url_percent_decode(&name, escaped) == 0)
		for (size_t i = 0; !found && i < r->collections.len; i++)
			if (slice_eq(buf_slice(&name), slice_str(r->collections.ptr[i]->name)))
				found = r->collections.ptr[i];
	buf_release(&name);
	return found;
}

/* The host by which the client knows us, if it can stand in an address. */
static slice safe_host(slice host)
{
	for (size_t i = 0; i < host.len; i++)
		if (!word_is_alnum(host.ptr[i]) && !strchr(".-:[]", host.ptr[i]))
			return (slice){0};
	return host.len < ORIGIN_SIZE / 2 ? host : (slice){0};
}

static void set_origin(char origin[ORIGIN_SIZE], slice host, const char *fixed, uint16_t port)
{
	if (fixed)
		host = slice_str(fixed);
	(void)snprintf(
		origin, ORIGIN_SIZE, "http://%.*s:%u", (int)host.len, host.ptr, (unsigned)port);
}

/* The origin that was asked has the name by which the client knows it. */
static void set_origins(struct asked *a)
{
	const struct replay *r = a->replay;
	slice host = safe_host(a->request->host);

	if (host.len == 0)
		host = SLICE("127.0.0.1");
	set_origin(a->control, host, a->on_content ? r->control_address : NULL, r->port);
	set_origin(a->content, host, a->on_content ? NULL : r->content_address, r->content_port);
}

/* A POST is looked up by its method and body. */
static int make_key(struct asked *a)
{
	const char *type = httpd_request_field(a->request, "Content-Type");
	struct buf query;
	int rc;

	if (!post_query_has_key(a->request->method))
		return cdxj_key(&a->key, a->page);
	buf_init(&query, POST_QUERY_MAX);
	rc = post_query_add(
		&query, a->request->method, slice_str(type ? type : ""), a->request->body);
	if (rc == 0)
		rc = post_query_key(&a->key, a->page, buf_slice(&query));
	buf_release(&query);
	return rc;
}

/* "example.org/x" is http; a slash that was lost on the way ("http:/example.org") comes back. */
static int read_url(struct asked *a, struct err *err)
{
	static const slice SCHEMES[] = {SLICE_INIT("http:/"), SLICE_INIT("https:/")};
	slice given = a->route.url, rest = given;
	struct buf text;
	int rc;

	buf_init(&text, URL_MAX);
	for (size_t i = 0; i < sizeof SCHEMES / sizeof SCHEMES[0]; i++) {
		if (!word_starts(given, SCHEMES[i]))
			continue;
		rest = slice_sub(given, SCHEMES[i].len, given.len);
		while (rest.len && rest.ptr[0] == '/')
			rest = slice_sub(rest, 1, rest.len);
		buf_add(&text, SCHEMES[i]);
		buf_add_char(&text, '/');
	}
	if (text.len == 0 && !memmem(given.ptr, given.len, "://", 3))
		buf_add_str(&text, "http://");
	rc = buf_add(&text, rest);
	if (rc == 0)
		rc = url_parse(&a->url, buf_slice(&text), NULL, NULL);
	buf_release(&text);
	if (rc)
		return err_set(
			err, ERR_SYNTAX, "'%.*s' is no URL", slice_shown(given, 200), given.ptr);
	a->page = url_page(&a->url);
	if (make_key(a))
		return err_set(err, ERR_SYNTAX, "'%.*s' cannot be looked up",
			slice_shown(given, 200), given.ptr);
	return 0;
}

static void (*const ANSWERS[])(struct asked *) = {
	[ROUTE_HOME] = answer_home,
	[ROUTE_COLLECTION] = answer_collection,
	[ROUTE_START] = answer_start,
	[ROUTE_PAGES] = answer_page_list,
	[ROUTE_CALENDAR] = answer_calendar,
	[ROUTE_TIMEGATE] = answer_timegate,
	[ROUTE_MEMENTO] = answer_memento,
	[ROUTE_SAID_TIME] = answer_said_time,
	[ROUTE_TIMEMAP] = answer_timemap,
	[ROUTE_CDX] = answer_cdx,
	[ROUTE_COMPOSITE] = answer_composite,
	[ROUTE_SEARCH] = answer_search,
	[ROUTE_ASSET] = answer_asset,
};

/* The content origin has rewritten mementos and our scripts for them, and nothing else. */
static bool belongs_here(const struct asked *a)
{
	if (a->route.kind == ROUTE_ASSET || a->route.kind == ROUTE_SAID_TIME)
		return true;
	if (a->route.kind != ROUTE_MEMENTO)
		return !a->on_content;
	return a->on_content == (a->route.form != ROUTE_FRAMED && a->route.form != ROUTE_RAW);
}

/* A memento that was asked of the other origin is there. */
static void answer_elsewhere(struct asked *a)
{
	const char *origin = a->on_content ? a->control : a->content;

	if (a->route.kind != ROUTE_MEMENTO) {
		answer_error(a, STATUS_NOT_FOUND, "only archived pages are here");
		return;
	}
	a->response->status = STATUS_FOUND;
	answer_header(a, "Location", "%s%.*s", origin, (int)a->request->target.len,
		a->request->target.ptr);
}

static void answer(struct asked *a)
{
	struct err err = {0};
	int rc = route_parse(a->request->target, &a->route, &err);

	if (rc == 0 && a->route.kind != ROUTE_HOME && a->route.kind != ROUTE_ASSET) {
		a->collection = find_collection(a->replay, a->route.name);
		if (!a->collection)
			rc = err_set(&err, ERR_NOTFOUND, "there is no collection of this name");
	}
	if (rc == 0 && a->route.url.len)
		rc = read_url(a, &err);
	if (policy_refuses(a))
		return;
	if ((rc || !belongs_here(a)) && answer_stray(a))
		return;
	if (rc)
		answer_failure(a, &err);
	else if (!belongs_here(a))
		answer_elsewhere(a);
	else
		ANSWERS[a->route.kind](a);
}

/* Pages of ours that need no archive are answered at once, whatever others ask for. */
static enum httpd_lane lane_of(void *context, const struct httpd_request *q)
{
	struct err ignored = {0};
	struct route route;
	const struct origin *o = context;

	if (route_parse(q->target, &route, &ignored))
		return HTTPD_NOW;
	switch (route.kind) {
	case ROUTE_HOME:
		return o->server->replay.access ? HTTPD_PAGE : HTTPD_NOW;
	case ROUTE_ASSET:
	case ROUTE_SAID_TIME:
		return HTTPD_NOW;
	case ROUTE_CDX:
	case ROUTE_SEARCH:
	case ROUTE_PAGES:
	case ROUTE_COMPOSITE:
	case ROUTE_TIMEMAP:
		return HTTPD_QUERY;
	default:
		return HTTPD_PAGE;
	}
}

static void handle(void *context, const struct httpd_request *q, struct httpd_response *r)
{
	const struct origin *o = context;
	struct asked a = {
		.replay = &o->server->replay,
		.request = q,
		.response = r,
		.on_content = o->is_content,
	};

	url_init(&a.url);
	buf_init(&a.key, URL_CANONICAL_MAX + BODY_MAX);
	set_origins(&a);
	answer(&a);
	policy_add(&a);
	url_release(&a.url);
	buf_release(&a.key);
}

/* ---- starting and stopping ---- */

static bool is_taken(const struct replay *r, const char *name)
{
	for (size_t i = 0; i < r->collections.len; i++)
		if (strcmp(r->collections.ptr[i]->name, name) == 0)
			return true;
	return strcmp(name, "_") == 0; /* our own files */
}

/* Of two collections with one name, the second becomes NAME-2. */
static void name_apart(const struct replay *r, struct collection *c)
{
	const char *base = c->name;
	char name[NAME_MAX + 16];

	for (int i = 2; is_taken(r, c->name) && i < NAME_TRIES; i++) {
		(void)snprintf(name, sizeof name, "%s-%d", base, i);
		c->name = arena_str(&c->arena, slice_str(name));
	}
}

static int open_collections(struct replay *r, const struct server_params *p, struct err *err)
{
	struct collection_terms terms = {.temporary = p->temporary, .access = r->access};
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < p->path_count; i++) {
		struct collection *c = NULL;

		rc = collection_open(p->paths[i], &terms, &c, err);
		if (rc == 0) {
			name_apart(r, c);
			collection_vec_push(&r->collections, c);
		}
	}
	return rc;
}

/* Every client needs a file descriptor, and so does every file that is read for it. */
static void raise_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
		limit.rlim_cur = limit.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &limit);
	}
}

static int listen_on(struct origin *o, const char *address, uint16_t port,
	const struct server_params *params, struct err *err)
{
	struct httpd_params p = {
		.address = address,
		.port = port,
		.threads = params->threads,
		.names = params->names,
		.log = params->log,
		.body_max = BODY_MAX,
		.policy = POLICY_REFUSAL,
		.handler = handle,
		.lane = lane_of,
		.context = o,
	};
	int rc;

	rc = httpd_start(&p, &o->httpd, err);
	if (rc == 0 || !params->any_port || port == 0)
		return rc;
	*err = (struct err){0};
	p.port = 0;
	return httpd_start(&p, &o->httpd, err);
}

static int explain_content(struct err *err, int rc)
{
	struct err why = *err;

	return err_set(err, rc,
		"%.300s; archived content has an address of its own: give a free one with "
		"--content-listen",
		why.text);
}

static int listen_both(struct server *s, const struct server_params *p, struct err *err)
{
	uint16_t content = p->content_port;
	int rc;

	/* Handlers read the ports, so the content origin, whose address is handed out, is first. */
	if (!p->has_content_port && p->port && p->port < UINT16_MAX)
		content = (uint16_t)(p->port + 1);
	rc = listen_on(&s->content, p->content_address, content, p, err);
	if (rc)
		return p->has_content_port ? rc : explain_content(err, rc);
	s->replay.content_port = httpd_port(s->content.httpd);
	s->replay.port = p->port;
	TRY(listen_on(&s->control, p->address, p->port, p, err));
	s->replay.port = httpd_port(s->control.httpd);
	return 0;
}

/* An address as it stands in a URL; NULL for one that means all of them. */
static const char *host_of(const char *address, char out[HTTPD_ADDRESS_SIZE])
{
	if (strcmp(address, "0.0.0.0") == 0 || strcmp(address, "::") == 0)
		return NULL;
	(void)snprintf(out, HTTPD_ADDRESS_SIZE, strchr(address, ':') ? "[%s]" : "%s", address);
	return out;
}

int server_start(const struct server_params *params, struct server **ret, struct err *err)
{
	struct server *s = mem_new(1, sizeof *s);
	int rc;

	s->control = (struct origin){.server = s};
	s->content = (struct origin){.server = s, .is_content = true};
	s->replay.window_ns = params->window_ns;
	if (strcmp(params->address, params->content_address) != 0) {
		s->replay.control_address = host_of(params->address, s->control_address);
		s->replay.content_address = host_of(params->content_address, s->content_address);
	}
	raise_limit();
	rc = params->access ? access_read(params->access, &s->replay.access, err) : 0;
	if (rc == 0)
		rc = open_collections(&s->replay, params, err);
	if (rc == 0)
		rc = listen_both(s, params, err);
	if (rc) {
		(void)server_stop(s);
		return rc;
	}
	*ret = s;
	return 0;
}

bool server_stop(struct server *s)
{
	bool ended;

	if (!s)
		return true;
	ended = httpd_stop(s->control.httpd);
	ended = httpd_stop(s->content.httpd) && ended;
	if (!ended)
		return false;
	for (size_t i = 0; i < s->replay.collections.len; i++)
		collection_close(s->replay.collections.ptr[i]);
	collection_vec_release(&s->replay.collections);
	access_free(s->replay.access);
	free(s);
	return true;
}

uint16_t server_port(const struct server *s)
{
	return s->replay.port;
}

uint16_t server_content_port(const struct server *s)
{
	return s->replay.content_port;
}
