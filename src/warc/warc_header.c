#include "warc/warc_header.h"

#include <string.h>

#include "base/format.h"
#include "base/parse.h"
#include "base/word.h"
#include "warc/warc_date.h"

/* ---- fields ---- */

static const char *const TYPE_NAMES[] = {
	[WARC_TYPE_UNKNOWN] = "unknown",
	[WARC_TYPE_WARCINFO] = "warcinfo",
	[WARC_TYPE_RESPONSE] = "response",
	[WARC_TYPE_RESOURCE] = "resource",
	[WARC_TYPE_REQUEST] = "request",
	[WARC_TYPE_METADATA] = "metadata",
	[WARC_TYPE_REVISIT] = "revisit",
	[WARC_TYPE_CONVERSION] = "conversion",
	[WARC_TYPE_CONTINUATION] = "continuation",
};

enum { TYPE_COUNT = sizeof TYPE_NAMES / sizeof TYPE_NAMES[0] };

/* "response" and so on; "unknown" for the first. Constant. */
static const char *warc_type_name(enum warc_type type)
{
	return TYPE_NAMES[type];
}

static enum warc_type find_type(slice name)
{
	for (unsigned i = 1; i < TYPE_COUNT; i++)
		if (word_is(name, slice_str(TYPE_NAMES[i])))
			return (enum warc_type)i;
	return WARC_TYPE_UNKNOWN;
}

bool warc_header_is_start(slice b)
{
	return b.len >= WARC_MAGIC_SIZE && memcmp(b.ptr, "WARC/", 5) == 0 &&
	       word_is_digit(b.ptr[5]) && b.ptr[6] == '.' && word_is_digit(b.ptr[7]);
}

bool warc_header_is_version(slice b)
{
	size_t end = WARC_MAGIC_SIZE;

	if (b.len < WARC_VERSION_SIZE || !warc_header_is_start(b))
		return false;
	end += word_is_digit(b.ptr[end]);
	return b.ptr[end] == '\r' || b.ptr[end] == '\n';
}

/* "WARC/0.18": major and minor have one or two digits each. */
static int parse_version(slice line, unsigned *ret)
{
	uint64_t major, minor;

	line = fields_trim(line);
	if (!warc_header_is_start(line) || parse_u64(slice_sub(line, 5, 6), &major) ||
		parse_u64(slice_sub(line, 7, line.len), &minor) || minor > 99)
		return ERR_SYNTAX;
	*ret = (unsigned)(100 * major + minor);
	return 0;
}

static void read_length(struct warc_header *h)
{
	slice value = warc_header_get(h, SLICE("Content-Length"));

	h->has_length = value.ptr && parse_u64(value, &h->length) == 0;
	h->bad_length = value.ptr && !h->has_length;
}

int warc_header_parse(struct warc_header *h, char *head, size_t len, struct err *err)
{
	struct fields fields = h->fields;

	fields_parse_first(&fields, head, len, WARC_FIELDS_MAX);
	*h = (struct warc_header){.fields = fields};
	if (parse_version(fields.first_line, &h->version))
		return err_set(err, ERR_SYNTAX, "record header: no WARC version");
	h->type = find_type(warc_header_get(h, SLICE("WARC-Type")));
	h->url = warc_header_uri(h, SLICE("WARC-Target-URI"));
	h->content_type = warc_header_get(h, SLICE("Content-Type"));
	h->has_date = warc_date_parse(warc_header_get(h, SLICE("WARC-Date")), &h->date) == 0;
	read_length(h);
	return 0;
}

void warc_header_release(struct warc_header *h)
{
	fields_release(&h->fields);
	*h = (struct warc_header){0};
}

slice warc_header_get(const struct warc_header *h, slice name)
{
	return fields_get(&h->fields, name);
}

slice warc_header_uri(const struct warc_header *h, slice name)
{
	slice value = warc_header_get(h, name);

	if (value.len >= 2 && value.ptr[0] == '<' && value.ptr[value.len - 1] == '>')
		return slice_sub(value, 1, value.len - 1);
	return value;
}

