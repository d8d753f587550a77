#include "proof/why.h"

#include <stdlib.h>

#include "base/lists.h"
#include "base/mem.h"
#include "formats/url.h"
#include "proof/report.h"
#include "proof/report_json.h"
#include "proof/report_saved.h"

enum { ARENA_MAX = 1 << 30 };

struct asking {
	struct why *why;
	struct err *err;
};

static int on_page(void *context, const struct catalog_page *p)
{
	struct asking *a = context;
	struct arena *arena = &a->why->arena;
	struct catalog_page copy = *p;

	copy.url = arena_keep(arena, p->url);
	copy.kind = arena_keep(arena, p->kind);
	copy.found = arena_keep(arena, p->found);
	copy.rule = arena_keep(arena, p->rule);
	return why_pages_push(&a->why->way, copy);
}

/* The way was found from its end. */
static void turn(struct why_pages *way)
{
	for (size_t i = 0; i < way->len / 2; i++) {
		struct catalog_page p = way->ptr[i];

		way->ptr[i] = way->ptr[way->len - 1 - i];
		way->ptr[way->len - 1 - i] = p;
	}
}

/*
 * A page may have been found on one with a higher number: it was known, but taken only when a
 * better link led to it. A way that runs in a circle, which only damage can make, ends there.
 */
static int find_way(struct asking *a, struct catalog *catalog, uint32_t capture)
{
	struct why_pages *way = &a->why->way;
	uint32_t at = a->why->page, pages = 0;
	int rc = catalog_count_pages(catalog, capture, &pages, a->err);
	unsigned char *seen = mem_new((size_t)pages / 8 + 1, 1);

	while (rc == 0 && at < pages && !(seen[at / 8] & 1U << at % 8)) {
		seen[at / 8] |= (unsigned char)(1U << at % 8);
		rc = catalog_get_page(catalog, capture, at, on_page, a, a->err);
		if (rc == 0)
			at = way->ptr[way->len - 1].via;
	}
	free(seen);
	turn(way);
	return rc;
}

static int on_observation(void *context, const struct attempt *o)
{
	struct asking *a = context;
	struct attempt copy = *o;
	int rc = attempt_keep(&copy, &a->why->arena);

	if (rc == 0)
		why_attempts_push(&a->why->attempts, copy);
	return err_code(a->err, rc);
}

int why_load(struct why *w, struct catalog *catalog, uint32_t capture, slice url, struct err *err)
{
	struct asking a = {.why = w, .err = err};

	*w = (struct why){0};
	arena_init(&w->arena, ARENA_MAX);
	TRY(report_find_page(catalog, capture, url, &w->page, err));
	TRY(find_way(&a, catalog, capture));
	return catalog_page_observations(catalog, capture, w->page, on_observation, &a, err);
}

/* As the user spells it, or else as it is spelled in canonical form. */
static int load_spelled(
	struct why *w, struct catalog *catalog, uint32_t capture, const char *text, struct err *err)
{
	struct url url;
	int rc = why_load(w, catalog, capture, slice_str(text), err);

	if (rc != ERR_NOTFOUND)
		return rc;
	url_init(&url);
	if (url_parse(&url, slice_str(text), NULL, NULL) == 0) {
		why_release(w);
		rc = why_load(w, catalog, capture, url_page(&url), err);
	}
	url_release(&url);
	return rc;
}

/* ERR_NOTFOUND, with what was perhaps meant by a text that is not a URL. */
static int propose(struct catalog *catalog, const struct catalog_capture *capture, const char *text,
	struct err *err)
{
	struct why w = {0};
	struct url url;
	slice meant;

	(void)err_set(err, ERR_NOTFOUND,
		"%s: capture %u does not know this URL: it found no link to it", text, capture->id);
	url_init(&url);
	if (url_repair_on_site(text, capture->site, &url)) {
		meant = url_page(&url);
		if (why_load(&w, catalog, capture->id, meant, NULL) == 0)
			(void)err_set(err, ERR_NOTFOUND,
				"'%.300s' is not a URL; did you mean %.*s ?", text, (int)meant.len,
				meant.ptr);
		else
			(void)err_set(err, ERR_NOTFOUND,
				"'%.300s' is not a URL, and capture %u does not know %.*s", text,
				capture->id, (int)meant.len, meant.ptr);
		why_release(&w);
	}
	url_release(&url);
	return ERR_NOTFOUND;
}

