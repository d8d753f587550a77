#include "formats/config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/yaml.h"
#include "tap.h"

struct values {
	bool flag;
	const char *text;
	int64_t whole;
	double number, seconds;
	uint64_t bytes;
	int choice;
	struct text_list list;
	struct option_rate requests, traffic;
	const struct yaml_node *map, *items;
};

static int check_text(const char *value, struct err *err)
{
	return strcmp(value, "bad") == 0 ? err_set(err, ERR_USAGE, "is bad") : 0;
}

#define KEY(kind_, member, ...)                                        \
	{                                                              \
		.name = #member, .kind = OPTION_##kind_,               \
		.offset = offsetof(struct values, member), __VA_ARGS__ \
	}

static const char *const CHOICES[] = {"page", "host", NULL};

static const struct option_spec SPECS[] = {
	KEY(FLAG, flag, .letter = 0),
	KEY(STRING, text, .check = check_text),
	KEY(INT, whole, .min = 1, .max = 10),
	KEY(DOUBLE, number, .letter = 0),
	KEY(DURATION, seconds, .letter = 0),
	KEY(SIZE, bytes, .letter = 0),
	KEY(CHOICE, choice, .choices = CHOICES),
	KEY(LIST, list, .letter = 0),
	KEY(COUNT_RATE, requests, .letter = 0),
	KEY(SIZE_RATE, traffic, .letter = 0),
	{.name = NULL},
};

static const struct config_part PARTS[] = {
	{"map", YAML_MAP, offsetof(struct values, map)},
	{"items", YAML_LIST, offsetof(struct values, items)},
	{.name = NULL},
};

static const char *const REQUIRED[] = {"text", NULL};
/* "": as if the table did not have it. */
static const char *is_no_key(const struct option_spec *s)
{
	return strcmp(s->name, "number") == 0 ? "" : NULL;
}

static const char *belongs_elsewhere(const struct option_spec *s)
{
	return strcmp(s->name, "number") == 0 ? "belongs elsewhere" : NULL;
}

static const struct config_table TABLE = {.specs = SPECS, .parts = PARTS};
static const struct options OPTIONS = {.specs = SPECS};

static void test_values(void)
{
	static const char TEXT[] = "flag: true\n"
				   "text: \"a b\"\n"
				   "whole: 7\n"
				   "number: 0.25\n"
				   "seconds: 1d\n"
				   "bytes: 5G\n"
				   "choice: host\n"
				   "list: [x, y]\n"
				   "requests: 20000/day\n"
				   "traffic: 5M/hour\n"
				   "map: {k: 1}\n"
				   "items:\n  - 1\n";
	struct values v = {0};
	struct err err = {0};
	struct yaml y;

	CHECK_INT(yaml_parse(&y, "f", SLICE(TEXT), &err), 0);
	CHECK_INT(config_read(&y, y.root, &TABLE, &v, &err), 0);
	CHECK(v.flag);
	CHECK_STR(v.text, "a b");
	CHECK_INT(v.whole, 7);
	CHECK(v.number == 0.25);
	CHECK(v.seconds == 86400);
	CHECK(v.bytes == (uint64_t)5 << 30);
	CHECK_INT(v.choice, 1);
	CHECK_INT(v.list.len, 2);
	CHECK_STR(v.list.ptr[1], "y");
	CHECK(v.requests.amount == 20000 && v.requests.seconds == 86400);
	CHECK(v.traffic.amount == 5 << 20 && v.traffic.seconds == 3600);
	CHECK(v.map && v.map->kind == YAML_MAP && yaml_get(v.map, "k"));
	CHECK(v.items && v.items->kind == YAML_LIST);
	options_release(&OPTIONS, &v);
	yaml_release(&y);
}

