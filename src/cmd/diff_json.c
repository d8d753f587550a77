#include "base/clock.h"
#include "cmd/diff.h"
#include "cmd/noise.h"
#include "quality/report_json.h"

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

static void put_row(struct json *j, const struct diff_row *row)
{
	json_object_begin(j);
	if (row->rule.ptr)
		json_text(j, "rule", row->rule);
	json_text(j, "where", row->where);
	json_text(j, "a", row->a);
	json_text(j, "b", row->b);
	json_object_end(j);
}

static void put_places(struct json *j, const struct diff *d, bool explained)
{
	for (size_t i = 0; i < d->pair->proof.places.len; i++) {
		struct diff_row row = diff_row_of(&d->pair->proof.places.ptr[i]);

		if ((row.rule.ptr != NULL) == explained)
			put_row(j, &row);
	}
}

static void put_rows(struct json *j, const struct diff *d)
{
	char room[2][DIFF_HEAD_TEXT];
	struct diff_row head[DIFF_HEAD_ROWS];
	size_t heads = diff_head(d, room, head);

	json_put_uint(j, "differ_count", heads + diff_count(d, false));
	json_key(j, "differs");
	json_array_begin(j);
	for (size_t i = 0; i < heads; i++)
		put_row(j, &head[i]);
	put_places(j, d, false);
	json_array_end(j);
	json_put_uint(j, "masked_count", diff_count(d, true));
	json_key(j, "masked");
	json_array_begin(j);
	put_places(j, d, true);
	json_array_end(j);
}

void diff_json(const struct diff *d, struct json *j)
{
	json_document_begin(j);
	json_text(j, "url", d->url);
	json_put_uint(j, "capture", d->capture->id);
	json_text(j, "site", d->capture->site);
	json_put_string(j, "same", d->same);
	json_put_string(j, "doubt", d->pair->doubt);
	put_look(j, "visit", d->visit);
	put_look(j, "revisit", d->revisit);
	noise_put_proof(j, &d->pair->proof);
	put_rows(j, d);
	json_object_end(j);
}
