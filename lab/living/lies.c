#include "living/lies.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/parse.h"

enum {
	PURPOSE_VARIANT = 400, /* away from those of other files */
	PURPOSE_SHELL,
	PURPOSE_SHELL_KIND,
	STATUS_FOUND = 302,
	FIELD_SIZE = 64,
	LOCATION_MAX = HTTPD_TARGET_MAX + FIELD_SIZE,
	HEX = 16,
};

static const char SESSION_COOKIE[] = "living_session=";
static const char VARIANT_COOKIE[] = "living_ab=";

struct cached {
	int64_t filled_ns;
	int64_t shown_ns;
	uint64_t noise;
	bool filled;
};

static const struct living_deceit *deceit(const struct lies *l)
{
	return &l->model->params.deceit;
}

int lies_init(struct lies *l, const struct living_model *model, int64_t start_ns)
{
	struct cached *cache = NULL;

	if (model->params.deceit.cache > 0) {
		cache = calloc(model->count, sizeof *cache);
		if (!cache)
			return ERR_NOMEM;
	}
	*l = (struct lies){.model = model, .start_ns = start_ns, .cache = cache};
	(void)pthread_mutex_init(&l->lock, NULL);
	return 0;
}

void lies_release(struct lies *l)
{
	if (l->model)
		(void)pthread_mutex_destroy(&l->lock);
	free(l->cache);
	*l = (struct lies){0};
}

struct change_cursor lies_past(const struct lies *l, uint32_t resource, int64_t realtime_ns)
{
	struct change_source source = living_source(l->model, resource);

	return change_at(&source, realtime_ns - l->start_ns);
}

/* What stands behind a cookie's name; NULL when the request has no such cookie. */
static const char *cookie(const struct telling *t, const char *name)
{
	const char *field = httpd_request_field(t->request, "Cookie");
	const char *at = field ? strstr(field, name) : NULL;

	return at ? at + strlen(name) : NULL;
}

static void header_number(struct telling *t, const char *name, const char *before, uint64_t number)
{
	char value[FIELD_SIZE];

	(void)snprintf(value, sizeof value, "%s%" PRIu64, before, number);
	httpd_header(t->response, name, value);
}

static void answer_html(struct telling *t, unsigned status, const char *title, const char *text)
{
	t->response->status = status;
	httpd_header(t->response, "Content-Type", "text/html; charset=utf-8");
	httpd_header(t->response, "Cache-Control", "no-store");
	(void)buf_printf(&t->response->body,
		"<!DOCTYPE html>\n<html lang=\"en\">\n<head><title>%s</title></head>\n<body>\n"
		"<h1>%s</h1>\n%s</body>\n</html>\n",
		title, title, text);
}

static void answer_block(struct telling *t, enum living_block kind)
{
	static const struct {
		unsigned status;
		const char *title, *text;
	} PAGES[] = {
		[LIVING_BLOCK_FORBIDDEN] = {403, "403 Forbidden",
			"<p>You don't have permission to access this resource.</p>\n"},
		[LIVING_BLOCK_TOO_MANY] = {429, "Too Many Requests",
			"<p>You have sent too many requests. Try again later.</p>\n"},
		[LIVING_BLOCK_CHALLENGE] = {503, "Just a moment...",
			"<p>Checking if the site connection is secure</p>\n<noscript>Enable "
			"JavaScript and cookies to continue</noscript>\n<form "
			"id=\"challenge-form\" "
			"action=\"/?__cf_chl_f_tk=1\" method=\"POST\"></form>\n"},
		[LIVING_BLOCK_SOFT] = {200, "Access denied",
			"<p>Our systems have detected unusual traffic from your network. Please "
			"prove that you are not a robot.</p>\n<div class=\"g-recaptcha\"></div>\n"},
	};

	answer_html(t, PAGES[kind].status, PAGES[kind].title, PAGES[kind].text);
	if (kind == LIVING_BLOCK_TOO_MANY)
		httpd_header(t->response, "Retry-After", "1");
	if (kind == LIVING_BLOCK_CHALLENGE) {
		httpd_header(t->response, "Server", "cloudflare");
		(void)buf_printf(&t->response->body, "<!-- Ray ID: %016" PRIx64 " -->\n", t->noise);
	}
	t->content = "blocked";
}

static bool act_block(struct lies *l, struct telling *t)
{
	const struct living_deceit *d = deceit(l);
	uint64_t number = t->turn;

	if (d->block_after == 0)
		return false;
	if (d->block_for > 0)
		number %= d->block_after + d->block_for;
	if (number < d->block_after)
		return false;
	answer_block(t, d->block_kind);
	return true;
}

