/*
 * Pings: somebody says that a page is new or has changed. It is one source of announcements among
 * others (refresh/sources.h), whose worth is learned, and changes nothing but the order of looks.
 * New pages that pings name are taken at a twentieth of the site's budget, since anybody can invent
 * URLs; the others are forgotten.
 */
#include <stdlib.h>
#include <string.h>

#include "crawl/capture.h"
#include "extract/link_kind.h"

static const double NEW_SHARE = 0.05;

/* A copy for the lane. */
static int add(struct look_pings *pings, slice url)
{
	char *copy = strndup(url.ptr, url.len);
	int rc = copy ? look_pings_push(pings, copy) : ERR_NOMEM;

	if (rc)
		free(copy);
	return rc;
}

static bool waits(const struct look_pings *pings, slice url)
{
	for (size_t i = 0; i < pings->len; i++)
		if (slice_eq(slice_str(pings->ptr[i]), url))
			return true;
	return false;
}

int look_site_ping(struct look_site *site, const struct url *url)
{
	slice page = url_page(url);
	int rc = 0;

	(void)pthread_mutex_lock(&site->lock);
	if (!scope_decide(&site->scope, url, (struct scope_link){0}).in)
		rc = ERR_NOTFOUND;
	else if (!waits(&site->pings, page))
		rc = site->pings.len < LOOK_PINGS_MAX ? add(&site->pings, page) : ERR_LIMIT;
	(void)pthread_mutex_unlock(&site->lock);
	return rc;
}

int look_site_add_seed(
	struct look_site *site, const struct url *seed, enum scope_kind kind, struct err *err)
{
	int rc;

	(void)pthread_mutex_lock(&site->lock);
	rc = scope_add_seed(&site->scope, seed, kind, err);
	(void)pthread_mutex_unlock(&site->lock);
	return rc;
}

static double now_of(const struct capture *c)
{
	return clock_seconds(clock_realtime(c->clock));
}

static int take_new(struct capture *c, const struct url *url, struct err *err)
{
	struct looking *l = c->looking;

	if ((now_of(c) - l->pinged) * NEW_SHARE * l->terms.budget < 1)
		return 0;
	l->pinged = now_of(c);
	return discover(c,
		&(struct found){
			.url = url, .how = "ping", .via = CATALOG_NO_PAGE, .kind = LINK_PAGE},
		err);
}

static int hear(struct capture *c, const char *text, struct err *err)
{
	struct looking *l = c->looking;
	struct url url;
	uint32_t page;
	int rc;

	url_init(&url);
	rc = url_parse(&url, slice_str(text), NULL, NULL);
	if (rc == ERR_NOMEM)
		(void)err_code(err, rc);
	else if (rc || polling_hurry(c, url_page(&url)))
		rc = 0;
	else if (!pages_find(&c->pages, url_page(&url), &page))
		rc = take_new(c, &url, err);
	else if (c->pages.list.ptr[page].planned)
		(void)refresh_signal(l->run, page, POLL_SOURCE_PING, now_of(c));
	url_release(&url);
	l->next = 0;
	return rc;
}

int looking_hear(struct capture *c, struct err *err)
{
	struct look_site *site = c->looking->site;
	struct look_pings pings;
	int rc = 0;

	(void)pthread_mutex_lock(&site->lock);
	pings = site->pings;
	site->pings = (struct look_pings){0};
	(void)pthread_mutex_unlock(&site->lock);
	for (size_t i = 0; i < pings.len; i++) {
		if (rc == 0)
			rc = hear(c, pings.ptr[i], err);
		free(pings.ptr[i]);
	}
	look_pings_release(&pings);
	return rc;
}
