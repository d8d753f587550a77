/* What is read of an archive for change rates: all of the owners' sites, a sample of the others. */
#include "archive/rates_observed.h"

#include <stdio.h>

#include "base/hash.h"
#include "tap.h"

static void add_capture(struct catalog *c, const char *site, uint32_t pages)
{
	struct catalog_capture row = {.uuid = SLICE("urn:uuid:1"),
		.site = slice_str(site),
		.strategy = SLICE("bfs"),
		.settings = SLICE(""),
		.state = CATALOG_FINISHED,
		.started = 1,
		.addresses = CATALOG_NO_ADDRESSES};
	uint32_t id;

	CHECK_INT(catalog_add_capture(c, &row, &id, NULL), 0);
	for (uint32_t n = 0; n < pages; n++) {
		char url[120];
		struct catalog_page page = {.number = n,
			.kind = SLICE("page"),
			.via = CATALOG_NO_PAGE,
			.taken = true,
			.rule = SLICE("rule")};
		struct attempt a = {.page = n,
			.leg = ATTEMPT_VISIT,
			.number = 1,
			.status = 200,
			.wall = {5, 6, 7},
			.has_payload = true};

		(void)snprintf(url, sizeof url, "%s%u", site, n);
		page.url = slice_str(url);
		a.payload.bytes[0] = 1;
		CHECK_INT(catalog_put(c, CATALOG_ROW_ADD_PAGE, id, &page, NULL), 0);
		CHECK_INT(catalog_add_observation(c, id, &a, NULL), 0);
	}
}

/* Pages with a look, of those whose URLs begin so. */
static size_t count(const struct rates_observed *o, slice prefix)
{
	size_t pages = 0;

	for (size_t i = 0; i < o->table.pages.len; i++)
		pages += o->table.pages.ptr[i].len > 0 &&
			 slice_starts_with(o->table.pages.ptr[i].url, prefix);
	return pages;
}

static void test_sample(void)
{
	static const struct {
		const char *label, *owner; /* NULL: no owners, all is read */
		uint32_t own, other;       /* pages of both sites, the second one captured twice */
		size_t want_own, want_other;
	} rows[] = {
		{"no owners", NULL, 900, 900, 900, 900},
		{"all of the owner", "example.org", 900, 900, 900, RATES_SAMPLE / 2},
		{"few others", "example.org", 900, 10, 900, 10},
		{"only others", "nobody.example", 900, 30, RATES_SAMPLE / 3, 30},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char path[200];
		struct catalog *c = NULL;
		struct rates_observed o;
		struct strmap owners;

		tap_case("rates observed: %s", rows[i].label);
		(void)snprintf(path, sizeof path, "%s/catalog.sqlite", tap_tempdir());
		CHECK_INT(catalog_open(path, CATALOG_CREATE, &c, NULL), 0);
		add_capture(c, "http://www.example.org/", rows[i].own);
		add_capture(c, "http://127.0.0.1:8080/", rows[i].other);
		add_capture(c, "http://127.0.0.1:8080/", rows[i].other);
		strmap_init(&owners, (struct hash_key){0}, NULL);
		if (rows[i].owner)
			CHECK_INT(strmap_put(&owners, slice_str(rows[i].owner), 0), 0);
		rates_observed_init(&o, RATES_CHANGE_PAYLOAD);
		o.owners = rows[i].owner ? &owners : NULL;
		CHECK_INT(rates_observed_catalog(&o, c, NULL), 0);
		CHECK_INT((int64_t)count(&o, SLICE("http://www.example.org/")),
			(int64_t)rows[i].want_own);
		CHECK_INT((int64_t)count(&o, SLICE("http://127.0.0.1:8080/")),
			(int64_t)rows[i].want_other);
		rates_observed_release(&o);
		strmap_release(&owners);
		catalog_close(c);
	}
}

/* A page from each of some captures, spread over all of them. */
static void test_many(void)
{
	char path[200], site[40];
	struct catalog *c = NULL;
	struct rates_observed o;
	struct strmap owners;

	(void)snprintf(path, sizeof path, "%s/catalog.sqlite", tap_tempdir());
	CHECK_INT(catalog_open(path, CATALOG_CREATE, &c, NULL), 0);
	for (unsigned i = 0; i < 3 * RATES_SAMPLE; i++) {
		(void)snprintf(site, sizeof site, "http://h%u.example/", i);
		add_capture(c, site, 2);
	}
	strmap_init(&owners, (struct hash_key){0}, NULL);
	rates_observed_init(&o, RATES_CHANGE_PAYLOAD);
	o.owners = &owners;
	CHECK_INT(rates_observed_catalog(&o, c, NULL), 0);
	CHECK_INT((int64_t)count(&o, SLICE("http://h")), RATES_SAMPLE);
	CHECK_INT((int64_t)count(&o, SLICE("http://h0.")), 1);
	rates_observed_release(&o);
	strmap_release(&owners);
	catalog_close(c);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_sample();
	TAP_RUN(test_many);
	return tap_done();
}
