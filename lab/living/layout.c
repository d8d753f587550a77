#include "living/layout.h"

#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "base/word.h"

enum {
	PAIR = 2,          /* /prices and /terms */
	NAMED_GROUP = 1000 /* pages in a group where there are no sections */
};

#define TEXT_MAX ((size_t)4 << 30)

/* Where a page of the tree stands. */
struct place {
	size_t section; /* from 1; 0 is the root */
	size_t rank;    /* in its section */
};

void layout_tree(struct layout *l, size_t n, size_t outdegree, enum living_theme theme)
{
	*l = (struct layout){
		.n = n,
		.outdegree = outdegree,
		.theme = theme,
		.tree = theme == LIVING_SHOP ? n - PAIR : n,
	};
}

int layout_alloc(struct layout *l, size_t n)
{
	*l = (struct layout){.n = n, .tree = n, .outdegree = 1};
	arena_init(&l->text, TEXT_MAX);
	strmap_init(&l->by_path, hash_key_random(), NULL);
	l->paths = calloc(n + 1, sizeof *l->paths);
	l->link_from = calloc(n + 1, sizeof *l->link_from);
	return l->paths && l->link_from ? 0 : ERR_NOMEM;
}

int layout_name(struct layout *l, uint32_t page, slice path)
{
	char *copy = arena_strdup(&l->text, path);

	if (!copy)
		return ERR_NOMEM;
	l->paths[page] = (slice){copy, path.len};
	return strmap_put(&l->by_path, l->paths[page], page);
}

void layout_release(struct layout *l)
{
	strmap_release(&l->by_path);
	arena_release(&l->text);
	free(l->paths);
	free(l->link_from);
	free(l->links);
	free(l->listing);
	*l = (struct layout){0};
}

static bool stays(char c, const char *marks)
{
	return word_is_alnum(c) || (c && strchr(marks, c));
}

static int escape(struct buf *text, slice name, const char *marks)
{
	int rc = 0;

	if (name.len == 0 || name.ptr[0] != '/')
		rc = buf_add_char(text, '/');
	for (size_t i = 0; rc == 0 && i < name.len; i++)
		rc = stays(name.ptr[i], marks)
			     ? buf_add_char(text, name.ptr[i])
			     : buf_printf(text, "%%%02X", (unsigned)(unsigned char)name.ptr[i]);
	return rc;
}

int layout_escape_name(struct buf *text, slice name)
{
	return escape(text, name, "-._~/!$&'()*+,;=:@?%");
}

int layout_escape_file(struct buf *text, slice name)
{
	return escape(text, name, "-._~/!$&'()*+,;=:@");
}

bool layout_is_reserved(slice path)
{
	return slice_eq(path, SLICE("/robots.txt")) || slice_eq(path, SLICE("/sitemap.xml"));
}

static size_t sections(const struct layout *l)
{
	return l->outdegree < l->tree - 1 ? l->outdegree : l->tree - 1;
}

static struct place place_of(const struct layout *l, uint32_t page)
{
	if (page == 0)
		return (struct place){0};
	return (struct place){(page - 1) % l->outdegree + 1, (page - 1) / l->outdegree};
}

static size_t page_at(const struct layout *l, struct place p)
{
	return p.rank * l->outdegree + p.section;
}

int layout_path(const struct layout *l, uint32_t page, struct buf *text)
{
	struct place p;

	if (l->paths)
		return buf_add(text, l->paths[page]);
	if (page == 0)
		return buf_add_char(text, '/');
	if (page >= l->tree)
		return buf_add_str(text, page == l->tree ? "/prices" : "/terms");
	p = place_of(l, page);
	if (p.rank == 0)
		return buf_printf(text, "/s%zu/", p.section);
	return buf_printf(text, "/s%zu/%zu", p.section, p.rank);
}

/* A number as we write it: no zeros in front. */
static bool plain_number(slice s, size_t max, size_t *ret)
{
	uint64_t value;

	if (s.len == 0 || s.ptr[0] == '0' || parse_u64(s, &value) || value > max)
		return false;
	*ret = (size_t)value;
	return true;
}

static bool find_in_tree(const struct layout *l, slice path, uint32_t *ret_page)
{
	slice rank = slice_sub(path, 2, path.len), section = slice_take(&rank, '/');
	struct place p = {0};
	size_t page;

	if (!slice_starts_with(path, SLICE("/s")) || 2 + section.len == path.len ||
		!plain_number(section, l->outdegree, &p.section))
		return false;
	if (rank.len > 0 && !plain_number(rank, l->tree, &p.rank))
		return false;
	page = page_at(l, p);
	if (page >= l->tree)
		return false;
	*ret_page = (uint32_t)page;
	return true;
}

