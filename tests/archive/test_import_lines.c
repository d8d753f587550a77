/* Files with one item in each line. */
#include "archive/text_input.h"

#include <stdio.h>

#include "base/buf.h"
#include "tap.h"

static int on_item(void *context, const char *item, struct err *err)
{
	if (*item == '!')
		return err_set(err, ERR_RANGE, "refused");
	return buf_printf(context, "[%s]", item);
}

static void test_forms(void)
{
	static const struct {
		const char *label;
		enum lines_form form;
		slice content;
		const char *want; /* the items, or what the message ends with */
		int rc;
	} rows[] = {
		{"empty", LINES_LIST, SLICE_INIT(""), "", 0},
		{"list", LINES_LIST, SLICE_INIT("a\n\n  b c \r\n\td"), "[a][b c][d]", 0},
		{"comments", LINES_LIST, SLICE_INIT("# x\na#b # c\n #\n"), "[a#b]", 0},
		{"byte order mark", LINES_LIST,
			SLICE_INIT("\xef\xbb\xbf"
				   "a\n"),
			"[a]", 0},
		{"whole", LINES_WHOLE, SLICE_INIT(" a # b \r\n\n#c\n"), "[ a # b ][#c]", 0},
		{"refused", LINES_LIST, SLICE_INIT("a\n\n!\nb\n"), ":3: refused", ERR_RANGE},
		{"NUL", LINES_WHOLE, SLICE_INIT("a\0b\nc\n"),
			":1: the line is too long, or contains a NUL", ERR_USAGE},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct buf path, items;
		struct err err = {0};
		size_t count = 0;
		FILE *f;

		tap_case("lines: %s", rows[i].label);
		buf_init(&path, 4096);
		buf_init(&items, 4096);
		(void)buf_printf(&path, "%s/items", tap_tempdir());
		f = fopen(buf_str(&path), "wb");
		CHECK(f && fwrite(rows[i].content.ptr, 1, rows[i].content.len, f) ==
				   rows[i].content.len);
		CHECK(f && fclose(f) == 0);
		CHECK_INT(lines_read(buf_str(&path), rows[i].form, on_item, &items, &count, &err),
			rows[i].rc);
		if (rows[i].rc)
			CHECK(slice_ends_with(slice_str(err.text), slice_str(rows[i].want)));
		else
			CHECK_SLICE(buf_slice(&items), slice_str(rows[i].want));
		buf_release(&path);
		buf_release(&items);
	}
}

static void test_unreadable(void)
{
	struct err err = {0};
	size_t count;

	CHECK_INT(lines_read("/nowhere/list", LINES_LIST, on_item, NULL, &count, &err), ERR_USAGE);
	CHECK_STR(err.text, "/nowhere/list: No such file or directory");
	CHECK_INT(lines_read("/", LINES_LIST, on_item, NULL, &count, &err), ERR_USAGE);
	CHECK_STR(err.text, "/: Is a directory");
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_forms();
	TAP_RUN(test_unreadable);
	return tap_done();
}
