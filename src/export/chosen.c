#include "export/chosen.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "archive/compact_body.h"
#include "archive/warc_reader.h"
#include "base/hash.h"

enum { IDS_MAX = 1 << 30, LOOK_MAX = 4 << 20 };

struct chosen {
	struct arena arena;
	struct strmap ids; /* of responses and revisits */
	slice uuid;
};

static int add(struct chosen *c, slice id)
{
	int rc = id.len ? strmap_put(&c->ids, id, 0) : 0;

	return rc == ERR_EXISTS ? 0 : rc;
}

static int on_observation(void *context, const struct attempt *a)
{
	return add(context, a->record_id);
}

static int find_capture(
	struct chosen *c, struct catalog *catalog, uint32_t capture, struct err *err)
{
	struct catalog_capture found;
	int rc = catalog_get_capture(catalog, capture, &c->arena, &found, err);

	if (rc == ERR_NOTFOUND)
		return err_set(err, rc, "there is no capture %" PRIu32 " in this archive", capture);
	if (rc == 0 && found.state == CATALOG_RUNNING)
		return err_set(err, ERR_STATE,
			"capture %" PRIu32 " is not finished; run 'stillpoint resume' first",
			capture);
	if (rc == 0)
		c->uuid = found.uuid;
	return rc;
}

int chosen_open(struct catalog *catalog, uint32_t capture, struct chosen **ret, struct err *err)
{
	struct chosen *c = calloc(1, sizeof *c);
	int rc;

	if (!c)
		return err_code(err, ERR_NOMEM);
	arena_init(&c->arena, IDS_MAX);
	strmap_init(&c->ids, hash_key_random(), &c->arena);
	rc = find_capture(c, catalog, capture, err);
	if (rc == 0)
		rc = err_code(
			err, catalog_each_observation(catalog, capture, on_observation, c, err));
	if (rc)
		chosen_close(c);
	else
		*ret = c;
	return rc;
}

void chosen_close(struct chosen *c)
{
	if (!c)
		return;
	strmap_release(&c->ids);
	arena_release(&c->arena);
	free(c);
}

/* ---- what revisit records and compact looks refer to: the catalog does not know ---- */

static int add_of_looks(struct chosen *c, slice block)
{
	struct compact_rows rows;
	struct compact_look look;
	struct arena arena;
	int rc = compact_open(&rows, block, NULL);

	if (rc)
		return 0;
	arena_init(&arena, LOOK_MAX);
	while (rc == 0 && (rc = compact_next(&rows, &arena, &look, NULL)) != ERR_END) {
		if (rc == 0 && strmap_get(&c->ids, look.attempt.record_id, NULL))
			rc = add(c, look.attempt.original.record);
		else if (rc != ERR_NOMEM)
			rc = 0;
		arena_reset(&arena);
	}
	arena_release(&arena);
	return rc == ERR_END ? 0 : rc;
}

static int read_looks(struct chosen *c, struct warc_reader *r, struct err *err)
{
	struct buf block;
	int rc;

	buf_init(&block, COMPACT_BLOCK_MAX);
	rc = compact_block(r, &block, err);
	if (rc == 0)
		rc = err_code(err, add_of_looks(c, buf_slice(&block)));
	buf_release(&block);
	return rc;
}

static int add_referred(struct chosen *c, const struct warc_record *rec)
{
	slice id = fields_trim(warc_header_get(&rec->header, SLICE("WARC-Record-ID")));

	if (rec->is_gap || rec->header.type != WARC_TYPE_REVISIT || !strmap_get(&c->ids, id, NULL))
		return 0;
	return add(c, fields_trim(warc_header_get(&rec->header, SLICE("WARC-Refers-To"))));
}

static int read_file(
	void *context, slice name, const struct warc_source *source, uint64_t size, struct err *err)
{
	const struct warc_record *rec;
	struct warc_reader *r;
	int rc = warc_reader_open_source(source, WARC_READER_UNCHECKED, &r, err);

	(void)size;
	if (rc == 0) {
		while (rc == 0 && (rc = warc_reader_next(r, &rec, err)) == 0)
			rc = !rec->is_gap && compact_is_type(rec->header.content_type)
				     ? read_looks(context, r, err)
				     : err_code(err, add_referred(context, rec));
		warc_reader_close(r);
	}
	if (rc && rc != ERR_END)
		err_prefix(err, "%.*s", (int)name.len, name.ptr);
	return rc == ERR_END ? 0 : rc;
}

int chosen_complete(struct chosen *c, const struct export_params *params, struct err *err)
{
	struct export_counts counts = {0};

	return export_each_file(params, read_file, c, &counts, err);
}

static bool names_capture(const struct chosen *c, slice url, slice start)
{
	return slice_eq(url, c->uuid) ||
	       (c->uuid.len && start.len &&
		       memmem(start.ptr, start.len, c->uuid.ptr, c->uuid.len) != NULL);
}

bool chosen_has(const struct chosen *c, const struct warc_header *h, slice start)
{
	slice id = fields_trim(warc_header_get(h, SLICE("WARC-Record-ID")));
	slice other = fields_trim(warc_header_get(h, SLICE("WARC-Concurrent-To")));

	if (h->type == WARC_TYPE_WARCINFO)
		return true;
	if (h->type == WARC_TYPE_METADATA) /* of the attempt: that of an earlier one is not ours */
		return names_capture(c, h->url, start);
	return strmap_get(&c->ids, id, NULL) || (other.len && strmap_get(&c->ids, other, NULL));
}
