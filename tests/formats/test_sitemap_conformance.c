/* Sitemaps and feeds of crawler-commons' tests, from the shared conformance data. */
#include "formats/sitemap.h"

#include <math.h>
#include <stdlib.h>

#include "conformance.h"
#include "tap.h"

static bool same_priority(double got, const json_t *want)
{
	if (json_is_null(want))
		return isnan(got);
	return json_is_number(want) && got == json_number_value(want);
}

/* A list gives the values that are accepted. */
static void check_priority(double got, const json_t *want)
{
	bool ok = same_priority(got, want);

	for (size_t i = 0; i < json_array_size(want); i++)
		ok = ok || same_priority(got, json_array_get(want, i));
	CHECK(ok);
}

static void check_lastmod(const struct sitemap_entry *e, const json_t *want)
{
	struct w3cdate date;

	CHECK_INT(e->has_lastmod, !json_is_null(want));
	if (e->has_lastmod &&
		CHECK_INT(w3cdate_parse(slice_str(json_string_value(want)), &date), 0))
		CHECK_INT(e->lastmod.ns, date.ns);
}

static void check_entry(const struct sitemap_entry *e, const json_t *want)
{
	const json_t *sitemap = json_object_get(want, "sitemap");
	const json_t *loc = sitemap ? sitemap : json_object_get(want, "loc");
	const json_t *field = json_object_get(want, "changefreq");

	CHECK_SLICE(e->loc, slice_str(json_string_value(loc)));
	CHECK_INT(e->is_sitemap, sitemap != NULL);
	if (field)
		CHECK_STR(sitemap_frequency_name(e->changefreq), json_string_value(field));
	field = json_object_get(want, "lastmod");
	if (field)
		check_lastmod(e, field);
	field = json_object_get(want, "priority");
	if (field)
		check_priority(e->priority, field);
}

static void check_case(const json_t *one)
{
	const char *base = json_string_value(json_object_get(one, "base"));
	const json_t *entries = json_object_get(one, "entries");
	struct sitemap_reader *r;
	struct sitemap_entry entry;
	char *owned;
	slice content = conformance_bytes(one, "content", &owned);
	size_t n = 0;
	int rc;

	tap_case("%s", json_string_value(json_object_get(one, "id")));
	if (CHECK_INT(sitemap_open_slice(&r, content, slice_str(base), NULL), 0)) {
		while ((rc = sitemap_next(r, &entry, NULL)) == 0)
			check_entry(&entry, json_array_get(entries, n++));
		if (n == 0 && json_array_size(entries) > 0)
			CHECK(json_is_true(json_object_get(one, "accept_empty")) ||
				json_is_true(json_object_get(one, "accept_failure")));
		else
			CHECK_INT((int64_t)n, (int64_t)json_array_size(entries));
		CHECK(rc == ERR_END || json_is_true(json_object_get(one, "accept_failure")));
		sitemap_close(r);
	}
	free(owned);
}

int main(int argc, char **argv)
{
	const json_t *one;
	json_t *root;
	size_t i;

	tap_init(argc, argv);
	tap_case("the data can be read");
	root = conformance_load("sitemaps/crawler-commons.json");
	json_array_foreach(json_object_get(root, "cases"), i, one)
	{
		check_case(one);
	}
	json_decref(root);
	return tap_done();
}
