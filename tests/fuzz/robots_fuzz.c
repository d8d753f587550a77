/*
 * robots.txt: any bytes are read. The input's first line is the path, the rest the file. What is
 * decided can be explained: a line is given when and only when a rule decided, and it matches. A
 * path decides as its own normal form does.
 */
#include <stdint.h>
#include <stdlib.h>

#include "formats/robots.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool ok)
{
	if (!ok)
		abort();
}

static void check_order(const struct robots *r)
{
	for (size_t i = 1; i < r->rules.len; i++) {
		const struct robots_rule *a = &r->rules.ptr[i - 1], *b = &r->rules.ptr[i];

		require(a->octets >= b->octets);
		require(a->octets > b->octets || a->allow >= b->allow);
	}
}

static void check_decision(const struct robots *r, slice path, struct robots_decision d)
{
	struct robots_decision again;
	struct buf normal;

	buf_init(&normal, 4 * (size_t)ROBOTS_PATH_MAX);
	require(robots_normalise_path(&normal, path) == 0);
	require(normal.len <= 3 * path.len);
	if (normal.len <= ROBOTS_PATH_MAX) {
		require(robots_decide(r, buf_slice(&normal), &again) == 0);
		require(again.allowed == d.allowed && again.line == d.line);
	}
	buf_release(&normal);
}

/* Packed and unpacked it decides the same. */
static void check_packed(const struct robots *r, slice path, struct robots_decision d)
{
	struct robots_decision again;
	struct robots copy;
	struct buf packed;

	buf_init(&packed, 2 * (size_t)ROBOTS_MEMORY_MAX);
	require(robots_pack(r, &packed) == 0);
	robots_unpack(&copy, buf_slice(&packed));
	require(copy.rules.len == r->rules.len && copy.sitemaps.len == r->sitemaps.len);
	require(robots_decide(&copy, path, &again) == 0);
	require(again.allowed == d.allowed && again.line == d.line && again.work == d.work);
	robots_release(&copy);
	buf_release(&packed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	slice input = {(const char *)data, size};
	const char *end = size ? memchr(input.ptr, '\n', size) : NULL;
	slice path = slice_sub(input, 0, end ? (size_t)(end - input.ptr) : 0);
	struct robots_decision d;
	struct robots r;

	if (path.len > ROBOTS_PATH_MAX)
		return 0;
	require(robots_parse(&r, slice_sub(input, path.len, size), SLICE("bot"), NULL) == 0);
	require(r.crawl_delay >= 0 || r.crawl_delay == -1);
	check_order(&r);
	require(robots_decide(&r, robots_url_path(path), &d) == 0);
	require(d.line > 0 || d.allowed || d.exhausted);
	check_packed(&r, robots_url_path(path), d);
	check_decision(&r, robots_url_path(path), d);
	robots_release(&r);
	return 0;
}
