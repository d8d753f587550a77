#include "archive/warc_header.h"

#include "archive/warc_date.h"
#include "base/parse.h"
#include "base/word.h"

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

const char *warc_type_name(enum warc_type type)
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
	int rc = fields_parse_first(&fields, head, len, WARC_FIELDS_MAX);

	*h = (struct warc_header){.fields = fields};
	if (rc)
		return err_set(err, rc, "record header: %s", err_name(rc));
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
	int rc;

	if (!value.ptr)
		return 0;
	if (!is_name(name) || !is_value(value))
		return ERR_SYNTAX;
	rc = buf_reserve(out, name.len + value.len + sizeof ": \r\n" - 1);
	if (rc == 0)
		rc = buf_add(out, name);
	if (rc == 0)
		rc = buf_add(out, SLICE(": "));
	if (rc == 0)
		rc = buf_add(out, value);
	return rc ? rc : buf_add(out, SLICE("\r\n"));
}
