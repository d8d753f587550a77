#include "proof/moment.h"

#include <string.h>

#include "base/parse.h"
#include "formats/http_fields.h"
#include "proof/clock_watch.h"
#include "warc/warc_date.h"

/* Of a record about a capture: its settings as far as there is room. */
static const size_t SETTINGS_MAX = 512 << 10;

enum { HEAD_MAX = 8192 }; /* bytes of a block that may be no setting */

#define SETTING "stillpoint-"
#define CUT     "settings-cut" /* in place of those for which there was no room */

/* Not a setting: what the strategy's name came to. */
static const slice USED = SLICE_INIT("stillpoint-strategy-used:");

/* ---- writing ---- */

/* "max_pages 2" becomes "stillpoint-max-pages: 2". */
static void add_settings(struct buf *out, slice lines)
{
	while (lines.len > 0) {
		slice line = slice_take(&lines, '\n');
		const char *blank = memchr(line.ptr, ' ', line.len);
		size_t name = blank ? (size_t)(blank - line.ptr) : line.len;

		if (out->len + line.len > SETTINGS_MAX) {
			(void)buf_add_str(out, SETTING CUT ": true\r\n");
			return;
		}
		(void)buf_add_str(out, SETTING);
		for (size_t i = 0; i < name; i++)
			(void)buf_add_char(out, (char)(line.ptr[i] == '_' ? '-' : line.ptr[i]));
		(void)buf_printf(out, ":%.*s\r\n", (int)(line.len - name), line.ptr + name);
	}
}

int moment_format(
	struct buf *out, const struct catalog_capture *capture, const struct catalog_clock *k)
{
	const struct catalog_capture *c = capture;
	char wall[WARC_DATE_NS_SIZE], time[WARC_DATE_NS_SIZE], started[WARC_DATE_NS_SIZE];

	warc_date_format_ns(k->wall, wall);
	warc_date_format_ns(k->capture_time, time);
	(void)buf_printf(out,
		"moment: %.*s\r\ncaptureTime: %s\r\nwallClock: %s\r\nmonotonic: %lld\r\n"
		"clockEstimatedErrorNs: %lld\r\nclockMaximumErrorNs: %lld\r\n"
		"clockSynchronised: %s\r\n",
		(int)k->moment.len, k->moment.ptr, time, wall, (long long)k->monotonic,
		(long long)k->estimated_error, (long long)k->maximum_error,
		k->synchronised ? "true" : "false");
	if (k->boot.len > 0)
		(void)buf_printf(out, "bootId: %.*s\r\n", (int)k->boot.len, k->boot.ptr);
	if (c->ended_by != CATALOG_END_NONE)
		(void)buf_printf(out, "endedBy: %s\r\n", catalog_end_name(c->ended_by));
	if (c->addresses != CATALOG_NO_ADDRESSES)
		(void)buf_printf(out, "addresses: %lld\r\n", (long long)c->addresses);
	if (!clock_watch_begins(k))
		return out->error;
	/* Whose clock it is, and by which rules: a file may hold several captures. */
	warc_date_format_ns(c->started, started);
	(void)buf_printf(out, "captureNumber: %u\r\nstarted: %s\r\nsite: %.*s\r\n%.*s %.*s\r\n",
		c->id, started, (int)c->site.len, c->site.ptr, (int)USED.len, USED.ptr,
		(int)c->strategy.len, c->strategy.ptr);
	add_settings(out, c->settings);
	return out->error;
}

/* ---- reading ---- */

/* The lines before the settings, below the first line that fields_parse expects. */
static char *copy_head(slice block, struct arena *arena, size_t *ret_len)
{
	static const slice FIRST = SLICE_INIT("moment\r\n");
	size_t len = block.len < HEAD_MAX ? block.len : HEAD_MAX;
	char *copy = arena_need(arena, FIRST.len + HEAD_MAX, 1);

	while (len > 0 && len < block.len && block.ptr[len - 1] != '\n')
		len--;
	memcpy(copy, FIRST.ptr, FIRST.len);
	if (len > 0)
		memcpy(copy + FIRST.len, block.ptr, len);
	*ret_len = FIRST.len + len;
	return copy;
}

/* A number that may be missing: then *ret stays as it is. */
static int read_number(const struct fields *f, slice name, int64_t *ret)
{
	slice text = fields_get(f, name);

	return text.ptr ? parse_i64(text, ret) : 0;
}

