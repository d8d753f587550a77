#include "crawl/settings.h"

#include <string.h>

#include "archive/warc_input.h"
#include "base/format.h"
#include "base/parse.h"
#include "base/word.h"
#include "crawl/gate.h"
#include "frontier/traps.h"
#include "plan/plan.h"
#include "rank/order.h"

/* One row for each setting: how it is called, where it is, what it is. */
enum setting_kind {
	SETTING_TEXTS,
	SETTING_TEXT,
	SETTING_BOOL,
	SETTING_U32,
	SETTING_U64,
	SETTING_DOUBLE,
};

struct setting {
	const char *name;
	size_t offset;
	enum setting_kind kind;
	bool is_own; /* of a capture, as crawl_setting_is_own */
};

/* clang-format off */
#define SETTING(name, kind) {#name, offsetof(struct crawl_settings, name), kind, false}
#define OWN(name, kind) {#name, offsetof(struct crawl_settings, name), kind, true}
/* clang-format on */

static const struct setting SETTINGS[] = {
	OWN(seeds, SETTING_TEXTS),
	SETTING(watch, SETTING_BOOL),
	OWN(scope, SETTING_U32),
	OWN(surts, SETTING_TEXTS),
	OWN(includes, SETTING_TEXTS),
	OWN(excludes, SETTING_TEXTS),
	OWN(no_requisites, SETTING_BOOL),
	OWN(max_pages, SETTING_U32),
	OWN(max_depth, SETTING_U32),
	OWN(max_outside, SETTING_U32),
	OWN(trap_budget, SETTING_U32),
	OWN(no_traps, SETTING_BOOL),
	OWN(forms, SETTING_U32),
	OWN(spam, SETTING_U32),
	OWN(cloaking, SETTING_BOOL),
	OWN(strategy, SETTING_TEXT),
	OWN(single, SETTING_BOOL),
	OWN(plan_apart, SETTING_BOOL),
	SETTING(automatic_delay, SETTING_BOOL),
	SETTING(delay, SETTING_DOUBLE),
	SETTING(jobs, SETTING_U32),
	OWN(time_limit, SETTING_DOUBLE),
	OWN(aim, SETTING_U32),
	OWN(dust, SETTING_U32),
	OWN(mirrors, SETTING_U32),
	OWN(order, SETTING_U32),
	OWN(topic, SETTING_TEXT),
	OWN(weights, SETTING_TEXT),
	OWN(unweighted, SETTING_BOOL),
	OWN(host_budget, SETTING_U32),
	OWN(size, SETTING_U32),
	OWN(earlier, SETTING_U32),
	OWN(tau, SETTING_DOUBLE),
	OWN(attempts, SETTING_U32),
	OWN(rates, SETTING_TEXT),
	OWN(no_sitemaps, SETTING_BOOL),
	SETTING(bytes_only, SETTING_BOOL),
	SETTING(records, SETTING_BOOL),
	SETTING(without_rules, SETTING_TEXTS),
	SETTING(ignore, SETTING_TEXTS),
	SETTING(no_probes, SETTING_BOOL),
	OWN(variant_language, SETTING_TEXT),
	SETTING(connect_timeout, SETTING_DOUBLE),
	SETTING(stall_timeout, SETTING_DOUBLE),
	SETTING(timeout, SETTING_DOUBLE),
	SETTING(max_body, SETTING_U64),
	SETTING(max_header, SETTING_U64),
	OWN(max_bytes, SETTING_U64),
	SETTING(http2, SETTING_BOOL),
	SETTING(ca_file, SETTING_TEXT),
	SETTING(insecure, SETTING_BOOL),
	SETTING(no_cookies, SETTING_BOOL),
	SETTING(headers, SETTING_TEXTS),
	SETTING(withheld, SETTING_TEXTS),
	SETTING(proxy, SETTING_TEXT),
	SETTING(keep_secrets, SETTING_BOOL),
	SETTING(warc_size, SETTING_U64),
	SETTING(warc_coding, SETTING_U32),
	SETTING(warc_prefix, SETTING_TEXT),
	SETTING(user_agent, SETTING_TEXT),
	SETTING(contact, SETTING_TEXT),
	SETTING(hours, SETTING_TEXT),
	SETTING(ignore_robots, SETTING_BOOL),
	SETTING(robots_age, SETTING_DOUBLE),
	SETTING(down_after, SETTING_DOUBLE),
	SETTING(bandwidth, SETTING_U64),
	SETTING(min_free, SETTING_U64),
	SETTING(dns, SETTING_TEXT),
	SETTING(dns_records, SETTING_BOOL),
	SETTING(allow_private, SETTING_BOOL),
};

enum { SETTING_COUNT = sizeof SETTINGS / sizeof SETTINGS[0] };

