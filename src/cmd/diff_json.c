#include "base/clock.h"
#include "cmd/diff.h"
#include "cmd/noise.h"
#include "quality/report_json.h"

/* "page", "text", "bytes". */
static const char *diff_form_name(enum versions_form form)
{
	static const char *const NAMES[] = {
		[VERSIONS_PAGE] = "page", [VERSIONS_TEXT] = "text", [VERSIONS_BYTES] = "bytes"};

	return NAMES[form];
}

static void put_buf(struct json *j, const char *key, const struct buf *b)
{
	json_text(j, key, b->len ? buf_slice(b) : (slice){0});
}

static void put_look(struct json *j, const char *key, const struct look *l)
{
	char digest[DIGEST_TEXT_SIZE];

	(void)digest_format(&l->digest, digest);
	json_key(j, key);
	json_object_begin(j);
	json_put_uint(j, "attempt", l->attempt->number);
	report_json_time(j, "from", l->attempt->wall.sent, CLOCK_ROUND_DOWN);
	report_json_time(j, "to", l->attempt->wall.last_byte, CLOCK_ROUND_UP);
	json_put_uint(j, "status", l->status);
	put_buf(j, "media_type", &l->media_type);
	put_buf(j, "location", &l->location);
	put_buf(j, "coding", &l->coding);
	json_put_bool(j, "whole", l->whole);
	json_put_bool(j, "close_delimited", l->close_delimited);
	json_put_uint(j, "size", l->size);
	json_put_string(j, "digest", digest);
	json_text(j, "warc", l->attempt->warc);
	json_put_uint_if(j, "offset", l->attempt->warc.ptr != NULL, l->attempt->offset);
	put_buf(j, "refers_to", &l->original);
	json_object_end(j);
}

static void put_cells(struct json *j, const struct versions_row *row)
{
	json_text(j, "where", row->where);
	json_text(j, "a", row->a);
	json_text(j, "b", row->b);
}

static void put_rows(struct json *j, const struct versions *v)
{
	json_put_uint(j, "differ_count", v->differ_count);
	json_key(j, "differs");
	json_array_begin(j);
	for (size_t i = 0; i < v->rows.len; i++) {
		if (!v->rows.ptr[i].differs)
			continue;
		json_object_begin(j);
		put_cells(j, &v->rows.ptr[i]);
		json_object_end(j);
	}
	json_array_end(j);
	json_put_uint(j, "masked_count", v->masked_count);
	json_key(j, "masked");
	json_array_begin(j);
	for (size_t i = 0; i < v->masked.len; i++) {
		json_object_begin(j);
		json_text(j, "rule", v->masked.ptr[i].name);
		put_cells(j, &v->masked.ptr[i].row);
		json_object_end(j);
	}
	json_array_end(j);
}

void diff_json(const struct diff *d, struct json *j)
{
	const struct versions *v = d->versions;

	json_document_begin(j);
	json_text(j, "url", d->url);
	json_put_uint(j, "capture", d->capture->id);
	json_text(j, "site", d->capture->site);
	json_put_string(j, "same", change_same_name(v->same));
	json_put_string(j, "doubt", v->doubt);
	json_put_string(j, "form", diff_form_name(v->form));
	put_look(j, "visit", d->visit);
	put_look(j, "revisit", d->revisit);
	noise_put_rules(j, &v->change);
	put_rows(j, v);
	json_object_end(j);
}
