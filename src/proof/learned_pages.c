#include "proof/learned_pages.h"

#include "base/err.h"

#define ARENA_MAX ((size_t)1 << 30)

void learned_pages_init(struct learned_pages *p)
{
	*p = (struct learned_pages){0};
	learned_init(&p->rules);
	arena_init(&p->arena, ARENA_MAX);
	strmap_init(&p->index, hash_key_random(), NULL);
}

void learned_pages_release(struct learned_pages *p)
{
	learned_release(&p->rules);
	learning_lines_release(&p->lines);
	strmap_release(&p->index);
	arena_release(&p->arena);
	*p = (struct learned_pages){0};
}

int learned_pages_add(struct learned_pages *p, slice line)
{
	struct learning_line same;
	bool is_same;
	slice copy = {arena_strdup(&p->arena, line), line.len};
	int rc = copy.ptr ? learning_parse(copy, &p->rules, &same, &is_same) : ERR_NOMEM;

	if (rc)
		return rc;
	if (!is_same)
		return 0;
	rc = strmap_put(&p->index, same.url, (uint32_t)p->lines.len);
	return rc ? rc : learning_lines_push(&p->lines, same);
}

const struct learning_line *learned_pages_find(
	const struct learned_pages *p, slice url, const struct legs *legs)
{
	const struct learning_line *line;
	uint32_t at;

	if (!strmap_get(&p->index, url, &at))
		return NULL;
	line = &p->lines.ptr[at];
	if (legs->late || line->visit != legs->visit_number ||
		line->revisit != legs->revisit_number)
		return NULL;
	return line;
}

bool learned_pages_has(const struct learned_pages *p, slice url)
{
	return strmap_get(&p->index, url, NULL);
}

void learned_pages_apply(const struct learning_line *line, struct legs *legs)
{
	legs->visit.key.has_class = legs->revisit.key.has_class = true;
	legs->visit.key.class = legs->revisit.key.class = line->class;
	legs->visit.masked = legs->revisit.masked = line->masked;
	legs->glimpse_count = 0;
}
