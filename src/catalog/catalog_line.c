#include "catalog/catalog_line.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/err.h"
#include "base/format.h"
#include "base/parse.h"
#include "catalog/catalog_db.h"

/* A line has the columns of the row (catalog_sql.c), but for the capture, or the first of them. */
static const struct line_form {
	enum catalog_row_kind kind;
	slice word;
	size_t columns; /* 0: all */
} FORMS[] = {
	{CATALOG_ROW_ADD_PAGE, SLICE_INIT("page"), 14},
	{CATALOG_ROW_TAKE_PAGE, SLICE_INIT("take"), 14},
	{CATALOG_ROW_REFUSE_PAGE, SLICE_INIT("refuse"), 0},
	{CATALOG_ROW_ADMIT_PAGE, SLICE_INIT("admit"), 0},
	{CATALOG_ROW_MARK_PAGE, SLICE_INIT("mark"), 0},
	{CATALOG_ROW_WEIGH_PAGE, SLICE_INIT("weigh"), 0},
	{CATALOG_ROW_UNKEPT, SLICE_INIT("unkept"), 0},
	{CATALOG_ROW_PLAN, SLICE_INIT("plan"), 0},
	{CATALOG_ROW_REQUISITE, SLICE_INIT("needs"), 0},
	{CATALOG_ROW_LIST_PAGE, SLICE_INIT("list"), 0},
	{CATALOG_ROW_LINKS, SLICE_INIT("links"), 0},
	{CATALOG_ROW_ADD_ROBOTS, SLICE_INIT("robots"), 0},
	{CATALOG_ROW_CONFIRM_ROBOTS, SLICE_INIT("checked"), 0},
	{CATALOG_ROW_POLL, SLICE_INIT("poll"), 0},
};

enum { FORM_COUNT = sizeof FORMS / sizeof FORMS[0] };

static const struct line_form *find_form(enum catalog_row_kind kind)
{
	for (size_t i = 0; i < FORM_COUNT; i++)
		if (FORMS[i].kind == kind)
			return &FORMS[i];
	return NULL;
}

bool catalog_line_has(enum catalog_row_kind kind)
{
	return find_form(kind);
}

static const struct catalog_column *columns(const struct line_form *f, size_t *ret_count)
{
	const struct catalog_statement *s = catalog_statement(catalog_row_form(f->kind)->sql);

	*ret_count = f->columns ? f->columns : s->count;
	return s->columns;
}

/* ---- writing ---- */

static const char HEX[] = "0123456789ABCDEF";

/* Bytes from high on are written as control characters are. */
static void put_escaped(struct buf *out, slice text, unsigned high)
{
	size_t from = 0;

	for (size_t i = 0; i < text.len; i++) {
		unsigned char c = (unsigned char)text.ptr[i];

		if (c >= ' ' && c < high && c != '%' && c != 0x7f)
			continue;
		buf_add(out, slice_sub(text, from, i));
		buf_add(out, (slice){(char[]){'%', HEX[c >> 4], HEX[c & 15]}, 3});
		from = i + 1;
	}
	buf_add(out, slice_sub(text, from, text.len));
}

static void put_number(struct buf *out, uint64_t number)
{
	char text[FORMAT_U64_SIZE];

	(void)format_u64(number, text);
	buf_add_str(out, text);
}

static void put_field(struct buf *out, const struct catalog_column *column, const void *row)
{
	const void *member = (const char *)row + column->member;

	buf_add_char(out, '\t');
	switch (column->kind) {
	case COLUMN_BOOL:
		put_number(out, *(const bool *)member);
		break;
	case COLUMN_U8:
		put_number(out, *(const uint8_t *)member);
		break;
	case COLUMN_PAGE:
	case COLUMN_VIA:
		if (*(const uint32_t *)member == CATALOG_NO_PAGE)
			buf_add_char(out, '-');
		else
			put_number(out, *(const uint32_t *)member);
		break;
	case COLUMN_KEY:
	case COLUMN_U32:
		put_number(out, *(const uint32_t *)member);
		break;
	case COLUMN_U64:
		put_number(out, *(const uint64_t *)member);
		break;
	case COLUMN_I64:
	case COLUMN_POSITION:
		buf_printf(out, "%lld", (long long)*(const int64_t *)member);
		break;
	case COLUMN_LEFT_OUT:
	case COLUMN_LEFT_OUT_KEY:
		buf_add_str(out, left_out_word(*(const enum left_out *)member));
		break;
	case COLUMN_DOUBLE:
		buf_printf(out, "%.17g", *(const double *)member);
		break;
	case COLUMN_FLOAT:
		buf_printf(out, "%.9g", (double)*(const float *)member);
		break;
	case COLUMN_TEXT:
	case COLUMN_WORD:
		put_escaped(out, *(const slice *)member, UINT8_MAX + 1);
		break;
	case COLUMN_BLOB:
		/* What a server sent: any bytes. */
		put_escaped(out, *(const slice *)member, 0x80);
		break;
	default:
		assert(false); /* no line has such a column */
	}
}

