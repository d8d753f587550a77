#include "crawl/canaries.h"

#include "base/hash.h"
#include "base/log.h"
#include "crawl/capture.h"
#include "quality/page_kind.h"

enum {
	PICKS = 16,       /* random pages tried for a canary */
	VISITS_MIN = 100, /* small sites need their probes for noise */
	GROUP_LOOKS = 5,  /* at most, to decide about a group */
};

static const double CALM = 0.9; /* survival of a page that should not have changed */

/* Constant: groups are compared within one process only. */
static const struct hash_key GROUP_KEY = {0x5354494c4c504f49, 0x4e5443414e415259};

void canaries_release(struct canaries *k)
{
	u32_vec_release(&k->visited);
	u32_vec_release(&k->looked);
	canary_groups_release(&k->groups);
	*k = (struct canaries){0};
}

static bool is_wanted(const struct capture *c)
{
	const struct crawl_settings *s = c->settings;

	return !s->no_probes && !s->bytes_only && !s->single && c->strategy->revisits &&
	       s->time_limit <= 0 && s->max_bytes == 0 && !c->stage.cancelled;
}

/* ---- groups ---- */

/* The group of a page; 0 when it has none. */
static int group_of(const struct capture *c, uint32_t page, uint64_t *ret, struct err *err)
{
	struct buf text, directory;
	struct url url;
	int rc;

	*ret = 0;
	url_init(&url);
	buf_init(&text, URL_MAX);
	buf_init(&directory, PAGE_KIND_MAX);
	rc = pages_url(&c->pages, page, &text, err);
	if (rc == 0 && url_parse(&url, buf_slice(&text), NULL, NULL) == 0 &&
		page_kind(&url, &directory) == 0)
		*ret = hash_bytes(GROUP_KEY, buf_slice(&directory)) | 1;
	buf_release(&directory);
	buf_release(&text);
	url_release(&url);
	return rc;
}

/* NULL when there are too many, or without memory. */
static struct canary_group *find_group(struct canaries *k, uint64_t key)
{
	for (size_t i = 0; i < k->groups.len; i++)
		if (k->groups.ptr[i].key == key)
			return &k->groups.ptr[i];
	if (k->groups.len >= CANARIES_GROUPS_MAX ||
		canary_groups_push(&k->groups, (struct canary_group){.key = key}))
		return NULL;
	return &k->groups.ptr[k->groups.len - 1];
}

/* ---- which page ---- */

static bool was_looked_at(const struct canaries *k, uint32_t page)
{
	for (size_t i = 0; i < k->looked.len; i++)
		if (k->looked.ptr[i] == page)
			return true;
	return false;
}

static int is_calm(const struct capture *c, uint32_t page, bool *ret, struct err *err)
{
	struct page_prior prior;
	struct page_visit visit;
	int rc = pages_prior(&c->pages, page, &prior, err);

	if (rc == 0)
		rc = pages_visit(&c->pages, page, &visit, err);
	if (rc == 0)
		*ret = survival_at(prior.survival, capture_now(c) - visit.end) >= CALM;
	return rc;
}

/*
 * A page of the suspected group, or any that is calm. It is taken from the older half of the
 * visits: those see every change that later ones can see.
 */
static int pick(struct capture *c, uint32_t *ret_page, bool *ret_found, struct err *err)
{
	struct canaries *k = &c->canaries;
	int rc = 0;

	*ret_found = false;
	for (int i = 0; rc == 0 && !*ret_found && i < PICKS; i++) {
		uint32_t page = k->visited.ptr[rng_below(&c->rng, (k->visited.len + 1) / 2)];
		uint64_t group = 0;

		if (was_looked_at(k, page) || !c->pages.list.ptr[page].visited)
			continue;
		if (k->suspect)
			rc = group_of(c, page, &group, err);
		if (rc == 0 && !k->suspect)
			rc = is_calm(c, page, ret_found, err);
		else if (rc == 0)
			*ret_found = group == k->suspect;
		*ret_page = page;
	}
	return rc;
}

/* Looks at another page; nothing happens when there is none, or no room for it. Urgent looks may
 * take room from other probes. */
static int look(struct capture *c, bool urgent, struct err *err)
{
	struct canaries *k = &c->canaries;
	uint32_t page = 0;
	bool found = false;
	int rc = 0;

	if (k->is_out || k->visited.len == 0 || !probing_has_room(c, urgent))
		return 0;
	rc = pick(c, &page, &found, err);
	if (rc || !found) {
		k->suspect = 0;
		return rc;
	}
	rc = err_code(err, u32_vec_push(&k->looked, page));
	if (rc == 0)
		rc = probing_send_canary(c, page, &k->is_out, err);
	return rc;
}

