#include "crawl/robots_history.h"

#include <stdlib.h>
#include <string.h>

#include "extract/robots_policy.h"

struct loading {
	struct robots_history *memory;
	struct err *err;
};

static int find_or_add(struct robots_history *m, slice origin, struct earlier_robots **ret)
{
	uint32_t at;
	int rc;

	if (!strmap_get(&m->by_origin, origin, &at)) {
		at = (uint32_t)m->list.len;
		rc = earlier_robots_vec_reserve(&m->list, 1);
		if (rc == 0)
			rc = strmap_put(&m->by_origin, origin, at);
		if (rc)
			return rc;
		m->list.ptr[m->list.len++] = (struct earlier_robots){0};
	}
	*ret = &m->list.ptr[at];
	return 0;
}

static void forget_copy(struct robots_history *m, struct earlier_robots *r)
{
	m->bytes -= r->len;
	free(r->body);
	r->body = NULL;
	r->len = 0;
}

static int keep_copy(struct robots_history *m, struct earlier_robots *r, slice body)
{
	if (body.len > ROBOTS_HISTORY_MAX - m->bytes)
		return 0;
	r->body = malloc(body.len + 1);
	if (!r->body)
		return ERR_NOMEM;
	if (body.len > 0)
		memcpy(r->body, body.ptr, body.len);
	r->len = body.len;
	m->bytes += body.len;
	return 0;
}

/* Rows come in their order; the last one counts. */
static int on_robots(void *context, const struct catalog_robots *row)
{
	struct loading *l = context;
	struct earlier_robots *r = NULL;
	int rc = find_or_add(l->memory, row->origin, &r);

	if (rc == 0 && row->policy == ROBOTS_DISALLOW_ALL) {
		if (!r->unreachable)
			r->unreachable = row->fetched;
	} else if (rc == 0) {
		r->unreachable = 0;
		r->checked = row->checked;
		forget_copy(l->memory, r);
		if (row->policy == ROBOTS_PARSE)
			rc = keep_copy(l->memory, r, row->body);
	}
	return err_code(l->err, rc);
}

int robots_history_load(
	struct robots_history *m, struct catalog *catalog, uint32_t capture, struct err *err)
{
	struct loading l = {.memory = m, .err = err};

	arena_init(&m->names, ROBOTS_HISTORY_MAX);
	strmap_init(&m->by_origin, hash_key_random(), &m->names);
	return catalog_earlier_robots(catalog, capture, on_robots, &l, err);
}

void robots_history_release(struct robots_history *m)
{
	for (size_t i = 0; i < m->list.len; i++)
		free(m->list.ptr[i].body);
	earlier_robots_vec_release(&m->list);
	strmap_release(&m->by_origin);
	arena_release(&m->names);
	*m = (struct robots_history){0};
}

const struct earlier_robots *robots_history_find(const struct robots_history *m, slice origin)
{
	uint32_t at;

	return m->list.len > 0 && strmap_get(&m->by_origin, origin, &at) ? &m->list.ptr[at] : NULL;
}
