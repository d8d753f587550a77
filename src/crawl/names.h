/*
 * The addresses of servers, and which addresses a capture may send requests to. A lane looks up the
 * name of every server before the first request to it: politeness is owed to addresses, too.
 *
 * The address guard keeps a capture out of private networks, unless its seeds are there. A seed
 * that contains an address of one of the classes of net/address.h, or is localhost or below it,
 * allows that class for the capture. Any other name allows nothing: its owner could lead it
 * anywhere, now or after resume. The set is decided once and kept in the catalog.
 */
#ifndef CRAWL_NAMES_H
#define CRAWL_NAMES_H

#include "base/api.h"
#include "base/err.h"
#include "net/address.h"
#include "url/url.h"

struct capture;
struct lane;

/* Decides which addresses the capture may use. Call it before anything else. */
int names_begin(struct capture *c, struct err *err) SP_MUST_CHECK;

/* Asks for the addresses of servers that have orders waiting. */
int names_look_up(struct lane *lane, struct err *err) SP_MUST_CHECK;

/* Takes the answers that have come. Before any fetch is started. */
int names_collect(struct lane *lane, struct err *err) SP_MUST_CHECK;

/* The range that forbids a URL whose host contains an address; NULL if it is allowed. */
const struct address_range *names_forbids(const struct capture *c, const struct url *url);

#endif