int catalog_line_format(const struct catalog_row *row, struct buf *out)
{
	const struct line_form *form = find_form(row->kind);
	const struct catalog_column *column;
	size_t before = out->len, count;
	int rc;

	if (!form)
		return ERR_UNSUPPORTED;
	buf_add(out, form->word);
	buf_add_char(out, ':');
	column = columns(form, &count);
	for (size_t i = 0; i < count; i++)
		if (column[i].kind != COLUMN_OWNER)
			put_field(out, &column[i], row->body);
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
static float take_float(struct cursor *c)
{
	float value = (float)take_double(c);

	if (!isfinite(value))
		c->rc = ERR_SYNTAX;
	return c->rc ? 0 : value;
}

/* Or a dash, for none. */
static uint32_t take_page_number(struct cursor *c)
{
	slice rest = c->rest;

	if (!c->ended && slice_eq(slice_take(&rest, '\t'), SLICE("-"))) {
		(void)take(c);
		return CATALOG_NO_PAGE;
	}
	return (uint32_t)take_number(c, CATALOG_NO_PAGE - 1);
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
		c->rc = c->rc ? c->rc : ERR_LIMIT;
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

static void take_field(struct cursor *c, const struct catalog_column *column, void *row)
{
	void *member = (char *)row + column->member;

	switch (column->kind) {
	case COLUMN_BOOL:
		*(bool *)member = take_number(c, 1);
		break;
	case COLUMN_U8:
		*(uint8_t *)member = (uint8_t)take_number(c, column->max);
		break;
	case COLUMN_PAGE:
	case COLUMN_VIA:
		*(uint32_t *)member = take_page_number(c);
		break;
	case COLUMN_KEY:
	case COLUMN_U32:
		*(uint32_t *)member = (uint32_t)take_number(c, column->max);
		break;
	case COLUMN_U64:
		*(uint64_t *)member = take_number(c, column->max);
		break;
	case COLUMN_I64:
	case COLUMN_POSITION:
		*(int64_t *)member = take_signed(c);
		break;
	case COLUMN_LEFT_OUT:
	case COLUMN_LEFT_OUT_KEY:
		*(enum left_out *)member = take_left_out(c);
		break;
	case COLUMN_DOUBLE:
		*(double *)member = take_double(c);
		break;
	case COLUMN_FLOAT:
		*(float *)member = take_float(c);
		break;
	case COLUMN_TEXT:
	case COLUMN_WORD:
	case COLUMN_BLOB:
		*(slice *)member = take_text(c);
		break;
	default:
		assert(false); /* no line has such a column */
	}
}

int catalog_line_parse(slice line, struct arena *arena, struct catalog_line *ret)
{
	struct cursor c = {.rest = line, .arena = arena};
	slice word = take(&c); /* and a colon */
	struct catalog_line l = {0};
	const struct catalog_column *column;
	size_t i = 0, count;

	while (i < FORM_COUNT &&
		!slice_eq(slice_sub(word, 0, word.len ? word.len - 1 : 0), FORMS[i].word))
		i++;
	if (i == FORM_COUNT || !slice_ends_with(word, SLICE(":")))
		return ERR_NOTFOUND;
	l.kind = FORMS[i].kind;
	column = columns(&FORMS[i], &count);
	for (i = 0; i < count; i++)
		if (column[i].kind != COLUMN_OWNER)
			take_field(&c, &column[i], &l.page);
	if (c.rc == 0 && !c.ended)
		c.rc = ERR_SYNTAX;
	if (c.rc == 0)
		*ret = l;
	return c.rc;
}
