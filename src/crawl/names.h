/*
 * Where servers are, and which addresses a capture may send requests to. A lane looks up the name
 * of every server before it asks it anything: politeness is owed to addresses, too.
 *
 * The address guard keeps a capture out of networks that the public cannot see, unless its seeds
 * are there: a seed that spells out an address of one of the classes of net/address.h, or is
 * localhost or below it, opens that class to the capture. A name never does: its owner could lead
 * it anywhere, today or after resume. The set is decided once and kept in the catalog.
 */
#ifndef CRAWL_NAMES_H
#define CRAWL_NAMES_H

#include "base/api.h"
#include "base/err.h"
#include "net/address.h"
#include "url/url.h"

struct capture;
struct lane;
struct net_fetch;

/* What its settings and its seeds open to it. Before anything else is done for it. */
int names_begin(struct capture *c, struct err *err) SP_MUST_CHECK;

/* Asks for the addresses of servers that have orders waiting. */
int names_look_up(struct lane *lane, struct err *err) SP_MUST_CHECK;

/* Takes the answers that have come. Before any fetch is started. */
int names_collect(struct lane *lane, struct err *err) SP_MUST_CHECK;

/* A fetch of that host has ended: where its server is now. Behind hosts_done. */
int names_fetched(
	struct capture *c, uint32_t host, const struct net_fetch *f, struct err *err) SP_MUST_CHECK;

/* The range that keeps a URL out whose host shows its address by itself; NULL when none does. */
const struct address_range *names_forbids(const struct capture *c, const struct url *url);

#endif
