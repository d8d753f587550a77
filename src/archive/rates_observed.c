#include "archive/rates_observed.h"

#include "base/hash.h"
#include "formats/blocked.h"
#include "formats/url.h"

const char *const RATES_CHANGES[] = {"content", "payload", "links", NULL};

/* The algorithm of names that are no digests: comparable with each other only. */
enum { NAMED = 127 };

/* Constant: only ever compared with each other. */
static const struct hash_key ETAG_KEY = {0x65746167, 0x72617465};

#define SECOND INT64_C(1000000000)

void rates_observed_init(struct rates_observed *o, enum rates_change change)
{
	*o = (struct rates_observed){.change = change};
	page_table_init(&o->table);
}

static void forget_archive(struct rates_observed *o)
{
	for (size_t i = 0; i < o->links.len; i++)
		link_union_release(&o->links.ptr[i]);
	o->links.len = 0;
	o->looks.len = 0;
	o->captures.len = 0;
}

void rates_observed_release(struct rates_observed *o)
{
	forget_archive(o);
	link_unions_release(&o->links);
	rates_looks_release(&o->looks);
	rates_captures_release(&o->captures);
	u32_vec_release(&o->pages);
	page_table_release(&o->table);
}

/* What a sitemap said of a page at that time. */
static void note_sitemap(struct rates_observed *o, uint32_t page, const struct listed *said)
{
	if (said->time > o->table.until)
		return;
	if (said->frequency)
		o->table.pages.ptr[page].frequency = (uint8_t)said->frequency;
	if (said->modified)
		page_table_see(&o->table, page, said, 0);
}

static int on_entry(struct rates_observed *o, const struct listed *said)
{
	uint32_t page = 0;
	int rc = page_table_get(&o->table, said->url, &page, NULL);

	if (rc == 0)
		note_sitemap(o, page, said);
	return rc == ERR_SYNTAX ? 0 : rc;
}

/* Lists of others say nothing of links: their digests are those of payloads. */
static int add_listed(struct rates_observed *o, const struct listed *listed, unsigned source)
{
	struct listed seen = *listed;

	if (o->change == RATES_CHANGE_LINKS)
		seen.digest = LISTED_NO_DIGEST;
	return page_table_add(&o->table, &seen, source);
}

static int on_listed(void *context, const struct listed *listed, struct err *err)
{
	struct rates_observed *o = context;

	if (o->counts.format == LISTING_SITEMAP)
		return err_code(err, on_entry(o, listed));
	return err_code(err, add_listed(o, listed, 1U << o->counts.format));
}

int rates_observed_list(struct rates_observed *o, const char *path, struct err *err)
{
	return listing_read(path, on_listed, o, &o->counts, err);
}

/* ---- an archive ---- */

static int on_capture(void *context, const struct catalog_capture *capture)
{
	struct rates_observed *o = context;
	struct rates_capture c = {capture->id, capture->started,
		o->owners && !strmap_get(o->owners, url_owner(capture->site), NULL)};

	if (!(o->finished_only && capture->state == CATALOG_RUNNING) &&
		capture->started <= o->table.until)
		rates_captures_push(&o->captures, c);
	return 0;
}

/* Numbers are dense: pages come as 0, 1, 2, … */
static int on_page(void *context, const struct catalog_page *page)
{
	struct rates_observed *o = context;
	uint32_t number = CATALOG_NO_PAGE;
	int rc = page->taken ? page_table_get(&o->table, page->url, &number, NULL) : 0;

	if (rc == ERR_SYNTAX)
		rc = 0;
	if (rc == 0 && number != CATALOG_NO_PAGE)
		note_sitemap(o, number,
			&(struct listed){.time = o->started,
				.modified = page->lastmod,
				.frequency = (enum frequency)page->frequency});
	u32_vec_push(&o->pages, number);
	return rc;
}

/* But for noise. */
static bool is_same_content(const struct rates_look *a, const struct rates_look *b)
{
	return a->payload == b->payload || (a->class && a->class == b->class);
}

static struct rates_look look_of(const struct attempt *a)
{
	struct rates_look look = {.payload = listed_digest_of(&a->payload)};

	if (a->has_state)
		look.class = listed_digest_of(a->has_class ? &a->class : &a->state);
	if (a->etag.ptr)
		look.etag = hash_bytes(ETAG_KEY, a->etag) | 1;
	return look;
}

static struct rates_look *last_look(struct rates_observed *o, uint32_t page)
{
	while (o->looks.len <= page)
		rates_looks_push(&o->looks, (struct rates_look){0});
	return &o->looks.ptr[page];
}

/* Whether the look has links that none before it had. */
static int find_new_links(
	struct rates_observed *o, uint32_t page, const struct attempt *a, bool *ret)
{
	while (o->links.len <= page)
		link_unions_push(&o->links, (struct link_union){0});
	return link_union_add(&o->links.ptr[page], a->links, ret);
}

/*
 * A look whose links were not read shows the same if its bytes are the same; else nothing. Links of
 * the revisits of a capture are not read, so those that are the same tell nothing either: else only
 * these would count, and pages would seem calmer than they are.
 */
