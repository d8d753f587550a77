#include "quality/verify_exchange.h"

#include "archive/warc_date.h"

enum { ID_MAX = 4096, NS_PER_MICROSECOND = 1000 };

void verify_request_init(struct verify_request *q)
{
	*q = (struct verify_request){0};
	buf_init(&q->id, ID_MAX);
	buf_init(&q->concurrent, ID_MAX);
}

void verify_request_release(struct verify_request *q)
{
	buf_release(&q->id);
	buf_release(&q->concurrent);
}

static slice field(const struct warc_record *record, slice name)
{
	return fields_trim(warc_header_get(&record->header, name));
}

int verify_address(struct verify *v, const struct warc_record *record, uint32_t *ret)
{
	slice ip = field(record, SLICE("WARC-IP-Address"));

	return words_number(&v->words, ip.ptr ? ip : SLICE(""), ret);
}

/* One that is longer than any of ours is kept empty. */
static int keep(struct buf *out, slice text)
{
	buf_reset(out);
	return text.len > ID_MAX ? 0 : buf_add(out, text);
}

int verify_request_keep(
	struct verify *v, struct verify_request *q, const struct warc_record *record)
{
	int rc = keep(&q->id, field(record, SLICE("WARC-Record-ID")));

	if (rc == 0)
		rc = keep(&q->concurrent, field(record, SLICE("WARC-Concurrent-To")));
	if (rc == 0)
		rc = verify_address(v, record, &q->ip);
	if (rc)
		return rc;
	q->made = !record->problem.code;
	q->has_digest = record->block == WARC_VERDICT_OK;
	q->url = hash_bytes(v->evidence.key, record->header.url);
	q->date = record->header.date;
	q->has_date = record->header.has_date;
	return 0;
}

bool verify_is_date_of(int64_t stated, int64_t time)
{
	int64_t rest = time % NS_PER_MICROSECOND;

	if (rest < 0)
		rest += NS_PER_MICROSECOND;
	return stated == time || stated == time - rest || stated == warc_date_truncate(time);
}

static const char *find_wrong_date(const struct verify_exchange *x, const struct attempt *a)
{
	int64_t time = a->wall.sent ? a->wall.sent : a->wall.last_byte;

	if (!x->metadata->header.has_date || !verify_is_date_of(x->metadata->header.date, time))
		return "its WARC-Date is not the time of the attempt";
	if (x->response && !verify_is_date_of(x->response->date, time))
		return "the WARC-Date of its response is not the time of the attempt";
	if (x->request->made &&
		(!x->request->has_date || !verify_is_date_of(x->request->date, time)))
		return "the WARC-Date of its request is not the time of the attempt";
	return NULL;
}

/* The response is named by both others; where there is none, the metadata name the request. */
static const char *find_wrong_name(const struct verify_exchange *x, uint64_t url)
{
	slice named = field(x->metadata, SLICE("WARC-Concurrent-To"));
	const struct verify_request *q = x->request;

	if (!q->made)
		return NULL;
	if (q->url != url)
		return "its request is that of another URL";
	if (x->response && !slice_eq(buf_slice(&q->concurrent), named))
		return "its request belongs to another response";
	if (!x->response && q->concurrent.len == 0 && !slice_eq(buf_slice(&q->id), named))
		return "its request is another one than it says";
	return NULL;
}

static const char *find_fault(
	const struct verify_exchange *x, const struct attempt *a, uint64_t url)
{
	const struct evidence *e = x->response;
	const char *fault = find_wrong_date(x, a);

	if (fault)
		return fault;
	if (x->metadata->block != WARC_VERDICT_OK || (e && e->sound && !e->has_digest) ||
		(x->request->made && !x->request->has_digest))
		return "one of its records has no block digest that could be checked";
	if (e && e->sound && !x->request->made && !x->is_split)
		return "its request is not there";
	if (e && x->request->made && e->ip != x->request->ip)
		return "its request and response have different addresses";
	if (e && e->is_revisit && !e->is_ours)
		return "its revisit record has an unknown profile";
	return find_wrong_name(x, url);
}

int verify_exchange(struct verify *v, const struct verify_exchange *x, const struct attempt *a)
{
	const char *fault = find_fault(x, a, hash_bytes(v->evidence.key, attempt_target(a)));

	return fault ? verify_problem(v, a->url, x->place, "%s", fault) : 0;
}
