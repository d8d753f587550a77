#include "living/serve.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/format.h"
#include "living/documents.h"
#include "living/noise.h"
#include "living/page.h"

enum {
	STATUS_OK = 200,
	STATUS_MOVED = 301,
	STATUS_FOUND = 302,
	STATUS_NOT_MODIFIED = 304,
	STATUS_NOT_FOUND = 404,
	STATUS_NO_METHOD = 405,
	STATUS_NO_SUCH_SITE = 421,
	STATUS_ERROR = 500,
	STATUS_BUSY = 503,
	DATE_SIZE = 32,
	ETAG_SIZE = 64,
	LOCATION_MAX = 64 << 10,
	HOST_SIZE = 256,
};

/* One request that found its resource. */
struct visit {
	struct serve *serve;
	const struct living_model *model;
	const struct httpd_request *request;
	struct httpd_response *response;
	uint32_t resource;
	struct sighting seen;
	uint64_t noise;
	struct telling telling;
	uint32_t version; /* the true one, at the time of the look */
	bool data;        /* asked for is the content of a shell */
	bool found;       /* the resource */
	bool looked;      /* the fields above are filled in */
};

/* What Last-Modified and ETag say; empty where they say nothing. */
struct claims {
	char modified[DATE_SIZE];
	char etag[ETAG_SIZE];
};

static void answer_text(struct httpd_response *r, unsigned status, const char *text)
{
	r->status = status;
	buf_reset(&r->headers);
	buf_reset(&r->body);
	httpd_header(r, "Content-Type", "text/html; charset=utf-8");
	(void)buf_printf(&r->body,
		"<!DOCTYPE html>\n<html lang=\"en\">\n<title>%u</title>\n<h1>%s</h1>\n</html>\n",
		status, text);
}

