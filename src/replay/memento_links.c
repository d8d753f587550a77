#include "replay/memento_links.h"

#include <stdio.h>

#include "http/date.h"

static int add_timemap(struct buf *out, const struct asked *a)
{
	int rc = buf_add_str(out, ", <");

	if (rc == 0)
		rc = add_collection_address(out, a->control, a->collection);
	if (rc == 0)
		rc = buf_add_str(out, "timemap/link/");
	if (rc == 0)
		rc = buf_add(out, a->page);
	return rc ? rc : buf_add_str(out, ">; rel=\"timemap\"; type=\"application/link-format\"");
}

int links_add_resources(struct buf *out, const struct asked *a)
{
	int rc = buf_add_char(out, '<');

	if (rc == 0)
		rc = buf_add(out, a->page);
	if (rc == 0)
		rc = buf_add_str(out, ">; rel=\"original\", <");
	if (rc == 0)
		rc = add_memento_address(
			out, a->control, a->collection, NULL, ROUTE_FRAMED, a->page);
	if (rc == 0)
		rc = buf_add_str(out, ">; rel=\"timegate\"");
	return rc ? rc : add_timemap(out, a);
}

int links_add_memento(
	struct buf *out, const struct asked *a, const struct memento *m, const char *relation)
{
	char date[HTTP_DATE_SIZE];
	int rc = buf_add_char(out, '<');

	http_date_format(m->seen, date);
	if (rc == 0)
		rc = add_memento_address(
			out, a->control, a->collection, m->digits, ROUTE_FRAMED, m->url);
	return rc ? rc : buf_printf(out, ">; rel=\"%s\"; datetime=\"%s\"", relation, date);
}

/* One memento may be several of these at once; each is listed once. */
int links_add_mementos(struct buf *out, const struct asked *a, const struct mementos *list,
	const struct memento *m)
{
	const struct memento *first = list->list.ptr, *last;
	int rc = 0;

	if (list->list.len == 0)
		return 0;
	last = &first[list->list.len - 1];
	for (const struct memento *x = first; rc == 0 && x <= last; x++) {
		bool is_near = m && x >= m - 1 && x <= m + 1;
		char relation[64];

		if (x != first && x != last && !is_near) {
			x = m && x < m ? m - 2 : last - 1;
			continue;
		}
		(void)snprintf(relation, sizeof relation, "%s%s%s%smemento",
			x == first ? "first " : "", x == last ? "last " : "",
			m && x == m - 1 ? "prev " : "", m && x == m + 1 ? "next " : "");
		rc = buf_add_str(out, ", ");
		if (rc == 0)
			rc = links_add_memento(out, a, x, relation);
	}
	return rc;
}