_Static_assert(sizeof(enum scope_kind) == sizeof(uint32_t), "stored as one");
_Static_assert(sizeof(unsigned) == sizeof(uint32_t), "stored as one");

void crawl_settings_init(struct crawl_settings *s)
{
	*s = (struct crawl_settings){
		.scope = SCOPE_HOST,
		.max_depth = UINT32_MAX,
		.max_outside = CRAWL_MAX_OUTSIDE,
		.trap_budget = TRAPS_BUDGET,
		.strategy = "stillpoint",
		.automatic_delay = true,
		.jobs = 1,
		.min_free = GATE_MIN_FREE,
		.warc_coding = WARC_CODING_GZIP,
	};
}

void crawl_settings_release(struct crawl_settings *s)
{
	text_list_release(&s->seeds);
	text_list_release(&s->surts);
	text_list_release(&s->includes);
	text_list_release(&s->excludes);
	text_list_release(&s->headers);
	text_list_release(&s->withheld);
	text_list_release(&s->without_rules);
	text_list_release(&s->ignore);
}

bool text_list_has(const struct text_list *list, const char *text)
{
	for (size_t i = 0; i < list->len; i++)
		if (strcmp(list->ptr[i], text) == 0)
			return true;
	return false;
}

bool crawl_prefix_is_valid(slice prefix)
{
	for (size_t i = 0; i < prefix.len; i++) {
		char c = prefix.ptr[i];
		bool is_mark = c == '.' || c == '_' || c == '-';

		if (!word_is_alnum(c) && (i == 0 || !is_mark))
			return false;
	}
	return prefix.len > 0 && prefix.len <= CRAWL_PREFIX_MAX;
}

bool crawl_setting_is_own(const char *name)
{
	for (size_t i = 0; i < SETTING_COUNT; i++)
		if (strcmp(SETTINGS[i].name, name) == 0)
			return SETTINGS[i].is_own;
	return false;
}

slice crawl_settings_prefix(slice text)
{
	static const slice NAME = SLICE_INIT("warc_prefix ");

	while (text.len > 0) {
		const char *end = memchr(text.ptr, '\n', text.len);
		size_t len = end ? (size_t)(end - text.ptr) : text.len;

		if (slice_starts_with(slice_sub(text, 0, len), NAME))
			return slice_sub(text, NAME.len, len);
		text = slice_sub(text, len + 1, text.len);
	}
	return (slice){0};
}

/* ---- writing ---- */

/* A scalar as text; empty when it is the default. */
static slice scalar_text(
	const struct setting *row, const void *at, const void *usual, char out[FORMAT_DOUBLE_SIZE])
{
	static const size_t SIZES[] = {
		[SETTING_BOOL] = sizeof(bool),
		[SETTING_U32] = sizeof(uint32_t),
		[SETTING_U64] = sizeof(uint64_t),
		[SETTING_DOUBLE] = sizeof(double),
	};

	if (memcmp(at, usual, SIZES[row->kind]) == 0)
		return SLICE("");
	switch (row->kind) {
	case SETTING_BOOL:
		return *(const bool *)at ? SLICE("true") : SLICE("false");
	case SETTING_U32:
		return (slice){out, format_u64(*(const uint32_t *)at, out)};
	case SETTING_U64:
		return (slice){out, format_u64(*(const uint64_t *)at, out)};
	default:
		return (slice){out, format_double(*(const double *)at, out)};
	}
}

static int each_text(const struct setting *row, const struct text_list *list,
	crawl_on_setting *call, void *context)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < list->len; i++)
		rc = call(context, row->name, slice_str(list->ptr[i]));
	return rc;
}

int crawl_settings_each(const struct crawl_settings *s, crawl_on_setting *call, void *context)
{
	struct crawl_settings usual;
	char number[FORMAT_DOUBLE_SIZE];
	int rc = 0;

	crawl_settings_init(&usual);
	for (size_t i = 0; rc == 0 && i < SETTING_COUNT; i++) {
		const struct setting *row = &SETTINGS[i];
		const void *at = (const char *)s + row->offset;
		slice text;

		if (row->kind == SETTING_TEXTS) {
			rc = each_text(row, at, call, context);
			continue;
		}
		if (row->kind == SETTING_TEXT) {
			const char *value = *(const char *const *)at;

			text = value ? slice_str(value) : SLICE("");
		} else {
			text = scalar_text(row, at, (const char *)&usual + row->offset, number);
		}
		if (text.len > 0)
			rc = call(context, row->name, text);
	}
	return rc;
}

static int write_line(void *context, const char *name, slice value)
{
	struct buf *out = context;

	if (memchr(value.ptr, '\n', value.len))
		return ERR_SYNTAX;
	return buf_printf(out, "%s %.*s\n", name, (int)value.len, value.ptr);
}

int crawl_settings_write(const struct crawl_settings *s, struct buf *out)
{
	return crawl_settings_each(s, write_line, out);
}

