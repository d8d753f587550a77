/* Several sites in one process, asked over the network and directly. */
#include "living/site.h"

#include <stdlib.h>
#include <string.h>

#include "net/client.h"
#include "tap.h"

enum { SITES = 3, PAGES = 20, ROUNDS = 15 };

static const struct living_rates FAST = {
	.kind = LIVING_CONSTANT,
	.a = 500,
};

static struct living_site *start(void)
{
	struct living_site_params p = {
		.model = {.seed = 3, .pages = PAGES, .outdegree = 4, .rates = FAST},
		.address = "127.0.0.1",
		.threads = 2,
		.clock = clock_system(),
	};
	struct living_site *site = NULL;
	struct err err = {0};

	if (!CHECK_INT(living_site_start(&p, &site, &err), 0))
		tap_note("%s", err.text);
	return site;
}

/* The version that a page shows. */
static uint32_t fetch(const struct living_site *site, const char *path)
{
	static const char MARK[] = "id=\"version\">";
	struct buf response;
	const char *at;
	uint32_t version = 0;

	buf_init(&response, CLIENT_RESPONSE_MAX);
	CHECK_INT(client_get(living_site_port(site), path, &response), 0);
	at = strstr(buf_str(&response), MARK);
	if (CHECK(at != NULL))
		version = (uint32_t)strtoul(at + sizeof MARK - 1, NULL, 10);
	buf_release(&response);
	return version;
}

/* A version that was shown was true at some time between request and response. */
static void check_page(const struct living_site *site, const char *path)
{
	slice host = SLICE("127.0.0.1"), p = slice_str(path);
	int64_t before = clock_realtime(clock_system());
	uint32_t shown = fetch(site, path);
	int64_t after = clock_realtime(clock_system());
	uint32_t least = living_version_at(site, host, p, before);
	uint32_t most = living_version_at(site, host, p, after);

	CHECK(shown >= least && shown <= most);
	CHECK_INT(living_changed_between(site, host, p, before, after), least != most);
}

static void test_shown_is_true(void)
{
	struct living_site *sites[SITES];
	struct err err = {0};

	for (int i = 0; i < SITES; i++)
		sites[i] = start();
	for (int round = 0; round < ROUNDS; round++)
		for (int i = 0; i < SITES; i++) {
			check_page(sites[i], "/");
			check_page(sites[i], "/s2/1");
		}
	for (int i = 0; i < SITES; i++)
		CHECK_INT(living_site_stop(sites[i], &err), 0);
}

static void test_same_seed_same_changes(void)
{
	struct living_site *a = start(), *b = start();
	struct err err = {0};
	slice host = SLICE("127.0.0.1"), path = SLICE("/s1/");

	CHECK(living_site_port(a) != living_site_port(b));
	for (int64_t t = 0; t < 100; t++)
		CHECK_INT(living_version_at(a, host, path,
				  living_site_started(a) + t * CLOCK_NS_PER_SECOND / 50),
			living_version_at(b, host, path,
				living_site_started(b) + t * CLOCK_NS_PER_SECOND / 50));
	CHECK_INT(living_version_at(a, host, SLICE("/nowhere"), 0), LIVING_GONE);
	CHECK(!living_changed_between(a, host, SLICE("/nowhere"), 0, INT64_MAX / 2));
	CHECK_INT(living_site_stop(a, &err), 0);
	CHECK_INT(living_site_stop(b, &err), 0);
}

static void test_port_in_use(void)
{
	struct living_site *a = start(), *b = NULL;
	struct living_site_params p = {
		.model = {.pages = 1},
		.address = "127.0.0.1",
		.port = living_site_port(a),
		.clock = clock_system(),
	};
	struct err err = {0};

	CHECK_INT(living_site_start(&p, &b, &err), ERR_IO);
	CHECK(b == NULL && strstr(err.text, "in use"));
	CHECK_INT(living_site_stop(a, &err), 0);
	CHECK_INT(living_site_stop(NULL, &err), 0);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_shown_is_true);
	TAP_RUN(test_same_seed_same_changes);
	TAP_RUN(test_port_in_use);
	return tap_done();
}
