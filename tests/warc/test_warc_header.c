#include "warc/warc_header.h"

#include <stdlib.h>

#include "base/err.h"
#include "tap.h"

/* Parses a copy; free it with the header. */
static int parse(struct warc_header *h, const char *text, char **ret_copy, struct err *err)
{
	*ret_copy = strdup(text);
	return warc_header_parse(h, *ret_copy, strlen(*ret_copy), err);
}

static void test_versions(void)
{
	static const struct {
		const char *line;
		int rc;
		unsigned version;
	} rows[] = {
		{"WARC/0.17", 0, 17},
		{"WARC/0.18", 0, 18},
		{"WARC/1.0", 0, 100},
		{"WARC/1.1", 0, 101},
		{"WARC/1.1 ", 0, 101},
		{"WARC/2.0", 0, 200},
		{"WARC/1", ERR_SYNTAX, 0},
		{"WARC/1.x", ERR_SYNTAX, 0},
		{"WARC/1.100", ERR_SYNTAX, 0},
		{"warc/1.0", ERR_SYNTAX, 0},
		{"HTTP/1.1 200", ERR_SYNTAX, 0},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct warc_header h = {0};
		struct err err = {0};
		char *copy;

		tap_case("version: '%s'", rows[i].line);
		CHECK_INT(parse(&h, rows[i].line, &copy, &err), rows[i].rc);
		if (rows[i].rc == 0)
			CHECK_INT(h.version, rows[i].version);
		warc_header_release(&h);
		free(copy);
	}
}

static void test_meaning(void)
{
	struct warc_header h = {0};
	struct err err = {0};
	char *copy;

	CHECK_INT(parse(&h,
			  "WARC/1.0\r\nwarc-type: Response\r\nWARC-Target-URI: <http://a/>\r\n"
			  "WARC-Record-ID: <urn:uuid:1>\r\nWARC-Date: 1970-01-01T00:00:01Z\r\n"
			  "Content-Type: application/http;\r\n msgtype=response\r\n"
			  "Content-Length: 12\r\n\r\n",
			  &copy, &err),
		0);
	CHECK_INT(h.type, WARC_TYPE_RESPONSE);
	CHECK_SLICE(h.url, SLICE("http://a/"));
	CHECK_SLICE(warc_header_get(&h, SLICE("WARC-Record-ID")), SLICE("<urn:uuid:1>"));
	CHECK_SLICE(warc_header_uri(&h, SLICE("WARC-Record-ID")), SLICE("urn:uuid:1"));
	CHECK_SLICE(h.content_type, SLICE("application/http; msgtype=response"));
	CHECK(h.has_date && h.date == 1000000000);
	CHECK(h.has_length && !h.bad_length && h.length == 12);
	free(copy);
	CHECK_INT(parse(&h, "WARC/1.0\nWARC-Type: novel\nContent-Length: -1\n\n", &copy, &err), 0);
	CHECK_INT(h.type, WARC_TYPE_UNKNOWN);
	CHECK(!h.has_length && h.bad_length && !h.has_date && !h.url.ptr);
	warc_header_release(&h);
	free(copy);
}

static void test_add(void)
{
	struct buf out;

	buf_init(&out, 64);
	CHECK_INT(warc_header_add(&out, SLICE("A"), SLICE("b")), 0);
	CHECK_INT(warc_header_add(&out, SLICE("Left-Out"), (slice){0}), 0);
	CHECK_STR(buf_str(&out), "A: b\r\n");
	CHECK_INT(warc_header_add(&out, SLICE("A"), SLICE("b\r\nForged: c")), ERR_SYNTAX);
	CHECK_INT(warc_header_add(&out, SLICE("A"), SLICE("b\nForged: c")), ERR_SYNTAX);
	CHECK_INT(warc_header_add(&out, SLICE("A"), SLICE("b\0")), ERR_SYNTAX);
	CHECK_INT(warc_header_add(&out, SLICE("A: b\r\nC"), SLICE("d")), ERR_SYNTAX);
	CHECK_INT(warc_header_add(&out, SLICE(""), SLICE("d")), ERR_SYNTAX);
	CHECK_STR(buf_str(&out), "A: b\r\n");
	buf_release(&out);
}

static void test_starts(void)
{
	CHECK(warc_header_is_start(SLICE("WARC/1.0")));
	CHECK(!warc_header_is_start(SLICE("WARC/1.")));
	CHECK(warc_header_is_version(SLICE("WARC/1.0\r\n")));
	CHECK(warc_header_is_version(SLICE("WARC/0.18\n")));
	CHECK(!warc_header_is_version(SLICE("WARC/1.0 is")));
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_versions();
	TAP_RUN(test_meaning);
	TAP_RUN(test_add);
	TAP_RUN(test_starts);
	return tap_done();
}
