/* The URLs that a crawl is given, and what follows from them. */
#include "crawl/seeds.h"

#include "tap.h"

struct fixture {
	struct crawl_settings common;
	struct crawl_secrets secrets;
	struct sites sites;
	struct arena arena;
	struct seeds seeds;
	struct err err;
};

static void set_up(struct fixture *f)
{
	*f = (struct fixture){.seeds = {&f->sites, &f->secrets}};
	crawl_settings_init(&f->common);
	arena_init(&f->arena, 1 << 20);
	sites_init(&f->sites, &f->common, &f->arena);
}

static void tear_down(struct fixture *f)
{
	sites_release(&f->sites);
	crawl_secrets_release(&f->secrets);
	crawl_settings_release(&f->common);
	arena_release(&f->arena);
}

static void test_refused(void)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{"example.org", "'example.org' is not a URL; did you mean https://example.org/ ?"},
		{"htp://a.org/", "'htp://a.org/' is not a URL; did you mean https://a.org/ ?"},
		{"ftp://a/", "'ftp://a/' is not an http or https URL; only these can be captured"},
		{"http://", "'http://' is not a URL: host is missing (example: "
			    "https://example.org/)"},
		{"http://me:secret@a.org:25/", "a.org:25: port 25 belongs to another service than "
					       "the web, and browsers refuse it"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct fixture f;

		tap_case("refused: %s", rows[i].text);
		set_up(&f);
		CHECK_INT(seeds_add(&f.seeds, rows[i].text, &f.err), ERR_USAGE);
		CHECK_STR(f.err.text, rows[i].want);
		tear_down(&f);
	}
}

static void test_login(void)
{
	struct fixture f;

	set_up(&f);
	CHECK_INT(seeds_add(&f.seeds, "https://me:secret@a.org/x#y", &f.err), 0);
	CHECK_STR(f.sites.list.ptr[0].seeds.ptr[0], "https://a.org/x");
	CHECK_STR(f.secrets.auth.ptr[0], "https://me:secret@a.org/x");
	CHECK_INT(seeds_add(&f.seeds, "https://b.org/", &f.err), 0);
	CHECK_INT(seeds_finish(&f.seeds, &f.common, &f.err), 0); /* its host is known */
	CHECK_INT((int64_t)f.sites.list.ptr[1].withheld.len, 1);
	tear_down(&f);
}

/* What is for the seeds' hosts must not go to several sites. */
static void test_secrets(void)
{
	struct fixture f;

	set_up(&f);
	CHECK_INT(seeds_add(&f.seeds, "https://a.org/", &f.err), 0);
	CHECK_INT(crawl_secrets_add_auth(&f.secrets, "me:secret", &f.err), 0);
	CHECK_INT(seeds_finish(&f.seeds, &f.common, &f.err), 0);
	CHECK_INT((int64_t)f.sites.list.ptr[0].withheld.len, 1);
	CHECK_INT(seeds_add(&f.seeds, "https://b.org/", &f.err), 0);
	CHECK_INT(seeds_finish(&f.seeds, &f.common, &f.err), ERR_USAGE);
	CHECK(!strstr(f.err.text, "secret"));
	tear_down(&f);
}

static void test_names(void)
{
	static const struct {
		const char *seed, *list, *want;
		bool loopback;
	} rows[] = {
		{"https://example.org/a/b", NULL, "example.org.stillpoint", false},
		{"https://example.org:8080/", NULL, "example.org-8080.stillpoint", false},
		{"http://[::1]:80/", NULL, "__1.stillpoint", true},
		{"http://localhost:81/", "-", "localhost-81.stillpoint", true},
		{"https://example.org/", "/home/me/news.txt", "news.stillpoint", false},
		{"https://example.org/", "list", "list.stillpoint", false},
		{"https://example.org/", "a.b/.hidden", ".hidden.stillpoint", false},
	};
	char name[64];

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct fixture f;

		tap_case("name: %s, list %s", rows[i].seed, rows[i].list ? rows[i].list : "none");
		set_up(&f);
		CHECK_INT(seeds_add(&f.seeds, rows[i].seed, &f.err), 0);
		CHECK_INT(seeds_archive_name(&f.seeds, rows[i].list, name, sizeof name, &f.err), 0);
		CHECK_STR(name, rows[i].want);
		CHECK(seeds_are_loopback(&f.seeds) == rows[i].loopback);
		tear_down(&f);
	}
}

/* WARC files of each site: valid prefixes, none twice. */
static void test_files(void)
{
	static const struct {
		const char *seed, *want;
	} rows[] = {
		{"https://example.org/", "lib-example.org"},
		{"https://example.org:8080/", "lib-example.org-8080"},
		{"http://[::1]:8080/", "lib-__1-8080"},
		{"https://a-very-long-name-of-a-host.example.org/",
			"lib-a-very-long-name-of-a-host.exa"},
		{"https://a-very-long-name-of-a-host.example.net/",
			"lib-a-very-long-name-of-a-host.exa-2"},
	};
	struct fixture f;

	set_up(&f);
	f.common.warc_prefix = "lib";
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		CHECK_INT(seeds_add(&f.seeds, rows[i].seed, &f.err), 0);
	CHECK_INT(seeds_name_files(&f.seeds, &f.err), 0);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const char *prefix = f.sites.list.ptr[i].warc_prefix;

		CHECK_STR(prefix, rows[i].want);
		CHECK(crawl_prefix_is_valid(slice_str(prefix)));
	}
	tear_down(&f);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_refused();
	TAP_RUN(test_login);
	TAP_RUN(test_secrets);
	test_names();
	TAP_RUN(test_files);
	return tap_done();
}
