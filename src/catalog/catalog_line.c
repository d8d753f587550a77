#include "catalog/catalog_line.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/format.h"
#include "base/parse.h"

static const struct {
	enum catalog_row_kind kind;
	slice word;
} KINDS[] = {
	{CATALOG_ROW_ADD_PAGE, SLICE_INIT("page")},
	{CATALOG_ROW_TAKE_PAGE, SLICE_INIT("take")},
	{CATALOG_ROW_REFUSE_PAGE, SLICE_INIT("refuse")},
	{CATALOG_ROW_ADMIT_PAGE, SLICE_INIT("admit")},
	{CATALOG_ROW_MARK_PAGE, SLICE_INIT("mark")},
	{CATALOG_ROW_WEIGH_PAGE, SLICE_INIT("weigh")},
	{CATALOG_ROW_UNKEPT, SLICE_INIT("unkept")},
	{CATALOG_ROW_PLAN, SLICE_INIT("plan")},
	{CATALOG_ROW_REQUISITE, SLICE_INIT("needs")},
	{CATALOG_ROW_LIST_PAGE, SLICE_INIT("list")},
	{CATALOG_ROW_LINKS, SLICE_INIT("links")},
	{CATALOG_ROW_ADD_ROBOTS, SLICE_INIT("robots")},
	{CATALOG_ROW_CONFIRM_ROBOTS, SLICE_INIT("checked")},
	{CATALOG_ROW_POLL, SLICE_INIT("poll")},
};

enum { KIND_COUNT = sizeof KINDS / sizeof KINDS[0] };

bool catalog_line_has(enum catalog_row_kind kind)
{
	for (size_t i = 0; i < KIND_COUNT; i++)
		if (KINDS[i].kind == kind)
			return true;
	return false;
}

/* ---- writing ---- */

static const char HEX[] = "0123456789ABCDEF";

/* Bytes from high on are written as control characters are. */
static int put_escaped(struct buf *out, slice text, unsigned high)
{
	size_t from = 0;
	int rc = buf_add_char(out, '\t');

	for (size_t i = 0; rc == 0 && i < text.len; i++) {
		unsigned char c = (unsigned char)text.ptr[i];

		if (c >= ' ' && c < high && c != '%' && c != 0x7f)
			continue;
		rc = buf_add(out, slice_sub(text, from, i));
		if (rc == 0)
			rc = buf_add(out, (slice){(char[]){'%', HEX[c >> 4], HEX[c & 15]}, 3});
		from = i + 1;
	}
	return rc ? rc : buf_add(out, slice_sub(text, from, text.len));
}

static int put_text(struct buf *out, slice text)
{
	return put_escaped(out, text, UINT8_MAX + 1);
}

static int put_number(struct buf *out, uint64_t number)
{
	char text[1 + FORMAT_U64_SIZE] = "\t";

	(void)format_u64(number, text + 1);
	return buf_add_str(out, text);
}

static int put_signed(struct buf *out, int64_t number)
{
	return number < 0 ? buf_printf(out, "\t%lld", (long long)number)
			  : put_number(out, (uint64_t)number);
}

static int put_page_number(struct buf *out, uint32_t page)
{
	return page == CATALOG_NO_PAGE ? buf_add_str(out, "\t-") : put_number(out, page);
}

static int put_left_out(struct buf *out, enum left_out reason)
{
	return put_text(out, slice_str(left_out_word(reason)));
}

static int put_page(struct buf *out, const struct catalog_page *p)
{
	int rc = put_page_number(out, p->number);

	if (rc == 0)
		rc = put_text(out, p->url);
	if (rc == 0)
		rc = put_text(out, p->kind);
	if (rc == 0)
		rc = put_page_number(out, p->via);
	if (rc == 0)
		rc = put_text(out, p->found);
	if (rc == 0)
		rc = put_number(out, p->depth);
	if (rc == 0)
		rc = put_number(out, p->hops_out);
	if (rc == 0)
		rc = put_number(out, p->taken);
	if (rc == 0)
		rc = put_left_out(out, p->left_out);
	if (rc == 0)
		rc = put_text(out, p->rule);
	return rc ? rc
		  : buf_printf(out, "\t%.17g\t%.17g\t%.9g\t%lld", p->rate, p->shape,
			    (double)p->weight, (long long)p->lastmod);
}

