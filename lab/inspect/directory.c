#include "inspect/directory.h"

#include <string.h>

struct place {
	slice host;
	slice path; /* without the slash at its beginning, query and fragment */
};

static size_t find(slice s, const char *bytes)
{
	size_t i = 0;

	while (i < s.len && (s.ptr[i] == '\0' || !strchr(bytes, s.ptr[i])))
		i++;
	return i;
}

static struct place place_of(slice url)
{
	size_t colon = find(url, ":/?#");
	struct place p = {.path = slice_sub(url, 0, find(url, "?#"))};

	if (slice_starts_with(slice_sub(p.path, colon, p.path.len), SLICE("://"))) {
		slice rest = slice_sub(p.path, colon + 3, p.path.len);

		p.host = slice_take(&rest, '/');
		p.path = rest;
	} else if (slice_starts_with(p.path, SLICE("/"))) {
		p.path = slice_sub(p.path, 1, p.path.len);
	}
	return p;
}

static bool same_host(slice a, slice b)
{
	return a.len == b.len && (a.len == 0 || strncasecmp(a.ptr, b.ptr, a.len) == 0);
}

/* Directories of a path below the root. */
static int32_t depth_of(slice path)
{
	int32_t depth = 0;

	for (size_t i = 0; i < path.len; i++)
		depth += path.ptr[i] == '/';
	return depth;
}

/* Directories that both lie in, below the root. */
static int32_t common_depth(slice a, slice b)
{
	int32_t depth = 0;

	for (size_t i = 0; i < a.len && i < b.len && a.ptr[i] == b.ptr[i]; i++)
		depth += a.ptr[i] == '/';
	return depth;
}

int32_t rank_directory_distance(slice seed, slice page)
{
	struct place s = place_of(seed), p = place_of(page);
	int32_t m = depth_of(s.path), n = depth_of(p.path), c = common_depth(s.path, p.path);
	int32_t steps = (m - c) + (n - c);

	if (!same_host(s.host, p.host))
		return RANK_UNREACHABLE;
	return n <= m ? steps : -steps;
}
