/* What heads say of age and origin: Last-Modified, ETag, Age, caches. */
#include "formats/http_message.h"

#include <stdio.h>
#include <string.h>

#include "tap.h"

#define NOW    INT64_C(1767225600000000000) /* 2026-01-01T00:00:00Z */
#define SECOND INT64_C(1000000000)

static void test_heads(void)
{
	/* 1994-11-06T08:49:37Z is 784111777 (date -u -d). */
	static const struct {
		const char *label, *lines;
		int64_t modified;
		const char *etag, *caches;
		int age; /* -1: unknown */
	} rows[] = {
		{"nothing", "", 0, "", "", -1},
		{"all",
			"Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\nETag: W/\"a b\"\r\nAge: "
			"12\r\n"
			"Via: 1.1 varnish\r\nX-Cache: HIT\r\n",
			784111777 * SECOND, "W/\"a b\"", "via: 1.1 varnish; x-cache: HIT", 12},
		{"no date", "Last-Modified: yesterday\r\n", 0, "", "", -1},
		{"a date beyond all clocks", "Last-Modified: Sun, 06 Nov 9994 08:49:37 GMT\r\n", 0,
			"", "", -1},
		{"no age", "Age: soon\r\n", 0, "", "", -1},
		{"a negative age", "Age: -1\r\n", 0, "", "", -1},
		{"age 0", "age:0\r\n", 0, "", "", 0},
		{"several ages: the largest", "Age: 5\r\nAge: 70, 6\r\n", 0, "", "", 70},
		{"a large age", "Age: 99999999999\r\n", 0, "", "", 0x7fffffff},
		{"several caches", "Via: 1.1 a\r\nVia: 1.1 b\r\nCF-Cache-Status: \tDYN\x01\xff\r\n",
			0, "", "via: 1.1 a; via: 1.1 b; cf-cache-status: DYN??", -1},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct fields f = {0};
		struct served s;
		char head[512];

		tap_case("%s", rows[i].label);
		(void)snprintf(head, sizeof head, "HTTP/1.1 200 OK\r\n%s\r\n", rows[i].lines);
		CHECK_INT(fields_parse(&f, head, strlen(head)), 0);
		served_read(&f, NOW, &s);
		CHECK_INT(s.modified, rows[i].modified);
		CHECK_SLICE(s.etag, slice_str(rows[i].etag));
		CHECK_STR(s.caches, rows[i].caches);
		CHECK_INT(s.has_age ? (int)s.age : -1, rows[i].age);
		fields_release(&f);
	}
}

static void test_limits(void)
{
	static char head[8192];
	struct fields f = {0};
	struct served s;
	size_t at = (size_t)snprintf(head, sizeof head, "HTTP/1.1 200 OK\r\nETag: ");

	tap_case("what is too long");
	memset(head + at, 'e', SERVED_ETAG_MAX + 1);
	at += SERVED_ETAG_MAX + 1;
	at += (size_t)snprintf(head + at, sizeof head - at, "\r\nVia: ");
	memset(head + at, 'v', 4000);
	at += 4000;
	at += (size_t)snprintf(head + at, sizeof head - at, "\r\nX-Cache: HIT\r\n\r\n");
	CHECK_INT(fields_parse(&f, head, at), 0);
	served_read(&f, NOW, &s);
	CHECK(!s.etag.ptr);
	CHECK_INT(strlen(s.caches), SERVED_CACHES_SIZE - 1);
	fields_release(&f);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_heads();
	test_limits();
	return tap_done();
}
