/* Sitemaps: which are known, and fetching them. */
#ifndef CRAWL_SITEMAPS_H
#define CRAWL_SITEMAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/api.h"
#include "base/seen.h"
#include "base/vec.h"
#include "crawl/requests.h"
#include "formats/url.h"

struct answer;
struct capture;
struct net_fetch;
struct state_result;

/* ---- which are known ---- */

/*
 * The sitemaps of a capture: which it has asked for, and which wait for the robots.txt of their
 * host. Each is asked for once: indexes may contain each other, or themselves.
 */

enum {
	SITEMAPS_MAX = 1000,           /* of a capture */
	SITEMAP_FOREIGN_HOSTS_MAX = 8, /* without a seed that they may lead to */
	SITEMAP_FEEDS_MAX = 32,        /* of pages under watch */
};

/* A sitemap that waits for the robots.txt of its host. */
struct waiting_sitemap {
	char *url; /* owned */
	uint32_t host;
	uint8_t redirects, nesting, source; /* as struct request */
	bool is_feed;
};

VEC_DECLARE(waiting_sitemaps, struct waiting_sitemap);

/* Fields are its own. */
struct sitemap_list {
	struct seen seen; /* asked for so far, or waiting */
	struct waiting_sitemaps waiting;
	uint32_t feeds;
	uint32_t foreign_hosts; /* without a seed that sitemaps have led to */
};

void sitemap_list_init(struct sitemap_list *l);
void sitemap_list_release(struct sitemap_list *l);

/* Whether the list is full. */
bool sitemap_list_is_full(const struct sitemap_list *l);

/* Notes a URL that is to be fetched: 0, ERR_EXISTS if it was noted before, ERR_NOMEM. */
int sitemap_list_add(struct sitemap_list *l, slice url) SP_MUST_CHECK;

/* Hosts without a seed are counted: else a list of them would make us ask everybody. */
bool sitemap_list_add_host(struct sitemap_list *l);

/* Lets a sitemap wait; its URL is copied. */
void sitemap_list_wait(struct sitemap_list *l, slice url, const struct waiting_sitemap *sitemap);

/* Takes one that waits for that host, in their order; the caller frees its URL. */
bool sitemap_list_take(struct sitemap_list *l, uint32_t host, struct waiting_sitemap *ret);

/* ---- fetching them ---- */

/*
 * The robots.txt of a host is known: asks for the sitemaps that it names, if they are wanted, and
 * for those of the host that have waited for it.
 */
int sitemaps_request(struct capture *c, uint32_t host, struct err *err) SP_MUST_CHECK;

/* The same for all hosts: the process that did is gone. */
int sitemaps_request_all(struct capture *c, struct err *err) SP_MUST_CHECK;

/* Under watch: asks for a feed, unless it was asked for before. */
int sitemaps_feed(struct capture *c, slice url, struct err *err) SP_MUST_CHECK;
int sitemaps_dropped(struct capture *c, const struct request *r, enum drop_reason reason,
	struct err *err) SP_MUST_CHECK;
int sitemaps_answered(struct capture *c, const struct answer *a, struct err *err) SP_MUST_CHECK;

#endif
