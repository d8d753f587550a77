#include "crawl/probing.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/word.h"
#include "crawl/capture.h"
#include "crawl/response.h"
#include "formats/robots.h"
#include "proof/learning.h"
#include "proof/legs.h"
#include "proof/originals.h"
#include "proof/page_kind.h"
#include "proof/pair.h"

/* ---- canaries ---- */

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

static bool canaries_are_wanted(const struct capture *c)
{
	const struct crawl_settings *s = c->settings;

	return !s->no_probes && !s->bytes_only && !s->single && c->strategy->revisits &&
	       s->time_limit <= 0 && s->max_bytes == 0 && !c->stage.cancelled;
}

/* ---- groups ---- */

/* The group of a page; 0 when it has none. */
static int group_of(const struct capture *c, uint32_t page, uint64_t *ret, struct err *err)
{
	BUF_SCOPED(text, URL_MAX);
	BUF_SCOPED(directory, PAGE_KIND_MAX);
	URL_SCOPED(url);

	*ret = 0;
	TRY(pages_url(&c->pages, page, &text, err));
	if (url_parse(&url, buf_slice(&text), NULL, NULL) == 0 && page_kind(&url, &directory) == 0)
		*ret = hash_bytes(GROUP_KEY, buf_slice(&directory)) | 1;
	return 0;
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

	TRY(pages_prior(&c->pages, page, &prior, err));
	TRY(pages_visit(&c->pages, page, &visit, err));
	*ret = survival_at(prior.survival, capture_now(c) - visit.end) >= CALM;
	return 0;
}

/*
 * A page of the suspected group, or any that is calm. It is taken from the older half of the
 * visits: those see every change that later ones can see.
 */
static int pick(struct capture *c, uint32_t *ret_page, bool *ret_found, struct err *err)
{
	struct canaries *k = &c->canaries;

	*ret_found = false;
	for (int i = 0; !*ret_found && i < PICKS; i++) {
		uint32_t page = k->visited.ptr[rng_below(&c->rng, (k->visited.len + 1) / 2)];
		uint64_t group = 0;

		if (was_looked_at(k, page) || !c->pages.list.ptr[page].visited)
			continue;
		if (k->suspect)
			TRY(group_of(c, page, &group, err));
		if (!k->suspect)
			TRY(is_calm(c, page, ret_found, err));
		else
			*ret_found = group == k->suspect;
		*ret_page = page;
	}
	return 0;
}

static bool probing_has_room(const struct capture *c, bool urgent);

static SP_MUST_CHECK int probing_send_canary(
	struct capture *c, uint32_t page, bool *ret_sent, struct err *err);

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
static int judge_canary(struct capture *c, uint32_t page, bool changed, struct err *err)
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
	if (k->is_again && attempt_purpose(a) == PURPOSE_CANARY) {
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

	k->is_out = k->is_again = false;
	if (!usable || !c->pages.list.ptr[a->page].visited)
		return 0;
	TRY(pages_visit(&c->pages, a->page, &visit, err));
	if (was_again) /* two quick looks that differ are noise: they say nothing of the group */
		return page_visit_is_same(&k->first, a) ? judge_canary(c, a->page, true, err) : 0;
	if (page_visit_is_same(&visit, a))
		return judge_canary(c, a->page, false, err);
	if (!probing_has_room(c, true))
		return 0;
	k->first = *as_visit;
	k->is_again = true;
	TRY(probing_send_canary(c, a->page, &k->is_out, err));
	k->is_again = k->is_out;
	return 0;
}

int canaries_visited(struct capture *c, const struct arrival *p, struct err *err)
{
	struct canaries *k = &c->canaries;

	if (!canaries_are_wanted(c) || !p->reading->is_read || p->a.status >= 300)
		return 0;
	u32_vec_push(&k->visited, p->a.page);
	if (k->visited.len < VISITS_MIN)
		return 0;
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

	if (k->was_closed || !canaries_are_wanted(c) || c->requests.unplanned > 0)
		return 0;
	if (!k->had_last && k->visited.len >= VISITS_MIN) {
		k->had_last = true;
		TRY(look(c, true, err));
		if (k->is_out)
			return 0;
	}
	k->was_closed = true;
	for (size_t i = 0; i < k->groups.len; i++)
		has_alarm = has_alarm || k->groups.ptr[i].alarmed;
	return has_alarm ? visit_again(c, err) : 0;
}

