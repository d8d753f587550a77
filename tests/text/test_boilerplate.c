/* Which lines are boilerplate, and where nothing is. */
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "tap.h"
#include "text/page_clusters.h"

#define MENU "Home | Products | About us | Contact and imprint\n"

static const struct hash_key KEY = {1, 2};

static void learn(struct boilerplate *b, slice place, const char *text)
{
	struct boilerplate_page page = {0};

	boilerplate_page_read(&page, slice_str(text));
	boilerplate_learn(b, place, &page);
	boilerplate_page_release(&page);
}

/* Pages with a menu and so many words of their own. */
static void learn_pages(struct boilerplate *b, slice place, size_t pages, size_t words)
{
	for (size_t i = 0; i < pages; i++) {
		struct buf text;

		buf_init(&text, 1 << 16);
		CHECK_INT(buf_add_str(&text, MENU), 0);
		for (size_t k = 0; k < words; k++)
			CHECK_INT(buf_printf(&text, "word%zu-%zu ", i, k), 0);
		CHECK_INT(buf_add_str(&text, "\n"), 0);
		learn(b, place, text.ptr);
		buf_release(&text);
	}
}

static bool is_boilerplate(const struct boilerplate *b, slice place, const char *line)
{
	const struct boilerplate_place *p = boilerplate_at(b, place);
	uint32_t words;

	return p && boilerplate_has(p, boilerplate_hash(slice_str(line), &words));
}

static void test_places(void)
{
	static const struct {
		const char *label;
		size_t pages, words;
		bool menu;
	} rows[] = {
		{"a menu around articles", 20, 60, true},
		{"more pages than decide", 100, 60, true},
		{"too few pages", 7, 60, false},
		{"versions of one page: hardly anything would be left", 20, 3, false},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		slice place = SLICE("http://example.org/a/");
		struct boilerplate b;

		tap_case("places: %s", rows[i].label);
		boilerplate_init(&b, KEY);
		learn_pages(&b, place, rows[i].pages, rows[i].words);
		boilerplate_settle(&b);
		CHECK_INT(is_boilerplate(&b, place, MENU), rows[i].menu);
		CHECK(!is_boilerplate(&b, place, "word1-0 word1-1"));
		CHECK(!is_boilerplate(&b, SLICE("http://example.org/b/"), MENU));
		boilerplate_release(&b);
	}
}

/* A text that comes a thousand times is one text: it does not decide what most pages have. */
static void test_repeated(void)
{
	slice place = SLICE("http://example.org/");
	struct boilerplate b;

	boilerplate_init(&b, KEY);
	for (size_t i = 0; i < 1000; i++)
		learn(&b, place, "This page was not found, but here is a long text about that\n");
	learn_pages(&b, place, 20, 40);
	boilerplate_settle(&b);
	CHECK(is_boilerplate(&b, place, MENU));
	CHECK(!is_boilerplate(
		&b, place, "This page was not found, but here is a long text about that"));
	boilerplate_release(&b);
}

static void test_empty(void)
{
	struct boilerplate b;

	boilerplate_init(&b, KEY);
	for (size_t i = 0; i < 20; i++)
		learn(&b, SLICE(""), "\n\n...\n");
	boilerplate_settle(&b);
	CHECK(!is_boilerplate(&b, SLICE(""), ""));
	boilerplate_release(&b);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_places();
	TAP_RUN(test_repeated);
	TAP_RUN(test_empty);
	return tap_done();
}
