#include "catalog_sample.h"

#include <stdio.h>
#include <string.h>

#include "tap.h"

enum {
	TEXT_SIZE = 160,
	EVENTS = 5, /* of a page: discovered, ordered and done twice */
	SIDES = 3,
	REQUISITES = 2, /* of a page */
};

/* The strings of a row that is being made. */
struct strings {
	char url[TEXT_SIZE], rule[TEXT_SIZE], failure[TEXT_SIZE], id[TEXT_SIZE], etag[TEXT_SIZE];
};

#define PRINT(out, ...) ((void)snprintf((out), TEXT_SIZE, __VA_ARGS__), slice_str(out))

/* ---- what is written ---- */

static struct catalog_capture make_capture(struct strings *s, unsigned number)
{
	return (struct catalog_capture){
		.uuid = PRINT(s->id, "urn:uuid:00000000-0000-4000-8000-%012x", number),
		.site = PRINT(s->url, "http://site%u.example/", number),
		.strategy = SLICE("stillpoint-online"),
		.settings = SLICE("{\"delay\":1}"),
		.single = number % 2,
		.state = CATALOG_RUNNING,
		.started = INT64_C(1700000000123456789) + number,
	};
}

static struct catalog_page make_page(struct strings *s, uint32_t n)
{
	return (struct catalog_page){
		.number = n,
		.url = PRINT(s->url, "http://site.example/a/path/page-%u", n),
		.kind = n % 3 ? SLICE("page") : SLICE("image"),
		.via = n ? n - 1 : CATALOG_NO_PAGE,
		.found = n ? SLICE("link") : SLICE("seed"),
		.depth = n % 7,
		.hops_out = n % 2,
		.taken = n % 5 != 4,
		.rule = PRINT(s->rule, "host site%u.example", n % 4),
		.left_out = n % 5 == 4 ? LEFT_OUT_SCOPE : LEFT_OUT_NOT,
		.rate = 1e-9 * (n + 1) / 3,
		.shape = n % 2 ? 0.5 : 0,
		.weight = 1.0F / (float)(n + 1),
		.lastmod = n % 3 ? INT64_C(1600000000000000000) + n : 0,
	};
}

static struct digest make_digest(uint32_t n, enum digest_kind kind)
{
	struct digest d = {.kind = kind};

	memset(d.bytes, (int)(n % 251 + 1), kind == DIGEST_SHA256 ? 32 : 20);
	return d;
}

/* side: an attempt of no page. */
static struct attempt make_observation(
	struct strings *s, uint32_t n, enum attempt_leg leg, bool side)
{
	int64_t at = INT64_C(1700000000000000000) + n;
	bool failed = n % 10 == 9 && leg == ATTEMPT_REVISIT;
	struct attempt o = {
		.page = side ? CATALOG_NO_PAGE : n,
		.url = PRINT(s->url,
			side ? "http://site.example/robots-%u.txt"
			     : "http://site.example/a/path/page-%u",
			n),
		.leg = leg,
		.number = 1 + n % 3,
		.wall = {at, failed ? 0 : at + 1, at + 2},
		.clock = {n + 1, failed ? 0 : n + 2, INT64_MAX - n},
		.status = failed ? 0 : 200 + n % 300,
		.truncated = n % 8 == 7,
		.has_state = !failed,
		.has_payload = !failed,
	};

