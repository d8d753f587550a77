#include "crawl/earlier_index.h"

/* Whether a line of settings is part of what makes a site. */
static bool is_site_line(slice line)
{
	static const slice NAMES[] = {SLICE_INIT("seeds "), SLICE_INIT("scope "),
		SLICE_INIT("surts "), SLICE_INIT("includes "), SLICE_INIT("excludes "),
		SLICE_INIT("no_requisites "), SLICE_INIT("max_pages "), SLICE_INIT("max_depth ")};

	for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++)
		if (slice_starts_with(line, NAMES[i]))
			return true;
	return false;
}

int earlier_name_site(slice settings, struct buf *out)
{
	int rc = 0;

	buf_reset(out);
	while (rc == 0 && settings.len > 0) {
		slice line = slice_take(&settings, '\n');

		if (is_site_line(line))
			rc = buf_printf(out, "%.*s\n", (int)line.len, line.ptr);
	}
	return rc;
}

struct loading {
	struct earlier_index *index;
	struct buf site;
	struct err *err;
};

static int add(struct earlier_index *x, slice site, const struct catalog_capture *row)
{
	uint32_t place;
	int rc = 0;

	if (!strmap_get(&x->sites, site, &place)) {
		place = (uint32_t)x->last.len;
		rc = u32_vec_push(&x->last, 0);
		if (rc == 0)
			rc = strmap_put(&x->sites, site, place);
	}
	if (rc == 0)
		rc = earlier_captures_push(&x->list, (struct earlier_capture){.id = row->id,
							     .before = x->last.ptr[place],
							     .started = row->started,
							     .finished = row->finished,
							     .is_cut = row->state == CATALOG_CUT});
	if (rc == 0)
		x->last.ptr[place] = (uint32_t)x->list.len;
	return rc;
}

static int on_capture(void *context, const struct catalog_capture *row)
{
	struct loading *l = context;
	int rc = 0;

	if (row->state == CATALOG_RUNNING)
		return 0;
	rc = earlier_name_site(row->settings, &l->site);
	return err_code(l->err, rc ? rc : add(l->index, buf_slice(&l->site), row));
}

int earlier_index_load(struct earlier_index *x, struct catalog *catalog, struct err *err)
{
	struct loading l = {.index = x, .err = err};
	int rc;

	arena_init(&x->names, EARLIER_NAMES_MAX);
	strmap_init(&x->sites, hash_key_random(), &x->names);
	buf_init(&l.site, EARLIER_NAMES_MAX);
	rc = catalog_each_capture(catalog, on_capture, &l, err);
	buf_release(&l.site);
	return rc;
}

void earlier_index_release(struct earlier_index *x)
{
	earlier_captures_release(&x->list);
	u32_vec_release(&x->last);
	strmap_release(&x->sites);
	arena_release(&x->names);
	*x = (struct earlier_index){0};
}
