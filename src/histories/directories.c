#include "histories/directories.h"

#include "base/hash.h"

/* The class of a directory, which is the path up to a slash; makes those that are missing. */
static int find_class(struct directories *d, struct strmap *known, slice path, uint32_t *ret)
{
	uint32_t class = 0;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < path.len; i++) {
		uint32_t next;

		if (path.ptr[i] != '/')
			continue;
		if (!strmap_get(known, slice_sub(path, 0, i), &next)) {
			next = (uint32_t)d->parents.len;
			rc = u32_vec_push(&d->parents, class);
			if (rc == 0)
				rc = strmap_put(known, slice_sub(path, 0, i), next);
		}
		class = next;
	}
	*ret = class;
	return rc;
}

int directories_make(const slice *paths, size_t count, struct directories *ret)
{
	struct strmap known;
	int rc;

	*ret = (struct directories){0};
	strmap_init(&known, hash_key_random(), NULL);
	rc = u32_vec_push(&ret->parents, 0);
	for (size_t i = 0; rc == 0 && i < count; i++) {
		uint32_t class;

		rc = find_class(ret, &known, paths[i], &class);
		if (rc == 0)
			rc = u32_vec_push(&ret->classes, class);
	}
	strmap_release(&known);
	return rc;
}

void directories_release(struct directories *d)
{
	u32_vec_release(&d->parents);
	u32_vec_release(&d->classes);
}
