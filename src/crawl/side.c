/*
 * Requests that are no part of the plan, for robots.txt (rules.c) and sitemaps (sitemaps.c): made
 * as politely as those for pages, archived like them. A host's pages wait until its robots.txt is
 * known; the first visit waits for the sitemaps of the seeds' hosts.
 */
#include <stdlib.h>
#include <string.h>

#include "crawl/capture.h"
#include "crawl/names.h"

/* Places are used again: a robots.txt is asked for every day, for as long as a crawl takes. */
static int take_place(struct capture *c, size_t *ret)
{
	if (c->free_side) {
		*ret = c->free_side - 1;
		c->free_side = c->sides.ptr[*ret].next_free;
		return 0;
	}
	*ret = c->sides.len;
	return side_vec_push(&c->sides, (struct side){0});
}

static void free_place(struct capture *c, size_t i)
{
	c->sides.ptr[i] = (struct side){.next_free = c->free_side};
	c->free_side = i + 1;
	c->sides_open--;
}

static int hold(struct capture *c, const struct side *side)
{
	size_t place;
	uint64_t tag;
	int rc = take_place(c, &place);

	if (rc)
		return rc;
	c->sides_open++;
	tag = CAPTURE_SIDE_TAG | place;
	rc = side->first ? hosts_hold_first(&c->hosts, side->host, tag)
			 : hosts_hold(&c->hosts, side->host, tag);
	if (rc)
		free_place(c, place);
	else
		c->sides.ptr[place] = *side;
	return rc;
}

/* Finds the host and holds the request for it. */
static int hold_url(struct capture *c, const struct url *url, const struct side *side)
{
	struct side copy = *side;
	int rc = hosts_find(&c->hosts, url, &copy.host);

	if (rc == 0)
		rc = rules_reserve(c);
	if (rc)
		return rc;
	copy.url = strndup(url_page(url).ptr, url_page(url).len);
	rc = copy.url ? hold(c, &copy) : ERR_NOMEM;
	if (rc)
		free(copy.url);
	return rc;
}

int side_request(
	struct capture *c, slice text, const struct side *side, bool *ret_held, struct err *err)
{
	struct url url;
	int rc;

	*ret_held = false;
	if (c->cancelled)
		return 0;
	url_init(&url);
	rc = url_parse(&url, text, NULL, NULL);
	if (rc == 0 && !url_is_http(&url))
		rc = ERR_SYNTAX;
	if (rc == ERR_SYNTAX) {
		url_release(&url);
		return 0;
	}
	if (rc == 0)
		rc = hold_url(c, &url, side);
	url_release(&url);
	*ret_held = rc == 0;
	return rc ? err_set(err, rc, "%.*s: %s", (int)(text.len < 200 ? text.len : 200), text.ptr,
			    err_name(rc))
		  : 0;
}

int side_start(struct capture *c, size_t side, struct err *err)
{
	const struct side *s = &c->sides.ptr[side];

	hosts_started(&c->hosts, s->host);
	return capture_fetch(c, slice_str(s->url), s->host, CAPTURE_SIDE_TAG | side, err);
}

void side_drop(struct capture *c, size_t side)
{
	if (c->sides.ptr[side].kind == SIDE_ROBOTS)
		c->rules.ptr[c->sides.ptr[side].subject].asking = false;
	free(c->sides.ptr[side].url);
	free_place(c, side);
}

void side_release(struct capture *c)
{
	for (size_t i = 0; i < c->sides.len; i++)
		free(c->sides.ptr[i].url);
	side_vec_release(&c->sides);
	sitemaps_release(c);
}

bool side_location(const struct capture *c, const struct side *side, struct url *ret)
{
	slice location = reading_field(c->reading, SLICE("location"));
	struct url base;
	bool good;

	url_init(&base);
	good = location.ptr && url_parse(&base, slice_str(side->url), NULL, NULL) == 0 &&
	       url_parse(ret, location, &base, NULL) == 0 && url_is_http(ret);
	url_release(&base);
	return good;
}

/* ---- */

static int read_side(struct capture *c, const struct net_fetch *f, struct state_result *result,
	bool *ret_there, struct err *err)
{
	int rc = 0;

	buf_reset(&c->reading->body);
	*ret_there = f->status > 0;
	if (*ret_there)
		rc = reading_read(c->reading, f, READING_BODY, result, err);
	return rc;
}

/* What the server showed of itself, and what came. */
static int record(struct capture *c, const struct side *side, const struct net_fetch *f,
	struct state_result *result, struct err *err)
{
	double seconds = 0;
	bool there;
	int rc = read_side(c, f, result, &there, err);

	if (f->monotonic.sent)
		seconds = clock_seconds(f->monotonic.last_byte - f->monotonic.sent);
	hosts_done(&c->hosts, side->host, lane_now(c->lane), seconds, response_pace(f, true));
	if (rc == 0)
		rc = names_fetched(c, side->host, f, err);
	if (rc == 0)
		rc = response_side(
			c, slice_str(side->url), side->tries + 1U, f, there ? result : NULL, err);
	if (rc == 0)
		response_obey_retry_after(c, side->host, f->status);
	return rc;
}

int side_finished(struct capture *c, size_t i, const struct net_fetch *f, struct err *err)
{
	struct side side = c->sides.ptr[i];
	struct state_result result = {0};
	int rc = record(c, &side, f, &result, err);

	if (rc)
		return rc;
	free_place(c, i);
	c->asleep = false;
	if (side.kind == SIDE_PROBE)
		rc = probe_finished(c, side.host, f, err);
	else
		rc = side.kind == SIDE_ROBOTS ? rules_finished(c, &side, f, &result, err)
					      : sitemaps_finished(c, &side, f, err);
	free(side.url);
	/* A sitemap may have had 64 MiB. */
	buf_release(&c->reading->body);
	/* Rows of many large robots.txt may come in one turn of the lane. */
	if (rc == 0 && store_due(c->store) <= 0)
		rc = store_commit(c->store, err);
	return rc;
}
