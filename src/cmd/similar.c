/* stillpoint similar: pages of an archive that show the same text, or nearly. */
#include <stdio.h>

#include "base/json.h"
#include "base/text.h"
#include "cmd/cmd.h"
#include "cmd/option_row.h"
#include "text/page_clusters.h"

struct similar_options {
	bool json;
};

#define ROW_OF struct similar_options

static const struct option_spec SPECS[] = {
	ROW(FLAG, json, "json", 0, "print one JSON document"),
	{.name = NULL},
};

static const struct options OPTIONS = {
	.program = "stillpoint",
	.command = "similar",
	.usage = "ARCHIVE",
	.description =
		"Lists clusters of pages that show the same text, or nearly: the visible text of "
		"their newest versions, without what repeats on most pages of their directory. "
		"Pages are linked if their estimated resemblance is at least 0.8; the distance of "
		"a cluster is 1 minus the lowest resemblance along its links.\n"
		"\n"
		"ARCHIVE may also be a WARC or WACZ file, or a directory with such files.",
	.specs = SPECS,
	.min_args = 1,
	.max_args = 1,
};

static void print_cluster(void *context, const struct page_cluster *c)
{
	size_t *count = context;

	printf("%s%zu pages, distance %.3f\n", *count ? "\n" : "", c->count, c->distance);
	for (size_t i = 0; i < c->count; i++) {
		printf("    ");
		text_name(stdout, c->urls[i], 0);
		putchar('\n');
	}
	++*count;
}

static int print(struct page_clusters *p)
{
	size_t count = 0;

	page_clusters_each(p, print_cluster, &count);
	printf("%s%zu %s of %llu pages\n", count ? "\n" : "", count,
		count == 1 ? "cluster" : "clusters", (unsigned long long)page_clusters_pages(p));
	return 0;
}

static void add_cluster(void *context, const struct page_cluster *c)
{
	struct json *j = context;

	json_object_begin(j);
	json_key(j, "urls");
	json_array_begin(j);
	for (size_t i = 0; i < c->count; i++)
		json_slice(j, c->urls[i]);
	json_array_end(j);
	json_put_double(j, "distance", c->distance);
	json_object_end(j);
}

static int print_json(struct page_clusters *p)
{
	struct json j;

	json_init_file(&j, stdout, JSON_LINES);
	json_document_begin(&j);
	json_put_uint(&j, "pages", page_clusters_pages(p));
	json_key(&j, "clusters");
	json_array_begin(&j);
	page_clusters_each(p, add_cluster, &j);
	json_array_end(&j);
	json_object_end(&j);
	return json_finish(&j) ? ERR_IO : 0;
}

enum cmd_status cmd_similar(int argc, char **argv)
{
	struct similar_options o = {0};
	struct page_clusters_params params = {.temporary = cmd_temporary()};
	struct page_clusters *p = NULL;
	struct option_args args;
	struct err err = {0};
	enum cmd_status status;
	int rc;

	if (!cmd_options(&OPTIONS, argc, argv, &o, &args, &status))
		return status;
	params.path = args.ptr[0];
	if (page_clusters_read(&params, &p, &err))
		return cmd_fail_archive("similar", &err);
	rc = o.json ? print_json(p) : print(p);
	page_clusters_free(p);
	return cmd_finish(rc);
}
