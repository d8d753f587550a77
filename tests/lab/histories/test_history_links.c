/* Finding the pages of a recorded history by links. */
#include "histories/history_links.h"

#include "histories/draw.h"
#include "histories/schedule.h"
#include "history_fixture.h"

/* c.html is gone on day 5; deep.html comes on day 6. */
static struct history make_history(void)
{
	struct buf text;
	struct history h;

	buf_init(&text, 4096);
	fixture_line(&text, 0, "c0", 'A', "old.html");
	fixture_line(&text, 0, "c0", 'A', "index.html");
	fixture_line(&text, 0, "c0", 'A', "b.html");
	fixture_line(&text, 0, "c0", 'A', "c.html");
	fixture_line(&text, 0, "c0", 'A', "d.html");
	fixture_line(&text, 5, "c1", 'D', "c.html");
	fixture_line(&text, 6, "c2", 'A', "deep.html");
	fixture_line(&text, 100, "c3", 'M', "b.html");
	h = fixture_history(buf_slice(&text));
	buf_release(&text);
	return h;
}

static const slice LINKS = SLICE_INIT("index.html\tb.html\n"
				      "b.html\tdeep.html\n"
				      "index.html\tc.html\n"
				      "c.html\td.html\n"
				      "index.html\tpicture.png\n"
				      "b.html\tindex.html\n");

static void spell(const struct draw *d, const uint32_t *pages, size_t count, struct buf *out)
{
	for (size_t i = 0; i < count; i++)
		CHECK_INT(buf_printf(out, "%.*s ", (int)draw_path(d, pages[i]).len - 5,
				  draw_path(d, pages[i]).ptr),
			0);
}

/* At each moment links are those between pages that are there. */
static void test_seeds(void)
{
	static const struct {
		double start;
		const char *want; /* the root, then what it does not lead to */
	} ROWS[] = {{1, "index old "}, {7, "index old d "}};
	struct history h = make_history();
	struct history_links links = {0};
	struct err err = {0};

	CHECK_INT(history_links_load(fixture_file(LINKS), &h, &links, &err), 0);
	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		struct draw_params params = {.start = ROWS[i].start, .days = 2, .links = &links};
		struct draw d;
		struct buf text;

		tap_case("seeds on day %g", ROWS[i].start);
		buf_init(&text, 4096);
		if (CHECK_INT(draw_make(&h, &params, &d), 0)) {
			spell(&d, d.seeds.ptr, d.seeds.len, &text);
			CHECK_STR(buf_str(&text), ROWS[i].want);
			draw_release(&d);
		}
		buf_release(&text);
	}
	history_links_release(&links);
	history_release(&h);
}

/* When a page is first looked at, in slots. */
static int64_t slot_of(const struct draw *d, const struct past_capture *c, const char *path)
{
	for (uint32_t i = 0; i < d->site.n; i++)
		if (slice_eq(draw_path(d, i), slice_str(path)))
			return (int64_t)((c->looks[i].at[0] - d->params.start) / draw_delay(d) +
					 0.5);
	return -1;
}

/* A page is visited only after one that links to it, unless the strategy knows all of them. */
static void test_discovery(void)
{
	struct history h = make_history();
	struct history_links links = {0};
	struct past_capture c;
	struct draw d;
	struct err err = {0};

	CHECK_INT(history_links_load(fixture_file(LINKS), &h, &links, &err), 0);
	CHECK_INT(draw_make(&h, &(struct draw_params){.start = 7, .days = 2, .links = &links}, &d),
		0);
	CHECK_INT(schedule_plain(&(struct schedule_params){.draw = &d,
					 .strategy = plan_strategy_find("bfs-lifo", false)},
			  &c, &err),
		0);
	CHECK_INT(slot_of(&d, &c, "index.html"), 0);
	CHECK_INT(slot_of(&d, &c, "old.html"), 1);
	CHECK_INT(slot_of(&d, &c, "d.html"), 2);
	CHECK_INT(slot_of(&d, &c, "b.html"), 3);
	CHECK_INT(slot_of(&d, &c, "deep.html"), 4);
	CHECK_INT((int64_t)c.requests, 10);
	past_capture_release(&c);
	draw_release(&d);
	history_links_release(&links);
	history_release(&h);
}

static void test_refused(void)
{
	static const struct {
		const char *label;
		slice content;
		const char *want;
	} ROWS[] = {
		{"a broken line", SLICE_INIT("index.html\tb.html\nb.html\n"),
			"history.tsv:2: a line is two paths separated by a tab"},
		{"none of the history", SLICE_INIT("x.html\tb.html\n"),
			"history.tsv: no link is between pages of the history"},
		{"empty", SLICE_INIT(""), "history.tsv: no link is between pages of the history"},
	};
	struct history h = make_history();

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		struct history_links links = {0};
		struct err err = {0};

		tap_case("refused: %s", ROWS[i].label);
		CHECK(history_links_load(fixture_file(ROWS[i].content), &h, &links, &err) != 0);
		CHECK(strstr(err.text, ROWS[i].want) != NULL);
		CHECK(links.to == NULL);
	}
	history_release(&h);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_seeds();
	TAP_RUN(test_discovery);
	test_refused();
	return tap_done();
}