static int name_links(struct rates_observed *o, uint32_t page, const struct attempt *a,
	const struct rates_look *before, struct rates_look *now)
{
	bool is_new = before->state == LISTED_NO_DIGEST;
	int rc = 0;

	now->state = before->state;
	if (link_set_is_sketch(a->links)) {
		bool added = false;

		rc = find_new_links(o, page, a, &added);
		is_new = is_new || added;
	} else if (a->leg == ATTEMPT_REVISIT || before->payload != now->payload) {
		now->state = LISTED_NO_DIGEST;
		return 0;
	}
	if (rc == 0 && is_new)
		now->state = ++o->states << 8 | NAMED;
	return rc;
}

/* What the state of a page is called that an attempt has seen. */
static int name_state(
	struct rates_observed *o, uint32_t page, const struct attempt *a, listed_digest *ret)
{
	struct rates_look now = look_of(a), *before = last_look(o, page);
	int rc = 0;

	if (o->change == RATES_CHANGE_LINKS)
		rc = name_links(o, page, a, before, &now);
	else if (o->change == RATES_CHANGE_PAYLOAD)
		now.state = now.payload;
	else
		now.state = is_same_content(before, &now) ? before->state : now.payload;
	if (rc)
		return rc;
	if (now.etag && now.etag == before->etag && !is_same_content(before, &now))
		o->table.pages.ptr[page].lies |= PAGE_WORD_HTTP; /* of validators, one is as good */
	*ret = now.state;
	if (now.state == LISTED_NO_DIGEST)
		now.state = before->state;
	*before = now;
	return 0;
}

/* A cache shows a page as it was when it was stored. */
static int64_t time_of(const struct attempt *a)
{
	int64_t age = a->age.known ? (int64_t)a->age.seconds * SECOND : 0;

	return a->wall.first_byte - age;
}

/*
 * What was cut off, failed, or stood in the page's place, shows no state of the page. Probes come
 * seconds after a look and tell little.
 */
static int on_attempt(void *context, const struct attempt *a)
{
	struct rates_observed *o = context;
	struct listed seen = {.time = time_of(a), .status = a->status, .modified = a->modified};
	uint32_t page, at = a->page - o->first;
	int rc;

	if (at >= o->pages.len || o->pages.ptr[at] == CATALOG_NO_PAGE || a->leg == ATTEMPT_PROBE ||
		!a->has_payload || a->truncated || a->failure.ptr ||
		(a->stand_in.ptr && !stand_in_is_doubt(a->stand_in)) || a->wall.first_byte == 0 ||
		seen.time <= 0 || seen.time > o->table.until)
		return 0;
	page = o->pages.ptr[at];
	rc = name_state(o, page, a, &seen.digest);
	if (rc == 0 && seen.digest != LISTED_NO_DIGEST)
		page_table_see(&o->table, page, &seen, RATES_FROM_ARCHIVE);
	return rc;
}

/* What `stillpoint import` has put there. */
static int on_imported(void *context, const struct catalog_imported *i)
{
	struct rates_observed *o = context;
	struct listed seen = {.url = i->url, .time = i->time, .digest = i->digest};

	return add_listed(o, &seen, i->source);
}

static int read_capture(struct rates_observed *o, struct catalog *catalog,
	struct rates_capture capture, struct err *err)
{
	o->pages.len = 0;
	o->first = 0;
	o->started = capture.started;
	TRY(catalog_each_page(catalog, capture.id, on_page, o, err));
	return catalog_each_observation(catalog, capture.id, on_attempt, o, err);
}

/* So many pages of a capture, as far from each other as can be. */
static int read_sample(struct rates_observed *o, struct catalog *catalog,
	struct rates_capture capture, uint32_t wanted, struct err *err)
{
	uint32_t pages = 0;
	int rc = catalog_count_pages(catalog, capture.id, &pages, err);

	if (pages <= wanted)
		return rc ? rc : read_capture(o, catalog, capture, err);
	o->started = capture.started;
	for (uint32_t i = 0; rc == 0 && i < wanted; i++) {
		o->pages.len = 0;
		o->first = (uint32_t)((uint64_t)pages * i / wanted);
		rc = catalog_get_page(catalog, capture.id, o->first, on_page, o, err);
		if (rc == 0)
			rc = catalog_page_observations(
				catalog, capture.id, o->first, on_attempt, o, err);
	}
	return rc;
}

/* The captures of others, or RATES_SAMPLE of them, share the sample. */
static int read_captures(struct rates_observed *o, struct catalog *catalog, struct err *err)
{
	size_t others = 0, seen = 0, read = 0, each;
	int rc = 0;

	for (size_t i = 0; i < o->captures.len; i++)
		others += o->captures.ptr[i].is_other;
	each = others ? RATES_SAMPLE / others : 0;
	for (size_t i = 0; rc == 0 && i < o->captures.len; i++) {
		struct rates_capture c = o->captures.ptr[i];

		if (!c.is_other) {
			rc = read_capture(o, catalog, c, err);
		} else if (each) {
			rc = read_sample(o, catalog, c, (uint32_t)each, err);
		} else if (seen++ * RATES_SAMPLE >= read * others) {
			rc = read_sample(o, catalog, c, 1, err);
			read++;
		}
	}
	return rc;
}

int rates_observed_catalog(struct rates_observed *o, struct catalog *catalog, struct err *err)
{
	forget_archive(o);
	TRY(catalog_each_capture(catalog, on_capture, o, err));
	TRY(catalog_each_imported(catalog, on_imported, o, err));
	return read_captures(o, catalog, err);
}
