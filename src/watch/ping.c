#include "watch/ping.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "url/parameters.h"
#include "url/url.h"

/* URLs per second that are taken from all sides together, and how many at once. */
static const double PER_SECOND = 50, AT_ONCE = 500;

struct ping {
	struct httpd *httpd;
	struct look_site *sites;
	size_t count;
	pthread_mutex_t lock;
	double room, at; /* URLs that may come, at a time: seconds on the monotonic clock */
};

/* ---- reading ---- */

static int take_url(slice value, struct buf *out)
{
	size_t start = out->len;
	int rc = parameter_decode(out, value);

	if (rc)
		return rc == ERR_LIMIT ? ERR_SYNTAX : rc;
	if (out->len == start || memchr(out->ptr + start, '\n', out->len - start))
		return ERR_SYNTAX;
	return buf_add_char(out, '\n');
}

int ping_parse(slice form, struct buf *ret)
{
	bool is_hub = false, is_publish = false;
	size_t count = 0;
	int rc = 0;

	buf_reset(ret);
	while (rc == 0 && form.len) {
		slice pair = slice_take(&form, '&'), name = slice_take(&pair, '=');
		bool is_topic = slice_eq(name, SLICE("hub.url")) ||
				slice_eq(name, SLICE("hub.url[]")) ||
				slice_eq(name, SLICE("hub.topic"));

		is_hub |= is_topic;
		if (slice_eq(name, SLICE("hub.mode"))) {
			is_publish = slice_eq(pair, SLICE("publish"));
			is_hub = true;
		} else if (is_topic || slice_eq(name, SLICE("url"))) {
			rc = ++count > PING_URLS_MAX ? ERR_LIMIT : take_url(pair, ret);
		}
	}
	return rc == 0 && (count == 0 || is_hub != is_publish) ? ERR_SYNTAX : rc;
}

int ping_address(
	const char *text, char ret_address[HTTPD_ADDRESS_SIZE], uint16_t *ret_port, struct err *err)
{
	char whole[32];

	if (strspn(text, "0123456789") != strlen(text) || strlen(text) > 5)
		return httpd_address_parse(text, ret_address, ret_port, err);
	(void)snprintf(whole, sizeof whole, "127.0.0.1:%s", text);
	return httpd_address_parse(whole, ret_address, ret_port, err);
}

/* ---- answering ---- */

/* Whether so many more URLs may come now. */
static bool has_room(struct ping *p, size_t urls)
{
	double now = clock_seconds(clock_monotonic(clock_system()));
	bool is_enough;

	(void)pthread_mutex_lock(&p->lock);
	p->room = fmin(AT_ONCE, p->room + (now - p->at) * PER_SECOND);
	p->at = now;
	is_enough = p->room >= (double)urls;
	if (is_enough)
		p->room -= (double)urls;
	(void)pthread_mutex_unlock(&p->lock);
	return is_enough;
}

/* Tells all sites whose page it is: the status that this deserves. */
static unsigned tell(struct ping *p, slice text)
{
	unsigned status = 404;
	struct url url;
	int rc;

	url_init(&url);
	rc = url_parse(&url, text, NULL, NULL);
	if (rc || !url_is_http(&url))
		status = rc == ERR_NOMEM ? 500 : 400;
	for (size_t i = 0; status != 400 && status != 500 && i < p->count; i++) {
		rc = look_site_ping(&p->sites[i], &url);
		if (rc == 0)
			status = 204;
		else if (rc != ERR_NOTFOUND && status == 404)
			status = rc == ERR_LIMIT ? 429 : 500;
	}
	url_release(&url);
	return status;
}

/* One URL that is good is enough; a wrong one spoils all. */
static unsigned tell_all(struct ping *p, slice lines)
{
	unsigned status = 404;

	while (lines.len) {
		unsigned one = tell(p, slice_take(&lines, '\n'));

		if (one == 400 || one == 500)
			return one;
		if (status == 404 || one == 204)
			status = one;
	}
	return status;
}

static unsigned answer(struct ping *p, slice form)
{
	struct buf urls;
	unsigned status;
	size_t count = 0;
	int rc;

	buf_init(&urls, PING_BODY_MAX + PING_URLS_MAX + 1);
	rc = ping_parse(form, &urls);
	for (size_t i = 0; rc == 0 && i < urls.len; i++)
		count += urls.ptr[i] == '\n';
	if (rc)
		status = rc == ERR_LIMIT ? 413 : rc == ERR_SYNTAX ? 400 : 500;
	else if (!has_room(p, count))
		status = 429;
	else
		status = tell_all(p, buf_slice(&urls));
	buf_release(&urls);
	return status;
}

static void handle(void *context, const struct httpd_request *q, struct httpd_response *r)
{
	slice query = slice_sub(q->target, q->path.len + 1, q->target.len);
	bool is_post = slice_eq(q->method, SLICE("POST")),
	     is_ping = slice_eq(q->path, SLICE("/ping"));

	if (!is_ping && !slice_eq(q->path, SLICE("/")))
		r->status = 404;
	else if (!is_post && !(is_ping && slice_eq(q->method, SLICE("GET"))))
		r->status = 405;
	else if (q->body_cut || query.len > PING_BODY_MAX)
		r->status = 413;
	else
		r->status = answer(context, is_post && q->body.len > 0 ? q->body : query);
	if (r->status == 405)
		httpd_header(r, "Allow", is_ping ? "GET, POST" : "POST");
	if (r->status == 429)
		httpd_header(r, "Retry-After", "10");
}

/* ---- the endpoint ---- */

int ping_start(const struct watch_config *c, struct look_site *sites,
	const struct httpd_names *names, struct ping **ret, struct err *err)
{
	char address[HTTPD_ADDRESS_SIZE];
	struct httpd_params params = {
		.address = address, .body_max = PING_BODY_MAX, .handler = handle, .names = *names};
	struct ping *p = calloc(1, sizeof *p);
	int rc = p ? ping_address(c->ping, address, &params.port, err) : err_code(err, ERR_NOMEM);

	if (!p)
		return rc;
	(void)pthread_mutex_init(&p->lock, NULL);
	p->sites = sites;
	p->count = c->site_count;
	p->room = AT_ONCE;
	p->at = clock_seconds(clock_monotonic(clock_system()));
	params.context = p;
	if (rc == 0)
		rc = httpd_start(&params, &p->httpd, err);
	if (rc) {
		ping_stop(p);
		return rc;
	}
	if (params.port == 0)
		log_warn("watch", "pings: listening on %s, port %u", address,
			(unsigned)httpd_port(p->httpd));
	*ret = p;
	return 0;
}

void ping_stop(struct ping *p)
{
	if (!p)
		return;
	(void)httpd_stop(p->httpd);
	(void)pthread_mutex_destroy(&p->lock);
	free(p);
}
