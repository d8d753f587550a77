#include "base/table.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/csv.h"
#include "base/format.h"
#include "base/text.h"

enum { NS_PER_MS = 1000000 };

/* ---- values ---- */

struct cell cell_text(slice text)
{
	return (struct cell){.kind = text.ptr ? CELL_TEXT : CELL_NONE, .text = text};
}

struct cell cell_string(const char *text)
{
	return cell_text(text ? slice_str(text) : (slice){0});
}

struct cell cell_uint(uint64_t number)
{
	return (struct cell){.kind = CELL_UINT, .number = number, .code = number};
}

struct cell cell_double(double value)
{
	return (struct cell){.kind = isfinite(value) ? CELL_DOUBLE : CELL_NONE, .value = value};
}

struct cell cell_time(int64_t time)
{
	return (struct cell){.kind = time ? CELL_TIME : CELL_NONE, .time = time};
}

static uint64_t read_number(const struct column *c, const char *at)
{
	switch (c->member) {
	case MEMBER_U8:
		return *(const uint8_t *)at;
	case MEMBER_U16:
		return *(const uint16_t *)(const void *)at;
	case MEMBER_U32:
		return *(const uint32_t *)(const void *)at;
	default:
		return *(const uint64_t *)(const void *)at;
	}
}

static struct cell read_member(const struct column *c, const char *at)
{
	struct cell cell;

	switch (c->member) {
	case MEMBER_SLICE:
		return cell_text(*(const slice *)(const void *)at);
	case MEMBER_STRING:
		return cell_string(*(const char *const *)(const void *)at);
	case MEMBER_BOOL:
		return (struct cell){.kind = CELL_BOOL, .number = *(const bool *)at};
	case MEMBER_FLOAT:
		return cell_double((double)*(const float *)(const void *)at);
	case MEMBER_DOUBLE:
		return cell_double(*(const double *)(const void *)at);
	case MEMBER_I64:
		if (c->unit == UNIT_TIME || c->unit == UNIT_TIME_UP)
			return cell_time(*(const int64_t *)(const void *)at);
		break;
	default:
		break;
	}
	cell = cell_uint(read_number(c, at));
	if (c->zero_is_none && cell.number == 0)
		cell.kind = CELL_NONE;
	return cell;
}

struct cell table_cell(const struct table *t, const struct column *c, size_t row)
{
	const char *at = (const char *)t->first;
	struct cell cell =
		c->get ? c->get(t, row) : read_member(c, at + row * t->stride + c->offset);

	if (c->word && cell.kind == CELL_UINT) {
		uint64_t code = cell.number;

		cell = cell_string(c->word(code));
		cell.code = code;
	}
	cell.unit = c->unit;
	return cell;
}

static void format_time(const struct cell *cell, char out[CLOCK_TEXT_SIZE])
{
	clock_format(
		cell->time, cell->unit == UNIT_TIME_UP ? CLOCK_ROUND_UP : CLOCK_ROUND_DOWN, out);
}

static const char *name_of(const struct table *t, const struct column *c)
{
	return c->name ? c->name : t->name;
}

const char *table_heading(const struct table *t, const struct column *c)
{
	return c->heading ? c->heading : name_of(t, c);
}

static size_t format_number(double value, const struct column *c, char out[CELL_SHOWN_SIZE])
{
	if (c->digits)
		return (size_t)snprintf(out, CELL_SHOWN_SIZE, "%.*g", c->digits, value);
	return format_double(value, out);
}

static void format_figure(double value, const struct column *c, char out[CELL_SHOWN_SIZE])
{
	size_t len;

	if (c->unit == UNIT_SHARE)
		len = (size_t)snprintf(out, CELL_SHOWN_SIZE, "%.1f %%", 100 * value);
	else if (c->decimals)
		len = (size_t)snprintf(out, CELL_SHOWN_SIZE, "%.*f", c->decimals, value);
	else
		len = format_number(value, c, out);
	if (c->suffix && len < CELL_SHOWN_SIZE)
		(void)snprintf(out + len, CELL_SHOWN_SIZE - len, "%s", c->suffix);
}

