#include "formats/yaml.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "tap.h"

const char *leaks_of_others(void) __asm__("__lsan_default_suppressions");

/* libfyaml 0.7.12 loses memory of its own where it refuses a document. */
const char *leaks_of_others(void)
{
	return "leak:libfyaml";
}

/* The tree as text: {key@line:column value, …}, [value, …], plain, "quoted". */
static void show(const struct yaml_node *n, struct buf *out)
{
	const char *open = n->kind == YAML_LIST ? "[" : "{";

	if (n->kind == YAML_SCALAR) {
		(void)buf_printf(out, n->quoted ? "\"%s\"" : "%s", n->text.ptr);
		return;
	}
	(void)buf_add_str(out, open);
	for (const struct yaml_entry *e = n->entries; e; e = e->next) {
		if (e->key)
			(void)buf_printf(
				out, "%s@%u:%u ", e->key->text.ptr, e->key->line, e->key->column);
		show(e->value, out);
		if (e->next)
			(void)buf_add_str(out, ", ");
	}
	(void)buf_add_str(out, n->kind == YAML_LIST ? "]" : "}");
}

static void test_trees(void)
{
	static const struct {
		const char *label, *text, *want;
	} ROWS[] = {
		{"mapping", "a: 1\nb: two\n", "{a@1:1 1, b@2:1 two}"},
		{"flow", "b: {requests: 20000/day, bytes: 5G/day}\n",
			"{b@1:1 {requests@1:5 20000/day, bytes@1:26 5G/day}}"},
		{"list of mappings", "s:\n  - url: https://a/\n  - url: 'x'\n    d: 2\n",
			"{s@1:1 [{url@2:5 https://a/}, {url@3:5 \"x\", d@4:5 2}]}"},
		{"quoted keys", "\"*/today*\": 5\n", "{*/today*@1:1 5}"},
		{"comments", "# first\na: b # last\n", "{a@2:1 b}"},
		{"no value", "a:\nb: ~\n", "{a@1:1 , b@2:1 ~}"},
		{"empty containers", "a: []\nb: {}\n", "{a@1:1 [], b@2:1 {}}"},
		{"block scalar", "a: |\n  x\n  y\n", "{a@1:1 \"x\ny\n\"}"},
		{"alias", "a: &x {k: 1}\nb: *x\n", "{a@1:1 {k@1:8 1}, b@2:1 {k@1:8 1}}"},
		{"alias of a scalar", "a: &x 1\nb: [*x, *x]\n", "{a@1:1 1, b@2:1 [1, 1]}"},
		{"byte order mark",
			"\xef\xbb\xbf"
			"a: 1\n",
			"{a@1:1 1}"},
		{"CRLF", "a: 1\r\nb: 2\r\n", "{a@1:1 1, b@2:1 2}"},
		{"JSON", "{\"a\": [true, null]}", "{a@1:2 [true, null]}"},
		{"document marks", "---\na: 1\n...\n", "{a@2:1 1}"},
		{"only a scalar", "word\n", "word"},
	};

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		struct err err = {0};
		struct buf out;
		struct yaml y;

		tap_case("trees: %s", ROWS[i].label);
		buf_init(&out, 1 << 16);
		CHECK_INT(yaml_parse(&y, "f", slice_str(ROWS[i].text), &err), 0);
		if (y.root)
			show(y.root, &out);
		else
			tap_note("%s", err.text);
		CHECK_STR(buf_str(&out), ROWS[i].want);
		buf_release(&out);
		yaml_release(&y);
	}
}

static void test_errors(void)
{
	static const struct {
		const char *label, *text, *want; /* want: how the message begins */
	} ROWS[] = {
		{"empty", "", "f:1:1: the file is empty"},
		{"only a comment", "# x\n", "f:2:1: the file is empty"},
		{"duplicate key", "a: 1\nb: 2\na: 3\n",
			"f:3:1: duplicate key 'a'; it is in line 1 already"},
		{"duplicate by quotes", "x:\n  a: 1\n  \"a\": 3\n", "f:3:3: duplicate key 'a'"},
		{"key is a list", "[1]: 2\n", "f:1:1: a key must be a word"},
		{"unknown alias", "a: *x\n", "f:1:4: the alias *x has no anchor"},
		{"own alias", "a: &x [*x]\n", "f:1:8: the alias *x has no anchor"},
		{"anchor twice", "a: &x 1\nb: &x 2\n", "f:2:7: the anchor &x"},
		{"tag", "a: !!python/object x\n", "f:1:4: tags"},
		{"second document", "a: 1\n---\nb: 2\n", "f:2:1: a second document"},
		{"NUL", "a: \"x\\0y\"\n", "f:1:4: a value must not contain a NUL"},
		{"unclosed list", "a: [1,\n", "f:2:1: "},
		{"unclosed quote", "a: \"x\n", "f:"},
		{"tab as indent", "a:\n\tb: 1\n", "f:2:"},
		{"wrong indent", "a:\n   b: 1\n  c: 2\n", "f:3:"},
		{"not UTF-8", "a: \xff\xfe\n", "f:1:"},
	};

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		struct err err = {0};
		struct yaml y;

		tap_case("errors: %s", ROWS[i].label);
		CHECK_INT(yaml_parse(&y, "f", slice_str(ROWS[i].text), &err), ERR_USAGE);
		CHECK(strncmp(err.text, ROWS[i].want, strlen(ROWS[i].want)) == 0);
		CHECK(!strchr(err.text, '\n'));
		tap_note("%s", err.text);
		yaml_release(&y);
	}
}

