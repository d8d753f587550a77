#include "archive/warc_entry.h"

#include <string.h>

#include "archive/warc_date.h"
#include "base/format.h"

static const slice CONTENT_TYPES[] = {
	[WARC_TYPE_WARCINFO] = SLICE_INIT("application/warc-fields"),
	[WARC_TYPE_RESPONSE] = SLICE_INIT("application/http; msgtype=response"),
	[WARC_TYPE_REQUEST] = SLICE_INIT("application/http; msgtype=request"),
	[WARC_TYPE_METADATA] = SLICE_INIT("application/warc-fields"),
	[WARC_TYPE_REVISIT] = SLICE_INIT("application/http; msgtype=response"),
	[WARC_TYPE_CONTINUATION] = {NULL, 0},
};

static const slice PROFILES[] = {
	[WARC_PROFILE_IDENTICAL] =
		SLICE_INIT("http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"),
	[WARC_PROFILE_NOT_MODIFIED] =
		SLICE_INIT("http://netpreserve.org/warc/1.1/revisit/server-not-modified"),
};

bool warc_entry_has_payload(const struct warc_entry *e)
{
	return e->type == WARC_TYPE_RESPONSE || e->type == WARC_TYPE_RESOURCE ||
	       (e->type == WARC_TYPE_REVISIT && e->payload);
}

slice warc_entry_content_type(const struct warc_entry *e)
{
	return e->content_type.ptr ? e->content_type : CONTENT_TYPES[e->type];
}

static const char *find_fault(const struct warc_entry *e)
{
	bool is_revisit = e->type == WARC_TYPE_REVISIT;

	if (e->type == WARC_TYPE_UNKNOWN || e->type == WARC_TYPE_CONVERSION ||
		e->type == WARC_TYPE_CONTINUATION)
		return "records of this type are not written";
	if (e->id.len >= WARC_ID_SIZE)
		return "a record's id is too long";
	if (e->type != WARC_TYPE_WARCINFO && e->url.len == 0)
		return "a record needs a URL";
	if (e->type == WARC_TYPE_RESOURCE && e->content_type.len == 0)
		return "a resource needs a content type";
	if (is_revisit &&
		(e->refers_to.len == 0 || e->refers_to_url.len == 0 || e->refers_to_date == 0))
		return "a revisit needs the id, URL and date of what it refers to";
	if (is_revisit && e->profile == WARC_PROFILE_IDENTICAL && !e->payload)
		return "an identical payload needs its digest";
	return NULL;
}

int warc_entry_check(const struct warc_entry *e, struct err *err)
{
	const char *fault = find_fault(e);

	return fault ? err_set(err, ERR_USAGE, "%s", fault) : 0;
}

/* A header being written; the first failure is kept and what follows dropped. */
struct draft {
	struct buf *out;
	int rc;
	slice failed; /* name of the field */
};

static void put(struct draft *d, slice name, slice value)
{
	if (d->rc)
		return;
	d->rc = warc_header_add(d->out, name, value);
	d->failed = name;
}

static void put_str(struct draft *d, slice name, const char *value)
{
	if (value)
		put(d, name, slice_str(value));
}

static void put_date(struct draft *d, slice name, int64_t date)
{
	char text[WARC_DATE_SIZE];

	warc_date_format(date, text);
	put_str(d, name, text);
}

static void put_digest(struct draft *d, slice name, const struct digest *digest)
{
	char text[DIGEST_TEXT_SIZE];

	(void)digest_format(digest, text);
	put_str(d, name, text);
}

static void put_revisit(struct draft *d, const struct warc_entry *e)
{
	if (e->type != WARC_TYPE_REVISIT)
		return;
	put(d, SLICE("WARC-Profile"), PROFILES[e->profile]);
	put(d, SLICE("WARC-Refers-To"), e->refers_to);
	put(d, SLICE("WARC-Refers-To-Target-URI"), e->refers_to_url);
	put_date(d, SLICE("WARC-Refers-To-Date"), e->refers_to_date);
}

static void put_block(
	struct draft *d, const struct warc_entry *e, const struct warc_entry_facts *facts)
{
	char length[FORMAT_U64_SIZE];

	if (facts->has_payload)
		put_digest(d, SLICE("WARC-Payload-Digest"), &facts->payload);
	put_digest(d, SLICE("WARC-Block-Digest"), &facts->block);
	put(d, SLICE("Content-Type"), warc_entry_content_type(e));
	(void)format_u64(facts->length, length);
	put_str(d, SLICE("Content-Length"), length);
}

int warc_entry_format(const struct warc_entry *e, const struct warc_entry_facts *facts,
	struct buf *out, struct err *err)
{
	struct draft d = {.out = out, .failed = SLICE("version")};

	d.rc = buf_add_str(out, "WARC/1.1\r\n");
	put_str(&d, SLICE("WARC-Type"), warc_type_name(e->type));
	put_str(&d, SLICE("WARC-Record-ID"), facts->id.text);
	put_date(&d, SLICE("WARC-Date"), e->date);
	put_str(&d, SLICE("WARC-Warcinfo-ID"), facts->warcinfo);
	put(&d, SLICE("WARC-Target-URI"), e->url);
	put_str(&d, SLICE("WARC-Filename"), facts->filename);
	put(&d, SLICE("WARC-IP-Address"), e->ip);
	put(&d, SLICE("WARC-Concurrent-To"), e->concurrent);
	put_revisit(&d, e);
	put_str(&d, SLICE("WARC-Truncated"), e->truncated);
	for (size_t i = 0; i < e->extra_count; i++)
		put(&d, e->extra[i].name, e->extra[i].value);
	put_block(&d, e, facts);
	if (d.rc == 0)
		d.rc = buf_add_str(out, "\r\n");
	if (d.rc == 0)
		return 0;
	return err_set(err, d.rc, "%.*s: %s", (int)(d.failed.len < 80 ? d.failed.len : 80),
		d.failed.ptr, err_name(d.rc));
}

static int sum_block(const struct warc_entry *e, struct digest *ret)
{
	struct digester d = {0};
	int rc = digester_start(&d, DIGEST_SHA256);

	if (rc == 0 && e->head.len)
		rc = digester_feed(&d, e->head);
	if (rc == 0 && e->body.len)
		rc = digester_feed(&d, e->body);
	if (rc == 0)
		rc = digester_finish(&d, ret);
	digester_release(&d);
	return rc;
}

int warc_entry_record(const struct warc_entry *e, const struct warc_entry_facts *facts,
	struct buf *out, struct err *err)
{
	struct warc_entry_facts full = *facts;
	int rc = sum_block(e, &full.block);

	if (rc)
		return err_code(err, rc);
	full.length = e->head.len + e->body.len;
	full.has_payload = e->payload != NULL;
	if (e->payload)
		full.payload = *e->payload;
	rc = warc_entry_format(e, &full, out, err);
	if (rc)
		return rc;
	if (e->head.len)
		rc = buf_add(out, e->head);
	if (rc == 0 && e->body.len)
		rc = buf_add(out, e->body);
	if (rc == 0)
		rc = buf_add_str(out, "\r\n\r\n");
	return err_code(err, rc);
}
