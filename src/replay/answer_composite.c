/*
 * /NAME/composite/TIMESTAMP/URL: a page and its requisites at one instant, and whether the whole
 * picture is known to have existed then.
 *
 *	sharp		page and requisites are proven at T
 *	incomplete	the page names something that is not archived
 *	blurred		everything is there, but not all of it is proven at T
 */
#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/lists.h"
#include "base/slice.h"
#include "formats/http_message.h"
#include "formats/page.h"
#include "formats/resolve.h"
#include "proof/coherence.h"
#include "proof/report_json.h"
#include "replay/answers.h"
#include "replay/body.h"
#include "replay/choice.h"
#include "replay/collection.h"
#include "replay/live_archive.h"
#include "replay/record.h"
#include "warc/warc_date.h"

/*
 * What a page is made of: styles, scripts, images, fonts, frames, and what these name in turn. An
 * archive may know them (its edges from page to requisite); else the archived bodies are read.
 */

enum { PARTS_MAX = 2000 };

/* Release in every case. */
struct parts {
	struct slice_vec urls; /* each once, in the order in which they were found */
	struct arena arena;
	struct strmap seen;
	bool cut; /* there are more */
};

enum {
	ARENA_MAX = 64 << 20,
	BODY_MAX = 32 << 20, /* bytes of a document that are read */
};

static void parts_init(struct parts *r)
{
	*r = (struct parts){.cut = false};
	arena_init(&r->arena, ARENA_MAX);
	strmap_init(&r->seen, hash_key_random(), &r->arena);
}

static void parts_release(struct parts *r)
{
	slice_vec_release(&r->urls);
	strmap_release(&r->seen);
	arena_release(&r->arena);
}

/* Adds a URL unless it is there. */
static void parts_add(struct parts *r, slice url)
{
	if (strmap_get(&r->seen, url, NULL))
		return;
	if (r->urls.len >= PARTS_MAX || arena_full(&r->arena))
		r->cut = true;
	else if (strmap_add(&r->seen, url, 0))
		slice_vec_push(&r->urls, strmap_newest(&r->seen));
}

/* An empty URL: the archive knows of a requisite that it did not keep. */
static int on_url(void *context, slice url)
{
	struct parts *r = context;

	if (url.len > 0)
		parts_add(r, url);
	else
		r->cut = true;
	return 0;
}

/* Those that the archive knows of the page in a capture; none when it knows none. */
static int parts_from_archive(
	struct parts *r, struct collection *c, slice page, uint32_t capture, struct err *err)
{
	if (!c->live)
		return 0;
	return live_archive_each_requisite(c->live, page, capture, on_url, r, err);
}

static void add_resolved(struct parts *r, const struct links *links, slice url)
{
	struct resolved_link link;
	struct resolver resolver;
	struct url document;

	url_init(&document);
	resolver_init(&resolver, hash_key_random());
	if (url_parse(&document, url, NULL, NULL) == 0) {
		resolver_start(&resolver, links, &document);
		while (resolver_next(&resolver, &link))
			if (link_kind_is_requisite(link.kind))
				parts_add(r, link.url);
	}
	resolver_release(&resolver);
	url_release(&document);
}

/* Adds the requisites that the body of a memento names. What cannot be read names none. */
static void parts_from_body(struct parts *r, struct collection *c, const struct memento *m)
{
	struct record *record = NULL;
	struct body *body = NULL;
	struct err ignored = {0};
	struct links links;
	struct page page;
	slice type;

	if (record_open(c, m, &record, &ignored))
		return;
	type = fields_trim(record_head(record)->content_type);
	if (page_format_of(type) == PAGE_OPAQUE || page_format_of(type) == PAGE_PLAIN) {
		record_close(record);
		return;
	}
	links_init(&links);
	page_open(&page, &(struct page_params){.content_type = type, .links = &links});
	if (body_new_decoded(record, &body, &ignored) == 0 &&
		body_read_page(body, BODY_MAX, &page, &ignored) == 0)
		add_resolved(r, &links, m->url);
	page_close(&page);
	links_release(&links);
	body_free(body);
}

struct composite {
	struct asked *a;
	struct json j;
	struct parts requisites;
	int64_t page_time; /* when the page was looked at, or T where it is proven */
	uint32_t capture;  /* of the page; its edges lead from page to requisite */
	bool from_edges;
	bool missing, unproven;
};

/* Rounded inwards: the printed interval lies within the proven one. */
static void put_proven(struct json *j, const struct found *f)
{
	json_key(j, "proven");
	if (!f->memento || f->ground != CHOICE_PROVEN) {
		json_null(j);
		return;
	}
	json_object_begin(j);
	report_json_time(j, "from", f->interval.from, CLOCK_ROUND_UP);
	report_json_time(j, "to", f->interval.to, CLOCK_ROUND_DOWN);
	json_object_end(j);
}

