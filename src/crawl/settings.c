#include "crawl/settings.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/closest.h"
#include "base/format.h"
#include "base/parse.h"
#include "base/word.h"
#include "crawl/crawl_options.h"
#include "formats/url.h"
#include "net/net.h"
#include "plan/rank_order.h"

/* ---- settings ---- */

/* What is saved and no option: found, or put together from several. */
#define INNER(kind_, member_, tags_)                                                        \
	{                                                                                   \
		.kind = OPTION_##kind_, .offset = offsetof(struct crawl_settings, member_), \
		.name = #member_, .saved = #member_, .tags = (tags_)                        \
	}

static const struct option_spec INNER[] = {
	INNER(LIST, seeds, CRAWL_OWN),
	INNER(FLAG, watch, 0),
	INNER(UINT, order, CRAWL_OWN),
	INNER(STRING, weights, CRAWL_OWN),
	INNER(LIST, ignore, 0),
	INNER(LIST, headers, 0),
	INNER(LIST, withheld, 0),
	INNER(STRING, proxy, 0),
	INNER(STRING, software, 0),
	{.name = NULL},
};

static const struct option_spec *const TABLES[] = {INNER, CRAWL_SPECS, NULL};

_Static_assert(sizeof(enum scope_kind) == sizeof(uint32_t), "stored as one");
_Static_assert(sizeof(unsigned) == sizeof(uint32_t), "stored as one");

/* Calls back for each row that is saved, until a call returns not 0. */
typedef int on_row(void *context, const struct option_spec *row);

static int each_row(on_row *call, void *context)
{
	for (const struct option_spec *const *t = TABLES; *t; t++)
		for (const struct option_spec *row = *t; row->name; row++)
			if (row->saved)
				TRY(call(context, row));
	return 0;
}

static const struct option_spec *find_row(slice saved)
{
	for (const struct option_spec *const *t = TABLES; *t; t++)
		for (const struct option_spec *row = *t; row->name; row++)
			if (row->saved && slice_eq(slice_str(row->saved), saved))
				return row;
	return NULL;
}

static int set_usual(void *context, const struct option_spec *row)
{
	return row->usual ? option_set(row, context, row->usual, "", NULL) : 0;
}

void crawl_settings_init(struct crawl_settings *s)
{
	*s = (struct crawl_settings){.max_depth = UINT32_MAX};
	(void)each_row(set_usual, s);
}

static int release_list(void *context, const struct option_spec *row)
{
	if (row->kind == OPTION_LIST)
		text_list_release(option_field(row, context));
	return 0;
}

void crawl_settings_release(struct crawl_settings *s)
{
	(void)each_row(release_list, s);
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
	const struct option_spec *row = find_row(slice_str(name));

	return row && row->tags & CRAWL_OWN;
}

double crawl_connect_timeout(const struct crawl_settings *s)
{
	return fmax(s->timeout / 120, fmin(s->timeout / 2, NET_CONNECT_TIMEOUT));
}

double crawl_stall_timeout(const struct crawl_settings *s)
{
	return fmax(s->timeout / 60, fmin(s->timeout / 2, NET_STALL_TIMEOUT));
}

