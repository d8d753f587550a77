#include "archive/cdxj_record.h"

#include "archive/post_query.h"
#include "base/err.h"
#include "url/surt.h"

int cdxj_key(struct buf *out, slice text)
{
	struct url url;
	int rc;

	url_init(&url);
	buf_reset(out);
	rc = url_parse(&url, text, NULL, NULL);
	if (rc == 0)
		rc = url_surt(out, &url);
	url_release(&url);
	return rc;
}

static int not_a_line(int rc)
{
	return rc == ERR_NOMEM ? rc : ERR_NOTFOUND;
}

/* Without its line feed. */
static int write_line(struct buf *out, const struct cdxj *line)
{
	int rc = cdxj_write(out, line);

	if (rc)
		return not_a_line(rc);
	buf_truncate(out, out->len - 1);
	return 0;
}

int cdxj_record_line(
	struct buf *out, struct buf *key, const struct warc_record *record, slice filename)
{
	struct cdxj line;
	int rc;

	buf_reset(out);
	if (!cdxj_from_record(record, filename, &line) || slice_eq(line.mime, SLICE("text/dns")))
		return ERR_NOTFOUND;
	rc = cdxj_key(key, line.url);
	line.key = buf_slice(key);
	return rc ? not_a_line(rc) : write_line(out, &line);
}

/* The digest without its algorithm in front, as in other indexes. */
static slice digest_value(const struct digest *d, char out[DIGEST_TEXT_SIZE])
{
	size_t len = digest_format(d, out);
	const char *colon = memchr(out, ':', len);

	return colon ? (slice){colon + 1, len - (size_t)(colon + 1 - out)} : (slice){out, len};
}

int cdxj_attempt_line(struct buf *out, struct buf *key, const struct attempt *a)
{
	char digest[DIGEST_TEXT_SIZE];
	slice url = a->url, body;
	bool by_post = slice_eq(a->purpose, SLICE(ATTEMPT_BY_POST)) &&
		       post_query_split(a->url, &url, &body);
	struct cdxj line = {
		.url = by_post ? url : a->url,
		.mime = a->is_revisit ? SLICE("warc/revisit") : fields_media_type(a->media_type),
		.digest = digest_value(&a->payload, digest),
		.filename = a->warc,
		.status = a->status,
		.has_place = true,
		.length = a->length,
		.offset = a->offset,
	};
	int rc;

	buf_reset(out);
	if (!a->warc.ptr || !a->has_payload)
		return ERR_NOTFOUND;
	rc = cdxj_key(key, a->url);
	line.key = buf_slice(key);
	warc_date_digits(a->wall.sent, line.timestamp);
	return rc ? not_a_line(rc) : write_line(out, &line);
}