/* Other tools know whole seconds (proof/coherence.h). */
static int64_t coherence_time(const struct composite *x, int64_t time)
{
	return x->a->collection->live ? time : warc_date_truncate(time);
}

static const char *state_of(struct composite *x, const struct found *f)
{
	struct coherence_facts facts = {
		.page = coherence_time(x, x->page_time),
		.requisite = coherence_time(x, f->memento->seen),
		.has_other = f->has_other,
		.other = coherence_time(x, f->other),
	};
	struct record *r = NULL;
	struct err ignored = {0};
	struct served served;

	if (record_open_head(x->a->collection, f->memento, &r, &ignored) == 0) {
		served_read(record_head(r)->fields, f->memento->seen, &served);
		facts.has_last_modified = served.modified != 0;
		facts.last_modified = served.modified;
		record_close(r);
	}
	return coherence_name(coherence_state(&facts));
}

static void put_part(struct composite *x, slice url, const struct found *f)
{
	struct json *j = &x->j;

	json_object_begin(j);
	json_text(j, "url", url);
	if (f->memento)
		report_json_time(j, "memento", f->memento->seen, CLOCK_ROUND_DOWN);
	else
		json_put_string(j, "memento", NULL);
	json_put_uint_if(
		j, "status", f->memento && f->memento->status, f->memento ? f->memento->status : 0);
	put_proven(j, f);
	json_put_string(j, "evidence",
		f->memento && f->ground != CHOICE_NEAREST ? same_by_name(f->interval.evidence)
							  : NULL);
	json_put_string(j, "state", f->memento ? state_of(x, f) : NULL);
	json_object_end(j);
	x->missing = x->missing || !f->memento;
	x->unproven = x->unproven || (f->memento && f->ground != CHOICE_PROVEN);
}

static int find(struct composite *x, slice url, struct found *ret, struct err *err)
{
	struct asked *a = x->a;
	struct wanted wanted = {
		.page = url,
		.time = a->route.time.last,
		.digits = a->route.digits,
		.window = a->replay->window_ns,
		.capture = x->capture,
	};

	return choice_find_page(a->collection, &wanted, ret, err);
}

/* What requisites name is found while they are listed: the list grows meanwhile. */
static int put_requisites(struct composite *x, struct err *err)
{
	int rc = 0;

	json_key(&x->j, "requisites");
	json_array_begin(&x->j);
	for (size_t i = 0; rc == 0 && i < x->requisites.urls.len; i++) {
		slice url = x->requisites.urls.ptr[i];
		struct found f = {0};

		rc = work_check(x->a->request->work, err);
		if (rc == 0)
			rc = find(x, url, &f, err);
		if (rc == 0 && x->from_edges)
			rc = parts_from_archive(
				&x->requisites, x->a->collection, url, x->capture, err);
		else if (rc == 0 && f.memento)
			parts_from_body(&x->requisites, x->a->collection, f.memento);
		if (rc == 0)
			put_part(x, url, &f);
		found_release(&f);
	}
	json_array_end(&x->j);
	return rc;
}

static int put_composite(struct composite *x, const struct found *page, struct err *err)
{
	struct collection *c = x->a->collection;
	int rc;

	strmap_add(&x->requisites.seen, page->memento->url, 0);
	TRY(parts_from_archive(&x->requisites, c, page->memento->url, page->memento->capture, err));
	x->from_edges = x->requisites.urls.len > 0;
	if (!x->from_edges)
		parts_from_body(&x->requisites, c, page->memento);
	json_init_buf(&x->j, &x->a->response->body, JSON_LINES);
	json_object_begin(&x->j);
	json_key(&x->j, "page");
	put_part(x, page->memento->url, page);
	rc = put_requisites(x, err);
	json_put_string(&x->j, "verdict",
		x->missing || x->requisites.cut ? "incomplete"
		: x->unproven                   ? "blurred"
						: "sharp");
	json_object_end(&x->j);
	return rc ? rc : err_code(err, json_finish(&x->j));
}

void answer_composite(struct asked *a)
{
	struct composite x = {.a = a};
	struct found page = {0};
	struct err err = {0};
	int rc;

	if (!asked_is_read(a))
		return;
	parts_init(&x.requisites);
	rc = find(&x, a->page, &page, &err);
	if (rc == 0 && !page.memento) {
		answer_missing(a, &page);
	} else if (rc == 0) {
		/* A page that is proven at T counts as captured at T. */
		x.page_time =
			page.ground == CHOICE_PROVEN ? a->route.time.last : page.memento->seen;
		x.capture = page.memento->capture;
		rc = put_composite(&x, &page, &err);
		a->response->status = STATUS_OK;
		if (rc == 0)
			answer_header(a, "Content-Type", "application/json");
	}
	if (rc) {
		buf_reset(&a->response->body);
		answer_failure(a, &err);
	}
	parts_release(&x.requisites);
	found_release(&page);
}