static int put_plan(struct buf *out, const struct catalog_plan *p)
{
	int rc = put_number(out, p->page);

	if (rc == 0)
		rc = put_signed(out, p->visit);
	if (rc == 0)
		rc = put_signed(out, p->revisit);
	return rc ? rc : put_number(out, p->hopeless);
}

static int put_refusal(struct buf *out, const struct catalog_page *p)
{
	int rc = put_page_number(out, p->number);

	if (rc == 0)
		rc = put_left_out(out, p->left_out);
	return rc ? rc : put_text(out, p->rule);
}

/* The body is what a server sent: any bytes. */
static int put_robots(struct buf *out, const struct catalog_robots *r)
{
	int rc = put_text(out, r->origin);

	if (rc == 0)
		rc = buf_printf(out, "\t%u\t%lld", r->policy, (long long)r->fetched);
	if (rc == 0)
		rc = put_text(out, r->why);
	return rc ? rc : put_escaped(out, r->body, 0x80);
}

static int put_poll(struct buf *out, const struct catalog_poll *p)
{
	int rc = buf_printf(out, "\t%u", p->number);

	if (rc == 0)
		rc = put_text(out, p->url);
	if (rc == 0)
		rc = buf_printf(out, "\t%d\t%u\t%llu\t%llu\t%llu\t%llu", p->is_feed, p->source,
			(unsigned long long)p->polls, (unsigned long long)p->not_modified,
			(unsigned long long)p->checked, (unsigned long long)p->lies);
	return rc ? rc
		  : buf_printf(out, "\t%.17g\t%.17g\t%.17g", p->announced_changed,
			    p->announced_same, p->silent_changed);
}

static int put_fields(struct buf *out, const struct catalog_row *row)
{
	int rc;

	switch (row->kind) {
	case CATALOG_ROW_ADD_PAGE:
	case CATALOG_ROW_TAKE_PAGE:
		return put_page(out, row->page);
	case CATALOG_ROW_REFUSE_PAGE:
		return put_refusal(out, row->page);
	case CATALOG_ROW_ADMIT_PAGE:
		rc = put_page_number(out, row->page->number);
		return rc ? rc : put_text(out, row->page->rule);
	case CATALOG_ROW_MARK_PAGE:
		return buf_printf(out, "\t%u\t%u", row->page->number, (unsigned)row->page->content);
	case CATALOG_ROW_WEIGH_PAGE:
		return buf_printf(out, "\t%u\t%.9g", row->page->number, (double)row->page->weight);
	case CATALOG_ROW_UNKEPT:
		rc = put_left_out(out, row->unkept->reason);
		return rc ? rc : buf_printf(out, "\t%llu", (unsigned long long)row->unkept->links);
	case CATALOG_ROW_PLAN:
		return put_plan(out, row->plan);
	case CATALOG_ROW_REQUISITE:
		rc = put_page_number(out, row->requisite->page);
		return rc ? rc : put_page_number(out, row->requisite->requisite);
	case CATALOG_ROW_LIST_PAGE:
		return buf_printf(out, "\t%u\t%lld\t%u", row->page->number,
			(long long)row->page->lastmod, row->page->frequency);
	case CATALOG_ROW_LINKS:
		rc = put_page_number(out, row->links->page);
		return rc ? rc : put_escaped(out, row->links->targets, 0x80);
	case CATALOG_ROW_ADD_ROBOTS:
		return put_robots(out, row->robots);
	case CATALOG_ROW_CONFIRM_ROBOTS:
		rc = put_text(out, row->robots->origin);
		return rc ? rc : buf_printf(out, "\t%lld", (long long)row->robots->checked);
	case CATALOG_ROW_POLL:
		return put_poll(out, row->poll);
	default:
		return ERR_UNSUPPORTED;
	}
}

int catalog_line_format(const struct catalog_row *row, struct buf *out)
{
	size_t before = out->len;
	int rc = ERR_UNSUPPORTED;

	for (size_t i = 0; i < KIND_COUNT; i++)
		if (KINDS[i].kind == row->kind)
			rc = buf_add(out, KINDS[i].word);
	if (rc == 0)
		rc = buf_add_char(out, ':');
	if (rc == 0)
		rc = put_fields(out, row);
	if (rc == 0)
		rc = buf_add_str(out, "\r\n");
	if (rc)
		buf_truncate(out, before);
	return rc;
}