/* A cookie says with which request a session began; who has none began with the first. */
static bool act_session(struct lies *l, struct telling *t)
{
	const char *begun = cookie(t, SESSION_COOKIE);
	uint64_t first = begun ? strtoull(begun, NULL, HEX) : 0;
	struct buf location;

	if (deceit(l)->session == 0 || t->turn < first || t->turn - first < deceit(l)->session)
		return false;
	buf_init(&location, LOCATION_MAX);
	if (buf_add_str(&location, "/login?next=") == 0 &&
		buf_add(&location, t->request->path) == 0) {
		answer_html(t, STATUS_FOUND, "Please log in", "");
		httpd_header(t->response, "Location", buf_str(&location));
		t->content = "login";
	}
	buf_release(&location);
	return t->content != NULL;
}

static bool act_replica(struct lies *l, struct telling *t)
{
	const struct living_deceit *d = deceit(l);
	uint64_t turn = t->turn;

	if (d->replicas < 2)
		return false;
	if (d->replicas_by == LIVING_BY_CONNECTION)
		turn = t->request->connection_number;
	else if (d->replicas_by == LIVING_BY_ADDRESS)
		turn = t->listener;
	turn %= d->replicas;
	header_number(t, "X-Served-By", "web", turn + 1);
	t->shown_ns -= (int64_t)((double)turn * d->replica_lag * (double)CLOCK_NS_PER_SECOND);
	if (t->shown_ns < l->start_ns)
		t->shown_ns = l->start_ns;
	return turn > 0;
}

/* Half of those without a cookie get the other variant, and a cookie that keeps it. */
static bool is_other_variant(struct telling *t)
{
	const char *value = cookie(t, VARIANT_COOKIE);
	bool other = value ? *value == 'b' : t->noise & 1;
	char set[FIELD_SIZE];

	httpd_header(t->response, "Vary", "Cookie");
	if (!value) {
		(void)snprintf(set, sizeof set, "%s%c; Path=/", VARIANT_COOKIE, other ? 'b' : 'a');
		httpd_header(t->response, "Set-Cookie", set);
	}
	return other;
}

/* The language that is asked for first, where it is not the usual one; else "". */
static const char *other_language(struct telling *t)
{
	static const char *const LANGUAGES[] = {"de", "fr"};
	const char *wanted = httpd_request_field(t->request, "Accept-Language");

	httpd_header(t->response, "Vary", "Accept-Language");
	for (size_t i = 0; wanted && i < sizeof LANGUAGES / sizeof LANGUAGES[0]; i++)
		if (strncmp(wanted, LANGUAGES[i], strlen(LANGUAGES[i])) == 0)
			return LANGUAGES[i];
	return "";
}

static bool act_variant(struct lies *l, struct telling *t)
{
	const struct living_share *share = &deceit(l)->variants;
	const char *branch = "", *language = "";

	if (t->shell || !living_draws(l->model, t->resource, PURPOSE_VARIANT, share->share))
		return false;
	if (share->kinds & LIVING_VARIANT_COOKIE && is_other_variant(t))
		branch = "b";
	if (share->kinds & LIVING_VARIANT_LANGUAGE)
		language = other_language(t);
	(void)snprintf(t->variant, sizeof t->variant, "%s%s", branch, language);
	return t->variant[0] != '\0';
}

/* Invariant: what is kept was shown to somebody, and its noise with it. */
static bool act_cache(struct lies *l, struct telling *t)
{
	int64_t keep = (int64_t)(deceit(l)->cache * (double)CLOCK_NS_PER_SECOND), age = 0;
	struct cached *c = l->cache ? &l->cache[t->resource] : NULL;
	bool hit;

	if (!c)
		return false;
	(void)pthread_mutex_lock(&l->lock);
	hit = c->filled && t->now_ns - c->filled_ns < keep;
	if (hit) {
		t->shown_ns = c->shown_ns;
		t->rendered_ns = c->filled_ns;
		t->noise = c->noise;
		age = t->now_ns > c->filled_ns ? t->now_ns - c->filled_ns : 0;
	} else {
		*c = (struct cached){t->now_ns, t->shown_ns, t->noise, true};
	}
	(void)pthread_mutex_unlock(&l->lock);
	header_number(t, "Age", "", (uint64_t)(age / CLOCK_NS_PER_SECOND));
	httpd_header(t->response, "Via", "1.1 cache.living (Varnish/7.4)");
	httpd_header(t->response, "X-Cache", hit ? "HIT" : "MISS");
	return hit;
}

static bool act_shell(struct lies *l, struct telling *t)
{
	const struct living_share *share = &deceit(l)->shells;
	uint64_t draw = change_mix(l->model->params.seed, PURPOSE_SHELL_KIND, t->resource);

	if (!living_draws(l->model, t->resource, PURPOSE_SHELL, share->share))
		return false;
	t->shell = share->kinds;
	if (t->shell == LIVING_SHELLS)
		t->shell = draw & 1 ? LIVING_SHELL_FETCH : LIVING_SHELL_INLINE;
	return true;
}

