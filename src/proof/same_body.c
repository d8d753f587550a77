#include "proof/same_body.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

/* Constant: they are compared within one run only. */
static const struct hash_key PATH_KEY = {0x73616d65626f6479, 0x7061746873686173};

void same_bodies_release(struct same_bodies *s)
{
	same_body_looks_release(&s->looks);
	*s = (struct same_bodies){0};
}

static uint64_t number_of(const struct digest *d)
{
	uint64_t number;

	memcpy(&number, d->bytes, sizeof number);
	return number;
}

static bool is_page(const struct observation *o)
{
	return observation_is_usable(o) && !observation_is_shell(o) && o->is_html &&
	       o->status == 200 && o->key.has_state;
}

static void add(struct same_bodies *s, uint64_t path, const struct observation *o,
	const struct observation *other)
{
	struct same_body_look look = {.path = path};

	if (!is_page(o))
		return;
	look.body = number_of(&o->key.state);
	look.login_box = o->login_box;
	look.replaces = is_page(other) && !observation_same(o, other);
	same_body_looks_push(&s->looks, look);
	look.body = number_of(&o->key.class);
	if (o->key.has_class)
		same_body_looks_push(&s->looks, look);
}

void same_bodies_add(struct same_bodies *s, slice url, const struct legs *legs)
{
	const char *query = memchr(url.ptr, '?', url.len);
	uint64_t path = hash_bytes(
		PATH_KEY, slice_sub(url, 0, query ? (size_t)(query - url.ptr) : url.len));

	add(s, path, &legs->visit, &legs->revisit);
	add(s, path, &legs->revisit, &legs->visit);
	s->pages += is_page(&legs->visit);
}

static int by_body(const void *a, const void *b)
{
	const struct same_body_look *x = a, *y = b;

	if (x->body != y->body)
		return x->body < y->body ? -1 : 1;
	return x->path < y->path ? -1 : x->path > y->path;
}

static bool stands_before(
	const struct same_bodies *s, bool login_box, uint64_t paths, uint64_t replaced)
{
	if (login_box)
		return paths >= SAME_BODY_LOGINS;
	return paths >= SAME_BODY_PATHS && paths * SAME_BODY_SHARE >= s->pages &&
	       replaced >= SAME_BODY_REPLACED;
}

void same_bodies_find(struct same_bodies *s)
{
	struct same_body_look *list = s->looks.ptr;
	size_t kept = 0;

	if (s->looks.len > 1)
		qsort(list, s->looks.len, sizeof *list, by_body);
	for (size_t i = 0, next; i < s->looks.len; i = next) {
		struct same_body_look first = list[i];
		uint64_t paths = 1, replaced = first.replaces;

		for (next = i + 1; next < s->looks.len && list[next].body == first.body; next++) {
			paths += list[next].path != list[next - 1].path;
			replaced += list[next].replaces;
		}
		if (stands_before(s, first.login_box, paths, replaced))
			list[kept++] = first;
	}
	s->looks.len = kept;
}

static bool has(const struct same_bodies *s, const struct digest *d)
{
	uint64_t body = number_of(d);
	size_t from = 0, to = s->looks.len;

	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (s->looks.ptr[middle].body == body)
			return true;
		if (s->looks.ptr[middle].body < body)
			from = middle + 1;
		else
			to = middle;
	}
	return false;
}

static bool mark(const struct same_bodies *s, struct observation *o)
{
	bool shows = is_page(o) && (has(s, &o->key.state) || has(s, same_class(&o->key)));

	if (shows)
		o->stand_in = o->login_box
				      ? SLICE("blocked: login: many URLs with one password form")
				      : SLICE("blocked: refused: many URLs with one body");
	return shows;
}

bool same_bodies_mark(const struct same_bodies *s, struct legs *legs)
{
	bool visit = mark(s, &legs->visit), revisit = mark(s, &legs->revisit);

	return visit || revisit;
}
