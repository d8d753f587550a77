#include "archive/export_chosen.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "warc/record_body.h"
#include "warc/warc_reader.h"
#include "warc/warc_request.h"

enum { IDS_MAX = 1 << 30 };

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
	struct chosen *c = mem_new(1, sizeof *c);
	int rc;

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

static int on_look(
	void *context, const struct compact_look *look, uint64_t size, int code, struct err *err)
{
	struct chosen *c = context;

	(void)size;
	(void)code;
	return look && strmap_get(&c->ids, look->attempt.record_id, NULL)
		       ? err_code(err, add(c, look->attempt.original.record))
		       : 0;
}

static int add_referred(struct chosen *c, const struct warc_record *rec)
{
	slice id = fields_trim(warc_header_get(&rec->header, SLICE("WARC-Record-ID")));

	if (rec->is_gap || rec->header.type != WARC_TYPE_REVISIT || !strmap_get(&c->ids, id, NULL))
		return 0;
	return add(c, fields_trim(warc_header_get(&rec->header, SLICE("WARC-Refers-To"))));
}

static int read_record(
	void *context, struct warc_reader *r, const struct warc_record *rec, struct err *err)
{
	return !rec->is_gap && compact_is_type(rec->header.content_type)
		       ? compact_each_of(r, on_look, context, err)
		       : err_code(err, add_referred(context, rec));
}

static int read_file(
	void *context, slice name, const struct warc_source *source, uint64_t size, struct err *err)
{
	int rc = record_each(source, WARC_READER_UNCHECKED, read_record, context, err);

	(void)size;
	if (rc)
		err_prefix(err, "%.*s", (int)name.len, name.ptr);
	return rc;
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

	if (h->type == WARC_TYPE_WARCINFO || request_form_is(h))
		return true;
	if (h->type == WARC_TYPE_METADATA) /* of the attempt: that of an earlier one is not ours */
		return names_capture(c, h->url, start);
	return strmap_get(&c->ids, id, NULL) || (other.len && strmap_get(&c->ids, other, NULL));
}
