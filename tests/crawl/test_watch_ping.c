#include "crawl/watch_daemon.h"

#include "tap.h"

static void test_parse(void)
{
	static const struct {
		const char *form;
		int rc;
		const char *urls;
	} rows[] = {
		{"hub.mode=publish&hub.url=http%3A%2F%2Fh%2Fa", 0, "http://h/a\n"},
		{"hub.url=http://h/a&hub.mode=publish&hub.url=http://h/b", 0,
			"http://h/a\nhttp://h/b\n"},
		{"hub.mode=publish&hub.topic=http://h/%3Fa%3Db%26c+d", 0, "http://h/?a=b&c d\n"},
		{"url=http://h/a", 0, "http://h/a\n"},
		{"x=1&url=http://h/a&y", 0, "http://h/a\n"},
		{"", ERR_SYNTAX, NULL},
		{"url=", ERR_SYNTAX, NULL},
		{"url", ERR_SYNTAX, NULL},
		{"hub.url=http://h/a", ERR_SYNTAX, NULL},
		{"hub.mode=subscribe&hub.url=http://h/a", ERR_SYNTAX, NULL},
		{"hub.mode=publish", ERR_SYNTAX, NULL},
		{"url=http://h/%0Ahttp://h/b", ERR_SYNTAX, NULL},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct buf urls;

		tap_case("form: %s", rows[i].form);
		buf_init(&urls, PING_BODY_MAX);
		CHECK_INT(ping_parse(slice_str(rows[i].form), &urls), rows[i].rc);
		if (rows[i].urls)
			CHECK_STR(buf_str(&urls), rows[i].urls);
		buf_release(&urls);
	}
}

static void test_too_many(void)
{
	struct buf form, urls;

	tap_case("form: 64 URLs are taken, and no more");
	buf_init(&form, PING_BODY_MAX);
	buf_init(&urls, PING_BODY_MAX);
	for (int i = 0; i < PING_URLS_MAX; i++)
		(void)buf_printf(&form, "url=%d&", i);
	CHECK_INT(ping_parse(buf_slice(&form), &urls), 0);
	(void)buf_add_str(&form, "url=x");
	CHECK_INT(ping_parse(buf_slice(&form), &urls), ERR_LIMIT);
	buf_release(&form);
	buf_release(&urls);
}

static void test_room(void)
{
	static const struct {
		double now; /* by the clock of the caller */
		size_t urls;
		bool may;
	} rows[] = {
		{1000, 400, true},
		{1000, 100, true},
		{1000, 1, false},
		{1000.03, 1, true},
		{1000.03, 1, false},
		{1002, 64, true},
		{1002, 64, false},
		{5000, 501, false},
		{5000, 500, true},
		{5000, 1, false},
	};
	struct ping_room room = {0};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		tap_case("room: %zu more at %g s", rows[i].urls, rows[i].now);
		CHECK(ping_room_take(&room, rows[i].now, rows[i].urls) == rows[i].may);
	}
}

static void test_address(void)
{
	static const struct {
		const char *text, *address;
		int rc, port;
	} rows[] = {
		{"8080", "127.0.0.1", 0, 8080},
		{"0.0.0.0:80", "0.0.0.0", 0, 80},
		{"[::1]:0", "::1", 0, 0},
		{"99999", NULL, ERR_SYNTAX, 0},
		{"example.org:80", NULL, ERR_SYNTAX, 0},
		{"", NULL, ERR_SYNTAX, 0},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char address[HTTPD_ADDRESS_SIZE];
		struct err err = {0};
		uint16_t port = 0;

		tap_case("address: %s", rows[i].text);
		CHECK_INT(ping_address(rows[i].text, address, &port, &err), rows[i].rc);
		if (rows[i].rc == 0) {
			CHECK_STR(address, rows[i].address);
			CHECK_INT(port, rows[i].port);
		}
	}
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_parse();
	test_too_many();
	test_room();
	test_address();
	return tap_done();
}
