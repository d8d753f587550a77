/* Lines of the page table: what is written is read as it was, and nothing else is read. */
#include "catalog/catalog_line.h"

#include "base/err.h"
#include "tap.h"

static const struct {
	const char *label, *line;
	int rc; /* of reading it; what can be read is written as it was */
} ROWS[] = {
	{"a page",
		"page:\t0\thttp://example.org/\tpage\t-\tseed\t0\t0\t1\ttaken\tin: host example.org"
		"\t3.8580246913580245e-07\t0.5\t1\t0",
		0},
	{"a page that was refused",
		"page:\t7\thttp://example.org/a%2520b\timage\t3\tlink\t2\t1\t0\tscope\tout: 50%25 "
		"%09\t0\t0\t0.5\t-1",
		0},
	{"a page that is wanted after all",
		"take:\t1\thttp://example.org/"
		"x\tstyle\t0\tlink\t0\t1\t1\ttaken\tin\t0.25\t0\t1\t17",
		0},
	{"a refusal", "refuse:\t4\trobots\tout: robots.txt, line 2", 0},
	{"an admission", "admit:\t4\tin", 0},
	{"a soft 404", "mark:\t3\t1", 0},
	{"a page off the topic", "mark:\t3\t3", 0},
	{"a mark that there is not", "mark:\t3\t4", ERR_SYNTAX},
	{"a weight", "weigh:\t3\t0.25", 0},
	{"a weight below 0", "weigh:\t3\t-1", ERR_SYNTAX},
	{"a weight that no float holds", "weigh:\t3\t1E91", ERR_SYNTAX},
	{"the largest weight", "weigh:\t3\t3.40282347e+38", 0},
	{"no weight", "weigh:\t3", ERR_SYNTAX},
	{"links that were not kept", "unkept:\tlength\t12", 0},
	{"a place in the plan", "plan:\t5\t9\t-1\t1", 0},
	{"a requisite", "needs:\t5\t6", 0},
	{"a requisite that was not kept", "needs:\t5\t-", 0},
	{"what a sitemap says", "list:\t5\t1700000000000000000\t3", 0},
	{"links", "links:\t5\t%01%80%02A", 0},
	{"a robots.txt",
		"robots:\thttp://example.org\t1\t1700000000000000000\tHTTP 200\tUser-agent: "
		"*%0ADisallow: /%C3%A4%00",
		0},
	{"a robots.txt that is still so", "checked:\thttp://example.org\t17", 0},
	{"a feed that is polled",
		"poll:\t1\thttp://example.org/"
		"feed%25\t1\t3\t12\t7\t2\t1\t3.5\t0.10000000000000001\t0",
		0},
	{"pings", "poll:\t0\t\t0\t1\t0\t0\t0\t0\t0\t0\t0", 0},
	{"a source that there is not", "poll:\t0\t\t0\t256\t0\t0\t0\t0\t0\t0\t0", ERR_SYNTAX},
	{"a changefreq that is none", "list:\t5\t0\t9", ERR_SYNTAX},
	{"a kind of a later version", "later:\tkind\tof line", ERR_NOTFOUND},
	{"a field too many", "needs:\t5\t6\t7", ERR_SYNTAX},
	{"a field too few", "plan:\t5\t9", ERR_SYNTAX},
	{"no page", "needs:\t-\t6", ERR_SYNTAX},
	{"a number beyond all pages", "needs:\t4294967295\t1", ERR_SYNTAX},
	{"a reason that is none", "refuse:\t4\tmood\tx", ERR_SYNTAX},
	{"a bad escape", "admit:\t4\t%zz", ERR_SYNTAX},
	{"an escape that is cut", "admit:\t4\t%0", ERR_SYNTAX},
	{"a rate that is none", "page:\t0\tu\tpage\t-\tseed\t0\t0\t1\ttaken\tr\tnan\t0\t1\t0",
		ERR_SYNTAX},
	{"nothing", "", ERR_NOTFOUND},
};

static void test_rows(void)
{
	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		struct catalog_line line;
		struct arena arena;
		struct buf out;

		tap_case("line: %s", ROWS[i].label);
		arena_init(&arena, 1 << 20);
		buf_init(&out, 1 << 20);
		if (CHECK_INT(catalog_line_parse(slice_str(ROWS[i].line), &arena, &line),
			    ROWS[i].rc) &&
			ROWS[i].rc == 0) {
			struct catalog_row row = {.kind = line.kind, .body = &line.page};

			CHECK_INT(catalog_line_format(&row, &out), 0);
			CHECK(slice_ends_with(buf_slice(&out), SLICE("\r\n")));
			CHECK_SLICE(slice_sub(buf_slice(&out), 0, out.len - 2),
				slice_str(ROWS[i].line));
		}
		buf_release(&out);
		arena_release(&arena);
	}
}

/* A text of a stranger cannot forge a line or a field. */
static void test_forged(void)
{
	struct catalog_page page = {
		.number = 1, .left_out = LEFT_OUT_ROBOTS, .rule = SLICE("a\nneeds:\t1\t2\r%")};
	struct catalog_row row = {.kind = CATALOG_ROW_REFUSE_PAGE, .page = &page};
	struct catalog_line line;
	struct arena arena;
	struct buf out;

	arena_init(&arena, 1 << 20);
	buf_init(&out, 1 << 20);
	CHECK_INT(catalog_line_format(&row, &out), 0);
	CHECK_STR(buf_str(&out), "refuse:\t1\trobots\ta%0Aneeds:%091%092%0D%25\r\n");
	CHECK_INT(catalog_line_parse(slice_sub(buf_slice(&out), 0, out.len - 2), &arena, &line), 0);
	CHECK_SLICE(line.page.rule, page.rule);
	row.kind = CATALOG_ROW_EVENT;
	CHECK(!catalog_line_has(row.kind));
	buf_release(&out);
	arena_release(&arena);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_rows();
	TAP_RUN(test_forged);
	return tap_done();
}
