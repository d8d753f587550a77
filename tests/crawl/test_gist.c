/* The gist of a text: what a machine fills in makes no difference, what a person wrote does. */
#include "crawl/traps.h"
#include "tap.h"

static uint64_t sum_of(const char *text, const char *url, uint64_t *ret_weight)
{
	struct gist g = {0};
	uint64_t sum = 0;

	CHECK_INT(gist_add_text(&g, slice_str(text), slice_str(url)), 0);
	for (size_t i = 0; i < g.lines.len; i++)
		sum += g.lines.ptr[i].hash;
	*ret_weight = g.weight;
	gist_release(&g);
	return sum;
}

static void test_same(void)
{
	static const struct {
		const char *label, *a, *at_a, *b, *at_b;
		bool same;
	} rows[] = {
		{"digits", "Day 12 of 31", "", "Day 1 of 28", "", true},
		{"a clock", "It is 12:31:07", "", "It is 09:00", "", true},
		{"case and punctuation", "No, Sir!", "", "no sir", "", true},
		{"order of lines", "one thing\nand another", "", "and another\none thing", "",
			true},
		{"words of the URL", "Nothing about xyzzy.", "http://x.org/?q=xyzzy",
			"Nothing about plugh.", "http://x.org/?q=plugh", true},
		{"words of the URL, escaped", "Nothing about caf\xc3\xa9.",
			"http://x.org/?q=Caf%C3%A9", "Nothing about milk.", "http://x.org/milk",
			true},
		{"short words are not masked", "a cat", "http://x.org/a", "the cat",
			"http://x.org/the", false},
		{"other words", "Nothing about xyzzy.", "", "Nothing about plugh.", "", false},
		{"a line more", "one", "", "one\ntwo", "", false},
		{"words in another order", "a dog bites a man", "", "a man bites a dog", "", false},
		{"nothing to read", "12 - 31\n\n...", "", "", "", true},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		uint64_t wa, wb;
		uint64_t a = sum_of(rows[i].a, rows[i].at_a, &wa);
		uint64_t b = sum_of(rows[i].b, rows[i].at_b, &wb);

		tap_case("gist: %s", rows[i].label);
		CHECK_INT(a == b && wa == wb, rows[i].same);
	}
}

/* A document may be of any size; what is known of it is not. */
static void test_bounded(void)
{
	struct gist g = {0};

	for (uint64_t i = 0; i < 3 * GIST_LINES_MAX; i++)
		CHECK_INT(gist_add_hash(&g, i, 1), 0);
	CHECK_INT((int64_t)g.lines.len, GIST_LINES_MAX);
	CHECK_INT((int64_t)g.weight, 3 * GIST_LINES_MAX);
	gist_reset(&g);
	CHECK_INT((int64_t)(g.lines.len + g.weight), 0);
	gist_release(&g);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_same();
	TAP_RUN(test_bounded);
	return tap_done();
}