/* Earlier versions tell the wall clock by the record's date, and nothing else. */
static int read_clock(const struct fields *f, int64_t date, struct moment *ret)
{
	struct catalog_clock *k = &ret->clock;
	slice wall = fields_get(f, SLICE("wallClock"));
	slice time = fields_get(f, SLICE("captureTime"));
	int rc = parse_i64(fields_get(f, SLICE("monotonic")), &k->monotonic);

	k->moment = fields_get(f, SLICE("moment"));
	k->boot = fields_get(f, SLICE("bootId"));
	k->wall = k->capture_time = date;
	k->estimated_error = k->maximum_error = -1;
	k->synchronised = slice_eq(fields_get(f, SLICE("clockSynchronised")), SLICE("true"));
	ret->is_exact = wall.ptr && time.ptr;
	if (rc == 0 && wall.ptr)
		rc = warc_date_parse(wall, &k->wall);
	if (rc == 0 && time.ptr)
		rc = warc_date_parse(time, &k->capture_time);
	if (rc == 0)
		rc = read_number(f, SLICE("clockEstimatedErrorNs"), &k->estimated_error);
	return rc ? rc : read_number(f, SLICE("clockMaximumErrorNs"), &k->maximum_error);
}

static enum catalog_end limit_of(slice name)
{
	for (int i = CATALOG_END_NONE + 1; i <= CATALOG_END_LAST; i++)
		if (slice_eq(name, slice_str(catalog_end_name((enum catalog_end)i))))
			return (enum catalog_end)i;
	return CATALOG_END_NONE;
}

static int read_capture(const struct fields *f, struct moment *ret)
{
	slice started = fields_get(f, SLICE("started"));
	int64_t number = 0;
	int rc = read_number(f, SLICE("captureNumber"), &number);

	ret->ended_by = limit_of(fields_get(f, SLICE("endedBy")));
	ret->site = fields_get(f, SLICE("site"));
	ret->strategy = fields_get(f, slice_sub(USED, 0, USED.len - 1));
	ret->addresses = CATALOG_NO_ADDRESSES;
	if (rc == 0)
		rc = read_number(f, SLICE("addresses"), &ret->addresses);
	if (rc == 0 && (number < 0 || number > INT32_MAX))
		rc = ERR_SYNTAX;
	ret->number = (uint32_t)number;
	return rc || !started.ptr ? rc : warc_date_parse(started, &ret->started);
}

int moment_parse(slice block, int64_t date, struct arena *arena, struct moment *ret)
{
	struct moment m = {0};
	struct fields fields = {0};
	size_t len;
	char *head = copy_head(block, arena, &len);
	int rc = fields_parse(&fields, head, len);

	if (rc != ERR_NOMEM && (rc || !fields_get(&fields, SLICE("moment")).ptr))
		rc = ERR_NOTFOUND;
	if (rc == 0)
		rc = read_clock(&fields, date, &m);
	if (rc == 0)
		rc = read_capture(&fields, &m);
	fields_release(&fields);
	if (rc == 0)
		*ret = m;
	return rc == 0 || rc == ERR_NOTFOUND || rc == ERR_NOMEM ? rc : ERR_SYNTAX;
}

/* "stillpoint-max-pages: 2" becomes "max_pages 2". */
int moment_settings(slice block, struct buf *out, bool *ret_cut)
{
	bool begun = false;

	*ret_cut = false;
	while (block.len > 0) {
		slice line = slice_take(&block, '\n'), value, name;

		if (slice_ends_with(line, SLICE("\r")))
			line.len--;
		if (slice_eq(line, SLICE(SETTING CUT ": true"))) {
			*ret_cut = true;
		} else if (begun && slice_starts_with(line, SLICE(SETTING))) {
			value = slice_sub(line, sizeof SETTING - 1, line.len);
			name = slice_take(&value, ':');
			for (size_t i = 0; i < name.len; i++)
				(void)buf_add_char(
					out, (char)(name.ptr[i] == '-' ? '_' : name.ptr[i]));
			(void)buf_add(out, value);
			(void)buf_add_char(out, '\n');
		}
		begun = begun || slice_starts_with(line, USED);
	}
	return out->error;
}
