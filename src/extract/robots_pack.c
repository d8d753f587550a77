#include <assert.h>
#include <string.h>

#include "extract/robots.h"

/* What a packed robots.txt begins with; rules, lengths of sitemaps and all octets follow. */
struct packed {
	double crawl_delay;
	uint32_t rules;
	uint32_t sitemaps;
	uint32_t octets;
	bool named;
	bool truncated;
};

struct packed_rule {
	uint32_t len;
	uint32_t line;
	bool allow;
	bool anchored;
};

static int add(struct buf *out, const void *bytes, size_t len)
{
	return buf_add(out, (slice){bytes, len});
}

static int add_rules(const struct robots *r, struct buf *out)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < r->rules.len; i++) {
		const struct robots_rule *rule = &r->rules.ptr[i];
		struct packed_rule p;

		memset(&p, 0, sizeof p);
		p.len = (uint32_t)rule->pattern.len;
		p.line = rule->line;
		p.allow = rule->allow;
		p.anchored = rule->anchored;
		rc = add(out, &p, sizeof p);
	}
	return rc;
}

static int add_octets(const struct robots *r, struct buf *out)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < r->rules.len; i++)
		rc = buf_add(out, r->rules.ptr[i].pattern);
	for (size_t i = 0; rc == 0 && i < r->sitemaps.len; i++)
		rc = buf_add(out, r->sitemaps.ptr[i]);
	return rc;
}

static uint32_t count_octets(const struct robots *r)
{
	size_t sum = 0;

	for (size_t i = 0; i < r->rules.len; i++)
		sum += r->rules.ptr[i].pattern.len;
	for (size_t i = 0; i < r->sitemaps.len; i++)
		sum += r->sitemaps.ptr[i].len;
	return (uint32_t)sum;
}

int robots_pack(const struct robots *r, struct buf *out)
{
	struct packed p;
	int rc;

	memset(&p, 0, sizeof p);
	p.crawl_delay = r->crawl_delay;
	p.rules = (uint32_t)r->rules.len;
	p.sitemaps = (uint32_t)r->sitemaps.len;
	p.octets = count_octets(r);
	p.named = r->named;
	p.truncated = r->truncated;
	rc = add(out, &p, sizeof p);
	if (rc == 0)
		rc = add_rules(r, out);
	for (size_t i = 0; rc == 0 && i < r->sitemaps.len; i++) {
		uint32_t len = (uint32_t)r->sitemaps.ptr[i].len;

		rc = add(out, &len, sizeof len);
	}
	return rc ? rc : add_octets(r, out);
}

static void take(slice *packed, void *out, size_t len)
{
	assert(packed->len >= len);
	memcpy(out, packed->ptr, len);
	*packed = slice_sub(*packed, len, packed->len);
}

static slice take_octets(slice *octets, size_t len)
{
	slice s = slice_sub(*octets, 0, len);

	*octets = slice_sub(*octets, len, octets->len);
	return s;
}

static struct robots_rule take_rule(slice *packed, slice *octets)
{
	struct packed_rule p;
	struct robots_rule rule;
	slice rest;

	take(packed, &p, sizeof p);
	rule = (struct robots_rule){
		.pattern = take_octets(octets, p.len),
		.octets = p.len + p.anchored,
		.line = p.line,
		.allow = p.allow,
		.anchored = p.anchored,
	};
	rest = rule.pattern;
	rule.plain = (uint32_t)slice_take(&rest, '*').len;
	return rule;
}

/* Room for all of it; *ret_octets is a copy of the octets in its arena. */
static int reserve(struct robots *r, const struct packed *p, slice packed, slice *ret_octets)
{
	char *copy = arena_alloc(&r->arena, p->octets + 1, 1);
	int rc = copy ? robots_rules_reserve(&r->rules, p->rules) : ERR_NOMEM;

	if (rc == 0)
		rc = slice_vec_reserve(&r->sitemaps, p->sitemaps);
	if (rc)
		return rc;
	if (p->octets)
		memcpy(copy, packed.ptr + (packed.len - p->octets), p->octets);
	*ret_octets = (slice){copy, p->octets};
	return 0;
}

int robots_unpack(struct robots *r, slice packed)
{
	struct packed p;
	slice octets;
	int rc;

	take(&packed, &p, sizeof p);
	*r = (struct robots){
		.crawl_delay = p.crawl_delay, .named = p.named, .truncated = p.truncated};
	arena_init_small(&r->arena, ROBOTS_MEMORY_MAX);
	rc = reserve(r, &p, packed, &octets);
	if (rc) {
		robots_release(r);
		return rc;
	}
	for (uint32_t i = 0; i < p.rules; i++)
		r->rules.ptr[r->rules.len++] = take_rule(&packed, &octets);
	for (uint32_t i = 0; i < p.sitemaps; i++) {
		uint32_t len;

		take(&packed, &len, sizeof len);
		r->sitemaps.ptr[r->sitemaps.len++] = take_octets(&octets, len);
	}
	return 0;
}

size_t robots_size(const struct robots *r)
{
	return sizeof *r + r->rules.cap * sizeof r->rules.ptr[0] +
	       r->sitemaps.cap * sizeof r->sitemaps.ptr[0] + r->arena.held;
}