/* ---- reading ---- */

/* Fields of a line, one after another; rc is that of the first that is none. */
struct cursor {
	slice rest;
	bool ended; /* the last field was taken */
	struct arena *arena;
	int rc;
};

static slice take(struct cursor *c)
{
	slice field;

	if (c->ended) {
		c->rc = c->rc ? c->rc : ERR_SYNTAX;
		return (slice){0};
	}
	c->ended = !memchr(c->rest.ptr, '\t', c->rest.len);
	field = slice_take(&c->rest, '\t');
	return field;
}

static uint64_t take_number(struct cursor *c, uint64_t max)
{
	slice field = take(c);
	uint64_t n = 0;

	if (c->rc == 0 && (parse_u64(field, &n) || n > max)) {
		c->rc = ERR_SYNTAX;
		n = 0;
	}
	return n;
}

static int64_t take_signed(struct cursor *c)
{
	slice field = take(c);
	bool negative = field.len > 0 && field.ptr[0] == '-';
	uint64_t n = 0;

	if (c->rc == 0 && (parse_u64(slice_sub(field, negative, field.len), &n) || n > INT64_MAX))
		c->rc = ERR_SYNTAX;
	if (c->rc)
		return 0;
	return negative ? -(int64_t)n : (int64_t)n;
}

static double take_double(struct cursor *c)
{
	slice field = take(c);
	double value = 0;

	if (c->rc == 0 && (parse_double(field, &value) || !isfinite(value) || value < 0))
		c->rc = ERR_SYNTAX;
	return c->rc ? 0 : value;
}

/* What a float can hold: any other number would be written as infinity, which is not read. */
static float take_weight(struct cursor *c)
{
	float value = (float)take_double(c);

	if (!isfinite(value))
		c->rc = ERR_SYNTAX;
	return c->rc ? 0 : value;
}

