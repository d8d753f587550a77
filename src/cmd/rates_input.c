#include "cmd/rates_input.h"

#include <inttypes.h>

#include "base/log.h"
#include "cmd/archive.h"
#include "cmd/rates_print.h"

void rates_input_init(struct rates_input *in)
{
	*in = (struct rates_input){0};
	page_table_init(&in->table);
}

void rates_input_release(struct rates_input *in)
{
	page_table_release(&in->table);
	u32_vec_release(&in->pages);
	u32_vec_release(&in->captures);
	rates_looks_release(&in->looks);
}

static int on_listed(void *context, const struct listed *o, struct err *err)
{
	struct rates_input *in = context;

	return err_code(err, page_table_add(&in->table, o, 1U << in->counts.format));
}

int rates_input_list(struct rates_input *in, const char *path, struct err *err)
{
	int rc = listing_read(path, on_listed, in, &in->counts, err);

	if (rc || in->counts.bad == 0)
		return rc;
	if (in->counts.first_bad > 0)
		log_warn("rates",
			"%s: passed over %" PRIu64 " unreadable lines (first: line %" PRIu64 ")",
			path, in->counts.bad, in->counts.first_bad);
	else
		log_warn("import", "%s: passed over %" PRIu64 " unreadable captures", path,
			in->counts.bad);
	return 0;
}

static int on_capture(void *context, const struct catalog_capture *capture)
{
	return u32_vec_push(&((struct rates_input *)context)->captures, capture->id);
}

/* Numbers are dense: pages come as 0, 1, 2, … */
static int on_page(void *context, const struct catalog_page *page)
{
	struct rates_input *in = context;
	uint32_t number = CATALOG_NO_PAGE;
	int rc = page->taken ? page_table_get(&in->table, page->url, &number, NULL) : 0;

	if (rc == ERR_SYNTAX)
		rc = 0;
	return rc ? rc : u32_vec_push(&in->pages, number);
}

/* The same bytes, or the same but for noise. */
static bool is_same(const struct rates_look *a, const struct rates_look *b)
{
	return a->payload == b->payload ||
	       (a->rule_set && a->rule_set == b->rule_set && a->normal == b->normal);
}

/* What the state of a page is called that an attempt has seen. */
static int name_state(
	struct rates_input *in, uint32_t page, const struct attempt *a, listed_digest *ret)
{
	struct rates_look now = {.payload = listed_digest_of(&a->payload)};

	if (a->has_normal) {
		now.normal = listed_digest_of(&a->normal);
		now.rule_set = a->rule_set;
	}
	while (in->looks.len <= page) {
		int rc = rates_looks_push(&in->looks, (struct rates_look){0});

		if (rc)
			return rc;
	}
	now.state = is_same(&in->looks.ptr[page], &now) ? in->looks.ptr[page].state : now.payload;
	in->looks.ptr[page] = now;
	*ret = now.state;
	return 0;
}

/* What was cut off, or failed, shows no state of the page. */
static int on_attempt(void *context, const struct attempt *a)
{
	struct rates_input *in = context;
	struct listed o = {.time = a->wall.first_byte, .status = a->status};
	int rc;

	if (a->page >= in->pages.len || in->pages.ptr[a->page] == CATALOG_NO_PAGE ||
		!a->has_payload || a->truncated || a->failure.ptr || o.time == 0)
		return 0;
	rc = name_state(in, in->pages.ptr[a->page], a, &o.digest);
	return rc ? rc : page_table_see(&in->table, in->pages.ptr[a->page], &o, RATES_FROM_ARCHIVE);
}

/* What `stillpoint import` has put there. */
static int on_imported(void *context, const struct catalog_imported *i)
{
	struct rates_input *in = context;
	struct listed o = {.url = i->url, .time = i->time, .digest = i->digest};

	return page_table_add(&in->table, &o, i->source);
}

static int read_catalog(struct rates_input *in, struct catalog *catalog, struct err *err)
{
	int rc;

	in->captures.len = 0;
	in->looks.len = 0;
	rc = catalog_each_capture(catalog, on_capture, in, err);
	if (rc == 0)
		rc = catalog_each_imported(catalog, on_imported, in, err);
	for (size_t i = 0; rc == 0 && i < in->captures.len; i++) {
		in->pages.len = 0;
		rc = catalog_each_page(catalog, in->captures.ptr[i], on_page, in, err);
		if (rc == 0)
			rc = catalog_each_observation(
				catalog, in->captures.ptr[i], on_attempt, in, err);
	}
	return err_code(err, rc);
}

int rates_input_archive(struct rates_input *in, const char *path, struct err *err)
{
	struct catalog *catalog;
	int rc = archive_open_catalog(path, &catalog, err);

	if (rc)
		return rc;
	rc = read_catalog(in, catalog, err);
	catalog_close(catalog);
	return rc;
}
