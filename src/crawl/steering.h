/*
 * --topic: which links promise pages about the topic (docs/topic.md). A link promises what its
 * text, its URL and the page that it is on say. Through pages off the topic a promise is handed on
 * for a while, as in fish and shark search (De Bra and Post, 1994; Hersovici et al., 1998), since
 * relevant pages may lie behind others. The promise is the level of a page that waits
 * (rank/order.h).
 */
#ifndef CRAWL_STEERING_H
#define CRAWL_STEERING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "base/err.h"
#include "base/slice.h"
#include "base/vec.h"
#include "catalog/catalog.h"
#include "rank/topic.h"

struct capture;
struct crawl_settings;

/* What is known of a page. */
struct steered_page {
	float handed;   /* promise that its links inherit, once it is read; else what led to it */
	float best;     /* promise of the links that lead to it */
	uint8_t misses; /* pages off the topic in a row that led to it */
};

VEC_DECLARE(steered_pages, struct steered_page);

/* Fields are steering.c's own, but for on. Zero-initialise, then steering_init. */
struct steering {
	bool on;
	struct topic topic;
	struct steered_pages pages; /* by number */
};

/* 0, ERR_SYNTAX for a topic that cannot be read, ERR_NOMEM. */
int steering_init(
	struct steering *s, const struct crawl_settings *settings, struct err *err) SP_MUST_CHECK;
void steering_release(struct steering *s);

/* The visit of a page was read, with its text; before its links are. Stores whether it is on the
 * topic. */
int steering_page(struct capture *c, uint32_t page, struct err *err) SP_MUST_CHECK;

/* It links to that URL, which has been discovered; near is the text of the link. */
int steering_link(
	struct capture *c, uint32_t from, slice url, slice near, struct err *err) SP_MUST_CHECK;

/* The level of a page that begins to wait: what its URL promises, if no link has told yet. */
int steering_level(struct capture *c, uint32_t page, unsigned *ret, struct err *err) SP_MUST_CHECK;

/* The promise of a page, from 0 to 1. */
double steering_promise(const struct capture *c, uint32_t page);

#endif
