#include "crawl/lane.h"

#include <string.h>

#include "tap.h"

/* The value of a field, or "" if there is none. */
static slice value_of(const struct warcinfo *w, const char *name)
{
	for (size_t i = 0; i < w->info.len; i++)
		if (slice_eq(w->info.ptr[i].name, slice_str(name)))
			return w->info.ptr[i].value;
	return SLICE("");
}

static void test_fields(void)
{
	static const struct catalog_capture ONLY = {.uuid = SLICE_INIT("urn:uuid:1"),
		.site = SLICE_INIT("http://a.example/"),
		.strategy = SLICE_INIT("stillpoint")};
	static const struct {
		const char *label;
		const struct catalog_capture *only;
		bool ignore_robots;
		const char *name, *want;
	} ROWS[] = {
		{"the capture, if there is one", &ONLY, false, "isPartOf", "urn:uuid:1"},
		{"its site", &ONLY, false, "description", "http://a.example/"},
		{"its seeds", &ONLY, false, "stillpoint-seeds", "http://a.example/"},
		{"not of several captures", NULL, false, "isPartOf", ""},
		{"nor their seeds", NULL, false, "stillpoint-seeds", ""},
		{"robots.txt is obeyed", NULL, false, "robots", "obey"},
		{"robots.txt is ignored", NULL, true, "robots", "ignore"},
		{"contact", NULL, false, "operator", "https://a.example/bot"},
		{"user agent", NULL, false, "http-header-user-agent", "agent/1"},
		{"settings, with hyphens", &ONLY, false, "stillpoint-max-pages", "7"},
		{"of several captures what they have in common", NULL, false,
			"stillpoint-time-limit", ""},
		{"which lanes need", NULL, false, "stillpoint-robots-age", "60"},
		{"defaults are left out", NULL, false, "stillpoint-max-depth", ""},
	};

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		struct crawl_settings settings;
		struct warcinfo w;

		tap_case("fields: %s", ROWS[i].label);
		crawl_settings_init(&settings);
		settings.contact = "https://a.example/bot";
		settings.ignore_robots = ROWS[i].ignore_robots;
		settings.max_pages = 7;
		settings.time_limit = 0.5;
		settings.robots_age = 60;
		CHECK_INT(text_list_push(&settings.seeds, "http://a.example/"), 0);
		CHECK_INT(warcinfo_init(&w, &(struct warcinfo_params){.settings = &settings,
						    .only = ROWS[i].only,
						    .user_agent = "agent/1"}),
			0);
		CHECK_SLICE(value_of(&w, ROWS[i].name), slice_str(ROWS[i].want));
		warcinfo_release(&w);
		crawl_settings_release(&settings);
	}
}

/* Fields of requests that are not archived, unless the user wants that. */
static void test_secrets(void)
{
	struct crawl_secrets secrets = {0};
	struct crawl_settings settings;
	struct warcinfo w;

	crawl_settings_init(&settings);
	CHECK_INT(text_list_push(&secrets.headers, "X-Key: 1"), 0);
	for (int keep = 0; keep < 2; keep++) {
		settings.keep_secrets = keep;
		CHECK_INT(warcinfo_init(&w, &(struct warcinfo_params){.settings = &settings,
						    .user_agent = "agent/1",
						    .secrets = &secrets}),
			0);
		CHECK_INT(w.secret.len, keep ? 0 : 4);
		if (!keep && w.secret.len == 4)
			CHECK_SLICE(w.secret.ptr[3], SLICE("X-Key"));
		warcinfo_release(&w);
	}
	crawl_secrets_release(&secrets);
	crawl_settings_release(&settings);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_fields();
	TAP_RUN(test_secrets);
	return tap_done();
}
