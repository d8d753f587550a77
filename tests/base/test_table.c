#include "base/table.h"

#include <math.h>
#include <stdlib.h>

#include "tap.h"

/* One table, every rendering: a row with all values, and one without any. */
struct item {
	slice url;
	const char *note;
	bool is_odd;
	uint8_t colour;
	uint16_t status;
	uint32_t number;
	uint64_t bytes;
	int64_t seen, busy;
	float weight;
	double rate;
};

static const struct item ITEMS[] = {
	{SLICE_INIT("http://a/\"b\",c"), "a\x1b[31m", true, 1, 404, 7, 1400000, 1700000000123456789,
		61500000000, 0.5F, 1.0 / 3},
	{.rate = NAN},
};

static const char *colour_word(uint64_t colour)
{
	return colour == 1 ? "red" : NULL;
}

static struct cell get_double(const struct table *t, size_t row)
{
	return cell_uint(
		((const struct item *)t->first)[row].number * *(const uint64_t *)t->context);
}

static void put_pair(const struct table *t, size_t row, struct json *j)
{
	json_put_uint(j, "row", row);
	json_put_uint(j, "rows", t->rows);
}

#define ITEM(member) MEMBER(struct item, member)
#define ALL          (TABLE_TEXT | TABLE_JSON | TABLE_CSV)

static const struct column COLUMNS[] = {
	{NULL, ALL, ITEM(url), UNIT_URL, .width = -6, .packed = "url"},
	{"note", ALL, ITEM(note), .gap = 1, .width = 6, .none = "-", .place = 1},
	{"is_odd", ALL, ITEM(is_odd), .gap = 1},
	{"colour", ALL, ITEM(colour), .word = colour_word, .heading = "paint", .gap = 1,
		.width = -5, .packed = "paint"},
	{"status", ALL, ITEM(status), .zero_is_none = true, .width = 7, .packed = "status"},
	{"number", TABLE_CSV, ITEM(number)},
	{"double", TABLE_JSON, .get = get_double},
	{"bytes", ALL, ITEM(bytes), UNIT_BYTES, .width = 9, .place = 2},
	{"seen", ALL, ITEM(seen), UNIT_TIME, .gap = 1, .width = -24, .packed = "seen"},
	{"seen_up", TABLE_JSON, ITEM(seen), UNIT_TIME_UP, .packed = "seenUp"},
	{"busy", ALL, ITEM(busy), UNIT_NS, .gap = 1},
	{"weight", TABLE_CSV, ITEM(weight), .digits = 2},
	{"rate", ALL, ITEM(rate), .gap = 1, .decimals = 2},
	{"share", TABLE_TEXT, ITEM(rate), UNIT_SHARE, .gap = 1, .none = "?"},
	{"pace", TABLE_TEXT, ITEM(weight), .gap = 1, .suffix = " s"},
	{.forms = TABLE_JSON, .put = put_pair},
};

static const uint64_t TWO = 2;
static const struct table TABLE = {.name = "what",
	.columns = COLUMNS,
	.count = ARRAY_LEN(COLUMNS),
	.context = &TWO,
	.first = ITEMS,
	.stride = sizeof *ITEMS,
	.rows = ARRAY_LEN(ITEMS)};

static void check(void (*render)(FILE *file), const char *want)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	render(file);
	(void)fclose(file);
	CHECK_STR(text, want);
	free(text);
}

static void as_json(FILE *file)
{
	struct json j;

	json_init_file(&j, file, JSON_LINES);
	table_json(&TABLE, &j);
	CHECK_INT(json_finish(&j), 0);
}

static void as_lines(FILE *file)
{
	struct json j;

	json_init_file(&j, file, JSON_LINES);
	table_json_lines(&TABLE, &j);
	CHECK_INT(json_finish(&j), 0);
}

static void as_csv(FILE *file)
{
	table_csv(&TABLE, file);
}

static void as_text(FILE *file)
{
	table_text(&TABLE, file);
}

static void as_other_order(FILE *file)
{
	static const struct column columns[] = {
		{"number", TABLE_TEXT | TABLE_CSV, ITEM(number), .at = 2, .gap = 1},
		{"status", TABLE_TEXT | TABLE_CSV, ITEM(status), .at = 1},
	};
	struct table t = TABLE;

	t.columns = columns;
	t.count = ARRAY_LEN(columns);
	t.rows = 1;
	table_text(&t, file);
	table_csv(&t, file);
}

static void as_data(FILE *file)
{
	struct json j;

	json_init_file(&j, file, JSON_LINES);
	json_object_begin(&j);
	table_pack(&TABLE, 1700000000000000000, &j);
	json_object_end(&j);
	CHECK_INT(json_finish(&j), 0);
}

#define FIRST                                                                             \
	"{\"what\":\"http://a/\\\"b\\\",c\",\"note\":\"a\\u001b[31m\",\"is_odd\":true,"   \
	"\"colour\":\"red\",\"status\":404,\"double\":14,\"bytes\":1400000,"              \
	"\"seen\":\"2023-11-14T22:13:20.123Z\",\"seen_up\":\"2023-11-14T22:13:20.124Z\"," \
	"\"busy\":61.5,\"rate\":0.3333333333333333,\"row\":0,\"rows\":2}"
#define SECOND                                                                              \
	"{\"what\":null,\"note\":null,\"is_odd\":false,\"colour\":null,\"status\":null,"    \
	"\"double\":0,\"bytes\":0,\"seen\":null,\"seen_up\":null,\"busy\":0,\"rate\":null," \
	"\"row\":1,\"rows\":2}"

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	tap_case("JSON: an array");
	check(as_json, "[" FIRST "," SECOND "]\n");
	tap_case("JSON: a line for each row");
	check(as_lines, FIRST "\n" SECOND "\n");
	tap_case("CSV: quoted, no controls");
	check(as_csv, "what,note,is_odd,colour,status,number,bytes,seen,busy,weight,rate\n"
		      "\"http://a/\"\"b\"\",c\",a\xef\xbf\xbd[31m,true,red,404,7,1400000,"
		      "2023-11-14T22:13:20.123Z,61.500,0.5,0.3333333333333333\n"
		      ",,false,,,0,0,,0.000,0,\n");
	tap_case("text: cut and filled to their widths, nothing that a terminal obeys");
	check(as_text,
		"what     note is_odd paint status    bytes seen                     busy rate "
		"share pace\n"
		"http:… a?[31m yes red      404   1.4 MB 2023-11-14T22:13:20.123Z "
		"1 min 2 s 0.33 33.3 % 0.5 s\n"
		"            - no               0 bytes                          0.0 s  ? 0 s\n");
	tap_case("text: columns at places of their own");
	check(as_other_order, "status number\n404 7\nnumber,status\n7,404\n");
	tap_case("packed: columns, words as numbers, times since a start, the rest as people read "
		 "it");
	check(as_data,
		"{\"url\":[\"http://a/\\\"b\\\",c\",null],\"paint\":[1,0],\"status\":[404,0],"
		"\"seen\":[123,-1],\"seenUp\":[124,-1],"
		"\"more\":[{\"title\":\"note\",\"values\":[\"a\\u001b[31m\",\"-\"]},"
		"{\"title\":\"bytes\",\"values\":[\"1.4 MB\",\"0 bytes\"]}]}\n");
	return tap_done();
}
