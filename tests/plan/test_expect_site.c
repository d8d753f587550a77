#include "plan/expect.h"

#include <math.h>
#include <string.h>

#include "plan/fixture.h"

static void test_columns(void)
{
	struct site s = fixture_site("links,weight,rate,page\n"
				     "b  c,2.5,0.25,a\n"
				     ",0,1e-3,b\n"
				     " a ,7,-0,c\n");
	uint32_t page = 99;

	CHECK_INT(s.n, 3);
	CHECK_SLICE(s.names[0], SLICE("a"));
	CHECK_SLICE(s.names[2], SLICE("c"));
	CHECK_NEAR(s.survival[0].rate, 0.25, 0);
	CHECK_NEAR(s.survival[0].shape, 0, 0);
	CHECK_NEAR(s.survival[1].rate, 1e-3, 0);
	CHECK(!signbit(s.survival[2].rate));
	CHECK_NEAR((double)site_weight(&s, 0), 2.5, 0);
	CHECK_NEAR((double)site_weight(&s, 1), 0, 0);
	CHECK_INT(s.link_from[1] - s.link_from[0], 2);
	CHECK_INT(s.links[0], 1);
	CHECK_INT(s.links[1], 2);
	CHECK_INT(s.link_from[2] - s.link_from[1], 0);
	CHECK_INT(s.link_from[3] - s.link_from[2], 1);
	CHECK_INT(s.links[2], 0);
	CHECK(site_find(&s, SLICE("c"), &page));
	CHECK_INT(page, 2);
	CHECK(!site_find(&s, SLICE("d"), &page));
	site_release(&s);
}

static void test_shapes(void)
{
	struct site s = fixture_site("shape,page,rate\n0.5,a,2\n0,b,3\n");

	CHECK_NEAR(s.survival[0].rate, 2, 0);
	CHECK_NEAR(s.survival[0].shape, 0.5, 0);
	CHECK_NEAR(s.survival[1].shape, 0, 0); /* Poisson */
	site_release(&s);
}

static void test_without_weights_and_links(void)
{
	struct site s = fixture_site("\xef\xbb\xbfpage,rate\r\n\"a,b\",1\r\n\r\nc,2\r\n");

	CHECK_INT(s.n, 2);
	CHECK_SLICE(s.names[0], SLICE("a,b"));
	CHECK(!s.weights);
	CHECK_NEAR((double)site_weight(&s, 1), 1, 0);
	CHECK_INT(s.link_from[2], 0);
	site_release(&s);
}

/* As in the files of crawl --rates. */
static void test_page_called_url(void)
{
	struct site s = fixture_site("url,rate\nhttp://a/,1\n");

	CHECK_INT(s.n, 1);
	CHECK_SLICE(s.names[0], SLICE("http://a/"));
	site_release(&s);
}

/* Pages that are linked before their row still get the number of the row. */
static void test_forward_links(void)
{
	struct site s = fixture_site("page,rate,links\na,0,d c\nb,0,\nc,0,b\nd,0,a\n");
	uint32_t page = 99;

	for (uint32_t i = 0; i < 4; i++)
		CHECK_INT(s.names[i].ptr[0], 'a' + (int)i);
	CHECK_INT(s.links[0], 3);
	CHECK_INT(s.links[1], 2);
	CHECK_INT(s.links[2], 1);
	CHECK_INT(s.links[3], 0);
	CHECK(site_find(&s, SLICE("d"), &page));
	CHECK_INT(page, 3);
	site_release(&s);
}

#define HINT " (the header names the columns: page,rate[,weight][,shape][,links])"
#define NEED " (0 or more is needed)"