/* ---- probes ---- */

enum {
	KIND_PAGES = 16,       /* that are probed for noise */
	NOISE_PROBES = 2,      /* of each: with the revisit three downloads */
	NO_NOISE_PERCENT = 20, /* more for each kind of variants while no page differs */
};

/* Constant: kinds are compared within one process only, but tests want the same ones. */
static const struct hash_key KIND_KEY = {0x5354494c4c504f49, 0x4e542d4b494e4453};

/* What part of all probes a purpose may take, in percent, and how many it may in any case. */
static const struct {
	unsigned percent, min;
} SHARES[PURPOSES] = {
	[PURPOSE_NOISE] = {65, 4},
	[PURPOSE_VARIANT] = {30, 1},
	[PURPOSE_CANARY] = {20, 0},
};

void probing_release(struct probing *p)
{
	probing_kinds_release(&p->kinds);
	*p = (struct probing){0};
}

/* ---- how many ---- */

static uint64_t budget(const struct probing *p)
{
	uint64_t part = p->requests * PROBING_PERCENT / 100;

	return part > PROBING_MIN ? part : PROBING_MIN;
}

static uint64_t used(const struct probing *p)
{
	return (uint64_t)p->counts[PURPOSE_NOISE] + p->counts[PURPOSE_VARIANT] +
	       p->counts[PURPOSE_CANARY];
}

/* What nobody needs for noise goes to the others. */
static unsigned percent_of(const struct capture *c, enum attempt_purpose purpose)
{
	const struct probing *p = &c->probing;
	unsigned percent = SHARES[purpose].percent;

	if (purpose == PURPOSE_NOISE || purpose == PURPOSE_CANARY)
		return percent;
	if (p->counts[PURPOSE_NOISE] == 0)
		percent += NO_NOISE_PERCENT;
	return percent;
}

static bool has_room(const struct capture *c, enum attempt_purpose purpose)
{
	const struct probing *p = &c->probing;
	uint64_t own = budget(p) * percent_of(c, purpose) / 100;

	if (own < SHARES[purpose].min)
		own = SHARES[purpose].min;
	return p->counts[purpose] < own && used(p) < budget(p);
}

static bool probes_are_wanted(const struct capture *c)
{
	return !c->settings->no_probes && !c->settings->bytes_only && !c->stage.cancelled;
}

/* ---- sending ---- */

static int send(
	struct capture *c, uint32_t page, enum attempt_purpose purpose, bool first, struct err *err)
{
	struct probing *p = &c->probing;
	struct request r = {
		.kind = REQUEST_LOOK,
		.purpose = purpose,
		.host = c->pages.list.ptr[page].host,
		.order = {.page = page, .attempt = p->number + 1},
		.first = first,
	};

	/* What a form was asked for is asked twice, and no more. */
	if (fetch_is_down(c, r.host) || c->pages.list.ptr[page].kind == LINK_FORM)
		return 0;
	TRY(err_code(err, fetch_hold(c, &r)));
	p->number++;
	p->counts[purpose]++;
	return 0;
}

static bool probing_has_room(const struct capture *c, bool urgent)
{
	if (urgent)
		return used(&c->probing) < budget(&c->probing);
	return has_room(c, PURPOSE_CANARY);
}

/* Few, and what all other looks rest on: whatever the budget. */
int probing_send_session(struct capture *c, uint32_t page, bool *ret_sent, struct err *err)
{
	uint32_t before = c->probing.number;

	if (probes_are_wanted(c))
		TRY(send(c, page, PURPOSE_SESSION, true, err));
	*ret_sent = c->probing.number > before;
	return 0;
}

static SP_MUST_CHECK int probing_send_canary(
	struct capture *c, uint32_t page, bool *ret_sent, struct err *err)
{
	uint32_t before = c->probing.number;

	TRY(send(c, page, PURPOSE_CANARY, true, err));
	*ret_sent = c->probing.number > before;
	return 0;
}