bool layout_find(const struct layout *l, slice target, uint32_t *ret_page)
{
	slice rest = target, path = slice_take(&rest, '?');

	if (l->paths)
		return strmap_get(&l->by_path, target, ret_page) ||
		       strmap_get(&l->by_path, path, ret_page);
	if (slice_eq(path, SLICE("/"))) {
		*ret_page = 0;
		return true;
	}
	if (l->theme == LIVING_SHOP && slice_eq(path, SLICE("/prices"))) {
		*ret_page = (uint32_t)l->tree;
		return true;
	}
	if (l->theme == LIVING_SHOP && slice_eq(path, SLICE("/terms"))) {
		*ret_page = (uint32_t)l->tree + 1;
		return true;
	}
	return find_in_tree(l, path, ret_page);
}

/* The page that lists this one; a root is its own. Of named pages always the first. */
static uint32_t layout_parent(const struct layout *l, uint32_t page)
{
	struct place p;

	if (l->links || page == 0 || page >= l->tree)
		return 0;
	p = place_of(l, page);
	if (p.rank == 0)
		return 0;
	p.rank = (p.rank - 1) / l->outdegree;
	return (uint32_t)page_at(l, p);
}

static int add_children(const struct layout *l, uint32_t page, struct u32_vec *list)
{
	struct place p = place_of(l, page);
	int rc = 0;

	for (size_t i = 1; rc == 0 && i <= l->outdegree; i++) {
		struct place child = {p.section, p.rank * l->outdegree + i};
		size_t number = p.section ? page_at(l, child) : i;

		if (number >= l->tree)
			break;
		rc = u32_vec_push(list, (uint32_t)number);
	}
	return rc;
}

/*
 * Every page of a shop leads to its prices, but only the last one, where a customer pays, to its
 * terms: a crawler that follows links comes by the two at quite different times.
 */
static int add_pair(const struct layout *l, uint32_t page, struct u32_vec *list)
{
	uint32_t prices = (uint32_t)l->tree, terms = prices + 1;
	int rc = 0;

	if (l->theme != LIVING_SHOP)
		return 0;
	if (page != prices)
		rc = u32_vec_push(list, prices);
	if (rc == 0 && page == l->tree - 1)
		rc = u32_vec_push(list, terms);
	return rc;
}

static int add_tree_links(const struct layout *l, uint32_t page, struct u32_vec *list)
{
	int rc = 0;

	if (page != 0)
		rc = u32_vec_push(list, layout_parent(l, page));
	if (rc == 0 && page != 0 && page < l->tree && page + 1 < l->tree)
		rc = u32_vec_push(list, page + 1); /* its neighbour in the next section */
	if (rc == 0 && page < l->tree)
		rc = add_children(l, page, list);
	return rc ? rc : add_pair(l, page, list);
}

int layout_links(const struct layout *l, uint32_t page, struct u32_vec *list)
{
	if (!l->links)
		return add_tree_links(l, page, list);
	return u32_vec_add(
		list, l->links + l->link_from[page], l->link_from[page + 1] - l->link_from[page]);
}

static size_t parts(size_t count, size_t max)
{
	return (count + max - 1) / max;
}

/* Files that the ranks of a section need. */
static size_t section_parts(const struct layout *l)
{
	return parts(parts(l->tree - 1, l->outdegree), LIVING_SITEMAP_MAX);
}

/* The root, then the parts of each section, then the pair of a shop. */
size_t layout_group_count(const struct layout *l)
{
	if (l->paths)
		return parts(l->n, NAMED_GROUP);
	return 1 + sections(l) * section_parts(l) + (l->n > l->tree);
}

struct layout_group layout_group(const struct layout *l, size_t index)
{
	struct layout_group g = {.step = (uint32_t)l->outdegree};
	size_t ranks, from;

	if (l->paths) {
		g = (struct layout_group){.first = (uint32_t)(index * NAMED_GROUP), .step = 1};
		g.count = l->n - g.first < NAMED_GROUP ? l->n - g.first : NAMED_GROUP;
		return g;
	}
	if (index == 0)
		return (struct layout_group){.first = 0, .step = 1, .count = 1};
	if (index > sections(l) * section_parts(l))
		return (struct layout_group){(uint32_t)l->tree, 1, l->n - l->tree};
	from = (index - 1) % section_parts(l) * LIVING_SITEMAP_MAX;
	g.first = (uint32_t)page_at(l, (struct place){(index - 1) / section_parts(l) + 1, from});
	ranks = g.first < l->tree ? parts(l->tree - g.first, l->outdegree) : 0;
	g.count = ranks < LIVING_SITEMAP_MAX ? ranks : LIVING_SITEMAP_MAX;
	return g;
}