static void test_errors(void)
{
	static const struct {
		const char *label;
		slice csv;
		int code;
		const char *text;
	} rows[] = {
		{"empty", SLICE_INIT(""), ERR_SYNTAX, "site.csv:1: the file is empty" HINT},
		{"blank lines", SLICE_INIT("\n\n"), ERR_SYNTAX,
			"site.csv:1: the file is empty" HINT},
		{"header only", SLICE_INIT("\npage,rate\n"), ERR_SYNTAX,
			"site.csv:2: no pages follow the header"},
		{"no header", SLICE_INIT("/a,0.5\n"), ERR_SYNTAX,
			"site.csv:1: unknown column '/a'" HINT},
		{"no page column", SLICE_INIT("rate,weight\n1,1\n"), ERR_SYNTAX,
			"site.csv:1: no column 'page'" HINT},
		{"no rate column", SLICE_INIT("page,weight\na,1\n"), ERR_SYNTAX,
			"site.csv:1: no column 'rate'" HINT},
		{"unknown column", SLICE_INIT("page,rate,heat\na,1,1\n"), ERR_SYNTAX,
			"site.csv:1: unknown column 'heat'" HINT},
		{"column twice", SLICE_INIT("page,rate,rate\na,1,1\n"), ERR_SYNTAX,
			"site.csv:1: column 'rate' is given twice" HINT},
		{"too few fields", SLICE_INIT("page,rate\na,1\nb\n"), ERR_SYNTAX,
			"site.csv:3: 1 field, but the header has 2"},
		{"too many fields", SLICE_INIT("page,rate\na,1,2\n"), ERR_SYNTAX,
			"site.csv:2: 3 fields, but the header has 2"},
		{"no name", SLICE_INIT("page,rate\n,1\n"), ERR_SYNTAX,
			"site.csv:2: the page has no name"},
		{"twice", SLICE_INIT("page,rate\na,1\nb,1\na,2\n"), ERR_EXISTS,
			"site.csv:4: page 'a' is given already, in line 2 (keep one of them)"},
		{"twice, and linked before", SLICE_INIT("page,rate,links\nb,1,a\na,1,\na,2,\n"),
			ERR_EXISTS,
			"site.csv:4: page 'a' is given already, in line 3 (keep one of them)"},
		{"rate missing", SLICE_INIT("page,rate\na,\n"), ERR_SYNTAX,
			"site.csv:2: the rate is missing" NEED},
		{"rate negative", SLICE_INIT("page,rate\na,-0.5\n"), ERR_RANGE,
			"site.csv:2: rate -0.5 is negative" NEED},
		{"rate NaN", SLICE_INIT("page,rate\na,nan\n"), ERR_SYNTAX,
			"site.csv:2: rate 'nan' is not a number" NEED},
		{"rate infinite", SLICE_INIT("page,rate\na,inf\n"), ERR_SYNTAX,
			"site.csv:2: rate 'inf' is not a number" NEED},
		{"rate too large", SLICE_INIT("page,rate\na,1e999\n"), ERR_RANGE,
			"site.csv:2: rate 1e999 is too large (at most 1.79769e+308)"},
		{"rate a word", SLICE_INIT("page,rate\na,often\n"), ERR_SYNTAX,
			"site.csv:2: rate 'often' is not a number" NEED},
		{"rate with a blank", SLICE_INIT("page,rate\na, 1\n"), ERR_SYNTAX,
			"site.csv:2: rate ' 1' is not a number" NEED},
		{"shape missing", SLICE_INIT("page,rate,shape\na,1,\n"), ERR_SYNTAX,
			"site.csv:2: the shape is missing" NEED},
		{"shape negative", SLICE_INIT("page,rate,shape\na,1,-1\n"), ERR_RANGE,
			"site.csv:2: shape -1 is negative" NEED},
		{"weight missing", SLICE_INIT("page,rate,weight\na,1,\n"), ERR_SYNTAX,
			"site.csv:2: the weight is missing" NEED},
		{"weight negative", SLICE_INIT("page,rate,weight\na,1,-2\n"), ERR_RANGE,
			"site.csv:2: weight -2 is negative" NEED},
		{"weight NaN", SLICE_INIT("page,rate,weight\na,1,NaN\n"), ERR_SYNTAX,
			"site.csv:2: weight 'NaN' is not a number" NEED},
		{"weight too large", SLICE_INIT("page,rate,weight\na,1,1e39\n"), ERR_RANGE,
			"site.csv:2: weight 1e39 is too large (at most 3.40282e+38)"},
		{"link to nowhere", SLICE_INIT("page,rate,links\na,1,b\nb,1,c a\nd,1,e\n"),
			ERR_NOTFOUND, "site.csv:3: link to 'c', which is not a page of the file"},
		{"NUL", SLICE_INIT("page,rate\na\0b,1\n"), ERR_SYNTAX, "site.csv:2: NUL byte"},
		{"open quote", SLICE_INIT("page,rate\na,1\n\"b,1\n"), ERR_SYNTAX,
			"site.csv:3: quote is never closed"},
		{"NUL at once", SLICE_INIT("\0\0\0"), ERR_SYNTAX, "site.csv:1: NUL byte"},
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct err err = {0};
		struct site s = {.n = 42};

		tap_case("errors: %s", rows[i].label);
		CHECK_INT(fixture_read(rows[i].csv, &s, &err), rows[i].code);
		CHECK_STR(err.text, rows[i].text);
		CHECK_INT(s.n, 42); /* untouched */
	}
}