static void test_one_for_a_list(void)
{
	struct values v = {0};
	struct err err = {0};
	struct yaml y;

	CHECK_INT(yaml_parse(&y, "f", SLICE("list: x\n"), &err), 0);
	CHECK_INT(text_list_push(&v.list, "before"), 0);
	CHECK_INT(config_read(&y, y.root, &TABLE, &v, &err), 0);
	CHECK_INT(v.list.len, 1); /* it replaces what was there */
	options_release(&OPTIONS, &v);
	yaml_release(&y);
}

static void test_errors(void)
{
	static const struct {
		const char *label, *text, *want;
	} ROWS[] = {
		{"unknown key", "text: a\nchoise: b\n",
			"f:2:1: unknown key 'choise', did you mean 'choice'?"},
		{"excluded key", "text: a\nnumber: 1\n", "f:2:1: unknown key 'number'"},
		{"missing key", "\n\nflag: true\n", "f:3:1: the key 'text' is missing"},
		{"no mapping", "- a\n", "f:1:1: a mapping ('key: value' lines) must be here"},
		{"list for a string", "text:\n  - a\n", "f:2:3: text needs one value, not a list"},
		{"mapping for a number", "whole: {a: 1}\n",
			"f:1:8: whole needs one value, not a mapping"},
		{"no value", "text:\n", "f:1:1: text has no value"},
		{"flag", "flag: yes\n", "f:1:7: flag needs true or false, not 'yes'"},
		{"whole number", "whole: x\n", "f:1:8: whole needs a whole number, not 'x'"},
		{"range", "whole: 11\n", "f:1:8: whole must be at least 1 and at most 10, not 11"},
		{"time", "seconds: soon\n", "f:1:10: seconds needs a time such as"},
		{"size", "bytes: -1\n", "f:1:8: bytes needs a size such as"},
		{"choice", "choice: xyz\n", "f:1:9: unknown choice 'xyz', it is one of page, host"},
		{"check", "text: bad\n", "f:1:7: text is bad"},
		{"rate", "requests: 5G/day\n", "f:1:11: requests needs a rate such as"},
		{"rate without period", "traffic: 5G\n", "f:1:10: traffic needs a rate such as"},
		{"unknown period", "traffic: 5G/year\n", "f:1:10: traffic needs a rate"},
		{"scalar for a mapping", "map: 1\n", "f:1:6: map needs a mapping"},
		{"mapping for a list", "items: {a: 1}\n", "f:1:8: items needs a list"},
		{"two lines", "text: \"a\\nb\"\n", "f:1:7: text must be one line"},
		{"list in a list", "list:\n  - [a]\n", "f:2:5: list needs one value, not a list"},
	};
	static const struct config_table strict = {
		.specs = SPECS, .parts = PARTS, .required = REQUIRED, .refuses = is_no_key};

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		struct values v = {0};
		struct err err = {0};
		struct yaml y;

		tap_case("errors: %s", ROWS[i].label);
		CHECK_INT(yaml_parse(&y, "f", slice_str(ROWS[i].text), &err), 0);
		CHECK_INT(config_read(&y, y.root, &strict, &v, &err), ERR_USAGE);
		CHECK(strncmp(err.text, ROWS[i].want, strlen(ROWS[i].want)) == 0);
		tap_note("%s", err.text);
		options_release(&OPTIONS, &v);
		yaml_release(&y);
	}
}

static void test_excluded_key(void)
{
	static const struct config_table table = {.specs = SPECS, .refuses = belongs_elsewhere};
	struct values v = {0};
	struct err err = {0};
	struct yaml y;

	CHECK_INT(yaml_parse(&y, "f", SLICE("number: 1\n"), &err), 0);
	CHECK_INT(config_read(&y, y.root, &table, &v, &err), ERR_USAGE);
	CHECK_STR(err.text, "f:1:1: 'number' belongs elsewhere");
	yaml_release(&y);
}

static const char *has_no_effect(const struct option_spec *s)
{
	return strcmp(s->name, "number") == 0 ? "has no effect" : NULL;
}