/* ---- reading ---- */

static int read_text(slice value, struct arena *arena, const char **ret)
{
	const char *text = arena_strdup(arena, value);

	if (!text)
		return ERR_NOMEM;
	*ret = text;
	return 0;
}

static int read_texts(slice value, struct arena *arena, struct text_list *list)
{
	const char *text = NULL;
	int rc = read_text(value, arena, &text);

	return rc ? rc : text_list_push(list, text);
}

static int read_u32(slice value, uint32_t *ret)
{
	uint64_t number;
	int rc = parse_u64(value, &number);

	if (rc || number > UINT32_MAX)
		return ERR_SYNTAX;
	*ret = (uint32_t)number;
	return 0;
}

static int read_value(const struct setting *row, slice value, struct arena *arena, void *at)
{
	switch (row->kind) {
	case SETTING_TEXTS:
		return read_texts(value, arena, at);
	case SETTING_TEXT:
		return read_text(value, arena, at);
	case SETTING_BOOL:
		*(bool *)at = slice_eq(value, SLICE("true"));
		return 0;
	case SETTING_U32:
		return read_u32(value, at);
	case SETTING_U64:
		return parse_u64(value, at);
	case SETTING_DOUBLE:
		return parse_double(value, at);
	}
	return 0;
}

static int read_line(struct crawl_settings *s, slice line, struct arena *arena)
{
	const char *blank = memchr(line.ptr, ' ', line.len);
	slice name = slice_sub(line, 0, blank ? (size_t)(blank - line.ptr) : line.len);
	slice value = slice_sub(line, name.len + 1, line.len);

	for (size_t i = 0; i < SETTING_COUNT; i++)
		if (slice_eq(name, slice_str(SETTINGS[i].name)))
			return read_value(
				&SETTINGS[i], value, arena, (char *)s + SETTINGS[i].offset);
	return 0;
}

int crawl_settings_read(struct crawl_settings *s, slice text, struct arena *arena, struct err *err)
{
	int rc = 0;

	crawl_settings_init(s);
	while (rc == 0 && text.len > 0) {
		const char *end = memchr(text.ptr, '\n', text.len);
		size_t len = end ? (size_t)(end - text.ptr) : text.len;

		rc = read_line(s, slice_sub(text, 0, len), arena);
		text = slice_sub(text, len + 1, text.len);
	}
	if (rc == 0 &&
		(s->scope > SCOPE_DOMAIN || s->seeds.len == 0 || s->jobs == 0 ||
			(s->warc_prefix && !crawl_prefix_is_valid(slice_str(s->warc_prefix))) ||
			s->warc_coding > WARC_CODING_ZSTD || s->aim > PLAN_COMPLETE ||
			s->order > RANK_WEIGHTS || s->dust >= CRAWL_DUST_COUNT ||
			s->mirrors >= CRAWL_MIRRORS_COUNT || s->earlier >= CRAWL_EARLIER_COUNT))
		rc = ERR_SYNTAX;
	if (rc == ERR_NOMEM)
		return err_code(err, rc);
	return rc ? err_set(err, rc,
			    "the capture's settings in the catalog are damaged: it cannot be "
			    "resumed, but what it captured is kept")
		  : 0;
}

/* ---- the scope ---- */

typedef int add_to_scope(struct scope *scope, slice text, struct err *err);

static int add_pattern(struct scope *scope, const char *text, const char *option, add_to_scope *add,
	struct err *err)
{
	int rc = add(scope, slice_str(text), err);

	if (rc)
		err_prefix(err, "--%s '%.60s'", option, text);
	return rc;
}

int crawl_settings_scope(const struct crawl_settings *s, struct scope *ret, struct err *err)
{
	int rc = 0;

	scope_init(ret, s->no_requisites ? 0 : SCOPE_REQUISITE_HOPS_DEFAULT);
	for (size_t i = 0; rc == 0 && i < s->seeds.len; i++) {
		struct url url;

		url_init(&url);
		rc = url_parse(&url, slice_str(s->seeds.ptr[i]), NULL, err);
		if (rc == 0)
			rc = scope_add_seed(ret, &url, s->scope, err);
		url_release(&url);
		if (rc)
			err_prefix(err, "%.200s", s->seeds.ptr[i]);
	}
	for (size_t i = 0; rc == 0 && i < s->surts.len; i++)
		rc = add_pattern(ret, s->surts.ptr[i], "surt", scope_add_surt, err);
	for (size_t i = 0; rc == 0 && i < s->includes.len; i++)
		rc = add_pattern(ret, s->includes.ptr[i], "include", scope_add_include, err);
	for (size_t i = 0; rc == 0 && i < s->excludes.len; i++)
		rc = add_pattern(ret, s->excludes.ptr[i], "exclude", scope_add_exclude, err);
	return rc;
}