/* ---- what it shows ---- */

/* A page of a group was judged: it has changed, or not. */
static int judge(struct capture *c, uint32_t page, bool changed, struct err *err)
{
	struct canaries *k = &c->canaries;
	struct canary_group *g;
	uint64_t key;
	int rc = group_of(c, page, &key, err);

	g = rc == 0 && key ? find_group(k, key) : NULL;
	if (!g)
		return rc;
	if (changed && g->changed == 0)
		g->changed_at = capture_now(c);
	g->seen++;
	g->changed += changed;
	if (g->changed >= 2 && 2 * g->changed >= g->seen && !g->alarmed) {
		g->alarmed = true;
		log_info("crawl", "a change touches many pages: they are visited again");
	}
	k->suspect = g->changed && !g->alarmed && g->seen < GROUP_LOOKS ? key : 0;
	return k->suspect ? look(c, true, err) : 0;
}

int canaries_before(struct capture *c, const struct attempt *a, struct page_visit *ret,
	bool *ret_has, struct err *err)
{
	const struct canaries *k = &c->canaries;

	*ret_has = true;
	if (k->is_again && slice_eq(a->purpose, SLICE("canary"))) {
		*ret = k->first;
		return 0;
	}
	*ret_has = c->pages.list.ptr[a->page].visited;
	return *ret_has ? pages_visit(&c->pages, a->page, ret, err) : 0;
}

int canaries_looked(struct capture *c, const struct attempt *a, const struct page_visit *as_visit,
	bool usable, struct err *err)
{
	struct canaries *k = &c->canaries;
	struct page_visit visit;
	bool was_again = k->is_again;
	int rc = 0;

	k->is_out = k->is_again = false;
	if (!usable || !c->pages.list.ptr[a->page].visited)
		return 0;
	rc = pages_visit(&c->pages, a->page, &visit, err);
	if (rc)
		return rc;
	if (was_again) /* two quick looks that differ are noise: they say nothing of the group */
		return page_visit_is_same(&k->first, a) ? judge(c, a->page, true, err) : 0;
	if (page_visit_is_same(&visit, a))
		return judge(c, a->page, false, err);
	if (!probing_has_room(c, true))
		return 0;
	k->first = *as_visit;
	k->is_again = true;
	rc = probing_send_canary(c, a->page, &k->is_out, err);
	k->is_again = k->is_out;
	return rc;
}

int canaries_visited(struct capture *c, const struct attempt *a, struct err *err)
{
	struct canaries *k = &c->canaries;
	int rc;

	if (!is_wanted(c) || !c->lane->reading.is_read || a->status >= 300)
		return 0;
	rc = err_code(err, u32_vec_push(&k->visited, a->page));
	if (rc || k->visited.len < VISITS_MIN)
		return rc;
	return look(c, false, err);
}

/* ---- the end of the visits ---- */

/* Visits the pages of alarmed groups again that were visited before the alarm. */
static int visit_again(struct capture *c, struct err *err)
{
	struct canaries *k = &c->canaries;
	unsigned attempts = c->settings->attempts ? c->settings->attempts : PLAN_ATTEMPTS;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < k->visited.len; i++) {
		uint32_t page = k->visited.ptr[i];
		const struct canary_group *g;
		struct page_visit visit;
		uint64_t key;

		rc = group_of(c, page, &key, err);
		g = rc == 0 && key ? find_group(k, key) : NULL;
		if (!g || !g->alarmed || !c->pages.list.ptr[page].taken ||
			fetch_is_down(c, c->pages.list.ptr[page].host))
			continue;
		rc = pages_visit(&c->pages, page, &visit, err);
		if (rc == 0 && visit.end < g->changed_at)
			rc = err_code(
				err, fetch_hold(c, &(struct request){.kind = REQUEST_AGAIN,
							   .host = c->pages.list.ptr[page].host,
							   .order = {.page = page,
								   .leg = PLAN_VISIT,
								   .attempt = attempts + 1}}));
	}
	return rc;
}

int canaries_close(struct capture *c, struct err *err)
{
	struct canaries *k = &c->canaries;
	bool has_alarm = false;
	int rc = 0;

	if (k->was_closed || !is_wanted(c))
		return 0;
	if (!k->had_last && k->visited.len >= VISITS_MIN) {
		k->had_last = true;
		rc = look(c, true, err);
		if (rc || k->is_out)
			return rc;
	}
	k->was_closed = true;
	for (size_t i = 0; i < k->groups.len; i++)
		has_alarm = has_alarm || k->groups.ptr[i].alarmed;
	return has_alarm ? visit_again(c, err) : 0;
}