static uint32_t take_page_number(struct cursor *c, bool may_be_none)
{
	slice rest = c->rest;

	if (may_be_none && !c->ended && slice_eq(slice_take(&rest, '\t'), SLICE("-"))) {
		(void)take(c);
		return CATALOG_NO_PAGE;
	}
	return (uint32_t)take_number(c, UINT32_MAX - 1);
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static slice take_text(struct cursor *c)
{
	slice field = take(c);
	char *out = c->rc ? NULL : arena_strdup(c->arena, field);
	size_t len = 0;

	if (!out) {
		c->rc = c->rc ? c->rc : ERR_NOMEM;
		return (slice){0};
	}
	for (size_t i = 0; i < field.len; i++) {
		int high = -1, low = -1;

		if (field.ptr[i] == '%' && i + 2 < field.len) {
			high = hex_digit(field.ptr[i + 1]);
			low = hex_digit(field.ptr[i + 2]);
		}
		if (field.ptr[i] == '%' && (high < 0 || low < 0)) {
			c->rc = ERR_SYNTAX;
			return (slice){0};
		}
		out[len++] = (char)(high < 0 ? field.ptr[i] : high << 4 | low);
		i += high < 0 ? 0 : 2;
	}
	out[len] = '\0';
	return (slice){out, len};
}

static enum left_out take_left_out(struct cursor *c)
{
	slice field = take(c);

	for (int i = 0; c->rc == 0 && i < LEFT_OUT_COUNT; i++)
		if (slice_eq(field, slice_str(left_out_word((enum left_out)i))))
			return (enum left_out)i;
	c->rc = c->rc ? c->rc : ERR_SYNTAX;
	return LEFT_OUT_NOT;
}

static void take_page(struct cursor *c, struct catalog_page *p)
{
	p->number = take_page_number(c, false);
	p->url = take_text(c);
	p->kind = take_text(c);
	p->via = take_page_number(c, true);
	p->found = take_text(c);
	p->depth = (uint32_t)take_number(c, UINT32_MAX);
	p->hops_out = (uint32_t)take_number(c, UINT32_MAX);
	p->taken = take_number(c, 1);
	p->left_out = take_left_out(c);
	p->rule = take_text(c);
	p->rate = take_double(c);
	p->shape = take_double(c);
	p->weight = take_weight(c);
	p->lastmod = take_signed(c);
}

static void take_robots(struct cursor *c, struct catalog_robots *r)
{
	r->origin = take_text(c);
	r->policy = (uint8_t)take_number(c, UINT8_MAX);
	r->fetched = take_signed(c);
	r->why = take_text(c);
	r->body = take_text(c);
}

static void take_poll(struct cursor *c, struct catalog_poll *p)
{
	p->number = (uint32_t)take_number(c, UINT32_MAX);
	p->url = take_text(c);
	p->is_feed = take_number(c, 1);
	p->source = (unsigned)take_number(c, UINT8_MAX);
	p->polls = take_number(c, INT64_MAX);
	p->not_modified = take_number(c, INT64_MAX);
	p->checked = take_number(c, INT64_MAX);
	p->lies = take_number(c, INT64_MAX);
	p->announced_changed = take_double(c);
	p->announced_same = take_double(c);
	p->silent_changed = take_double(c);
}

static void take_fields(struct cursor *c, struct catalog_line *l)
{
	switch (l->kind) {
	case CATALOG_ROW_ADD_PAGE:
	case CATALOG_ROW_TAKE_PAGE:
		take_page(c, &l->page);
		break;
	case CATALOG_ROW_REFUSE_PAGE:
		l->page.number = take_page_number(c, false);
		l->page.left_out = take_left_out(c);
		l->page.rule = take_text(c);
		break;
	case CATALOG_ROW_ADMIT_PAGE:
		l->page.number = take_page_number(c, false);
		l->page.rule = take_text(c);
		break;
	case CATALOG_ROW_MARK_PAGE:
		l->page.number = take_page_number(c, false);
		l->page.content = (enum catalog_content)take_number(c, CATALOG_CONTENT_OFF_TOPIC);
		break;
	case CATALOG_ROW_WEIGH_PAGE:
		l->page.number = take_page_number(c, false);
		l->page.weight = take_weight(c);
		break;
	case CATALOG_ROW_UNKEPT:
		l->unkept.reason = take_left_out(c);
		l->unkept.links = take_number(c, INT64_MAX);
		break;
	case CATALOG_ROW_PLAN:
		l->plan.page = take_page_number(c, false);
		l->plan.visit = take_signed(c);
		l->plan.revisit = take_signed(c);
		l->plan.hopeless = take_number(c, 1);
		break;
	case CATALOG_ROW_LIST_PAGE:
		l->page.number = take_page_number(c, false);
		l->page.lastmod = take_signed(c);
		l->page.frequency = (unsigned)take_number(c, CATALOG_FREQUENCY_MAX);
		break;
	case CATALOG_ROW_LINKS:
		l->links.page = take_page_number(c, false);
		l->links.targets = take_text(c);
		break;
	case CATALOG_ROW_ADD_ROBOTS:
		take_robots(c, &l->robots);
		break;
	case CATALOG_ROW_CONFIRM_ROBOTS:
		l->robots.origin = take_text(c);
		l->robots.checked = take_signed(c);
		break;
	case CATALOG_ROW_POLL:
		take_poll(c, &l->poll);
		break;
	default:
		l->requisite.page = take_page_number(c, false);
		l->requisite.requisite = take_page_number(c, true);
		break;
	}
}

int catalog_line_parse(slice line, struct arena *arena, struct catalog_line *ret)
{
	struct cursor c = {.rest = line, .arena = arena};
	slice word = take(&c); /* and a colon */
	struct catalog_line l = {0};
	size_t i = 0;

	while (i < KIND_COUNT &&
		!slice_eq(slice_sub(word, 0, word.len ? word.len - 1 : 0), KINDS[i].word))
		i++;
	if (i == KIND_COUNT || !slice_ends_with(word, SLICE(":")))
		return ERR_NOTFOUND;
	l.kind = KINDS[i].kind;
	take_fields(&c, &l);
	if (c.rc == 0 && !c.ended)
		c.rc = ERR_SYNTAX;
	if (c.rc == 0)
		*ret = l;
	return c.rc;
}