	if (failed) {
		o.failure = PRINT(s->failure, "timeout: after %u s", n);
		return o;
	}
	o.state = make_digest(n + leg, DIGEST_SHA256);
	o.payload = make_digest(n, n % 2 ? DIGEST_SHA1 : DIGEST_SHA256);
	o.media_type = n % 2 ? SLICE("text/html") : SLICE("");
	o.warc = SLICE("stillpoint-20260101000000-00001.warc.gz");
	o.offset = UINT64_C(0x7fffffff00000000) + n;
	o.length = 1000 + n;
	o.is_revisit = leg == ATTEMPT_REVISIT;
	o.coding = UINT64_MAX - n;
	o.close_delimited = n % 5 == 1;
	if (n % 3) {
		o.rule_set = n % 3;
		o.rules = n % 2 ? SLICE("nonces=2:00ff") : SLICE("");
		o.masked = n % 1000001;
		o.has_class = n % 3 == 2;
		o.class = make_digest(n + 7, DIGEST_SHA256);
	}
	if (n % 4 == 1) {
		o.purpose = SLICE("noise");
		o.stand_in = SLICE("login: a form");
		o.modified = at - 1;
		o.etag = PRINT(s->etag, "W/\"%u\"", n);
		o.age = (struct attempt_age){true, n % 8 ? n : 0};
		o.caches = SLICE("via: 1.1 cache");
		o.address = SLICE("2001:db8::1");
		o.links = SLICE("\0\1\2\377\0\0\0\0");
	}
	/* Most ids are ours; others have whatever form. */
	o.record_id = PRINT(
		s->id, n % 4 ? "<urn:uuid:deadbeef-0123-4567-89ab-%012x>" : "<urn:UUID:%u>", n);
	return o;
}

static struct catalog_event make_event(uint32_t page, unsigned i)
{
	static const enum catalog_event_kind kinds[EVENTS] = {CATALOG_EVENT_DISCOVERED,
		CATALOG_EVENT_NEXT, CATALOG_EVENT_DONE, CATALOG_EVENT_NEXT, CATALOG_EVENT_DONE};
	double at = 0.1 * page + i;

	return (struct catalog_event){
		.kind = kinds[i],
		.page = page,
		.leg = i > 2,
		.attempt = (uint8_t)(page % 256),
		.outcome = (uint8_t)(page % 4),
		.hopeless = page % 6 == 5,
		.begin = at,
		.end = kinds[i] == CATALOG_EVENT_DONE ? at + 1.0 / 3 : 0,
	};
}

static struct catalog_plan make_plan(uint32_t n)
{
	return (struct catalog_plan){
		.page = n, .visit = n, .revisit = n % 3 ? n * INT64_C(5) : -1, .hopeless = n % 2};
}

static struct catalog_verdict make_verdict(struct strings *s, uint32_t n)
{
	struct catalog_verdict v = {.page = n, .verdict = n % 2 ? SLICE("sharp") : SLICE("failed")};

	if (n % 2)
		v.evidence = SLICE("bytes");
	else
		v.reason = PRINT(s->failure, "timeout: after %u s", n);
	return v;
}

/* The i-th of the page n. */
static struct catalog_requisite make_requisite(uint32_t n, uint32_t i)
{
	return (struct catalog_requisite){.page = n, .requisite = n + i * 7};
}

/* Any bytes: the catalog does not read them. */
static struct catalog_links make_links(struct strings *s, uint32_t n)
{
	return (struct catalog_links){.page = n, .targets = PRINT(s->rule, "to %u", n)};
}

static struct catalog_learned make_learned(struct strings *s, uint32_t n)
{
	return (struct catalog_learned){.rule = PRINT(s->rule, "attribute %u", n)};
}

static struct catalog_poll make_poll(struct strings *s, uint32_t n)
{
	return (struct catalog_poll){
		.number = n,
		.url = PRINT(s->url, "http://example.org/feed%u", n),
		.is_feed = n % 2,
		.source = n % 16,
		.polls = 3000000000U + n,
		.not_modified = n,
		.checked = n / 2,
		.lies = n / 3,
		.announced_changed = n + 0.5,
		.announced_same = n,
		.silent_changed = 0.25,
	};
}

static struct catalog_warc make_warc(struct strings *s, uint32_t n)
{
	return (struct catalog_warc){
		.name = PRINT(s->id, "stillpoint-20260101000000-%05u.warc.gz", n),
		.size = UINT64_C(1) << (62 - n),
		.complete = n % 2,
		.has_digest = n % 2,
		.digest = n % 2 ? make_digest(n, DIGEST_SHA256) : (struct digest){0},
	};
}