int probing_check(struct capture *c, size_t place, bool *ret_send, struct err *err)
{
	const struct request *r = &c->requests.list.ptr[place];

	(void)err;
	*ret_send = c->pages.list.ptr[r->order.page].taken && !c->stage.cancelled &&
		    !fetch_is_down(c, r->host) && !robots_fetch_is_stale(c, r->host) &&
		    (r->kind != REQUEST_AGAIN || cookie_gate_allows(c, &r->order));
	if (*ret_send)
		return 0;
	hosts_undo(&c->hosts, r->host);
	if (r->purpose == PURPOSE_CANARY)
		c->canaries.is_out = c->canaries.is_again = false;
	if (r->purpose == PURPOSE_SESSION)
		sessions_dropped(c);
	requests_free(&c->requests, place);
	STAGE_SET(c, asleep, false);
	return 0;
}

/* ---- which pages ---- */

/* The entry of a kind; NULL when there are too many of them, or without memory. */
static struct probing_kind *entry_of(struct probing *p, uint64_t kind)
{
	for (size_t i = 0; i < p->kinds.len; i++)
		if (p->kinds.ptr[i].kind == kind)
			return &p->kinds.ptr[i];
	if (p->kinds.len >= PROBING_KINDS_MAX ||
		probing_kinds_push(&p->kinds, (struct probing_kind){.kind = kind}))
		return NULL;
	return &p->kinds.ptr[p->kinds.len - 1];
}

/* Text, links and structure are never learned: probes would show nothing. */
static bool may_be_noise(slice rules)
{
	static const slice NEVER[] = {
		SLICE_INIT("text"), SLICE_INIT("links"), SLICE_INIT("structure")};
	slice left = pair_changed_in(rules), word;

	while (word_next(&left, ',', &word))
		for (size_t i = 0; i < sizeof NEVER / sizeof NEVER[0]; i++)
			if (slice_eq(word, NEVER[i]))
				return false;
	return !pair_has_duties(rules);
}

static int probe_noise(struct capture *c, const struct attempt *a, struct err *err)
{
	struct probing_kind *k;
	uint64_t kind = 0;

	if (may_be_noise(a->rules)) {
		URL_SCOPED(parsed);
		BUF_SCOPED(text, PAGE_KIND_MAX);
		int rc;

		/* The kind of a page, and in what it differs; 0 when it cannot be told. */
		kind = 0;
		rc = url_parse(&parsed, a->url, NULL, NULL);
		if (rc == 0)
			rc = page_kind(&parsed, &text);
		if (rc == 0)
			kind = (hash_bytes(KIND_KEY, buf_slice(&text)) ^
				       hash_bytes(KIND_KEY, a->rules)) |
			       1;
		TRY(rc == ERR_NOMEM ? rc : 0);
	}
	if (kind == 0)
		return 0;
	k = entry_of(&c->probing, kind);
	if (!k || k->pages >= KIND_PAGES || !has_room(c, PURPOSE_NOISE))
		return 0;
	k->pages++;
	for (int i = 0; i < NOISE_PROBES; i++)
		TRY(send(c, a->page, PURPOSE_NOISE, true, err));
	return 0;
}

/* Without cookies a fresh jar is the same jar. */
static int probe_variant(struct capture *c, const struct attempt *a, struct err *err)
{
	if (!request_headers_has_cookies(&c->headers) || !has_room(c, PURPOSE_VARIANT))
		return 0;
	return send(c, a->page, PURPOSE_VARIANT, true, err);
}

int probing_revisited(struct capture *c, const struct arrival *p, bool is_same, struct err *err)
{
	if (!probes_are_wanted(c) || !p->reading->is_read || p->a.status >= 300)
		return 0;
	return is_same ? probe_variant(c, &p->a, err) : probe_noise(c, &p->a, err);
}

/* ---- after a crash ---- */

void probing_restore(struct capture *c, const struct attempt *a)
{
	struct probing *p = &c->probing;

	if (a->leg != ATTEMPT_PROBE) {
		p->requests++;
		return;
	}
	if (a->number > p->number)
		p->number = a->number;
	p->counts[attempt_purpose(a)]++;
}

/* ---- pages that do not exist ---- */

/*
 * Soft 404s: servers that answer 200 to URLs that do not exist. After some pages of a host, a URL
 * that cannot exist is requested. Pages with the same text are archived, but their links are not
 * followed: they lead to more of them.
 */

enum {
	VISITS_BEFORE = 32, /* not for small sites */
	WEIGHT_MIN = 12,    /* of a text that can be compared */
};