/* For people; the caller has dealt with texts. */
static void format_cell(const struct cell *cell, const struct column *c, char out[CELL_SHOWN_SIZE])
{
	if (cell->kind == CELL_TIME)
		format_time(cell, out);
	else if (cell->kind == CELL_BOOL)
		(void)snprintf(out, CELL_SHOWN_SIZE, "%s", cell->number ? "yes" : "no");
	else if (cell->kind == CELL_DOUBLE)
		format_figure(cell->value, c, out);
	else if (cell->unit == UNIT_BYTES)
		text_size(cell->number, out);
	else if (cell->unit == UNIT_NS)
		text_duration(clock_seconds((int64_t)cell->number), out);
	else
		(void)format_u64(cell->number, out);
}

slice cell_show(const struct cell *cell, const struct column *c, char out[CELL_SHOWN_SIZE])
{
	if (cell->kind == CELL_NONE)
		return slice_str(c->none ? c->none : "");
	if (cell->kind == CELL_TEXT)
		return cell->text;
	format_cell(cell, c, out);
	return slice_str(out);
}

/* ---- JSON ---- */

static void put_value(struct json *j, const struct cell *cell)
{
	char time[CLOCK_TEXT_SIZE];

	switch (cell->kind) {
	case CELL_NONE:
		json_null(j);
		break;
	case CELL_TEXT:
		json_slice(j, cell->text);
		break;
	case CELL_UINT:
		if (cell->unit == UNIT_NS)
			json_double(j, clock_seconds((int64_t)cell->number));
		else
			json_uint(j, cell->number);
		break;
	case CELL_DOUBLE:
		json_double(j, cell->value);
		break;
	case CELL_BOOL:
		json_bool(j, cell->number != 0);
		break;
	case CELL_TIME:
		format_time(cell, time);
		json_string(j, time);
		break;
	}
}

void table_json_members(const struct table *t, size_t row, struct json *j)
{
	for (size_t i = 0; i < t->count; i++) {
		const struct column *c = &t->columns[i];
		struct cell cell;

		if (!(c->forms & TABLE_JSON))
			continue;
		if (c->put) {
			c->put(t, row, j);
			continue;
		}
		cell = table_cell(t, c, row);
		json_key(j, name_of(t, c));
		put_value(j, &cell);
	}
}

void table_json_lines(const struct table *t, struct json *j)
{
	for (size_t row = 0; row < t->rows; row++) {
		json_object_begin(j);
		table_json_members(t, row, j);
		json_object_end(j);
	}
}

void table_json(const struct table *t, struct json *j)
{
	json_array_begin(j);
	table_json_lines(t, j);
	json_array_end(j);
}

/* ---- CSV ---- */

static void put_field(FILE *file, const struct column *c, const struct cell *cell)
{
	char text[CELL_SHOWN_SIZE] = "";

	if (cell->kind == CELL_TEXT)
		csv_write_field(file, cell->text);
	else if (cell->kind == CELL_BOOL)
		(void)fputs(cell->number ? "true" : "false", file);
	else if (cell->kind == CELL_UINT && cell->unit == UNIT_NS)
		(void)fprintf(file, "%.3f", clock_seconds((int64_t)cell->number));
	else if (cell->kind == CELL_UINT)
		(void)fprintf(file, "%" PRIu64, cell->number);
	else if (cell->kind == CELL_DOUBLE)
		(void)format_number(cell->value, c, text);
	else if (cell->kind == CELL_TIME)
		format_time(cell, text);
	(void)fputs(text, file);
}

static void put_csv_row(const struct table *t, size_t row, FILE *file)
{
	const char *comma = "";

	for (size_t i = 0; i < t->count; i++) {
		const struct column *c = &t->columns[i];
		struct cell cell;

		if (!(c->forms & TABLE_CSV))
			continue;
		cell = table_cell(t, c, row);
		(void)fputs(comma, file);
		put_field(file, c, &cell);
		comma = ",";
	}
	(void)putc('\n', file);
}

