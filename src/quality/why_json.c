#include "quality/why_json.h"

#include "quality/report_json.h"

/* From where it all began to the page itself. */
static void put_way(struct json *j, const struct why *w)
{
	json_key(j, "way");
	json_array_begin(j);
	for (size_t i = 0; i < w->way.len; i++) {
		json_object_begin(j);
		json_text(j, "url", w->way.ptr[i].url);
		json_text(j, "found", w->way.ptr[i].found);
		json_object_end(j);
	}
	json_array_end(j);
}

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
	put_way(j, w);
	json_put_bool(j, "taken", page->taken);
	json_text(j, "rule", page->rule);
	json_key(j, "attempts");
	json_array_begin(j);
	for (size_t i = 0; i < w->attempts.len; i++)
		put_attempt(j, &w->attempts.ptr[i]);
	json_array_end(j);
	json_object_end(j);
}
