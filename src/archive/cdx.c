#include "archive/cdx.h"

#include "base/calendar.h"
#include "base/parse.h"

#define NS INT64_C(1000000000)

enum {
	DATE_DIGITS = 14,
	YEAR_MIN = 1900, /* nanoseconds in 64 bits hold these */
	YEAR_MAX = 2200,
	STATUS_MAX = 999,
};

struct cdx_layout cdx_layout_usual(void)
{
	return (struct cdx_layout){.separator = ' ',
		.fields = CDX_FIELDS_MIN,
		.date = 1,
		.url = 2,
		.status = 4,
		.digest = 5};
}

bool cdx_is_header(slice line)
{
	return line.len > 5 && slice_eq(slice_sub(line, 1, 4), SLICE("CDX")) &&
	       line.ptr[0] == line.ptr[4];
}

int cdx_layout_parse(slice line, struct cdx_layout *ret)
{
	struct cdx_layout l = {.date = -1, .url = -1, .status = -1, .digest = -1};
	slice rest = slice_sub(line, 5, line.len);

	if (!cdx_is_header(line))
		return ERR_SYNTAX;
	l.separator = line.ptr[0];
	while (rest.len > 0 && l.fields < CDX_FIELDS_MAX) {
		slice letter = slice_take(&rest, l.separator);
		int at = l.fields++;

		if (letter.len != 1)
			return ERR_SYNTAX;
		if (letter.ptr[0] == 'b')
			l.date = at;
		else if (letter.ptr[0] == 'a')
			l.url = at;
		else if (letter.ptr[0] == 's')
			l.status = at;
		else if (letter.ptr[0] == 'k')
			l.digest = at;
	}
	if (l.date < 0 || l.url < 0 || rest.len > 0)
		return ERR_SYNTAX;
	*ret = l;
	return 0;
}

static unsigned number(const char *digits, int count)
{
	unsigned value = 0;

	for (int i = 0; i < count; i++)
		value = 10 * value + (unsigned)(digits[i] - '0');
	return value;
}

int cdx_date_parse(slice text, int64_t *ret_ns)
{
	struct calendar_time t;
	int64_t seconds;
	int rc;

	if (text.len != DATE_DIGITS)
		return ERR_SYNTAX;
	for (size_t i = 0; i < DATE_DIGITS; i++)
		if (text.ptr[i] < '0' || text.ptr[i] > '9')
			return ERR_SYNTAX;
	t = (struct calendar_time){number(text.ptr, 4), number(text.ptr + 4, 2),
		number(text.ptr + 6, 2), number(text.ptr + 8, 2), number(text.ptr + 10, 2),
		number(text.ptr + 12, 2)};
	if (t.year < YEAR_MIN || t.year > YEAR_MAX)
		return ERR_RANGE;
	rc = calendar_seconds(&t, &seconds);
	if (rc == 0)
		*ret_ns = seconds * NS;
	return rc;
}

unsigned cdx_status_parse(slice text)
{
	uint64_t status;

	return parse_u64(text, &status) || status > STATUS_MAX ? 0 : (unsigned)status;
}

int cdx_parse(const struct cdx_layout *layout, slice line, struct listed *ret)
{
	slice fields[CDX_FIELDS_MAX];
	struct listed o = {0};
	int count = 0, rc;

	while (line.len > 0 && count < CDX_FIELDS_MAX)
		fields[count++] = slice_take(&line, layout->separator);
	if (count < layout->fields)
		return ERR_SYNTAX;
	rc = cdx_date_parse(fields[layout->date], &o.time);
	if (rc)
		return ERR_SYNTAX;
	o.url = fields[layout->url];
	if (layout->status >= 0)
		o.status = cdx_status_parse(fields[layout->status]);
	if (layout->digest >= 0)
		o.digest = listed_digest_parse(fields[layout->digest]);
	*ret = o;
	return o.url.len > 0 ? 0 : ERR_SYNTAX;
}
