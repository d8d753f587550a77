#include "crawl/probing.h"

#include "base/hash.h"
#include "base/word.h"
#include "crawl/capture.h"
#include "quality/page_kind.h"
#include "quality/pair.h"

enum {
	KIND_PAGES = 8,        /* that are probed for noise */
	NOISE_PROBES = 2,      /* of each: with the revisit three downloads */
	NO_NOISE_PERCENT = 20, /* more for each kind of variants while no page differs */
};

/* Constant: kinds are compared within one process only, but tests want the same ones. */
static const struct hash_key KIND_KEY = {0x5354494c4c504f49, 0x4e542d4b494e4453};

/* What part of all probes a purpose may take, in percent, and how many it may in any case. */
static const struct {
	const char *name;
	unsigned percent, min;
	enum request_kind request;
} PURPOSES[PROBING_PURPOSES] = {
	[PROBING_NOISE] = {"noise", 50, 4, REQUEST_NOISE},
	[PROBING_VARIANT] = {"variant", 15, 1, REQUEST_VARIANT},
	[PROBING_LANGUAGE] = {"language", 15, 1, REQUEST_LANGUAGE},
	[PROBING_CANARY] = {"canary", 20, 0, REQUEST_CANARY},
	[PROBING_SESSION] = {"session", 0, 0, REQUEST_SESSION},
};

/* "noise", "variant", "language", "canary", "session"; constant. */
static const char *probing_purpose_name(enum probing_purpose purpose)
{
	return PURPOSES[purpose].name;
}

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
	uint64_t sum = 0;

	for (unsigned i = 0; i < PROBING_PURPOSES; i++)
		sum += i == PROBING_SESSION ? 0 : p->counts[i];
	return sum;
}

/* What nobody needs goes to the variants: the share of the languages, and of noise. */
static unsigned percent_of(const struct capture *c, enum probing_purpose purpose)
{
	const struct probing *p = &c->probing;
	unsigned percent = PURPOSES[purpose].percent;

	if (purpose == PROBING_NOISE || purpose == PROBING_CANARY)
		return percent;
	if (!c->settings->variant_language)
		percent += PURPOSES[PROBING_LANGUAGE].percent;
	if (p->counts[PROBING_NOISE] == 0)
		percent += NO_NOISE_PERCENT;
	return percent;
}

static bool has_room(const struct capture *c, enum probing_purpose purpose)
{
	const struct probing *p = &c->probing;
	uint64_t own = budget(p) * percent_of(c, purpose) / 100;

	if (own < PURPOSES[purpose].min)
		own = PURPOSES[purpose].min;
	return p->counts[purpose] < own && used(p) < budget(p);
}

static bool is_wanted(const struct capture *c)
{
	return !c->settings->no_probes && !c->settings->bytes_only && !c->stage.cancelled;
}

/* ---- sending ---- */

static int send(
	struct capture *c, uint32_t page, enum probing_purpose purpose, bool first, struct err *err)
{
	struct probing *p = &c->probing;
	struct request r = {
		.kind = PURPOSES[purpose].request,
		.host = c->pages.list.ptr[page].host,
		.order = {.page = page, .attempt = p->number + 1},
		.first = first,
	};
	int rc;

	/* What a form was asked for is asked twice, and no more. */
	if (fetch_is_down(c, r.host) || c->pages.list.ptr[page].kind == LINK_FORM)
		return 0;
	rc = fetch_hold(c, &r);
	if (rc)
		return err_code(err, rc);
	p->number++;
	p->counts[purpose]++;
	return 0;
}

bool probing_has_room(const struct capture *c, bool urgent)
{
	if (urgent)
		return used(&c->probing) < budget(&c->probing);
	return has_room(c, PROBING_CANARY);
}

/* Few, and what all other looks rest on: whatever the budget. */
int probing_send_session(struct capture *c, uint32_t page, bool *ret_sent, struct err *err)
{
	uint32_t before = c->probing.number;
	int rc = is_wanted(c) ? send(c, page, PROBING_SESSION, true, err) : 0;

	*ret_sent = rc == 0 && c->probing.number > before;
	return rc;
}

int probing_send_canary(struct capture *c, uint32_t page, bool *ret_sent, struct err *err)
{
	uint32_t before = c->probing.number;
	int rc = send(c, page, PROBING_CANARY, true, err);

	*ret_sent = rc == 0 && c->probing.number > before;
	return rc;
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
	if (r->kind == REQUEST_CANARY)
		c->canaries.is_out = c->canaries.is_again = false;
	if (r->kind == REQUEST_SESSION)
		sessions_dropped(c);
	requests_free(&c->requests, place);
	c->stage.asleep = false;
	return 0;
}

static enum probing_purpose purpose_of(const struct request *r)
{
	switch (r->kind) {
	case REQUEST_VARIANT:
		return PROBING_VARIANT;
	case REQUEST_LANGUAGE:
		return PROBING_LANGUAGE;
	case REQUEST_CANARY:
		return PROBING_CANARY;
	case REQUEST_SESSION:
		return PROBING_SESSION;
	default:
		return PROBING_NOISE;
	}
}

int probing_finished(
	struct capture *c, const struct request *r, const struct net_fetch *f, struct err *err)
{
	return response_probed(c, &r->order, probing_purpose_name(purpose_of(r)), f, err);
}

/* ---- which pages ---- */

/* The kind of a page; 0 when it cannot be told. */
static int find_kind(slice url, uint64_t *ret)
{
	struct url parsed;
	struct buf text;
	int rc;

	*ret = 0;
	url_init(&parsed);
	buf_init(&text, PAGE_KIND_MAX);
	rc = url_parse(&parsed, url, NULL, NULL);
	if (rc == 0)
		rc = page_kind(&parsed, &text);
	if (rc == 0)
		*ret = hash_bytes(KIND_KEY, buf_slice(&text)) | 1;
	buf_release(&text);
	url_release(&parsed);
	return rc == ERR_NOMEM ? rc : 0;
}

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
	int rc = may_be_noise(a->rules) ? find_kind(a->url, &kind) : 0;

	if (rc || kind == 0)
		return err_code(err, rc);
	k = entry_of(&c->probing, kind);
	if (!k || k->pages >= KIND_PAGES || !has_room(c, PROBING_NOISE))
		return 0;
	k->pages++;
	for (int i = 0; rc == 0 && i < NOISE_PROBES; i++)
		rc = send(c, a->page, PROBING_NOISE, true, err);
	return rc;
}

/* Without cookies a fresh jar is the same jar. */
static int probe_variant(struct capture *c, const struct attempt *a, struct err *err)
{
	int rc = 0;

	if (request_headers_has_cookies(&c->headers) && has_room(c, PROBING_VARIANT))
		rc = send(c, a->page, PROBING_VARIANT, true, err);
	if (rc == 0 && c->settings->variant_language && has_room(c, PROBING_LANGUAGE))
		rc = send(c, a->page, PROBING_LANGUAGE, true, err);
	return rc;
}

int probing_revisited(struct capture *c, const struct attempt *a, bool is_same, struct err *err)
{
	if (!is_wanted(c) || !c->lane->reading.is_read || a->status >= 300)
		return 0;
	return is_same ? probe_variant(c, a, err) : probe_noise(c, a, err);
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
	for (unsigned i = 0; i < PROBING_PURPOSES; i++)
		p->counts[i] += slice_eq(a->purpose, slice_str(PURPOSES[i].name));
}