static struct catalog_robots make_robots(struct strings *s, uint32_t n)
{
	/* In descending order of names: the order of reading is that of their coming. */
	return (struct catalog_robots){
		.origin = PRINT(s->url, "http://%u.example", 9 - n),
		.policy = (uint8_t)n,
		.fetched = INT64_C(1700000000000000000) + n,
		.why = PRINT(s->failure, "status %u", 200 + (unsigned)n),
		.body = n ? SLICE("User-agent: *\nDisallow: /\0\xff") : SLICE(""),
	};
}

static struct catalog_clock make_clock(uint32_t n)
{
	return (struct catalog_clock){
		.moment = n ? SLICE("end") : SLICE("start"),
		.wall = INT64_MAX - n,
		.monotonic = n,
		.capture_time = INT64_MAX - 2 * (int64_t)n,
		.boot = n ? SLICE("f0e1") : SLICE(""),
		.estimated_error = n ? -1 : 1000,
		.maximum_error = 16000000,
		.synchronised = n == 0,
	};
}

/* ---- adding ---- */

int sample_add_capture(struct catalog *c, unsigned number, uint32_t *ret_id, struct err *err)
{
	struct strings s = {0};
	struct catalog_capture capture = make_capture(&s, number);

	return catalog_add_capture(c, &capture, ret_id, err);
}

int sample_add_page(struct catalog *c, uint32_t capture, uint32_t n, struct err *err)
{
	struct strings s = {0};
	struct catalog_page page = make_page(&s, n);
	int rc = catalog_put(c, CATALOG_ROW_ADD_PAGE, capture, &page, err);

	for (unsigned i = 0; rc == 0 && i < EVENTS; i++) {
		struct catalog_event event = make_event(n, i);

		rc = catalog_add_event(c, capture, &event, err);
	}
	/* The revisit first, so that the order of reading is not that of writing. */
	for (int leg = ATTEMPT_REVISIT; rc == 0 && leg >= ATTEMPT_VISIT; leg--) {
		struct attempt o = make_observation(&s, n, (enum attempt_leg)leg, false);

		rc = catalog_add_observation(c, capture, &o, err);
	}
	/* In the reverse order, and one of them twice. */
	for (uint32_t i = REQUISITES + 1; rc == 0 && i > 0; i--) {
		struct catalog_requisite r = make_requisite(n, (i - 1) % REQUISITES);

		rc = catalog_put(c, CATALOG_ROW_REQUISITE, capture, &r, err);
	}
	/* The second time counts. */
	for (uint32_t i = 2; rc == 0 && i > 0; i--) {
		struct catalog_links l = make_links(&s, n + i - 1);

		l.page = n;
		rc = catalog_put(c, CATALOG_ROW_LINKS, capture, &l, err);
	}
	if (rc == 0) {
		struct catalog_plan plan = make_plan(n);
		struct catalog_verdict verdict = make_verdict(&s, n);

		rc = catalog_put(c, CATALOG_ROW_PLAN, capture, &plan, err);
		if (rc == 0)
			rc = catalog_put(c, CATALOG_ROW_VERDICT, capture, &verdict, err);
	}
	return rc;
}

int sample_add_rest(struct catalog *c, uint32_t capture, struct err *err)
{
	struct strings s = {0};
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < SIDES; i++) {
		struct attempt o;
		struct catalog_warc warc = make_warc(&s, i);
		struct catalog_robots robots;
		struct catalog_clock clock = make_clock(i);
		struct catalog_poll poll;

		rc = catalog_put(c, CATALOG_ROW_WARC, 0, &warc, err);
		robots = make_robots(&s, i);
		if (rc == 0)
			rc = catalog_put(c, CATALOG_ROW_ADD_ROBOTS, capture, &robots, err);
		if (rc == 0)
			rc = catalog_put(c, CATALOG_ROW_CLOCK, capture, &clock, err);
		o = make_observation(&s, i, ATTEMPT_SIDE, true);
		if (rc == 0)
			rc = catalog_add_observation(c, capture, &o, err);
		if (rc == 0)
			rc = catalog_put(c, CATALOG_ROW_LEARNED, capture,
				&(struct catalog_learned){make_learned(&s, i).rule}, err);
		poll = make_poll(&s, i);
		if (rc == 0)
			rc = catalog_put(c, CATALOG_ROW_POLL, capture, &poll, err);
	}
	return rc;
}

