#include "crawl/request_headers.h"

#include <stdio.h>
#include <string.h>

#include "tap.h"

/* The fields of a request to that URL, as "Name: value\n…". */
static void fields_of(struct request_headers *h, const char *url, struct buf *out)
{
	struct net_request r = {.url = slice_str(url)};
	struct request_look plain = {0};
	struct err err = {0};

	buf_reset(out);
	CHECK_INT(request_headers_apply(h, &plain, &r, 0, &err), 0);
	for (size_t i = 0; i < r.header_count; i++)
		CHECK_INT(buf_printf(out, "%.*s: %.*s\n", (int)r.headers[i].name.len,
				  r.headers[i].name.ptr, (int)r.headers[i].value.len,
				  r.headers[i].value.ptr),
			0);
}

/* Each field goes only where it belongs. */
static void test_fields(void)
{
	static const struct {
		const char *label, *auth, *secret, *header, *url, *want;
	} ROWS[] = {
		{"nothing to add", NULL, NULL, NULL, "http://a.example/", ""},
		{"RFC 7617, section 2", "Aladdin:open sesame", NULL, NULL, "http://a.example/x",
			"Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==\n"},
		{"one byte after the last three", "a:bc", NULL, NULL, "http://a.example/",
			"Authorization: Basic YTpiYw==\n"},
		{"no padding", "a:b", NULL, NULL, "http://a.example/",
			"Authorization: Basic YTpi\n"},
		{"from http to https of a seed", "a:b", NULL, NULL, "https://a.example/",
			"Authorization: Basic YTpi\n"},
		{"not to another host", "a:b", "X-Key: 1", NULL, "http://b.example/", ""},
		{"not to another port", "a:b", "X-Key: 1", NULL, "http://a.example:8080/", ""},
		{"of one host", "https://u:p@b.example/", NULL, NULL, "https://b.example/y",
			"Authorization: Basic dTpw\n"},
		{"of one host, not to the seed", "https://u:p@b.example/", NULL, NULL,
			"http://a.example/", ""},
		{"harmless fields go to all", NULL, NULL, "Accept-Language: fr",
			"http://b.example/", "Accept-Language: fr\n"},
		{"a secret field of the seeds", NULL, "X-Key:  1 ", NULL, "http://a.example/",
			"X-Key: 1\n"},
	};

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		struct crawl_settings settings;
		struct crawl_secrets secrets = {0};
		struct request_headers h = {0};
		struct err err = {0};
		struct arena arena;
		struct buf out;

		tap_case("fields: %s", ROWS[i].label);
		arena_init(&arena, 1 << 20);
		buf_init(&out, 1 << 16);
		crawl_settings_init(&settings);
		CHECK_INT(text_list_push(&settings.seeds, "http://a.example/"), 0);
		if (ROWS[i].auth)
			CHECK_INT(text_list_push(&secrets.auth, ROWS[i].auth), 0);
		if (ROWS[i].secret)
			CHECK_INT(text_list_push(&secrets.headers, ROWS[i].secret), 0);
		if (ROWS[i].header)
			CHECK_INT(text_list_push(&settings.headers, ROWS[i].header), 0);
		CHECK_INT(request_headers_init(&h, &settings, &secrets, 0, &arena, &err), 0);
		fields_of(&h, ROWS[i].url, &out);
		CHECK_SLICE(buf_slice(&out), slice_str(ROWS[i].want));
		request_headers_release(&h);
		crawl_secrets_release(&secrets);
		crawl_settings_release(&settings);
		buf_release(&out);
		arena_release(&arena);
	}
}

/* A cookie is sent back where it came from, unless the user wants none. */
static void test_cookies(void)
{
	static const struct {
		const char *label;
		bool no_cookies;
		const char *url, *want;
	} ROWS[] = {
		{"to the same host", false, "http://a.example/x", "Cookie: k=v\n"},
		{"not to another", false, "http://b.example/", ""},
		{"--no-cookies", true, "http://a.example/x", ""},
	};

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		struct net_fetch f = {.url = SLICE("http://a.example/"), .spool = -1};
		struct crawl_settings settings;
		struct request_headers h = {0};
		struct err err = {0};
		struct arena arena;
		struct buf out;

		tap_case("cookies: %s", ROWS[i].label);
		f.head = SLICE("HTTP/1.1 200 OK\r\nSet-Cookie: k=v\r\n\r\n");
		arena_init(&arena, 1 << 20);
		buf_init(&out, 1 << 16);
		crawl_settings_init(&settings);
		settings.no_cookies = ROWS[i].no_cookies;
		CHECK_INT(request_headers_init(&h, &settings, NULL, 0, &arena, &err), 0);
		request_headers_keep_cookies(&h, &f, 0);
		fields_of(&h, ROWS[i].url, &out);
		CHECK_SLICE(buf_slice(&out), slice_str(ROWS[i].want));
		request_headers_release(&h);
		crawl_settings_release(&settings);
		buf_release(&out);
		arena_release(&arena);
	}
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_fields();
	test_cookies();
	return tap_done();
}