/* RFC 9110, 5.6.7, whatever the locale. */
static void http_date(int64_t realtime_ns, char out[DATE_SIZE])
{
	static const char DAYS[][4] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
	static const char MONTHS[][4] = {
		"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
	time_t seconds = (time_t)(realtime_ns / CLOCK_NS_PER_SECOND);
	struct tm t;

	(void)gmtime_r(&seconds, &t);
	(void)snprintf(out, DATE_SIZE, "%s, %02d %s %04d %02d:%02d:%02d GMT", DAYS[t.tm_wday],
		t.tm_mday, MONTHS[t.tm_mon], t.tm_year + 1900, t.tm_hour, t.tm_min, t.tm_sec);
}

static void make_claims(const struct visit *v, struct claims *ret)
{
	enum living_validators kind = v->model->validators[v->resource];
	int64_t modified = v->seen.changed_ns;
	uint64_t tag = v->seen.version;

	*ret = (struct claims){0};
	if (kind == LIVING_ABSENT)
		return;
	if (kind == LIVING_STALE) {
		modified = v->serve->timeline->start_ns;
		tag = 1;
	} else if (kind == LIVING_NOW) {
		modified = v->seen.at_ns;
		tag = v->noise;
	}
	http_date(modified, ret->modified);
	/* Noise varies the bytes of one version: such a tag must be weak (RFC 9110, 8.8.1). */
	(void)snprintf(ret->etag, sizeof ret->etag, "%s\"%lu-%llx%s\"",
		v->model->params.noise ? "W/" : "", (unsigned long)v->resource,
		(unsigned long long)tag, v->telling.variant);
}

/* Weak comparison with each tag of the list. */
static bool lists_tag(const char *list, const char *etag)
{
	const char *opaque = etag[0] == 'W' ? etag + 2 : etag;

	return strcmp(list, "*") == 0 || strstr(list, opaque) != NULL;
}

/* Whether a date is not before another: the year first, then as strptime reads them. */
static bool not_before(const char *date, const char *modified)
{
	static const char FORM[] = "%a, %d %b %Y %H:%M:%S GMT";
	struct tm a = {0}, b = {0};

	if (!strptime(date, FORM, &a) || !strptime(modified, FORM, &b))
		return false;
	return timegm(&a) >= timegm(&b);
}

/* RFC 9110, 13.2.2: the tag counts where there is one. */
static bool is_unmodified(const struct visit *v, const struct claims *c)
{
	const char *tags = httpd_request_field(v->request, "If-None-Match");
	const char *since = httpd_request_field(v->request, "If-Modified-Since");

	if (tags)
		return c->etag[0] && lists_tag(tags, c->etag);
	return since && c->modified[0] && not_before(since, c->modified);
}

/* Replaces what was seen by what is to be shown. rc is that of the look, and is given back. */
static int bend(struct visit *v, int rc)
{
	struct telling *t = &v->telling;
	struct change_cursor past;

	v->looked = true;
	v->version = v->seen.version;
	t->now_ns = v->seen.at_ns;
	lies_bend(&v->serve->lies, t);
	v->noise = t->noise;
	if (t->shown_ns != t->now_ns) {
		past = lies_past(&v->serve->lies, v->resource, t->shown_ns);
		v->seen.version = past.version;
		v->seen.changed_ns = v->serve->timeline->start_ns + past.at_ns;
	}
	return rc;
}

/* Links of the page; of a listing those to what is there, seen at the same instant. */
static int look(struct visit *v, struct u32_vec *links)
{
	struct living_place p = living_place_of(v->model, v->resource);
	const struct layout *layout = &v->model->layout;
	bool listing = !p.requisite && layout->listing && layout->listing[p.page];
	struct sighting *seen;
	size_t kept = 0;
	int rc = 0;

	if (!p.requisite)
		rc = layout_links(layout, p.page, links);
	if (rc)
		return rc;
	if (!listing)
		return bend(v, timeline_look(v->serve->timeline, &v->resource, 1, true, &v->seen));
	rc = u32_vec_push(links, p.page);
	seen = rc == 0 ? calloc(links->len, sizeof *seen) : NULL;
	if (!seen)
		return ERR_NOMEM;
	/* A history has one host: page numbers are numbers of resources. */
	rc = timeline_look(v->serve->timeline, links->ptr, links->len, false, seen);
	v->seen = seen[--links->len];
	rc = bend(v, rc);
	for (size_t i = 0; i < links->len && v->telling.shown_ns != v->telling.now_ns; i++)
		seen[i].version =
			lies_past(&v->serve->lies, links->ptr[i], v->telling.shown_ns).version;
	for (size_t i = 0; i < links->len; i++)
		if (seen[i].version != LIVING_GONE)
			links->ptr[kept++] = links->ptr[i];
	links->len = kept;
	free(seen);
	return rc;
}

static void answer_page(struct visit *v, const struct u32_vec *links)
{
	struct httpd_response *r = v->response;
	struct page_view view = {
		.model = v->model,
		.resource = v->resource,
		.version = v->seen.version,
		.port = v->request->port,
		.links = links,
		.now_ns = v->telling.rendered_ns,
		.noise = v->noise,
		.variant = v->telling.variant[0] ? v->telling.variant : NULL,
		.shell = v->telling.shell,
	};
	struct claims claims;
	int rc;

	make_claims(v, &claims);
	r->status = STATUS_OK;
	if (claims.modified[0]) {
		httpd_header(r, "Last-Modified", claims.modified);
		httpd_header(r, "ETag", claims.etag);
	}
	if (is_unmodified(v, &claims)) {
		r->status = STATUS_NOT_MODIFIED;
		v->telling.content = "-";
		return;
	}
	if (v->telling.shell == LIVING_SHELL_FETCH && !v->data)
		v->telling.content = "shell";
	httpd_header(r, "Content-Type",
		v->data ? "application/json" : page_media_type(v->model, v->resource));
	rc = v->data ? page_write_data(&view, &r->body) : page_write(&view, &r->body);
	if (rc)
		answer_text(r, STATUS_ERROR, "Out of memory");
}

static void answer_redirect(struct visit *v, unsigned status)
{
	uint32_t target = living_redirect_target(v->model, v->resource, v->seen.version);
	struct buf path;

	buf_init(&path, LOCATION_MAX);
	if (living_path_of(v->model, target, &path)) {
		answer_text(v->response, STATUS_ERROR, "Out of memory");
	} else {
		answer_text(v->response, status, "Moved");
		httpd_header(v->response, "Location", buf_str(&path));
	}
	buf_release(&path);
}

static void answer_busy(struct visit *v)
{
	char seconds[16];

	(void)snprintf(seconds, sizeof seconds, "%d", (int)LIVING_BUSY_RETRY_SECONDS);
	answer_text(v->response, STATUS_BUSY, "Busy");
	httpd_header(v->response, "Retry-After", seconds);
}

/* What a resource does instead of answering with its content; false when it does nothing. */
static bool misbehave(struct visit *v)
{
	enum living_behaviour behaviour = v->model->behaviours[v->resource];

	switch (behaviour) {
	case LIVING_NOT_FOUND:
		answer_text(v->response, STATUS_NOT_FOUND, "Not found");
		return true;
	case LIVING_ERROR:
		answer_text(v->response, STATUS_ERROR, "Internal server error");
		return true;
	case LIVING_BUSY:
		if (v->seen.asked >= LIVING_BUSY_REQUESTS)
			return false;
		answer_busy(v);
		return true;
	case LIVING_RESET_ONCE:
	case LIVING_RESET:
		if (behaviour == LIVING_RESET_ONCE && v->seen.asked > 0)
			return false;
		v->response->end = HTTPD_RESET;
		v->response->status = STATUS_OK;
		return true;
	case LIVING_MOVED:
		answer_redirect(v, STATUS_MOVED);
		return true;
	case LIVING_FOUND:
	case LIVING_MOVING:
		answer_redirect(v, STATUS_FOUND);
		return true;
	default:
		return false;
	}
}

/* What happens to a good answer on its way. */
static void delay(const struct visit *v)
{
	int64_t ns = (int64_t)(v->model->params.slow_seconds * (double)CLOCK_NS_PER_SECOND);
	enum living_behaviour b = v->model->behaviours[v->resource];

	if (b == LIVING_TRUNCATED)
		v->response->end = HTTPD_TRUNCATED;
	else if (b == LIVING_SLOW)
		v->response->wait_ns = ns;
	else if (b == LIVING_SLOW_BODY)
		v->response->pause_ns = ns;
}

static void answer_resource(struct visit *v)
{
	struct u32_vec links = {0};

	v->telling.resource = v->resource;
	if (lies_refuse(&v->serve->lies, &v->telling))
		return;
	if (look(v, &links)) {
		answer_text(v->response, STATUS_ERROR, "The truth cannot be logged any more");
	} else if (v->seen.version == LIVING_GONE) {
		answer_text(v->response, STATUS_NOT_FOUND, "Not found");
	} else if (!misbehave(v)) {
		answer_page(v, &links);
		delay(v);
	}
	u32_vec_release(&links);
}

static void answer_document(
	struct serve *s, const struct httpd_request *q, size_t host, struct httpd_response *r)
{
	const char *authority = httpd_request_field(q, "Host");
	struct documents d = {
		.timeline = s->timeline,
		.host = host,
		.authority = slice_str(authority ? authority : ""),
	};
	const char *type;
	int rc = documents_write(&d, q->path, &r->body, &type);

	if (rc == ERR_NOTFOUND) {
		answer_text(r, STATUS_NOT_FOUND, "Not found");
	} else if (rc) {
		answer_text(r, STATUS_ERROR, err_name(rc));
	} else {
		r->status = STATUS_OK;
		httpd_header(r, "Content-Type", type);
	}
}

/* What was shown of a resource that answers in its own way. */
static const char *content_of(const struct visit *v)
{
	enum living_behaviour b =
		v->looked ? (enum living_behaviour)v->model->behaviours[v->resource] : LIVING_OK;

	if (v->telling.content)
		return v->telling.content;
	if (!v->looked || v->response->status >= STATUS_ERROR || v->response->end == HTTPD_RESET)
		return "-";
	return b == LIVING_NOT_FOUND ? "gone" : NULL;
}

/* Under the same names as in the log of the truth, where it is a resource. */
static int log_response(struct visit *v, uint64_t number)
{
	bool is_page = v->looked && v->response->status == STATUS_OK && !v->data &&
		       v->response->end != HTTPD_RESET;
	struct served_line line = {
		.at_ns = v->looked ? v->seen.at_ns : clock_realtime(v->serve->timeline->clock),
		.number = number,
		.path = v->request->path,
		.status = v->response->end == HTTPD_RESET ? 0 : v->response->status,
		.content = content_of(v),
		.shown = v->seen.version,
		.variant = v->telling.variant,
		.version = v->version,
		.no_resource = !v->looked,
		.lies = v->telling.acted,
		.noise = is_page ? noise_of(v->model, v->resource) : 0,
	};
	char host[HOST_SIZE];
	struct buf path;
	int rc = 0;

	buf_init(&path, LOCATION_MAX);
	(void)snprintf(host, sizeof host, "%.*s", slice_shown(v->request->host, HOST_SIZE - 1),
		v->request->host.ptr);
	line.host = host;
	line.shown_ns = v->looked ? v->telling.shown_ns : line.at_ns;
	if (v->telling.shell)
		line.noise = noise_of_head(line.noise);
	if (v->found && !v->data) {
		rc = living_path_of(v->model, v->resource, &path);
		line.path = buf_slice(&path);
		line.host = living_host_of(v->model, v->resource);
	}
	if (rc == 0)
		rc = served_write(&v->serve->served, &line);
	buf_release(&path);
	return rc;
}

static bool find_resource(struct visit *v)
{
	const struct httpd_request *q = v->request;

	v->found = living_find(v->model, q->host, q->target, &v->resource);
	if (!v->found)
		v->found = v->data = lies_find_data(v->model, q->host, q->path, &v->resource);
	return v->found;
}

static void answer(struct visit *v)
{
	const struct httpd_request *q = v->request;
	struct httpd_response *r = v->response;
	size_t host = 0;

	if (!slice_eq(q->method, SLICE("GET")) && !slice_eq(q->method, SLICE("HEAD"))) {
		answer_text(r, STATUS_NO_METHOD, "Method not allowed");
		httpd_header(r, "Allow", "GET, HEAD");
	} else if (find_resource(v)) {
		answer_resource(v);
	} else if (lies_answer_extra(&v->serve->lies, &v->telling)) {
		r->status = STATUS_OK;
	} else if (living_is_cdn(v->model, q->host)) {
		answer_text(r, STATUS_NOT_FOUND, "Not found");
	} else if (!living_find_host(v->model, q->host, &host)) {
		answer_text(r, STATUS_NO_SUCH_SITE, "No such site here");
	} else {
		answer_document(v->serve, q, host, r);
	}
}

void serve_answer(void *context, const struct httpd_request *q, struct httpd_response *r)
{
	const struct serve_listener *listener = context;
	struct serve *s = listener->serve;
	uint64_t number = atomic_fetch_add(&s->responses, 1);
	struct visit v = {
		.serve = s,
		.model = s->timeline->model,
		.request = q,
		.response = r,
		.noise = change_mix(
			s->timeline->model->params.seed, (uint64_t)s->timeline->start_ns, number),
		.telling = {.request = q, .response = r, .listener = listener->index},
	};
	char text[FORMAT_U64_SIZE];

	v.telling.noise = v.noise;
	answer(&v);
	if (!s->served.file)
		return;
	if (log_response(&v, number)) {
		answer_text(r, STATUS_ERROR, "The responses cannot be logged any more");
		return;
	}
	(void)format_u64(number, text);
	httpd_header(r, "X-Living-Response", text);
}