/* ---- catalogs ---- */

const char *sample_path(char out[SAMPLE_PATH_SIZE])
{
	(void)snprintf(out, SAMPLE_PATH_SIZE, "%s/catalog.sqlite", tap_tempdir());
	return out;
}

struct catalog *sample_open(const char *path, enum catalog_mode mode)
{
	struct catalog *c = NULL;
	struct err err = {0};

	if (!CHECK_INT(catalog_open(path, mode, &c, &err), 0))
		tap_note("%s", err.text);
	return c;
}

struct catalog *sample_fill(const char *path, uint32_t pages, uint32_t *ret_capture)
{
	struct catalog *c = sample_open(path, CATALOG_CREATE);
	struct err err = {0};

	CHECK_INT(sample_add_capture(c, 1, ret_capture, &err), 0);
	for (uint32_t i = 0; i < pages; i++)
		CHECK_INT(sample_add_page(c, *ret_capture, i, &err), 0);
	CHECK_INT(sample_add_rest(c, *ret_capture, &err), 0);
	CHECK_INT(catalog_commit(c, &err), 0);
	return c;
}

/* ---- reading ---- */

struct counts {
	uint32_t pages, observations, events, warcs, robots, clocks, verdicts, plans;
	uint32_t requisites, links, learned, polls;
	uint32_t total_pages; /* of the capture, for what comes behind them */
};

static int on_page(void *context, const struct catalog_page *got)
{
	struct counts *n = context;
	struct strings s = {0};
	struct catalog_page want = make_page(&s, n->pages++);

	CHECK_INT(got->number, want.number);
	CHECK_SLICE(got->url, want.url);
	CHECK_SLICE(got->kind, want.kind);
	CHECK_INT(got->via, want.via);
	CHECK_SLICE(got->found, want.found);
	CHECK_INT(got->depth, want.depth);
	CHECK_INT(got->hops_out, want.hops_out);
	CHECK_INT(got->taken, want.taken);
	CHECK_SLICE(got->rule, want.rule);
	CHECK_INT(got->left_out, want.left_out);
	CHECK_INT(got->lastmod, want.lastmod);
	CHECK(got->rate == want.rate && got->shape == want.shape && got->weight == want.weight);
	return 0;
}

static void check_digest(bool got, const struct digest *a, bool want, const struct digest *b)
{
	CHECK_INT(got, want);
	CHECK(!got || !want || digest_eq(a, b));
}

static void check_attempt(const struct attempt *got, const struct attempt *want)
{
	CHECK_SLICE(got->url, want->url);
	CHECK_INT(got->leg, want->leg);
	CHECK_INT(got->number, want->number);
	CHECK(memcmp(&got->wall, &want->wall, sizeof got->wall) == 0);
	CHECK(memcmp(&got->clock, &want->clock, sizeof got->clock) == 0);
	CHECK_INT(got->status, want->status);
	CHECK_INT(got->truncated, want->truncated);
	CHECK_SLICE(got->failure, want->failure);
	CHECK_INT(!got->failure.ptr, !want->failure.ptr);
	check_digest(got->has_state, &got->state, want->has_state, &want->state);
	CHECK_INT(got->close_delimited, want->close_delimited);
	CHECK_INT(got->rule_set, want->rule_set);
	CHECK_SLICE(got->rules, want->rules);
	CHECK_INT(got->masked, want->masked);
	check_digest(got->has_class, &got->class, want->has_class, &want->class);
	CHECK_SLICE(got->purpose, want->purpose);
	CHECK_SLICE(got->stand_in, want->stand_in);
	CHECK_INT(got->modified, want->modified);
	CHECK_SLICE(got->etag, want->etag);
	CHECK_INT(got->age.known, want->age.known);
	CHECK_INT(got->age.seconds, want->age.seconds);
	CHECK_SLICE(got->caches, want->caches);
	CHECK_SLICE(got->address, want->address);
	CHECK_SLICE(got->links, want->links);
}

