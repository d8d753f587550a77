#include "living/timeline.h"

#include <stdlib.h>

#include "tap.h"

enum { PAGES = 50 };

#define START_NS (INT64_C(1800000000) * CLOCK_NS_PER_SECOND + 123456789)

/* A site with a clock that we move. */
struct fixture {
	struct living_model model;
	struct clock_manual clock;
	struct timeline timeline;
	char truth[4096];
};

static void setup(struct fixture *f, double reverts)
{
	static const struct living_rates RATES = {
		.kind = LIVING_ZIPF, .a = 1, .mean = 0.5, .scaled = true};
	struct living_params p = {.seed = 6,
		.pages = PAGES,
		.outdegree = 5,
		.rates = RATES,
		.reverts = reverts,
		.errors = {0.1, 1 << LIVING_NOT_FOUND}};
	struct err err = {0};

	(void)snprintf(f->truth, sizeof f->truth, "%s/truth", tap_tempdir());
	clock_manual_init(&f->clock, START_NS);
	CHECK_INT(living_model_init(&f->model, &p, "h", &err), 0);
	CHECK_INT(timeline_init(&f->timeline, &f->model, &f->clock.clock, f->truth, &err), 0);
}

static void teardown(struct fixture *f)
{
	living_model_release(&f->model);
}

static struct sighting look(struct fixture *f, uint32_t resource)
{
	struct sighting s = {0};

	CHECK_INT(timeline_look(&f->timeline, &resource, 1, false, &s), 0);
	return s;
}

struct line {
	int64_t ms;
	char path[100];
	char version[20];
};

static bool read_line(const char *text, struct line *ret)
{
	struct line l = {0};
	char *rest;

	l.ms = strtoll(text, &rest, 10);
	if (sscanf(rest, "\th\t%99s\t%19s", l.path, l.version) != 2)
		return false;
	*ret = l;
	return true;
}

/* Reads the log; the number of lines. */
static int read_truth(const char *name, struct line *lines, int max)
{
	FILE *f = fopen(name, "re");
	char text[256];
	int n = 0;

	while (f && n < max && fgets(text, sizeof text, f) && CHECK(read_line(text, &lines[n])))
		n++;
	if (f)
		(void)fclose(f);
	return n;
}

static void test_start(void)
{
	struct line lines[PAGES + 1] = {0};
	struct err err = {0};
	struct fixture f = {0};
	int gone = 0;

	setup(&f, 0);
	CHECK_INT(read_truth(f.truth, lines, PAGES + 1), PAGES);
	for (int i = 0; i < PAGES; i++) {
		CHECK_INT(lines[i].ms, START_NS / 1000000);
		if (f.model.behaviours[i] == LIVING_NOT_FOUND) {
			CHECK_STR(lines[i].version, "gone");
			gone++;
		} else {
			CHECK_STR(lines[i].version, "1");
		}
	}
	CHECK(gone > 0);
	CHECK_INT(timeline_release(&f.timeline, &err), 0);
	teardown(&f);
}

/* What is seen at any instant is what the model says, and the log has it at once. */
static void test_looks_and_log_agree_with_the_model(void)
{
	static struct line lines[20000];
	struct err err = {0};
	struct fixture f = {0};
	int count, changes = 0;

	setup(&f, 0.4);
	for (int step = 0; step < 300; step++) {
		uint32_t page = (uint32_t)step % PAGES;
		struct change_source source = living_source(&f.model, page);
		struct change_cursor want;
		struct sighting seen;

		clock_manual_advance(&f.clock, 0.037);
		seen = look(&f, page);
		want = change_at(&source, f.clock.realtime_ns - START_NS);
		CHECK_INT(seen.version, want.version);
		CHECK_INT(seen.changed_ns, START_NS + want.at_ns);
		CHECK_INT(seen.at_ns, f.clock.realtime_ns);
	}
	for (uint32_t page = 0; page < PAGES; page++) {
		struct change_source source = living_source(&f.model, page);

		changes += (int)change_at(&source, f.clock.realtime_ns - START_NS).count;
	}
	count = read_truth(f.truth, lines, ARRAY_LEN(lines)); /* before it is closed */
	CHECK_INT(count, PAGES + changes);
	CHECK(changes > 100);
	for (int i = 1; i < count; i++)
		CHECK(lines[i].ms >= lines[i - 1].ms);
	CHECK_INT(timeline_release(&f.timeline, &err), 0);
	teardown(&f);
}

static void test_release_logs_what_is_due(void)
{
	static struct line lines[20000];
	struct err err = {0};
	struct fixture f = {0};
	int before;

	setup(&f, 0);
	before = read_truth(f.truth, lines, ARRAY_LEN(lines));
	clock_manual_advance(&f.clock, 20);
	CHECK_INT(read_truth(f.truth, lines, ARRAY_LEN(lines)), before);
	CHECK_INT(timeline_release(&f.timeline, &err), 0);
	CHECK(read_truth(f.truth, lines, ARRAY_LEN(lines)) > before + 100);
	teardown(&f);
}

static void test_time_never_goes_back(void)
{
	struct err err = {0};
	struct sighting late, early;
	struct fixture f = {0};

	setup(&f, 0);
	clock_manual_advance(&f.clock, 100);
	late = look(&f, 3);
	f.clock.realtime_ns -= 50 * CLOCK_NS_PER_SECOND;
	early = look(&f, 3);
	CHECK_INT(early.at_ns, late.at_ns);
	CHECK_INT(early.version, late.version);
	CHECK_INT(timeline_release(&f.timeline, &err), 0);
	teardown(&f);
}

static void test_requests_are_counted(void)
{
	struct err err = {0};
	uint32_t page = 4;
	struct fixture f = {0};

	setup(&f, 0);
	for (uint32_t i = 0; i < 300; i++) {
		struct sighting s;

		CHECK_INT(timeline_look(&f.timeline, &page, 1, true, &s), 0);
		CHECK_INT(s.asked, i < 255 ? i : 255);
	}
	CHECK_INT(look(&f, 5).asked, 0);
	CHECK_INT(timeline_release(&f.timeline, &err), 0);
	teardown(&f);
}

/* Invariant (4): /dev/full takes nothing. */
static void test_full_disk(void)
{
	struct living_params p = {.pages = 3, .outdegree = 1};
	struct living_model m = {0};
	struct clock_manual clock;
	struct err err = {0};
	struct timeline t;

	clock_manual_init(&clock, START_NS);
	CHECK_INT(living_model_init(&m, &p, "h", &err), 0);
	CHECK_INT(timeline_init(&t, &m, &clock.clock, "/dev/full", &err), ERR_IO);
	CHECK_INT(timeline_init(&t, &m, &clock.clock, "/nonexistent/truth", &err), ERR_IO);
	living_model_release(&m);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_start);
	TAP_RUN(test_looks_and_log_agree_with_the_model);
	TAP_RUN(test_release_logs_what_is_due);
	TAP_RUN(test_time_never_goes_back);
	TAP_RUN(test_requests_are_counted);
	TAP_RUN(test_full_disk);
	return tap_done();
}
