/* Flat JSON objects (RFC 8259), read member by member. */
#include "base/err.h"
#include "base/json_read.h"
#include "tap.h"

/* All members as "key=text " with the kind's letter before the text, then the end's name. */
static void dump(slice text, struct buf *out, int *ret_rc)
{
	static const char LETTERS[] = "snw";
	struct json_member m;
	struct json_reader r;
	int rc;

	json_reader_init(&r, text, 64);
	while ((rc = json_reader_next(&r, &m)) == 0)
		CHECK_INT(buf_printf(out, "%.*s=%c%.*s ", (int)m.key.len, m.key.ptr,
				  LETTERS[m.kind], (int)m.text.len, m.text.ptr),
			0);
	*ret_rc = rc;
	json_reader_release(&r);
}

static const struct {
	const char *label, *text, *want;
	int rc;
} ROWS[] = {
	{"empty", "{}", "", ERR_END},
	{"strings", " { \"a\" : \"x\" , \"b\":\"\" } ", "a=sx b=s ", ERR_END},
	{"numbers and words", "{\"a\":-1.5e+3,\"b\":true,\"c\":null}",
		"a=n-1.5e+3 b=wtrue c=wnull ", ERR_END},
	{"escapes", "{\"\\u0061\":\"\\\"\\\\\\/\\n\\t\"}", "a=s\"\\/\n\t ", ERR_END},
	{"characters", "{\"a\":\"\\u00e9\\ud83d\\ude00\"}", "a=s\xc3\xa9\xf0\x9f\x98\x80 ",
		ERR_END},
	{"half a pair", "{\"a\":\"\\ud83dx\"}", "a=s\xef\xbf\xbdx ", ERR_END},
	{"a pair with a wrong half", "{\"a\":\"\\ud83d\\u0041\"}", "", ERR_SYNTAX},
	{"nothing", "", "", ERR_SYNTAX},
	{"no object", "[]", "", ERR_SYNTAX},
	{"not closed", "{\"a\":\"x\"", "a=sx ", ERR_SYNTAX},
	{"comma at the end", "{\"a\":\"x\",}", "a=sx ", ERR_SYNTAX},
	{"no comma", "{\"a\":\"x\" \"b\":1}", "a=sx ", ERR_SYNTAX},
	{"something behind", "{} x", "", ERR_SYNTAX},
	{"control in a string", "{\"a\":\"\n\"}", "", ERR_SYNTAX},
	{"unknown escape", "{\"a\":\"\\x\"}", "", ERR_SYNTAX},
	{"unknown word", "{\"a\":nil}", "", ERR_SYNTAX},
	{"nested", "{\"a\":{}}", "", ERR_SYNTAX},
	{"too long",
		"{\"a\":\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"}",
		"", ERR_LIMIT},
};

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		struct buf out;
		int rc;

		tap_case("%s", ROWS[i].label);
		buf_init(&out, 1024);
		dump(slice_str(ROWS[i].text), &out, &rc);
		CHECK_STR(buf_str(&out), ROWS[i].want);
		CHECK_INT(rc, ROWS[i].rc);
		buf_release(&out);
	}
	return tap_done();
}