/* The i-th: the two legs of each page, then the side ones. */
static struct attempt wanted(const struct counts *n, struct strings *s, uint32_t i)
{
	bool side = i >= 2 * n->total_pages;

	return make_observation(s, side ? i - 2 * n->total_pages : i / 2,
		side ? ATTEMPT_SIDE : (enum attempt_leg)(i % 2), side);
}

static int on_observation(void *context, const struct attempt *got)
{
	struct counts *n = context;
	struct strings s = {0};
	struct attempt want = wanted(n, &s, n->observations++);

	CHECK_INT(got->page, want.page);
	check_attempt(got, &want);
	CHECK_SLICE(got->media_type, want.media_type);
	CHECK_INT(!got->media_type.ptr, !want.media_type.ptr);
	check_digest(got->has_payload, &got->payload, want.has_payload, &want.payload);
	CHECK_SLICE(got->warc, want.warc);
	CHECK_INT(!got->warc.ptr, !want.warc.ptr);
	CHECK(got->offset == want.offset && got->length == want.length);
	CHECK(got->is_revisit == want.is_revisit && got->coding == want.coding);
	CHECK_SLICE(got->record_id, want.record_id);
	return 0;
}

static int on_event(void *context, const struct catalog_event *got)
{
	struct counts *n = context;
	struct catalog_event want = make_event(n->events / EVENTS, n->events % EVENTS);

	n->events++;
	CHECK_INT(got->kind, want.kind);
	CHECK_INT(got->page, want.page);
	CHECK_INT(got->leg, want.leg);
	CHECK_INT(got->attempt, want.attempt);
	CHECK_INT(got->outcome, want.outcome);
	CHECK_INT(got->hopeless, want.hopeless);
	CHECK(got->begin == want.begin && got->end == want.end);
	return 0;
}

static int on_plan(void *context, const struct catalog_plan *got)
{
	struct counts *n = context;
	struct catalog_plan want = make_plan(n->plans++);

	CHECK_INT(got->page, want.page);
	CHECK_INT(got->visit, want.visit);
	CHECK_INT(got->revisit, want.revisit);
	CHECK_INT(got->hopeless, want.hopeless);
	return 0;
}

static int on_requisite(void *context, const struct catalog_requisite *got)
{
	struct counts *n = context;
	struct catalog_requisite want =
		make_requisite(n->requisites / REQUISITES, n->requisites % REQUISITES);

	n->requisites++;
	CHECK_INT(got->page, want.page);
	CHECK_INT(got->requisite, want.requisite);
	return 0;
}

static int on_links(void *context, const struct catalog_links *got)
{
	struct counts *n = context;
	struct strings s = {0};
	struct catalog_links want = make_links(&s, n->links++);

	CHECK_INT(got->page, want.page);
	CHECK_SLICE(got->targets, want.targets);
	return 0;
}

static int on_learned(void *context, const struct catalog_learned *got)
{
	struct counts *n = context;
	struct strings s = {0};

	CHECK_SLICE(got->rule, make_learned(&s, n->learned++).rule);
	return 0;
}

static int on_poll(void *context, const struct catalog_poll *got)
{
	struct counts *n = context;
	struct strings s = {0};
	struct catalog_poll want = make_poll(&s, n->polls++);

	CHECK_INT(got->number, want.number);
	CHECK_SLICE(got->url, want.url);
	CHECK(got->is_feed == want.is_feed && got->source == want.source &&
		got->polls == want.polls && got->not_modified == want.not_modified &&
		got->checked == want.checked && got->lies == want.lies);
	CHECK(got->announced_changed == want.announced_changed &&
		got->announced_same == want.announced_same &&
		got->silent_changed == want.silent_changed);
	return 0;
}