bool probe_is_soft(const struct capture *c, uint32_t host)
{
	const struct probe_vec *v = &c->traps.probes;

	return host < v->len && v->ptr[host].state == PROBE_SOFT;
}

/* ---- asking ---- */

static int ask(struct capture *c, uint32_t host, struct err *err)
{
	struct probe *p = &c->traps.probes.ptr[host];
	slice origin = hosts_at(&c->hosts, host)->origin;
	struct robots_decision d = {.allowed = true};
	char path[64];
	BUF_SCOPED(url, URL_MAX);
	bool held;

	(void)snprintf(path, sizeof path, "/stillpoint-probe-%" PRIu64, rng_u64(&c->rng));
	p->state = PROBE_HONEST;
	if (c->rules.list.ptr[host].policy == ROBOTS_PARSE)
		TRY(rules_decide(&c->rules, host, slice_str(path), &d, err));
	if (!d.allowed)
		return 0;
	p->state = PROBE_ASKED;
	TRY(err_code(err, buf_printf(&url, "%.*s%s", (int)origin.len, origin.ptr, path)));
	return err_code(err, fetch_url(c, buf_slice(&url), &(struct request){.kind = REQUEST_PROBE},
				     &held, err));
}

int probe_visited(struct capture *c, uint32_t page, const struct net_fetch *f, struct err *err)
{
	uint32_t host = c->pages.list.ptr[page].host;

	if (f->status >= 300)
		return 0;
	struct probe_vec *v = &c->traps.probes;

	while (v->len <= host)
		probe_vec_push(v, (struct probe){0});
	if (++c->traps.probes.ptr[host].visits < VISITS_BEFORE ||
		c->traps.probes.ptr[host].state != PROBE_NOT_YET || c->stage.visits_ended)
		return 0;
	return ask(c, host, err);
}

/* ---- the answer ---- */

/* The text of the body that was read. Rare, so it makes a parser for each. */
static int read_text(slice body, slice content_type, struct page_text *text)
{
	struct page *page = mem_resize(NULL, 1, sizeof *page);
	int rc;

	page_open(page, &(struct page_params){.content_type = content_type, .text = text});
	rc = page_feed(page, body);
	if (rc == 0)
		rc = page_finish(page);
	page_close(page);
	free(page);
	return rc;
}

static int by_hash(const void *a, const void *b)
{
	const struct gist_line *x = a, *y = b;

	return (x->hash > y->hash) - (x->hash < y->hash);
}

static int learn(struct probe *p, const struct answer *a)
{
	slice type = media_type_of_head(reading_head(a->reading));
	const struct net_fetch *f = a->fetch;
	struct page_text text;
	int rc = 0;

	page_text_init(&text);
	gist_reset(&p->gist);
	if (page_format_of(type) != PAGE_OPAQUE)
		rc = read_text(buf_slice(&a->reading->body), type, &text);
	if (rc == 0)
		rc = gist_add_text(&p->gist, buf_slice(&text.text), f->url);
	if (rc == 0)
		rc = gist_add_text(&p->gist, buf_slice(&text.title), f->url);
	page_text_release(&text);
	if (rc)
		return rc;
	if (p->gist.lines.len > 1)
		qsort(p->gist.lines.ptr, p->gist.lines.len, sizeof p->gist.lines.ptr[0], by_hash);
	p->state = PROBE_SOFT;
	log_info("crawl", "%.*s: answers %u: its pages may be soft 404s", (int)f->url.len,
		f->url.ptr, f->status);
	return 0;
}

int probe_answered(struct capture *c, const struct answer *a, struct err *err)
{
	struct probe *p = &c->traps.probes.ptr[a->request->host];

	p->state = PROBE_HONEST;
	if (a->fetch->status >= 200 && a->fetch->status < 300)
		TRY(err_code(err, learn(p, a)));
	return 0;
}

/* ---- comparing ---- */

static uint64_t shared_weight(const struct gist *probe, const struct gist *page)
{
	uint64_t weight = 0;

	for (size_t i = 0; i < page->lines.len; i++)
		if (bsearch(&page->lines.ptr[i], probe->lines.ptr, probe->lines.len,
			    sizeof probe->lines.ptr[0], by_hash))
			weight += page->lines.ptr[i].weight;
	return weight;
}