/* Bytes of a value that is neither text nor a list. */
static size_t size_of(const struct option_spec *row)
{
	switch (row->kind) {
	case OPTION_FLAG:
	case OPTION_SWITCH:
		return sizeof(bool);
	case OPTION_CHOICE:
	case OPTION_UINT:
		return sizeof(uint32_t);
	default: /* a number or a pointer */
		return sizeof(uint64_t);
	}
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

_Static_assert(sizeof(double) == sizeof(uint64_t) && sizeof(char *) == sizeof(uint64_t),
	"as size_of has it");

/* A number or truth value as text. */
static slice scalar_text(
	const struct option_spec *row, const void *at, char out[FORMAT_DOUBLE_SIZE])
{
	switch (row->kind) {
	case OPTION_FLAG:
	case OPTION_SWITCH:
		return *(const bool *)at ? SLICE("true") : SLICE("false");
	case OPTION_CHOICE:
	case OPTION_UINT:
		return (slice){out, format_u64(*(const uint32_t *)at, out)};
	case OPTION_SIZE:
		return (slice){out, format_u64(*(const uint64_t *)at, out)};
	default:
		return (slice){out, format_double(*(const double *)at, out)};
	}
}

struct telling {
	const struct crawl_settings *settings;
	struct crawl_settings usual;
	crawl_on_setting *call;
	void *context;
};

static int tell_row(void *context, const struct option_spec *row)
{
	const struct telling *x = context;
	const void *at = (const char *)x->settings + row->offset;
	const void *usual = (const char *)&x->usual + row->offset;
	const struct text_list *list = at;
	char number[FORMAT_DOUBLE_SIZE];
	const char *text;

	if (row->kind == OPTION_LIST) {
		for (size_t i = 0; i < list->len; i++)
			TRY(x->call(x->context, row->saved, slice_str(list->ptr[i])));
		return 0;
	}
	if (row->kind != OPTION_STRING)
		return memcmp(at, usual, size_of(row)) == 0
			       ? 0
			       : x->call(x->context, row->saved, scalar_text(row, at, number));
	text = *(const char *const *)at;
	return text && text[0] ? x->call(x->context, row->saved, slice_str(text)) : 0;
}

int crawl_settings_each(const struct crawl_settings *s, crawl_on_setting *call, void *context)
{
	struct telling x = {.settings = s, .call = call, .context = context};

	crawl_settings_init(&x.usual);
	return each_row(tell_row, &x);
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

	TRY(read_text(value, arena, &text));
	text_list_push(list, text);
	return 0;
}

static int read_number(const struct option_spec *row, slice value, uint32_t *ret)
{
	uint64_t number;
	int rc = parse_u64(value, &number);

	if (rc || number > UINT32_MAX)
		return ERR_SYNTAX;
	*ret = (uint32_t)number;
	for (uint32_t i = 0; row->kind == OPTION_CHOICE && i <= *ret; i++)
		if (!row->choices[i])
			TRY(ERR_SYNTAX);
	return 0;
}

static int read_value(const struct option_spec *row, slice value, struct arena *arena, void *at)
{
	switch (row->kind) {
	case OPTION_LIST:
		return read_texts(value, arena, at);
	case OPTION_STRING:
		return read_text(value, arena, at);
	case OPTION_FLAG:
	case OPTION_SWITCH:
		*(bool *)at = slice_eq(value, SLICE("true"));
		return 0;
	case OPTION_CHOICE:
	case OPTION_UINT:
		return read_number(row, value, at);
	case OPTION_SIZE:
		return parse_u64(value, at);
	default:
		return parse_double(value, at);
	}
}

static int read_line(struct crawl_settings *s, slice line, struct arena *arena)
{
	const char *blank = memchr(line.ptr, ' ', line.len);
	slice name = slice_sub(line, 0, blank ? (size_t)(blank - line.ptr) : line.len);
	slice value = slice_sub(line, name.len + 1, line.len);
	const struct option_spec *row = find_row(name);

	if (row)
		return read_value(row, value, arena, option_field(row, s));
	/* Archives of earlier versions say apart that the delay is not automatic, before they say
	 * it. */
	if (slice_eq(name, SLICE("automatic_delay")) && slice_eq(value, SLICE("false")))
		s->delay = 0;
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
		(s->seeds.len == 0 || s->jobs == 0 || s->order > RANK_WEIGHTS ||
			(s->warc_prefix && !crawl_prefix_is_valid(slice_str(s->warc_prefix)))))
		rc = ERR_SYNTAX;
	if (rc == ERR_NOMEM)
		return err_code(err, rc);
	return rc ? err_set(err, rc,
			    "the capture's settings in the catalog are damaged: it cannot be "
			    "resumed, but what it captured is kept")
		  : 0;
}

/* ---- changing ---- */

static void add_missing(struct text_list *to, const struct text_list *from)
{
	for (size_t i = 0; i < from->len; i++)
		if (!text_list_has(to, from->ptr[i]))
			text_list_push(to, from->ptr[i]);
}

