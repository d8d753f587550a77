/* Moments of captures: what is written is read as it was, and older forms are read, too. */
#include "proof/moment.h"

#include "base/err.h"
#include "tap.h"

#define SETTINGS "seeds http://example.org/\nmax_pages 2\nsingle false\nempty\n"

static const struct catalog_capture CAPTURE = {
	.id = 7,
	.uuid = SLICE_INIT("urn:uuid:f95fb11a-6e0f-42af-99c0-82cdd514990f"),
	.site = SLICE_INIT("http://example.org/"),
	.strategy = SLICE_INIT("stillpoint-online"),
	.settings = SLICE_INIT(SETTINGS),
	.started = INT64_C(1700000000123456789),
	.ended_by = CATALOG_END_TIME,
	.addresses = 5,
};

static const struct catalog_clock CLOCK = {
	.moment = SLICE_INIT("start"),
	.wall = INT64_C(1700000000987654321),
	.capture_time = INT64_C(1700000000987654320),
	.monotonic = 42,
	.boot = SLICE_INIT("a-b"),
	.estimated_error = 1000,
	.maximum_error = 2000,
	.synchronised = true,
};

static void test_round(void)
{
	struct arena arena;
	struct buf block, settings;
	struct moment m = {0};
	bool cut = true;

	arena_init(&arena, 1 << 20);
	buf_init(&block, 1 << 20);
	buf_init(&settings, 1 << 20);
	CHECK_INT(moment_format(&block, &CAPTURE, &CLOCK), 0);
	CHECK_INT(moment_parse(buf_slice(&block), 0, &arena, &m), 0);
	CHECK_SLICE(m.clock.moment, CLOCK.moment);
	CHECK_SLICE(m.clock.boot, CLOCK.boot);
	CHECK_INT(m.clock.wall, CLOCK.wall);
	CHECK_INT(m.clock.capture_time, CLOCK.capture_time);
	CHECK_INT(m.clock.monotonic, CLOCK.monotonic);
	CHECK_INT(m.clock.estimated_error, CLOCK.estimated_error);
	CHECK_INT(m.clock.maximum_error, CLOCK.maximum_error);
	CHECK(m.clock.synchronised && m.is_exact);
	CHECK_SLICE(m.site, CAPTURE.site);
	CHECK_SLICE(m.strategy, CAPTURE.strategy);
	CHECK_INT(m.number, CAPTURE.id);
	CHECK_INT(m.started, CAPTURE.started);
	CHECK_INT(m.ended_by, CAPTURE.ended_by);
	CHECK_INT(m.addresses, CAPTURE.addresses);
	CHECK_INT(moment_settings(buf_slice(&block), &settings, &cut), 0);
	CHECK(!cut);
	CHECK_SLICE(buf_slice(&settings), SLICE(SETTINGS));
	buf_release(&settings);
	buf_release(&block);
	arena_release(&arena);
}

static const struct {
	const char *label, *block;
	int rc;
	uint32_t number;
	bool is_exact;
} ROWS[] = {
	{"of an earlier version", "moment: end\r\nmonotonic: 5\r\n", 0, 0, false},
	{"with a number",
		"moment: start\r\nmonotonic: 5\r\ncaptureNumber: 3\r\nwallClock: "
		"2026-01-01T00:00:00Z\r\ncaptureTime: 2026-01-01T00:00:00Z\r\n",
		0, 3, true},
	{"of something else", "learnedRules: 1\r\nrule: x\r\n", ERR_NOTFOUND, 0, false},
	{"nothing", "", ERR_NOTFOUND, 0, false},
	{"without a clock", "moment: start\r\n", ERR_SYNTAX, 0, false},
	{"a number that is none", "moment: start\r\nmonotonic: 5\r\ncaptureNumber: -1\r\n",
		ERR_SYNTAX, 0, false},
	{"a start that is no date", "moment: start\r\nmonotonic: 5\r\nstarted: soon\r\n",
		ERR_SYNTAX, 0, false},
};

static void test_rows(void)
{
	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		struct moment m = {0};
		struct arena arena;

		tap_case("moment: %s", ROWS[i].label);
		arena_init(&arena, 1 << 20);
		CHECK_INT(moment_parse(slice_str(ROWS[i].block), 17, &arena, &m), ROWS[i].rc);
		CHECK_INT(m.number, ROWS[i].number);
		CHECK_INT(m.is_exact, ROWS[i].is_exact);
		if (ROWS[i].rc == 0 && !ROWS[i].is_exact)
			CHECK_INT(m.clock.wall, 17);
		arena_release(&arena);
	}
}

/* Settings for which there was no room. */
static void test_cut(void)
{
	struct buf settings;
	bool cut = false;

	buf_init(&settings, 1 << 20);
	CHECK_INT(
		moment_settings(SLICE("stillpoint-before: x\r\nstillpoint-strategy-used: s\r\n"
				      "stillpoint-a-b: c: d\r\nstillpoint-settings-cut: true\r\n"),
			&settings, &cut),
		0);
	CHECK(cut);
	CHECK_SLICE(buf_slice(&settings), SLICE("a_b c: d\n"));
	buf_release(&settings);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_round);
	test_rows();
	TAP_RUN(test_cut);
	return tap_done();
}