static int on_verdict(void *context, const struct catalog_verdict *got)
{
	struct counts *n = context;
	struct strings s = {0};
	struct catalog_verdict want = make_verdict(&s, n->verdicts++);

	CHECK_INT(got->page, want.page);
	CHECK_SLICE(got->verdict, want.verdict);
	CHECK_SLICE(got->evidence, want.evidence);
	CHECK_SLICE(got->reason, want.reason);
	CHECK(!got->evidence.ptr == !want.evidence.ptr && !got->reason.ptr == !want.reason.ptr);
	return 0;
}

static int on_warc(void *context, const struct catalog_warc *got)
{
	struct counts *n = context;
	struct strings s = {0};
	struct catalog_warc want = make_warc(&s, n->warcs++);

	CHECK_SLICE(got->name, want.name);
	CHECK(got->size == want.size);
	CHECK_INT(got->complete, want.complete);
	CHECK_INT(got->has_digest, want.has_digest);
	CHECK(memcmp(&got->digest, &want.digest, sizeof want.digest) == 0);
	return 0;
}

static int on_robots(void *context, const struct catalog_robots *got)
{
	struct counts *n = context;
	struct strings s = {0};
	struct catalog_robots want = make_robots(&s, n->robots++);

	CHECK_SLICE(got->origin, want.origin);
	CHECK_INT(got->policy, want.policy);
	CHECK_INT(got->fetched, want.fetched);
	CHECK_SLICE(got->why, want.why);
	CHECK_SLICE(got->body, want.body);
	return 0;
}

static int on_clock(void *context, const struct catalog_clock *got)
{
	struct counts *n = context;
	struct catalog_clock want = make_clock(n->clocks++);

	CHECK_SLICE(got->moment, want.moment);
	CHECK_INT(got->wall, want.wall);
	CHECK_INT(got->monotonic, want.monotonic);
	CHECK_INT(got->capture_time, want.capture_time);
	CHECK_SLICE(got->boot, want.boot);
	CHECK_INT(got->estimated_error, want.estimated_error);
	CHECK_INT(got->maximum_error, want.maximum_error);
	CHECK_INT(got->synchronised, want.synchronised);
	return 0;
}

uint32_t sample_check(struct catalog *c, uint32_t capture, bool rest)
{
	uint32_t sides = rest ? SIDES : 0;
	struct counts n = {0};
	struct err err = {0};

	CHECK_INT(catalog_each_page(c, capture, on_page, &n, &err), 0);
	n.total_pages = n.pages;
	CHECK_INT(catalog_each_observation(c, capture, on_observation, &n, &err), 0);
	CHECK_INT(catalog_each_event(c, capture, on_event, &n, &err), 0);
	CHECK_INT(catalog_each_plan(c, capture, on_plan, &n, &err), 0);
	CHECK_INT(catalog_each_verdict(c, capture, on_verdict, &n, &err), 0);
	CHECK_INT(catalog_each_warc(c, on_warc, &n, &err), 0);
	CHECK_INT(catalog_each_robots(c, capture, on_robots, &n, &err), 0);
	CHECK_INT(catalog_each_clock(c, capture, on_clock, &n, &err), 0);
	CHECK_INT(catalog_each_requisite(c, capture, on_requisite, &n, &err), 0);
	CHECK_INT(catalog_each_links(c, capture, on_links, &n, &err), 0);
	CHECK_INT(catalog_each_learned(c, capture, on_learned, &n, &err), 0);
	CHECK_INT(catalog_each_poll(c, capture, on_poll, &n, &err), 0);
	CHECK_INT(n.observations, 2 * n.pages + sides);
	CHECK_INT(n.events, EVENTS * n.pages);
	CHECK_INT(n.plans, n.pages);
	CHECK_INT(n.verdicts, n.pages);
	CHECK_INT(n.robots, sides);
	CHECK_INT(n.clocks, sides);
	CHECK_INT(n.requisites, REQUISITES * n.pages);
	CHECK_INT(n.links, n.pages);
	CHECK_INT(n.learned, sides);
	CHECK_INT(n.polls, sides);
	if (err.text[0])
		tap_note("%s", err.text);
	return n.pages;
}