bool probe_matches(const struct capture *c, uint32_t page, const struct gist *gist)
{
	const struct crawl_page *p = &c->pages.list.ptr[page];
	const struct gist *probe;

	/* Seeds and URLs of sitemaps are wanted, whatever they say. */
	if (!probe_is_soft(c, p->host) || p->is_seed || p->via == CATALOG_NO_PAGE ||
		page_kind_is_requisite(p->kind))
		return false;
	probe = &c->traps.probes.ptr[p->host].gist;
	return probe->weight >= WEIGHT_MIN && 10 * gist->weight >= 8 * probe->weight &&
	       10 * shared_weight(probe, gist) >= 9 * gist->weight;
}

void probe_mark(struct capture *c, uint32_t page)
{
	c->pages.list.ptr[page].content = CATALOG_CONTENT_SOFT_404;
	capture_store(c, &(struct catalog_row){CATALOG_ROW_MARK_PAGE,
				 .page = &(struct catalog_page){
					 .number = page, .content = CATALOG_CONTENT_SOFT_404}});
}

/* ---- what probes teach ---- */

/*
 * What is settled when a capture ends, before its verdicts (proof/learning.h): which places of
 * its pages vary by themselves, from its probes, and which of the pages that differ show the same
 * nevertheless. All that it stores must be in the catalog and the WARC files by then; other
 * connections read it.
 */

VEC_DECLARE(attempt_vec, struct attempt);

/* The observations are read once for each. */
enum learning_stage {
	WANTING,  /* which bodies are in other records */
	LEARNING, /* the rules, from the probes */
	COMPARING /* the pages that differ */
};

struct concluding {
	struct capture *c;
	struct catalog *catalog; /* connections of the lane: for the observations, … */
	struct catalog *other;   /* … and for what is asked meanwhile */
	struct originals originals;
	struct look_source from;
	struct learner learner;
	struct learned rules;
	struct buf url, line;
	bool is_known; /* an earlier process has done it */
	bool any;      /* a page differs that may be the same */
	enum learning_stage stage;
	uint32_t page;            /* whose attempts these are */
	struct attempt_vec looks; /* that can be read; strings in the arena */
	struct legs legs;
	struct arena arena;
	struct attempt found[2]; /* of find_resource; strings in … */
	struct arena strings[2];
	unsigned turn;
	struct err *err;
};

static const struct attempt *find(const struct concluding *k, enum attempt_leg leg, unsigned number)
{
	for (size_t i = 0; i < k->looks.len; i++)
		if (k->looks.ptr[i].leg == leg && k->looks.ptr[i].number == number)
			return &k->looks.ptr[i];
	return NULL;
}

static bool is_probe(const struct attempt *a, enum attempt_purpose purpose)
{
	return a->leg == ATTEMPT_PROBE && attempt_purpose(a) == purpose;
}

/* Behind the visit that counts. */
static bool is_canary(const struct concluding *k, const struct attempt *a)
{
	return is_probe(a, PURPOSE_CANARY) && a->wall.sent >= k->legs.visit.end;
}

/* The looks that count, if they differ and may be the same; NULL in both when not. */
static void find_pair(
	const struct concluding *k, const struct attempt **a, const struct attempt **b)
{
	*a = find(k, ATTEMPT_VISIT, k->legs.visit_number);
	*b = find(k, ATTEMPT_REVISIT, k->legs.revisit_number);
	if (*a && *b && !k->legs.late && !observation_same(&k->legs.visit, &k->legs.revisit))
		return;
	*a = *b = NULL;
}

/*
 * The lane knows where most bodies are, those of its other captures as well. Several records may
 * have the same body: the id tells.
 */
static int find_original(struct concluding *k, const struct attempt *a, slice id)
{
	struct duplicates *bodies = &k->c->lane->duplicates;
	struct duplicates_body body = {.payload = a->payload, .coding = a->coding};
	struct attempt_original found;
	uint64_t offset;
	slice file;

	if (a->has_payload && duplicates_find(bodies, &body, &found) &&
		slice_eq(found.record, id) && duplicates_place(bodies, &body, &file, &offset))
		return originals_know(&k->originals, id, file, offset);
	return originals_want(&k->originals, id);
}

