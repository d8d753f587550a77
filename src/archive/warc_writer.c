#include "archive/warc_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive/warc_compress.h"
#include "archive/warc_date.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/io.h"
#include "http/payload.h"

enum { SPOOL_STEP = 64 << 10 };

struct warc_writer {
	struct warc_writer_params params;
	struct rng rng;
	int dir;
	uint64_t serial; /* of the next file */
	struct warc_file file;
	struct warc_id info;  /* of its warcinfo record */
	struct digest digest; /* of the last one, if has_digest */
	bool has_digest;
	struct warc_compress *compress;
	struct buf header;
	struct payload payload;
	struct digester block;
	char spool[SPOOL_STEP];
};

static const char *suffix(enum warc_coding coding)
{
	switch (coding) {
	case WARC_CODING_GZIP:
		return ".warc.gz";
	case WARC_CODING_ZSTD:
		return ".warc.zst";
	default:
		return ".warc";
	}
}

/* Fills in the template; ERR_USAGE when it is none. */
static int make_name(const struct warc_writer *w, struct buf *out, struct err *err)
{
	char time[WARC_DATE_DIGITS_SIZE];
	bool has_serial = false;
	int rc = 0;

	warc_date_digits(clock_realtime(w->params.clock), time);
	for (const char *p = w->params.name; rc == 0 && *p; p++) {
		if (*p == '/')
			return err_set(err, ERR_USAGE, "name of WARC files: has a slash");
		if (*p != '%') {
			rc = buf_add_char(out, *p);
			continue;
		}
		switch (*++p) {
		case 't':
			rc = buf_add_str(out, time);
			break;
		case 'n':
			rc = buf_printf(out, "%05llu", (unsigned long long)w->serial);
			has_serial = true;
			break;
		case '%':
			rc = buf_add_char(out, '%');
			break;
		default:
			return err_set(err, ERR_USAGE, "name of WARC files: %% without t, n or %%");
		}
	}
	if (!has_serial)
		return err_set(err, ERR_USAGE, "name of WARC files: %%n is missing");
	if (rc == 0)
		rc = buf_add_str(out, suffix(w->params.coding));
	return rc ? err_set(err, ERR_USAGE, "name of WARC files: %s", err_name(rc)) : 0;
}

/* Creates a file of the next serial number whose name is free. */
static int create_file(struct warc_writer *w, struct err *err)
{
	int rc = ERR_EXISTS;

	for (int i = 0; rc == ERR_EXISTS && i < WARC_WRITER_TRIES_MAX; i++) {
		struct buf name;

		buf_init(&name, WARC_NAME_MAX);
		rc = make_name(w, &name, err);
		if (rc == 0)
			rc = warc_file_create(&w->file, w->dir, buf_str(&name), w->params.io, err);
		buf_release(&name);
		w->serial++;
	}
	return rc;
}

static void release(struct warc_writer *w)
{
	if (w->dir >= 0)
		(void)close(w->dir);
	warc_compress_close(w->compress);
	buf_release(&w->header);
	payload_release(&w->payload);
	digester_release(&w->block);
	free(w);
}

static void fill_in(struct warc_writer_params *p)
{
	p->name = p->name ? p->name : WARC_WRITER_NAME;
	p->max_size = p->max_size ? p->max_size : WARC_WRITER_MAX_SIZE;
	p->clock = p->clock ? p->clock : clock_system();
	p->io = p->io ? p->io : warc_io_system();
}

static int check_name(const struct warc_writer *w, struct err *err)
{
	struct buf name;
	int rc;

	buf_init(&name, WARC_NAME_MAX);
	rc = make_name(w, &name, err);
	buf_release(&name);
	return rc;
}

