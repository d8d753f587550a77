#include "archive/cdxj.h"

#include "archive/compact.h"
#include "base/err.h"
#include "base/format.h"
#include "base/json.h"
#include "base/word.h"

int cdxj_compare(slice a, slice b)
{
	size_t n = a.len < b.len ? a.len : b.len;
	int order = n ? memcmp(a.ptr, b.ptr, n) : 0;

	return order ? order : (a.len > b.len) - (a.len < b.len);
}

static bool is_key(slice key)
{
	for (size_t i = 0; i < key.len; i++)
		if ((unsigned char)key.ptr[i] <= ' ')
			return false;
	return key.len > 0;
}

static void put(struct json *j, const char *key, slice value)
{
	if (!value.ptr)
		return;
	json_key(j, key);
	json_slice(j, value);
}

static void put_number(struct json *j, const char *key, uint64_t value)
{
	char text[FORMAT_U64_SIZE];

	put(j, key, (slice){text, format_u64(value, text)});
}

/* In the order in which warcio has them. */
static int write_fields(struct buf *out, const struct cdxj *line)
{
	struct json j;

	json_init_buf(&j, out, JSON_LINES);
	json_object_begin(&j);
	put(&j, "url", line->url);
	put(&j, "mime", line->mime);
	if (line->status)
		put_number(&j, "status", line->status);
	put(&j, "digest", line->digest);
	if (line->has_place) {
		put_number(&j, "length", line->length);
		put_number(&j, "offset", line->offset);
	}
	put(&j, "filename", line->filename);
	json_object_end(&j);
	return json_finish(&j);
}

int cdxj_write(struct buf *out, const struct cdxj *line)
{
	size_t before = out->len;
	int rc = is_key(line->key) ? buf_add(out, line->key) : ERR_SYNTAX;

	if (rc == 0)
		rc = buf_printf(out, " %s ", line->timestamp);
	if (rc == 0)
		rc = write_fields(out, line);
	if (rc == 0 && out->len - before > CDXJ_LINE_MAX)
		rc = ERR_LIMIT;
	if (rc && out->ptr) {
		out->len = before;
		out->ptr[before] = '\0';
	}
	return rc;
}

static bool is_indexed(const struct warc_record *r)
{
	slice fields = SLICE("application/warc-fields");

	switch (r->header.type) {
	case WARC_TYPE_RESPONSE:
	case WARC_TYPE_REVISIT:
	case WARC_TYPE_CONVERSION:
		break;
	case WARC_TYPE_RESOURCE:
	case WARC_TYPE_METADATA:
		if (word_is(fields_media_type(r->header.content_type), fields) ||
			compact_is_type(r->header.content_type))
			return false;
		break;
	default:
		return false;
	}
	return !r->is_gap && !r->is_shared && r->header.url.ptr && r->header.has_date;
}

bool cdxj_from_record(const struct warc_record *r, slice filename, struct cdxj *ret)
{
	slice digest = warc_header_get(&r->header, SLICE("WARC-Payload-Digest"));
	const char *colon = digest.len ? memchr(digest.ptr, ':', digest.len) : NULL;

	if (!is_indexed(r))
		return false;
	*ret = (struct cdxj){
		.url = r->header.url,
		.mime = r->header.type == WARC_TYPE_REVISIT ? SLICE("warc/revisit") : r->mime,
		.digest = digest,
		.filename = filename,
		.status = r->status,
		.has_place = true,
		.length = r->length,
		.offset = r->spot.offset,
	};
	if (colon)
		ret->digest = slice_sub(digest, (size_t)(colon - digest.ptr) + 1, digest.len);
	warc_date_digits(r->header.date, ret->timestamp);
	return true;
}