/* ---- reading without wanting ---- */

static int any_page(void *context, const struct catalog_page *p)
{
	*(size_t *)context += p->url.len + p->kind.len + p->found.len + p->rule.len;
	return 0;
}

static int any_observation(void *context, const struct attempt *o)
{
	*(size_t *)context += o->url.len + o->warc.len + o->media_type.len;
	return 0;
}

static int any_event(void *context, const struct catalog_event *e)
{
	*(size_t *)context += e->kind;
	return 0;
}

static int any_plan(void *context, const struct catalog_plan *p)
{
	*(size_t *)context += p->hopeless;
	return 0;
}

static int any_verdict(void *context, const struct catalog_verdict *v)
{
	*(size_t *)context += v->verdict.len + v->evidence.len + v->reason.len;
	return 0;
}

static int any_warc(void *context, const struct catalog_warc *w)
{
	*(size_t *)context += w->name.len;
	return 0;
}

static int any_robots(void *context, const struct catalog_robots *r)
{
	*(size_t *)context += r->origin.len + r->body.len;
	return 0;
}

static int any_clock(void *context, const struct catalog_clock *k)
{
	*(size_t *)context += k->moment.len;
	return 0;
}

static int any_requisite(void *context, const struct catalog_requisite *r)
{
	*(size_t *)context += r->requisite;
	return 0;
}

static int any_links(void *context, const struct catalog_links *l)
{
	*(size_t *)context += l->targets.len;
	return 0;
}

static int any_learned(void *context, const struct catalog_learned *l)
{
	*(size_t *)context += l->rule.len;
	return 0;
}

static int any_poll(void *context, const struct catalog_poll *p)
{
	*(size_t *)context += p->url.len;
	return 0;
}

struct reading {
	struct catalog *c;
	struct err *err;
	size_t bytes;
};

/* Reads a capture from within the reading of captures. */
static int any_capture(void *context, const struct catalog_capture *capture)
{
	struct reading *r = context;
	int rc = catalog_each_page(r->c, capture->id, any_page, &r->bytes, r->err);

	if (rc == 0)
		rc = catalog_each_observation(
			r->c, capture->id, any_observation, &r->bytes, r->err);
	if (rc == 0)
		rc = catalog_each_event(r->c, capture->id, any_event, &r->bytes, r->err);
	if (rc == 0)
		rc = catalog_each_plan(r->c, capture->id, any_plan, &r->bytes, r->err);
	if (rc == 0)
		rc = catalog_each_verdict(r->c, capture->id, any_verdict, &r->bytes, r->err);
	if (rc == 0)
		rc = catalog_each_robots(r->c, capture->id, any_robots, &r->bytes, r->err);
	if (rc == 0)
		rc = catalog_each_clock(r->c, capture->id, any_clock, &r->bytes, r->err);
	if (rc == 0)
		rc = catalog_each_requisite(r->c, capture->id, any_requisite, &r->bytes, r->err);
	if (rc == 0)
		rc = catalog_each_links(r->c, capture->id, any_links, &r->bytes, r->err);
	if (rc == 0)
		rc = catalog_each_learned(r->c, capture->id, any_learned, &r->bytes, r->err);
	if (rc == 0)
		rc = catalog_each_poll(r->c, capture->id, any_poll, &r->bytes, r->err);
	r->bytes += capture->uuid.len + capture->settings.len;
	return rc;
}

int sample_read_all(struct catalog *c, struct err *err)
{
	struct reading r = {.c = c, .err = err};
	uint32_t number;
	int rc = catalog_each_capture(c, any_capture, &r, err);

	if (rc == 0)
		rc = catalog_each_warc(c, any_warc, &r.bytes, err);
	if (rc == 0)
		rc = catalog_find_page(c, 1, SLICE("http://nowhere.example/"), &number, err);
	return rc == ERR_NOTFOUND ? 0 : rc;
}
