#include "quality/farm.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/word.h"
#include "extract/deceit.h"
#include "quality/link_graph.h"
#include "url/domain.h"

enum {
	OWNERS_MAX = 4096, /* more of them are no farm that anybody could see through */
	PAGE_PARTNERS = 3,
};

struct farms {
	struct report *report;
	struct link_graph links;
	struct strmap owners; /* name to number */
	uint32_t *owner;      /* by page of the graph */
	bool *both;           /* by pair of owners: they link to each other */
	double *share;        /* by owner */
};

/* What stands between "://" and the next "/". */
static slice authority_of(slice url)
{
	const char *from = url.len ? memmem(url.ptr, url.len, "://", 3) : NULL;
	slice rest = from ? slice_sub(url, (size_t)(from - url.ptr) + 3, url.len) : url;

	return rest.len ? slice_take(&rest, '/') : rest;
}

static slice owner_of(slice url)
{
	slice authority = authority_of(url), host = authority, domain;

	if (!host.len)
		return host;
	host = slice_take(&host, ':');
	if (!host.len || host.ptr[0] == '[' || word_is_digit(host.ptr[host.len - 1]))
		return authority; /* an address */
	domain = url_registrable_domain(host);
	return domain.len ? domain : authority;
}

/* Whether there are enough hosts for a farm: most captures have one. */
static bool has_hosts(const struct report *r)
{
	slice seen[FARM_PARTNERS];
	size_t count = 0;

	for (size_t i = 0; i < r->pages.len; i++) {
		slice host = authority_of(r->pages.ptr[i].url);
		size_t k = 0;

		if (!verdict_is_captured((enum verdict)r->pages.ptr[i].verdict))
			continue;
		while (k < count && !slice_eq(seen[k], host))
			k++;
		if (k < count)
			continue;
		if (count == FARM_PARTNERS)
			return true;
		seen[count++] = host;
	}
	return false;
}

static int number_owners(struct farms *f)
{
	size_t n = f->links.pages.len;
	int rc = 0;

	f->owner = calloc(n + 1, sizeof *f->owner);
	if (!f->owner)
		return ERR_NOMEM;
	for (size_t i = 0; rc == 0 && i < n; i++) {
		slice name = owner_of(f->report->pages.ptr[f->links.pages.ptr[i]].url);

		if (strmap_get(&f->owners, name, &f->owner[i]))
			continue;
		f->owner[i] = (uint32_t)f->owners.len;
		rc = strmap_put(&f->owners, name, f->owner[i]);
	}
	return rc;
}

/* First who links to whom, then both ways. */
static int find_pairs(struct farms *f)
{
	size_t count = f->owners.len;
	bool *to = calloc(count * count + 1, sizeof *to);

	f->both = calloc(count * count + 1, sizeof *f->both);
	f->share = calloc(count + 1, sizeof *f->share);
	if (!to || !f->both || !f->share) {
		free(to);
		return ERR_NOMEM;
	}
	for (size_t i = 0; i < f->links.pages.len; i++)
		for (size_t k = f->links.graph.out.from[i]; k < f->links.graph.out.from[i + 1]; k++)
			to[f->owner[i] * count + f->owner[f->links.graph.out.to[k]]] = true;
	for (size_t a = 0; a < count; a++)
		for (size_t b = 0; b < count; b++)
			f->both[a * count + b] = a != b && to[a * count + b] && to[b * count + a];
	free(to);
	return 0;
}

/* How much of a clique an owner and its partners are. */
static double clique(const struct farms *f, size_t owner)
{
	const bool *mine = &f->both[owner * f->owners.len];
	size_t partners = 0, pairs = 0;

	for (size_t a = 0; a < f->owners.len; a++) {
		if (!mine[a])
			continue;
		partners++;
		for (size_t b = 0; b < f->owners.len; b++)
			pairs += mine[b] && f->both[a * f->owners.len + b];
	}
	return partners < FARM_PARTNERS
		       ? 0
		       : (double)pairs / ((double)partners * (double)(partners - 1));
}

/* Owners of the pages that a page links to, of those that link back. */
static bool takes_part(const struct farms *f, size_t page)
{
	const struct rank_links *out = &f->links.graph.out;
	const bool *mine = &f->both[f->owner[page] * f->owners.len];
	uint32_t seen[PAGE_PARTNERS];
	size_t count = 0;

	for (size_t i = out->from[page]; i < out->from[page + 1] && count < PAGE_PARTNERS; i++) {
		uint32_t owner = f->owner[out->to[i]];
		size_t k = 0;

		while (k < count && seen[k] != owner)
			k++;
		if (mine[owner] && k == count)
			seen[count++] = owner;
	}
	return count == PAGE_PARTNERS;
}

static int mark(struct report *r, struct report_page *p, double share)
{
	char line[DECEIT_LINE_SIZE];
	struct deceit_signs s;

	(void)deceit_read(p->deceit, &s);
	s.farm = share;
	if (s.entropy <= 0) /* nothing was told of its words */
		s.entropy = 1;
	s.score = deceit_score(&s);
	deceit_write(&s, line);
	p->deceit = (slice){arena_strdup(&r->arena, slice_str(line)), strlen(line)};
	return p->deceit.ptr ? 0 : ERR_NOMEM;
}

static int mark_pages(struct farms *f)
{
	int rc = 0;

	for (size_t i = 0; i < f->owners.len; i++)
		f->share[i] = clique(f, i);
	for (size_t i = 0; rc == 0 && i < f->links.pages.len; i++)
		if (f->share[f->owner[i]] > 0 && takes_part(f, i))
			rc = mark(f->report, &f->report->pages.ptr[f->links.pages.ptr[i]],
				f->share[f->owner[i]]);
	return rc;
}

int farm_find(struct report *r, struct catalog *catalog, struct err *err)
{
	struct farms f = {.report = r};
	int rc;

	if (!has_hosts(r))
		return 0;
	strmap_init(&f.owners, hash_key_random(), NULL);
	rc = link_graph_load(&f.links, r, catalog, err);
	if (rc == 0)
		rc = number_owners(&f);
	if (rc == 0 && f.owners.len > FARM_PARTNERS && f.owners.len <= OWNERS_MAX) {
		rc = find_pairs(&f);
		if (rc == 0)
			rc = mark_pages(&f);
	}
	link_graph_release(&f.links);
	strmap_release(&f.owners);
	free(f.owner);
	free(f.both);
	free(f.share);
	return err_code(err, rc);
}
