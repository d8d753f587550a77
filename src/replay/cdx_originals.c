#include "replay/cdx_originals.h"

#include <stdlib.h>

#include "base/hash.h"

enum { ARENA_MAX = 32 << 20 };

VEC_DECLARE(line_vec, struct cdxj);

struct cdx_originals {
	struct arena arena;
	struct strmap numbers; /* digest → number of the line */
	struct line_vec lines; /* only what is asked of them */
};

int cdx_originals_new(struct cdx_originals **ret)
{
	struct cdx_originals *o = calloc(1, sizeof *o);

	if (!o)
		return ERR_NOMEM;
	arena_init(&o->arena, ARENA_MAX);
	strmap_init(&o->numbers, hash_key_random(), &o->arena);
	*ret = o;
	return 0;
}

void cdx_originals_free(struct cdx_originals *o)
{
	if (!o)
		return;
	strmap_release(&o->numbers);
	line_vec_release(&o->lines);
	arena_release(&o->arena);
	free(o);
}

void cdx_originals_reset(struct cdx_originals *o)
{
	strmap_reset(&o->numbers);
	arena_reset(&o->arena);
	o->lines.len = 0;
}

static bool keep(struct arena *arena, slice *text)
{
	if (text->ptr)
		text->ptr = arena_strdup(arena, *text);
	return text->ptr != NULL;
}

static void remember(struct cdx_originals *o, const struct cdxj *line)
{
	struct cdxj copy = {.mime = line->mime,
		.filename = line->filename,
		.status = line->status,
		.has_place = line->has_place,
		.length = line->length,
		.offset = line->offset};

	if (strmap_get(&o->numbers, line->digest, NULL) || !keep(&o->arena, &copy.mime) ||
		!keep(&o->arena, &copy.filename))
		return;
	if (line_vec_push(&o->lines, copy) == 0 &&
		strmap_put(&o->numbers, line->digest, (uint32_t)o->lines.len - 1))
		o->lines.len--;
}

void cdx_originals_apply(struct cdx_originals *o, struct cdx_row *row)
{
	bool is_revisit = slice_eq(row->line.mime, SLICE("warc/revisit"));
	uint32_t number;

	if (row->line.digest.len == 0)
		return;
	if (!is_revisit) {
		remember(o, &row->line);
	} else if (strmap_get(&o->numbers, row->line.digest, &number)) {
		row->original = &o->lines.ptr[number];
		row->line.mime = row->original->mime;
		row->line.status = row->original->status;
	}
}
