#include "quality/place.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/hash.h"
#include "base/word.h"
#include "url/domain.h"

/* Constant: shapes are stored, and compared by other processes. */
static const struct hash_key SHAPE_KEY = {0x5354494c4c504f49, 0x4e542d5348415045};

/* ---- kinds ---- */

static bool has_digit(slice s)
{
	for (size_t i = 0; i < s.len; i++)
		if (word_is_digit(s.ptr[i]))
			return true;
	return false;
}

/* The path without its last segment, be there a slash behind it or not. */
static slice directory(slice path)
{
	if (path.len > 1 && path.ptr[path.len - 1] == '/')
		path.len--;
	while (path.len && path.ptr[path.len - 1] != '/')
		path.len--;
	return path;
}

int place_directory(const struct url *url, struct buf *out)
{
	slice left = directory(url_part(url, url->path));
	int rc = buf_add(out, slice_sub(url_text(url), 0, url->authority_end));

	while (rc == 0 && left.len) {
		slice segment = slice_take(&left, '/');

		rc = has_digit(segment) ? buf_add_char(out, '*') : buf_add(out, segment);
		if (rc == 0)
			rc = buf_add_char(out, '/');
	}
	return rc;
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static slice name_of(const struct view *v, const struct view_node *node)
{
	slice name = slice_str(node->name ? v->names.ptr + node->name : "");

	return node->tag == HTML_TAG_OTHER ? slice_take(&name, '#')
					   : html_tag_name((enum html_tag)node->tag);
}

/* A node's number for the shape, from that of its parent; 0: it lies too deep. */
static uint64_t number_of(const struct view *v, const struct view_node *node,
	const uint64_t *numbers, uint8_t *depths)
{
	uint64_t parts[2] = {numbers[node->parent], hash_bytes(SHAPE_KEY, name_of(v, node))};
	uint8_t depth = (uint8_t)(depths[node->parent] + 1);

	depths[node - v->nodes.ptr] = depth > PLACE_SHAPE_DEPTH ? PLACE_SHAPE_DEPTH : depth;
	if (depth > PLACE_SHAPE_DEPTH)
		return 0;
	return hash_bytes(SHAPE_KEY, (slice){(const char *)parts, sizeof parts}) | 1;
}

static uint64_t shape_of(const struct view *v, uint64_t *numbers, uint8_t *depths)
{
	uint64_t shape = 0, last = 0;

	for (size_t i = 1; i < v->nodes.len; i++)
		numbers[i] = number_of(v, &v->nodes.ptr[i], numbers, depths);
	qsort(numbers, v->nodes.len, sizeof *numbers, by_number);
	for (size_t i = 0; i < v->nodes.len; i++) {
		if (numbers[i] != last)
			shape = shape * 31 + numbers[i];
		last = numbers[i];
	}
	return shape;
}

int place_kind(const struct url *url, const struct view *v, struct buf *out)
{
	size_t count = v->nodes.len ? v->nodes.len : 1;
	uint64_t *numbers = calloc(count, sizeof *numbers), shape = 0;
	uint8_t *depths = calloc(count, 1);
	int rc = numbers && depths ? 0 : ERR_NOMEM;

	if (rc == 0) {
		shape = shape_of(v, numbers, depths);
		rc = place_directory(url, out);
	}
	if (rc == 0)
		rc = buf_printf(out, " %08x", (unsigned)(shape ^ shape >> 32));
	free(numbers);
	free(depths);
	return rc;
}

/* ---- places ---- */

static int add_step(const struct view *v, const struct view_node *node, struct buf *out)
{
	const char *hash = node->name ? strchr(v->names.ptr + node->name, '#') : NULL;
	slice id = hash ? slice_str(hash) : (slice){0};
	int rc = buf_add(out, name_of(v, node));

	if (rc == 0 && id.len && !has_digit(id) && !memchr(id.ptr, ' ', id.len))
		rc = buf_add(out, id);
	return rc;
}

int place_of(const struct view *v, uint32_t node, struct buf *out)
{
	uint32_t path[PLACE_DEPTH_MAX];
	size_t depth = 0;
	int rc = 0;

	for (uint32_t at = node; at; at = v->nodes.ptr[at].parent) {
		if (depth == PLACE_DEPTH_MAX)
			return ERR_LIMIT;
		path[depth++] = at;
	}
	while (rc == 0 && depth > 0) {
		rc = add_step(v, &v->nodes.ptr[path[--depth]], out);
		if (rc == 0 && depth > 0)
			rc = buf_add_char(out, '>');
	}
	return rc;
}

/* ---- sites ---- */

static slice site_of(const struct url *url)
{
	slice domain = url->host_kind == URL_HOST_DOMAIN ? url_domain(url) : (slice){0};

	return domain.len ? domain : url_part(url, url->host);
}

bool place_is_foreign(const struct url *page, slice ref, struct url *scratch, slice *ret_host)
{
	bool has_host = slice_starts_with(ref, SLICE("//")) || word_starts(ref, SLICE("http:")) ||
			word_starts(ref, SLICE("https:"));

	if (!has_host || url_parse(scratch, ref, page, NULL) || !url_is_http(scratch))
		return false;
	*ret_host = url_part(scratch, scratch->host);
	return !slice_eq(site_of(page), site_of(scratch));
}