int warc_writer_open(
	const struct warc_writer_params *params, struct warc_writer **ret, struct err *err)
{
	struct warc_writer *w = calloc(1, sizeof *w);
	int rc;

	if (!w)
		return err_code(err, ERR_NOMEM);
	w->params = *params;
	w->serial = params->serial;
	fill_in(&w->params);
	rng_init(&w->rng, params->seed ? params->seed : hash_key_random().k0);
	buf_init(&w->header, FIELDS_HEAD_MAX);
	w->dir = file_open_dir(params->dir);
	rc = w->dir < 0 ? err_set(err, ERR_IO, "%s: %s", params->dir, strerror(errno)) : 0;
	if (rc == 0)
		rc = check_name(w, err);
	if (rc == 0)
		rc = warc_compress_open(params->coding, params->level, &w->compress, err);
	if (rc) {
		release(w);
		return rc;
	}
	*ret = w;
	return 0;
}

/* Takes the pieces of a block, in their order. */
typedef int feed_fn(struct warc_writer *w, slice bytes, struct err *err);

static int feed_spool(
	struct warc_writer *w, const struct warc_spool *spool, feed_fn *feed, struct err *err)
{
	uint64_t at = 0;

	while (at < spool->size) {
		size_t room =
			spool->size - at < SPOOL_STEP ? (size_t)(spool->size - at) : SPOOL_STEP;
		ssize_t n = io_read_at(spool->fd, w->spool, room, at);
		int rc;

		if (n <= 0)
			return err_set(err, ERR_IO, "spooled body: %s",
				n < 0 ? strerror(errno) : "shorter than it should be");
		rc = feed(w, (slice){w->spool, (size_t)n}, err);
		if (rc)
			return rc;
		at += (uint64_t)n;
	}
	return 0;
}

static int feed_block(
	struct warc_writer *w, const struct warc_entry *e, feed_fn *feed, struct err *err)
{
	int rc = feed(w, e->head, err);

	if (rc == 0)
		rc = feed(w, e->body, err);
	if (rc == 0 && e->spool)
		rc = feed_spool(w, e->spool, feed, err);
	return rc;
}

static uint64_t block_length(const struct warc_entry *e)
{
	return e->head.len + e->body.len + (e->spool ? e->spool->size : 0);
}

static int feed_digests(struct warc_writer *w, slice bytes, struct err *err)
{
	int rc = digester_feed(&w->block, bytes);

	if (rc == 0 && w->payload.wants_digest)
		rc = payload_feed(&w->payload, bytes);
	return err_code(err, rc);
}

/* First pass over the block: a record's header, digests included, comes before its block. */
static int compute_digests(struct warc_writer *w, const struct warc_entry *e,
	struct warc_entry_facts *facts, struct err *err)
{
	bool is_http = payload_is_http(warc_entry_content_type(e));
	bool compute = warc_entry_has_payload(e) && !e->payload;
	struct payload_digests payload;
	int rc = digester_start(&w->block, DIGEST_SHA256);

	payload_start_unchecked(&w->payload, PAYLOAD_WHOLE);
	if (rc == 0 && compute)
		rc = payload_start(
			&w->payload, is_http ? PAYLOAD_HTTP : PAYLOAD_WHOLE, DIGEST_SHA256);
	if (rc)
		return err_code(err, rc);
	rc = feed_block(w, e, feed_digests, err);
	if (rc == 0)
		rc = digester_finish(&w->block, &facts->block);
	if (rc == 0 && compute)
		rc = payload_finish(&w->payload, &payload);
	if (rc)
		return rc;
	facts->has_payload = warc_entry_has_payload(e);
	if (facts->has_payload)
		facts->payload = e->payload ? *e->payload : payload.decoded;
	return 0;
}

static int emit(void *context, slice bytes, struct err *err)
{
	struct warc_writer *w = context;

	return warc_file_append(&w->file, bytes, err);
}

static int feed_compress(struct warc_writer *w, slice bytes, struct err *err)
{
	return warc_compress_feed(w->compress, bytes, err);
}

/* Second pass: the record goes into the file. */
static int compress_record(struct warc_writer *w, const struct warc_entry *e, struct err *err)
{
	slice end = SLICE("\r\n\r\n");
	uint64_t size = w->header.len + block_length(e) + end.len;
	int rc = warc_compress_begin(w->compress, size, emit, w, err);

	if (rc == 0)
		rc = warc_compress_feed(w->compress, buf_slice(&w->header), err);
	if (rc == 0)
		rc = feed_block(w, e, feed_compress, err);
	if (rc == 0)
		rc = warc_compress_feed(w->compress, end, err);
	return rc ? rc : warc_compress_end(w->compress, err);
}

