#include "archive/rates_keep.h"

/* Of all URLs; ten million of them have a quarter of it. */
#define URLS_MAX ((size_t)4 << 30)

void keep_totals_init(struct keep_totals *t)
{
	*t = (struct keep_totals){0};
	arena_init(&t->urls, URLS_MAX);
	strmap_init(&t->pages, hash_key_random(), &t->urls);
}

void keep_totals_release(struct keep_totals *t)
{
	strmap_release(&t->pages);
	arena_release(&t->urls);
}

static int add_page(
	struct catalog *c, const struct page_entry *p, struct keep_totals *t, struct err *err)
{
	int counted = strmap_put(&t->pages, p->url, 0);

	if (counted && counted != ERR_EXISTS)
		return err_code(err, counted);
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
	return 0;
}

static int add_table(
	struct catalog *c, const struct page_table *table, struct keep_totals *t, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < table->pages.len; i++)
		rc = add_page(c, &table->pages.ptr[i], t, err);
	return rc;
}

int keep_table(struct catalog *c, const struct page_table *table, struct keep_totals *totals,
	struct err *err)
{
	int rc = add_table(c, table, totals, err);

	return rc ? rc : catalog_commit(c, err);
}

struct part {
	struct page_table table;
	struct listing_counts counts;
};

static int on_listed(void *context, const struct listed *o, struct err *err)
{
	struct part *part = context;

	return err_code(err, page_table_add(&part->table, o, 1U << part->counts.format));
}

/* One part, and how far that is, in one transaction. */
static int keep_part(struct catalog *c, struct remote *r, const struct keep_source *source,
	struct keep_totals *totals, struct err *err)
{
	struct part part = {0};
	int rc;

	page_table_init(&part.table);
	rc = remote_next(r, on_listed, &part, &part.counts, err);
	if (rc == 0)
		rc = add_table(c, &part.table, totals, err);
	if (rc == 0)
		rc = catalog_set_progress(c, slice_str(r->address), remote_progress(r), err);
	if (rc == 0)
		rc = catalog_commit(c, err);
	if (rc == 0)
		source->on_part(source->context, &part.counts);
	page_table_release(&part.table);
	return rc;
}

int keep_remote(struct catalog *c, const struct keep_source *source, struct keep_totals *totals,
	struct err *err)
{
	struct download *download = NULL;
	struct remote remote = {0};
	struct buf progress;
	int rc;

	buf_init(&progress, REMOTE_PROGRESS_MAX);
	rc = download_new(source->download, &download, err);
	if (rc == 0)
		rc = catalog_get_progress(c, slice_str(source->address), &progress, err);
	if (rc == 0)
		rc = remote_open(&remote, source->kind, source->address, buf_slice(&progress),
			remote_server(download), err);
	while (rc == 0)
		rc = keep_part(c, &remote, source, totals, err);
	remote_close(&remote);
	download_free(download);
	buf_release(&progress);
	return rc == ERR_END ? 0 : rc;
}
