#include "crawl/names.h"

#include <string.h>

#include "crawl/capture.h"

/*
 * Tags of lookups: of a server its number; of a seed, with this bit, its capture's slot and, above
 * the lower 32 bits, its place among the seeds.
 */
#define SEED_TAG (UINT64_C(1) << 63)

enum { SEED_SHIFT = 32 };

/* ---- which addresses are allowed ---- */

static const unsigned PUBLIC = ADDRESS_SET(ADDRESS_PUBLIC);

/* The address that a host name contains: written out, or 127.0.0.1 for localhost. */
static bool shown_address(slice host, struct address *ret)
{
	static const struct address LOOPBACK = {ADDRESS_V4_SIZE, {127, 0, 0, 1}};

	if (!address_name_is_local(host))
		return address_parse(host, ret);
	*ret = LOOPBACK;
	return true;
}

/*
 * A seed with an address allows the class of that address. A name allows nothing, since its owner
 * could lead it anywhere; it is only looked up.
 */
static int begin_seed(
	struct capture *c, size_t number, const struct url *seed, bool decide, struct err *err)
{
	slice host = url_part(seed, seed->host);
	struct address a;

	if (shown_address(host, &a)) {
		if (decide)
			c->allowed |= ADDRESS_SET(address_range(&a)->class);
		return 0;
	}
	if (c->allowed == ADDRESS_ALL)
		return 0;
	return net_lookup(
		c->lane->net, host, SEED_TAG | (uint64_t)number << SEED_SHIFT | c->slot, err);
}

/* Decided once for a capture, and kept in the catalog. */
int names_begin(struct capture *c, struct err *err)
{
	bool decide = c->row.addresses == CATALOG_NO_ADDRESSES;
	struct url seed;
	int rc = 0;

	url_init(&seed);
	if (decide)
		c->allowed = c->settings->allow_private ? ADDRESS_ALL : PUBLIC;
	else
		c->allowed = (unsigned)c->row.addresses | PUBLIC;
	for (size_t i = 0; rc == 0 && i < c->settings->seeds.len; i++) {
		rc = url_parse(&seed, slice_str(c->settings->seeds.ptr[i]), NULL, err);
		if (rc == 0)
			rc = begin_seed(c, i, &seed, decide, err);
	}
	url_release(&seed);
	if (rc || !decide)
		return rc;
	c->row.addresses = c->allowed;
	return capture_store_row(c, err);
}

/* The guard refuses each request to it; this tells the user what to do. */
static void check_seed(struct capture *c, const struct net_lookup *l)
{
	size_t number = (l->tag & ~SEED_TAG) >> SEED_SHIFT;
	char reason[200] = "forbidden: ";
	struct address a;

	if (l->failure != NET_FAILURE_NONE || (l->classes & c->allowed) ||
		!address_parse(slice_str(l->ip), &a))
		return;
	address_explain(&a, reason + strlen(reason), sizeof reason - strlen(reason));
	capture_problem(c, slice_str(c->settings->seeds.ptr[number]), reason,
		"if it is your own, crawl it with --allow-private");
}

const struct address_range *names_forbids(const struct capture *c, const struct url *url)
{
	struct address a;

	if (!shown_address(url_part(url, url->host), &a) || address_is_allowed(&a, c->allowed))
		return NULL;
	return address_range(&a);
}

/* ---- where servers are ---- */

/* A server's name without its port. */
static slice host_of(slice name)
{
	size_t at = name.len;

	while (at > 0 && name.ptr[at - 1] != ':' && name.ptr[at - 1] != ']')
		at--;
	return at > 0 && name.ptr[at - 1] == ':' ? slice_sub(name, 0, at - 1) : name;
}

int names_look_up(struct lane *lane, struct err *err)
{
	uint32_t server;
	int rc = 0;

	while (rc == 0 && servers_take_unresolved(&lane->servers, &server))
		rc = net_lookup(
			lane->net, host_of(servers_name(&lane->servers, server)), server, err);
	return rc;
}

static int resolve(struct lane *lane, uint32_t server, const struct net_lookup *l, struct err *err)
{
	slice host = host_of(servers_name(&lane->servers, server));
	int rc = servers_set_address(&lane->servers, server, slice_str(l->ip));

	if (rc)
		return err_code(err, rc);
	return l->records.len > 0 ? store_lookup(&lane->store, host, l, err) : 0;
}

int names_collect(struct lane *lane, struct err *err)
{
	struct net_lookup *l;
	int rc = 0;

	while (rc == 0 && (l = net_next_lookup(lane->net))) {
		uint32_t number = (uint32_t)l->tag;

		if (!(l->tag & SEED_TAG))
			rc = resolve(lane, number, l, err);
		else if (lane->captures.ptr[number]) /* it may have ended */
			check_seed(lane->captures.ptr[number], l);
		net_lookup_free(l);
	}
	return rc;
}