/* Its body may be in the record of another look, of another page even. */
static int want(struct concluding *k, const struct attempt *a)
{
	int rc;

	if (!a || !a->is_revisit)
		return 0;
	rc = look_refers_to(&k->from, a, &k->line, k->err);
	if (rc && rc != ERR_NOMEM) { /* what cannot be read teaches nothing */
		*k->err = (struct err){0};
		return 0;
	}
	if (rc == 0 && k->line.len)
		rc = err_code(k->err, find_original(k, a, buf_slice(&k->line)));
	return rc;
}

static int want_all(struct concluding *k)
{
	const struct attempt *a, *b;

	find_pair(k, &a, &b);
	if (!a)
		return 0;
	k->any = true;
	TRY(want(k, a));
	TRY(want(k, b));
	for (size_t i = 0; i < k->looks.len; i++)
		if (k->looks.ptr[i].leg == ATTEMPT_PROBE)
			TRY(want(k, &k->looks.ptr[i]));
	return 0;
}

/* ---- learning ---- */

static int learn_page(struct concluding *k)
{
	struct learning_looks looks = {.book = &k->c->book};
	const struct attempt *a, *b;

	find_pair(k, &a, &b);
	if (!b)
		return 0;
	TRY(pages_url(&k->c->pages, k->page, &k->url, k->err));
	looks.url = buf_slice(&k->url);
	looks.list[looks.len++] = *b;
	for (size_t i = 0; i < k->looks.len; i++)
		if (is_probe(&k->looks.ptr[i], PURPOSE_NOISE))
			learning_add_probe(&looks, &k->looks.ptr[i]);
	return err_code(k->err, learner_add(&k->learner, &k->from, &looks));
}

/* ---- comparing ---- */

struct resource {
	struct attempt *ret;
	struct arena *arena;
	bool found;
};

static int on_resource(void *context, const struct attempt *a)
{
	struct resource *r = context;

	if (r->found || (a->leg != ATTEMPT_VISIT && a->leg != ATTEMPT_LATE) ||
		!learning_can_read(a))
		return 0;
	r->found = true;
	*r->ret = *a;
	return attempt_keep(r->ret, r->arena);
}

/* As learning_find. */
static int find_resource(
	void *context, slice url, struct attempt *ret, bool *ret_found, struct err *err)
{
	struct concluding *k = context;
	struct resource r = {.ret = &k->found[k->turn], .arena = &k->strings[k->turn]};
	uint32_t page;
	int rc = 0;

	arena_reset(r.arena);
	k->turn = !k->turn;
	if (pages_find(&k->c->pages, url, &page) && k->c->pages.list.ptr[page].taken)
		rc = catalog_page_observations(k->other, k->c->row.id, page, on_resource, &r, err);
	*ret_found = rc == 0 && r.found;
	if (*ret_found)
		*ret = *r.ret;
	return rc;
}

static struct learning_terms terms_of(struct concluding *k)
{
	return (struct learning_terms){.from = &k->from,
		.book = &k->c->book,
		.rules = &k->rules,
		.find = find_resource,
		.context = k};
}

/* What canaries showed in between must be the same as well. */
static int compare_canaries(
	struct concluding *k, const struct learning_pair *pair, struct learning_same *same)
{
	struct learning_terms terms = terms_of(k);

	for (size_t i = 0; same->same && i < k->looks.len; i++) {
		const struct attempt *canary = &k->looks.ptr[i];
		struct learning_same between;

		if (!is_canary(k, canary) || digest_eq(&canary->state, &pair->a->state))
			continue;
		TRY(learning_compare(&terms, &(struct learning_pair){pair->url, pair->a, canary},
			&between, k->err));
		same->same = between.same;
	}
	return 0;
}

static int compare_page(struct concluding *k)
{
	struct learning_terms terms = terms_of(k);
	struct learning_pair pair;
	struct learning_same same;
	int rc;

	find_pair(k, &pair.a, &pair.b);
	if (!pair.a || (k->rules.rules.len == 0 && pair_changed_in(pair.b->rules).ptr))
		return 0;
	rc = pages_url(&k->c->pages, k->page, &k->url, k->err);
	pair.url = buf_slice(&k->url);
	if (rc == 0)
		rc = learning_compare(&terms, &pair, &same, k->err);
	if (rc == 0)
		rc = compare_canaries(k, &pair, &same);
	if (rc || !same.same)
		return rc;
	buf_reset(&k->line);
	rc = learning_same_line(&pair, same_class(&k->legs.visit.key), &same, &k->line);
	if (rc)
		return rc == ERR_LIMIT ? 0 : err_code(k->err, rc);
	return store_learned(&k->c->lane->store, &k->c->row, buf_slice(&k->line), k->err);
}