/* Each level names the one before ten times: 10^9 values in a few lines. */
static void test_billion_laughs(void)
{
	struct err err = {0};
	struct buf text;
	struct yaml y;

	buf_init(&text, 1 << 16);
	(void)buf_add_str(&text, "a0: &a0 x\n");
	for (int level = 1; level <= 9; level++) {
		(void)buf_printf(&text, "a%d: &a%d [", level, level);
		for (int i = 0; i < 10; i++)
			(void)buf_printf(&text, "%s*a%d", i ? ", " : "", level - 1);
		(void)buf_add_str(&text, "]\n");
	}
	CHECK_INT(yaml_parse(&y, "f", buf_slice(&text), &err), ERR_USAGE);
	CHECK(strstr(err.text, "more than 500000 values"));
	CHECK(y.arena.held < 1 << 20);
	yaml_release(&y);
	buf_release(&text);
}

static void test_depth(void)
{
	struct err err = {0};
	struct buf text;
	struct yaml y;

	buf_init(&text, 1 << 22);
	for (int i = 0; i < YAML_DEPTH_MAX; i++)
		(void)buf_add_char(&text, '[');
	for (int i = 0; i < YAML_DEPTH_MAX; i++)
		(void)buf_add_char(&text, ']');
	CHECK_INT(yaml_parse(&y, "f", buf_slice(&text), &err), 0);
	yaml_release(&y);
	buf_reset(&text);
	for (int i = 0; i < 1000; i++)
		(void)buf_add_char(&text, '[');
	CHECK_INT(yaml_parse(&y, "f", buf_slice(&text), &err), ERR_USAGE);
	CHECK(strstr(err.text, "nested more than 32 deep"));
	yaml_release(&y);
	buf_release(&text);
}

/* Each level is ten deep and contains the one before. */
static void test_depth_by_aliases(void)
{
	struct err err = {0};
	struct buf text;
	struct yaml y;

	buf_init(&text, 1 << 16);
	(void)buf_add_str(&text, "a0: &a0 x\n");
	for (int level = 1; level <= 4; level++)
		(void)buf_printf(
			&text, "a%d: &a%d [[[[[[[[[[*a%d]]]]]]]]]]\n", level, level, level - 1);
	CHECK_INT(yaml_parse(&y, "f", buf_slice(&text), &err), ERR_USAGE);
	CHECK(strstr(err.text, "nested more than 32 deep"));
	yaml_release(&y);
	buf_release(&text);
}

/*
 * Megabytes of one thing. libfyaml would look for the end of a key in all of it, with some hundred
 * bytes of memory for each, and takes forever over a directive.
 */
static void test_repeated(void)
{
	static const struct {
		const char *piece, *says;
	} ROWS[] = {
		{"[", "longer than 256 KiB"},
		{"{", "longer than 256 KiB"},
		{"[]", "longer than 256 KiB"},
		{"[a, ", "longer than 256 KiB"},
		{"{a: ", "longer than 256 KiB"},
		{"&a ", "longer than 256 KiB"},
		{"&a\n", "longer than 256 KiB"},
		{"*a ", "longer than 256 KiB"},
		{"! ", "longer than 256 KiB"},
		{"\"a\"\n", "longer than 256 KiB"},
		{"a", "longer than 256 KiB"},
		{"# a\n", "longer than 256 KiB"},
		{"%", "directives"},
		{"%A b", "directives"},
		{"%A b\n", "directives"},
		{"- ", "32 deep"},
		{"? ", "32 deep"},
		{"a:\n", "duplicate key"},
		{"- a\n", "more than 500000 values"},
	};

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		struct err err = {0};
		struct yaml y;
		struct buf text;

		tap_case("megabytes of %s", ROWS[i].piece);
		buf_init(&text, YAML_BYTES_MAX);
		while (text.len + strlen(ROWS[i].piece) < YAML_BYTES_MAX)
			CHECK_INT(buf_add_str(&text, ROWS[i].piece), 0);
		CHECK_INT(yaml_parse(&y, "f", buf_slice(&text), &err), ERR_USAGE);
		CHECK(strstr(err.text, ROWS[i].says));
		tap_note("%s", err.text);
		yaml_release(&y);
		buf_release(&text);
	}
}

static void test_files(void)
{
	char path[512];
	struct err err = {0};
	struct yaml y;
	FILE *file;

	(void)snprintf(path, sizeof path, "%s/c.yaml", tap_tempdir());
	CHECK_INT(yaml_read(&y, path, &err), ERR_USAGE);
	CHECK(strstr(err.text, "c.yaml: No such file"));
	yaml_release(&y);
	file = fopen(path, "we");
	CHECK(file && fputs("a: 1\nb: [\n", file) >= 0 && fclose(file) == 0);
	CHECK_INT(yaml_read(&y, path, &err), ERR_USAGE);
	CHECK(strstr(err.text, "c.yaml:3:1: "));
	yaml_release(&y);
	CHECK_INT(yaml_read(&y, tap_tempdir(), &err), ERR_USAGE);
	yaml_release(&y);
}

static void test_too_large(void)
{
	struct err err = {0};
	struct buf text;
	struct yaml y;

	buf_init(&text, YAML_BYTES_MAX + 16);
	CHECK_INT(buf_reserve(&text, YAML_BYTES_MAX + 1), 0);
	memset(text.ptr, '#', YAML_BYTES_MAX + 1);
	CHECK_INT(yaml_parse(&y, "f", (slice){text.ptr, YAML_BYTES_MAX + 1}, &err), ERR_USAGE);
	CHECK_STR(err.text, "f: larger than 8 MiB");
	yaml_release(&y);
	buf_release(&text);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_trees();
	test_errors();
	test_repeated();
	TAP_RUN(test_billion_laughs);
	TAP_RUN(test_depth);
	TAP_RUN(test_depth_by_aliases);
	TAP_RUN(test_files);
	TAP_RUN(test_too_large);
	return tap_done();
}