int why_find(struct why *w, struct catalog *catalog, const struct catalog_capture *capture,
	const char *text, struct err *err)
{
	int rc = load_spelled(w, catalog, capture->id, text, err);

	return rc == ERR_NOTFOUND ? propose(catalog, capture, text, err) : rc;
}

uint32_t why_newest_capture(struct catalog *catalog, const char *text)
{
	struct u32_vec ids = {0};
	uint32_t found = 0;
	bool taken = false;

	if (report_captures(catalog, &ids, NULL) == 0)
		for (size_t i = ids.len; i > 0 && !taken; i--) {
			struct why w;

			if (load_spelled(&w, catalog, ids.ptr[i - 1], text, NULL) == 0) {
				taken = w.way.ptr[w.way.len - 1].taken;
				found = taken || !found ? ids.ptr[i - 1] : found;
			}
			why_release(&w);
		}
	u32_vec_release(&ids);
	return found;
}

void why_release(struct why *w)
{
	why_pages_release(&w->way);
	why_attempts_release(&w->attempts);
	arena_release(&w->arena);
	*w = (struct why){0};
}

/* From where it all began to the page itself. */
static const struct column WAY_COLUMNS[] = {
	{"url", TABLE_JSON, MEMBER(struct catalog_page, url)},
	{"found", TABLE_JSON, MEMBER(struct catalog_page, found)},
};

static void put_digest(struct json *j, const char *key, bool known, const struct digest *d)
{
	char text[DIGEST_TEXT_SIZE];

	if (known)
		(void)digest_format(d, text);
	json_put_string(j, key, known ? text : NULL);
}

static void put_record(struct json *j, const struct attempt *a)
{
	json_key(j, "record");
	if (!a->warc.ptr) {
		json_null(j);
		return;
	}
	json_object_begin(j);
	json_text(j, "file", a->warc);
	json_put_uint(j, "offset", a->offset);
	json_put_uint(j, "length", a->length);
	json_text(j, "id", a->record_id);
	json_put_bool(j, "is_revisit", a->is_revisit);
	json_object_end(j);
}

static void put_attempt(struct json *j, const struct attempt *a)
{
	json_object_begin(j);
	json_put_string(j, "leg", attempt_leg_name(a->leg));
	json_put_uint(j, "number", a->number);
	json_text(j, "purpose", a->purpose);
	report_json_time(j, "start", a->wall.sent, CLOCK_ROUND_DOWN);
	report_json_time(j, "end", a->wall.last_byte, CLOCK_ROUND_UP);
	json_put_uint_if(j, "status", a->status, a->status);
	json_text(j, "failure", a->failure);
	json_put_bool(j, "truncated", a->truncated);
	put_digest(j, "payload", a->has_payload, &a->payload);
	put_digest(j, "normalised", a->has_class, &a->class);
	json_put_bool(j, "compact", a->is_compact);
	put_record(j, a);
	json_object_end(j);
}

void why_json(const struct report *r, const struct why *w, struct json *j)
{
	const struct catalog_page *page = &w->way.ptr[w->way.len - 1];

	json_document_begin(j);
	json_put_uint_if(j, "capture", r->capture.id, r->capture.id);
	json_text(j, "uuid", r->capture.uuid);
	json_text(j, "site", r->capture.site);
	report_json_window(&r->window, j);
	report_json_page(r, w->page, j);
	json_text(j, "found", page->found);
	json_put_uint(j, "depth", page->depth);
	json_key(j, "way");
	table_json(&(struct table)TABLE_OF(WAY_COLUMNS, w->way), j);
	json_put_bool(j, "taken", page->taken);
	json_text(j, "rule", page->rule);
	json_key(j, "attempts");
	json_array_begin(j);
	for (size_t i = 0; i < w->attempts.len; i++)
		put_attempt(j, &w->attempts.ptr[i]);
	json_array_end(j);
	json_object_end(j);
}
