#include "catalog/catalog_db.h"

/* How it was found. */
static void put_finding(struct query *q, const struct catalog_page *page)
{
	query_put_word(q, page->kind);
	if (page->via == CATALOG_NO_PAGE)
		query_put_null(q);
	else
		query_put_int(q, page->via);
	query_put_word(q, page->found);
	query_put_int(q, page->depth);
	query_put_int(q, page->hops_out);
}

int catalog_add_page(
	struct catalog *c, uint32_t capture, const struct catalog_page *page, struct err *err)
{
	struct query q;

	query_write(&q, c, SQL_ADD_PAGE, err);
	query_put_int(&q, catalog_key(capture, page->number));
	query_put_text(&q, page->url);
	put_finding(&q, page);
	query_put_int(&q, page->taken);
	query_put_word(&q, page->rule);
	query_put_double(&q, page->rate);
	query_put_double(&q, page->shape);
	query_put_double(&q, (double)page->weight);
	query_put_int(&q, page->left_out);
	query_put_int(&q, page->lastmod);
	query_put_int(&q, page->frequency);
	return query_run(&q, err);
}

/* taken and its opposite: both set a rule and a reason. */
static int set_rule(struct catalog *c, enum catalog_sql sql, int64_t page, slice rule,
	enum left_out reason, struct err *err)
{
	struct query q;

	query_write(&q, c, sql, err);
	query_put_int(&q, page);
	query_put_word(&q, rule);
	query_put_int(&q, reason);
	return query_run_on(&q, "page", err);
}

int catalog_list_page(struct catalog *c, uint32_t capture, uint32_t number, int64_t lastmod,
	unsigned frequency, struct err *err)
{
	struct query q;

	query_write(&q, c, SQL_LIST_PAGE, err);
	query_put_int(&q, catalog_key(capture, number));
	query_put_int(&q, lastmod);
	query_put_int(&q, frequency);
	return query_run_on(&q, "page", err);
}

int catalog_mark_page(struct catalog *c, uint32_t capture, uint32_t number,
	enum catalog_content content, struct err *err)
{
	struct query q;

	query_write(&q, c, SQL_MARK_PAGE, err);
	query_put_int(&q, catalog_key(capture, number));
	query_put_int(&q, content);
	return query_run_on(&q, "page", err);
}

int catalog_weigh_page(
	struct catalog *c, uint32_t capture, uint32_t number, float weight, struct err *err)
{
	struct query q;

	query_write(&q, c, SQL_WEIGH_PAGE, err);
	query_put_int(&q, catalog_key(capture, number));
	query_put_double(&q, (double)weight);
	return query_run_on(&q, "page", err);
}

int catalog_refuse_page(struct catalog *c, uint32_t capture, uint32_t number, enum left_out reason,
	slice rule, struct err *err)
{
	return set_rule(c, SQL_REFUSE_PAGE, catalog_key(capture, number), rule, reason, err);
}

int catalog_admit_page(
	struct catalog *c, uint32_t capture, uint32_t number, slice rule, struct err *err)
{
	return set_rule(c, SQL_ADMIT_PAGE, catalog_key(capture, number), rule, LEFT_OUT_NOT, err);
}

int catalog_take_page(
	struct catalog *c, uint32_t capture, const struct catalog_page *page, struct err *err)
{
	struct query q;

	query_write(&q, c, SQL_TAKE_PAGE, err);
	query_put_int(&q, catalog_key(capture, page->number));
	put_finding(&q, page);
	query_put_word(&q, page->rule);
	query_put_int(&q, page->lastmod);
	query_put_int(&q, page->frequency);
	return query_run_on(&q, "page", err);
}

static uint32_t read_via(struct query *q, int column)
{
	if (sqlite3_column_type(q->stmt, column) == SQLITE_NULL)
		return CATALOG_NO_PAGE;
	return (uint32_t)query_up_to(q, column, CATALOG_NO_PAGE - 1);
}