/* Keys that are read all the same, and those that are gone. */
static void test_notes(void)
{
	static const struct option_spec specs[] = {
		{.name = "number", .kind = OPTION_DOUBLE},
		{.name = "old", .kind = OPTION_GONE, .help = "use number"},
		{.name = NULL},
	};
	struct arena arena;
	struct config_notes notes = {.arena = &arena};
	const struct config_table table = {
		.specs = specs, .ignores = has_no_effect, .notes = &notes};
	struct err err = {0};
	struct yaml y;
	double number = 0;

	arena_init(&arena, 1 << 16);
	CHECK_INT(yaml_parse(&y, "f", SLICE("number: 2\nold: [1, {a: b}]\n"), &err), 0);
	CHECK_INT(config_read(&y, y.root, &table, &number, &err), 0);
	CHECK_NEAR(number, 2, 0);
	if (CHECK_INT((int64_t)notes.list.len, 2)) {
		CHECK_STR(notes.list.ptr[0], "f:1:1: 'number' has no effect");
		CHECK_STR(notes.list.ptr[1], "f:2:1: 'old' is gone, and has no effect: use number");
	}
	text_list_release(&notes.list);
	yaml_release(&y);
	arena_release(&arena);
}

/* What is written is read as the same. */
static void test_writing(void)
{
	static const char *const ROWS[] = {"word", "", "2", "-x", "~", "null", "a: b", "a #b",
		"\"quoted\" \\ back", "tab\there", "https://example.org/a?b=c&d", "é", "[x]", "*a",
		"%", "@", "true", " blank ", "'", "a,b", "{", "\x7f"};

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		char *text = NULL;
		size_t len = 0;
		FILE *file = open_memstream(&text, &len);
		struct err err = {0};
		struct yaml y;

		tap_case("writing: %s", i == ARRAY_LEN(ROWS) - 1 ? "DEL" : ROWS[i]);
		(void)fputs("[", file);
		yaml_write_text(file, slice_str(ROWS[i]));
		(void)fputs("]\n", file);
		CHECK_INT(fclose(file), 0);
		CHECK_INT(yaml_parse(&y, "f", (slice){text, len}, &err), 0);
		CHECK_STR(y.root ? y.root->entries->value->text.ptr : err.text, ROWS[i]);
		CHECK(y.root && !yaml_is_null(y.root->entries->value));
		yaml_release(&y);
		free(text);
	}
}

/* What is no UTF-8 cannot be said in YAML: U+FFFD stands for it, and the rest is kept. */
static void test_writing_broken(void)
{
	char *text = NULL;
	size_t len = 0;
	FILE *file = open_memstream(&text, &len);

	yaml_write_text(file, SLICE("a b\xff"
				    "c\xc3"));
	CHECK_INT(fclose(file), 0);
	CHECK_STR(text, "\"a b\xef\xbf\xbd"
			"c\xef\xbf\xbd\"");
	free(text);
}

/* Mappings whose keys are free: each value is read by itself. */
static void test_free_keys(void)
{
	static const struct option_spec weight = {
		.name = "weight", .kind = OPTION_DOUBLE, .min = 0, .max = 100};
	double got[2] = {0};
	struct err err = {0};
	struct yaml y;
	size_t n = 0;

	CHECK_INT(yaml_parse(&y, "f", SLICE("{\"*/archive/*\": 0.1, \"*/today*\": 500}"), &err), 0);
	CHECK_INT(config_value(&y, y.root->entries->value, &weight, &got[n++], &err), 0);
	CHECK(got[0] == 0.1);
	CHECK_INT(
		config_value(&y, y.root->entries->next->value, &weight, &got[n], &err), ERR_USAGE);
	CHECK_STR(err.text, "f:1:34: weight must be at least 0 and at most 100, not 500");
	yaml_release(&y);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_values);
	TAP_RUN(test_one_for_a_list);
	test_errors();
	TAP_RUN(test_excluded_key);
	TAP_RUN(test_notes);
	test_writing();
	TAP_RUN(test_writing_broken);
	TAP_RUN(test_free_keys);
	return tap_done();
}
