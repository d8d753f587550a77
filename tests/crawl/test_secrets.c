#include "crawl/secrets.h"

#include "tap.h"

/* Harmless fields go into the settings; what may be a key stays out of the archive. */
static void test_headers(void)
{
	static const struct {
		const char *label, *line;
		int rc;
		size_t open, secret; /* where it went */
	} ROWS[] = {
		{"harmless", "Accept-Language: fr", 0, 1, 0},
		{"harmless, in other letters", "ACCEPT-LANGUAGE: fr", 0, 1, 0},
		{"may be a key", "X-Api-Key: 1", 0, 0, 1},
		{"no value", "X-Empty:", 0, 0, 1},
		{"no colon", "X-Api-Key", ERR_USAGE, 0, 0},
		{"no name", ": 1", ERR_USAGE, 0, 0},
		{"blank in the name", "X Key: 1", ERR_USAGE, 0, 0},
		{"line break in the value", "X-Key: 1\r\nHost: b", ERR_USAGE, 0, 0},
		{"would frame the request", "Content-Length: 3", ERR_USAGE, 0, 0},
		{"would ask another host", "Host: b.example", ERR_USAGE, 0, 0},
	};

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		struct crawl_secrets secrets = {0};
		struct crawl_settings settings;
		struct err err = {0};

		tap_case("header: %s", ROWS[i].label);
		crawl_settings_init(&settings);
		CHECK_INT(crawl_secrets_add_header(&secrets, &settings, ROWS[i].line, &err),
			ROWS[i].rc);
		CHECK_INT(err.code, ROWS[i].rc);
		CHECK_INT(settings.headers.len, ROWS[i].open);
		CHECK_INT(secrets.headers.len, ROWS[i].secret);
		crawl_secrets_release(&secrets);
		crawl_settings_release(&settings);
	}
}

static void test_auth(void)
{
	static const struct {
		const char *label, *auth;
		int rc;
		bool has_host;
	} ROWS[] = {
		{"user and password", "u:p", 0, false},
		{"colons in the password", "u:p:q", 0, false},
		{"of one host", "https://u:p@a.example/", 0, true},
		{"no password", "u", ERR_USAGE, false},
		{"no user", ":p", ERR_USAGE, false},
	};

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		struct crawl_secrets secrets = {0};
		struct err err = {0};

		tap_case("auth: %s", ROWS[i].label);
		CHECK_INT(crawl_secrets_add_auth(&secrets, ROWS[i].auth, &err), ROWS[i].rc);
		CHECK_INT(secrets.auth.len, ROWS[i].rc == 0);
		CHECK_INT(crawl_secrets_has_host(ROWS[i].auth), ROWS[i].has_host);
		crawl_secrets_release(&secrets);
	}
}

/* The settings say which secrets there were, never what; resume needs all of them again. */
static void test_marks(void)
{
	static const char *const WANT[] = {
		"auth", "auth https://b.example:443", "header X-Key", "cookies"};
	struct crawl_secrets secrets = {.cookies = "/home/u/cookies.txt"}, none = {0};
	struct crawl_settings settings;
	struct err err = {0};
	struct arena arena;

	arena_init(&arena, 1 << 20);
	crawl_settings_init(&settings);
	CHECK(!crawl_secrets_are_in(&settings));
	CHECK_INT(crawl_secrets_add_auth(&secrets, "u:secret", &err), 0);
	CHECK_INT(crawl_secrets_add_auth(&secrets, "https://u:secret@b.example/x", &err), 0);
	CHECK_INT(crawl_secrets_add_header(&secrets, &settings, "X-Key: secret", &err), 0);
	CHECK_INT(crawl_secrets_mark(&secrets, &settings, &arena, &err), 0);
	CHECK_INT(settings.withheld.len, ARRAY_LEN(WANT));
	for (size_t i = 0; i < settings.withheld.len && i < ARRAY_LEN(WANT); i++)
		CHECK_STR(settings.withheld.ptr[i], WANT[i]);
	CHECK(crawl_secrets_are_in(&settings));
	CHECK_INT(crawl_secrets_check(&secrets, &settings, &arena, &err), 0);
	secrets.cookies = NULL;
	CHECK_INT(crawl_secrets_check(&secrets, &settings, &arena, &err), ERR_USAGE);
	err = (struct err){0};
	CHECK_INT(crawl_secrets_check(&none, &settings, &arena, &err), ERR_USAGE);
	crawl_secrets_release(&secrets);
	crawl_settings_release(&settings);
	arena_release(&arena);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_headers();
	test_auth();
	TAP_RUN(test_marks);
	return tap_done();
}