/* All attempts of a page are there. */
static int end_page(struct concluding *k)
{
	int rc = k->looks.len == 0      ? 0
		 : k->stage == WANTING  ? want_all(k)
		 : k->stage == LEARNING ? learn_page(k)
					: compare_page(k);

	k->looks.len = 0;
	k->legs = (struct legs){0};
	arena_reset(&k->arena);
	return rc;
}

static int on_observation(void *context, const struct attempt *a)
{
	struct concluding *k = context;
	struct observation shown;
	struct attempt copy = *a;

	if (a->page >= k->c->pages.list.len)
		return 0;
	if (a->page != k->page)
		TRY(end_page(k));
	TRY(lane_check_stop(k->c->lane, k->err));
	k->page = a->page;
	TRY(err_code(k->err, attempt_keep(&copy, &k->arena)));
	shown = legs_observe(&copy);
	legs_add(&k->legs, &copy, &shown);
	if (learning_can_read(a))
		attempt_vec_push(&k->looks, copy);
	return 0;
}

static int each_page(struct concluding *k, enum learning_stage stage)
{
	k->stage = stage;
	TRY(catalog_each_observation(k->catalog, k->c->row.id, on_observation, k, k->err));
	return end_page(k);
}

/* ---- rules ---- */

static int on_learned(void *context, const struct catalog_learned *l)
{
	struct concluding *k = context;

	(void)l;
	k->is_known = true;
	return 0;
}

static int conclude(struct concluding *k)
{
	TRY(catalog_each_learned(k->catalog, k->c->row.id, on_learned, k, k->err));
	if (k->is_known)
		return 0;
	TRY(each_page(k, WANTING));
	if (!k->any)
		return 0;
	if (k->c->probing.counts[PURPOSE_NOISE])
		TRY(each_page(k, LEARNING));
	TRY(err_code(k->err, learner_finish(&k->learner, &k->rules)));
	for (size_t i = 0; i < k->rules.rules.len; i++) {
		buf_reset(&k->line);
		TRY(err_code(k->err, learning_rule_line(&k->rules.rules.ptr[i], &k->line)));
		TRY(store_learned(&k->c->lane->store, &k->c->row, buf_slice(&k->line), k->err));
	}
	TRY(each_page(k, COMPARING));
	return store_end_learned(&k->c->lane->store, &k->c->row, k->err);
}

/* To open them costs more than a small capture: they stay open for the next one. */
static int open_catalogs(struct concluding *k)
{
	struct lane *lane = k->c->lane;

	TRY(store_settle(&lane->store, k->err));
	for (size_t i = 0; i < LANE_READERS; i++)
		if (!lane->readers[i])
			TRY(catalog_open(
				lane->directory->catalog, CATALOG_READ, &lane->readers[i], k->err));
	k->catalog = lane->readers[0];
	k->other = lane->readers[1];
	return 0;
}

int learning_conclude(struct capture *c, struct err *err)
{
	struct concluding k = {.c = c, .page = CATALOG_NO_PAGE, .err = err};
	int rc;

	if (c->settings->bytes_only || !c->has_differing)
		return 0;
	buf_init(&k.url, URL_MAX);
	buf_init(&k.line, LEARNING_LINE_MAX);
	arena_init(&k.arena, 16 << 20);
	arena_init(&k.strings[0], 1 << 20);
	arena_init(&k.strings[1], 1 << 20);
	learner_init(&k.learner);
	learned_init(&k.rules);
	rc = open_catalogs(&k);
	originals_init(&k.originals, k.other, c->row.id);
	k.from = (struct look_source){.warc_dir = c->lane->directory->warc,
		.find = originals_find,
		.context = &k.originals,
		.catalog = k.other};
	if (rc == 0)
		rc = conclude(&k);
	arena_release(&k.arena);
	arena_release(&k.strings[0]);
	arena_release(&k.strings[1]);
	originals_release(&k.originals);
	attempt_vec_release(&k.looks);
	buf_release(&k.url);
	buf_release(&k.line);
	learned_release(&k.rules);
	learner_release(&k.learner);
	return rc;
}