/* In the order in which they act: a cache keeps what a replica has sent. */
static const struct {
	const char *name;
	bool refuses; /* acts before the look */
	bool (*act)(struct lies *l, struct telling *t);
} LIES[LIVING_LIE_COUNT] = {
	[LIVING_LIE_BLOCK] = {"block", true, act_block},
	[LIVING_LIE_SESSION] = {"session", true, act_session},
	[LIVING_LIE_SHELL] = {"shell", false, act_shell},
	[LIVING_LIE_REPLICA] = {"replica", false, act_replica},
	[LIVING_LIE_VARIANT] = {"variant", false, act_variant},
	[LIVING_LIE_CACHE] = {"cache", false, act_cache},
};

const char *lies_name(unsigned lie)
{
	return LIES[lie].name;
}

static void act(struct lies *l, struct telling *t, bool refusing)
{
	for (unsigned i = 0; i < LIVING_LIE_COUNT && !t->content; i++)
		if (LIES[i].refuses == refusing && LIES[i].act(l, t))
			t->acted |= 1U << i;
}

bool lies_refuse(struct lies *l, struct telling *t)
{
	t->turn = atomic_fetch_add(&l->requests, 1);
	act(l, t, true);
	return t->content != NULL;
}

void lies_bend(struct lies *l, struct telling *t)
{
	t->shown_ns = t->rendered_ns = t->now_ns;
	act(l, t, false);
}

static bool ends_with(slice path, slice ending)
{
	return path.len > ending.len &&
	       slice_eq(slice_sub(path, path.len - ending.len, path.len), ending);
}

static bool begins_with(slice path, slice start)
{
	return path.len > start.len && slice_eq(slice_sub(path, 0, start.len), start);
}

/* Pictures differ by their names, the other files do not. */
static void write_picture(struct buf *body, slice path)
{
	static const char HEAD[] = "GIF89a\1\0\1\0\x80\0\0";
	static const char TAIL[] = "\0\0\0,\0\0\0\0\1\0\1\0\0\2\2D\1\0;";
	uint64_t hash = 0;

	for (size_t i = 0; i < path.len; i++)
		hash = change_mix(hash, 0, (unsigned char)path.ptr[i]);
	(void)buf_add(body, (slice){HEAD, sizeof HEAD - 1});
	for (int i = 0; i < 3; i++)
		(void)buf_add_char(body, (char)(hash >> 8 * i & 0xff));
	(void)buf_add(body, (slice){TAIL, sizeof TAIL - 1});
}

static bool answer_asset(struct telling *t)
{
	struct httpd_response *r = t->response;
	slice path = t->request->path;

	if (!begins_with(path, SLICE("/x/")) && !begins_with(path, SLICE("/_next/static/")))
		return false;
	if (ends_with(path, SLICE(".gif"))) {
		httpd_header(r, "Content-Type", "image/gif");
		write_picture(&r->body, path);
	} else if (ends_with(path, SLICE(".css"))) {
		httpd_header(r, "Content-Type", "text/css; charset=utf-8");
		(void)buf_add_str(&r->body, "body { margin: 1em }\n");
	} else if (ends_with(path, SLICE(".js"))) {
		httpd_header(r, "Content-Type", "text/javascript; charset=utf-8");
		(void)buf_add_str(&r->body, "document.documentElement.className += ' ready';\n");
	} else {
		return false;
	}
	r->status = 200;
	t->content = "1";
	return true;
}

static void answer_login(struct lies *l, struct telling *t)
{
	char set[FIELD_SIZE];

	(void)snprintf(set, sizeof set, "%s%" PRIx64 "; Path=/", SESSION_COOKIE,
		(uint64_t)atomic_load(&l->requests));
	answer_html(t, 200, "Please log in",
		"<p>Your session has expired.</p>\n<form method=\"post\" action=\"/login\">"
		"<input name=\"user\"><input type=\"password\" name=\"password\"></form>\n");
	httpd_header(t->response, "Set-Cookie", set);
	t->content = "login";
	t->acted = 1U << LIVING_LIE_SESSION;
}

bool lies_answer_extra(struct lies *l, struct telling *t)
{
	const struct living_params *p = &l->model->params;

	if (p->deceit.session > 0 && slice_eq(t->request->path, SLICE("/login"))) {
		answer_login(l, t);
		return true;
	}
	if (p->noise & LIVING_NOISE_ASSETS || p->details || p->deceit.shells.share > 0)
		return answer_asset(t);
	return false;
}

bool lies_find_data(const struct living_model *m, slice host, slice path, uint32_t *ret_resource)
{
	static const slice BEFORE = SLICE_INIT("/data/"), AFTER = SLICE_INIT(".json");
	uint64_t page;
	size_t site;

	if (m->params.deceit.shells.share <= 0 || path.len <= BEFORE.len + AFTER.len ||
		!begins_with(path, BEFORE) || !ends_with(path, AFTER) ||
		parse_u64(slice_sub(path, BEFORE.len, path.len - AFTER.len), &page) ||
		page >= m->layout.n || !living_find_host(m, host, &site))
		return false;
	*ret_resource = living_page_resource(m, site, (uint32_t)page);
	return true;
}