void table_csv(const struct table *t, FILE *file)
{
	const char *comma = "";

	for (size_t i = 0; i < t->count; i++)
		if (t->columns[i].forms & TABLE_CSV) {
			(void)fprintf(file, "%s%s", comma, name_of(t, &t->columns[i]));
			comma = ",";
		}
	(void)putc('\n', file);
	for (size_t row = 0; row < t->rows; row++)
		put_csv_row(t, row, file);
}

/* ---- text ---- */

static void print_cell(FILE *file, const struct column *c, slice text)
{
	size_t width = c->width < 0 ? (size_t)-c->width : (size_t)c->width;
	size_t columns = c->width > 0 ? text_columns(text) : width;

	(void)fprintf(file, "%*s", (int)(c->gap + (columns < width ? width - columns : 0)), "");
	text_name(file, text, c->width < 0 ? width : 0);
}

/* The column at a place of a line, from 1; NULL behind the last. */
static const struct column *text_column(const struct table *t, unsigned place)
{
	unsigned seen = 0;

	for (size_t i = 0; i < t->count; i++) {
		const struct column *c = &t->columns[i];

		seen += (c->forms & TABLE_TEXT) != 0;
		if (c->forms & TABLE_TEXT && (c->at ? c->at : seen) == place)
			return c;
	}
	return NULL;
}

void table_text_head(const struct table *t, FILE *file)
{
	const struct column *c;

	for (unsigned i = 1; (c = text_column(t, i)); i++)
		print_cell(file, c, slice_str(table_heading(t, c)));
	(void)putc('\n', file);
}

void table_text_row(const struct table *t, size_t row, FILE *file)
{
	const struct column *c;

	for (unsigned i = 1; (c = text_column(t, i)); i++) {
		struct cell cell = table_cell(t, c, row);
		char shown[CELL_SHOWN_SIZE];

		print_cell(file, c, cell_show(&cell, c, shown));
	}
	(void)putc('\n', file);
}

void table_text(const struct table *t, FILE *file)
{
	table_text_head(t, file);
	for (size_t row = 0; row < t->rows; row++)
		table_text_row(t, row, file);
}

/* ---- data of pages ---- */

void table_pack_time(struct json *j, int64_t started, int64_t time, bool up)
{
	int64_t rounded = (time + (up ? NS_PER_MS - 1 : 0)) / NS_PER_MS;

	json_int(j, time ? rounded - started / NS_PER_MS : -1);
}

static void pack_value(
	struct json *j, const struct column *c, const struct cell *cell, int64_t started)
{
	if (c->unit == UNIT_TIME || c->unit == UNIT_TIME_UP)
		table_pack_time(j, started, cell->time, c->unit == UNIT_TIME_UP);
	else if (c->word || c->zero_is_none)
		json_uint(j, cell->code);
	else
		put_value(j, cell);
}

static void pack_column(
	const struct table *t, const struct column *c, int64_t started, struct json *j)
{
	json_array_begin(j);
	for (size_t row = 0; row < t->rows; row++) {
		struct cell cell = table_cell(t, c, row);
		char shown[CELL_SHOWN_SIZE];

		if (c->packed)
			pack_value(j, c, &cell, started);
		else
			json_slice(j, cell_show(&cell, c, shown));
	}
	json_array_end(j);
}

void table_pack(const struct table *t, int64_t started, struct json *j)
{
	for (size_t i = 0; i < t->count; i++)
		if (t->columns[i].packed) {
			json_key(j, t->columns[i].packed);
			pack_column(t, &t->columns[i], started, j);
		}
	json_key(j, "more");
	json_array_begin(j);
	for (size_t i = 0; i < t->count; i++) {
		const struct column *c = &t->columns[i];

		if (c->packed || !c->place)
			continue;
		json_object_begin(j);
		json_put_string(j, "title", table_heading(t, c));
		json_key(j, "values");
		pack_column(t, c, started, j);
		json_object_end(j);
	}
	json_array_end(j);
}
