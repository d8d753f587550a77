#include "living/layout.h"

#include <stdio.h>
#include <stdlib.h>

#include "tap.h"

static void check_page(const struct layout *l, uint32_t page)
{
	struct buf path;
	uint32_t found = UINT32_MAX;

	buf_init(&path, 1000);
	CHECK_INT(layout_path(l, page, &path), 0);
	CHECK(layout_find(l, buf_slice(&path), &found));
	CHECK_INT(found, page);
	CHECK_INT(buf_add_str(&path, "?utm_source=x"), 0);
	CHECK(layout_find(l, buf_slice(&path), &found));
	CHECK_INT(found, page);
	buf_release(&path);
}

/* How many pages can be reached from the first one. */
static size_t reach(const struct layout *l)
{
	bool *seen = calloc(l->n + 1, sizeof *seen);
	struct u32_vec queue = {0};
	size_t reached;

	seen[0] = true;
	CHECK_INT(u32_vec_push(&queue, 0), 0);
	for (size_t i = 0; i < queue.len; i++) {
		struct u32_vec links = {0};

		CHECK_INT(layout_links(l, queue.ptr[i], &links), 0);
		for (size_t k = 0; k < links.len; k++)
			if (CHECK(links.ptr[k] < l->n) && !seen[links.ptr[k]]) {
				seen[links.ptr[k]] = true;
				CHECK_INT(u32_vec_push(&queue, links.ptr[k]), 0);
			}
		u32_vec_release(&links);
	}
	reached = queue.len;
	u32_vec_release(&queue);
	free(seen);
	return reached;
}

/* Each page is in exactly one group. */
static void check_groups(const struct layout *l)
{
	unsigned char *times = calloc(l->n + 1, 1);

	for (size_t i = 0; i < layout_group_count(l); i++) {
		struct layout_group g = layout_group(l, i);

		CHECK(g.count > 0 && g.count <= LIVING_SITEMAP_MAX);
		for (size_t k = 0; k < g.count; k++)
			if (CHECK(g.first + k * g.step < l->n))
				times[g.first + k * g.step]++;
	}
	for (size_t i = 0; i < l->n; i++)
		CHECK_INT(times[i], 1);
	free(times);
}

static void test_trees(void)
{
	static const struct {
		const char *label;
		size_t n, outdegree;
		enum living_theme theme;
	} ROWS[] = {
		{"one page", 1, 10, LIVING_PLAIN},
		{"fewer pages than links", 5, 10, LIVING_PLAIN},
		{"a chain", 40, 1, LIVING_PLAIN},
		{"a binary tree", 1000, 2, LIVING_PLAIN},
		{"ten links", 1234, 10, LIVING_PLAIN},
		{"the smallest shop", 3, 10, LIVING_SHOP},
		{"a shop", 500, 7, LIVING_SHOP},
		{"sections of several sitemaps", 150000, 2, LIVING_PLAIN},
	};

	for (size_t i = 0; i < ARRAY_LEN(ROWS); i++) {
		struct layout l;

		tap_case("tree: %s", ROWS[i].label);
		layout_tree(&l, ROWS[i].n, ROWS[i].outdegree, ROWS[i].theme);
		for (uint32_t page = 0; page < l.n; page += 1 + (uint32_t)l.n / 1000)
			check_page(&l, page);
		CHECK_INT(reach(&l), ROWS[i].n);
		check_groups(&l);
	}
}

static void test_no_such_page(void)
{
	static const char *const PATHS[] = {"", "/x", "/s", "/s1", "/s0/", "/s11/", "/s01/",
		"/s1/0", "/s1/01", "/s1/99999", "/s1/5/", "/s1/-1", "/prices",
		"/s99999999999999999999/1", "/s1/99999999999999999999"};
	struct layout l;
	uint32_t page;

	layout_tree(&l, 100, 10, LIVING_PLAIN);
	for (size_t i = 0; i < ARRAY_LEN(PATHS); i++)
		if (layout_find(&l, slice_str(PATHS[i]), &page))
			tap_fail(__FILE__, __LINE__, "'%s' is page %u", PATHS[i], page);
}

static const char *write_file(const char *text)
{
	static char name[4096];
	FILE *f;

	(void)snprintf(name, sizeof name, "%s/graph.csv", tap_tempdir());
	f = fopen(name, "we");
	if (f) {
		(void)fputs(text, f);
		(void)fclose(f);
	}
	return name;
}

static void test_graph(void)
{
	struct u32_vec links = {0};
	struct err err = {0};
	double *rates = NULL;
	struct layout l;

	CHECK_INT(layout_graph(&l,
			  write_file("page,rate,links\nhome,0.5,/a?x=1&y=2 c d\n/a?x=1&y=2,1,\n"
				     "c d,2,home\n"),
			  10, &rates, &err),
		ERR_NOTFOUND); /* links are separated by blanks */
	CHECK_INT(layout_graph(&l,
			  write_file("page,rate,links\nhome,0.5,/a?x=1&y=2\n/a?x=1&y=2,1,\n"
				     "c d,2,home\n"),
			  10, &rates, &err),
		0);
	CHECK_INT(l.n, 3);
	CHECK_SLICE(l.paths[0], SLICE("/home"));
	CHECK_SLICE(l.paths[1], SLICE("/a?x=1&y=2"));
	CHECK_SLICE(l.paths[2], SLICE("/c%20d"));
	CHECK_NEAR(rates[2], 2, 0);
	check_page(&l, 0);
	CHECK_INT(layout_links(&l, 2, &links), 0);
	CHECK_INT(links.len, 1);
	check_groups(&l);
	u32_vec_release(&links);
	layout_release(&l);
	free(rates);
}

static void test_graph_without_links_is_a_tree(void)
{
	struct err err = {0};
	double *rates = NULL;
	struct layout l;

	CHECK_INT(layout_graph(&l, write_file("page,rate\na,1\nb,1\nc,1\nd,1\n"), 1, &rates, &err),
		0);
	CHECK_INT(reach(&l), 4);
	layout_release(&l);
	free(rates);
}

static void test_graph_refused(void)
{
	struct err err = {0};
	double *rates = NULL;
	struct layout l;

	CHECK_INT(layout_graph(&l, write_file("page,rate\na,1\n/a,1\n"), 1, &rates, &err),
		ERR_EXISTS);
	CHECK_INT(layout_graph(&l, write_file("page,rate\n/robots.txt,1\n"), 1, &rates, &err),
		ERR_EXISTS);
	CHECK(!rates);
}

int main(int argc, char **argv)
{
	tap_init(argc, argv);
	test_trees();
	TAP_RUN(test_no_such_page);
	TAP_RUN(test_graph);
	TAP_RUN(test_graph_without_links_is_a_tree);
	TAP_RUN(test_graph_refused);
	return tap_done();
}
