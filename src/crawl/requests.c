#include "crawl/requests.h"

#include <stdlib.h>

void requests_init(struct requests *q)
{
	*q = (struct requests){0};
}

void requests_release(struct requests *q)
{
	for (size_t i = 0; i < q->list.len; i++)
		free(q->list.ptr[i].url);
	request_vec_release(&q->list);
	*q = (struct requests){0};
}

int requests_take(struct requests *q, const struct request *request, size_t *ret_place)
{
	size_t place = q->list.len;

	if (q->first_free) {
		place = q->first_free - 1;
		q->first_free = q->list.ptr[place].next_free;
		q->list.ptr[place] = *request;
	} else if (request_vec_push(&q->list, *request)) {
		return ERR_NOMEM;
	}
	q->unplanned += request->kind != REQUEST_PAGE;
	*ret_place = place;
	return 0;
}

bool requests_find(const struct requests *q, uint32_t page, size_t *ret_place)
{
	for (size_t i = 0; i < q->list.len; i++) {
		const struct request *r = &q->list.ptr[i];

		if (r->kind == REQUEST_PAGE && r->order.attempt > 0 && r->order.page == page) {
			*ret_place = i;
			return true;
		}
	}
	return false;
}

void requests_free(struct requests *q, size_t place)
{
	struct request *r = &q->list.ptr[place];

	q->unplanned -= r->kind != REQUEST_PAGE;
	free(r->url);
	*r = (struct request){.next_free = q->first_free};
	q->first_free = place + 1;
}