static void test_load_errors(void)
{
	struct err err = {0};
	struct site s;

	CHECK_INT(site_load("/nowhere/to/be/found.csv", &s, &err), ERR_IO);
	CHECK_STR(err.text, "/nowhere/to/be/found.csv: No such file or directory");
	CHECK_INT(site_load("/", &s, &err), ERR_IO);
	CHECK_STR(err.text, "/: is a directory, not a CSV file");
}

/* The end of a long name is shown, and the line is never lost. */
static void test_long_names(void)
{
	static const char csv[] = "page,rate\na,x\n";
	char name[2000];
	struct err err = {0};
	struct site s;
	FILE *file = tmpfile();

	memset(name, 'd', sizeof name);
	memcpy(name + sizeof name - 5, ".csv", 5);
	(void)fwrite(csv, 1, sizeof csv - 1, file);
	rewind(file);
	CHECK_INT(site_read(file, name, &s, &err), ERR_SYNTAX);
	CHECK(strstr(err.text, "ddd.csv:2: rate 'x' is not a number") != NULL);
	(void)fclose(file);
}

static void test_reach(void)
{
	static const struct {
		const char *label;
		uint32_t seeds[2];
		size_t seed_count;
		uint32_t want[6];
		size_t count;
	} rows[] = {
		{"from the root", {0}, 1, {0, 1, 2, 3, 4}, 5},
		{"a cycle", {2}, 1, {2, 4, 3, 0, 1}, 5},
		{"a leaf", {3}, 1, {3}, 1},
		{"two seeds", {3, 5}, 2, {3, 5}, 2},
		{"a seed twice", {5, 5}, 2, {5}, 1},
	};
	struct site s = fixture_site("page,rate,links\n"
				     "a,0,b c b\n"
				     "b,0,d b\n"
				     "c,0,e d\n"
				     "d,0,\n"
				     "e,0,a\n"
				     "f,0,\n");

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct u32_vec list = {0}, rest = {0};

		tap_case("reach: %s", rows[i].label);
		CHECK_INT(site_reach(&s, rows[i].seeds, rows[i].seed_count, &list, &rest), 0);
		CHECK_INT(list.len + rest.len, s.n);
		if (CHECK_INT(list.len, rows[i].count))
			for (size_t k = 0; k < list.len; k++)
				CHECK_INT(list.ptr[k], rows[i].want[k]);
		u32_vec_release(&list);
		u32_vec_release(&rest);
	}
	site_release(&s);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	TAP_RUN(test_columns);
	TAP_RUN(test_shapes);
	TAP_RUN(test_without_weights_and_links);
	TAP_RUN(test_page_called_url);
	TAP_RUN(test_forward_links);
	test_errors();
	TAP_RUN(test_load_errors);
	TAP_RUN(test_long_names);
	test_reach();
	return tap_done();
}
