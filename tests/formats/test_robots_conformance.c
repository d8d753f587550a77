/* Cases of Google's robotstxt-spec-test and of crawler-commons, from the shared conformance data.
 */
#include "formats/robots.h"

#include <stdlib.h>

#include "conformance.h"
#include "tap.h"

/*
 * Expectations that we do not share; docs/robots.md gives the reasons. The test fails when one of
 * these comes to hold, so that the list stays true.
 */
static const struct {
	const char *id, *agent, *url;
} DISAGREEMENTS[] = {
	{"correctness/non-ascii-paths#2", "FooBot", "http://foo.bar/foo/bar/\xe3\x83\x84"},
	{"correctness/non-ascii-paths#3", "FooBot", "http://foo.bar/foo/bar/\xe3\x83\x84"},
	{"correctness/non-ascii-paths#4", "FooBot", "http://foo.bar/foo/bar/baz"},
	{"stress/327748#1", "asdfbot", "http://m.example.com/robots.txt"},
	{"stress/369883#1", "BarBot", "http://example.com/robots.txt"},
	{"stress/369883#1", "AB", "http://example.com/robots.txt"},
	{"stress/860237#1", "XYZ", "http://example.com/robots.txt"},
	{"testBigCrawlDelay#1", "bixo", "http://www.domain.com/"},
};

static bool disagrees(const char *id, const char *agent, const char *url)
{
	for (size_t i = 0; i < ARRAY_LEN(DISAGREEMENTS); i++)
		if (strcmp(DISAGREEMENTS[i].id, id) == 0 &&
			strcmp(DISAGREEMENTS[i].agent, agent) == 0 &&
			strcmp(DISAGREEMENTS[i].url, url) == 0)
			return true;
	return false;
}

static void check(const char *id, slice text, const json_t *check)
{
	const char *agent = json_string_value(json_object_get(check, "agent"));
	const char *url = json_string_value(json_object_get(check, "url"));
	const json_t *allowed = json_object_get(check, "allowed");
	const json_t *delay = json_object_get(check, "crawl_delay");
	struct robots_decision d = {0};
	struct robots r;

	tap_case("%s: %s %s", id, agent, url);
	if (!CHECK_INT(robots_parse(&r, text, slice_str(agent), NULL), 0))
		return;
	CHECK_INT(robots_decide(&r, robots_url_path(slice_str(url)), &d), 0);
	if (allowed)
		CHECK_INT(d.allowed == json_is_true(allowed), !disagrees(id, agent, url));
	if (delay)
		CHECK_NEAR(r.crawl_delay, json_is_null(delay) ? -1 : json_number_value(delay), 0);
	robots_release(&r);
}

static void test_file(const char *path)
{
	const json_t *one;
	json_t *root;
	size_t i;

	tap_case("%s", path);
	root = conformance_load(path);
	json_array_foreach(json_object_get(root, "cases"), i, one)
	{
		const char *id = json_string_value(json_object_get(one, "id"));
		const json_t *checks = json_object_get(one, "checks");
		char *owned;
		slice text = conformance_bytes(one, "robots", &owned);

		for (size_t k = 0; k < json_array_size(checks); k++)
			check(id, text, json_array_get(checks, k));
		free(owned);
	}
	json_decref(root);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_file("robots/google-spec-test.json");
	test_file("robots/crawler-commons.json");
	return tap_done();
}
