#include "catalog/catalog_db.h"

int catalog_set_verdict(
	struct catalog *c, uint32_t capture, const struct catalog_verdict *v, struct err *err)
{
	struct query q;

	query_write(&q, c, SQL_SET_VERDICT, err);
	query_put_int(&q, catalog_key(capture, v->page));
	query_put_word(&q, v->verdict);
	query_put_word(&q, v->evidence);
	query_put_text(&q, v->reason);
	return query_run(&q, err);
}

static int read_row(struct query *q, struct catalog_verdict *ret, struct err *err)
{
	*ret = (struct catalog_verdict){
		.page = query_number(q, 0),
		.verdict = query_word(q, 1),
		.evidence = query_word(q, 2),
		.reason = query_text(q, 3),
	};
	return query_check(q, err);
}

int catalog_each_verdict(struct catalog *c, uint32_t capture, catalog_on_verdict *call,
	void *context, struct err *err)
{
	struct catalog_verdict verdict;
	struct query q;
	int rc = query_rows(&q, c, SQL_EACH_VERDICT, capture, err);

	while (rc == 0 && (rc = query_next_key(&q, err)) == 0 &&
		(rc = read_row(&q, &verdict, err)) == 0)
		rc = call(context, &verdict);
	return query_end(&q, rc);
}
