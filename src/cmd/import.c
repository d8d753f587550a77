/* stillpoint import: keeps captures that others made in an archive, for the rates of its pages. */
#include <inttypes.h>
#include <stdio.h>

#include "catalog/catalog.h"
#include "cmd/cmd.h"
#include "cmd/rates_input.h"
#include "store/directory.h"

static const struct option_spec SPECS[] = {
	{.name = NULL},
};

static const struct options OPTIONS = {
	.program = "stillpoint",
	.command = "import",
	.usage = "ARCHIVE FILE…",
	.description =
		"Keeps in an archive when pages were captured by others, and with which digest: "
		"from CDX, CDXJ, ZipNum indexes, TimeMaps and WARC files, all of them also gzip. "
		"'stillpoint rates ARCHIVE' uses them from then on. They give change rates and "
		"prove nothing; no content is copied. What is there already is not added twice.",
	.specs = SPECS,
	.min_args = 2,
	.max_args = SIZE_MAX,
};

struct totals {
	uint64_t added, known, pages;
};

static int add_page(
	struct catalog *c, const struct page_entry *p, struct totals *t, struct err *err)
{
	for (uint32_t i = 0; i < p->len; i++) {
		struct catalog_imported imported = {.url = p->url,
			.time = p->seen[i].time,
			.digest = p->seen[i].digest,
			.source = p->sources};
		bool added = false;
		int rc = catalog_add_imported(c, &imported, &added, err);

		if (rc)
			return rc;
		t->added += added;
		t->known += !added;
	}
	t->pages++;
	return 0;
}

static int add_all(
	struct catalog *c, const struct page_table *table, struct totals *t, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < table->pages.len; i++)
		rc = add_page(c, &table->pages.ptr[i], t, err);
	return rc ? rc : catalog_commit(c, err);
}

/* All of it in one transaction: nothing is there by half. */
static int store(
	const char *archive, const struct page_table *table, struct totals *t, struct err *err)
{
	struct directory d = {.lock = -1};
	struct catalog *c = NULL;
	int rc = directory_open(&d, archive, false, err);

	if (rc)
		return rc;
	rc = catalog_open(d.catalog, CATALOG_WRITE, &c, err);
	if (rc == 0)
		rc = add_all(c, table, t, err);
	catalog_close(c);
	directory_close(&d);
	return rc;
}

static enum cmd_status import(struct rates_input *in, const struct option_args *args)
{
	struct totals t = {0};
	struct err err = {0};

	for (size_t i = 1; i < args->count; i++)
		if (rates_input_list(in, args->ptr[i], &err))
			return cmd_fail_input("import", &err);
	if (store(args->ptr[0], &in->table, &t, &err))
		return cmd_fail_archive("import", &err);
	printf("imported %" PRIu64 " captures of %" PRIu64 " pages; %" PRIu64
	       " were there already\n",
		t.added, t.pages, t.known);
	return cmd_finish(0);
}

enum cmd_status cmd_import(int argc, char **argv)
{
	struct option_args args;
	struct rates_input in;
	enum cmd_status status;

	if (!cmd_options(&OPTIONS, argc, argv, NULL, &args, &status))
		return status;
	cmd_log(false);
	rates_input_init(&in);
	status = import(&in, &args);
	rates_input_release(&in);
	return status;
}