void crawl_settings_change(struct crawl_settings *s, const struct crawl_command *to)
{
	for (size_t i = 0; CRAWL_SPECS[i].name; i++) {
		const struct option_spec *row = &CRAWL_SPECS[i];
		const void *from = (const char *)to + row->offset;

		if (!to->given[i] || !row->saved || !(row->tags & CRAWL_CHANGES))
			continue;
		if (row->kind == OPTION_LIST)
			add_missing(option_field(row, s), from);
		else
			memcpy(option_field(row, s), from, size_of(row));
	}
}

static int reset_unfit(void *context, const struct option_spec *row)
{
	struct crawl_settings usual;

	if (!row->unfit[CRAWL_BY_WATCH])
		return 0;
	crawl_settings_init(&usual);
	memcpy(option_field(row, context), option_field(row, &usual), size_of(row));
	return 0;
}

void crawl_settings_for_watch(struct crawl_settings *s)
{
	(void)each_row(reset_unfit, s);
	s->watch = true;
	s->no_probes = true;
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

/* ---- strategies by name ---- */

enum { STEM_SIZE = 64 };

/* Copies the name without -offline or -online; false when it has neither. */
static bool make_stem(const char *name, char out[STEM_SIZE])
{
	const char *dash = strrchr(name, '-');

	if (!dash || (strcmp(dash, "-offline") != 0 && strcmp(dash, "-online") != 0))
		return false;
	(void)snprintf(out, STEM_SIZE, "%.*s", (int)(dash - name), name);
	return true;
}

const struct plan_strategy *strategy_named(const char *name, bool all_known, struct err *err)
{
	const struct plan_strategy *found = plan_strategy_find(name, all_known);
	char stems[2][STEM_SIZE]; /* one that is the best so far, and one to try */
	int spare = 0;
	struct closest c;
	const char *best;

	if (found)
		return found;
	closest_init(&c, name);
	for (size_t i = 0; (found = plan_strategy_at(i)); i++) {
		closest_offer(&c, found->name);
		if (make_stem(found->name, stems[spare]))
			closest_offer(&c, stems[spare]);
		if (closest_get(&c) == stems[spare])
			spare = !spare;
	}
	best = closest_get(&c);
	(void)err_set(err, ERR_USAGE,
		"unknown strategy '%.99s'%s%s%s (all: stillpoint plan --list-strategies)", name,
		best ? ", did you mean '" : "", best ? best : "", best ? "'?" : "");
	return NULL;
}

/* ---- how site owners reach the user ---- */

#define PRODUCT "Mozilla/5.0 (compatible; stillpoint/" STILLPOINT_VERSION

/* No character that would end the comment of a user agent, or its line. */
static bool is_plain(slice text)
{
	for (size_t i = 0; i < text.len; i++)
		if (text.ptr[i] <= ' ' || text.ptr[i] >= 0x7f || strchr("()<>\"\\;", text.ptr[i]))
			return false;
	return text.len > 0;
}

static bool is_url(slice text)
{
	return slice_starts_with(text, SLICE("http://")) ||
	       slice_starts_with(text, SLICE("https://"));
}

static bool is_good_url(slice text)
{
	URL_SCOPED(url);
	bool good;
	good = url_parse(&url, text, NULL, NULL) == 0;
	return good;
}

/* Something, one "@", and a name with a dot in it or "localhost". */
static bool is_mail(slice text)
{
	const char *at = memchr(text.ptr, '@', text.len);
	slice host;

	if (!at || at == text.ptr)
		return false;
	host = slice_sub(text, (size_t)(at - text.ptr) + 1, text.len);
	return host.len > 0 && !memchr(host.ptr, '@', host.len) &&
	       !memchr(text.ptr, ':', text.len) && !memchr(text.ptr, '/', text.len) &&
	       (memchr(host.ptr, '.', host.len) || slice_eq(host, SLICE("localhost")));
}

bool contact_is_valid(slice contact)
{
	return is_plain(contact) && (is_url(contact) ? is_good_url(contact) : is_mail(contact));
}

char *contact_user_agent(const struct crawl_settings *s)
{
	char *out;

	if (s->user_agent)
		return strdup(s->user_agent);
	if (!s->contact)
		return strdup(PRODUCT ")");
	if (asprintf(&out, "%s +%s%s)", PRODUCT,
		    is_url(slice_str(s->contact)) ? "" : "mailto:", s->contact) < 0)
		return NULL;
	return out;
}