static int read_row(struct query *q, struct catalog_page *ret, struct err *err)
{
	*ret = (struct catalog_page){
		.number = query_number(q, 0),
		.url = query_text(q, 1),
		.kind = query_word(q, 2),
		.via = read_via(q, 3),
		.found = query_word(q, 4),
		.depth = (uint32_t)query_up_to(q, 5, UINT32_MAX),
		.hops_out = (uint32_t)query_up_to(q, 6, UINT32_MAX),
		.taken = query_bool(q, 7),
		.rule = query_word(q, 8),
		.rate = query_double(q, 9),
		.shape = query_double(q, 10),
		.weight = (float)query_double(q, 11),
		.left_out = (enum left_out)query_up_to(q, 12, LEFT_OUT_COUNT - 1),
		.content = (enum catalog_content)query_up_to(q, 13, CATALOG_CONTENT_OFF_TOPIC),
		.lastmod = query_int(q, 14),
		.frequency = (unsigned)query_up_to(q, 15, CATALOG_FREQUENCY_MAX),
	};
	return query_check(q, err);
}

int catalog_each_page(
	struct catalog *c, uint32_t capture, catalog_on_page *call, void *context, struct err *err)
{
	struct catalog_page page;
	uint32_t count = 0;
	struct query q;
	int rc = query_rows(&q, c, SQL_EACH_PAGE, capture, err);

	while (rc == 0 && (rc = query_next_key(&q, err)) == 0 &&
		(rc = read_row(&q, &page, err)) == 0)
		rc = page.number == count++ ? call(context, &page)
					    : catalog_damaged(c, "a page is missing", err);
	return query_end(&q, rc);
}

int catalog_get_page(struct catalog *c, uint32_t capture, uint32_t number, catalog_on_page *call,
	void *context, struct err *err)
{
	struct catalog_page page;
	struct query q;
	int rc = query_rows(&q, c, SQL_GET_PAGE, capture, err);

	if (rc == 0) {
		query_put_int(&q, number);
		rc = query_next_key(&q, err);
	}
	if (rc == ERR_END)
		rc = err_set(err, ERR_NOTFOUND, "the capture has no page %u", (unsigned)number);
	if (rc == 0)
		rc = read_row(&q, &page, err);
	if (rc == 0)
		rc = call(context, &page);
	return query_end(&q, rc);
}

int catalog_count_pages(struct catalog *c, uint32_t capture, uint32_t *ret, struct err *err)
{
	struct query q;
	int rc = query_rows(&q, c, SQL_LAST_PAGE, capture, err);

	if (rc == 0)
		rc = query_next(&q, err);
	if (rc == 0)
		*ret = sqlite3_column_type(q.stmt, 0) == SQLITE_NULL ? 0 : query_number(&q, 0) + 1;
	return query_end(&q, rc);
}

int catalog_find_page(
	struct catalog *c, uint32_t capture, slice url, uint32_t *ret_number, struct err *err)
{
	struct query q;
	int rc = query_rows(&q, c, SQL_EACH_URL, capture, err);
	bool found = false;

	while (rc == 0 && !found && (rc = query_next_key(&q, err)) == 0)
		found = slice_eq(query_text(&q, 1), url);
	if (found)
		*ret_number = query_number(&q, 0);
	else if (rc == ERR_END)
		rc = err_set(err, ERR_NOTFOUND, "%.*s: the capture has no such page",
			(int)(url.len < ERR_TEXT_MAX ? url.len : ERR_TEXT_MAX), url.ptr);
	return query_end(&q, rc);
}

int catalog_urls_from(struct catalog *c, uint32_t capture, uint32_t first, catalog_on_url *call,
	void *context, struct err *err)
{
	struct query q;
	int rc = query_rows(&q, c, SQL_URLS_FROM, capture, err);

	if (rc == 0)
		query_put_int(&q, first);
	while (rc == 0 && (rc = query_next_key(&q, err)) == 0)
		rc = call(context, query_number(&q, 0), query_text(&q, 1));
	return query_end(&q, rc);
}