/* Names are tokens of visible ASCII; a colon would end them. */
static bool is_name(slice s)
{
	for (size_t i = 0; i < s.len; i++)
		if (s.ptr[i] <= ' ' || s.ptr[i] > '~' || s.ptr[i] == ':')
			return false;
	return s.len > 0;
}

static bool is_value(slice s)
{
	return !memchr(s.ptr, '\r', s.len) && !memchr(s.ptr, '\n', s.len) &&
	       !memchr(s.ptr, '\0', s.len);
}

int warc_header_add(struct buf *out, slice name, slice value)
{
	if (!value.ptr)
		return 0;
	if (!is_name(name) || !is_value(value))
		return ERR_SYNTAX;
	buf_reserve(out, name.len + value.len + sizeof ": \r\n" - 1);
	buf_add(out, name);
	buf_add(out, SLICE(": "));
	buf_add(out, value);
	return buf_add(out, SLICE("\r\n"));
}

/* ---- names of records ---- */

static const char SHAPE[] = "<urn:uuid:xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx>";
static const char HEX[] = "0123456789abcdef";

_Static_assert(sizeof SHAPE == WARC_ID_SIZE, "as long as a record's name");

void warc_id_make(struct rng *rng, struct warc_id *ret)
{
	static const char PATTERN[] = "<urn:uuid:aaaaaaaa-aaaa-4aaa-8bbb-bbbbbbbbbbbb>";
	uint64_t a = rng_u64(rng), b = rng_u64(rng);
	char *variant = ret->text + sizeof "<urn:uuid:aaaaaaaa-aaaa-4aaa-" - 1;

	_Static_assert(sizeof PATTERN == WARC_ID_SIZE, "as long as a record's name");
	memcpy(ret->text, PATTERN, sizeof PATTERN);
	for (char *at = ret->text + sizeof "<urn:uuid:" - 1; *at; at++) {
		uint64_t *digits = *at == 'a' ? &a : &b;

		if (*at != 'a' && *at != 'b')
			continue;
		*at = HEX[*digits & 15];
		*digits >>= 4;
	}
	*variant = HEX[8 + (b & 3)];
}

/* Of a digit as we write them: in lower case. */
static int value_of(char c)
{
	return c >= 'A' && c <= 'F' ? -1 : word_hex(c);
}

bool warc_id_pack(slice id, unsigned char ret[WARC_ID_BYTES])
{
	unsigned digits = 0;

	if (id.len != WARC_ID_SIZE - 1)
		return false;
	memset(ret, 0, WARC_ID_BYTES);
	for (size_t i = 0; i < id.len; i++) {
		int value = value_of(id.ptr[i]);

		if (SHAPE[i] != 'x' && id.ptr[i] != SHAPE[i])
			return false;
		if (SHAPE[i] != 'x')
			continue;
		if (value < 0)
			return false;
		ret[digits / 2] = (unsigned char)(ret[digits / 2] << 4 | value);
		digits++;
	}
	return true;
}

void warc_id_unpack(const unsigned char bytes[WARC_ID_BYTES], struct warc_id *ret)
{
	unsigned digits = 0;

	memcpy(ret->text, SHAPE, sizeof SHAPE);
	for (char *at = ret->text; *at; at++) {
		if (*at != 'x')
			continue;
		*at = HEX[digits % 2 ? bytes[digits / 2] & 15 : bytes[digits / 2] >> 4];
		digits++;
	}
}

/* ---- records to be written ---- */

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
	if (facts->has_block)
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
	if (d.rc == 0 && e->lines.len)
		d.rc = buf_add(out, e->lines);
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
		digester_feed(&d, e->head);
	if (rc == 0 && e->body.len)
		digester_feed(&d, e->body);
	if (rc == 0)
		digester_finish(&d, ret);
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
	full.has_block = true;
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
