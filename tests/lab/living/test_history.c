#include "living/history.h"

#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

#include "living/model.h"
#include "tap.h"

enum { SECOND = 1000000000 };

/* Not in the order of time, as committers' clocks have it. */
static const char SAMPLE[] = "100\tc1\tA\tindex.html\n"
			     "100\tc1\tA\tdocs/a.html\n"
			     "120\tc3\tA\tdocs/x/y.md\n"
			     "110\tc2\tM\tindex.html\n"
			     "110\tc2\tA\trobots.txt\n"
			     "130\tc4\tD\tdocs/a.html\n"
			     "140\tc5\tD\tdocs/x/y.md\n"
			     "150\tc6\tA\tdocs/a.html\n"
			     "150\tc7\tM\tdocs/a.html\n";

static struct living_model make(const char *text, double scale, int64_t from, int want)
{
	struct living_params p = {.time_scale = scale, .history_from = from};
	struct living_model m = {0};
	struct err err = {0};
	static char name[4096]; /* the model borrows it */
	gzFile f;

	(void)snprintf(name, sizeof name, "%s/history.tsv.gz", tap_tempdir());
	f = gzopen(name, "wb");
	if (CHECK(f != NULL)) {
		CHECK(gzputs(f, text) >= 0);
		CHECK_INT(gzclose(f), Z_OK);
	}
	p.history = name;
	if (!CHECK_INT(living_model_init(&m, &p, "h", &err), want))
		tap_note("%s", err.text);
	return m;
}

/* The version of a path at a recorded time. */
static uint32_t version(const struct living_model *m, const char *path, double seconds)
{
	struct change_source s;
	uint32_t resource = 0;

	if (!CHECK(living_find(m, SLICE("h"), slice_str(path), &resource)))
		return 99;
	s = living_source(m, resource);
	return change_at(&s, (int64_t)(seconds * SECOND)).version;
}

static void test_replay(void)
{
	static const struct {
		const char *path;
		uint32_t versions[6]; /* at the recorded times 100, 110, 120, …, 150 */
	} ROWS[] = {
		{"/index.html", {1, 2, 2, 2, 2, 2}},
		{"/docs/a.html", {1, 1, 1, 0, 0, 3}},
		{"/docs/x/y.md", {0, 0, 1, 1, 0, 0}},
		{"/docs/x/", {0, 0, 1, 1, 0, 0}},
		{"/docs/", {1, 1, 2, 3, 0, 5}},
		{"/", {2, 2, 2, 2, 3, 4}},
	};
	struct living_model m = make(SAMPLE, 10, 0, 0);
	uint32_t resource;

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++)
		for (int k = 0; k < 6; k++) {
			if (!CHECK_INT(version(&m, ROWS[i].path, k), ROWS[i].versions[k]))
				tap_note("%s at %d", ROWS[i].path, 100 + 10 * k);
			if (k > 0)
				CHECK_INT(version(&m, ROWS[i].path, k - 1e-6),
					ROWS[i].versions[k - 1]);
		}
	CHECK_INT(m.count, ARRAY_LEN(ROWS));
	CHECK(!living_find(&m, SLICE("h"), SLICE("/robots.txt"), &resource));
	CHECK_NEAR(m.rates[0], 0.4, 1e-12); /* "/": 2 changes in 5 s */
	living_model_release(&m);
}

static void test_start_in_the_middle(void)
{
	struct living_model m = make(SAMPLE, 1, 125, 0);

	CHECK_INT(version(&m, "/docs/x/y.md", 0), 1);
	CHECK_INT(version(&m, "/docs/a.html", 4.9), 1);
	CHECK_INT(version(&m, "/docs/a.html", 5), LIVING_GONE);
	living_model_release(&m);
}

static void test_links(void)
{
	struct living_model m = make(SAMPLE, 1, 0, 0);
	struct u32_vec links = {0};
	uint32_t docs = 0;

	CHECK(living_find(&m, SLICE("h"), SLICE("/docs/"), &docs));
	CHECK(m.layout.listing[docs] && m.layout.listing[0]);
	CHECK_INT(layout_links(&m.layout, docs, &links), 0);
	CHECK_INT(links.len, 3); /* "/", a.html, x/ */
	CHECK_INT(links.ptr[0], 0);
	u32_vec_release(&links);
	living_model_release(&m);
}

static void test_refused(void)
{
	static const char *const TEXTS[] = {"", "100\tc\tA\ta\nnonsense\n", "100\tc\tQ\ta\n"};

	for (size_t i = 0; i < ARRAY_LEN(TEXTS); i++) {
		struct living_model m = make(TEXTS[i], 1, 0, ERR_SYNTAX);

		living_model_release(&m);
	}
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_replay);
	TAP_RUN(test_start_in_the_middle);
	TAP_RUN(test_links);
	TAP_RUN(test_refused);
	return tap_done();
}