/* Writes a record to the open file, all of it or nothing. */
static int write_record(struct warc_writer *w, const struct warc_entry *e,
	struct warc_entry_facts *facts, struct err *err)
{
	int rc = warc_entry_check(e, err);

	if (rc)
		return rc;
	if (e->id.ptr)
		memcpy(facts->id.text, e->id.ptr, e->id.len);
	else
		warc_id_make(&w->rng, &facts->id);
	facts->length = block_length(e);
	rc = compute_digests(w, e, facts, err);
	buf_reset(&w->header);
	if (rc == 0)
		rc = warc_entry_format(e, facts, &w->header, err);
	if (rc)
		return rc;
	rc = compress_record(w, e, err);
	if (rc)
		warc_file_rollback(&w->file);
	else
		warc_file_commit(&w->file);
	return rc;
}

static int write_info(struct warc_writer *w, struct err *err)
{
	struct warc_entry_facts facts = {.filename = w->file.name};
	struct warc_entry e = {.type = WARC_TYPE_WARCINFO};
	struct buf block;
	int rc = 0;

	buf_init(&block, WARC_WRITER_INFO_MAX);
	for (size_t i = 0; rc == 0 && i < w->params.info_count; i++)
		rc = warc_header_add(&block, w->params.info[i].name, w->params.info[i].value);
	if (rc)
		(void)err_set(err, rc, "warcinfo: %s", err_name(rc));
	e.date = clock_realtime(w->params.clock);
	e.body = buf_slice(&block);
	if (rc == 0)
		rc = write_record(w, &e, &facts, err);
	if (rc == 0)
		w->info = facts.id;
	buf_release(&block);
	return rc;
}

int warc_writer_complete(struct warc_writer *w, struct err *err)
{
	int rc;

	if (!w->file.is_open)
		return 0;
	rc = warc_file_close(&w->file, err);
	w->has_digest = rc == 0 && w->file.has_digest;
	w->digest = w->file.digest;
	return rc;
}

const struct digest *warc_writer_digest(const struct warc_writer *w)
{
	return w->has_digest ? &w->digest : NULL;
}

/* Makes sure that a file is open that has not reached its size. */
static int reach_file(struct warc_writer *w, struct err *err)
{
	int rc;

	if (w->file.is_open && w->file.size < w->params.max_size)
		return 0;
	rc = warc_writer_complete(w, err);
	if (rc == 0)
		rc = create_file(w, err);
	if (rc)
		return rc;
	rc = write_info(w, err);
	if (rc) {
		warc_file_discard(&w->file);
		w->serial--;
	}
	return rc;
}

int warc_writer_add(struct warc_writer *w, const struct warc_entry *entry,
	struct warc_place *ret_place, struct err *err)
{
	struct warc_entry_facts facts = {0};
	uint64_t offset;
	int rc = reach_file(w, err);

	if (rc)
		return rc;
	facts.warcinfo = w->info.text;
	offset = w->file.size;
	rc = write_record(w, entry, &facts, err);
	if (rc || !ret_place)
		return rc;
	*ret_place = (struct warc_place){
		.offset = offset,
		.length = w->file.size - offset,
		.id = facts.id,
		.has_payload = facts.has_payload,
		.payload = facts.payload,
	};
	memcpy(ret_place->file, w->file.name, sizeof ret_place->file);
	return 0;
}

int warc_writer_flush(struct warc_writer *w, struct err *err)
{
	return w->file.is_open ? warc_file_flush(&w->file, err) : 0;
}

int warc_writer_sync(struct warc_writer *w, struct err *err)
{
	return w->file.is_open ? warc_file_sync(&w->file, err) : 0;
}

void warc_writer_abandon(struct warc_writer *w)
{
	if (!w)
		return;
	warc_file_abandon(&w->file);
	release(w);
}

int warc_writer_close(struct warc_writer *w, struct err *err)
{
	int rc;

	if (!w)
		return 0;
	rc = warc_writer_complete(w, err);
	release(w);
	return rc;
}
