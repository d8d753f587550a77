/*
 * Tables that are declared once and rendered in every form: text for a terminal, JSON, CSV, packed
 * columns for the script of a page, and HTML (web/html.h). A column says its name, where its value
 * is found, what that means, and which forms show it:
 *
 *	static const struct column COLUMNS[] = {
 *		{"url", TABLE_JSON | TABLE_CSV, MEMBER(struct row, url), UNIT_URL},
 *		{"seen", TABLE_JSON | TABLE_CSV, MEMBER(struct row, seen), UNIT_TIME},
 *		{"share", TABLE_JSON, .get = get_share},
 *	};
 *
 * Errors stay in the FILE or the JSON writer.
 */
#ifndef BASE_TABLE_H
#define BASE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/slice.h"

/* Forms. What a page packs and what HTML shows has names and places of its own (see below). */
enum { TABLE_TEXT = 1, TABLE_JSON = 2, TABLE_CSV = 4 };

enum cell_kind { CELL_NONE, CELL_TEXT, CELL_UINT, CELL_DOUBLE, CELL_BOOL, CELL_TIME };

/* A value; which member counts depends on its kind. */
struct cell {
	enum cell_kind kind;
	slice text;
	uint64_t number;
	double value;
	int64_t time;  /* ns */
	uint64_t code; /* of a word: the number that it stands for, as pages pack it */
	enum column_unit {
		UNIT_NONE,
		UNIT_URL,   /* in HTML a link */
		UNIT_NAME,  /* in HTML broken anywhere, as URLs are */
		UNIT_WORDS, /* in HTML of any length, not a figure */
		UNIT_TIME,  /* ns since 1970, 0 for none; rounded down */
		UNIT_TIME_UP,
		UNIT_SHARE, /* for people "93.1 %" */
		UNIT_BYTES, /* for people "1.4 MB" */
		UNIT_NS,    /* a duration; seconds in JSON and CSV, "3 min 4 s" for people */
	} unit;             /* the column's */
};

struct table;

struct column {
	const char *name; /* key of JSON, head of CSV; NULL: that of the table, or put */
	unsigned forms;   /* TABLE_TEXT | … */

	/* Where the value is: a member of the row, as MEMBER says it, or what get returns. */
	enum member_kind {
		MEMBER_NONE,
		MEMBER_SLICE,
		MEMBER_STRING,
		MEMBER_BOOL,
		MEMBER_U8,
		MEMBER_U16,
		MEMBER_U32,
		MEMBER_U64,
		MEMBER_I64,
		MEMBER_FLOAT,
		MEMBER_DOUBLE,
	} member;
	size_t offset;
	enum column_unit unit;
	bool zero_is_none;
	struct cell (*get)(const struct table *t, size_t row);
	void (*put)(const struct table *t, size_t row, struct json *j); /* JSON: keys, values */
	const char *(*word)(uint64_t number); /* that a number stands for; NULL for none */

	const char *heading; /* for people; NULL: the name */
	const char *none;    /* text: of no value */
	const char *suffix;  /* for people: behind a double, such as " %" */
	unsigned at;         /* text: from the left, from 1; 0 in all columns: in their order */
	unsigned gap;        /* text: blanks before it */
	int width;           /* text: > 0 to the right, < 0 to the left and cut, 0 as it is */
	int decimals;        /* for people: digits of a double behind the point; or */
	int digits;          /* for people and in CSV: all of its digits; 0: the fewest that read
			      * back the same */
	unsigned place;      /* HTML: from the left, 1 is the heading of the row; 0: not there */
	const char *packed;  /* name in the data of a page; NULL: not there */
};

#define MEMBER(type, name) \
	.member = _Generic(((type *)0)->name, slice: MEMBER_SLICE, char *: MEMBER_STRING,         \
		const char *: MEMBER_STRING, bool: MEMBER_BOOL, uint8_t: MEMBER_U8,               \
		uint16_t: MEMBER_U16, uint32_t: MEMBER_U32, unsigned long: MEMBER_U64,            \
		unsigned long long: MEMBER_U64, long: MEMBER_I64, long long: MEMBER_I64,          \
		float: MEMBER_FLOAT, double: MEMBER_DOUBLE),                                      \
	.offset = offsetof(type, name)

/* Everything is borrowed. */
struct table {
	const char *name; /* of the column that has none */
	const struct column *columns;
	size_t count; /* of columns */
	const void *context;
	const void *first; /* of the rows, for members */
	size_t stride;     /* bytes from one row to the next */
	size_t rows;
};

/* The table whose rows are the elements of an array (base/vec.h). */
#define TABLE_OF(column_list, vec)                                                              \
	{                                                                                       \
		.columns = (column_list), .count = sizeof(column_list) / sizeof *(column_list), \
		.first = (vec).ptr, .stride = sizeof *(vec).ptr, .rows = (vec).len              \
	}

/* What get returns. A word and its number in one; a C string may be NULL: no value. */
struct cell cell_text(slice text); /* no value where ptr is NULL */
struct cell cell_string(const char *text);
struct cell cell_uint(uint64_t number);
struct cell cell_double(double value);
struct cell cell_time(int64_t time); /* 0: no value */

/* What people read above a column. */
const char *table_heading(const struct table *t, const struct column *c);

/* The value of a column in a row. */
struct cell table_cell(const struct table *t, const struct column *c, size_t row);

/* As people read it, into a buffer; the value of a text stays where it is. */
enum { CELL_SHOWN_SIZE = 64 };
slice cell_show(const struct cell *cell, const struct column *c, char out[CELL_SHOWN_SIZE]);

/* An array of objects; the members of one row's; a line for each row. */
void table_json(const struct table *t, struct json *j);
void table_json_members(const struct table *t, size_t row, struct json *j);
void table_json_lines(const struct table *t, struct json *j);

void table_csv(const struct table *t, FILE *file);

void table_text(const struct table *t, FILE *file);
void table_text_head(const struct table *t, FILE *file);
void table_text_row(const struct table *t, size_t row, FILE *file);

/*
 * A key for each column that pages pack, with an array: columns compress far better than rows.
 * Times are milliseconds since a start (ns), rounded outwards, -1 for none; words their numbers.
 * Columns of HTML that have no name there are in "more": a list of {"title", "values"}.
 */
void table_pack(const struct table *t, int64_t started, struct json *j);

/* Milliseconds since a start (both ns), rounded up or down; -1 for 0, which did not happen. */
void table_pack_time(struct json *j, int64_t started, int64_t time, bool up);

#endif
