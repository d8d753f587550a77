#include "replay/memento_links.h"

#include <stdio.h>

#include "formats/http_date.h"

void links_add_resources(struct buf *out, const struct asked *a)
{
	buf_add_char(out, '<');
	buf_add(out, a->page);
	buf_add_str(out, ">; rel=\"original\", <");
	add_memento_address(out, a->control, a->collection, NULL, ROUTE_FRAMED, a->page);
	buf_add_str(out, ">; rel=\"timegate\", <");
	add_collection_address(out, a->control, a->collection);
	buf_add_str(out, "timemap/link/");
	buf_add(out, a->page);
	buf_add_str(out, ">; rel=\"timemap\"; type=\"application/link-format\"");
}

void links_add_memento(
	struct buf *out, const struct asked *a, const struct memento *m, const char *relation)
{
	char date[HTTP_DATE_SIZE];

	http_date_format(m->seen, date);
	buf_add_char(out, '<');
	add_memento_address(out, a->control, a->collection, m->digits, ROUTE_FRAMED, m->url);
	buf_printf(out, ">; rel=\"%s\"; datetime=\"%s\"", relation, date);
}

/* One memento may be several of these at once; each is listed once. */
void links_add_mementos(struct buf *out, const struct asked *a, const struct mementos *list,
	const struct memento *m)
{
	const struct memento *first = list->list.ptr, *last;

	if (list->list.len == 0)
		return;
	last = &first[list->list.len - 1];
	for (const struct memento *x = first; x <= last; x++) {
		bool is_near = m && x >= m - 1 && x <= m + 1;
		char relation[64];

		if (x != first && x != last && !is_near) {
			x = m && x < m ? m - 2 : last - 1;
			continue;
		}
		(void)snprintf(relation, sizeof relation, "%s%s%s%smemento",
			x == first ? "first " : "", x == last ? "last " : "",
			m && x == m - 1 ? "prev " : "", m && x == m + 1 ? "next " : "");
		buf_add_str(out, ", ");
		links_add_memento(out, a, x, relation);
	}
}
