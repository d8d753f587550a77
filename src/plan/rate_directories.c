#include "plan/rate_directories.h"

#include "base/err.h"

enum { NAME_MAX_SIZE = 1024 }; /* a directory with a longer name is no class */

#define NAMES_MAX ((size_t)2 * DIRECTORIES_MAX * NAME_MAX_SIZE)

int directories_init(struct directories *d)
{
	*d = (struct directories){0};
	arena_init(&d->names, NAMES_MAX);
	strmap_init(&d->known, hash_key_random(), &d->names);
	return u32_vec_try_push(&d->parents, 0);
}

void directories_release(struct directories *d)
{
	u32_vec_release(&d->parents);
	u32_vec_release(&d->classes);
	strmap_release(&d->known);
	arena_release(&d->names);
}

static int add_class(struct directories *d, slice name, uint32_t parent, uint32_t *ret)
{
	uint32_t class = (uint32_t)d->parents.len;
	int rc = strmap_put(&d->known, name, class);

	if (rc == 0)
		rc = u32_vec_try_push(&d->parents, parent);
	if (rc == 0)
		*ret = class;
	return rc;
}

/* The class of the path's last directory, or the nearest above it. */
static uint32_t walk(const struct directories *d, slice path, size_t *ret_next)
{
	uint32_t class = 0;
	size_t i;

	for (i = 0; i < path.len; i++)
		if (path.ptr[i] == '/' && !strmap_get(&d->known, slice_sub(path, 0, i), &class))
			break;
	*ret_next = i;
	return class;
}

int directories_add(struct directories *d, slice path)
{
	size_t next;
	uint32_t class = walk(d, path, &next);
	int rc = 0;

	path = slice_sub(path, 0, NAME_MAX_SIZE);
	for (; rc == 0 && next < path.len && d->parents.len < DIRECTORIES_MAX; next++)
		if (path.ptr[next] == '/')
			rc = add_class(d, slice_sub(path, 0, next), class, &class);
	return rc ? rc : u32_vec_try_push(&d->classes, class);
}

uint32_t directories_find(const struct directories *d, slice path)
{
	size_t next;

	return walk(d, path, &next);
}
